//! Findings over many windows: when a group of findings of one id and kind appears, changes and ends. A subject
//! that joins a group is a change of it.
//!
//! A finding that flickers at its threshold, or that a short window misses once, must not be
//! reported each time. So it appears when it was found in `found` of the last `of` windows (at
//! once where it is bad enough), and ends after `without` windows without it. No I/O and no
//! clock: windows go in, events come out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use heldup_model::{EvidenceValue, Finding, FindingGroup, Severity, Span, WatchChange};

/// Windows in a row in which a change must be there to be reported, unless it is for the worse in
/// severity: one bad window more or less is no news.
const LASTING_WINDOWS: u32 = 2;
/// A cost or amount that has become this many times larger, or smaller, has changed markedly.
const MARKEDLY: f64 = 2.0;

/// When findings appear and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hysteresis {
    /// Findings below this severity are not reported.
    pub least: Severity,
    /// What is this bad or worse appears in the first window.
    pub at_once: Severity,
    /// Windows in which it must be found …
    pub found: u32,
    /// … of so many.
    pub of: u32,
    /// Windows in a row without it after which it has ended.
    pub without: u32,
}

impl Default for Hysteresis {
    /// Two of three windows; critical ones at once; ended after two without.
    fn default() -> Hysteresis {
        Hysteresis { least: Severity::Warning, at_once: Severity::Critical, found: 2, of: 3, without: 2 }
    }
}

/// What happened to a finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// It is reported for the first time.
    Appeared,
    /// It continues, different from the last report.
    Changed(Vec<WatchChange>),
    /// It was not found for long enough.
    Ended,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Episode {
    /// `id@kind`, the key of the group.
    pub key: String,
    /// What happened.
    pub turn: Turn,
    /// Start of the first window in which it was found, ms UTC.
    pub since_ms: i64,
    /// End of the last window in which it was found, ms UTC.
    pub until_ms: i64,
    /// How bad it has been at worst.
    pub worst: Severity,
    /// The group as it was found last.
    pub group: FindingGroup,
    /// Its first finding.
    pub finding: Finding,
}

/// A group in one window.
#[derive(Clone, Debug)]
struct Found {
    group: FindingGroup,
    first: Finding,
    /// Subjects of its findings.
    subjects: BTreeSet<String>,
}

/// All findings that go on, or may begin to.
#[derive(Clone, Debug, Default)]
pub struct Episodes {
    hysteresis: Hysteresis,
    followed: BTreeMap<String, Followed>,
}

/// What is known of one group.
#[derive(Clone, Debug)]
struct Followed {
    /// The last windows: where it was found, when they began.
    seen: VecDeque<Option<i64>>,
    /// Its start, once it was reported.
    open_since: Option<i64>,
    until_ms: i64,
    worst: Severity,
    /// As last reported; its subjects are all that were ever reported.
    told: Found,
    latest: Found,
    /// Windows in a row in which it differed from the report.
    otherwise: u32,
    /// Windows in a row without it.
    without: u32,
}

impl Episodes {
    /// Nothing was found yet.
    pub fn new(hysteresis: Hysteresis) -> Episodes {
        Episodes { hysteresis, followed: BTreeMap::new() }
    }

    /// Takes the findings of the next window, in rank order, and their groups, and returns what is to be
    /// reported: what appeared and changed in that order, then what ended.
    pub fn next_window(
        &mut self,
        window: Span,
        findings: &[Finding],
        groups: &[FindingGroup],
    ) -> Vec<Episode> {
        let rules = self.hysteresis;
        let mut out = Vec::new();
        let mut present: Vec<&str> = Vec::new();
        for group in groups.iter().filter(|group| group.severity <= rules.least) {
            let Some(found) = Found::new(group, findings) else { continue };
            present.push(&group.key);
            let followed = self.followed.entry(group.key.clone()).or_insert_with(|| Followed::new(&found));
            out.extend(followed.found(window, &found, rules).map(|turn| followed.episode(&group.key, turn)));
        }
        self.followed.retain(|key, followed| {
            if present.contains(&key.as_str()) {
                return true;
            }
            let goes_on = followed.not_found(rules);
            if !goes_on && followed.open_since.is_some() {
                out.push(followed.episode(key, Turn::Ended));
            }
            goes_on
        });
        out
    }

