//! Findings of a machine that runs, window after window, as `heldup watch` reports them: what flickers is not shown,
//! and what went on stays until it has ended.

use std::collections::{BTreeMap, BTreeSet};

use heldup_diagnose::Episodes;
use heldup_model::{Finding, FindingGroup, Severity, View};

/// The first windows are shown as they are: nothing is known of what was before.
const FIRST: u32 = 2;

/// What is known of the windows before.
#[derive(Default)]
pub struct Calm {
    episodes: Episodes,
    windows: u32,
    /// End of the last window.
    until_ms: i64,
    /// Groups that were shown, with their findings.
    shown: BTreeMap<String, (FindingGroup, Vec<Finding>)>,
}

impl Calm {
    /// Leaves in the next window what is to be shown of it.
    pub fn settle(&mut self, view: &mut View) {
        // Who was away for longer than a window begins anew.
        if view.span.since_ms > self.until_ms {
            *self = Calm::default();
        }
        self.until_ms = view.span.until_ms;
        self.windows += 1;
        let examination = &mut view.examination;
        self.episodes.next_window(view.span, &examination.findings, &examination.groups);
        let open: BTreeSet<&str> = self.episodes.open().collect();
        if self.windows > FIRST {
            let is_shown =
                |group: &FindingGroup| group.severity == Severity::Info || open.contains(group.key.as_str());
            let (kept, dropped): (Vec<FindingGroup>, Vec<FindingGroup>) =
                std::mem::take(&mut examination.groups).into_iter().partition(is_shown);
            examination.groups = kept;
            let is_dropped = |key: &String| dropped.iter().any(|group| group.members.contains(key));
            examination.findings.retain(|finding| !is_dropped(&finding.key));
            for (key, (group, findings)) in self.shown.iter().filter(|(key, _)| open.contains(key.as_str())) {
                if examination.groups.iter().any(|known| known.key == *key) {
                    continue;
                }
                let at = examination.groups.iter().position(|known| known.severity > group.severity);
                examination.groups.insert(at.unwrap_or(examination.groups.len()), group.clone());
                let missing = findings
                    .iter()
                    .filter(|finding| examination.findings.iter().all(|known| known.key != finding.key));
                let missing: Vec<Finding> = missing.cloned().collect();
                examination.findings.extend(missing);
            }
        }
        let members = |group: &FindingGroup| {
            let mine = examination.findings.iter().filter(|finding| group.members.contains(&finding.key));
            (group.key.clone(), (group.clone(), mine.cloned().collect()))
        };
        let graver = examination.groups.iter().filter(|group| group.severity < Severity::Info);
        self.shown = graver.map(members).collect();
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{Examination, Span, Subject};

    use super::*;

    /// A window ten seconds after the one before, with a finding of a severity or none.
    fn window(number: i64, severity: Option<Severity>) -> View {
        let key = "disk.slow/device:sda".to_owned();
        let finding = |severity| Finding {
            key: key.clone(),
            id: "disk.slow".to_owned(),
            severity,
            subject: Subject { kind: "device".to_owned(), name: "sda".to_owned(), ..Subject::default() },
            ..Finding::default()
        };
        let group = |severity| FindingGroup {
            key: "disk.slow@device".to_owned(),
            id: "disk.slow".to_owned(),
            severity,
            members: vec![key.clone()],
            ..FindingGroup::default()
        };
        let examination = Examination {
            findings: severity.map(finding).into_iter().collect(),
            groups: severity.map(group).into_iter().collect(),
            ..Examination::default()
        };
        let span = Span { since_ms: number * 10_000, until_ms: number * 10_000 + 60_000 };
        View { span, examination, tasks: Vec::new(), processes: Vec::new() }
    }

    /// Whether the finding is shown in each of these windows.
    fn shown(windows: &[Option<Severity>]) -> Vec<bool> {
        let mut calm = Calm::default();
        let seen = windows.iter().enumerate().map(|(number, severity)| {
            let mut view = window(number as i64 + 1, *severity);
            calm.settle(&mut view);
            assert_eq!(view.examination.groups.len(), view.examination.findings.len());
            !view.examination.groups.is_empty()
        });
        seen.collect()
    }

    const WARNING: Option<Severity> = Some(Severity::Warning);
    const INFO: Option<Severity> = Some(Severity::Info);

    #[test]
    fn what_is_found_once_later_on_is_not_shown_and_what_lasts_is() {
        assert_eq!(shown(&[None, None, WARNING, None]), [false, false, false, false]);
        assert_eq!(shown(&[None, None, WARNING, WARNING]), [false, false, false, true]);
        assert_eq!(shown(&[None, None, Some(Severity::Critical)]), [false, false, true]);
    }

    #[test]
    fn what_goes_on_stays_for_a_window_without_it_and_ends_after_two() {
        assert_eq!(shown(&[WARNING, WARNING, None, None]), [true, true, true, false]);
    }

    #[test]
    fn information_and_the_first_windows_are_shown_as_they_are() {
        assert_eq!(shown(&[WARNING, None, INFO, None]), [true, false, true, false]);
    }

    #[test]
    fn who_was_away_begins_anew() {
        let mut calm = Calm::default();
        for number in [1, 2, 3] {
            calm.settle(&mut window(number, WARNING));
        }
        let mut late = window(100, None);
        calm.settle(&mut late);
        assert!(late.examination.groups.is_empty());
    }
}
