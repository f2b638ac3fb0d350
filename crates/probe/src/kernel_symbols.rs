//! Names of kernel functions, asked for only when something is to be shown.
//!
//! The kernel names its own addresses best: `bpf/symbols.bpf.c` has it print them, which
//! costs about 3 µs a name and 6 ms once, and works where `kernel.kptr_restrict` hides
//! `/proc/kallsyms`. Reading that file takes some 40 ms of CPU (120,000 lines) and is what
//! remains where BPF may not be used. Names are kept for the life of the program: modules
//! seldom go, and a kernel address is given to another function only then. The ledger, the samples
//! of the CPUs and the counts of dropped packets each have their questions; the program in the
//! kernel that answers them is loaded once for all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aya::maps::{Array, MapData};
use heldup_hostfs::Host;

use crate::error::ProbeError;
use crate::loader::Object;
use crate::objects;

/// Addresses of one round; `SYMBOLS_ASKED` in bpf/symbols.h.
const ASKED: usize = 1024;
/// What a function without a name is called.
pub const UNKNOWN_FUNCTION: &str = "[unknown]";

/// The kernel's functions by address.
pub struct KernelSymbols {
    host: Host,
    names: HashMap<u64, Arc<str>>,
    source: Source,
}

enum Source {
    Untried,
    Kernel(&'static Mutex<Asking>),
    /// Sorted by address.
    File(Vec<(u64, Arc<str>)>),
}

/// The iterator that prints names, and the map that it takes addresses from.
struct Asking {
    object: Object,
    asked: Array<MapData, [u64; ASKED + 1]>,
}

/// Of the running machine; none where the kernel refused it.
static ASKING: OnceLock<Option<Mutex<Asking>>> = OnceLock::new();

impl KernelSymbols {
    /// Nothing is loaded or read before the first question.
    pub fn new(host: &Host) -> KernelSymbols {
        KernelSymbols { host: host.clone(), names: HashMap::new(), source: Source::Untried }
    }

    /// The function of each address, without offset and module; [`UNKNOWN_FUNCTION`] where none is known.
    pub fn resolve(&mut self, addresses: &[u64]) -> Vec<Arc<str>> {
        let mut open: Vec<u64> =
            addresses.iter().copied().filter(|address| !self.names.contains_key(address)).collect();
        open.sort_unstable();
        open.dedup();
        if !open.is_empty() {
            self.look_up(&open);
        }
        let unknown: Arc<str> = UNKNOWN_FUNCTION.into();
        addresses.iter().map(|address| self.names.get(address).unwrap_or(&unknown).clone()).collect()
    }

    /// Whether the kernel itself answers, rather than `/proc/kallsyms`.
    pub(crate) fn asks_kernel(&mut self) -> bool {
        self.choose_source();
        matches!(self.source, Source::Kernel(_))
    }

    fn choose_source(&mut self) {
        if matches!(self.source, Source::Untried) {
            let started = || Asking::start().map(Mutex::new).ok();
            let kernel = self.host.is_live().then(|| ASKING.get_or_init(started).as_ref()).flatten();
            self.source = kernel.map_or_else(|| Source::File(read_kallsyms(&self.host)), Source::Kernel);
        }
    }

    fn look_up(&mut self, open: &[u64]) {
        self.choose_source();
        if let Source::Kernel(asking) = self.source {
            match asking.lock().unwrap_or_else(PoisonError::into_inner).name(open) {
                Ok(names) => return self.names.extend(names),
                Err(_) => self.source = Source::File(read_kallsyms(&self.host)),
            }
        }
        if let Source::File(table) = &self.source {
            self.names
                .extend(open.iter().filter_map(|address| Some((*address, containing(table, *address)?))));
        }
    }
}

impl Asking {
    fn start() -> Result<Asking, ProbeError> {
        let mut object = Object::open("symbols", objects::SYMBOLS, None, &[])?;
        object.load_iterator("name_symbols", "task")?;
        let asked = object.take_map("asked")?;
        Ok(Asking { object, asked })
    }