    /// Keys of groups that were reported and have not ended.
    pub fn open(&self) -> impl Iterator<Item = &str> {
        let open = self.followed.iter().filter(|(_, followed)| followed.open_since.is_some());
        open.map(|(key, _)| key.as_str())
    }
}

impl Found {
    fn new(group: &FindingGroup, findings: &[Finding]) -> Option<Found> {
        let members = || findings.iter().filter(|finding| group.members.contains(&finding.key));
        let subjects = members().map(|finding| finding.subject.name.clone()).collect();
        Some(Found { group: group.clone(), first: members().next()?.clone(), subjects })
    }
}

impl Followed {
    fn new(found: &Found) -> Followed {
        Followed {
            seen: VecDeque::new(),
            open_since: None,
            until_ms: 0,
            worst: found.group.severity,
            told: found.clone(),
            latest: found.clone(),
            otherwise: 0,
            without: 0,
        }
    }

    fn found(&mut self, window: Span, found: &Found, rules: Hysteresis) -> Option<Turn> {
        let severity = found.group.severity;
        self.note(Some(window.since_ms), rules);
        self.until_ms = window.until_ms;
        self.worst = self.worst.min(severity);
        self.without = 0;
        self.latest = found.clone();
        if self.open_since.is_none() {
            let times = self.seen.iter().flatten().count() as u32;
            if severity > rules.at_once && times < rules.found {
                return None;
            }
            self.open_since = self.seen.iter().flatten().next().copied();
            self.told = found.clone();
            return Some(Turn::Appeared);
        }
        let changes = differences(&self.told, found);
        if changes.is_empty() {
            self.otherwise = 0;
            return None;
        }
        self.otherwise += 1;
        let worse = severity < self.told.group.severity;
        (worse || self.otherwise >= LASTING_WINDOWS).then(|| {
            self.otherwise = 0;
            let known = std::mem::take(&mut self.told.subjects);
            self.told = found.clone();
            self.told.subjects.extend(known);
            Turn::Changed(changes)
        })
    }

    /// Whether it is still worth following.
    fn not_found(&mut self, rules: Hysteresis) -> bool {
        self.note(None, rules);
        self.without += 1;
        self.otherwise = 0;
        match self.open_since {
            Some(_) => self.without < rules.without,
            None => self.seen.iter().any(Option::is_some),
        }
    }

    fn note(&mut self, seen: Option<i64>, rules: Hysteresis) {
        self.seen.push_back(seen);
        if self.seen.len() > rules.of as usize {
            self.seen.pop_front();
        }
    }

    fn episode(&self, key: &str, turn: Turn) -> Episode {
        Episode {
            key: key.to_string(),
            turn,
            since_ms: self.open_since.unwrap_or(self.until_ms),
            until_ms: self.until_ms,
            worst: self.worst,
            group: self.latest.group.clone(),
            finding: self.latest.first.clone(),
        }
    }
}

fn differences(told: &Found, now: &Found) -> Vec<WatchChange> {
    let mut changes = Vec::new();
    let mut changed = |what: &str, from: Option<EvidenceValue>, to: Option<EvidenceValue>| {
        changes.push(WatchChange { what: what.to_string(), from, to });
    };
    if told.group.severity != now.group.severity {
        let word = |severity: Severity| Some(EvidenceValue::Text(severity.name().to_string()));
        changed("severity", word(told.group.severity), word(now.group.severity));
    }
    let culprit = |found: &Found| found.first.culprits.first().map(|task| task.name.clone());
    // That nobody can be named any more says nothing about who it is.
    if let Some(name) = culprit(now).filter(|name| culprit(told).as_ref() != Some(name)) {
        changed("culprit", culprit(told).map(EvidenceValue::Text), Some(EvidenceValue::Text(name)));
    }
    let joined: Vec<&str> = now.subjects.difference(&told.subjects).map(String::as_str).collect();
    if !joined.is_empty() {
        changed("joined", None, Some(EvidenceValue::Text(joined.join(", "))));
    }
    let (what, from, to) = match (told.group.cost, now.group.cost) {
        (Some(from), Some(to)) => ("cost", from, to),
        _ => ("amount", told.group.impact.amount, now.group.impact.amount),
    };
    if markedly(from, to) {
        changed(what, Some(EvidenceValue::Number(from)), Some(EvidenceValue::Number(to)));
    }
    changes
}

