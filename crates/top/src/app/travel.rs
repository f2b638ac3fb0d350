//! Through time: steps, jumps, a time that somebody types, and back to now.

use heldup_model::{BriefFinding, FindingGroup, Mark, Severity, Span};

use super::{App, MINUTE_MS};
use crate::when;
use crate::worker::Ask;

/// A step back or ahead, where samples are a second apart.
pub(super) const STEP_MS: i64 = 1000;

impl App {
    pub(super) fn go_to(&mut self, text: &str) -> Vec<Ask> {
        let Some(all) = self.all else {
            self.said = Some("nothing was read yet".to_owned());
            return Vec::new();
        };
        match when::typed(text, all, self.now_ms, &self.zone) {
            Ok(at_ms) if at_ms < all.since_ms || at_ms > all.until_ms => {
                let (from, to) = (self.clock(all.since_ms), self.clock(all.until_ms));
                self.said = Some(format!("no data for {}; recorded: {from} until {to}", self.clock(at_ms)));
                Vec::new()
            }
            Ok(at_ms) => {
                let length_ms = self.length_ms();
                self.at(Span { since_ms: at_ms, until_ms: at_ms + length_ms })
            }
            Err(what) => {
                self.said = Some(what);
                Vec::new()
            }
        }
    }

    /// A time as it is printed.
    pub fn clock(&self, at_ms: i64) -> String {
        when::clock(at_ms, self.now_ms, &self.zone)
    }

    pub(super) fn length_ms(&self) -> i64 {
        self.span
            .or(self.view.as_ref().map(|view| view.span))
            .map_or(MINUTE_MS, |span| span.until_ms - span.since_ms)
    }

    pub(super) fn shift(&mut self, by_ms: i64) -> Vec<Ask> {
        let Some(span) = self.span.or(self.view.as_ref().map(|view| view.span)) else { return Vec::new() };
        let length_ms = span.until_ms - span.since_ms;
        let (least, most) = self.all.map_or((i64::MIN, i64::MAX), |all| (all.since_ms, all.until_ms));
        let until_ms = (span.until_ms + by_ms).clamp(least.saturating_add(length_ms.min(STEP_MS)), most);
        let since_ms = (until_ms - length_ms).max(least);
        self.at(Span { since_ms, until_ms })
    }

    pub(super) fn at(&mut self, span: Span) -> Vec<Ask> {
        let mut asks = Vec::new();
        if self.follows {
            self.follows = false;
            asks.push(Ask::Follow(false));
        }
        if self.view.as_ref().is_some_and(|view| view.span == span) {
            return asks;
        }
        self.span = Some(span);
        asks.push(Ask::Look(span));
        asks
    }

    pub(super) fn jump_to_finding(&mut self, by: isize) -> Vec<Ask> {
        let Some(marks) = &self.marks else {
            self.said = Some("what was found is not known yet".to_owned());
            return Vec::new();
        };
        let now_ms = self.span.map_or(self.now_ms, |span| span.since_ms);
        let next = match by > 0 {
            true => marks.iter().find(|mark| mark.span.since_ms > now_ms),
            false => marks.iter().rev().find(|mark| mark.span.since_ms < now_ms),
        };
        match next.map(|mark| mark.span) {
            Some(span) => self.at(span),
            None => {
                let way = if by > 0 { "later" } else { "earlier" };
                self.said = Some(format!("no {way} finding"));
                Vec::new()
            }
        }
    }

    pub(super) fn freeze(&mut self) -> Vec<Ask> {
        if !self.live {
            return Vec::new();
        }
        self.follows = !self.follows;
        vec![Ask::Follow(self.follows)]
    }

    pub(super) fn now(&mut self) -> Vec<Ask> {
        if self.live {
            // What happened meanwhile was not followed.
            let asks =
                if self.follows { vec![Ask::Follow(true)] } else { vec![Ask::Follow(true), Ask::Marks] };
            self.follows = true;
            return asks;
        }
        let Some(all) = self.all else { return Vec::new() };
        let length_ms = self.length_ms();
        self.at(Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all })
    }

    /// Adds what was found in the window of now to the marks: of one trouble that goes on the worst window is kept.
    pub(super) fn mark_now(&mut self) {
        let (Some(view), Some(marks)) = (&self.view, &mut self.marks) else { return };
        let graver = view.examination.groups.iter().filter(|group| group.severity != Severity::Info);
        let findings: Vec<BriefFinding> =
            graver.filter_map(|group| self.view.as_ref().and_then(|view| brief(view, group))).collect();
        let Some(first) = findings.first() else { return };
        let mark = Mark { span: view.span, findings: findings.clone() };
        let goes_on = |known: &&mut Mark| {
            known.span.until_ms > view.span.since_ms
                && known.findings.first().map(|one| &one.id) == Some(&first.id)
        };
        match marks.iter_mut().rev().find(goes_on) {
            Some(known) if known.findings.first().and_then(|one| one.cost) < first.cost => *known = mark,
            Some(_) => {}
            None => marks.push(mark),
        }
    }
}

fn brief(view: &heldup_model::View, group: &FindingGroup) -> Option<BriefFinding> {
    let key = group.members.first()?;
    let finding = view.examination.findings.iter().find(|finding| finding.key == *key)?;
    Some(BriefFinding {
        key: finding.key.clone(),
        id: group.id.clone(),
        severity: group.severity,
        impact: group.impact.kind,
        cost: group.cost,
        title: finding.title.clone(),
        culprits: finding.culprits.clone(),
    })
}
