//! Kernel files that are read at every sample, kept open in between.
//!
//! Opening and closing takes 5 µs of the 8 that a small file of `/proc` or `/sys` costs, and half
//! of what a large one does, whose buffer the kernel then has to find anew. Only for files of the
//! kernel, which are written when they are read: an ordinary file that is replaced would be read as
//! it was. A file whose object has gone (a control group) says so, and is opened once more.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use crate::error::HostError;
use crate::files::{Host, MAX_FILE_BYTES};

/// At most so many are kept by one owner; 256 open files is the least that systems allow a
/// process, and a session has about a hundred others.
const MAX_KEPT: usize = 128;
/// Room beyond what the file had the last time.
const SPARE_BYTES: usize = 512;
/// Room for a file that was not read before.
const FIRST_BYTES: usize = 4096;

/// The files, by path.
#[derive(Debug, Default)]
pub struct KeptFiles {
    files: HashMap<String, Kept>,
    round: u64,
}

#[derive(Debug)]
struct Kept {
    file: File,
    /// How long it was.
    bytes: usize,
    /// When it was last read.
    round: u64,
}

/// What shows that a file has been read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// A read that brings nothing: tables of many lines may come in parts.
    Nothing,
    /// One that leaves room.
    Room,
}

impl KeptFiles {
    /// The whole file, as [`Host::read_into`] gives it. Of a recorded tree nothing is kept.
    pub fn read_into(&mut self, host: &Host, path: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        self.read_to(End::Nothing, host, path, bytes)
    }

    /// The same of a file that the kernel writes in one piece, such as those of a control group: a
    /// read that leaves room was all.
    pub fn read_record_into(
        &mut self,
        host: &Host,
        path: &str,
        bytes: &mut Vec<u8>,
    ) -> Result<(), HostError> {
        self.read_to(End::Room, host, path, bytes)
    }

    fn read_to(&mut self, end: End, host: &Host, path: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        if !host.is_live() {
            return host.read_into(path, bytes);
        }
        if let Some(kept) = self.files.get_mut(path) {
            kept.round = self.round;
            if kept.read(end, path, bytes).is_ok() {
                return Ok(());
            }
            self.files.remove(path);
        }
        if self.files.len() >= MAX_KEPT {
            return host.read_into(path, bytes);
        }
        let mut kept = Kept { file: open(path)?, bytes: FIRST_BYTES, round: self.round };
        kept.read(end, path, bytes)?;
        self.files.insert(path.to_owned(), kept);
        Ok(())
    }

    /// Closes what was not read since the last call: files of groups and devices that have gone.
    pub fn next_round(&mut self) {
        let round = self.round;
        self.files.retain(|_, kept| kept.round == round);
        self.round += 1;
    }
}

impl Kept {
    fn read(&mut self, end: End, path: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        read_from_start(&self.file, path, self.bytes + SPARE_BYTES, end, bytes)?;
        self.bytes = bytes.len();
        Ok(())
    }
}

/// A record of the kernel that stays open: `/proc/PID/stat` of a process that runs each second.
///
/// It stands for the process that was there when it was opened: one that has ended makes an error
/// of it, also where another has its number by then.
#[derive(Debug)]
pub struct KeptRecord(File);

impl KeptRecord {
    /// Opens a file of the running machine that the kernel writes in one piece.
    pub fn open(path: &str) -> Result<KeptRecord, HostError> {
        Ok(KeptRecord(open(path)?))
    }

    /// What it says now; `path` names it in errors.
    pub fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        read_from_start(&self.0, path, FIRST_BYTES, End::Room, bytes)
    }
}

fn open(path: &str) -> Result<File, HostError> {
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    opened.map_err(|error| HostError::from_io(path, error))
}

fn read_from_start(
    file: &File,
    path: &str,
    room: usize,
    end: End,
    bytes: &mut Vec<u8>,
) -> Result<(), HostError> {
    bytes.clear();
    bytes.resize(room, 0);
    let mut filled = 0;
    loop {
        match file.read_at(&mut bytes[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(HostError::from_io(path, error)),
        }
        if filled > MAX_FILE_BYTES {
            return Err(HostError::TooLarge { path: path.into(), limit: MAX_FILE_BYTES });
        }
        if filled == bytes.len() {
            bytes.resize(2 * filled, 0);
        } else if end == End::Room {
            break;
        }
    }
    bytes.truncate(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(files: &mut KeptFiles, path: &str) -> String {
        let mut bytes = Vec::new();
        files.read_into(&Host::live(), path, &mut bytes).expect("the file");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn every_reading_begins_at_the_start_and_is_whole() {
        let path = std::env::temp_dir().join(format!("heldup-kept-{}", std::process::id()));
        let path = path.to_str().expect("a name");
        let mut files = KeptFiles::default();
        for content in ["one\n".to_owned(), "x".repeat(3 * FIRST_BYTES), String::new(), "two\n".to_owned()] {
            std::fs::write(path, &content).expect("written");
            assert_eq!(text(&mut files, path), content);
            assert_eq!(files.files.len(), 1);
        }
        std::fs::remove_file(path).expect("removed");
        files.next_round();
        assert_eq!(files.files.len(), 1, "it was read in this round");
        files.next_round();
        assert_eq!(files.files.len(), 0);
    }

    #[test]
    fn a_record_is_whole_whatever_its_length() {
        let path = std::env::temp_dir().join(format!("heldup-record-{}", std::process::id()));
        let path = path.to_str().expect("a name");
        let (mut files, mut bytes) = (KeptFiles::default(), Vec::new());
        let room = FIRST_BYTES + SPARE_BYTES;
        for length in [1, room - 1, room, room + 1, 5 * room, 2, 0] {
            let content: Vec<u8> = (0..length).map(|at| at as u8).collect();
            std::fs::write(path, &content).expect("written");
            files.read_record_into(&Host::live(), path, &mut bytes).expect("read");
            assert!(bytes == content, "{length} bytes");
        }
        std::fs::remove_file(path).expect("removed");
    }

    #[test]
    fn kernel_files_are_written_anew_for_each_reading() {
        let mut files = KeptFiles::default();
        let before = text(&mut files, "/proc/uptime");
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_ne!(text(&mut files, "/proc/uptime"), before);
        assert_eq!(files.files.len(), 1);
    }

    #[test]
    fn the_record_of_a_process_ends_with_it() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        let path = format!("/proc/{}/stat", child.id());
        let (record, mut bytes) = (KeptRecord::open(&path).expect("its record"), Vec::new());
        record.read_into(&path, &mut bytes).expect("it lives");
        assert!(bytes.starts_with(child.id().to_string().as_bytes()));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(record.read_into(&path, &mut bytes).is_err());
    }

    #[test]
    fn what_is_not_there_is_absent_and_not_kept() {
        let (mut files, mut bytes) = (KeptFiles::default(), Vec::new());
        let error = files.read_into(&Host::live(), "/proc/no-such-file", &mut bytes).expect_err("absent");
        assert!(error.is_absent() && files.files.is_empty(), "{error}");
    }
}
