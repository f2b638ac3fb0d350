//! Files of ours in the folders whose files the machine applies at boot.
//!
//! A file is replaced as a whole and in one step, so that nobody ever reads half of one: its next
//! text is on the disk under another name, one that no program applies, before it takes its place.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::files::Host;

/// Where they are; nothing else of `/etc` is written.
const FOLDERS: [&str; 3] = ["/etc/sysctl.d/", "/etc/udev/rules.d/", "/etc/tmpfiles.d/"];
/// Ours by their names.
const STEM: &str = "90-heldup.";

impl Host {
    /// Gives a file of ours another text, or removes it where there is none. A folder that is
    /// missing is made.
    pub fn replace_applied_file(&self, path: &str, text: Option<&str>) -> Result<(), HostError> {
        let fail = |error| HostError::from_io(path, error);
        let name = FOLDERS.iter().find_map(|folder| path.strip_prefix(folder));
        if !name.is_some_and(|name| name.starts_with(STEM) && !name.contains('/')) {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "not a file of heldup")));
        }
        replace(&self.locate(Path::new(path)), text).map_err(fail)
    }
}

fn replace(path: &Path, text: Option<&str>) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let folder = path.parent().unwrap_or(Path::new("/"));
    // Not an ending that any of the programs reads.
    let next = PathBuf::from(format!("{}.new", path.display()));
    match text {
        None => {
            remove(&next)?;
            remove(path)?;
            if !folder.exists() {
                return Ok(());
            }
        }
        Some(text) => {
            // `/etc/udev` is not made where there is no udev.
            if !folder.exists() {
                std::fs::create_dir(folder)?;
            }
            // Not through a link that somebody has put there.
            remove(&next)?;
            let mut file = File::options().write(true).create_new(true).mode(0o644).open(&next)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&next, path)?;
        }
    }
    // Names are on the disk with their folder.
    File::open(folder)?.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_alone_are_written_and_go_without_a_trace() {
        let root = std::env::temp_dir().join(format!("heldup-applied-{}", std::process::id()));
        std::fs::create_dir_all(root.join("etc")).expect("a folder");
        let host = Host::recorded(&root);
        let path = "/etc/sysctl.d/90-heldup.conf";
        host.replace_applied_file(path, None).expect("there is none");
        host.replace_applied_file(path, Some("a = 1\n")).expect("made");
        host.replace_applied_file(path, Some("a = 2\n")).expect("replaced");
        assert_eq!(host.read_text(path).expect("read"), "a = 2");
        assert_eq!(host.list("/etc/sysctl.d").expect("the folder"), ["90-heldup.conf"]);
        for other in ["/etc/sysctl.d/99-sysctl.conf", "/etc/passwd", "/etc/sysctl.d/90-heldup.d/../x"] {
            assert!(host.replace_applied_file(other, Some("")).is_err(), "{other}");
        }
        host.replace_applied_file(path, None).expect("removed");
        assert_eq!(host.list("/etc/sysctl.d").expect("the folder"), [""; 0]);
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
