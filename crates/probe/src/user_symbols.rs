//! Names of functions of user programs, from their mappings and symbol tables.
//!
//! A process is read through `/proc/PID/root`, so that programs in containers are found; a
//! deleted program through `/proc/PID/map_files`. A program may lie on a disk that is busy or
//! with a server that does not answer, and its symbols may be gigabytes: all stacks are named
//! together, so that each file is gone through once, in a thread that is waited for
//! [`TIME_LIMIT`] and then left behind; and after [`TABLES_BYTES`] of symbols no further ones
//! are (about 0.1 s). A frame that was not named is `file+0xoffset`, which `addr2line` can
//! still name, and [`UserSymbols::cut`] says why.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use heldup_hostfs::{Host, monotonic_ns};

use crate::elf_functions::{Named, TABLE_BYTES, name_functions};
use crate::kernel_symbols::UNKNOWN_FUNCTION;

/// Symbols that are gone through in all.
const TABLES_BYTES: u64 = 48 << 20;
/// Longest wait for names: an answer is to come within 2 s of the window's end.
const TIME_LIMIT: Duration = Duration::from_millis(500);
/// Files that are named where they were not gone through.
const FILES_SAID: usize = 3;
/// Symbols that are gone through in each further window (some 25 ms): most were named before.
const FURTHER_BYTES: u64 = 12 << 20;
/// Names that are kept from window to window.
const NAMES_REMEMBERED: usize = 50_000;

/// User functions by process and address.
pub struct UserSymbols {
    limit: Duration,
    /// None while its thread has it.
    lookup: Option<Lookup>,
    /// A thread that was left behind: when it ends after all, the next window has the lookup back.
    late: Option<Receiver<Told>>,
    cut: Option<String>,
}

/// A stack: its process, and addresses from the innermost on.
type Stack = (i64, Vec<u64>);
/// Where the frames of a stack are; none where that is in no file.
type StackPlaces = Vec<Option<Place>>;

/// What the thread reports as it goes on.
enum Told {
    Places(Vec<StackPlaces>),
    /// About to go through a file.
    Begins(Arc<str>),
    Names(Vec<(Place, Arc<str>)>),
    /// All is reported; the files that were too large.
    Done(Lookup, Vec<Arc<str>>),
}