    fn name(&mut self, addresses: &[u64]) -> Result<Vec<(u64, Arc<str>)>, ProbeError> {
        let mut named = Vec::with_capacity(addresses.len());
        let mut text = Vec::new();
        while named.len() < addresses.len() {
            let round = &addresses[named.len()..];
            let mut list = [0; ASKED + 1];
            let count = round.len().min(ASKED);
            list[0] = count as u64;
            list[1..=count].copy_from_slice(&round[..count]);
            let place = "kernel function names";
            self.asked
                .set(0, list, 0)
                .map_err(|error| ProbeError::Record { place, what: error.to_string() })?;
            self.object.iterate("name_symbols", &mut text)?;
            let before = named.len();
            let answer = String::from_utf8_lossy(&text);
            named.extend(round.iter().copied().zip(answer.lines().map(name_of)));
            if named.len() == before {
                let what = format!("{count} addresses not resolved");
                return Err(ProbeError::Record { place, what });
            }
        }
        Ok(named)
    }
}

/// `ext4_sync_file+0x12/0x90 [ext4]` → `ext4_sync_file`; an address without a name is printed as a number.
fn name_of(printed: &str) -> Arc<str> {
    let name = printed.split(['+', ' ']).next().unwrap_or_default();
    if name.is_empty() || name.starts_with("0x") { UNKNOWN_FUNCTION.into() } else { name.into() }
}

/// The functions of `/proc/kallsyms`; nothing where it is missing or hides its addresses.
fn read_kallsyms(host: &Host) -> Vec<(u64, Arc<str>)> {
    let bytes = host.read("/proc/kallsyms").unwrap_or_default();
    parse_kallsyms(&bytes)
}

/// Lines are `address type name [module]`; `t`, `T`, `w` and `W` are functions.
fn parse_kallsyms(bytes: &[u8]) -> Vec<(u64, Arc<str>)> {
    let mut table: Vec<(u64, Arc<str>)> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok().filter(|address| *address != 0)?;
            let kind = words.next()?;
            matches!(kind, "t" | "T" | "w" | "W").then_some(())?;
            Some((address, words.next()?.into()))
        })
        .collect();
    table.sort_by_key(|(address, _)| *address);
    table
}

fn containing(table: &[(u64, Arc<str>)], address: u64) -> Option<Arc<str>> {
    // One byte before, as %pB does: a return address may be past its function's end.
    let after = table.partition_point(|(start, _)| *start < address);
    table.get(after.checked_sub(1)?).map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KALLSYMS: &[u8] =
        b"ffffffff81000000 T _stext\nffffffff81000100 t do_one\nffffffff81000180 D data\n\
        ffffffff81000200 W do_two\t[ext4]\nffffffff81000300 T end\nnonsense\n";

    #[test]
    fn functions_of_a_recorded_kallsyms() {
        let table = parse_kallsyms(KALLSYMS);
        assert_eq!(containing(&table, 0xffff_ffff_8100_0190).as_deref(), Some("do_one"));
        assert_eq!(containing(&table, 0xffff_ffff_8100_0210).as_deref(), Some("do_two"));
        assert_eq!(containing(&table, 0xffff_ffff_8100_0200).as_deref(), Some("do_one"), "a return address");
        assert_eq!(containing(&table, 0x10), None);
    }

    #[test]
    fn hidden_addresses_name_nothing() {
        assert!(parse_kallsyms(b"0000000000000000 T _stext\n0000000000000000 t do_one\n").is_empty());
    }

    #[test]
    fn printed_names_are_bared() {
        for (printed, name) in [
            ("ext4_sync_file+0x12/0x90 [ext4]", "ext4_sync_file"),
            ("do_fsync+0x3c/0x60", "do_fsync"),
            ("0xffffffffdeadbeef", UNKNOWN_FUNCTION),
            ("", UNKNOWN_FUNCTION),
        ] {
            assert_eq!(&*name_of(printed), name);
        }
    }

    #[test]
    fn a_recorded_host_without_kallsyms_answers_unknown() {
        let mut symbols = KernelSymbols::new(&Host::recorded("/nowhere"));
        assert_eq!(&*symbols.resolve(&[1, 2])[1], UNKNOWN_FUNCTION);
    }

    /// Without this the answers would be right and cost ten times as much.
    #[test]
    fn root_is_answered_by_the_kernel_itself() {
        if !heldup_hostfs::is_root() {
            return heldup_skip::skipped("BPF needs root");
        }
        let mut symbols = KernelSymbols::new(&Host::live());
        symbols.resolve(&[1]);
        assert!(symbols.asks_kernel(), "the file was read instead");
    }
}
