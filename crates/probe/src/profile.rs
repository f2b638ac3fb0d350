//! Samples of what runs on the CPUs: which task, in which mode, in which call, with which stacks.
//!
//! A clock event on every CPU, 49 times a second: prime to the 100, 250 and 1000 Hz that
//! other timers have, so that work in step with them is neither missed nor always hit.
//! The BPF half (`bpf/profile.bpf.c`) counts; this half names and makes rows of `stack`.
//! The event also fires on idle CPUs, where it is counted and dropped; what that costs
//! stands in docs/decisions/0003-stacks-and-samples.md.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};
use aya::programs::PerfEvent;
use aya::programs::perf_event::{PerfEventConfig, PerfEventScope, SamplePolicy, SoftwareEvent};
use heldup_hostfs::{Host, own_pid};
use heldup_model::tables::StackRow;
use heldup_model::{Class, Form, Record, RowSet, Text};

use crate::error::ProbeError;
use crate::kernel_symbols::{KernelSymbols, UNKNOWN_FUNCTION};
use crate::loader::{Constant, Object, refused};
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;
use crate::pid_namespace::processes;
use crate::syscall_names::syscall_name;
use crate::task_cgroup::cgroup_of;
use crate::user_symbols::UserSymbols;

const PROGRAM: &str = "on_sample";

/// The sizes of bpf/profile.h.
const KEYS: usize = 8192;
const STACKS: usize = 4096;
const FRAMES: usize = 48;

/// Interrupts a second that all CPUs together may be given: 15 ms of CPU.
const INTERRUPTS_A_SECOND: u64 = 3000;
/// Rates for hosts with many CPUs.
const LOWER_RATES: [u32; 5] = [29, 19, 11, 7, 3];

/// Stacks that are remembered between two calls of [`Profile::stacks`].
const STACKS_REMEMBERED: usize = 4 * STACKS;

/// What can be chosen about the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileOptions {
    /// Samples a second on each CPU; fewer on hosts with many CPUs.
    pub hertz: u32,
    /// How the kernel numbers this program ([`crate::Ledger::own_pid`]), which is left out.
    pub own_pid: i64,
}

impl Default for ProfileOptions {
    fn default() -> ProfileOptions {
        ProfileOptions { hertz: 49, own_pid: own_pid() }
    }
}

/// How many samples there were since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileCounts {
    /// Of running tasks, this program left out.
    pub samples: u64,
    /// Of idle CPUs.
    pub idle: u64,
    /// Of this program itself.
    pub own: u64,
    /// Samples whose task and stacks did not fit into the map.
    pub samples_dropped: u64,
    /// Stacks that did not fit into the map; their samples count, without functions.
    pub stacks_dropped: u64,
}

