//! Which process makes which system calls, and with which error they fail: rows of `system_call`.
//!
//! The BPF half (`bpf/call.bpf.c`) counts returns; this half differences and names them. It must
//! not cost what it looks at: what a counted call costs on this machine is measured at the start,
//! the hook is taken away whenever that has come to more than its share, and put back once it is
//! made up for (`call_budget.rs`).

use std::collections::HashMap;

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};
use aya::programs::tp_btf::BtfTracePointLinkId;
use heldup_hostfs::{Host, monotonic_ns, own_pid};
use heldup_model::tables::SystemCallRow;
use heldup_model::{Form, Record, RowSet, Text};
use nix::errno::Errno;

use crate::call_budget::{Burst, CallBudget, SHORTEST_BURST_NS};
use crate::counter::Counter;
use crate::error::ProbeError;
use crate::loader::Object;
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;
use crate::syscall_names::syscall_name;

const PROGRAM: &str = "on_return";

/// Entries that are read at a time; a hash bucket never has as many.
const AT_A_TIME: usize = 1024;

/// Calls that may stay in the map: half of its entries (`CALL_ENTRIES` in bpf/call.h), should each be of another.
const MAY_STAY: u64 = 8_192;

/// Names of processes that are remembered.
const NAMES_REMEMBERED: usize = 4_096;

/// Calls of our own that are clocked at a time, and how often: the quickest counts, because
/// whatever comes between only adds. Both together take 0.2 ms.
const CLOCKED_CALLS: u64 = 64;
const CLOCKED_TIMES: usize = 8;

/// Running counts; dropping it detaches the program.
pub(crate) struct Calls {
    object: Object,
    attached: Option<Attached>,
    counts: DrainedMap<Key, Count>,
    totals: PerCpuArray<MapData, Totals>,
    /// What had been counted when the map was emptied last.
    seen: Totals,
    /// How long the hook was there since then, up to when it was taken away last.
    counted_ns: u64,
    names: HashMap<u16, Text>,
    /// Names of processes: mostly the same each time.
    processes: HashMap<[u8; 16], Text>,
    started_ns: u64,
    budget: CallBudget,
    /// The machine's number of this program, whose calls are left out of the rows.
    own_tgid: u32,
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
    /// Up to when its time is in `counted_ns`.
    told_ns: u64,
    /// Calls that had been counted before.
    seen_before: u64,
    /// When to look whether it has cost too much; none while it may go on for ever.
    look_ns: Option<u64>,
}

impl Calls {
    /// Loads and attaches the program; counting begins at once. `own_pid` is the machine's
    /// number of this program, whose calls are left out.
    pub(crate) fn start(host: &Host, own_pid: i64) -> Result<Calls, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "system calls" });
        }
        let mut object = Object::open("call.bpf.o", objects::CALL, Some(kernel_types()?), &[])?;
        let counts = DrainedMap::new(object.take_map("counts")?, AT_A_TIME)?;
        let totals = object.take_map("totals")?;
        object.load_trace_point(PROGRAM, "sys_exit")?;
        let plain_ns = quickest_own_call_ns();
        let attached = Some(attach(&mut object, 0)?);
        let budget = CallBudget::measured(plain_ns, quickest_own_call_ns());
        object.learn_untimed(|| {
            quickest_own_call_ns();
        });
        let (started_ns, own_tgid) = (monotonic_ns(), own_pid as u32);
        Ok(Calls {
            object,
            attached,
            counts,
            totals,
            seen: Totals::default(),
            counted_ns: 0,
            names: HashMap::new(),
            processes: HashMap::new(),
            started_ns,
            budget,
            own_tgid,
        })
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
    fn keep_to_the_budget(&mut self, seen: u64) -> Result<(), ProbeError> {
        let now = monotonic_ns();
        let elapsed_ns = now.saturating_sub(self.started_ns);
        let used_up = self.budget.is_used_up(seen, elapsed_ns);
        match self.attached.take() {
            Some(attached) if used_up => {
                self.object.detach(PROGRAM, attached.link)?;
                self.counted_ns += monotonic_ns().saturating_sub(attached.told_ns);
            }
            None if !used_up => self.attached = Some(attach(&mut self.object, seen)?),
            Some(mut attached) => {
                let burst = Burst {
                    calls: seen.saturating_sub(attached.seen_before),
                    ns: now.saturating_sub(attached.since_ns),
                };
                let lasts_ns = self.budget.lasts_ns(seen, elapsed_ns, burst);
                attached.look_ns = lasts_ns.map(|lasts_ns| now.saturating_add(lasts_ns));
                self.attached = Some(attached);
            }
            None => {}
        }
        Ok(())
    }

    /// Takes what was counted since the reading before out of the map. What stays would be read again
    /// each second, also of processes that have ended, which beside compiles was half of what
    /// each second cost. A call that is just being counted while its entry is taken may be lost.
    fn take(&mut self) -> Result<Vec<(Key, Count)>, ProbeError> {
        let (before, own_tgid) = (self.seen.seen, self.own_tgid);
        self.seen = self.totals();
        let mut taken = Vec::new();
        if self.seen.seen != before {
            self.counts.drain(|key, count| {
                if key.tgid != own_tgid && count.calls > 0 {
                    taken.push((*key, *count));
                }
            })?;
        }
        taken.sort_unstable_by_key(|(key, _)| *key);
        Ok(taken)
    }

    /// How long calls were counted since this was asked last.
    fn take_counted_ns(&mut self) -> u64 {
        let now = monotonic_ns();
        let open_ns = self
            .attached
            .as_mut()
            .map_or(0, |attached| now.saturating_sub(std::mem::replace(&mut attached.told_ns, now)));
        std::mem::take(&mut self.counted_ns) + open_ns
    }

    fn name(&mut self, call: u16) -> Text {
        let name = self.names.entry(call);
        name.or_insert_with(|| syscall_name(call).map_or_else(|| call.to_string().into(), Text::from)).clone()
    }
}

