//! What somebody looks at for longer: the running machine as it is recorded, an archive, a capture, recordings; one
//! window after the other.

mod calm;
mod changes;
mod follow;
mod life;
mod marks;
mod now;
mod recorded;
mod served;
mod sql;
mod strip;
mod who;

use std::path::PathBuf;
use std::time::Duration;

use heldup_diagnose::{Focus, Options, Ruleset, cut, diagnose_with, samples_in, window};
use heldup_figure::{Ask, Figure, Narrow, answer_all, find, of_area};
use heldup_model::{Capture, FileSummary, Frame, Span, View};
use jiff::tz::TimeZone;

use crate::error::{EngineError, Result};
use crate::examine::assemble;
use crate::ignored::Ignored;
use crate::live_archive::LiveArchive;
use crate::plot::of_archive;
use crate::progress::Progress;
use crate::request::{AskedSpan, MethodChoice};
use crate::rules;
use crate::seen;
use crate::source::Source;
use crate::source::archive::ArchiveSource;
use calm::Calm;
use follow::Follower;

pub use served::{hosts_of, listed_figures, read_together};

/// Length of the window that is judged of a machine that runs.
const LIVE_MS: i64 = 60_000;
/// What is judged of a window at most; of a longer one its end.
const LONGEST_MS: i64 = 15 * 60_000;

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub struct ViewRequest {
    /// SOURCE words; none for the running machine.
    pub sources: Vec<String>,
    /// Which part.
    pub span: AskedSpan,
    /// Length of a window.
    pub window: Option<Duration>,
    /// How to account for time, where nobody records yet.
    pub method: MethodChoice,
    /// Findings that are left out.
    pub ignore: Vec<String>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
}

/// Who looks.
pub struct Viewer {
    film: Film,
    asked: Option<Span>,
    window_ms: Option<i64>,
    ruleset: Ruleset,
    ignored: Ignored,
    calm: Calm,
    follower: Follower,
    tail: now::Tail,
    known: marks::Known,
    strips: strip::Strips,
}

/// Where the pictures come from.
enum Film {
    Live(LiveArchive),
    Archive(ArchiveSource),
    Whole { name: String, capture: Box<Capture>, files: Vec<FileSummary>, zone: Option<TimeZone> },
}

impl Viewer {
    /// Opens what is asked for.
    pub fn open(request: &ViewRequest, progress: &dyn Progress) -> Result<Viewer> {
        let ruleset = rules::ruleset(request.rules.as_deref());
        let ignored = Ignored::parse(&request.ignore, &ruleset)?;
        let source = Source::parse_all(&request.sources, &request.span)?;
        source.say(progress);
        let mut asked = None;
        let recorded = source.recorded(&request.span, request.window, progress)?;
        let film = match (source, recorded) {
            (Source::Kept { name, .. } | Source::Recordings { name, .. }, Some(recorded)) => Film::Whole {
                name,
                capture: Box::new(recorded.capture),
                files: recorded.files,
                zone: recorded.zone,
            },
            (Source::Archive(archive), _) => {
                asked = archive.asked(&request.span, request.window, progress)?;
                Film::Archive(archive)
            }
            _ => {
                let live = LiveArchive::open(request.method)?;
                live.note.iter().for_each(|note| progress.note(note));
                Film::Live(live)
            }
        };
        let window_ms =
            request.window.map(|length| i64::try_from(length.as_millis()).unwrap_or(i64::MAX).max(1000));
        Ok(Viewer {
            film,
            asked,
            window_ms,
            ruleset,
            ignored,
            calm: Calm::default(),
            follower: Follower::default(),
            tail: now::Tail::default(),
            known: marks::Known::default(),
            strips: strip::Strips::default(),
        })
    }

    /// What the user called it; nothing of the running machine.
    pub fn name(&self) -> Option<&str> {
        match &self.film {
            Film::Live(_) => None,
            Film::Archive(archive) => Some(&archive.name),
            Film::Whole { name, .. } => Some(name),
        }
    }

    /// Whether it goes on.
    pub fn is_live(&self) -> bool {
        matches!(self.film, Film::Live(_))
    }

    /// The zone that its times are in, where that is not the reader's.
    pub fn zone(&self) -> Option<&TimeZone> {
        match &self.film {
            Film::Whole { zone, .. } => zone.as_ref(),
            Film::Live(_) | Film::Archive(_) => None,
        }
    }

    /// What ended the recording of the running machine, where it has ended.
    pub fn lost(&mut self) -> Option<String> {
        match &mut self.film {
            Film::Live(live) => live.lost(),
            Film::Archive(_) | Film::Whole { .. } => None,
        }
    }

    /// All that there is.
    pub fn all(&self) -> Result<Span> {
        match &self.film {
            Film::Live(live) => match self.follower.all(&live.archive)? {
                Some(all) => Ok(all),
                None => live.archive.all(),
            },
            Film::Archive(archive) => archive.all(),
            Film::Whole { capture, .. } => Ok(capture.span),
        }
    }

