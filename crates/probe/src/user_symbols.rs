//! Names of functions of user programs, from their mappings and symbol tables.
//!
//! A process is read through `/proc/PID/root`, so that programs in containers are found; a
//! deleted program through `/proc/PID/map_files`. Time is bounded: all stacks are named
//! together, so that each file is gone through once, and after [`TABLES_BYTES`] of symbols
//! no further ones (about 0.1 s). A frame that cannot be named is `file+0xoffset`, which
//! `addr2line` can still name where debug symbols are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use heldup_hostfs::Host;

use crate::elf_functions::{Named, name_functions};
use crate::kernel_symbols::UNKNOWN_FUNCTION;

/// Symbols that are gone through in all.
const TABLES_BYTES: u64 = 48 << 20;

/// User functions by process and address.
pub struct UserSymbols {
    host: Host,
    processes: HashMap<i64, Arc<[Mapping]>>,
    names: HashMap<Place, Arc<str>>,
    tables_bytes: u64,
}

/// A place in a file that is mapped by one or more processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    file: FileId,
    offset: u64,
}

/// Device, inode and path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct FileId {
    device_inode: Arc<str>,
    path: Arc<str>,
}

/// An executable mapping of a process.
#[derive(Clone, Debug, PartialEq)]
struct Mapping {
    start: u64,
    end: u64,
    file_offset: u64,
    file: FileId,
}

impl UserSymbols {
    /// Nothing is read before the first question.
    pub fn new(host: &Host) -> UserSymbols {
        UserSymbols { host: host.clone(), processes: HashMap::new(), names: HashMap::new(), tables_bytes: 0 }
    }

    /// The functions of stacks, each of a process and innermost first; in the order of importance,
    /// for what the time allows.
    ///
    /// All but the first address of a stack are return addresses and looked up one byte earlier.
    pub fn resolve(&mut self, stacks: &[(i64, &[u64])]) -> Vec<Vec<Arc<str>>> {
        let places: Vec<Vec<Option<Place>>> =
            stacks.iter().map(|(pid, addresses)| self.places(*pid, addresses)).collect();
        self.name_all(stacks, &places);
        let unknown: Arc<str> = UNKNOWN_FUNCTION.into();
        let name = |place: &Option<Place>| place.as_ref().and_then(|place| self.names.get(place)).cloned();
        places
            .iter()
            .map(|stack| stack.iter().map(|place| name(place).unwrap_or_else(|| unknown.clone())).collect())
            .collect()
    }

    fn places(&mut self, pid: i64, addresses: &[u64]) -> Vec<Option<Place>> {
        let mappings = self.mappings(pid);
        let inner = addresses.iter().take(1).copied();
        let outer = addresses.iter().skip(1).map(|address| address.saturating_sub(1));
        inner.chain(outer).map(|address| place_of(&mappings, address)).collect()
    }

    fn mappings(&mut self, pid: i64) -> Arc<[Mapping]> {
        let host = &self.host;
        let read = || parse_maps(&host.read(format!("/proc/{pid}/maps")).unwrap_or_default()).into();
        self.processes.entry(pid).or_insert_with(read).clone()
    }

    fn name_all(&mut self, stacks: &[(i64, &[u64])], places: &[Vec<Option<Place>>]) {
        // The files in the order in which they turn up: the important ones first.
        let mut order: Vec<(i64, FileId)> = Vec::new();
        let mut wanted: BTreeMap<FileId, BTreeSet<u64>> = BTreeMap::new();
        for ((pid, _), stack) in stacks.iter().zip(places) {
            for place in stack.iter().flatten().filter(|place| !self.names.contains_key(place)) {
                let offsets = wanted.entry(place.file.clone()).or_insert_with(|| {
                    order.push((*pid, place.file.clone()));
                    BTreeSet::new()
                });
                offsets.insert(place.offset);
            }
        }
        for (pid, file) in order {
            let offsets: Vec<u64> = wanted.remove(&file).into_iter().flatten().collect();
            let named = self.read_file(pid, &file, &offsets);
            self.tables_bytes += named.table_bytes;
            for (at, offset) in offsets.into_iter().enumerate() {
                let name = named.names.get(at).cloned().flatten().unwrap_or_else(|| number_of(&file, offset));
                self.names.insert(Place { file: file.clone(), offset }, name);
            }
        }
    }

