//! `heldup watch`: the machine examined window after window, and a line when something happens.
//!
//! Windows follow each other without a gap: the reading that ends one begins the next, and the
//! ledger stays loaded. A window is judged between two samples of the next one.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context;
use heldup_diagnose::{
    Diagnosis, Episode, Episodes, Focus, Hysteresis, Options, Ruleset, Turn, diagnose_with,
};
use heldup_hostfs::{Host, Interrupts, monotonic_ns, realtime_ms, thread_cpu_ns};
use heldup_model::{
    Capture, CostOfLooking, ErrorNote, Severity, WATCH_SCHEMA, WatchEvent, WatchLine, WatchSummary,
};
use heldup_report::{TextOptions, watch};
use heldup_sources::SampleKind;
use jiff::tz::TimeZone;

use crate::args::{SeverityChoice, WatchArgs};
use crate::examination::rfc3339;
use crate::exec_hook::ExecHook;
use crate::exit::Exit;
use crate::ignored::Ignored;
use crate::live::count_own_cost;
use crate::session::Session;
use crate::{WrongUsage, own_cost, terminal};

use super::rules;

/// Different errors that are told; what goes wrong in each window in another way is not news.
const MOST_ERRORS: usize = 100;

/// Watches until it is stopped or the time is over.
pub fn run(args: &WatchArgs) -> anyhow::Result<Exit> {
    let focus = args.focus.as_deref().map(str::parse::<Focus>).transpose().map_err(WrongUsage)?;
    let windows = args.length.map(|length| whole_windows(length, args.every));
    let ruleset = rules::ruleset(args.rules.as_deref());
    let ignored = Ignored::parse(&args.ignore, &ruleset)?;
    let host = Host::live();
    let (_counted, missing) = count_own_cost(args.own_cost);
    let interrupts = Interrupts::watch()?;
    let mut session = Session::open(&host, args.method, false, &|_| false, missing.clone())?;
    let options = Options { own_pid: Some(session.own_pid()), focus, clock: Some(thread_cpu_ns) };
    let mut watcher = Watcher::new(args, ignored, session.host_name());
    eprintln!("heldup: watching in windows of {:.0?}; Ctrl-C ends it", args.every);
    let begun_ns = session.start_ns();
    let mut end_ns = begun_ns;
    while windows.is_none_or(|windows| watcher.summary.windows < windows) {
        // A window that was judged for longer than the next one lasts does not shorten that one.
        end_ns = (end_ns + args.every.as_nanos() as u64).max(monotonic_ns());
        match next_window(&mut session, &interrupts, end_ns, &mut watcher) {
            Ok(None) => break,
            Ok(Some(capture)) => watcher.judge(&capture, &ruleset, &options)?,
            Err(error) => {
                // Who watches for weeks is not to find that it ended in the first night.
                let what = format!("{error:#}; this window is lost, and the look begins anew");
                watcher.error(ErrorNote { place: "watch".to_owned(), what })?;
                session = Session::open(&host, args.method, false, &|_| false, missing.clone())?;
                end_ns = session.start_ns();
            }
        }
    }
    let seconds = monotonic_ns().saturating_sub(begun_ns) as f64 / 1e9;
    watcher.finish(seconds, own_cost::so_far(session.program_time(), args.own_cost))
}

/// What was seen until the window ends; none when the user asked to stop before.
fn next_window(
    session: &mut Session,
    interrupts: &Interrupts,
    end_ns: u64,
    watcher: &mut Watcher,
) -> anyhow::Result<Option<Capture>> {
    if session.sample_until(interrupts, end_ns, &mut || Ok(false), &mut |_| watcher.look_after_commands())? {
        return Ok(None);
    }
    session.sample(SampleKind::Turn)?;
    Ok(Some(session.end_window()))
}

/// How many windows come closest to a time; one at least.
fn whole_windows(length: Duration, every: Duration) -> u64 {
    (length.as_secs_f64() / every.as_secs_f64()).round().max(1.0) as u64
}

/// What is known over all windows, and how it is told.
struct Watcher {
    json: bool,
    text: TextOptions,
    host: String,
    ignored: Ignored,
    episodes: Episodes,
    hook: ExecHook,
    summary: WatchSummary,
    /// Errors that were told.
    told: BTreeSet<String>,
}

