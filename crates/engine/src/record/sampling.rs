//! One sample of everything: the account of time, the sources, the kernel's own counters.

use std::time::Duration;

use heldup_archive::journal::{ChangedReading, Reading};
use heldup_diagnose::LEAST_VOLUME_TASKS;
use heldup_hostfs::{Host, monotonic_ns, own_pid, recorded_s, thread_cpu_ns};
use heldup_model::tables::{ProcessRow, TaskTimeRow};
use heldup_model::{Flaw, Form, Method, Missing, Record, RowSet};
use heldup_probe::{CountedRows, KernelCounters, ProgramTime, WhoRan};
use heldup_sources::{ProcessTable, Ran, RanProcesses, ReadingCost, Recording, SampleKind, SourcePace};

use super::budget::Budget;
use crate::error::Result;
use crate::request::MethodChoice;
use crate::session::accounts::{Accounts, Sampled};

/// Threads and stacks are recorded this often: each costs as much as all tasks together. Stacks come sooner where
/// tasks are held up: who looks then wants to know why.
const TURN_NS: u64 = Duration::from_secs(60).as_nanos() as u64;
/// Stacks are recorded so soon where tasks were held up.
const STACKS_NS: u64 = Duration::from_secs(10).as_nanos() as u64;
/// What the account of time is called where it is read less often.
pub(super) const LEDGER: &str = "ledger";
/// What the kernel's counters are called in `source_cost`.
const COUNTERS: &str = "kernel_counters";
/// Weight of the last reading in what one is taken to cost.
const NEWEST: f64 = 0.2;

/// What a sample brought.
#[derive(Default)]
pub struct Taken {
    /// Rows, ready for the journal.
    pub readings: Vec<Reading>,
    /// Rows that are told by what changed.
    pub changed: Vec<ChangedReading>,
    /// Time since the sample before, in seconds; none for the first.
    pub secs: Option<f64>,
    /// Tasks that time was accounted for.
    pub tasks: Option<i64>,
    /// Processes.
    pub processes: Option<i64>,
    /// What went wrong, in words.
    pub flaws: Vec<String>,
}

/// Which tables the journal takes by what changed, in the sample that comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct TakesChanges {
    /// `task_time`.
    pub task_time: bool,
    /// `process`.
    pub process: bool,
}

impl Taken {
    /// Rows of all tables.
    pub fn rows(&self) -> usize {
        let whole: usize = self.readings.iter().map(|reading| reading.rows.len).sum();
        whole + self.changed.iter().map(|changed| changed.rows.len).sum::<usize>()
    }
}

/// Everything that is recorded.
pub struct Everything {
    host: Host,
    accounts: Accounts,
    counters: KernelCounters,
    recording: Recording,
    ran: RanProcesses,
    /// There is a ledger, and it numbers processes as /proc does.
    knows_who_ran: bool,
    interval: Duration,
    last_ns: Option<u64>,
    ledger: LedgerPace,
    turn_ns: u64,
    /// When that was done last, and when stacks were recorded last.
    turned_ns: u64,
    stacks_ns: u64,
    is_last: bool,
    missing: Vec<Missing>,
}

/// When the account of time is read.
#[derive(Default)]
struct LedgerPace {
    last_ns: Option<u64>,
    next_ns: u64,
    reading_ns: Option<f64>,
    tasks: Option<i64>,
    processes: Option<i64>,
}

impl Everything {
    /// Opens the account of time and the sources.
    pub fn open(
        host: &Host,
        method: MethodChoice,
        interval: Duration,
        mut missing: Vec<Missing>,
    ) -> Result<Everything> {
        let accounts = Accounts::open_to_record(host, method, &mut missing)?;
        let counters = accounts.counters(host, &mut missing);
        let ran = RanProcesses::default();
        let sources = heldup_sources::live_to_record(&ran);
        Ok(Everything {
            knows_who_ran: accounts.method() == Method::Ebpf && accounts.own_pid() == own_pid(),
            recording: Recording::new(host.clone(), sources, interval),
            host: host.clone(),
            accounts,
            counters,
            ran,
            interval,
            last_ns: None,
            ledger: LedgerPace::default(),
            turn_ns: 0,
            turned_ns: 0,
            stacks_ns: 0,
            is_last: false,
            missing,
        })
    }

    /// How time is accounted for.
    pub fn method(&self) -> Method {
        self.accounts.method()
    }

    /// Share of the task time that was seen as it happened.
    pub fn coverage(&self) -> f64 {
        self.accounts.coverage()
    }

    /// What could not be had, once.
    pub fn take_missing(&mut self) -> Vec<Missing> {
        std::mem::take(&mut self.missing)
    }