    fn read_file(&self, pid: i64, file: &FileId, offsets: &[u64]) -> Named {
        if !file.path.starts_with('/') || self.tables_bytes >= TABLES_BYTES {
            return Named::default();
        }
        let by_path = || self.host.open(format!("/proc/{pid}/root{}", file.path));
        let by_mapping = || {
            let mappings = self.processes.get(&pid)?;
            let mapping = mappings.iter().find(|mapping| mapping.file == *file)?;
            self.host.open(format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end)).ok()
        };
        let opened = match file.path.ends_with(DELETED) {
            true => by_mapping(),
            false => by_path().ok().or_else(by_mapping),
        };
        opened.map(|opened| name_functions(opened, offsets)).unwrap_or_default()
    }
}

/// What the kernel puts behind the path of a file that is no longer there.
const DELETED: &str = " (deleted)";

fn place_of(mappings: &[Mapping], address: u64) -> Option<Place> {
    let after = mappings.partition_point(|mapping| mapping.start <= address);
    let mapping = mappings.get(after.checked_sub(1)?).filter(|mapping| address < mapping.end)?;
    let offset = (address - mapping.start).checked_add(mapping.file_offset)?;
    Some(Place { file: mapping.file.clone(), offset })
}

/// `libc.so.6+0x2d3f0`
fn number_of(file: &FileId, offset: u64) -> Arc<str> {
    let path = file.path.trim_end_matches(DELETED);
    format!("{}+{offset:#x}", path.rsplit('/').next().unwrap_or(path)).into()
}

/// Executable mappings of `/proc/PID/maps`, in order of address.
fn parse_maps(text: &[u8]) -> Vec<Mapping> {
    String::from_utf8_lossy(text).lines().filter_map(parse_mapping).collect()
}

/// `7f00-7f10 r-xp 00001000 fd:00 1234    /usr/lib/libc.so.6`
fn parse_mapping(line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after;
        Some(word).filter(|word| !word.is_empty())
    };
    let (start, end) = word()?.split_once('-')?;
    let rights = word()?;
    let offset = word()?;
    let (device, inode) = (word()?, word()?);
    rights.contains('x').then_some(())?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let (start, end, file_offset) = (hex(start)?, hex(end)?, hex(offset)?);
    let path = match rest.trim_start() {
        "" => "[anonymous]",
        path => path,
    };
    let file = FileId { device_inode: format!("{device} {inode}").into(), path: path.into() };
    (start < end).then_some(Mapping { start, end, file_offset, file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn a_function_of_this_test(seed: u64) -> u64 {
        std::hint::black_box(seed).wrapping_mul(3)
    }

    #[test]
    fn own_functions_and_those_of_libraries_are_named() {
        let mut symbols = UserSymbols::new(&Host::live());
        let addresses =
            [a_function_of_this_test as *const () as u64, libc::getpid as *const () as u64 + 1, 8];
        let names = symbols.resolve(&[(i64::from(std::process::id()), &addresses)]).remove(0);
        assert!(names[0].ends_with("a_function_of_this_test"), "{names:?}");
        assert!(names[1].contains("getpid"), "{names:?}");
        assert_eq!(&*names[2], UNKNOWN_FUNCTION);
    }

    #[test]
    fn mappings_of_a_process() {
        let maps = b"55e0a000-55e0b000 r--p 00000000 fe:00 77   /usr/bin/a b\n\
            55e0b000-55e0c000 r-xp 00001000 fe:00 77   /usr/bin/a b (deleted)\n\
            7f000000-7f001000 rwxp 00000000 00:00 0 \n\
            7fff0000-7fff1000 r-xp 00000000 00:00 0          [vdso]\nbad line\n9-1 r-xp 0 0:0 0 x\n";
        let mappings = parse_maps(maps);
        let found: Vec<(u64, u64, &str)> =
            mappings.iter().map(|m| (m.start, m.file_offset, &*m.file.path)).collect();
        assert_eq!(
            found,
            [
                (0x55e0_b000, 0x1000, "/usr/bin/a b (deleted)"),
                (0x7f00_0000, 0, "[anonymous]"),
                (0x7fff_0000, 0, "[vdso]"),
            ]
        );
    }

    #[test]
    fn an_ended_process_names_nothing() {
        let mut symbols = UserSymbols::new(&Host::recorded("/nowhere"));
        assert_eq!(&*symbols.resolve(&[(1, &[0x1000])])[0][0], UNKNOWN_FUNCTION);
    }
}
