//! Which process makes which system calls, and with which error they fail: rows of `system_call`.
//!
//! The BPF half (`bpf/call.bpf.c`) counts returns; this half differences and names them. It must
//! not cost what it looks at: it counts for a fifth of a second at least, then the hook is taken
//! away whenever it has cost more than its share, and put back once that is made up for.

use std::collections::HashMap;

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};
use aya::programs::tp_btf::BtfTracePointLinkId;
use heldup_hostfs::{Host, monotonic_ns};
use heldup_model::tables::SystemCallRow;
use heldup_model::{Form, Record, RowSet, Text};
use nix::errno::Errno;

use crate::error::ProbeError;
use crate::kernel_counters::Counter;
use crate::loader::{Constant, Object, kernel_types};
use crate::map_drain::DrainedMap;
use crate::syscall_names::syscall_name;

pub(crate) const OBJECT: &[u8] =
    aya::include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/call.x86_64.bpf.o"));
const PROGRAM: &str = "on_return";

/// Entries that are read at a time; a hash bucket never has as many.
const AT_A_TIME: usize = 1024;
/// Readings after which an entry that did not move is forgotten: its process is likely gone.
const FORGOTTEN_AFTER: u32 = 60;

/// What a counted call costs, hook and slower way out of the kernel together
/// (docs/decisions/0005-kernel-counters.md).
const NS_A_CALL: u64 = 150;
/// Share of one CPU that counting may cost over time.
const BUDGET: f64 = 0.005;
/// Counting is not worth beginning for less.
const SHORTEST_BURST_NS: u64 = 200_000_000;

/// Running counts; dropping it detaches the program.
pub(crate) struct Calls {
    object: Object,
    attached: Option<Attached>,
    counts: DrainedMap<Key, Count>,
    totals: PerCpuArray<MapData, Totals>,
    before: HashMap<Key, Known>,
    names: HashMap<u16, Text>,
    started_ns: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    tgid: u32,
    call: u16,
    error: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    calls: u64,
    arguments: [u64; 3],
    locked_pages: u64,
    mappings: u32,
    zero: u32,
    name: [u8; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    seen: u64,
    dropped: u64,
}

const _: () = assert!(size_of::<Key>() == 8);
const _: () = assert!(size_of::<Count>() == 64);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Key {}
// SAFETY: as above.
unsafe impl Pod for Count {}
// SAFETY: as above.
unsafe impl Pod for Totals {}

struct Attached {
    link: BtfTracePointLinkId,
    since_ns: u64,
    /// The shortest burst is over, and it was cheap enough to go on.
    looked_after: bool,
}

/// What an entry said when it was read last.
#[derive(Default)]
struct Known {
    calls: u64,
    /// Readings since it moved.
    still: u32,
}

impl Calls {
    /// Loads and attaches the program; counting begins at once. `own_pid` is the machine's
    /// number of this program, whose calls are left out.
    pub(crate) fn start(host: &Host, own_pid: i64) -> Result<Calls, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "system calls" });
        }
        let own = (own_pid as u32).to_ne_bytes();
        let constants = [Constant { name: "own_tgid", bytes: &own }];
        let mut object = Object::open("call.bpf.o", OBJECT, Some(kernel_types()?), &constants)?;
        let counts = DrainedMap::new(object.take_map("counts")?, AT_A_TIME)?;
        let totals = object.take_map("totals")?;
        object.load_trace_point(PROGRAM, "sys_exit")?;
        let attached = Some(attach(&mut object)?);
        let (before, names) = (HashMap::new(), HashMap::new());
        Ok(Calls { object, attached, counts, totals, before, names, started_ns: monotonic_ns() })
    }

    fn totals(&self) -> Totals {
        let per_cpu = self.totals.get(&0, 0);
        per_cpu.map_or_else(
            |_| Totals::default(),
            |cpus| {
                cpus.iter().fold(Totals::default(), |sum, one| Totals {
                    seen: sum.seen + one.seen,
                    dropped: sum.dropped + one.dropped,
                })
            },
        )
    }

    /// Takes the hook away when it has cost more than its share, and puts it back later.
    fn keep_to_the_budget(&mut self) -> Result<(), ProbeError> {
        let now = monotonic_ns();
        let over = is_over_budget(self.totals().seen, now - self.started_ns);
        match self.attached.take() {
            Some(attached) if over && burst_is_over(attached.since_ns, now) => {
                self.object.detach(PROGRAM, attached.link)?;
            }
            None if !over => self.attached = Some(attach(&mut self.object)?),
            unchanged => self.attached = unchanged,
        }
        if let Some(attached) = &mut self.attached {
            attached.looked_after = burst_is_over(attached.since_ns, now);
        }
        Ok(())
    }

    /// Entries that moved since they were read before, with their increase.
    fn changes(&mut self) -> Result<Vec<(Key, u64, Count)>, ProbeError> {
        let mut changed = Vec::new();
        let before = &mut self.before;
        let mut forgotten = Vec::new();
        self.counts.read(|key, values| {
            let now = values[0];
            let known = before.entry(*key).or_default();
            let increase = now.calls - known.calls.min(now.calls);
            known.still = if increase > 0 { 0 } else { known.still + 1 };
            known.calls = now.calls;
            if increase > 0 {
                changed.push((*key, increase, now));
            } else if known.still > FORGOTTEN_AFTER {
                forgotten.push(*key);
            }
        })?;
        for key in forgotten {
            self.counts.remove(&key)?;
            self.before.remove(&key);
        }
        changed.sort_unstable_by_key(|(key, ..)| *key);
        Ok(changed)
    }

    fn name(&mut self, call: u16) -> Text {
        let name = self.names.entry(call);
        name.or_insert_with(|| syscall_name(call).map_or_else(|| call.to_string().into(), Text::from)).clone()
    }
}