impl Counter for Calls {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut set = RowSet::empty(SystemCallRow::DEF, Form::Increases);
        let taken = self.take()?;
        let counted_s = self.take_counted_ns() as f64 / 1e9;
        for (key, count) in taken {
            let syscall = self.name(key.call);
            let name = self.processes.entry(count.name).or_insert_with(|| name_of(&count.name)).clone();
            row(&key, &count, syscall, name, counted_s).push_to(&mut set.cells);
            set.len += 1;
        }
        if self.processes.len() > NAMES_REMEMBERED {
            self.processes.clear();
        }
        self.keep_to_the_budget(self.seen.seen)?;
        Ok(set)
    }

    /// The kernel walks through all of the map to empty it, which takes longer than to read what is in it.
    fn may_rest(&mut self) -> bool {
        let seen = self.totals().seen;
        // What goes wrong with the hook is reported by the sample that follows.
        seen.saturating_sub(self.seen.seen) < MAY_STAY && self.keep_to_the_budget(seen).is_ok()
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.seen.dropped, "too many processes with different system calls")
    }

    fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }

    fn wants_ns(&self) -> Option<u64> {
        self.attached.as_ref().and_then(|attached| attached.look_ns)
    }

    fn look_after(&mut self) -> Result<(), ProbeError> {
        self.keep_to_the_budget(self.totals().seen)
    }
}

fn attach(object: &mut Object, seen_before: u64) -> Result<Attached, ProbeError> {
    let link = object.attach_loaded(PROGRAM)?;
    let since_ns = monotonic_ns();
    Ok(Attached {
        link,
        since_ns,
        told_ns: since_ns,
        seen_before,
        look_ns: Some(since_ns + SHORTEST_BURST_NS),
    })
}

/// What the quickest system call of our own takes.
fn quickest_own_call_ns() -> u64 {
    let clocked = (0..CLOCKED_TIMES).map(|_| {
        let began = monotonic_ns();
        (0..CLOCKED_CALLS).for_each(|_| {
            std::hint::black_box(own_pid());
        });
        (monotonic_ns() - began) / CLOCKED_CALLS
    });
    clocked.min().unwrap_or(0)
}

fn row(key: &Key, count: &Count, syscall: Text, name: Text, counted_s: f64) -> SystemCallRow {
    let failed = key.error != 0;
    let argument = |index: usize| failed.then(|| count.arguments[index].cast_signed());
    // A process without memory of its own is one of the kernel, or is just ending.
    let with_memory = failed && count.mappings > 0;
    SystemCallRow {
        pid: Some(i64::from(key.tgid)),
        syscall: Some(syscall),
        error_name: failed.then(|| error_name(key.error)),
        name: Some(name),
        argument_1: argument(0),
        argument_2: argument(1),
        argument_3: argument(2),
        mappings: with_memory.then(|| i64::from(count.mappings)),
        locked_bytes: with_memory.then(|| (count.locked_pages * page_bytes()).cast_signed()),
        calls: Some(count.calls.cast_signed()),
        seconds: None,
        counted_s: Some(counted_s),
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
    fn a_failed_call_says_with_what() {
        let key = Key { tgid: 7, call: 29, error: 28 };
        let count = Count {
            calls: 4,
            arguments: [5, 1 << 40, u64::MAX],
            locked_pages: 2,
            mappings: 31,
            name: *b"oracle\0\0\0\0\0\0\0\0\0\0",
            ..Count::default()
        };
        let row = row(&key, &count, "shmget".into(), name_of(&count.name), 1.0);
        assert_eq!(row.error_name.as_deref(), Some("ENOSPC"));
        assert_eq!((row.argument_2, row.argument_3), (Some(1 << 40), Some(-1)));
        assert_eq!((row.calls, row.mappings, row.locked_bytes), (Some(4), Some(31), Some(8192)));
        assert_eq!(row.name.as_deref(), Some("oracle"));
    }

    #[test]
    fn a_call_that_succeeded_has_no_error_and_no_arguments() {
        let row =
            row(&Key { tgid: 7, call: 0, error: 0 }, &Count::default(), "read".into(), "cat".into(), 1.0);
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
    fn half_of_the_map_may_fill_while_it_rests() {
        let header = include_str!("../../../bpf/call.h");
        assert!(header.contains(&format!("#define CALL_ENTRIES {}", 2 * MAY_STAY)), "{MAY_STAY}");
    }

    #[test]
    fn a_recorded_host_makes_no_calls() {
        let error = Calls::start(&Host::recorded("/nowhere"), 1).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