/// What is known of processes, and how much was gone through for it.
struct Lookup {
    host: Host,
    open: fn(&Host, &str) -> Option<File>,
    processes: HashMap<i64, Arc<[Mapping]>>,
    tables_bytes: u64,
    /// Names from this window and those before.
    known: HashMap<Place, Arc<str>>,
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
        UserSymbols::with(host, TIME_LIMIT, |host, path| host.open(path).ok())
    }

    fn with(host: &Host, limit: Duration, open: fn(&Host, &str) -> Option<File>) -> UserSymbols {
        let lookup = Lookup {
            host: host.clone(),
            open,
            processes: HashMap::new(),
            tables_bytes: 0,
            known: HashMap::new(),
        };
        UserSymbols { limit, lookup: Some(lookup), late: None, cut: None }
    }

    /// Another window begins: processes have come, gone and loaded other code.
    pub fn next_window(&mut self) {
        self.cut = None;
        for told in self.late.iter().flat_map(Receiver::try_iter) {
            if let Told::Done(lookup, _) = told {
                self.lookup = Some(lookup);
            }
        }
        if let Some(lookup) = &mut self.lookup {
            self.late = None;
            lookup.next_window();
        }
    }

    /// The functions of stacks, each of a process and innermost first; in the order of importance,
    /// for what the time allows.
    ///
    /// All but the first address of a stack are return addresses and looked up one byte earlier.
    pub fn resolve(&mut self, stacks: &[(i64, &[u64])]) -> Vec<Vec<Arc<str>>> {
        let unknown: Arc<str> = UNKNOWN_FUNCTION.into();
        let (places, names) = self.ask(stacks);
        let name =
            |place: &Place| names.get(place).cloned().unwrap_or_else(|| number_of(&place.file, place.offset));
        let frame = |stack: usize, frame: usize| places.get(stack)?.get(frame)?.as_ref().map(name);
        let frames = |(at, (_, addresses)): (usize, &(i64, &[u64]))| {
            (0..addresses.len()).map(|i| frame(at, i).unwrap_or_else(|| unknown.clone())).collect()
        };
        stacks.iter().enumerate().map(frames).collect()
    }

    /// Why some functions have no name although their file has symbols; none where all was gone
    /// through.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    fn ask(&mut self, stacks: &[(i64, &[u64])]) -> (Vec<StackPlaces>, HashMap<Place, Arc<str>>) {
        let none = (Vec::new(), HashMap::new());
        let Some(lookup) = self.lookup.take().filter(|_| !stacks.is_empty()) else { return none };
        let asked: Vec<Stack> = stacks.iter().map(|(pid, addresses)| (*pid, addresses.to_vec())).collect();
        let (tell, told) = channel();
        let thread = std::thread::Builder::new().name("symbols".to_owned());
        if let Err(error) = thread.spawn(move || lookup.tell(&asked, &tell)) {
            self.cut = Some(format!("no thread for function names: {error}"));
            return none;
        }
        self.listen(told)
    }

    fn listen(&mut self, told: Receiver<Told>) -> (Vec<StackPlaces>, HashMap<Place, Arc<str>>) {
        let until_ns = monotonic_ns() + self.limit.as_nanos() as u64;
        let (mut places, mut names) = (Vec::new(), HashMap::new());
        let mut busy_with: Arc<str> = "the mappings of processes".into();
        loop {
            let left = Duration::from_nanos(until_ns.saturating_sub(monotonic_ns()));
            match told.recv_timeout(left) {
                Ok(Told::Places(all)) => places = all,
                Ok(Told::Begins(file)) => busy_with = file,
                Ok(Told::Names(some)) => names.extend(some),
                Ok(Told::Done(lookup, left_out)) => {
                    self.cut = what_was_left_out(&left_out);
                    self.lookup = Some(lookup);
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let limit = self.limit.as_secs_f64();
                    self.cut = Some(format!(
                        "function name lookup stopped after {limit} s at {busy_with}: later frames are file+offset"
                    ));
                    self.late = Some(told);
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.cut = Some(format!("function name lookup failed at {busy_with}"));
                    break;
                }
            }
        }
        (places, names)
    }
}

fn what_was_left_out(files: &[Arc<str>]) -> Option<String> {
    let said: Vec<&str> = files.iter().take(FILES_SAID).map(|file| &**file).collect();
    let more = match files.len().saturating_sub(FILES_SAID) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!said.is_empty()).then(|| {
        format!(
            "{}{more}: too many symbols (over {} MiB in a file or {} MiB in all): frames there are file+offset",
            said.join(", "),
            TABLE_BYTES >> 20,
            TABLES_BYTES >> 20
        )
    })
}

impl Lookup {
    fn next_window(&mut self) {
        self.processes.clear();
        self.tables_bytes = self.tables_bytes.min(TABLES_BYTES - FURTHER_BYTES);
        if self.known.len() > NAMES_REMEMBERED {
            self.known.clear();
        }
    }

    /// Goes through everything, and ends early where nobody listens any more.
    fn tell(mut self, stacks: &[Stack], tell: &Sender<Told>) {
        let places: Vec<StackPlaces> =
            stacks.iter().map(|(pid, addresses)| self.places(*pid, addresses)).collect();
        let mut left_out = Vec::new();
        let files = files_of(stacks, &places, &self.known);
        let named_before = |place: &Place| Some((place.clone(), self.known.get(place)?.clone()));
        let known = places.iter().flatten().flatten().filter_map(named_before).collect();
        if tell.send(Told::Places(places)).is_err() || tell.send(Told::Names(known)).is_err() {
            return;
        }
        for (pid, file, offsets) in files {
            if tell.send(Told::Begins(file.path.clone())).is_err() {
                return;
            }
            let named = self.read_file(pid, &file, &offsets);
            self.tables_bytes += named.table_bytes;
            let of_place = |(offset, name)| Some((Place { file: file.clone(), offset }, name?));
            let names: Vec<(Place, Arc<str>)> =
                offsets.iter().copied().zip(named.names).filter_map(of_place).collect();
            if named.too_large {
                left_out.push(file.path.clone());
            } else {
                // Also what has no name: the next window must not go through the file for it again.
                let numbers = offsets.into_iter().map(|offset| {
                    let number = number_of(&file, offset);
                    (Place { file: file.clone(), offset }, number)
                });
                self.known.extend(numbers);
                self.known.extend(names.iter().cloned());
            }
            if tell.send(Told::Names(names)).is_err() {
                return;
            }
        }
        // Nobody listens: nobody needs it.
        let _ = tell.send(Told::Done(self, left_out));
    }

