//! Looking at the running machine for a while: sources and accounts sampled on one grid.

use std::ffi::OsString;
use std::process::ExitStatus;
use std::time::Duration;

use heldup_hostfs::{ChildOutput, Host, Interrupts, monotonic_ns, realtime_ms, thread_cpu_ns};
use heldup_model::tables::ThreadRow;
use heldup_model::{Capture, Flaw, Form, Method, Missing, Record};
use heldup_probe::{KernelCounters, RunTimeCount};
use heldup_sources::{ReadingCost, SampleKind, Sampler};

use crate::accounts::{Accounts, Sampled};
use crate::args::MethodChoice;
use crate::command_run::CommandRun;
use crate::terminal::Progress;

/// Interval of the sample grid.
const INTERVAL_NS: u64 = 1_000_000_000;
/// A rest shorter than this is joined to the interval before it: rates over it would be noise.
const SHORTEST_REST_NS: u64 = INTERVAL_NS / 4;

/// From when to when to look.
#[derive(Clone, Debug)]
pub enum Window {
    /// For a time from now.
    For(Duration),
    /// From the start of a command to its end.
    Command {
        /// Program and arguments.
        command: Vec<OsString>,
        /// Whether standard output carries our answer for a program, so that the
        /// command's own output has to go elsewhere.
        answer_on_stdout: bool,
    },
}

/// What to look at.
#[derive(Clone, Debug)]
pub struct Request {
    window: Window,
    method: MethodChoice,
    own_cost: bool,
}

/// What was seen.
pub struct Looked {
    /// The tables.
    pub capture: Capture,
    /// Process id of this program within the account of time, whose own time is left out.
    pub own_pid: Option<i64>,
    /// Run time of the BPF programs.
    pub bpf_run_time_ns: Option<u64>,
    /// How the command ended, where one was run.
    pub exit: Option<ExitStatus>,
}

impl Request {
    /// A request.
    pub fn of(window: Window, method: MethodChoice) -> Request {
        Request { window, method, own_cost: false }
    }

    /// The request with the kernel counting the run time of our BPF programs, or not.
    pub fn with_own_cost(self, own_cost: bool) -> Request {
        Request { own_cost, ..self }
    }
}

impl Looked {
    /// A capture that was kept earlier.
    pub fn kept(capture: Capture) -> Looked {
        Looked { capture, own_pid: None, bpf_run_time_ns: None, exit: None }
    }
}

/// Looks at the running machine.
pub fn look(request: &Request) -> anyhow::Result<Looked> {
    let host = Host::live();
    let with_command = matches!(request.window, Window::Command { .. });
    // From before the programs are loaded to after their run times are read.
    let counted = request.own_cost.then(RunTimeCount::start);
    let mut session = Session::open(&host, request.method, with_command)?;
    if let Some(Err(error)) = &counted {
        session.sampler.note_missing(Missing {
            what: "cost_of_looking.bpf_seconds".to_owned(),
            why: error.to_string(),
            how: "Linux 5.8 or later, and root".to_owned(),
        });
    }
    let interrupts = Interrupts::watch()?;
    let (length, mut command) = match &request.window {
        Window::For(length) => (Some(*length), None),
        Window::Command { command, answer_on_stdout } => {
            let output = if *answer_on_stdout { ChildOutput::ToStandardError } else { ChildOutput::Shared };
            (None, Some(CommandRun::start(command, output)?))
        }
    };
    session.sample_until_the_end(&interrupts, length, command.as_mut())?;
    let exit = command.map(|command| session.finish_command(command)).transpose()?.flatten();
    let run_times = [session.accounts.bpf_run_time_ns(), session.counters.run_time_ns()];
    let bpf_run_time_ns = run_times.into_iter().flatten().reduce(|a, b| a + b);
    let own_pid = Some(session.accounts.own_pid());
    Ok(Looked { capture: session.close(), own_pid, bpf_run_time_ns, exit })
}

struct Session<'a> {
    host: &'a Host,
    accounts: Accounts,
    counters: KernelCounters,
    sampler: Sampler,
    last_ns: u64,
}

