//! One finding: what it is, how bad, why, who, and what to do next.

use heldup_model::{
    Change, Evidence, EvidenceValue, Examination, Finding, ImpactKind, NextStep, TaskShare, Worsened,
};

use crate::layout::{Ink, Page, Span};
use crate::quantity::{number, percent, span, with_unit};

use super::answer::{severity, with_sudo, worse};
use super::{TextOptions, findings, tasks};

/// Column at which the text behind a label begins.
const LABEL: usize = 15;
/// Names in a list of tasks, numbers in the evidence, steps to look at next.
const MOST: usize = 3;
const MOST_EVIDENCE: usize = 6;

/// Writes all there is to say.
pub(crate) fn write(
    page: &mut Page,
    finding: &Finding,
    number: Option<usize>,
    examination: &Examination,
    options: &TextOptions,
) {
    headline(page, finding, number);
    let others = |keys: &[String]| {
        let named: Vec<String> = keys.iter().map(|key| findings::reference(examination, key)).collect();
        named.join(", ")
    };
    labelled(page, "cause", &others(&finding.because));
    labelled(page, "explains", &others(&finding.explains));
    labelled(page, "who", &who(&finding.culprits, &finding.victims));
    labelled(page, "evidence", &evidence(&finding.evidence));
    for step in finding.next.iter().take(MOST) {
        labelled(page, "next", &next(step, options));
    }
    for change in finding.changes.iter().take(MOST) {
        labelled(page, "do", &proposal(change, options));
    }
    let more = number.map_or_else(|| finding.id.clone(), |number| number.to_string());
    labelled(page, "more", &with_sudo(&format!("heldup explain {more}"), options));
}

/// Writes what is found, of whom, how bad, and a sentence.
fn headline(page: &mut Page, finding: &Finding, number: Option<usize>) {
    let (word, ink) = severity(finding.severity);
    let number = number.map(|number| format!("{number}\u{a0}")).unwrap_or_default();
    let mut head: Vec<Span> = vec![(ink, format!("{number}{word}")), (Ink::Bold, format!(" {}", finding.id))];
    let mut rest = format!(" · {} · {}", subject(finding), impact(finding));
    if finding.confidence < 0.8 {
        rest += &format!(" · confidence {}", percent(finding.confidence));
    }
    head.push((Ink::Plain, rest));
    page.paragraph(&head, 4);
    page.paragraph(&[(Ink::Plain, format!("  {}", finding.title.trim()))], 2);
}

/// Writes a label and what it says, unless that is nothing.
fn labelled(page: &mut Page, label: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let label = page.fit(label, LABEL - 2, false).replace(' ', "\u{a0}");
    page.paragraph(
        &[(Ink::Dim, format!("  {label}")), (Ink::Plain, format!("\u{a0}\u{a0}{text}"))],
        LABEL + 2,
    );
}

/// What it is about; the host needs no name, its name stands above.
pub(crate) fn subject(finding: &Finding) -> String {
    let subject = &finding.subject;
    let id = subject.tid.or(subject.pid).map(|id| format!(" ({id})")).unwrap_or_default();
    match subject.kind.as_str() {
        "host" => "this machine".to_owned(),
        _ if subject.name.is_empty() => format!("{}{id}", subject.kind),
        _ if subject.name.contains(&id) => subject.name.clone(),
        _ => format!("{}{id}", subject.name),
    }
}

/// How bad, in words.
pub(crate) fn impact(finding: &Finding) -> String {
    let amount = finding.impact.amount;
    let unit = finding.impact.unit.as_str();
    match (finding.impact.kind, finding.cost) {
        (ImpactKind::Failure, _) => match unit {
            "" | "count" => format!("{} failures", number(amount)),
            _ if amount == 1.0 => format!("1 {}", one_of(unit)),
            _ => with_unit(amount, unit),
        },
        (ImpactKind::Time, Some(cost)) if finding.focus.is_some() => {
            format!("{} of the command's active time", percent(cost))
        }
        (ImpactKind::Time, Some(cost)) if finding.id.starts_with("db.") => {
            format!("{} of DB time", percent(cost))
        }
        (ImpactKind::Time, Some(cost)) => format!("{} of active time", percent(cost)),
        // How long it was so, where nothing tells who waited for it.
        (ImpactKind::Time, None) => with_unit(amount, unit),
        (ImpactKind::Risk, _) if amount <= 0.0 => "now".to_owned(),
        (ImpactKind::Risk, _) => match unit {
            "s" | "seconds" => format!("in {}", span(amount)),
            "min" | "h" | "hours" | "days" => format!("in {}", with_unit(amount, unit)),
            _ => format!("risk: {}", with_unit(amount, unit)),
        },
        (ImpactKind::Waste, _) => format!("{} wasted", with_unit(amount, unit)),
    }
}

/// What one of those is called that failed: rules name them in the plural.
fn one_of(things: &str) -> &str {
    match things.strip_suffix("es") {
        Some(one) if one.ends_with("ss") => one,
        _ => things.strip_suffix('s').unwrap_or(things),
    }
}

