//! The sources and accounts of the running machine, sampled on one grid.
//!
//! A session is opened once and may have many windows after each other: the ledger stays
//! loaded and sources keep their last reading, so that a further window costs no start. When
//! a window ends is for the caller to say.

use crate::error::Result;
pub mod accounts;
pub mod command_run;
pub mod look;
pub mod pace;

use std::collections::BTreeSet;
use std::process::ExitStatus;

use heldup_hostfs::{Host, Interrupts, monotonic_ns, own_pid, realtime_ms, thread_cpu_ns};
use heldup_model::tables::{TaskTimeRow, ThreadRow};
use heldup_model::{Capture, Flaw, Form, Method, Missing, Record, RowSet};
use heldup_probe::{KernelCounters, ProgramTime};
use heldup_sources::{Ran, RanProcesses, ReadingCost, SampleKind, Sampler, add_who_ran};

use crate::request::MethodChoice;
use crate::session::accounts::{Accounts, Sampled};
use crate::session::command_run::CommandRun;
use crate::session::pace::{Paced, drive};

/// Interval of the sample grid.
const INTERVAL_NS: u64 = 1_000_000_000;
/// A rest shorter than this is joined to the interval before it: rates over it would be noise.
const SHORTEST_REST_NS: u64 = INTERVAL_NS / 4;

/// A running look at the machine; dropping it detaches everything.
pub struct Session<'a> {
    host: &'a Host,
    name: String,
    accounts: Accounts,
    counters: KernelCounters,
    sampler: Sampler,
    ran: RanProcesses,
    /// Processes that were on a CPU since they were read last; none where that is not known: the
    /// ledger must number them as /proc does.
    who_ran: Option<BTreeSet<i64>>,
    /// What is missing for as long as the session lasts.
    standing: Vec<Missing>,
    start_ns: u64,
    last_ns: u64,
}

