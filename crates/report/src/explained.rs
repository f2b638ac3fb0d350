//! What `heldup explain` says of a finding or a class of time; the page of a rule is `heldup_diagnose::explain`'s.

use heldup_model::{
    Change, Evidence, EvidenceValue, ExplainAnswer, ExplainedClass, Finding, FindingGroup, NextStep,
    TaskShare,
};
use textwrap::{Options, fill};

use crate::harmless::ascii;
use crate::quantity::{number, percent, seconds, with_unit};
use crate::{csv as rows, harmless};

pub use crate::answer_schema::json;

/// Column at which the text behind a label begins.
const LABEL: usize = 12;
/// Findings of one rule and kind that are shown with their numbers; of more a line each.
const MOST_IN_FULL: usize = 1;
/// Names in a list of tasks.
const MOST_TASKS: usize = 5;

/// The findings or the class, in lines of at most `width` columns; `plain` is ASCII only. Of all findings of an
/// examination a line each, with `verbose` each in full.
pub fn text(answer: &ExplainAnswer, width: usize, plain: bool, verbose: bool) -> String {
    let mut page = Lines { width, out: String::new() };
    let is_one = answer.number.is_some();
    if !is_one && verbose {
        numbered(answer).for_each(|(number, finding)| {
            in_full(&mut page, answer, Some(number), finding);
            page.out.push('\n');
        });
    } else if !is_one {
        numbered(answer).for_each(|(number, finding)| page.numbered(number, &head(finding)));
    }
    for (at, finding) in answer.findings.iter().enumerate().filter(|_| is_one) {
        match at < MOST_IN_FULL {
            true => in_full(&mut page, answer, answer.number, finding),
            false => page.labelled("also", &head(finding)),
        }
    }
    if is_one {
        page.out.push('\n');
    } else if answer.findings.is_empty() && answer.examination.is_some() {
        page.line("no findings");
    }
    if let Some(class) = &answer.class {
        of_class(&mut page, class);
    }
    if plain { ascii(&page.out) } else { page.out }
}

/// The findings as rows; of a rule or class one row.
pub fn csv(answer: &ExplainAnswer) -> String {
    match (&answer.rule, &answer.class) {
        _ if !answer.findings.is_empty() => rows::list(answer, "findings"),
        (Some(rule), _) => rows::row(rule),
        (None, Some(class)) => rows::row(class),
        (None, None) => String::new(),
    }
}

/// Lines that are wrapped.
struct Lines {
    width: usize,
    out: String,
}

impl Lines {
    fn labelled(&mut self, label: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let (first, rest) = (format!("  {label:<0$}", LABEL - 2), " ".repeat(LABEL));
        let options = Options::new(self.width).initial_indent(&first).subsequent_indent(&rest);
        self.out.push_str(&fill(&harmless(&text.replace('\u{a0}', " ")), options));
        self.out.push('\n');
    }

    /// A command, which is not broken.
    fn command(&mut self, text: &str) {
        self.out.push_str(&format!("{}{}\n", " ".repeat(LABEL), harmless(text)));
    }

    fn numbered(&mut self, number: usize, text: &str) {
        let first = format!("{number:>2}  ");
        let options = Options::new(self.width).initial_indent(&first).subsequent_indent("    ");
        self.out.push_str(&fill(&harmless(&text.replace('\u{a0}', " ")), options));
        self.out.push('\n');
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&fill(&harmless(&text.replace('\u{a0}', " ")), Options::new(self.width)));
        self.out.push('\n');
    }
}

fn head(finding: &Finding) -> String {
    let confidence = match finding.confidence {
        sure if sure < 0.8 => format!(" (confidence {})", percent(sure)),
        _ => String::new(),
    };
    format!("{}: {}{confidence}", finding.severity.name(), finding.title.trim())
}

/// The findings with the numbers of their groups.
fn numbered(answer: &ExplainAnswer) -> impl Iterator<Item = (usize, &Finding)> {
    let mut keys: Vec<String> = Vec::new();
    answer.findings.iter().map(move |finding| {
        let key = FindingGroup::key_of(finding);
        let at = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        });
        (at + 1, finding)
    })
}

