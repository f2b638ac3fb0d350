//! Oracle `statspack`: load profile, efficiencies and the events that took most time, of one
//! report between two snapshots.
//!
//! Numbers are told by their labels, wherever in a line they stand: releases, and people who copy
//! reports, align them differently.

use heldup_model::Record;
use heldup_model::tables::{DbMetricRow, DbWaitRow};

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::put::{Put, grouped, put};
use crate::sheets::When;

const NAME: &str = "statspack";
/// Lines of a report that this does not read, between two that it does.
const LONGEST_GAP: u64 = 12;

/// The load profile: what a second had.
const RATES: [(&str, &str); 12] = [
    ("Redo size:", "redo_bytes_per_s"),
    ("Logical reads:", "logical_reads_per_s"),
    ("Block changes:", "block_changes_per_s"),
    ("Physical reads:", "physical_reads_per_s"),
    ("Physical writes:", "physical_writes_per_s"),
    ("User calls:", "user_calls_per_s"),
    ("Hard parses:", "hard_parses_per_s"),
    ("Parses:", "parses_per_s"),
    ("Sorts:", "sorts_per_s"),
    ("Logons:", "logons_per_s"),
    ("Executes:", "executes_per_s"),
    ("Transactions:", "transactions_per_s"),
];

/// Efficiencies, in percent.
const SHARES: [(&str, &str); 11] = [
    ("Buffer Nowait %:", "buffer_nowait_ratio"),
    ("Redo NoWait %:", "redo_nowait_ratio"),
    ("Buffer Hit %:", "buffer_hit_ratio"),
    ("In-memory Sort %:", "memory_sort_ratio"),
    ("Library Hit %:", "library_hit_ratio"),
    ("Soft Parse %:", "soft_parse_ratio"),
    ("Execute to Parse %:", "execute_to_parse_ratio"),
    ("Latch Hit %:", "latch_hit_ratio"),
    ("Parse CPU to Parse Elapsed %:", "parse_cpu_ratio"),
    ("% Non-Parse CPU:", "non_parse_cpu_ratio"),
    ("Rollback per transaction %:", "rollback_ratio"),
];

/// Reads reports of statspack.
#[derive(Default)]
pub struct Statspack {
    report: Option<Report>,
    /// Minutes between the snapshots, which stand above all else.
    elapsed_s: Option<f64>,
}

struct Report {
    when: When,
    /// The list of events has begun.
    in_events: bool,
    /// What is told was told before: of two lists of events the first counts.
    had_events: bool,
    last_line: u64,
}

impl Importer for Statspack {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["Elapsed:", minutes, "(mins)", ..] = line.words {
            self.elapsed_s = grouped(minutes).map(|minutes| minutes * 60.0);
            return Ok(self.elapsed_s.is_some());
        }
        let is_head = matches!(line.words, ["STATSPACK", "report", "for", ..] | ["Load", "Profile", ..])
            || matches!(line.words, ["Instance", "Efficiency", "Percentages", ..])
            || is_events_heading(line.words);
        if !is_head {
            return Ok(false);
        }
        let is_same =
            self.report.as_ref().is_some_and(|report| line.number <= report.last_line + LONGEST_GAP);
        let is_first = line.words.first() == Some(&"STATSPACK");
        if !is_same || is_first {
            self.ends(document)?;
            document.begin(NAME);
            let secs = self.elapsed_s.take();
            let when = document.floating(secs);
            self.report = Some(Report { when, in_events: false, had_events: false, last_line: line.number });
        }
        if let Some(report) = self.report.as_mut() {
            report.last_line = line.number;
            if is_events_heading(line.words) {
                report.in_events = !report.had_events;
                report.had_events = true;
            }
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(report) =
            self.report.as_mut().filter(|report| line.number <= report.last_line + LONGEST_GAP)
        else {
            return Ok(false);
        };
        let text = line.words.join(" ");
        let mut is_taken = false;
        for (label, name, factor) in
            RATES.iter().map(|(l, n)| (l, n, 1.0)).chain(SHARES.iter().map(|(l, n)| (l, n, 0.01)))
        {
            let Some(value) = behind(&text, label) else { continue };
            metric(document, report.when, name, value * factor);
            is_taken = true;
        }
        if !is_taken && report.in_events {
            match event(line.words) {
                Some((name, waits, seconds, share)) => {
                    let cells = [
                        ("event_name", Put::Text(&name)),
                        ("waits", Put::Number(waits)),
                        ("wait_s", Put::Number(Some(seconds))),
                        ("wait_share", Put::Number(Some(share))),
                    ];
                    put(document, DbWaitRow::DEF, report.when, &name, &cells);
                    is_taken = true;
                }
                // Dashes stand above the list, an empty line or a note below it.
                None => {
                    report.in_events = line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-'))
                }
            }
        }
        if is_taken {
            report.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.report.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

fn metric(document: &mut Document, when: When, name: &str, value: f64) {
    let cells = [("metric_name", Put::Text(name)), ("value", Put::Number(Some(value)))];
    put(document, DbMetricRow::DEF, when, name, &cells);
}

/// `Event Waits Time (s) Ela Time` of 9i, `Event Waits Time (s) (ms) Time` of 10g, `… Call Time`.
fn is_events_heading(words: &[&str]) -> bool {
    matches!(words, ["Event", "Waits", "Time", "(s)", ..])
}

/// The number behind a label, where the label is no end of another one.
fn behind(text: &str, label: &str) -> Option<f64> {
    let at = text.find(label)?;
    let is_whole = text[..at].is_empty() || text[..at].ends_with(|c: char| c.is_ascii_digit() || c == ' ');
    let is_own = !(label == "Parses:" && text[..at].ends_with("Hard "));
    let number = text[at + label.len()..].split_whitespace().next()?;
    grouped(number).filter(|_| is_whole && is_own)
}

/// A row of events: name, waits, seconds, share of one. 10g has the length of a wait before the share.
fn event(words: &[&str]) -> Option<(String, Option<f64>, f64, f64)> {
    let numbers = words.iter().rev().take_while(|word| grouped(word).is_some()).count();
    let (name, numbers) = words.split_at(words.len() - numbers);
    let value = |at: usize| numbers.get(at).and_then(|word| grouped(word));
    if name.is_empty() || name.first().is_some_and(|word| word.starts_with('-')) {
        return None;
    }
    let (waits, seconds) = match numbers.len() {
        2 => (None, value(0)?),
        3 | 4 => (value(0), value(1)?),
        _ => return None,
    };
    let share = value(numbers.len() - 1)?;
    (share <= 100.0).then(|| (name.join(" "), waits, seconds, share / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_events() {
        assert_eq!(behind("Execute to Parse %: 99.94 Latch Hit %: 98.37", "Latch Hit %:"), Some(98.37));
        assert_eq!(behind("Hard parses: 0.01 0.00", "Hard parses:"), Some(0.01));
        assert_eq!(behind("Physical reads: 2,878.69 2.80", "Physical reads:"), Some(2878.69));
        let words: Vec<&str> = "db file sequential read 1,735,573 17,690 51.88".split(' ').collect();
        let (name, waits, seconds, share) = event(&words).unwrap();
        assert_eq!((name.as_str(), waits, seconds), ("db file sequential read", Some(1_735_573.0), 17_690.0));
        assert!((share - 0.5188).abs() < 1e-9);
        let cpu: Vec<&str> = "CPU time 3,172 9.32".split(' ').collect();
        assert_eq!(event(&cpu).unwrap().1, None);
        assert_eq!(event(&["->", "s", "-", "second"]), None);
    }
}
