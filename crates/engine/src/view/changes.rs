//! Time broken down, and what differs between two windows.

use heldup_diagnose::{CompareOptions, Focus, cut, window};
use heldup_model::{Breakdown, BreakdownDifference, BreakdownKind, Comparison, Span};

use super::{Film, LONGEST_MS, Viewer};
use crate::breakdown::{BreakdownRequest, Opened, breakdown_of, difference};
use crate::error::{Context, EngineError, Result};
use crate::request::{AskedSpan, MethodChoice};
use crate::source::archive::between_in;
use jiff::tz::TimeZone;

impl Viewer {
    /// One kind of time of a window, by program, object and stack.
    pub fn breakdown(&self, kind: BreakdownKind, span: Span) -> Result<Breakdown> {
        self.broken_down(kind, span, None, false)
    }

    /// The same with every stack, as a flame graph draws them; of what a word of `--focus` names, where there is one.
    pub fn flame(&self, kind: BreakdownKind, span: Span, focus: Option<&str>) -> Result<Breakdown> {
        self.broken_down(kind, span, focus, true)
    }

    /// What differs between two windows in one kind of time.
    pub fn breakdown_difference(
        &self,
        kind: BreakdownKind,
        before: Span,
        after: Span,
    ) -> Result<BreakdownDifference> {
        let [before, after] = [before, after].map(|span| self.broken_down(kind, span, None, true));
        Ok(difference(&before?, &after?))
    }

    fn broken_down(
        &self,
        kind: BreakdownKind,
        span: Span,
        focus: Option<&str>,
        flame: bool,
    ) -> Result<Breakdown> {
        let focus = focus.map(|word| word.parse::<Focus>().map_err(EngineError::usage)).transpose()?;
        let request = BreakdownRequest {
            kind,
            source: None,
            window: None,
            span: AskedSpan::default(),
            focus,
            method: MethodChoice::Auto,
            stacks: false,
            redact: false,
            flame,
        };
        let opened = match &self.film {
            Film::Live(live) => Opened::Archive(&live.archive, span),
            Film::Archive(archive) => Opened::Archive(archive, span),
            Film::Whole { name, capture, files, .. } => {
                let part = match span == capture.span {
                    true => capture.as_ref().clone(),
                    false => window(capture, span),
                };
                Opened::Capture(name, part, !files.is_empty())
            }
        };
        breakdown_of(opened, &request)
    }

    /// What differs between two windows: settings, time, findings, programs, figures. Of a longer window its end.
    pub fn compare(&self, before: Span, after: Span) -> Result<Comparison> {
        let zone = self.zone().cloned().unwrap_or_else(TimeZone::system);
        let side = |span: Span| -> Result<_> {
            let (_, capture, own_pid) = self.capture(span)?;
            let name = between_in(capture.span, &zone);
            let cut = cut(&capture, None, own_pid).capture;
            let is_part =
                span.until_ms - span.since_ms > LONGEST_MS && !matches!(self.film, Film::Whole { .. });
            Ok((name, cut, is_part))
        };
        let ((first, one, is_part), (second, other, is_part_too)) = (side(before)?, side(after)?);
        let options = CompareOptions { whole: false, rules: Some(&self.ruleset) };
        let mut found = heldup_diagnose::compare((first.as_str(), &one), (second.as_str(), &other), options)
            .context("cannot compare the windows")?;
        if is_part || is_part_too {
            let minutes = LONGEST_MS / 60_000;
            found.notes.insert(0, format!("of a longer window the last {minutes} minutes are compared"));
        }
        Ok(found)
    }
}
