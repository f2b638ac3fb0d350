//! Who keeps account of time: eBPF where it is allowed, samples and the scheduler's counters elsewhere.

use std::collections::HashMap;

use heldup_hostfs::{Host, monotonic_ns, realtime_ms, thread_cpu_ns};
use heldup_model::{Class, Flaw, Method, Missing, RowChanges, RowSet, increase};
use heldup_probe::{
    KERNEL_NEEDED, KernelCounters, Ledger, LedgerOptions, LedgerReading, ProbeError, Profile, ProfileOptions,
    ProgramTime, Sampling, WhoRan,
};
use heldup_sources::delays::{self, ProcessLabels};
use heldup_sources::{SampleKind, proc_pid_task};

use crate::error::{Context, Result};
use crate::request::MethodChoice;

/// The account of time over a window.
pub enum Accounts {
    /// Every switch seen.
    Ebpf(Box<EbpfAccounts>),
    /// The scheduler's counters, and samples of what threads wait for.
    Sampling(SamplingAccounts),
    /// The scheduler's counters.
    Delays(DelayAccounts),
}

/// The thread that looks at all others, and the source of the table `thread`.
pub struct SamplingAccounts {
    sampling: Sampling,
    threads: proc_pid_task::ProcPidTask,
    untold: Vec<Class>,
    /// What the last reading could not see.
    missing: Vec<Missing>,
    /// What was seen of waits, at the end.
    stacks: Option<RowSet>,
}

/// The ledger and the on-CPU samples.
pub struct EbpfAccounts {
    ledger: Ledger,
    profile: Option<Profile>,
    coverage: f64,
    /// Ends of tasks that were lost, as of the last reading and of the last window.
    ends_lost: u64,
    ends_told: u64,
}

/// The counters of each thread, and their last reading.
pub struct DelayAccounts {
    threads: proc_pid_task::ProcPidTask,
    /// Totals of the last reading, and when it was made.
    before: Option<(u64, RowSet)>,
    /// Not read again before this, so that thousands of threads cost no more than
    /// [`DELAYS_BUDGET`].
    next_ns: u64,
    /// Classes that are told only where the kernel counts delays, and it does not.
    untold: Vec<Class>,
}

/// What delay accounting tells.
const BY_DELAYS: [Class; 3] = [Class::DiskRead, Class::DiskWrite, Class::MemSwapIn];

/// Share of one CPU that the reading of all threads may cost: 30 µs a thread are 1 % of a
/// second for 300 of them.
const DELAYS_BUDGET: f64 = 0.01;

/// Rows of one sample, and what was missing or wrong on the way.
#[derive(Default)]
pub struct Sampled {
    /// Rows, ready to be stamped or still running totals.
    pub rows: Vec<RowSet>,
    /// Rows of `task_time` by what changed since the reading before.
    pub changes: Option<RowChanges>,
    /// Who lives and who ran, where a ledger was followed.
    pub who: Option<WhoRan>,
    /// Length of the interval that they cover, where it is not that of the sample.
    pub secs: Option<f64>,
    /// What was not there.
    pub missing: Vec<Missing>,
    /// What went wrong.
    pub flaws: Vec<Flaw>,
}

impl Accounts {
    /// Opens the best time accounting that choice, machine and rights allow; notes what it does not measure.
    /// With a command, the tasks that this program starts from now on are marked as it.
    pub fn open(
        host: &Host,
        choice: MethodChoice,
        with_command: bool,
        missing: &mut Vec<Missing>,
    ) -> Result<Accounts> {
        if choice == MethodChoice::Delays {
            missing.push(not_exact("--method delays was given", "leave out --method"));
            return Ok(Accounts::delays());
        }
        if choice == MethodChoice::Sampling {
            missing.push(not_exact("--method sampling was given", "leave out --method"));
            return Accounts::sampling(host, with_command).context("cannot sample threads");
        }
        match Ledger::start(host, LedgerOptions { with_command, ..LedgerOptions::default() }) {
            Ok(ledger) => {
                missing.extend(ledger.namespace());
                let profile = profile(host, ledger.own_pid(), missing);
                let accounts = EbpfAccounts { ledger, profile, coverage: 1.0, ends_lost: 0, ends_told: 0 };
                Ok(Accounts::Ebpf(Box::new(accounts)))
            }
            Err(error) if choice == MethodChoice::Ebpf => {
                let needs = format!("the eBPF ledger {KERNEL_NEEDED}, and root (see `heldup doctor`)");
                Err(error).context(needs)
            }
            Err(error) => {
                missing.push(not_exact(&error.to_string(), "see `heldup doctor`"));
                Ok(Accounts::sampling(host, with_command).unwrap_or_else(|_| Accounts::delays()))
            }
        }
    }

