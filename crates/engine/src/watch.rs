//! The machine examined window after window: an event when something happens.
//!
//! Windows follow each other without a gap: the reading that ends one begins the next, and the
//! ledger stays loaded. A window is judged between two samples of the next one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use heldup_diagnose::{
    Diagnoser, Diagnosis, Episode, Episodes, Focus, Hysteresis, Options, Ruleset, Turn, group_findings,
};
use heldup_hostfs::{Host, Interrupts, monotonic_ns, realtime_ms, thread_cpu_ns};
use heldup_model::{Capture, ErrorNote, Severity, WATCH_SCHEMA, WatchEvent, WatchLine, WatchSummary};
use heldup_sources::SampleKind;

use crate::cancel::Cancel;
use crate::error::Result;
use crate::focus_subject;
use crate::ignored::Ignored;
use crate::overhead;
use crate::progress::Progress;
use crate::request::MethodChoice;
use crate::rules;
use crate::session::Session;
use crate::session::look::count_overhead;
use crate::times::rfc3339;

/// Different errors that are told; what goes wrong in each window in another way is not news.
const MOST_ERRORS: usize = 100;

/// How it is watched.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// Length of a window.
    pub interval: Duration,
    /// How long to watch, in whole windows; until it is stopped without it.
    pub length: Option<Duration>,
    /// Findings of this severity and worse are told.
    pub min_severity: Severity,
    /// In so many of the last so many windows a finding must be found to appear.
    pub raise_after: (u32, u32),
    /// Windows in a row without it after which a finding has ended.
    pub clear_after: u32,
    /// How to account for time.
    pub method: MethodChoice,
    /// Judge only this.
    pub focus: Option<Focus>,
    /// Findings that are left out, by id or key.
    pub ignore: Vec<String>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
    /// Whether the kernel counts what our eBPF programs cost.
    pub measure_overhead: bool,
}

/// Who is told what happens.
pub trait Watched {
    /// Something happened; the last line is the summary.
    fn line(&mut self, line: WatchLine);
    /// At least at every sample: time for other things, which must be short.
    fn awake(&mut self) {}
}

/// Watches until it is stopped or the time is over.
pub fn watch(
    request: &WatchRequest,
    watched: &mut dyn Watched,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<()> {
    let windows = request.length.map(|length| whole_windows(length, request.interval));
    let ruleset = rules::ruleset(request.rules.as_deref());
    let ignored = Ignored::parse(&request.ignore, &ruleset)?;
    let host = Host::live();
    let (_counted, missing) = count_overhead(request.measure_overhead);
    let interrupts = cancel.begin()?;
    if let Some(focus) = &request.focus
        && !focus_subject::await_it(&host, focus, progress, &interrupts)
    {
        return Ok(());
    }
    let open = || Session::open(&host, request.method, false, &|_| false, missing.clone());
    let mut session = open()?;
    let focus = request.focus.clone();
    let options = Options { own_pid: Some(session.own_pid()), focus, clock: Some(thread_cpu_ns) };
    let mut watcher = Watcher::new(request, ignored, session.host_name(), watched);
    progress.note(&format!("watching in windows of {:.0?}; Ctrl-C ends it", request.interval));
    let begun_ns = session.start_ns();
    let mut end_ns = begun_ns;
    while windows.is_none_or(|windows| watcher.summary.windows < windows) {
        // A window that was judged for longer than the next one lasts does not shorten that one.
        end_ns = (end_ns + request.interval.as_nanos() as u64).max(monotonic_ns());
        match next_window(&mut session, &interrupts, end_ns, watcher.watched) {
            Ok(None) => break,
            Ok(Some(capture)) => {
                let ended = options.focus.as_ref().filter(|focus| !focus_subject::is_there(&host, focus));
                watcher.judge(&capture, &ruleset, &options)?;
                if let Some(focus) = ended {
                    watcher.error(focus_subject::ended(focus))?;
                    if !focus_subject::await_it(&host, focus, progress, &interrupts) {
                        break;
                    }
                    // What comes of that name now begins with a window of its own.
                    session = open()?;
                    end_ns = session.start_ns();
                }
            }
            Err(error) => {
                // Who watches for weeks is not to find that it ended in the first night.
                let what = format!("{}; this window is lost, watching restarts", error.whole());
                watcher.error(ErrorNote { place: "watch".to_owned(), what })?;
                session = open()?;
                end_ns = session.start_ns();
            }
        }
    }
    watcher.summary.seconds = monotonic_ns().saturating_sub(begun_ns) as f64 / 1e9;
    watcher.summary.overhead = overhead::so_far(session.program_time(), request.measure_overhead);
    watcher.finish()
}

/// What was seen until the window ends; none when somebody asked to stop before.
fn next_window(
    session: &mut Session,
    interrupts: &Interrupts,
    end_ns: u64,
    watched: &mut dyn Watched,
) -> Result<Option<Capture>> {
    if session.sample_until(interrupts, end_ns, &mut || Ok(false), &mut |_| watched.awake())? {
        return Ok(None);
    }
    session.sample(SampleKind::Turn)?;
    Ok(Some(session.end_window()))
}

/// How many windows come closest to a time; one at least.
fn whole_windows(length: Duration, every: Duration) -> u64 {
    (length.as_secs_f64() / every.as_secs_f64()).round().max(1.0) as u64
}

/// What is known over all windows.
struct Watcher<'a> {
    host: String,
    ignored: Ignored,
    diagnoser: Diagnoser,
    episodes: Episodes,
    watched: &'a mut dyn Watched,
    summary: WatchSummary,
    /// Errors that were told.
    told: BTreeSet<String>,
}

