//! What is measured of a real machine: runs of a workload, or stretches of live traffic, with the
//! account of where the time of each went.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use heldup_archive::{Database, Value};
use heldup_diagnose::window;
use heldup_hostfs::{ClockedRun, EndedRun, Host, Interrupts, monotonic_ns};
use heldup_model::{Capture, Span};
use heldup_prove::{Figure, Guard, Measured, Meter, Stop};
use heldup_sources::SampleKind;
use heldup_stats::phases;

use crate::error::Result;
use crate::request::MethodChoice;
use crate::session::Session;

/// How long a run that is to end may take for it.
const GRACE_NS: u64 = 2_000_000_000;
/// Lines of a workload that failed which are shown.
const LAST_LINES: usize = 3;

/// Task-seconds by class: of the run, or of everybody but this program.
const OF_COMMAND: &str =
    "select class_name, sum(seconds) from task_time where in_command and not kernel_thread group by 1";
const OF_ALL: &str = "select class_name, sum(seconds) from task_time
     where not kernel_thread and coalesce(pid, 0) <> :own group by 1";
/// Active time by sample.
const WANTED: &str =
    "select time, sum(case when group_name in ('running', 'waiting') then seconds else 0 end)
     from task_time where not kernel_thread group by time order by time";

/// What makes the figures.
pub enum Load {
    /// A command, run again and again.
    Command {
        /// Line for sh.
        line: String,
        /// What is run before each, by sh.
        prepare: Option<String>,
        /// How long a run may take.
        timeout: Duration,
    },
    /// The traffic that is there, in blocks of a length.
    Live(Duration),
}

/// The machine as a meter.
pub struct Bench<'a> {
    load: Load,
    figure: &'a Figure,
    guards: &'a [Guard],
    settle: Duration,
    interrupts: &'a Interrupts,
    session: Option<Session<'a>>,
}

impl<'a> Bench<'a> {
    /// Opens the account of time where it is wanted or a figure is a query; the second is why it is
    /// not there although it is wanted.
    pub fn open(
        host: &'a Host,
        load: Load,
        (figure, guards): (&'a Figure, &'a [Guard]),
        settle: Duration,
        interrupts: &'a Interrupts,
        (method, with_ledger): (MethodChoice, bool),
    ) -> Result<(Bench<'a>, Option<String>)> {
        let queries: Vec<String> = std::iter::once(figure)
            .chain(guards.iter().map(|guard| &guard.figure))
            .filter_map(|figure| figure.query().map(str::to_ascii_lowercase))
            .collect();
        let with_command = matches!(load, Load::Command { .. });
        let is_asked = |table: &str| queries.iter().any(|query| query.contains(table));
        let open = |method| Session::open(host, method, with_command, &is_asked, Vec::new());
        let (session, without) = if queries.is_empty() && !with_ledger {
            (None, None)
        } else if queries.is_empty() && method == MethodChoice::Auto {
            // Samples of /proc would cost the workload more than they tell of a short run.
            match open(MethodChoice::Ebpf) {
                Ok(session) => (Some(session), None),
                Err(error) => (None, Some(format!("no time by class: {error:#}"))),
            }
        } else {
            (Some(open(method)?), None)
        };
        Ok((Bench { load, figure, guards, settle, interrupts, session }, without))
    }

    /// Ends the stretch that is not measured.
    fn begin(&mut self) -> Result<(), Stop> {
        let Some(session) = &mut self.session else { return Ok(()) };
        session.sample(SampleKind::Turn).map_err(failed)?;
        drop(session.end_window());
        Ok(())
    }

    /// The tables of the stretch that was measured.
    fn end(&mut self) -> Result<Option<Capture>, Stop> {
        let Some(session) = &mut self.session else { return Ok(None) };
        session.sample(SampleKind::Turn).map_err(failed)?;
        Ok(Some(session.end_window()))
    }