impl<'a> Session<'a> {
    /// Opens the accounts and takes the first reading of everything.
    fn open(host: &'a Host, method: MethodChoice, with_command: bool) -> anyhow::Result<Session<'a>> {
        let mut missing = Vec::new();
        let accounts = Accounts::open(host, method, with_command, &mut missing)?;
        let counters = match accounts.method() {
            Method::Ebpf => KernelCounters::start(host, accounts.own_pid(), &mut missing),
            Method::Sampling => KernelCounters::without_programs(host, &mut missing),
            _ => KernelCounters::none(),
        };
        let mut sources = heldup_sources::live();
        // Both kinds of accounts supply threads themselves: the kernel's iterator costs a
        // twenty-fifth of /proc, and the counters must not be read twice.
        sources.retain(|source| !source.tables().iter().any(|def| def.name == ThreadRow::DEF.name));
        let name = host.read_text("/proc/sys/kernel/hostname").unwrap_or_else(|_| "localhost".to_owned());
        let mut sampler = Sampler::new(host.clone(), sources, name);
        missing.into_iter().for_each(|missing| sampler.note_missing(missing));
        let mut session = Session { host, accounts, counters, sampler, last_ns: monotonic_ns() };
        session.sample(SampleKind::First)?;
        Ok(session)
    }

    /// Samples on the grid until the window's length has passed, the command has ended, or
    /// the user asked to stop; then takes the last sample.
    fn sample_until_the_end(
        &mut self,
        interrupts: &Interrupts,
        length: Option<Duration>,
        mut command: Option<&mut CommandRun>,
    ) -> anyhow::Result<()> {
        let start_ns = self.last_ns;
        let end_ns = length.map_or(u64::MAX, |length| start_ns.saturating_add(length.as_nanos() as u64));
        let mut progress = Progress::of(length);
        let mut next_ns = start_ns + INTERVAL_NS;
        loop {
            if end_ns.saturating_sub(next_ns) < SHORTEST_REST_NS {
                next_ns = end_ns;
            }
            let wanted_ns = self.counters.want_ns().unwrap_or(u64::MAX);
            interrupts.wait_until(next_ns.min(wanted_ns));
            let ended = command.as_deref_mut().map(CommandRun::has_ended).transpose()? == Some(true);
            let now = monotonic_ns();
            if interrupts.stopped() || ended || now >= end_ns {
                break;
            }
            progress.show(Duration::from_nanos(now - start_ns));
            if now >= wanted_ns {
                let mut flaws = Vec::new();
                self.counters.look_after(&mut flaws);
                self.note(Vec::new(), flaws);
            }
            if now >= next_ns {
                self.sample(SampleKind::Middle)?;
                // A sample that came late does not shift the grid, and none is made up for.
                next_ns = start_ns + ((now - start_ns) / INTERVAL_NS + 1) * INTERVAL_NS;
            }
        }
        if let Some(command) = command.filter(|_| interrupts.stopped()) {
            command.await_end(interrupts)?;
        }
        self.sample(SampleKind::Last)
    }

    /// Keeps what is known of the command, whose process is gone from here on.
    fn finish_command(&mut self, command: CommandRun) -> anyhow::Result<Option<ExitStatus>> {
        let (rows, exit) = command.finish()?;
        let stamp = self.sampler.window_stamp();
        self.sampler.push(rows, &stamp);
        Ok(exit)
    }

    fn sample(&mut self, kind: SampleKind) -> anyhow::Result<()> {
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
        self.sampler.sample(kind, now_ms, now_ns);
        let mut stamp = self.sampler.stamp();
        stamp.secs = sampled.secs.or(stamp.secs);
        for rows in sampled.rows {
            match rows.form {
                Form::Increases => self.sampler.push(rows, &stamp),
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

    fn note(&mut self, missing: Vec<Missing>, flaws: Vec<Flaw>) {
        missing.into_iter().for_each(|missing| self.sampler.note_missing(missing));
        flaws.into_iter().for_each(|flaw| self.sampler.note_flaw(flaw));
    }

    fn close(mut self) -> Capture {
        let stamp = self.sampler.window_stamp();
        let Sampled { rows, missing, flaws, .. } = self.accounts.finish();
        rows.into_iter().for_each(|rows| self.sampler.push(rows, &stamp));
        self.note(missing, flaws);
        self.sampler.note_untold(self.accounts.untold());
        self.sampler.into_capture(self.accounts.method(), self.accounts.coverage())
    }
}