fn in_full(page: &mut Lines, answer: &ExplainAnswer, number: Option<usize>, finding: &Finding) {
    let of = answer.examination.map(|number| format!(" of @{number}")).unwrap_or_default();
    let at = number.map(|number| format!("Finding {number}{of}: ")).unwrap_or_default();
    page.line(&format!("{at}{}", finding.key));
    page.line(&head(finding));
    page.out.push('\n');
    finding.evidence.iter().for_each(|one| page.labelled("", &number_line(one)));
    page.labelled("who", &tasks(&finding.culprits));
    page.labelled("blocked", &tasks(&finding.victims));
    page.labelled("because", &finding.because.join(", "));
    page.labelled("explains", &finding.explains.join(", "));
    finding.changes.iter().for_each(|change| proposal(page, change));
    finding.next.iter().for_each(|step| next(page, step));
    if let Some(number) = answer.examination.filter(|_| !finding.figures.is_empty()) {
        page.labelled("next", "its figures:");
        page.command(&format!("heldup plot @{number} {}", finding.figures.join(" ")));
    }
}

/// What it is, its value, and the level that it was compared with.
fn number_line(one: &Evidence) -> String {
    let value = match &one.value {
        EvidenceValue::Number(value) => with_unit(*value, &one.unit),
        EvidenceValue::Text(text) => text.clone(),
    };
    let limit = one.limit.map(|limit| format!(" (limit {})", with_unit(limit, &one.unit)));
    format!("{}: {value}{}", one.name, limit.unwrap_or_default())
}

fn tasks(all: &[TaskShare]) -> String {
    let one = |task: &TaskShare| {
        let pid = task.pid.map(|pid| format!(" ({pid})")).unwrap_or_default();
        let share = task.seconds.map(|s| format!(" {}", seconds(s))).unwrap_or_default();
        format!("{}{pid}{share}", task.name)
    };
    let mut names: Vec<String> = all.iter().take(MOST_TASKS).map(one).collect();
    let more = all.len().saturating_sub(MOST_TASKS);
    if more > 0 {
        names.push(format!("{} more", number(more as f64)));
    }
    names.join(", ")
}

fn proposal(page: &mut Lines, change: &Change) {
    let from = change.from.as_deref().unwrap_or("not known");
    page.labelled("do", &format!("{} {from} -> {}: {}", change.tunable, change.to, change.expect.trim()));
    page.command(&change.command);
    page.labelled("risk", change.risk.trim());
    if let Some(undo) = &change.undo {
        page.labelled("undo", undo);
    }
}

fn next(page: &mut Lines, step: &NextStep) {
    page.labelled("next", step.text.trim());
    page.command(&step.command);
}

fn of_class(page: &mut Lines, class: &ExplainedClass) {
    page.line(&format!("{} (class of time, {})", class.name, class.group));
    page.out.push('\n');
    page.labelled("", &class.meaning);
    page.labelled("next", "who spends it, and on what:");
    page.command(&format!(
        "heldup sql \"select process_name, sum(seconds) from task_time where class_name = '{}' group by 1 order \
         by 2 desc\"",
        class.name
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_its_numbers_and_limits() {
        let finding = Finding {
            key: "disk.slow/device:vda".to_owned(),
            title: "vda: 17\u{a0}ms per request".to_owned(),
            confidence: 0.5,
            evidence: vec![Evidence {
                name: "latency".to_owned(),
                value: EvidenceValue::Number(0.017),
                unit: "s".to_owned(),
                limit: Some(0.01),
            }],
            figures: vec!["disk.latency".to_owned(), "disk.queue".to_owned()],
            ..Finding::default()
        };
        let answer = ExplainAnswer {
            examination: Some(41),
            number: Some(1),
            findings: vec![finding.clone(), Finding { title: "another".to_owned(), ..finding }],
            ..ExplainAnswer::default()
        };
        let shown = text;
        let text = shown(&answer, 80, true, false);
        assert!(text.starts_with("Finding 1 of @41: disk.slow/device:vda\n"), "{text}");
        assert!(text.contains("vda: 17 ms per request (confidence 50 %)"), "{text}");
        assert!(text.contains("latency: 17 ms (limit 10 ms)"), "{text}");
        assert!(text.contains("heldup plot @41 disk.latency disk.queue"), "{text}");
        assert!(text.contains("  also      ") && text.contains("another"), "{text}");
        let all = shown(&ExplainAnswer { number: None, ..answer.clone() }, 80, true, false);
        assert!(all.starts_with(" 1  ") && all.lines().count() == 2, "{all}");
        assert!(csv(&answer).starts_with("key,") || csv(&answer).contains("key"), "{}", csv(&answer));
    }
}