    /// Waits until a time, the end of a run, or a request to stop, and samples meanwhile.
    fn wait(&mut self, end_ns: u64, run: Option<&ClockedRun>, sampled: bool) -> Result<(), Stop> {
        let mut ended = || -> Result<bool> { Ok(run.map(ClockedRun::has_ended).transpose()? == Some(true)) };
        match &mut self.session {
            Some(session) if sampled => {
                session.sample_until(self.interrupts, end_ns, &mut ended, &mut |_| ()).map_err(failed)?;
            }
            _ => {
                while !self.interrupts.stopped() && monotonic_ns() < end_ns && !ended().map_err(failed)? {
                    self.interrupts.wait_until(end_ns);
                }
            }
        }
        if self.interrupts.stopped() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Runs a line for sh to its end, and ends it when it is not to go on.
    fn run(&mut self, line: &str, timeout: Duration, sampled: bool) -> Result<EndedRun, Stop> {
        let run = ClockedRun::start(&["sh", "-c", line].map(OsString::from)).map_err(failed)?;
        let end_ns = monotonic_ns().saturating_add(timeout.as_nanos() as u64);
        let waited = self.wait(end_ns, Some(&run), sampled);
        if !run.has_ended().map_err(failed)? {
            self.make_end(&run)?;
            waited?;
            return Err(Stop::Failed(format!("`{line}` took longer than {timeout:.0?}")));
        }
        waited?;
        let ended = run.finish().map_err(failed)?;
        match ended.status {
            Some(status) if status.success() => Ok(ended),
            status => {
                let how = status.map_or("no exit status".to_owned(), |status| status.to_string());
                Err(Stop::Failed(format!("`{line}`: {how}{}", last_lines(&ended))))
            }
        }
    }

    fn make_end(&self, run: &ClockedRun) -> Result<(), Stop> {
        run.end(false);
        let until_ns = monotonic_ns() + GRACE_NS;
        while !run.has_ended().map_err(failed)? && monotonic_ns() < until_ns {
            self.interrupts.wait_for_child(until_ns);
        }
        // Also what the run has started and left behind.
        run.end(true);
        Ok(())
    }

    fn of_command(&mut self, line: &str, prepare: Option<&str>, timeout: Duration) -> Result<Measured, Stop> {
        if let Some(prepare) = prepare {
            self.run(prepare, timeout, false)?;
        }
        self.begin()?;
        let ended = self.run(line, timeout, true)?;
        let capture = self.end()?;
        let seconds = ended.wall_ns as f64 / 1e9;
        let figure = |figure: &Figure| -> Result<f64, Stop> {
            let of_run = figure.of_run(seconds, &ended.output, &ended.complaints).map_err(failed)?;
            match (of_run, &capture, figure.query()) {
                (Some(figure), ..) => Ok(figure),
                (None, Some(capture), Some(query)) => answer(capture, query),
                _ => Err(Stop::Failed("no tables were measured".to_owned())),
            }
        };
        let guards = self.guards.iter().map(|guard| figure(&guard.figure)).collect::<Result<_, _>>()?;
        let ledger = capture
            .as_ref()
            .map_or_else(|| Ok(BTreeMap::new()), |capture| ledger(capture, OF_COMMAND, 0, 1.0))?;
        Ok(Measured { figure: figure(self.figure)?, guards, seconds, ledger })
    }

    fn of_traffic(&mut self, length: Duration) -> Result<Measured, Stop> {
        self.begin()?;
        let begun_ns = monotonic_ns();
        self.wait(begun_ns.saturating_add(length.as_nanos() as u64), None, true)?;
        let own = self.session.as_ref().map_or(0, Session::own_pid);
        let whole = self.end()?.ok_or_else(|| Stop::Failed("no tables were measured".to_owned()))?;
        let capture = steady(whole)?;
        let seconds = (monotonic_ns() - begun_ns) as f64 / 1e9;
        let figure = |figure: &Figure| match figure.query() {
            Some(query) => answer(&capture, query),
            None => Err(Stop::Failed("the measure of live traffic must be a query: sql:…".to_owned())),
        };
        let guards = self.guards.iter().map(|guard| figure(&guard.figure)).collect::<Result<_, _>>()?;
        let length_s = (capture.span.until_ms - capture.span.since_ms).max(1) as f64 / 1000.0;
        let ledger = ledger(&capture, OF_ALL, own, length_s)?;
        Ok(Measured { figure: figure(self.figure)?, guards, seconds, ledger })
    }
}

impl Meter for Bench<'_> {
    fn measure(&mut self) -> Result<Measured, Stop> {
        match &self.load {
            Load::Live(length) => self.of_traffic(*length),
            Load::Command { line, prepare, timeout } => {
                let (line, prepare, timeout) = (line.clone(), prepare.clone(), *timeout);
                self.of_command(&line, prepare.as_deref(), timeout)
            }
        }
    }