impl Watcher {
    fn new(args: &WatchArgs, ignored: Ignored, host: &str) -> Watcher {
        let least = match args.least {
            SeverityChoice::Critical => Severity::Critical,
            SeverityChoice::Warning => Severity::Warning,
            SeverityChoice::Info => Severity::Info,
        };
        let (found, of) = args.appear;
        let hysteresis = Hysteresis { least, found, of, without: args.end, ..Hysteresis::default() };
        Watcher {
            json: args.json,
            text: TextOptions {
                width: terminal::width(),
                color: terminal::color(args.color),
                bars: false,
                details: false,
                ascii: !terminal::unicode(),
                time_zone: TimeZone::system(),
            },
            host: host.to_owned(),
            ignored,
            episodes: Episodes::new(hysteresis),
            hook: ExecHook::new(args.exec.as_ref(), args.exec_shell.as_ref()),
            summary: WatchSummary::default(),
            told: BTreeSet::new(),
        }
    }

    /// Judges a window and tells what happened.
    fn judge(&mut self, capture: &Capture, ruleset: &Ruleset, options: &Options) -> anyhow::Result<()> {
        let Diagnosis { mut findings, errors, .. } = diagnose_with(capture, ruleset, options);
        self.ignored.leave_out(&mut findings);
        self.summary.windows += 1;
        let flaws = capture.flaws.iter().cloned().map(ErrorNote::from);
        for error in flaws.chain(errors) {
            self.error(error)?;
        }
        for episode in self.episodes.next_window(capture.span, &findings) {
            let line = self.line_of(&episode, capture.span.until_ms)?;
            self.tell(&line);
            if episode.turn == Turn::Appeared {
                self.summary.appeared += 1;
                let wrong = self.hook.call(&line);
                command_failed(&wrong);
            }
        }
        Ok(())
    }

    fn line_of(&self, episode: &Episode, time_ms: i64) -> anyhow::Result<WatchLine> {
        let (event, changes) = match &episode.turn {
            Turn::Appeared => (WatchEvent::Appeared, Vec::new()),
            Turn::Changed(changes) => (WatchEvent::Changed, changes.clone()),
            Turn::Ended => (WatchEvent::Ended, Vec::new()),
        };
        let until = (event == WatchEvent::Ended).then(|| rfc3339(episode.until_ms)).transpose()?;
        Ok(WatchLine {
            key: Some(episode.key.clone()),
            since: Some(rfc3339(episode.since_ms)?),
            until,
            worst: Some(episode.worst),
            changes,
            finding: Some(episode.finding.clone()),
            ..self.line(event, time_ms)?
        })
    }

    fn line(&self, event: WatchEvent, time_ms: i64) -> anyhow::Result<WatchLine> {
        Ok(WatchLine {
            schema: WATCH_SCHEMA.to_owned(),
            event,
            time: rfc3339(time_ms)?,
            host: self.host.clone(),
            key: None,
            since: None,
            until: None,
            worst: None,
            changes: Vec::new(),
            finding: None,
            error: None,
            summary: None,
        })
    }

    /// Tells an error, once for each place.
    fn error(&mut self, error: ErrorNote) -> anyhow::Result<()> {
        if self.told.len() < MOST_ERRORS && self.told.insert(error.place.clone()) {
            let line = WatchLine { error: Some(error), ..self.line(WatchEvent::Error, realtime_ms())? };
            self.tell(&line);
        }
        Ok(())
    }

    fn look_after_commands(&mut self) {
        command_failed(&self.hook.ended());
    }

    fn tell(&self, line: &WatchLine) {
        match self.json {
            true => print!("{}", watch::json_line(line)),
            false => print!("{}", watch::text_line(line, &self.text)),
        }
    }

    fn finish(mut self, seconds: f64, cost: CostOfLooking) -> anyhow::Result<Exit> {
        self.look_after_commands();
        match self.hook.not_ended() {
            (0, _) => {}
            (run, 0) => eprintln!("heldup: {run} calls of --exec still run and are left alone"),
            (run, wait) => {
                eprintln!("heldup: {run} calls of --exec still run and are left alone; {wait} were not made");
            }
        }
        self.summary.seconds = seconds;
        self.summary.open = self.episodes.open().map(|(key, _)| key.to_owned()).collect();
        (self.summary.commands_run, self.summary.commands_failed) = (self.hook.run, self.hook.failed);
        self.summary.cost_of_looking = cost;
        let now = self.line(WatchEvent::Summary, realtime_ms()).context("the time cannot be told")?;
        self.tell(&WatchLine { summary: Some(self.summary.clone()), ..now });
        Ok(Exit::DONE)
    }
}

fn command_failed(said: &[String]) {
    for wrong in said {
        eprintln!("heldup: the command of --exec {}", heldup_report::harmless(wrong));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_watched_in_whole_windows() {
        let windows = |s, every| whole_windows(Duration::from_secs(s), Duration::from_secs(every));
        assert_eq!((windows(60, 10), windows(64, 10), windows(66, 10), windows(1, 10)), (6, 6, 7, 1));
    }
}