impl<'a> Watcher<'a> {
    fn new(
        request: &WatchRequest,
        ignored: Ignored,
        host: &str,
        watched: &'a mut dyn Watched,
    ) -> Watcher<'a> {
        let (found, of) = request.raise_after;
        let hysteresis = Hysteresis {
            least: request.min_severity,
            found,
            of,
            without: request.clear_after,
            ..Hysteresis::default()
        };
        Watcher {
            host: host.to_owned(),
            ignored,
            diagnoser: Diagnoser::default(),
            episodes: Episodes::new(hysteresis),
            watched,
            summary: WatchSummary::default(),
            told: BTreeSet::new(),
        }
    }

    /// Judges a window and tells what happened.
    fn judge(&mut self, capture: &Capture, ruleset: &Ruleset, options: &Options) -> Result<()> {
        let Diagnosis { mut findings, measured, errors, .. } =
            self.diagnoser.diagnose(capture, ruleset, options);
        self.ignored.leave_out(&mut findings);
        self.summary.windows += 1;
        let flaws = capture.flaws.iter().cloned().map(ErrorNote::from);
        for error in flaws.chain(errors) {
            self.error(error)?;
        }
        let groups = group_findings(&findings, &measured);
        for episode in self.episodes.next_window(capture.span, &findings, &groups) {
            self.summary.appeared += u64::from(episode.turn == Turn::Appeared);
            let line = self.line_of(&episode, capture.span.until_ms)?;
            self.watched.line(line);
        }
        Ok(())
    }

    fn line_of(&self, episode: &Episode, time_ms: i64) -> Result<WatchLine> {
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
            group: Some(episode.group.clone()),
            finding: Some(episode.finding.clone()),
            ..self.bare(event, time_ms)?
        })
    }

    fn bare(&self, event: WatchEvent, time_ms: i64) -> Result<WatchLine> {
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
            group: None,
            finding: None,
            error: None,
            summary: None,
        })
    }

    /// Tells an error, once for each place.
    fn error(&mut self, error: ErrorNote) -> Result<()> {
        if self.told.len() < MOST_ERRORS && self.told.insert(error.place.clone()) {
            let line = WatchLine { error: Some(error), ..self.bare(WatchEvent::Error, realtime_ms())? };
            self.watched.line(line);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.summary.open = self.episodes.open().map(str::to_owned).collect();
        let now = self.bare(WatchEvent::Summary, realtime_ms())?;
        self.watched.line(WatchLine { summary: Some(self.summary.clone()), ..now });
        Ok(())
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