impl Counter for Calls {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut set = RowSet::empty(SystemCallRow::DEF, Form::Increases);
        for (key, increase, count) in self.changes()? {
            let syscall = self.name(key.call);
            row(&key, increase, &count, syscall).push_to(&mut set.cells);
            set.len += 1;
        }
        self.keep_to_the_budget()?;
        Ok(set)
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.totals().dropped, "too many processes that make different system calls")
    }

    fn run_time_ns(&self) -> Option<u64> {
        self.object.run_time_ns()
    }

    fn wants_ns(&self) -> Option<u64> {
        self.attached.as_ref().filter(|one| !one.looked_after).map(|one| one.since_ns + SHORTEST_BURST_NS)
    }

    fn look_after(&mut self) -> Result<(), ProbeError> {
        self.keep_to_the_budget()
    }
}

fn attach(object: &mut Object) -> Result<Attached, ProbeError> {
    Ok(Attached { link: object.attach_loaded(PROGRAM)?, since_ns: monotonic_ns(), looked_after: false })
}

/// One that began after `now` was taken has just begun.
fn burst_is_over(since_ns: u64, now_ns: u64) -> bool {
    now_ns.saturating_sub(since_ns) >= SHORTEST_BURST_NS
}

/// Whether so many calls in so long a time have cost more than they may.
fn is_over_budget(calls: u64, elapsed_ns: u64) -> bool {
    (calls * NS_A_CALL) as f64 > BUDGET * elapsed_ns as f64
}

fn row(key: &Key, increase: u64, count: &Count, syscall: Text) -> SystemCallRow {
    let failed = key.error != 0;
    let argument = |index: usize| failed.then(|| count.arguments[index].cast_signed());
    // A process without memory of its own is one of the kernel, or is just ending.
    let with_memory = failed && count.mappings > 0;
    SystemCallRow {
        pid: Some(i64::from(key.tgid)),
        syscall: Some(syscall),
        error_name: failed.then(|| error_name(key.error)),
        name: Some(name_of(&count.name)),
        argument_1: argument(0),
        argument_2: argument(1),
        argument_3: argument(2),
        mappings: with_memory.then(|| i64::from(count.mappings)),
        locked_bytes: with_memory.then(|| (count.locked_pages * page_bytes()).cast_signed()),
        calls: Some(increase.cast_signed()),
    }
}

fn error_name(error: u16) -> Text {
    match Errno::from_raw(i32::from(error)) {
        Errno::UnknownErrno => error.to_string().into(),
        // Two names for one number: the manual pages of these calls say EAGAIN.
        known => format!("{known:?}").into(),
    }
}

fn name_of(bytes: &[u8; 16]) -> Text {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned().into()
}

/// The object is built for x86-64, whose pages have one size.
const fn page_bytes() -> u64 {
    4096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_that_began_a_moment_ago_is_not_over() {
        assert!(!burst_is_over(1_000, 999));
        assert!(burst_is_over(1_000, 1_000 + SHORTEST_BURST_NS));
    }

    #[test]
    fn a_failed_call_says_with_what() {
        let key = Key { tgid: 7, call: 29, error: 28 };
        let count = Count {
            calls: 9,
            arguments: [5, 1 << 40, u64::MAX],
            locked_pages: 2,
            mappings: 31,
            name: *b"oracle\0\0\0\0\0\0\0\0\0\0",
            ..Count::default()
        };
        let row = row(&key, 4, &count, "shmget".into());
        assert_eq!(row.error_name.as_deref(), Some("ENOSPC"));
        assert_eq!((row.argument_2, row.argument_3), (Some(1 << 40), Some(-1)));
        assert_eq!((row.calls, row.mappings, row.locked_bytes), (Some(4), Some(31), Some(8192)));
        assert_eq!(row.name.as_deref(), Some("oracle"));
    }

    #[test]
    fn a_call_that_succeeded_has_no_error_and_no_arguments() {
        let row = row(&Key { tgid: 7, call: 0, error: 0 }, 4, &Count::default(), "read".into());
        assert_eq!((row.error_name, row.argument_1, row.mappings), (None, None, None));
    }

    #[test]
    fn errors_have_the_names_of_the_manual() {
        let names =
            [(1, "EPERM"), (11, "EAGAIN"), (12, "ENOMEM"), (24, "EMFILE"), (28, "ENOSPC"), (511, "511")];
        for (error, name) in names {
            assert_eq!(&*error_name(error), name);
        }
    }

    #[test]
    fn counting_rests_until_its_share_is_made_up_for() {
        let second = 1_000_000_000;
        assert!(!is_over_budget(10_000, second));
        assert!(is_over_budget(1_000_000, second));
        assert!(is_over_budget(1_000_000, 29 * second));
        assert!(!is_over_budget(1_000_000, 31 * second));
    }

    #[test]
    fn a_recorded_host_makes_no_calls() {
        let error = Calls::start(&Host::recorded("/nowhere"), 1).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
