//! The answer where nothing needs attention: that the machine is idle, that it is busy and nobody waits, or that
//! nobody can know.

use heldup_model::{Class, Examination, FindingGroup, Method, Severity};

use super::answer::{INDENT, fixed_label, headline, is_idle, labelled, numbered, severity, window_s};
use super::tasks::{OTHERS, by_name};
use crate::layout::{Ink, Page};
use crate::quantity::{count, percent, seconds};

/// Facts that are information only and stand in the answer of a recording.
const MOST_NOTED: usize = 2;
/// Waiting below this share of active time is nobody's trouble.
const LITTLE_WAITING: f64 = 0.05;
/// CPUs busy from this share on are all in use.
const ALL_IN_USE: f64 = 0.95;
/// Runnable tasks for each CPU up to which nobody queues: as cpu.saturated has it.
const LITTLE_QUEUE: f64 = 1.25;
/// The state of CPUs that idle while requests are in flight, and its share that is worth a word.
const IOWAIT: &str = "waiting for I/O";
const LEAST_IOWAIT: f64 = 0.2;
/// What a healthy machine has been judged by, and the rules that judge it.
const RESOURCES: [(&str, &[&str]); 3] = [
    ("CPU", &["cpu.saturated"]),
    ("memory", &["mem.exhausted", "mem.swapping", "mem.reclaim", "mem.thrashing"]),
    ("disk latency", &["disk.saturated", "disk.slow"]),
];
/// A line of an answer that is no finding.
pub(crate) struct Line {
    /// The word before it; none for what continues the line above.
    pub word: &'static str,
    /// How that is coloured.
    pub ink: Ink,
    /// What it says.
    pub text: String,
    /// Whether that is the answer.
    pub is_answer: bool,
}

/// Nothing needs attention: whether anything was judged, and what the machine does instead.
pub(super) fn healthy(page: &mut Page, examination: &Examination) {
    for Line { word, ink, text, is_answer } in without_trouble(examination) {
        let head = if word.is_empty() { " ".repeat(INDENT) } else { fixed_label(word, INDENT) };
        let of_text = if is_answer { Ink::Bold } else { Ink::Plain };
        page.paragraph(&[(ink, head), (of_text, text)], INDENT);
    }
    if is_judged(examination) {
        labelled(page, "most", &busiest(examination));
    }
}

/// Whether it is known what the machine is.
fn is_judged(examination: &Examination) -> bool {
    let any_rule = !examination.findings.is_empty() || !examination.ruled_out.is_empty();
    in_stretches(examination).is_none() && any_rule && unseen(examination).is_empty()
}

/// Who used most, where nothing needs attention.
pub(crate) fn most(examination: &Examination) -> Option<String> {
    is_judged(examination).then(|| busiest(examination)).filter(|text| !text.is_empty())
}

/// The answer where nothing needs attention, in lines.
pub(crate) fn without_trouble(examination: &Examination) -> Vec<Line> {
    let line = |word, ink, text, is_answer| Line { word, ink, text, is_answer };
    let ledger = &examination.ledger;
    if let Some(worst) = in_stretches(examination) {
        let (word, ink) = severity(worst);
        let text = "not throughout, but in parts of the recording:".to_owned();
        return vec![line(word, ink, text, true)];
    }
    if examination.findings.is_empty() && examination.ruled_out.is_empty() {
        let text = "no rule could be checked: heldup doctor".replace(' ', "\u{a0}");
        return vec![line("UNKNOWN", Ink::Yellow, text, false)];
    }
    let mut lines = noted(examination);
    let unseen = unseen(examination);
    if !unseen.is_empty() {
        let rules = examination.ruled_out.len() + examination.findings.len();
        let text = format!(
            "nothing found by {} {}; not in this recording: {}{}",
            count(rules as i64),
            if rules == 1 { "rule" } else { "rules" },
            unseen.join(", "),
            idle_during_io(examination)
        );
        lines.push(line("UNKNOWN", Ink::Yellow, text, false));
        return lines;
    }
    let has_time = !ledger.classes.is_empty();
    if has_time && is_idle(examination) {
        let length = seconds(window_s(examination));
        let text = format!("{} of active time in {length}; nothing to judge", seconds(ledger.active_seconds));
        lines.push(line("IDLE", Ink::Bold, text, false));
        return lines;
    }
    lines.push(line("OK", Ink::Green, no_bottleneck(examination), true));
    let queue: f64 = ledger
        .classes
        .iter()
        .filter(|class| class.class_name == Class::CpuQueue.name())
        .map(|class| class.seconds)
        .sum();
    if has_time {
        let text =
            format!("(run queue {} of {} active time)", seconds(queue), seconds(ledger.active_seconds));
        lines.push(line("", Ink::Plain, text, false));
    }
    lines
}

