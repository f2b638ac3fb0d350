//! `/proc/locks`: locks on files, who holds them and who waits for them (table `file_lock`).
//!
//! Process ids are those of the PID namespace that `/proc` belongs to; a kernel leaves out
//! locks of processes outside it (since 4.14). A file's path is looked for only where somebody waits:
//! in the holder's `fdinfo`, which never asks the file system, so that a dead server of
//! network files cannot hold us.

use std::collections::{HashMap, HashSet};

use heldup_hostfs::Host;
use heldup_model::tables::FileLockRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines, signed, text};
use crate::mountinfo::{self, Mount};
use crate::process_owner::ProcessOwners;
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/locks";
const EXPECTED: &str = "number, kind, state, access, process, device:inode, first and last byte";
/// At most so many locks are kept, those that somebody waits for first: servers of files
/// hold a hundred thousand.
const MAX_LOCKS: usize = 5000;
/// At most so many descriptors are looked at for paths, 5 µs each.
const MAX_DESCRIPTORS: usize = 2000;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// Number in the list.
    pub number: i64,
    /// It waits for the lock of that number.
    pub waits: bool,
    /// FLOCK, POSIX …, as our table calls it.
    pub kind: Option<&'static str>,
    /// ADVISORY, BREAKING …, in small letters.
    pub state: String,
    /// READ, WRITE, UNLCK, as our table calls it.
    pub access: Option<&'static str>,
    /// Process id; none for locks of an open file (-1) and of other namespaces (0).
    pub pid: Option<i64>,
    /// Device and inode of the file as the line has them, such as `fe:00:1234`.
    pub file: String,
    /// First byte.
    pub first_byte: Option<i64>,
    /// Last byte; none for the end of the file.
    pub last_byte: Option<i64>,
}

/// Reads the list.
pub fn parse(list: &[u8]) -> Parsed<Vec<Lock>> {
    let mut parsed = Parsed::<Vec<Lock>>::default();
    for (line, content) in lines(parsed.whole_lines(list)) {
        match lock(content) {
            Some(lock) => parsed.value.push(lock),
            None => parsed.error(ParseError::new(line, "lock", content, EXPECTED)),
        }
    }
    parsed
}

/// `1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF`, those that wait with `->` after the
/// number; since 5.0 deeper ones are indented further.
fn lock(line: &[u8]) -> Option<Lock> {
    let mut parts = fields(line).peekable();
    let number = count(parts.next()?.strip_suffix(b":")?)?;
    let waits = parts.next_if_eq(&b"->".as_slice()).is_some();
    let kind = kind(parts.next()?);
    let state = text(parts.next()?).to_ascii_lowercase();
    let access = access(parts.next()?);
    let pid = signed(parts.next()?)?;
    let file = text(parts.next()?).into_owned();
    let first_byte = Some(count(parts.next()?)?);
    let last = parts.next()?;
    let last_byte = if last == b"EOF" { None } else { Some(count(last)?) };
    let pid = (pid > 0).then_some(pid);
    Some(Lock { number, waits, kind, state, access, pid, file, first_byte, last_byte })
}

fn kind(word: &[u8]) -> Option<&'static str> {
    Some(match word {
        b"FLOCK" => "flock",
        b"POSIX" => "posix",
        b"OFDLCK" => "ofd",
        b"LEASE" => "lease",
        b"DELEG" => "delegation",
        b"ACCESS" => "access",
        _ => return None,
    })
}

/// Kernels before 5.19 wrote RW and NONE for share modes that nobody used.
fn access(word: &[u8]) -> Option<&'static str> {
    Some(match word {
        b"READ" => "read",
        b"WRITE" => "write",
        b"UNLCK" => "unlock",
        _ => return None,
    })
}