    /// The window that is shown first: what is asked for, of a machine that runs the last minute, of a short recording
    /// all, of a longer one its last minutes.
    pub fn first(&self) -> Result<Span> {
        let all = self.all()?;
        let length_ms = self.length_ms().unwrap_or(all.until_ms - all.since_ms);
        Ok(match self.asked {
            Some(asked) => asked,
            None => Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all },
        })
    }

    /// Length of the first window; none of what is shown as a whole.
    fn length_ms(&self) -> Option<i64> {
        self.window_ms.or(match &self.film {
            Film::Live(_) => Some(LIVE_MS),
            Film::Archive(_) => Some(2 * LIVE_MS),
            Film::Whole { .. } => None,
        })
    }

    /// The window of now, examined; what flickers from one to the next is left out.
    pub fn follow(&mut self) -> Result<View> {
        let mut view = self.now()?;
        self.calm.settle(&mut view);
        Ok(view)
    }

    /// The window of now, examined. Of an archive only what came since is read.
    fn now(&self) -> Result<View> {
        let length_ms = self.length_ms().map(|length_ms| length_ms.min(LONGEST_MS));
        match (&self.film, length_ms.filter(|_| self.asked.is_none())) {
            (Film::Live(live), Some(length_ms)) => {
                self.follower.look(&live.archive, "live", length_ms, &self.ruleset, &self.ignored)
            }
            (Film::Archive(archive), Some(length_ms)) => {
                self.follower.look(archive, &archive.name, length_ms, &self.ruleset, &self.ignored)
            }
            _ => self.look(self.first()?),
        }
    }

    /// A window, examined.
    pub fn look(&self, span: Span) -> Result<View> {
        let (name, capture, own_pid) = self.capture(span)?;
        let options = Options { own_pid, focus: None, clock: None };
        let mut diagnosis = diagnose_with(&capture, &self.ruleset, &options);
        self.ignored.leave_out(&mut diagnosis.findings);
        let mut examination = assemble::of(&capture, diagnosis, name)?;
        if let Film::Whole { files, .. } = &self.film {
            examination.files.clone_from(files);
        }
        let (tasks, mut processes) = seen::seen(&capture)?;
        processes.retain(|process| Some(process.pid) != own_pid);
        let tasks = tasks.into_iter().filter(|task| task.pid.is_none() || task.pid != own_pid).collect();
        Ok(View { span: capture.span, examination, tasks, processes })
    }

    /// The tables of a window, and the recorder's own process.
    fn capture(&self, span: Span) -> Result<(&str, Capture, Option<i64>)> {
        let of_archive = |archive: &ArchiveSource| -> Result<(Capture, Option<i64>)> {
            let since_ms = span.since_ms.max(span.until_ms - LONGEST_MS);
            let capture = archive.capture(Span { since_ms, ..span })?;
            let own_pid = archive.own_pid(&capture);
            Ok((capture, own_pid))
        };
        match &self.film {
            Film::Live(live) => of_archive(&live.archive).map(|(capture, pid)| ("live", capture, pid)),
            Film::Archive(archive) => {
                of_archive(archive).map(|(capture, pid)| (archive.name.as_str(), capture, pid))
            }
            Film::Whole { name, capture, .. } if span == capture.span => {
                Ok((name, capture.as_ref().clone(), None))
            }
            Film::Whole { name, capture, .. } => {
                let part = window(capture, span);
                if samples_in(&part, span).is_none() {
                    return Err(EngineError::not_found(format!("{name}: no sample in this window")));
                }
                Ok((name, part, None))
            }
        }
    }

    /// Figures of a window: ids and areas.
    pub fn figures(&self, words: &[&str], span: Span, steps: usize) -> Result<Vec<Frame>> {
        self.drawn(&figures(words), span, steps)
    }

    /// The same of what a word of `--focus` names, where there is one. Tables that do not tell whose their rows are stay
    /// whole.
    pub fn figures_of(
        &self,
        words: &[&str],
        span: Span,
        steps: usize,
        focus: Option<&str>,
    ) -> Result<Vec<Frame>> {
        let Some(focus) = focus else { return self.figures(words, span, steps) };
        let focus: Focus = focus.parse().map_err(EngineError::usage)?;
        let figures = figures(words);
        if let Some(to) = narrow(&focus) {
            let figures: Vec<Figure> = figures.into_iter().map(|figure| figure.narrowed(&to)).collect();
            return self.drawn(&figures.iter().collect::<Vec<_>>(), span, steps);
        }
        let (_, capture, own_pid) = self.capture(span)?;
        let capture = cut(&capture, Some(&focus), own_pid).capture;
        let ask = Ask { steps, by_minute: false };
        Ok(answer_all(&figures, &capture, ask).into_iter().flatten().collect())
    }

    fn drawn(&self, figures: &[&Figure], span: Span, steps: usize) -> Result<Vec<Frame>> {
        let archive = match &self.film {
            Film::Whole { capture, .. } => {
                let part;
                let capture = match span == capture.span {
                    true => capture.as_ref(),
                    false => {
                        part = window(capture, span);
                        &part
                    }
                };
                let ask = Ask { steps, by_minute: false };
                return Ok(answer_all(figures, capture, ask).into_iter().flatten().collect());
            }
            Film::Live(live) => &live.archive,
            Film::Archive(archive) => archive,
        };
        let (capture, by_minute) = of_archive(archive, span, figures)?;
        let ask = Ask { steps, by_minute };
        Ok(answer_all(figures, &capture, ask).into_iter().flatten().collect())
    }
}

/// What a column tells of a focus; none of what only processes and mounts together tell.
fn narrow(focus: &Focus) -> Option<Narrow> {
    Some(match focus {
        Focus::Pid(pid) => Narrow::Pid(*pid),
        Focus::Unit(name) => Narrow::Unit(name.clone()),
        Focus::Container(id) => Narrow::Container(id.clone()),
        Focus::Comm(name) => Narrow::Program(name.clone()),
        Focus::Device(name) => Narrow::Device(name.clone()),
        Focus::Cgroup(_) | Focus::Mount(_) | Focus::Port(_) | Focus::Command => return None,
    })
}

/// The figures of ids and areas.
fn figures(words: &[&str]) -> Vec<&'static Figure> {
    let by_id = words.iter().filter_map(|word| find(word));
    let by_area = words.iter().flat_map(|word| of_area(word));
    by_id.chain(by_area).collect()
}