    /// Time that the eBPF programs took so far.
    pub fn program_time(&self) -> ProgramTime {
        self.accounts.program_time() + self.counters.program_time()
    }

    /// When the kernel's counters want to be looked after, on the monotonic clock.
    pub fn want_ns(&self) -> u64 {
        self.counters.want_ns().unwrap_or(u64::MAX)
    }

    /// Looks after the kernel's counters; answers what went wrong.
    pub fn look_after(&mut self) -> Vec<String> {
        let mut flaws = Vec::new();
        self.counters.look_after(&mut flaws);
        flaws.into_iter().map(words).collect()
    }

    /// The next sample has what each segment begins with.
    pub fn begin_segment(&mut self) {
        self.recording.begin_segment();
    }

    /// The next sample is the last: it has what is recorded less often too.
    pub fn end(&mut self) {
        self.is_last = true;
        self.recording.end();
    }

    /// What is read, how often, and what that costs.
    pub fn paces(&self) -> Vec<SourcePace> {
        let mut paces = self.recording.paces();
        paces.push(SourcePace {
            name: LEDGER,
            reading_ns: self.ledger.reading_ns.unwrap_or_default(),
            // Without eBPF the account keeps to a budget of its own.
            declared: (self.method() == Method::Ebpf).then_some(self.interval),
            times: 1,
        });
        paces
    }

    /// Reads sources as often as the budget allows.
    pub fn set_times(&mut self, budget: &Budget) {
        for pace in self.recording.paces() {
            self.recording.set_times(pace.name, budget.times(pace.name));
        }
    }

    /// One sample, stamped `stamp_ms`, taken now, which is `now_ns` on the monotonic clock.
    pub fn sample(&mut self, stamp_ms: i64, now_ns: u64, takes: TakesChanges, budget: &Budget) -> Taken {
        let mut taken = Taken { secs: self.last_ns.map(|last| recorded_s(last, now_ns)), ..Taken::default() };
        // Time first: it must be as close to the stamp as possible.
        let told = self.account(now_ns, takes, budget, &mut taken);
        // The process table needs to know who ran: it reads with the ledger, or by itself where there is none.
        let hold = !told && self.last_ns.is_some() && self.method() == Method::Ebpf;
        let recorded = self.recording.sample(stamp_ms, now_ns, &|name| hold && name == ProcessTable::NAME);
        for recorded in recorded.rows {
            if recorded.rows.def.name == ProcessRow::DEF.name {
                self.ledger.processes = Some(recorded.rows.len as i64);
            }
            taken.readings.push(Reading { rows: recorded.rows, secs: recorded.secs });
        }
        for recorded in recorded.changes {
            if recorded.rows.def.name == ProcessRow::DEF.name {
                self.ledger.processes = Some(recorded.rows.len as i64);
            }
            taken.changed.push(ChangedReading { rows: recorded.rows, secs: recorded.secs });
        }
        let mut flaws = recorded.flaws;
        let began_ns = (thread_cpu_ns(), monotonic_ns());
        let counted = self.counters.follow(now_ns, &mut flaws);
        self.note_cost(COUNTERS, began_ns, counted.iter().map(|counted| counted.rows.len).sum());
        let reading = |CountedRows { rows, secs }| Reading { rows, secs: Some(secs) };
        taken.readings.extend(counted.into_iter().map(reading));
        taken.flaws.extend(flaws.into_iter().map(words));
        (taken.tasks, taken.processes) = (self.ledger.tasks, self.ledger.processes);
        self.last_ns = Some(now_ns);
        taken
    }

