//! One row of a rule's answer becomes one finding.
//!
//! The rule gives amounts and words; severity, confidence, keys and the query are made
//! here, the same for every rule.

use heldup_archive::Value;
use heldup_model::{
    Change, Evidence, EvidenceValue, Finding, Impact, ImpactKind, NextStep, Subject, TaskShare,
};

use crate::diagnosis::Measured;
use crate::document::{ChangeTemplate, Rule};
use crate::programs::in_order;
use crate::proposal;
use crate::query::finding_query;
use crate::row::Row;
use crate::severity::{HOURS, Harm, is_near_a_step, nearness, severity};
use crate::template::{Format, format_value};

/// Most programs that are named as culprits or victims.
const MOST_PROGRAMS: usize = 5;
/// Window from which the confidence is not lowered: ten samples of a second.
const FULL_WINDOW_SECONDS: f64 = 10.0;
/// What one missing column that would sharpen the answer leaves of the confidence.
const WITHOUT_A_COLUMN: f64 = 0.8;

/// What holds for all findings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Share of the task time that was seen.
    pub coverage: f64,
    /// Length of the window.
    pub window_s: f64,
    /// The window is a recording of another tool, as long as that.
    pub is_recording: bool,
    /// Columns of the rule's `better_with` that have no values.
    pub columns_missing: usize,
}

/// A finding with the row that it came from, before findings are joined.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// The finding.
    pub finding: Finding,
    /// Its row.
    pub row: Row,
    /// Its rule.
    pub rule: &'a Rule,
    /// How near it is to a warning, where it is information.
    pub nearness: f64,
    /// Further measurements of its harm.
    pub measured: Measured,
}

/// Makes the finding of one row.
pub fn draft<'a>(
    rule: &'a Rule,
    row: Row,
    culprits: &[Row],
    victims: &[Row],
    around: Circumstances,
) -> Draft<'a> {
    let subject = subject(&row);
    let impact = impact(rule, &row);
    let cost = row.number("cost").map(|cost| cost.clamp(0.0, 1.0));
    let lasting_s = row.number("lasting_s").unwrap_or(0.0);
    let (amount, unit) = (impact.amount, impact.unit.as_str());
    let weight = row.number("weight").unwrap_or(1.0);
    let harm = Harm { kind: impact.kind, amount, unit, cost, weight, lasting_s, window_s: around.window_s };
    let nearness = nearness(&harm);
    let is_near_a_step = is_near_a_step(&harm);
    let measured = Measured { is_near_a_step, weight, lasting_s, window_s: around.window_s };
    let finding = Finding {
        key: format!("{}/{}:{}", rule.id, subject.kind, subject.name),
        id: rule.id.clone(),
        severity: severity(&harm),
        confidence: confidence(&row, impact.kind, around),
        cost: if impact.kind == ImpactKind::Time { cost } else { None },
        culprits: shares(culprits, &subject.name),
        victims: shares(victims, &subject.name),
        title: rule.title.render(&row),
        because: Vec::new(),
        explains: Vec::new(),
        detail_of: None,
        evidence: evidence(rule, &row),
        figures: rule.figures.clone(),
        query: finding_query(&rule.sql, &subject.kind, &subject.name),
        next: next(rule, &row),
        changes: rule.changes.iter().filter_map(|change| self::change(change, &row)).collect(),
        exhausts: if subject.kind == "cgroup" { Vec::new() } else { rule.exhausts.clone() },
        impact,
        subject,
        in_command: None,
        focus: None,
    };
    Draft { finding, row, rule, nearness, measured }
}

fn subject(row: &Row) -> Subject {
    Subject {
        kind: row.text("subject_kind").unwrap_or_else(|| "host".to_string()),
        name: row.text("subject_name").unwrap_or_default(),
        pid: row.int("subject_pid"),
        tid: row.int("subject_tid"),
        cgroup: row.text("subject_cgroup"),
    }
}

fn impact(rule: &Rule, row: &Row) -> Impact {
    let kind = match row.text("impact_kind").as_deref() {
        Some("failure") => ImpactKind::Failure,
        Some("time") => ImpactKind::Time,
        Some("risk") => ImpactKind::Risk,
        Some("waste") => ImpactKind::Waste,
        _ => rule.impact,
    };
    let usual = match kind {
        ImpactKind::Failure => "failures",
        ImpactKind::Time => "s",
        ImpactKind::Risk => HOURS,
        ImpactKind::Waste => "ratio",
    };
    let unit = row.text("amount_unit").unwrap_or_else(|| usual.to_string());
    Impact { kind, amount: row.number("amount").unwrap_or(0.0), unit }
}

