//! Our own mount table (`/proc/self/mountinfo`), which several sources ask for within a sample.
//!
//! Each line walks the path of a mount: 4 µs, and hosts of containers have hundreds. The kernel tells
//! by poll(2) that a mount has come, gone or got other flags of its own, so that the text is read again
//! only then. What a file system does by itself (read-only after errors) is not told: who needs that
//! reads the file.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::HostError;
use crate::files::{Host, MAX_FILE_BYTES};

const PATH: &str = "/proc/self/mountinfo";
/// Room for the whole table of most machines.
const FIRST_BYTES: usize = 16 << 10;

/// The file, open, and what it said last.
struct Kept {
    file: File,
    text: Arc<[u8]>,
}

/// One for the process, as the table is.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

impl Host {
    /// The mount table: which file systems are mounted where, with the flags of the mounts.
    pub fn mount_table(&self) -> Result<Arc<[u8]>, HostError> {
        if !self.is_live() {
            return self.read(PATH).map(Arc::from);
        }
        let fail = |error| HostError::from_io(PATH, error);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| !has_changed(&kept.file)) {
            return Ok(Arc::clone(&kept.text));
        }
        // Taken, so that a table that cannot be read is asked for again the next time.
        let file = match kept.take() {
            Some(kept) => kept.file,
            None => File::open(PATH).map_err(fail)?,
        };
        let text: Arc<[u8]> = whole(&file).map_err(fail)?.into();
        *kept = Some(Kept { file, text: Arc::clone(&text) });
        Ok(text)
    }
}

/// Whether the table has changed since it was asked last. Asking takes note of the change, so
/// that what comes while the table is read is told the next time.
fn has_changed(file: &File) -> bool {
    let mut wanted = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLPRI, revents: 0 };
    // SAFETY: one structure, which outlives the call; a timeout of 0 does not wait.
    let answered = unsafe { libc::poll(&mut wanted, 1, 0) };
    answered != 0
}

fn whole(file: &File) -> Result<Vec<u8>, std::io::Error> {
    let mut bytes = vec![0; FIRST_BYTES];
    let mut filled = 0;
    loop {
        match file.read_at(&mut bytes[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if filled > MAX_FILE_BYTES {
            return Err(std::io::Error::other(format!("more than {MAX_FILE_BYTES} bytes; not read")));
        }
        if filled == bytes.len() {
            bytes.resize(2 * filled, 0);
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_the_file_says() {
        let host = Host::live();
        for _ in 0..3 {
            let file = host.read(PATH).expect("the file");
            assert_eq!(host.mount_table().expect("the table")[..], file[..]);
        }
    }

    #[test]
    fn a_mount_that_comes_is_there() {
        let folder = std::env::temp_dir().join(format!("heldup-mount-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.to_str().expect("a name");
        let host = Host::live();
        let has = || {
            let table = host.mount_table().expect("the table");
            String::from_utf8_lossy(&table).contains(&format!(" {path} "))
        };
        assert!(!has());
        let run = |program: &str, words: &[&str]| {
            let mut command = std::process::Command::new(program);
            let ran = command.args(words).stderr(std::process::Stdio::null()).status();
            ran.is_ok_and(|status| status.success())
        };
        if run("mount", &["-t", "tmpfs", "heldup", path]) {
            assert!(has(), "it is mounted");
            assert!(run("umount", &[path]), "it can be taken away");
            assert!(!has(), "it has gone");
        } else {
            heldup_skip::partly_skipped("nothing can be mounted here");
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn of_a_recorded_tree_it_is_the_recorded_one() {
        assert!(Host::recorded("/no-such-tree").mount_table().expect_err("no file").is_absent());
    }
}