    /// Reads the account of time where it is due; whether the process table may be read.
    fn account(&mut self, now_ns: u64, takes: TakesChanges, budget: &Budget, taken: &mut Taken) -> bool {
        let interval_ns = self.interval.as_nanos() as u64;
        if now_ns + interval_ns / 2 < self.ledger.next_ns {
            return false;
        }
        self.ledger.next_ns = now_ns + interval_ns * u64::from(budget.times(LEDGER));
        let kind = match self.ledger.last_ns {
            None => SampleKind::First,
            Some(_) if self.is_last || now_ns + interval_ns / 2 >= self.turn_ns => SampleKind::Turn,
            Some(_) => SampleKind::Middle,
        };
        let began_ns = (thread_cpu_ns(), monotonic_ns());
        let sampled = match self.accounts.follow(&self.host, kind, takes.task_time) {
            Ok(sampled) => sampled,
            Err(error) => {
                taken.flaws.push(format!("task_time: {error:#}"));
                self.ran.set(None);
                return true;
            }
        };
        let whole: usize = sampled.rows.iter().map(|rows| rows.len).sum();
        let rows = whole + sampled.changes.as_ref().map_or(0, |changes| changes.len);
        let secs = sampled.secs.or(self.ledger.last_ns.map(|last| recorded_s(last, now_ns)));
        let has_rows = self.take_rows(sampled, secs, (kind, now_ns), takes, taken);
        match kind {
            SampleKind::Turn => self.turn(now_ns, taken),
            SampleKind::Middle if self.stacks_are_due(now_ns) => self.stacks(now_ns, taken),
            SampleKind::First => self.stacks_ns = now_ns,
            SampleKind::Middle | SampleKind::Last => {}
        }
        if kind != SampleKind::Middle {
            (self.turn_ns, self.turned_ns) = (now_ns + TURN_NS, now_ns);
        }
        self.ledger.last_ns = Some(now_ns);
        let cost_ns = self.note_cost(self.accounts.name(), began_ns, rows) as f64;
        let known = self.ledger.reading_ns.unwrap_or(cost_ns);
        self.ledger.reading_ns = Some(known + (cost_ns - known) * NEWEST);
        has_rows
    }

    /// Notes what something cost since it began, in CPU time of this thread and in time; answers the first.
    pub fn note_cost(&mut self, name: &'static str, (cpu_ns, wall_ns): (u64, u64), rows: usize) -> u64 {
        let cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
        let wall_ns = monotonic_ns().saturating_sub(wall_ns);
        self.recording.note_cost(name, ReadingCost { cpu_ns, wall_ns, rows });
        cpu_ns
    }

    /// Whether there were rows of `task_time`.
    fn take_rows(
        &mut self,
        sampled: Sampled,
        secs: Option<f64>,
        (kind, now_ns): (SampleKind, u64),
        takes: TakesChanges,
        taken: &mut Taken,
    ) -> bool {
        taken.flaws.extend(sampled.flaws.into_iter().map(words));
        let mut has_rows = sampled.changes.is_some();
        taken.changed.extend(sampled.changes.map(|rows| ChangedReading { rows, secs }));
        if let Some(WhoRan { alive, ran, woke, tasks }) = sampled.who {
            self.ledger.tasks = Some(tasks as i64);
            let ran = Ran { alive, ran: ran.into_iter().collect(), woke, tasks, changes: takes.process };
            self.ran.set(Some(ran).filter(|_| self.knows_who_ran));
        }
        for rows in sampled.rows {
            if rows.form == Form::Totals {
                let mut flaws = Vec::new();
                let threads = (kind != SampleKind::Middle)
                    .then(|| self.recording.increases(rows, now_ns, &mut flaws))
                    .flatten();
                taken.readings.extend(threads.map(|of| Reading { rows: of.rows, secs: of.secs }));
                taken.flaws.extend(flaws.into_iter().map(words));
                continue;
            }
            if rows.def.name == TaskTimeRow::DEF.name && rows.len > 0 {
                has_rows = true;
                if self.method() != Method::Ebpf {
                    self.ledger.tasks = Some(Ran::of(&rows).tasks as i64);
                }
            }
            taken.readings.push(Reading { rows, secs });
        }
        has_rows
    }

    /// What is recorded once a minute: what tasks waited for, and what the sources cost.
    fn turn(&mut self, now_ns: u64, taken: &mut Taken) {
        self.stacks(now_ns, taken);
        let secs = Some(recorded_s(self.turned_ns, now_ns));
        taken.readings.push(Reading { rows: self.recording.take_costs(), secs });
    }

    /// Whether so much was waited that what for is recorded now, and not with the minute: less is no trouble.
    fn stacks_are_due(&self, now_ns: u64) -> bool {
        let since_ns = now_ns.saturating_sub(self.stacks_ns);
        since_ns + self.interval.as_nanos() as u64 / 2 >= STACKS_NS
            && self.accounts.waiting_ns() as f64 >= LEAST_VOLUME_TASKS * since_ns as f64
    }

    /// What tasks waited for since it was recorded last.
    fn stacks(&mut self, now_ns: u64, taken: &mut Taken) {
        let secs = Some(recorded_s(std::mem::replace(&mut self.stacks_ns, now_ns), now_ns));
        let Sampled { rows, flaws, .. } = self.accounts.finish_window();
        let rows = rows.into_iter().filter(|rows| rows.form == Form::Increases);
        taken.readings.extend(rows.map(|rows: RowSet| Reading { rows, secs }));
        taken.flaws.extend(flaws.into_iter().map(words));
    }
}

fn words(flaw: Flaw) -> String {
    format!("{}: {}", flaw.place, flaw.what)
}