fn markedly(from: f64, to: f64) -> bool {
    let (small, large) = (from.abs().min(to.abs()), from.abs().max(to.abs()));
    large >= MARKEDLY * small && large > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding_groups::group;
    use heldup_model::{Impact, Subject, TaskShare};

    fn finding(severity: Severity, cost: f64, culprit: &str) -> Finding {
        Finding {
            key: "cpu.saturated/host:box".into(),
            id: "cpu.saturated".into(),
            severity,
            impact: Impact { amount: 10.0 * cost, unit: "s".into(), ..Impact::default() },
            cost: Some(cost),
            subject: Subject { kind: "host".into(), name: "box".into(), ..Subject::default() },
            culprits: vec![TaskShare { name: culprit.into(), ..TaskShare::default() }],
            ..Finding::default()
        }
    }

    /// What is told in each window: `w` a warning, `c` critical, `i` information, `x` a warning
    /// that costs three times as much, `o` one by another culprit, `.` nothing.
    fn told(windows: &str, hysteresis: Hysteresis) -> String {
        let mut episodes = Episodes::new(hysteresis);
        let mut out = String::new();
        for (at, what) in (0..).zip(windows.chars()) {
            let window = Span { since_ms: at * 1000, until_ms: (at + 1) * 1000 };
            let found = match what {
                'w' => Some(finding(Severity::Warning, 0.1, "hog")),
                'c' => Some(finding(Severity::Critical, 0.15, "hog")),
                'i' => Some(finding(Severity::Info, 0.01, "hog")),
                'x' => Some(finding(Severity::Warning, 0.2, "hog")),
                'o' => Some(finding(Severity::Warning, 0.1, "other")),
                _ => None,
            };
            let episodes = next(&mut episodes, window, found.as_slice());
            assert!(episodes.len() <= 1, "one finding, one line");
            out.push(match episodes.first().map(|episode| &episode.turn) {
                None => '.',
                Some(Turn::Appeared) => 'A',
                Some(Turn::Changed(_)) => 'C',
                Some(Turn::Ended) => 'E',
            });
        }
        out
    }

    fn next(episodes: &mut Episodes, window: Span, findings: &[Finding]) -> Vec<Episode> {
        episodes.next_window(window, findings, &group(findings, &BTreeMap::new()))
    }

    fn usual(windows: &str) -> String {
        told(windows, Hysteresis::default())
    }

    #[test]
    fn two_of_three_windows_make_it_appear() {
        assert_eq!(usual("w"), ".");
        assert_eq!(usual("ww"), ".A");
        assert_eq!(usual("w.w"), "..A");
        assert_eq!(usual("w..w"), "....", "once in three windows is not enough");
        assert_eq!(usual("iiii"), "....", "information is not told");
    }

    #[test]
    fn what_is_critical_appears_at_once() {
        assert_eq!(usual("c"), "A");
        assert_eq!(usual("c..c"), "A.EA", "and again when it has ended");
    }

    #[test]
    fn it_ends_after_two_windows_without() {
        assert_eq!(usual("ww.w.w.."), ".A.....E");
        assert_eq!(usual("wwii"), ".A.E", "what became information has ended");
    }

    #[test]
    fn a_severity_that_rises_is_told_at_once_and_one_that_falls_when_it_lasts() {
        assert_eq!(usual("wwc"), ".AC");
        assert_eq!(usual("cwcwcw"), "A.....");
        assert_eq!(usual("cww"), "A.C");
    }

    #[test]
    fn cost_and_culprit_must_change_for_two_windows() {
        assert_eq!(usual("wwxwx"), ".A...");
        assert_eq!(usual("wwxx"), ".A.C");
        assert_eq!(usual("wwxxww"), ".A.C.C");
        assert_eq!(usual("wwowo"), ".A...");
        assert_eq!(usual("wwoooo"), ".A.C..", "told once");
    }

    #[test]
    fn other_numbers_of_windows() {
        let hasty = Hysteresis { found: 1, of: 1, without: 1, ..Hysteresis::default() };
        assert_eq!(told("w.w.", hasty), "AEAE");
        let slow = Hysteresis { found: 3, of: 5, without: 3, at_once: Severity::Critical, ..hasty };
        assert_eq!(told("w.w.w...", slow), "....A..E");
        let all = Hysteresis { least: Severity::Info, ..hasty };
        assert_eq!(told("i.", all), "AE");
    }

    #[test]
    fn an_episode_knows_since_when_until_when_and_how_bad() {
        let mut episodes = Episodes::new(Hysteresis::default());
        let mut told = Vec::new();
        for (at, severity) in [Severity::Warning, Severity::Warning, Severity::Critical].iter().enumerate() {
            let since_ms = 1000 * at as i64;
            let window = Span { since_ms, until_ms: since_ms + 1000 };
            told.extend(next(&mut episodes, window, &[finding(*severity, 0.1, "hog")]));
        }
        assert_eq!(
            (told[0].since_ms, told[0].until_ms),
            (0, 2000),
            "from the first window, not from the telling"
        );
        assert_eq!(episodes.open().collect::<Vec<_>>(), ["cpu.saturated@host"]);
        for at in 3..5 {
            let window = Span { since_ms: at * 1000, until_ms: at * 1000 + 1000 };
            told.extend(next(&mut episodes, window, &[]));
        }
        let ended = told.last().unwrap();
        assert_eq!((&ended.turn, ended.since_ms, ended.until_ms), (&Turn::Ended, 0, 3000));
        assert_eq!(ended.worst, Severity::Critical);
        assert_eq!(episodes.open().count(), 0);
    }

    #[test]
    fn two_subjects_of_one_kind_are_one_episode() {
        let mut episodes = Episodes::new(Hysteresis::default());
        let first = finding(Severity::Critical, 0.5, "hog");
        let second =
            Finding { key: "cpu.saturated/host:box[7]".into(), ..finding(Severity::Critical, 0.3, "hog") };
        let window = Span { since_ms: 0, until_ms: 1000 };
        let told = next(&mut episodes, window, &[first, second]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].finding.cost, Some(0.5), "the worse one");
        assert_eq!((told[0].group.cost, told[0].group.members.len()), (Some(0.8), 2), "both");
    }

    #[test]
    fn a_subject_that_joins_is_a_change_once() {
        let mut episodes = Episodes::new(Hysteresis::default());
        let of = |name: &str| Finding {
            key: format!("cpu.saturated/host:{name}"),
            subject: Subject { kind: "host".into(), name: name.into(), ..Subject::default() },
            ..finding(Severity::Critical, 0.5, "hog")
        };
        let mut said: Vec<Vec<String>> = Vec::new();
        let windows: [&[&str]; 7] =
            [&["a"], &["a", "b"], &["a", "b"], &["a"], &["a"], &["a", "b"], &["a", "b"]];
        for (at, names) in (0..).zip(windows) {
            let findings: Vec<Finding> = names.iter().map(|name| of(name)).collect();
            let window = Span { since_ms: at * 1000, until_ms: at * 1000 + 1000 };
            let told = next(&mut episodes, window, &findings);
            said.extend(told.into_iter().map(|episode| {
                match episode.turn {
                    Turn::Changed(changes) => changes
                        .into_iter()
                        .filter(|change| change.what == "joined")
                        .map(|change| format!("{:?}", change.to))
                        .collect(),
                    _ => Vec::new(),
                }
            }));
        }
        let joined: Vec<&String> = said.iter().flatten().collect();
        assert_eq!(joined, ["Some(Text(\"b\"))"], "told when it lasted, and once");
    }

    #[test]
    fn changes_say_from_what_to_what() {
        let found = |severity, cost, culprit| {
            let findings = [finding(severity, cost, culprit)];
            Found::new(&group(&findings, &BTreeMap::new())[0], &findings).expect("a group of one")
        };
        let changes = differences(&found(Severity::Warning, 0.1, "a"), &found(Severity::Critical, 0.5, "b"));
        let words: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
        assert_eq!(words, ["severity", "culprit", "cost"]);
        assert_eq!(changes[2].to, Some(EvidenceValue::Number(0.5)));
        assert!(!markedly(0.0, 0.0) && markedly(0.0, 1.0) && markedly(2.0, 1.0) && !markedly(1.0, 1.9));
    }
}