/// Who causes it and who suffers from it.
pub(crate) fn who(culprits: &[TaskShare], victims: &[TaskShare]) -> String {
    let verb = |tasks: &[TaskShare], one: &str, many: &str| {
        // A task with a role says what it does itself.
        if tasks.iter().any(|task| task.role.is_some()) {
            String::new()
        } else {
            format!(" {}", if tasks.len() == 1 { one } else { many })
        }
    };
    let causing = || tasks::list(culprits, MOST) + &verb(culprits, "causes", "cause");
    let suffering = || tasks::list(victims, MOST) + &verb(victims, "suffers", "suffer");
    match (culprits.is_empty(), victims.is_empty()) {
        (true, true) => String::new(),
        (false, true) => causing(),
        (true, false) => suffering(),
        // Who is named as causing it with the time that it lost itself needs no second naming.
        (false, false) if tasks::are_the_same(culprits, victims) => {
            tasks::list(culprits, MOST) + &verb(culprits, "causes it and suffers", "cause it and suffer")
        }
        (false, false) => format!("{} · {}", causing(), suffering()),
    }
}

/// `commits 142/s · wait each 55 ms (limit 20 ms)`
fn evidence(all: &[Evidence]) -> String {
    let mut parts: Vec<String> = all.iter().take(MOST_EVIDENCE).map(one_number).collect();
    if all.len() > MOST_EVIDENCE {
        parts.push("…".to_owned());
    }
    parts.join(" · ")
}

/// `wait each 55 ms (limit 20 ms)`
pub(crate) fn one_number(one: &Evidence) -> String {
    let (name, value) = named_value(one);
    let limit = one.limit.map(|l| format!(" (limit {})", with_unit(l, &one.unit))).unwrap_or_default();
    format!("{name} {value}{limit}")
}

/// What a number of a finding is called, and its value.
pub(crate) fn named_value(one: &Evidence) -> (String, String) {
    let name = one.name.strip_suffix(&format!("_{}", one.unit)).unwrap_or(&one.name).replace('_', " ");
    let value = match &one.value {
        // "waits that ended 900 waits" says it twice.
        EvidenceValue::Number(value) if name.split(' ').any(|word| word == one.unit) => number(*value),
        EvidenceValue::Number(value) => with_unit(*value, &one.unit),
        EvidenceValue::Text(text) => text.clone(),
    };
    (name, value)
}

fn next(step: &NextStep, options: &TextOptions) -> String {
    let command = with_sudo(step.command.trim(), options);
    match (step.text.trim(), command.as_str()) {
        ("", _) => command,
        (text, "") => text.to_owned(),
        (text, command) => format!("{text}: {command}"),
    }
}

/// `vm.dirty_ratio 20 → 10: shorter bursts; risk: slower bulk writes · heldup tune apply …`
fn proposal(change: &Change, options: &TextOptions) -> String {
    let mut text = change.tunable.clone();
    match &change.from {
        Some(from) => text += &format!(" {from} → {}", change.to),
        None if !change.to.is_empty() => text += &format!(" → {}", change.to),
        None => {}
    }
    let undo = change.undo.as_ref().map(|undo| format!("undo: {undo}")).unwrap_or_default();
    for (before, part) in [
        (": ", &change.expect),
        ("; risk: ", &change.risk),
        ("; ", &worsens(&change.worsens)),
        (" · ", &with_sudo(change.command.trim(), options)),
        (" · ", &undo),
    ] {
        if !part.trim().is_empty() {
            text += before;
            text += part.trim();
        }
    }
    text
}

fn worsens(all: &[Worsened]) -> String {
    let mut said: Vec<String> = all.iter().map(worse).collect();
    said.dedup();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use heldup_model::Resource;

    use super::*;

    #[test]
    fn one_of_many() {
        for (many, one) in [("processes", "process"), ("messages", "message"), ("calls", "call")] {
            assert_eq!(one_of(many), one);
        }
    }

    #[test]
    fn evidence_does_not_say_its_unit_twice() {
        let one = |name: &str, value, unit: &str, limit| Evidence {
            name: name.to_owned(),
            value: EvidenceValue::Number(value),
            unit: unit.to_owned(),
            limit,
        };
        let got = evidence(&[one("wait_s", 0.055, "s", Some(0.02)), one("commits", 142.0, "/s", None)]);
        assert_eq!(got.replace('\u{a0}', " "), "wait 55 ms (limit 20 ms) · commits 142/s");
    }

    #[test]
    fn a_change_reads_as_a_sentence() {
        let change = Change {
            tunable: "vm.dirty_ratio".to_owned(),
            from: Some("20".to_owned()),
            to: "10".to_owned(),
            expect: "shorter bursts".to_owned(),
            risk: String::new(),
            takes: vec![Resource::Disk],
            worsens: Vec::new(),
            command: "heldup tune apply vm.dirty_ratio=10 --confirm 5m".to_owned(),
            undo: Some("heldup tune undo vm.dirty_ratio".to_owned()),
        };
        assert_eq!(
            proposal(&change, &TextOptions::default()),
            "vm.dirty_ratio 20 → 10: shorter bursts · heldup tune apply vm.dirty_ratio=10 --confirm 5m · \
             undo: heldup tune undo vm.dirty_ratio"
        );
        let finding = "disk.saturated/device:vda".to_owned();
        let worse = Change { worsens: vec![Worsened { finding, resource: Resource::Disk }], ..change };
        let said = "shorter bursts; makes disk.saturated worse: uses disk throughput, which is short · ";
        let text = proposal(&worse, &TextOptions::default());
        assert!(text.contains(said), "{text}");
    }
}
