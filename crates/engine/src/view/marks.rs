//! What was found in a longer time. What was judged is not judged again: a machine that runs is asked every minute.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use heldup_diagnose::{BadStretch, Options, bad_stretches, diagnose_with, window};
use heldup_hostfs::realtime_ms;
use heldup_model::{Capture, Mark, Span};

use super::{Film, Viewer};
use crate::error::{Context, EngineError, Result};
use crate::examine::timeline::{Judge, Remembered, SETTLES_MS, brief, timeline_with};
use crate::progress::Silent;
use crate::source::archive::ArchiveSource;

const MINUTE_MS: i64 = 60_000;
/// Stretches of a recording that are looked at.
const MOST_MARKS: usize = 12;

/// What is known of the time before.
#[derive(Default)]
pub struct Known(Mutex<Both>);

#[derive(Default)]
struct Both {
    /// Of an archive.
    archive: Remembered,
    /// Of a machine that runs: the last answer, and of which minutes.
    last: Option<(Span, Vec<Mark>)>,
    /// Of a capture, by stretch.
    capture: BTreeMap<(i64, i64), Mark>,
}

impl Viewer {
    /// The worst stretches of a longer time, in the order of time. Asked again of a time that goes on, only what is new is
    /// read and judged. Of a machine that runs it is up to the minute before the last two: what is wrong now its view says.
    pub fn marks(&self, span: Span) -> Result<Vec<Mark>> {
        let mut known = self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut marks = match &self.film {
            Film::Live(live) => {
                let span = settled(span);
                match &known.last {
                    _ if span.until_ms <= span.since_ms => return Ok(Vec::new()),
                    Some((of, marks)) if *of == span => return Ok(marks.clone()),
                    _ => known.archive.skips_end = true,
                }
                let mut marks = self.marks_of(&live.archive, span, &mut known.archive)?;
                put_in_order(&mut marks);
                known.last = Some((span, marks.clone()));
                return Ok(marks);
            }
            Film::Archive(archive) => {
                known.archive.is_closed = realtime_ms() - span.until_ms > SETTLES_MS;
                self.marks_of(archive, span, &mut known.archive)?
            }
            Film::Whole { capture, .. } => self.marks_in(capture, &mut known.capture)?,
        };
        put_in_order(&mut marks);
        Ok(marks)
    }

    fn marks_in(&self, capture: &Capture, known: &mut BTreeMap<(i64, i64), Mark>) -> Result<Vec<Mark>> {
        if known.is_empty() {
            let mut worst = bad_stretches(capture).context("cannot read the recording")?;
            worst.sort_by_key(|stretch| stretch.rank);
            worst.truncate(MOST_MARKS);
            for stretch in &worst {
                let Span { since_ms, until_ms } = stretch.span;
                known.insert((since_ms, until_ms), self.mark(capture, stretch));
            }
        }
        Ok(known.values().cloned().collect())
    }

    fn mark(&self, capture: &Capture, stretch: &BadStretch) -> Mark {
        let part = window(capture, stretch.span);
        let mut found = diagnose_with(&part, &self.ruleset, &Options::default()).findings;
        self.ignored.leave_out(&mut found);
        let causes = found.into_iter().filter(|finding| finding.because.is_empty());
        Mark { span: stretch.span, findings: causes.map(brief).collect() }
    }

    fn marks_of(&self, archive: &ArchiveSource, span: Span, known: &mut Remembered) -> Result<Vec<Mark>> {
        let judge = Judge { ruleset: &self.ruleset, ignored: &self.ignored, focus: None, baseline: None };
        let found = timeline_with(archive, span, &judge, known, &Silent)?;
        let time = |text: &str| {
            let time: jiff::Timestamp = text.parse().context("a time of the timeline")?;
            Ok::<i64, EngineError>(time.as_millisecond())
        };
        found
            .stretches
            .into_iter()
            .map(|stretch| {
                let span =
                    Span { since_ms: time(&stretch.examined_from)?, until_ms: time(&stretch.examined_to)? };
                Ok(Mark { span, findings: stretch.findings })
            })
            .collect()
    }
}

/// Those of which something was found, in the order of time.
fn put_in_order(marks: &mut Vec<Mark>) {
    marks.retain(|mark| !mark.findings.is_empty());
    marks.sort_by_key(|mark| mark.span.since_ms);
}

/// The whole minutes of a time that goes on to which nothing is added any more: within a minute they are the same.
fn settled(span: Span) -> Span {
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    Span { since_ms: full(span.since_ms), until_ms: full(span.until_ms - SETTLES_MS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_changes_once_a_minute() {
        let of = |until_ms| settled(Span { since_ms: 100_000, until_ms });
        assert_eq!(of(600_000), Span { since_ms: 60_000, until_ms: 480_000 });
        assert_eq!(of(659_999), of(600_000));
        assert_eq!(of(660_000).until_ms, 540_000);
        // Of what has only begun there is nothing.
        assert!(of(130_000).until_ms <= of(130_000).since_ms);
    }
}