    /// Opens the time accounting of a recorder: without CPU samples, whose stacks and names
    /// cost more than all the rest, and by the kernel's counters where eBPF is not allowed, unless samples are asked for.
    pub fn open_to_record(host: &Host, choice: MethodChoice, missing: &mut Vec<Missing>) -> Result<Accounts> {
        if matches!(choice, MethodChoice::Delays | MethodChoice::Sampling) {
            return Accounts::open(host, choice, false, missing);
        }
        match Ledger::start(host, LedgerOptions::default()) {
            Ok(ledger) => {
                missing.extend(ledger.namespace());
                let accounts =
                    EbpfAccounts { ledger, profile: None, coverage: 1.0, ends_lost: 0, ends_told: 0 };
                Ok(Accounts::Ebpf(Box::new(accounts)))
            }
            Err(error) if choice == MethodChoice::Ebpf => {
                Err(error).context(format!("the eBPF ledger {KERNEL_NEEDED}, and root"))
            }
            Err(error) => {
                missing.push(not_exact(&error.to_string(), "see `heldup doctor`"));
                Ok(Accounts::delays())
            }
        }
    }

    fn sampling(host: &Host, with_command: bool) -> Result<Accounts, ProbeError> {
        Ok(Accounts::Sampling(SamplingAccounts {
            sampling: Sampling::start(host, with_command)?,
            threads: proc_pid_task::ProcPidTask::default(),
            untold: Vec::new(),
            missing: Vec::new(),
            stacks: None,
        }))
    }

    fn delays() -> Accounts {
        Accounts::Delays(DelayAccounts {
            threads: proc_pid_task::ProcPidTask::default(),
            before: None,
            next_ns: 0,
            untold: Vec::new(),
        })
    }

    /// The kernel's own counters beside it, as far as they can be had where it can.
    pub fn counters(&self, host: &Host, missing: &mut Vec<Missing>) -> KernelCounters {
        match self.method() {
            Method::Ebpf => KernelCounters::start(host, self.own_pid(), missing),
            Method::Sampling => KernelCounters::without_programs(host, missing),
            _ => KernelCounters::none(),
        }
    }

    /// How time is accounted for.
    pub fn method(&self) -> Method {
        match self {
            Accounts::Ebpf(_) => Method::Ebpf,
            Accounts::Sampling(_) => Method::Sampling,
            Accounts::Delays(_) => Method::Delays,
        }
    }