impl<'a> Session<'a> {
    /// Opens the accounts and takes the first reading of everything. `is_asked` says whether
    /// somebody asks for a table by name; `missing` is what the caller could not get.
    pub fn open(
        host: &'a Host,
        method: MethodChoice,
        with_command: bool,
        is_asked: &dyn Fn(&str) -> bool,
        mut missing: Vec<Missing>,
    ) -> Result<Session<'a>> {
        let accounts = Accounts::open(host, method, with_command, &mut missing)?;
        let counters = accounts.counters(host, &mut missing);
        let ran = RanProcesses::default();
        let mut sources = heldup_sources::live_knowing(&ran);
        // Both kinds of accounts supply threads themselves: the kernel's iterator costs a
        // twenty-fifth of /proc, and the counters must not be read twice.
        sources.retain(|source| !source.tables().iter().any(|def| def.name == ThreadRow::DEF.name));
        let knows = accounts.method() == Method::Ebpf && accounts.own_pid() == own_pid();
        let who_ran = knows.then(BTreeSet::new);
        let name = host.read_text("/proc/sys/kernel/hostname").unwrap_or_else(|_| "localhost".to_owned());
        let mut sampler = Sampler::new(host.clone(), sources, name.as_str());
        sampler.ask(is_asked);
        let (start_ns, last_ns) = (0, 0);
        let mut session = Session {
            host,
            name,
            accounts,
            counters,
            sampler,
            ran,
            who_ran,
            standing: missing,
            start_ns,
            last_ns,
        };
        session.note(session.standing.clone(), Vec::new());
        session.sample(SampleKind::First)?;
        session.start_ns = session.last_ns;
        Ok(session)
    }

    /// When the first reading was made, on the monotonic clock.
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// Process id of this program within the account of time.
    pub fn own_pid(&self) -> i64 {
        self.accounts.own_pid()
    }

    /// The machine's name.
    pub fn host_name(&self) -> &str {
        &self.name
    }

    /// Samples on the grid until a time of the monotonic clock, the end of a command, or a
    /// request to stop, which is what it answers. The sample of that moment is the caller's,
    /// who knows its kind. `awake` is called at least at every sample and when a child ends, with the time since the
    /// first reading.
    pub fn sample_until(
        &mut self,
        interrupts: &Interrupts,
        end_ns: u64,
        ended: &mut dyn FnMut() -> Result<bool>,
        awake: &mut dyn FnMut(u64),
    ) -> Result<bool> {
        let start_ns = self.start_ns;
        drive(self, interrupts, end_ns, ended, &mut |now_ns| awake(now_ns.saturating_sub(start_ns)))
    }

    /// Keeps what is known of the command, whose process is gone from here on.
    pub fn finish_command(&mut self, command: CommandRun) -> Result<Option<ExitStatus>> {
        let (rows, exit) = command.finish()?;
        let stamp = self.sampler.window_stamp();
        self.sampler.push(rows, &stamp);
        Ok(exit)
    }

    /// One reading of everything that is due.
    pub fn sample(&mut self, kind: SampleKind) -> Result<()> {
        let (now_ns, now_ms) = (monotonic_ns(), realtime_ms());
        // The accounts first: their time must be as close to the stamp as possible.
        let began_cpu_ns = thread_cpu_ns();
        let sampled = self.accounts.sample(self.host, kind)?;
        let cost = ReadingCost {
            cpu_ns: thread_cpu_ns().saturating_sub(began_cpu_ns),
            wall_ns: monotonic_ns().saturating_sub(now_ns),
            rows: sampled.rows.iter().map(|rows| rows.len).sum(),
        };
        self.sampler.note_cost(self.accounts.name(), cost);
        self.last_ns = now_ns;
        self.tell_who_ran(kind, &sampled.rows);
        self.sampler.sample(kind, now_ms, now_ns);
        let mut stamp = self.sampler.stamp();
        stamp.secs = sampled.secs.or(stamp.secs);
        for rows in sampled.rows {
            match rows.form {
                Form::Increases => {
                    self.sampler.push_increases(&rows, &stamp);
                    self.accounts.give_back(rows);
                }
                // Threads: as with processes, once for the whole window.
                Form::Totals if kind != SampleKind::Middle => {
                    self.sampler.push(rows, &self.sampler.window_stamp())
                }
                Form::Totals => {}
            }
        }
        let mut flaws = sampled.flaws;
        let counted = self.counters.read(&mut flaws);
        counted.into_iter().for_each(|rows| self.sampler.push(rows, &stamp));
        self.note(sampled.missing, flaws);
        Ok(())
    }

    /// Gathers who was on a CPU, and tells the source of processes, which is read at the ends.
    fn tell_who_ran(&mut self, kind: SampleKind, rows: &[RowSet]) {
        let Some(who_ran) = &mut self.who_ran else { return };
        let task_time = rows.iter().find(|rows| rows.def.name == TaskTimeRow::DEF.name);
        task_time.into_iter().for_each(|rows| add_who_ran(rows, who_ran));
        if kind != SampleKind::Middle {
            let ran = std::mem::take(who_ran);
            self.ran.set(Some(Ran { ran, ..Ran::default() }));
        }
    }

    /// What was seen since the window began; its last sample was a [`SampleKind::Turn`], with
    /// which the next window begins.
    pub fn end_window(&mut self) -> Capture {
        self.finish_window();
        let capture = self.sampler.end_window(self.accounts.method(), self.accounts.coverage());
        self.note(self.standing.clone(), Vec::new());
        capture
    }

    /// What was seen, and that was all.
    pub fn close(mut self) -> Capture {
        self.finish_window();
        self.sampler.into_capture(self.accounts.method(), self.accounts.coverage())
    }

    /// Time that the eBPF programs took so far.
    pub fn program_time(&self) -> ProgramTime {
        self.accounts.program_time() + self.counters.program_time()
    }

    /// Adds what is known only at the end of a window.
    fn finish_window(&mut self) {
        let stamp = self.sampler.window_stamp();
        let Sampled { rows, missing, flaws, .. } = self.accounts.finish_window();
        rows.into_iter().for_each(|rows: RowSet| self.sampler.push(rows, &stamp));
        self.note(missing, flaws);
        self.sampler.note_untold(self.accounts.untold());
    }

    fn note(&mut self, missing: Vec<Missing>, flaws: Vec<Flaw>) {
        missing.into_iter().for_each(|missing| self.sampler.note_missing(missing));
        flaws.into_iter().for_each(|flaw| self.sampler.note_flaw(flaw));
    }
}

/// Once a second since the first reading. A sample that came late does not shift the grid, and none is made up for.
impl Paced for Session<'_> {
    fn next_ns(&self, end_ns: u64) -> u64 {
        let passed_ns = self.last_ns.saturating_sub(self.start_ns);
        let next_ns = self.start_ns + (passed_ns / INTERVAL_NS + 1) * INTERVAL_NS;
        if end_ns.saturating_sub(next_ns) < SHORTEST_REST_NS { end_ns } else { next_ns }
    }

    fn wanted_ns(&self) -> u64 {
        self.counters.want_ns().unwrap_or(u64::MAX)
    }

    fn look_after(&mut self) {
        let mut flaws = Vec::new();
        self.counters.look_after(&mut flaws);
        self.note(Vec::new(), flaws);
    }

    fn sample(&mut self) -> Result<()> {
        Session::sample(self, SampleKind::Middle)
    }
}
