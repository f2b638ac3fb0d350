//! The time line of all that there is: classes of time of sealed hours are read once, and of what is not sealed only what
//! is new.

use std::sync::{Mutex, PoisonError};

use heldup_archive::kept::{ArchiveWindow, UnsealedClasses};
use heldup_figure::{Ask, answer, find};
use heldup_model::tables::{ClassTimeRow, HostRow};
use heldup_model::{Capture, Frame, Method, Record, Span, Timing};

use super::{Film, Viewer};
use crate::error::Result;
use crate::source::archive::ArchiveSource;

/// The figure of classes, and what is drawn where no time was accounted for.
const CLASSES: &str = "time.classes";
const WITHOUT: &str = "cpu.states";
/// Parts of a step after which it is drawn anew.
const PARTS: i64 = 4;

/// What was read for it.
#[derive(Default)]
pub struct Strips(Mutex<Option<Strip>>);

struct Strip {
    unsealed: UnsealedClasses,
    /// Of which segments nothing sealed is read, and what all others have.
    sealed: Option<(Vec<String>, i64, ArchiveWindow)>,
    host: Option<ArchiveWindow>,
    drawn: Option<(usize, Span, Frame)>,
}

impl Viewer {
    /// All that there is, and the time line of it in so many steps: time by class, and where that is not known what the CPUs
    /// did. Asked again of a machine that runs, it reads what is new.
    pub fn strip(&self, steps: usize) -> Result<(Span, Option<Frame>)> {
        let all = self.all()?;
        let archive = match &self.film {
            Film::Live(live) => &live.archive,
            Film::Archive(archive) => archive,
            Film::Whole { .. } => {
                for id in [CLASSES, WITHOUT] {
                    let mut frames = self.figures(&[id], all, steps)?;
                    if !frames.is_empty() {
                        return Ok((all, Some(frames.swap_remove(0))));
                    }
                }
                return Ok((all, None));
            }
        };
        let mut kept = self.strips.0.lock().unwrap_or_else(PoisonError::into_inner);
        let strip = kept.get_or_insert_with(|| Strip {
            unsealed: archive.unsealed_classes(),
            sealed: None,
            host: None,
            drawn: None,
        });
        match strip.draw(archive, all, steps)? {
            Some(frame) => Ok((all, Some(frame))),
            None => Ok((all, self.figures(&[WITHOUT], all, steps)?.into_iter().next())),
        }
    }
}

impl Strip {
    fn draw(&mut self, archive: &ArchiveSource, all: Span, steps: usize) -> Result<Option<Frame>> {
        let step_ms = (all.until_ms - all.since_ms) / steps.max(1) as i64;
        if let Some((known, of, frame)) = &self.drawn
            && *known == steps
            && (all.until_ms - of.until_ms) * PARTS <= step_ms
            && (all.since_ms - of.since_ms) * PARTS <= step_ms
        {
            return Ok(Some(frame.clone()));
        }
        let Some(figure) = find(CLASSES) else { return Ok(None) };
        let (rows, journals) = self.unsealed.read()?;
        let names: Vec<String> = journals.iter().map(|name| name.journal()).collect();
        let is_known = |(known, since_ms, _): &&(Vec<String>, i64, ArchiveWindow)| {
            *known == names && *since_ms <= all.since_ms
        };
        if self.sealed.as_ref().filter(is_known).is_none() {
            let sealed = archive.sealed_rows(ClassTimeRow::DEF, all, &journals)?;
            self.sealed = Some((names, all.since_ms, sealed));
            self.host = None;
        }
        let mut tables = match &self.sealed {
            Some((.., sealed)) => sealed.tables.clone(),
            None => Default::default(),
        };
        tables.entry(ClassTimeRow::DEF.name.to_owned()).or_default().extend(rows);
        // How many CPUs there are is said once an hour.
        if self.host.as_ref().is_none_or(|host| host.tables.is_empty()) {
            self.host = Some(archive.rows(all, &|table| table == HostRow::DEF.name, &|_, _| true)?);
        }
        tables.extend(self.host.iter().flat_map(|host| host.tables.clone()));
        let capture = Capture {
            host: archive.host.clone(),
            span: all,
            method: Method::Imported,
            coverage: 1.0,
            untold: Vec::new(),
            timing: Timing::default(),
            tables,
            missing: Vec::new(),
            flaws: Vec::new(),
        };
        let frame = answer(figure, &capture, Ask { steps, by_minute: true }).into_iter().next();
        self.drawn = frame.clone().map(|frame| (steps, all, frame));
        Ok(frame)
    }
}