    /// What the account's own readings are called in `source_cost`. What its own threads do
    /// beside them (sampling) is not in there.
    pub fn name(&self) -> &'static str {
        match self {
            Accounts::Ebpf(_) => "ledger",
            Accounts::Sampling(_) => "sampling",
            Accounts::Delays(_) => "delays",
        }
    }

    /// Process id of this program in the rows of the account.
    pub fn own_pid(&self) -> i64 {
        match self {
            Accounts::Ebpf(ebpf) => ebpf.ledger.own_pid(),
            Accounts::Sampling(_) | Accounts::Delays(_) => heldup_hostfs::own_pid(),
        }
    }

    /// Share of the task time that was seen as it happened.
    pub fn coverage(&self) -> f64 {
        match self {
            Accounts::Ebpf(ebpf) => ebpf.coverage,
            // Switches are counted by the kernel itself: nothing is lost, only less is told apart.
            Accounts::Sampling(_) | Accounts::Delays(_) => 1.0,
        }
    }

    /// Classes that could not be told apart here, beside those that the method never can.
    pub fn untold(&self) -> Vec<Class> {
        match self {
            Accounts::Sampling(sampling) => sampling.untold.clone(),
            Accounts::Delays(delays) => delays.untold.clone(),
            Accounts::Ebpf(_) => Vec::new(),
        }
    }

    /// Time that the eBPF programs took.
    pub fn program_time(&self) -> ProgramTime {
        match self {
            Accounts::Ebpf(ebpf) => {
                let samples = ebpf.profile.as_ref().map(Profile::program_time);
                ebpf.ledger.program_time() + samples.unwrap_or_default()
            }
            Accounts::Sampling(_) | Accounts::Delays(_) => ProgramTime::default(),
        }
    }

    /// One reading; the last one of a window is made in any case.
    pub fn sample(&mut self, host: &Host, kind: SampleKind) -> Result<Sampled> {
        match self {
            Accounts::Ebpf(ebpf) => {
                let reading = match kind {
                    // Threads are kept once for a window: from its ends.
                    SampleKind::Middle => ebpf.ledger.read_without_threads(),
                    SampleKind::First | SampleKind::Turn | SampleKind::Last => ebpf.ledger.read(),
                };
                let reading = ebpf.note(reading)?;
                Ok(Sampled { rows: reading.rows, ..Sampled::default() })
            }
            Accounts::Sampling(sampling) => Ok(sampling.sample(host, kind)),
            Accounts::Delays(delays) => {
                Ok(delays.sample(host, matches!(kind, SampleKind::Turn | SampleKind::Last)))
            }
        }
    }

    /// One reading of those that follow each other in a recorder; with `changes` rows of `task_time`
    /// are told by what changed since the one before, where that is known.
    pub fn follow(&mut self, host: &Host, kind: SampleKind, changes: bool) -> Result<Sampled> {
        let Accounts::Ebpf(ebpf) = self else { return self.sample(host, kind) };
        let reading = ebpf.ledger.follow(kind != SampleKind::Middle, changes);
        let LedgerReading { rows, changes, who, .. } = ebpf.note(reading)?;
        let who = (kind != SampleKind::First).then_some(who);
        Ok(Sampled { rows, changes, who, ..Sampled::default() })
    }

    /// Time that user tasks were held up since the last window ended, in nanoseconds, as far as stacks of this one tell.
    pub fn waiting_ns(&self) -> u64 {
        match self {
            Accounts::Ebpf(ebpf) => ebpf.ledger.waiting_ns(),
            Accounts::Sampling(_) | Accounts::Delays(_) => 0,
        }
    }

    /// Takes back rows of a reading that have been kept elsewhere.
    pub fn give_back(&mut self, rows: RowSet) {
        if let Accounts::Ebpf(ebpf) = self {
            ebpf.ledger.give_back(rows);
        }
    }

    /// What is known only at the end of a window: stacks. What follows is another window.
    pub fn finish_window(&mut self) -> Sampled {
        let mut sampled = Sampled::default();
        if let Accounts::Sampling(sampling) = self {
            sampled.missing = std::mem::take(&mut sampling.missing);
            sampled.rows.extend(sampling.stacks.take());
        }
        if let Accounts::Ebpf(ebpf) = self {
            sampled.rows.push(ebpf.ledger.stacks());
            match ebpf.profile.as_mut().map(Profile::stacks) {
                Some(Ok(rows)) => sampled.rows.push(rows),
                Some(Err(error)) => {
                    sampled.flaws.push(Flaw { place: "CPU samples".to_owned(), what: error.to_string() });
                }
                None => {}
            }
            let cut = ebpf.profile.as_ref().and_then(Profile::names_cut);
            let cut = cut.map(|cut| Flaw { place: "stack.user_stack".to_owned(), what: cut.to_owned() });
            sampled.flaws.extend(cut);
            let lost = ebpf.ends_lost - std::mem::replace(&mut ebpf.ends_told, ebpf.ends_lost);
            sampled.flaws.extend(ends_lost(lost));
            ebpf.ledger.next_window();
            ebpf.profile.iter_mut().for_each(Profile::next_window);
        }
        sampled
    }
}

/// What is not counted when tasks end faster than heldup gets a CPU to read of it.
fn ends_lost(tasks: u64) -> Option<Flaw> {
    let what = format!(
        "{tasks} tasks ended while the buffer was full: their time since the previous sample, or since their start, \
         is not counted"
    );
    (tasks > 0).then(|| Flaw { place: "task_time".to_owned(), what })
}