/// Running samples; dropping it ends them.
pub struct Profile {
    processes: Host,
    object: Object,
    hertz: u32,
    counts: DrainedMap<Key, Count>,
    stacks: DrainedMap<u64, Stack>,
    totals: PerCpuArray<MapData, Totals>,
    frames: HashMap<u64, Vec<u64>>,
    kernel: KernelSymbols,
    user: UserSymbols,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    tid: u32,
    tgid: u32,
    kernel_stack: u64,
    user_stack: u64,
    call: u16,
    kernel_mode: u8,
    kernel_thread: u8,
    zero: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    samples: u64,
    comm: [u8; 16],
    process: [u8; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Stack {
    frames: u64,
    addresses: [u64; FRAMES],
}

impl Default for Stack {
    fn default() -> Stack {
        Stack { frames: 0, addresses: [0; FRAMES] }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    samples: u64,
    idle: u64,
    own: u64,
    keys_dropped: u64,
    stacks_dropped: u64,
}

const _: () = assert!(size_of::<Key>() == 32);
const _: () = assert!(size_of::<Count>() == 40);
const _: () = assert!(size_of::<Stack>() == 8 + 8 * FRAMES);
const _: () = assert!(size_of::<Totals>() == 40);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Key {}
// SAFETY: as above.
unsafe impl Pod for Count {}
// SAFETY: as above.
unsafe impl Pod for Stack {}
// SAFETY: as above.
unsafe impl Pod for Totals {}

/// Stacks as text, by their hash; user stacks also by their process.
struct Names {
    kernel: HashMap<u64, Text>,
    user: HashMap<(u32, u64), Option<Text>>,
}

/// What makes two samples the same row.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Row {
    tid: u32,
    class: Class,
    call: u16,
    kernel_stack: Option<Text>,
    user_stack: Option<Text>,
}

impl Profile {
    /// Loads the program and attaches it to a clock of every CPU that is online.
    pub fn start(host: &Host, options: ProfileOptions) -> Result<Profile, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "CPU samples" });
        }
        let own = (options.own_pid as u32).to_ne_bytes();
        let constants = [Constant { name: "own_tgid", bytes: &own }];
        let mut object = Object::open("profile", objects::PROFILE, Some(kernel_types()?), &constants)?;
        let counts = DrainedMap::new(object.take_map("counts")?, KEYS)?;
        let stacks = DrainedMap::new(object.take_map("stacks")?, STACKS)?;
        let totals = object.take_map("totals")?;
        let cpus = cpus(host)?;
        let hertz = affordable(options.hertz, cpus.len());
        attach_to_every_cpu(&cpus, &mut object, hertz)?;
        let processes = processes(host, options.own_pid);
        Ok(Profile {
            processes: processes.clone(),
            object,
            hertz,
            counts,
            stacks,
            totals,
            frames: HashMap::new(),
            kernel: KernelSymbols::new(host),
            user: UserSymbols::new(&processes),
        })
    }

    /// Rows of `stack` of kind `cpu`: the samples since the start or the call before.
    ///
    /// `seconds` is the number of samples divided by the rate. A task has a row for each
    /// class (user, kernel), call and pair of stacks.
    pub fn stacks(&mut self) -> Result<RowSet, ProbeError> {
        let mut counted: Vec<(Key, Count)> = Vec::new();
        // Counts first: a stack that comes between is then known at the next call.
        self.counts.drain(|key, count| counted.push((*key, *count)))?;
        if self.frames.len() > STACKS_REMEMBERED {
            self.frames.clear();
        }
        let frames = &mut self.frames;
        self.stacks.drain(|hash, stack| {
            let used = (stack.frames as usize).min(FRAMES);
            frames.insert(*hash, stack.addresses[..used].to_vec());
        })?;
        counted.sort_by_key(|(key, count)| (u64::MAX - count.samples, key.tid));
        let names = self.name_stacks(&counted);
        let mut rows: HashMap<Row, (Key, Count)> = HashMap::new();
        for (key, count) in counted {
            let row = Row {
                tid: key.tid,
                class: if key.kernel_mode == 1 { Class::Kernel } else { Class::User },
                call: key.call,
                kernel_stack: names.kernel.get(&key.kernel_stack).cloned(),
                user_stack: names.user.get(&(key.tgid, key.user_stack)).cloned().flatten(),
            };
            rows.entry(row).and_modify(|(_, sum)| sum.samples += count.samples).or_insert((key, count));
        }
        Ok(self.row_set(rows))
    }

    /// Why some user functions have no name although their file has symbols, where that is so.
    pub fn names_cut(&self) -> Option<&str> {
        self.user.cut()
    }

    /// Another window begins: what processes have loaded is looked up anew.
    pub fn next_window(&mut self) {
        self.user.next_window();
    }

    /// How many samples there were, and how many could not be kept.
    pub fn counts(&self) -> Result<ProfileCounts, ProbeError> {
        let place = "counts of samples";
        let per_cpu =
            self.totals.get(&0, 0).map_err(|error| ProbeError::Record { place, what: error.to_string() })?;
        let mut sum = ProfileCounts::default();
        for totals in per_cpu.iter() {
            sum.samples += totals.samples;
            sum.idle += totals.idle;
            sum.own += totals.own;
            sum.samples_dropped += totals.keys_dropped;
            sum.stacks_dropped += totals.stacks_dropped;
        }
        Ok(sum)
    }

    /// Time that the eBPF program took.
    pub fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }

    /// All stacks at once: naming costs a system call, or a pass through a file, each time.
    fn name_stacks(&mut self, counted: &[(Key, Count)]) -> Names {
        let mut seen = HashSet::new();
        let kernel: Vec<(u64, &[u64])> = counted
            .iter()
            .map(|(key, _)| key.kernel_stack)
            .filter(|stack| seen.insert(*stack))
            .filter_map(|stack| Some((stack, self.frames.get(&stack)?.as_slice())))
            .collect();
        let addresses: Vec<u64> = kernel.iter().flat_map(|(_, frames)| frames.iter().copied()).collect();
        self.kernel.resolve(&addresses);
        let kernel =
            kernel.iter().map(|(stack, frames)| (*stack, outermost_first(&self.kernel.resolve(frames))));

        let mut seen = HashSet::new();
        let user: Vec<((u32, u64), &[u64])> = counted
            .iter()
            .map(|(key, _)| (key.tgid, key.user_stack))
            .filter(|pair| seen.insert(*pair))
            .filter_map(|pair| Some((pair, self.frames.get(&pair.1)?.as_slice())))
            .collect();
        let asked: Vec<(i64, &[u64])> =
            user.iter().map(|((pid, _), frames)| (i64::from(*pid), *frames)).collect();
        let answered = self.user.resolve(&asked);
        // Of a process that has ended nothing is known: NULL, rather than a tower of unknowns.
        let known = |names: &[Arc<str>]| names.iter().any(|name| &**name != UNKNOWN_FUNCTION);
        let user = user.iter().zip(&answered);
        Names {
            kernel: kernel.collect(),
            user: user
                .map(|((pair, _), names)| (*pair, known(names).then(|| outermost_first(names))))
                .collect(),
        }
    }

    fn row_set(&self, rows: HashMap<Row, (Key, Count)>) -> RowSet {
        let mut cgroups: HashMap<u32, Option<Text>> = HashMap::new();
        let mut rows: Vec<(Row, (Key, Count))> = rows.into_iter().collect();
        rows.sort_by(|(a, (_, x)), (b, (_, y))| {
            (y.samples, a.tid, &a.user_stack, &a.kernel_stack).cmp(&(
                x.samples,
                b.tid,
                &b.user_stack,
                &b.kernel_stack,
            ))
        });
        let mut set = RowSet::empty(StackRow::DEF, Form::Increases);
        for (row, (key, count)) in rows {
            let cgroup =
                cgroups.entry(key.tgid).or_insert_with(|| cgroup_of(&self.processes, key.tgid)).clone();
            StackRow {
                kind: Some("cpu".into()),
                tid: Some(key.tid.into()),
                pid: Some(key.tgid.into()),
                name: text_of(&count.comm),
                process_name: text_of(&count.process),
                kernel_thread: Some(key.kernel_thread == 1),
                cgroup,
                class_name: Some(row.class.name().into()),
                kernel_stack: row.kernel_stack,
                user_stack: row.user_stack,
                syscall: syscall_name(row.call).map(Into::into),
                seconds: Some(count.samples as f64 / f64::from(self.hertz)),
                samples: Some(count.samples as i64),
                ..StackRow::default()
            }
            .push_to(&mut set.cells);
            set.len += 1;
        }
        set
    }
}