    fn places(&mut self, pid: i64, addresses: &[u64]) -> StackPlaces {
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

    fn read_file(&self, pid: i64, file: &FileId, offsets: &[u64]) -> Named {
        if !file.path.starts_with('/') {
            return Named::default();
        }
        if self.tables_bytes >= TABLES_BYTES {
            return Named { too_large: true, ..Named::default() };
        }
        let open = |path: String| (self.open)(&self.host, &path);
        let by_path = || open(format!("/proc/{pid}/root{}", file.path));
        let by_mapping = || {
            let mappings = self.processes.get(&pid)?;
            let mapping = mappings.iter().find(|mapping| mapping.file == *file)?;
            open(format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end))
        };
        let opened = match file.path.ends_with(DELETED) {
            true => by_mapping(),
            false => by_path().or_else(by_mapping),
        };
        opened.map(|opened| name_functions(opened, offsets)).unwrap_or_default()
    }
}

/// The files in the order in which they turn up, the important ones first: a process that has
/// each, and the places that are wanted and not known.
fn files_of(
    stacks: &[Stack],
    places: &[StackPlaces],
    known: &HashMap<Place, Arc<str>>,
) -> Vec<(i64, FileId, Vec<u64>)> {
    let mut order: Vec<(i64, FileId)> = Vec::new();
    let mut wanted: BTreeMap<FileId, BTreeSet<u64>> = BTreeMap::new();
    for ((pid, _), stack) in stacks.iter().zip(places) {
        for place in stack.iter().flatten().filter(|place| !known.contains_key(place)) {
            let offsets = wanted.entry(place.file.clone()).or_insert_with(|| {
                order.push((*pid, place.file.clone()));
                BTreeSet::new()
            });
            offsets.insert(place.offset);
        }
    }
    let offsets = |file: &FileId| wanted.get(file).into_iter().flatten().copied().collect();
    order.iter().map(|(pid, file)| (*pid, file.clone(), offsets(file))).collect()
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

    /// A program on a file server that does not answer: naming ends with its time, and says so.
    #[test]
    fn a_file_that_does_not_answer_costs_its_own_names_only() {
        let never = |_: &Host, _: &str| {
            std::thread::sleep(Duration::from_secs(3600));
            None
        };
        let mut symbols = UserSymbols::with(&Host::live(), Duration::from_millis(200), never);
        let address = [a_function_of_this_test as *const () as u64];
        let stack = [(i64::from(std::process::id()), &address[..])];
        let began_ns = monotonic_ns();
        let names = symbols.resolve(&stack).remove(0);
        let took_ns = monotonic_ns() - began_ns;
        assert!(took_ns < 60_000_000_000, "{took_ns} ns");
        assert!(names[0].contains("+0x"), "{names:?}");
        let program = std::env::current_exe().expect("this test");
        let cut = symbols.cut().expect("said to be cut");
        assert!(cut.contains("0.2 s") && cut.contains(&*program.to_string_lossy()), "{cut}");
        // Its thread is gone for good; nothing waits for it again.
        assert_eq!(&*symbols.resolve(&stack)[0][0], UNKNOWN_FUNCTION);
    }

    #[test]
    fn files_with_too_many_symbols_are_said() {
        assert_eq!(what_was_left_out(&[]), None);
        let files = ["/a", "/b", "/c", "/d"].map(Arc::from);
        let said = what_was_left_out(&files).expect("said");
        assert!(said.starts_with("/a, /b, /c and 1 more: too many symbols"), "{said}");
    }

    #[test]
    fn an_ended_process_names_nothing() {
        let mut symbols = UserSymbols::new(&Host::recorded("/nowhere"));
        assert_eq!(&*symbols.resolve(&[(1, &[0x1000])])[0][0], UNKNOWN_FUNCTION);
    }
}