impl Lock {
    /// major:minor in decimal, and inode; none for a lock without a file (`<none>:0`).
    fn place(&self) -> Option<(String, i64)> {
        let mut parts = self.file.split(':');
        let [major, minor] = [parts.next()?, parts.next()?].map(|hex| u32::from_str_radix(hex, 16).ok());
        Some((format!("{}:{}", major?, minor?), count(parts.next()?.as_bytes())?))
    }
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcLocks {
    text: Vec<u8>,
}

impl Source for ProcLocks {
    fn name(&self) -> &'static str {
        "proc_locks"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[FileLockRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut locks = match host.read_into(PATH, &mut self.text) {
            Ok(()) => reading.take(PATH, parse(&self.text)),
            Err(error) => {
                reading.lacks("file_lock", &error, "a kernel with CONFIG_FILE_LOCKING and an unmasked /proc");
                return reading;
            }
        };
        let awaited: HashSet<i64> = locks.iter().filter(|lock| lock.waits).map(|lock| lock.number).collect();
        if locks.len() > MAX_LOCKS {
            let all = locks.len();
            locks.sort_by_key(|lock| (!awaited.contains(&lock.number), lock.number));
            locks.truncate(MAX_LOCKS);
            reading.missing.push(cut(all));
        }
        let rows = self.rows(host, &locks, &awaited);
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl ProcLocks {
    fn rows(&mut self, host: &Host, locks: &[Lock], awaited: &HashSet<i64>) -> Vec<FileLockRow> {
        let mut owners = ProcessOwners::default();
        let mut places = Places::new(host, locks);
        let holders: HashMap<i64, Option<i64>> =
            locks.iter().rev().filter(|lock| !lock.waits).map(|lock| (lock.number, lock.pid)).collect();
        let mut descriptors = MAX_DESCRIPTORS;
        let mut paths: HashMap<(i64, &str), Option<Text>> = HashMap::new();
        let mut rows = Vec::with_capacity(locks.len());
        for lock in locks {
            let holder = holders.get(&lock.number).copied().flatten();
            let owner = lock.pid.map(|pid| owners.of(host, pid)).unwrap_or_default();
            let place = lock.place();
            let (device, mount) = place.as_ref().map(|(id, _)| places.of(host, id)).unwrap_or_default();
            let path = holder.filter(|_| awaited.contains(&lock.number)).and_then(|pid| {
                let path = paths.entry((pid, &lock.file));
                path.or_insert_with(|| self.path(host, pid, &lock.file, &mut descriptors)).clone()
            });
            rows.push(FileLockRow {
                lock_no: Some(lock.number),
                waits: Some(lock.waits),
                pid: lock.pid,
                name: owner.name,
                unit: owner.unit,
                container: owner.container,
                holder_pid: holder.filter(|_| lock.waits),
                kind: lock.kind.map(Into::into),
                state: Some(lock.state.as_str().into()),
                access: lock.access.map(Into::into),
                inode: place.as_ref().map(|(_, inode)| *inode),
                dev_id: place.map(|(id, _)| id.into()),
                device,
                mount,
                path,
                range_start_bytes: lock.first_byte,
                range_end_bytes: lock.last_byte,
            });
        }
        rows
    }

    /// Path of a locked file: of the descriptor whose `fdinfo` has a lock on it (since 4.1).
    fn path(&mut self, host: &Host, pid: i64, file: &str, left: &mut usize) -> Option<Text> {
        let needle = format!(" {file} ");
        // Denied, or ended meanwhile: the lock is said without a path.
        for descriptor in host.list_numbers(format!("/proc/{pid}/fdinfo")).ok()? {
            *left = left.checked_sub(1)?;
            let Ok(()) = host.read_into(format!("/proc/{pid}/fdinfo/{descriptor}"), &mut self.text) else {
                continue;
            };
            let mut lines = lines(&self.text).map(|(_, line)| line);
            let has = |line: &[u8]| line.windows(needle.len()).any(|part| part == needle.as_bytes());
            if lines.any(|line| line.starts_with(b"lock:") && has(line)) {
                return host.read_link(format!("/proc/{pid}/fd/{descriptor}")).ok().map(Into::into);
            }
        }
        None
    }
}

/// Names of devices and mounts, by major:minor.
struct Places {
    mounts: Vec<Mount>,
    known: HashMap<String, (Option<Text>, Option<Text>)>,
}

impl Places {
    fn new(host: &Host, locks: &[Lock]) -> Places {
        // Flaws of the file are said by the source `filesystem`.
        let mounts = (!locks.is_empty()).then(|| host.mount_table().ok()).flatten();
        let mounts = mounts.map(|text| mountinfo::parse(&text).value).unwrap_or_default();
        Places { mounts, known: HashMap::new() }
    }

    /// Kernel name of a block device, and its shortest mount point.
    fn of(&mut self, host: &Host, dev_id: &str) -> (Option<Text>, Option<Text>) {
        if let Some(known) = self.known.get(dev_id) {
            return known.clone();
        }
        let link = host.read_link(format!("/sys/dev/block/{dev_id}")).ok();
        let device = link.as_deref().and_then(|link| link.rsplit('/').next()).map(Text::from);
        let mounted = self.mounts.iter().filter(|mount| mount.dev_id == dev_id);
        let mount = mounted.map(|mount| mount.point.as_str()).min_by_key(|point| (point.len(), *point));
        let names = (device, mount.map(Text::from));
        self.known.insert(dev_id.to_owned(), names.clone());
        names
    }
}

fn cut(all: usize) -> Missing {
    Missing {
        what: "file_lock".to_owned(),
        why: format!("{all} locks; {MAX_LOCKS} were kept, those first that somebody waits for"),
        how: "check one process: lslocks -p PID".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_locks_and_those_who_wait() {
        let list = b"1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF\n\
            1:  -> POSIX  ADVISORY  READ 77 fd:00:2531452 10 19\n\
            2: OFDLCK ADVISORY  READ -1 00:2e:9 128 191\n\
            3: LEASE  BREAKING  UNLCK 9 fe:01:5 0 EOF\n\
            4: FLOCK  ADVISORY  WRITE 0 <none>:0 0 EOF\n";
        let parsed = parse(list);
        assert_eq!(parsed.errors, []);
        let [posix, waiter, ofd, lease, alien] = &parsed.value[..] else { panic!("{:?}", parsed.value) };
        assert_eq!((posix.waits, posix.pid, posix.last_byte), (false, Some(3568), None));
        assert_eq!((waiter.number, waiter.waits, waiter.last_byte), (1, true, Some(19)));
        assert_eq!(posix.place(), Some(("253:0".to_owned(), 2_531_452)));
        assert_eq!((ofd.kind, ofd.pid, ofd.first_byte), (Some("ofd"), None, Some(128)));
        assert_eq!((lease.kind, &*lease.state, lease.access), (Some("lease"), "breaking", Some("unlock")));
        assert_eq!((alien.pid, alien.place()), (None, None));
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let parsed =
            parse(b"1: FLOCK ADVISORY WRITE x 1:2:3 0 EOF\n2: FLOCK  ADVISORY  READ 5 08:01:7 0 EOF\n3:");
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(parsed.value.iter().map(|lock| lock.pid).collect::<Vec<_>>(), [Some(5)]);
    }
}