fn attach_to_every_cpu(cpus: &[u32], object: &mut Object, hertz: u32) -> Result<(), ProbeError> {
    let program: &mut PerfEvent =
        object.program(PROGRAM)?.try_into().map_err(|error| refused(PROGRAM, &error))?;
    program.load().map_err(|error| refused(PROGRAM, &error))?;
    let mut attached = 0;
    let mut last = None;
    for &cpu in cpus {
        let clock = PerfEventConfig::Software(SoftwareEvent::CpuClock);
        let scope = PerfEventScope::AllProcessesOneCpu { cpu };
        match program.attach(clock, scope, SamplePolicy::Frequency(hertz.into()), false) {
            Ok(_) => attached += 1,
            // A CPU that is offline, or goes so just now.
            Err(error) => last = Some(refused(PROGRAM, &error)),
        }
    }
    match last {
        Some(error) if attached == 0 => Err(error),
        _ => Ok(()),
    }
}

/// The rate that was asked for, or the highest of the lower ones that so many CPUs allow.
fn affordable(hertz: u32, cpus: usize) -> u32 {
    let fits = |rate: &u32| u64::from(*rate) * cpus as u64 <= INTERRUPTS_A_SECOND;
    let lower = LOWER_RATES.into_iter().filter(|rate| *rate < hertz);
    std::iter::once(hertz.max(1)).chain(lower).find(fits).unwrap_or(1)
}

/// Numbers of the CPUs that exist, online or not.
fn cpus(host: &Host) -> Result<Vec<u32>, ProbeError> {
    let names = host.list("/sys/devices/system/cpu")?;
    Ok(names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect())
}

fn outermost_first(names: &[Arc<str>]) -> Text {
    let names: Vec<&str> = names.iter().rev().map(|name| &**name).collect();
    names.join(";").into()
}

/// A name of the kernel's 16 bytes, up to the NUL.
fn text_of(comm: &[u8; 16]) -> Option<Text> {
    let end = comm.iter().position(|byte| *byte == 0).unwrap_or(comm.len());
    (end > 0).then(|| String::from_utf8_lossy(&comm[..end]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_joined_outermost_first() {
        let names: Vec<Arc<str>> = ["read", "vfs_read", "do_syscall_64"].map(Arc::from).into();
        assert_eq!(&*outermost_first(&names), "do_syscall_64;vfs_read;read");
    }

    #[test]
    fn many_cpus_are_sampled_less_often() {
        for (asked, cpus, given) in
            [(49, 2, 49), (49, 61, 49), (49, 62, 29), (49, 128, 19), (49, 4096, 1), (499, 2, 499), (0, 2, 1)]
        {
            assert_eq!(affordable(asked, cpus), given, "{asked} Hz on {cpus} CPUs");
        }
    }

    #[test]
    fn names_end_at_nul() {
        assert_eq!(text_of(b"bash\0\0\0\0\0\0\0\0\0\0\0\0").as_deref(), Some("bash"));
        assert_eq!(text_of(&[b'x'; 16]).as_deref(), Some("xxxxxxxxxxxxxxxx"));
        assert_eq!(text_of(&[0; 16]), None);
    }

    #[test]
    fn a_recorded_host_cannot_be_sampled() {
        let error = Profile::start(&Host::recorded("/nowhere"), ProfileOptions::default()).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