/// Coverage, times what the rule itself thinks of its evidence, less for a short window
/// and for each column that would have sharpened the answer. The short-window factor is
/// the square root because the error of a mean falls with the root of its samples.
fn confidence(row: &Row, kind: ImpactKind, around: Circumstances) -> f64 {
    // What a recording says has failed has failed, in a text of one line too; so have tasks waited that it
    // counts, and of a wait that it tells it was looked for as long. How fast something fills takes a window.
    let is_counted = kind == ImpactKind::Risk && row.text("amount_unit").is_some_and(|unit| unit != HOURS);
    let is_certain = around.is_recording && (kind == ImpactKind::Failure || is_counted);
    let told_s = row.number("lasting_s").filter(|_| around.is_recording).unwrap_or(0.0);
    let looked = (around.window_s.max(told_s) / FULL_WINDOW_SECONDS).clamp(0.0, 1.0).sqrt();
    let window = if is_certain { 1.0 } else { looked };
    let columns = WITHOUT_A_COLUMN.powi(around.columns_missing as i32);
    let own = row.number("confidence").unwrap_or(1.0);
    let product = around.coverage.clamp(0.0, 1.0) * window * columns * own.clamp(0.0, 1.0);
    (product * 100.0).round() / 100.0
}

fn shares(rows: &[Row], subject_name: &str) -> Vec<TaskShare> {
    let tasks = rows
        .iter()
        .filter(|row| row.text("subject_name").as_deref() == Some(subject_name))
        .map(|row| TaskShare {
            name: row.text("name").unwrap_or_else(|| "unknown".to_string()),
            pid: row.int("pid"),
            tid: row.int("tid"),
            cgroup: row.text("cgroup"),
            unit: row.text("unit"),
            seconds: row.number("seconds"),
            tasks: row.int("tasks").filter(|tasks| *tasks > 1),
            role: row.text("role"),
        })
        .collect();
    in_order(tasks, MOST_PROGRAMS)
}

fn evidence(rule: &Rule, row: &Row) -> Vec<Evidence> {
    let known = rule.evidence.iter().filter_map(|item| {
        let value = match row.get(&item.column) {
            Value::Null => return None,
            Value::Int(int) => EvidenceValue::Number(*int as f64),
            Value::Float(float) => EvidenceValue::Number(*float),
            Value::Text(text) => EvidenceValue::Text(text.clone()),
        };
        Some(Evidence { name: item.name.clone(), value, unit: item.unit.clone(), limit: item.limit })
    });
    known.collect()
}

fn next(rule: &Rule, row: &Row) -> Vec<NextStep> {
    let wanted = |when: &Option<String>| when.as_deref().is_none_or(|column| row.is_true(column));
    rule.next
        .iter()
        .filter(|step| wanted(&step.when))
        .filter_map(|step| {
            Some(NextStep { text: step.text.render(row), command: step.command.render_whole(row)? })
        })
        .collect()
}

fn change(change: &ChangeTemplate, row: &Row) -> Option<Change> {
    if !change.when.as_deref().is_none_or(|column| row.is_true(column)) {
        return None;
    }
    let from = match row.get(&change.from) {
        Value::Null => None,
        value => Some(format_value(value, Format::Plain)),
    };
    let to = change.to.render_whole(row)?;
    if from.as_deref() == Some(to.as_str()) {
        return None;
    }
    let tunable = change.tunable.render_whole(row)?;
    let (command, undo) = match &change.command {
        Some(command) => {
            (command.render_whole(row)?, change.undo.as_ref().and_then(|undo| undo.render_whole(row)))
        }
        None => (proposal::apply(&tunable, &to), Some(proposal::undo(&tunable))),
    };
    let (expect, risk) = (change.expect.render(row), change.risk.render(row));
    let (takes, worsens) = (change.takes.clone(), Vec::new());
    Some(Change { tunable, from, to, expect, risk, takes, worsens, command, undo })
}