    fn settle(&mut self) -> Result<(), Stop> {
        let end_ns = monotonic_ns().saturating_add(self.settle.as_nanos() as u64);
        self.wait(end_ns, None, false)
    }
}

fn failed(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(format!("{error:#}"))
}

fn last_lines(ended: &EndedRun) -> String {
    let text = if ended.complaints.trim().is_empty() { &ended.output } else { &ended.complaints };
    let lines: Vec<&str> = text.trim_end().lines().rev().take(LAST_LINES).collect();
    lines.into_iter().rev().map(|line| format!("; {}", line.trim())).collect()
}

/// The first cell of an answer.
fn answer(capture: &Capture, query: &str) -> Result<f64, Stop> {
    let answer = Database::open(capture).and_then(|database| database.query(query)).map_err(failed)?;
    match answer.rows.first().and_then(|row| row.first()) {
        Some(Value::Int(value)) => Ok(*value as f64),
        Some(Value::Float(value)) => Ok(*value),
        Some(Value::Null) | None => Err(Stop::Failed(format!(
            "`{query}` returned no number: no rows, or not measured (total() of no rows is 0, sum() is NULL)"
        ))),
        Some(Value::Text(text)) => Err(Stop::Failed(format!("`{query}` returned `{text}`, not a number"))),
    }
}

/// Task-seconds by class, for each of so many.
fn ledger(capture: &Capture, query: &str, own: i64, of: f64) -> Result<BTreeMap<String, f64>, Stop> {
    let parameters: &[(&str, Value)] = &[(":own", Value::Int(own))];
    let parameters = if query == OF_ALL { parameters } else { &[] };
    let answer = Database::open(capture)
        .and_then(|database| database.query_with(query, parameters))
        .map_err(failed)?;
    let class = |row: &Vec<Value>| Some((row.first()?.as_str()?.to_owned(), row.get(1)?.as_f64()? / of));
    Ok(answer.rows.iter().filter_map(class).collect())
}

/// The part of a block in which its load was steady, where it has one; a block without is compared as
/// it is.
fn steady(capture: Capture) -> Result<Capture, Stop> {
    let answer = Database::open(&capture).and_then(|database| database.query(WANTED)).map_err(failed)?;
    let samples: Vec<(i64, f64)> =
        answer.rows.iter().filter_map(|row| Some((row.first()?.as_i64()?, row.get(1)?.as_f64()?))).collect();
    let series: Vec<f64> = samples.iter().map(|(_, wanted)| *wanted).collect();
    let Some(found) = phases(&series).filter(|found| found.steady.len() < series.len()) else {
        return Ok(capture);
    };
    // The time of a sample is the end of its interval.
    let before = found.steady.start.checked_sub(1).and_then(|at| samples.get(at));
    let last = found.steady.end.checked_sub(1).and_then(|at| samples.get(at));
    let Span { since_ms, until_ms } = capture.span;
    let span = Span {
        since_ms: before.map_or(since_ms, |(time, _)| *time),
        until_ms: last.map_or(until_ms, |(time, _)| *time),
    };
    Ok(window(&capture, span))
}
