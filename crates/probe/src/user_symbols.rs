//! Names of functions of user programs, from their mappings and symbol tables.
//!
//! A process is read through `/proc/PID/root`, so that programs in containers are found; a
//! deleted program through `/proc/PID/map_files`. Time and memory are bounded: each file is
//! read once, and after [`TABLES_BYTES`] of tables no further ones. A frame that cannot be
//! named is `file+0xoffset`, which `addr2line` can still name where debug symbols are.

use std::collections::HashMap;
use std::sync::Arc;

use heldup_hostfs::Host;

use crate::elf_functions::ElfFunctions;
use crate::kernel_symbols::UNKNOWN_FUNCTION;

/// Symbol tables that are kept at the same time.
const TABLES_BYTES: usize = 48 << 20;

/// User functions by process and address.
pub struct UserSymbols {
    host: Host,
    processes: HashMap<i64, Vec<Mapping>>,
    files: HashMap<FileId, Arc<ElfFunctions>>,
    tables_bytes: usize,
    names: HashMap<(FileId, u64), Arc<str>>,
}

/// Device, inode and path: the same file mapped by several processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        UserSymbols {
            host: host.clone(),
            processes: HashMap::new(),
            files: HashMap::new(),
            tables_bytes: 0,
            names: HashMap::new(),
        }
    }

    /// The function of each address of one stack of a process, innermost first.
    ///
    /// All but the first are return addresses and looked up one byte earlier.
    pub fn resolve(&mut self, pid: i64, addresses: &[u64]) -> Vec<Arc<str>> {
        let mappings = match self.processes.get(&pid) {
            Some(mappings) => mappings.clone(),
            None => {
                let text = self.host.read(format!("/proc/{pid}/maps")).unwrap_or_default();
                let mappings = parse_maps(&text);
                self.processes.insert(pid, mappings.clone());
                mappings
            }
        };
        let inner = addresses.iter().take(1).copied();
        let outer = addresses.iter().skip(1).map(|address| address.saturating_sub(1));
        inner.chain(outer).map(|address| self.name(pid, &mappings, address)).collect()
    }

    fn name(&mut self, pid: i64, mappings: &[Mapping], address: u64) -> Arc<str> {
        let after = mappings.partition_point(|mapping| mapping.start <= address);
        let Some(mapping) = after.checked_sub(1).map(|at| &mappings[at]).filter(|m| address < m.end) else {
            return UNKNOWN_FUNCTION.into();
        };
        let offset = address - mapping.start + mapping.file_offset;
        let key = (mapping.file.clone(), offset);
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let name = self.functions(pid, mapping).at_file_offset(offset).unwrap_or_else(|| {
            let path = mapping.file.path.trim_end_matches(" (deleted)");
            format!("{}+{offset:#x}", path.rsplit('/').next().unwrap_or(path)).into()
        });
        self.names.insert(key, name.clone());
        name
    }

    fn functions(&mut self, pid: i64, mapping: &Mapping) -> Arc<ElfFunctions> {
        if let Some(known) = self.files.get(&mapping.file) {
            return known.clone();
        }
        let path = &mapping.file.path;
        let found = match path.starts_with('/') && self.tables_bytes < TABLES_BYTES {
            false => ElfFunctions::default(),
            true => {
                let mapped = format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end);
                let opened = match path.ends_with(" (deleted)") {
                    true => self.host.open(&mapped),
                    false => {
                        self.host.open(format!("/proc/{pid}/root{path}")).or_else(|_| self.host.open(&mapped))
                    }
                };
                opened.map(ElfFunctions::read).unwrap_or_default()
            }
        };
        self.tables_bytes += found.size_bytes();
        let found = Arc::new(found);
        self.files.insert(mapping.file.clone(), found.clone());
        found
    }
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
        let names = symbols.resolve(i64::from(std::process::id()), &addresses);
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
        assert_eq!(&*symbols.resolve(1, &[0x1000])[0], UNKNOWN_FUNCTION);
    }
}
