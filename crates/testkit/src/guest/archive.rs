//! Writes a `cpio` archive of the kind that the kernel unpacks into its first file system:
//! newc, uncompressed, everything owned by root (Documentation/driver-api/early-userspace/
//! buffer-format.rst). So no root is needed to make it, and no program.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Result;

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;
const CHARACTER_DEVICE: u32 = 0o020_666;
/// Name of the entry that ends an archive.
const TRAILER: &str = "TRAILER!!!";

/// An archive that is being written.
pub(super) struct Archive<W: Write> {
    output: W,
    entries: u32,
    folders: BTreeSet<PathBuf>,
}

impl<W: Write> Archive<W> {
    /// Begins one.
    pub fn new(output: W) -> Archive<W> {
        Archive { output, entries: 0, folders: BTreeSet::new() }
    }

    /// A file that everybody may run, with the folders above it.
    pub fn file(&mut self, path: &Path, content: &[u8]) -> Result<()> {
        self.folders_above(path)?;
        self.entry(path, PROGRAM, (0, 0), content)
    }

    /// A symbolic link, with the folders above it.
    pub fn link(&mut self, path: &Path, target: &Path) -> Result<()> {
        self.folders_above(path)?;
        self.entry(path, LINK, (0, 0), target.as_os_str().as_bytes())
    }

    /// A character device, `(major, minor)`, with the folders above it.
    pub fn device(&mut self, path: &Path, number: (u32, u32)) -> Result<()> {
        self.folders_above(path)?;
        self.entry(path, CHARACTER_DEVICE, number, &[])
    }

    /// A folder, with those above it.
    pub fn folder(&mut self, path: &Path) -> Result<()> {
        self.folders_above(path)?;
        if self.folders.insert(path.to_owned()) {
            self.entry(path, FOLDER, (0, 0), &[])?;
        }
        Ok(())
    }

    /// Writes what marks the end.
    pub fn finish(mut self) -> Result<W> {
        self.entry(Path::new(TRAILER), 0, (0, 0), &[])?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn folders_above(&mut self, path: &Path) -> Result<()> {
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        for folder in above.into_iter().rev() {
            // "/" itself is there.
            if folder.file_name().is_some() && self.folders.insert(folder.to_owned()) {
                self.entry(folder, FOLDER, (0, 0), &[])?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, mode: u32, (major, minor): (u32, u32), content: &[u8]) -> Result<()> {
        let name = path.strip_prefix("/").unwrap_or(path).as_os_str().as_bytes();
        self.entries += 1;
        let links = if mode == FOLDER { 2 } else { 1 };
        let size = u32::try_from(content.len())?;
        // inode mode uid gid nlink mtime filesize device(2) rdevice(2) namesize check
        let named = u32::try_from(name.len() + 1)?;
        let fields = [self.entries, mode, 0, 0, links, 0, size, 0, 0, major, minor, named, 0];
        self.output.write_all(b"070701")?;
        for field in fields {
            write!(self.output, "{field:08x}")?;
        }
        self.output.write_all(name)?;
        self.output.write_all(&[0])?;
        self.pad(6 + 8 * fields.len() + name.len() + 1)?;
        self.output.write_all(content)?;
        self.pad(content.len())
    }

    /// Header with name, and content, each end at a multiple of four.
    fn pad(&mut self, length: usize) -> Result<()> {
        self.output.write_all(&[0; 3][..length.next_multiple_of(4) - length])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_header_a_name_and_a_content_each_padded() -> Result<()> {
        let mut archive = Archive::new(Vec::new());
        archive.file(Path::new("/bin/a"), b"12345")?;
        let bytes = archive.finish()?;
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        // The folder comes before the file: header of 110 bytes, "bin" and a zero, padded.
        assert!(text.starts_with("07070100000001000041ed"), "{text}");
        assert_eq!(&bytes[110..116], b"bin\0\0\0");
        assert!(text[116..].starts_with("07070100000002000081ed"), "{text}");
        assert!(text.contains("bin/a\0"));
        assert!(text.contains("12345\0\0\x00070701"), "{text}");
        assert!(text.trim_end_matches('\0').ends_with(TRAILER));
        Ok(())
    }

    #[test]
    fn a_folder_is_written_once() -> Result<()> {
        let mut archive = Archive::new(Vec::new());
        archive.file(Path::new("/a/b"), b"")?;
        archive.folder(Path::new("/a"))?;
        archive.link(Path::new("/a/c"), Path::new("b"))?;
        assert_eq!(archive.entries, 3);
        Ok(())
    }
}