/// Of a recording without waits nobody knows what a fact cost: what is information only is all that it says.
fn noted(examination: &Examination) -> Vec<Line> {
    if examination.host.method != Method::Imported {
        return Vec::new();
    }
    let info = numbered(examination).filter(|(_, group)| group.severity == Severity::Info);
    let line = |(_, group): (usize, &FindingGroup)| Line {
        word: "INFO",
        ink: Ink::Plain,
        text: headline(examination, group, false),
        is_answer: false,
    };
    info.take(MOST_NOTED).map(line).collect()
}

/// What a recording would have to have before anybody could call the machine healthy, and has not.
fn unseen(examination: &Examination) -> Vec<&'static str> {
    let vitals = &examination.vitals;
    if examination.host.method != Method::Imported || vitals.profile.is_some() {
        return Vec::new();
    }
    if let Some(database) = &vitals.database {
        return if database.events.is_empty() { vec!["wait events"] } else { Vec::new() };
    }
    let judged = |ids: &[&str]| {
        let found = examination.findings.iter().any(|finding| ids.contains(&finding.id.as_str()));
        found || examination.ruled_out.iter().any(|rule| ids.contains(&rule.id.as_str()))
    };
    RESOURCES.iter().filter(|(_, ids)| !judged(ids)).map(|(name, _)| *name).collect()
}

/// The worst of what was found in parts of a recording alone.
fn in_stretches(examination: &Examination) -> Option<Severity> {
    let findings = examination.stretches.iter().flat_map(|stretch| &stretch.findings);
    findings.map(|finding| finding.severity).min()
}

/// What is known to be right.
fn no_bottleneck(examination: &Examination) -> String {
    let ledger = &examination.ledger;
    let cpus = examination.host.cpus.unwrap_or(0);
    let all_in_use = examination.vitals.cpu_busy.is_some_and(|busy| busy >= ALL_IN_USE);
    let nobody_waits = match ledger.classes.is_empty() {
        false => ledger.waiting_seconds <= LITTLE_WAITING * ledger.active_seconds,
        // A recording counts runnable tasks, those that run included.
        true => {
            cpus > 0 && examination.vitals.runnable.is_some_and(|tasks| tasks <= LITTLE_QUEUE * cpus as f64)
        }
    };
    match cpus {
        _ if !all_in_use || !nobody_waits => format!("no bottleneck found{}", idle_during_io(examination)),
        1 => "no bottleneck: the CPU is in use and nobody queues".to_owned(),
        2 => "no bottleneck: both CPUs are in use and nobody queues".to_owned(),
        _ => format!("no bottleneck: all {} CPUs are in use and nobody queues", count(cpus)),
    }
}

/// Of a recording without anything about disks: that CPUs idled while requests were in flight does not say how long
/// these took.
fn idle_during_io(examination: &Examination) -> String {
    let states = examination.cpu_use.iter().flat_map(|cpu_use| &cpu_use.states);
    let share: f64 = states.filter(|state| state.state == IOWAIT).map(|state| state.share).sum();
    let disk = examination.vitals.disk.as_ref();
    let is_known = disk.is_some_and(|disk| disk.latency_s.is_some() || disk.depth.is_some());
    if share < LEAST_IOWAIT || is_known {
        return String::new();
    }
    format!("; CPUs idle during I/O for {} of the time, disk latency not recorded", percent(share))
}

/// `sha256sum (2 processes): 19.9 s on CPU, 98 % user`
fn busiest(examination: &Examination) -> String {
    let of = |class: Class| {
        let found = examination.ledger.classes.iter().find(|one| one.class_name == class.name());
        found.map(|class| by_name(&class.tasks)).unwrap_or_default()
    };
    let (user, kernel) = (of(Class::User), of(Class::Kernel));
    let mut all: Vec<(&str, usize, f64, f64)> = Vec::new();
    for (name, tasks, spent) in user.iter().filter(|one| one.0 != OTHERS) {
        all.push((name, *tasks, *spent, *spent));
    }
    for (name, tasks, spent) in kernel.iter().filter(|one| one.0 != OTHERS) {
        match all.iter_mut().find(|one| one.0 == name) {
            Some(one) => (one.1, one.3) = (one.1.max(*tasks), one.3 + spent),
            None => all.push((name, *tasks, 0.0, *spent)),
        }
    }
    let Some((name, number, user_s, run_s)) = all.into_iter().max_by(|a, b| a.3.total_cmp(&b.3)) else {
        return String::new();
    };
    let number = if number > 1 { format!(" ({} tasks)", count(number as i64)) } else { String::new() };
    format!("{name}{number}: {} on CPU, {} user", seconds(run_s), percent(user_s / run_s))
}
