//! The worst stretches of a recording: when, what, and the command that examines them.

use heldup_model::{Examination, Severity, WorstStretch};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::answer::{fixed_label, with_sudo};
use super::{TextOptions, severity};
use crate::layout::{Ink, Page};
use crate::quantity::{count, span};

/// Stretches that are written without `-v`.
const MOST: usize = 3;
/// Findings of a stretch that are written without `-v`.
const MOST_FINDINGS: usize = 2;
/// Column behind the label.
const INDENT: usize = 10;

/// Writes them; nothing where there are none.
pub(crate) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) {
    if examination.stretches.is_empty() {
        return;
    }
    let shown = if options.details { examination.stretches.len() } else { MOST };
    let day = one_day(examination, &options.time_zone);
    for (at, stretch) in examination.stretches.iter().take(shown).enumerate() {
        let label = if at == 0 { "Worst" } else { "" };
        one(page, label, stretch, day, options);
    }
    let left = examination.stretches.len().saturating_sub(shown) as u64 + examination.more_stretches;
    if left > 0 {
        let more = format!("{}{} more stretches", " ".repeat(INDENT), count(left as i64));
        let how = if options.details { "" } else { ": -v, or a shorter window" };
        page.paragraph(&[(Ink::Dim, more + how)], INDENT);
    }
}

fn one(page: &mut Page, label: &str, stretch: &WorstStretch, is_one_day: bool, options: &TextOptions) {
    let zone = &options.time_zone;
    let from = time(&stretch.from, zone, if is_one_day { "%T" } else { "%F %T" });
    let is_same_day = time(&stretch.from, zone, "%F") == time(&stretch.to, zone, "%F");
    let to = time(&stretch.to, zone, if is_same_day { "%T" } else { "%F %T" });
    let when = match stretch.from_start_seconds {
        // Times that nobody recorded are not printed.
        Some(from_s) => format!("from {} on for {}", span(from_s), span(stretch.seconds)),
        None => format!("{from}-{to} ({})", span(stretch.seconds)),
    };
    page.paragraph(&[(Ink::Plain, fixed_label(label, INDENT)), (Ink::Bold, when)], INDENT);
    let shown = if options.details { stretch.findings.len() } else { MOST_FINDINGS };
    for finding in stretch.findings.iter().take(shown) {
        let (word, ink) = severity(finding.severity);
        let word = if finding.severity == Severity::Critical { format!("{word} ") } else { String::new() };
        let line = [
            (Ink::Plain, " ".repeat(INDENT)),
            (ink, word),
            (Ink::Plain, finding.title.clone()),
            (Ink::Dim, format!(" ({})", finding.id)),
        ];
        page.paragraph(&line, INDENT + 2);
    }
    if let Some(more) = stretch.findings.len().checked_sub(shown).filter(|more| *more > 0) {
        page.paragraph(&[(Ink::Dim, format!("{}{} more", " ".repeat(INDENT), count(more as i64)))], INDENT);
    }
    // A saved one is root's where root examined; it is one line to paste.
    let command = match stretch.command.starts_with("heldup examine @") {
        true => with_sudo(&stretch.command, options),
        false => stretch.command.clone(),
    };
    let command = command.replace(' ', "\u{a0}");
    page.paragraph(&[(Ink::Dim, format!("{}{command}", " ".repeat(INDENT)))], INDENT);
}

/// Whether the recording is of one day, so that a time needs no date.
fn one_day(examination: &Examination, zone: &TimeZone) -> bool {
    let day = |of: &Option<String>| of.as_deref().map(|of| time(of, zone, "%F"));
    day(&examination.from) == day(&examination.to)
}

/// A time of the answer, in a zone.
fn time(rfc3339: &str, zone: &TimeZone, form: &str) -> String {
    match rfc3339.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(zone.clone()).strftime(form).to_string(),
        Err(_) => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{BriefFinding, Examination, ImpactKind, Severity, WorstStretch};
    use serde_json::json;

    use super::*;

    fn examination(stretches: Vec<WorstStretch>, more_stretches: u64) -> Examination {
        let empty = json!({
            "schema": "heldup/examination/1",
            "host": { "name": "db1", "kernel": "", "cpus": 2, "memory_bytes": null, "source": "sar.txt",
                      "method": "imported", "coverage": 0.0 },
            "from": "2019-05-08T00:00:00Z", "to": "2019-05-08T23:50:00Z",
            "ledger": { "active_seconds": 0.0, "waiting_seconds": 0.0, "classes": [] },
            "findings": [], "ruled_out": [], "not_checked": [], "errors": [],
            "overhead": heldup_model::Overhead::default(),
        });
        let empty: Examination = serde_json::from_value(empty).expect("an examination");
        Examination { stretches, more_stretches, ..empty }
    }

    fn stretch(hour: u8, titles: &[(&str, Severity)]) -> WorstStretch {
        let finding = |(title, severity): &(&str, Severity)| BriefFinding {
            key: "cpu.saturated/host:db1".to_owned(),
            id: "cpu.saturated".to_owned(),
            severity: *severity,
            impact: ImpactKind::Time,
            cost: None,
            title: (*title).to_owned(),
            culprits: Vec::new(),
        };
        WorstStretch {
            from: format!("2019-05-08T{hour:02}:00:00Z"),
            to: format!("2019-05-08T{:02}:00:00Z", hour + 1),
            seconds: 3600.0,
            from_start_seconds: None,
            findings: titles.iter().map(finding).collect(),
            command: format!(
                "heldup examine sar.txt --since 2019-05-08T{hour:02}:00 --until {:02}:00",
                hour + 1
            ),
        }
    }

    fn written(examination: &Examination, options: &TextOptions) -> String {
        let mut page = Page::new(80, false, false);
        write(&mut page, examination, options);
        page.finish()
    }

    #[test]
    fn three_stretches_with_what_and_the_command() {
        let full = [("2 CPUs 98 % busy", Severity::Warning)];
        let failed = [("5 kills", Severity::Critical), ("a", Severity::Warning), ("b", Severity::Warning)];
        let all = examination(
            vec![stretch(3, &failed), stretch(10, &full), stretch(12, &full), stretch(20, &full)],
            2,
        );
        let said = written(&all, &TextOptions::default());
        let begin = "Worst     03:00:00-04:00:00 (60 min)\n\
                     \x20         CRITICAL 5 kills (cpu.saturated)\n\
                     \x20         a (cpu.saturated)\n\
                     \x20         1 more\n\
                     \x20         heldup examine sar.txt --since 2019-05-08T03:00 --until 04:00\n\
                     \x20         10:00:00-11:00:00 (60 min)\n";
        assert!(said.starts_with(begin), "{said}");
        assert!(said.contains("3 more stretches: -v") && !said.contains("20:00"), "{said}");
        let all = written(&all, &TextOptions { details: true, ..TextOptions::default() });
        assert!(all.contains("20:00:00-21:00:00") && all.contains("          b ("), "{all}");
        let timeless = WorstStretch { from_start_seconds: Some(120.0), ..stretch(3, &full) };
        let said = written(&examination(vec![timeless], 0), &TextOptions::default());
        assert!(said.starts_with("Worst     from 2 min on for 60 min\n"), "{said}");
        assert_eq!(written(&examination(Vec::new(), 0), &TextOptions::default()), "");
    }
}