fn profile(host: &Host, own_pid: i64, missing: &mut Vec<Missing>) -> Option<Profile> {
    match Profile::start(host, ProfileOptions { own_pid, ..ProfileOptions::default() }) {
        Ok(profile) => Some(profile),
        Err(error) => {
            missing.push(Missing {
                what: "stack".to_owned(),
                why: format!("CPU samples: {error}"),
                how: "see `heldup doctor`".to_owned(),
            });
            None
        }
    }
}

fn not_exact(why: &str, how: &str) -> Missing {
    Missing { what: "task_time".to_owned(), why: format!("no eBPF ledger: {why}"), how: how.to_owned() }
}

impl EbpfAccounts {
    /// Notes how much of the time a sample covers.
    fn note(&mut self, reading: Result<LedgerReading, ProbeError>) -> Result<LedgerReading> {
        let reading = reading.context("cannot read the eBPF ledger")?;
        self.coverage = reading.coverage;
        self.ends_lost = reading.gaps.exits_dropped;
        Ok(reading)
    }
}

impl SamplingAccounts {
    /// A reading that fails costs its own rows only.
    fn sample(&mut self, host: &Host, kind: SampleKind) -> Sampled {
        let mut sampled = Sampled::default();
        let last = matches!(kind, SampleKind::Turn | SampleKind::Last);
        match if last { self.sampling.read_last() } else { self.sampling.read() } {
            Ok(reading) => {
                self.stacks = reading.stacks;
                sampled.rows.push(reading.rows);
                sampled.secs = reading.secs;
                (self.missing, self.untold) = (reading.missing, reading.untold);
            }
            Err(error) => {
                sampled.flaws.push(Flaw { place: "task_time".to_owned(), what: error.to_string() });
            }
        }
        if kind != SampleKind::Middle {
            let threads = self.threads.read_threads(host);
            sampled.rows.extend(threads.rows);
            sampled.missing.extend(threads.missing);
            sampled.flaws.extend(threads.flaws);
        }
        sampled
    }
}

impl DelayAccounts {
    fn sample(&mut self, host: &Host, last: bool) -> Sampled {
        let (now_ns, cpu_ns) = (monotonic_ns(), thread_cpu_ns());
        if now_ns < self.next_ns && !last {
            return Sampled::default();
        }
        let reading = self.threads.read_threads(host);
        let cost_ns = thread_cpu_ns().saturating_sub(cpu_ns) as f64;
        self.next_ns = now_ns + (cost_ns / DELAYS_BUDGET) as u64;
        let lacks = reading.missing.iter().find(|missing| missing.what == "thread.block_io_delay_s").cloned();
        self.untold = lacks.iter().flat_map(|_| BY_DELAYS).collect();
        let mut sampled = Sampled { missing: reading.missing, flaws: reading.flaws, ..Sampled::default() };
        let lacks = lacks.map(|lacks| Missing { what: "task_time.class_name".to_owned(), ..lacks });
        sampled.missing.extend(lacks);
        let Some(totals) = reading.rows.into_iter().next() else { return sampled };
        if let Some((before_ns, before)) = &self.before {
            let secs = (now_ns - before_ns) as f64 / 1e9;
            let threads = increase(Some(before), totals.clone(), &mut sampled.flaws);
            sampled.rows.push(delays::task_time(&threads, &labels(&threads), secs, realtime_ms()));
            sampled.secs = Some(secs);
        }
        sampled.rows.push(totals.clone());
        self.before = Some((now_ns, totals));
        sampled
    }
}

/// The first thread of a process has the process's id, and its name.
fn labels(threads: &RowSet) -> HashMap<i64, ProcessLabels> {
    let ids = threads.ints("tid").iter().zip(threads.ints("pid")).zip(threads.texts("name"));
    ids.filter_map(|((tid, pid), name)| {
        let pid = (*pid)?;
        (*tid == Some(pid)).then(|| (pid, ProcessLabels { name: name.clone(), cgroup: None }))
    })
    .collect()
}
