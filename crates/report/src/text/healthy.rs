//! The answer where nothing needs attention: that the machine is idle, that it is busy and nobody waits, or that the
//! recording does not have what such a judgement needs. Facts that are information only stand there.

use heldup_model::{Class, Examination, FindingGroup, Method, Severity};

use super::answer::{
    INDENT, fixed_label, headline, is_idle, labelled, numbered, severity, window_s, with_units,
};
use super::tasks::{OTHERS, by_name, list};
use crate::layout::{Ink, Page};
use crate::quantity::{count, fixed, percent, seconds};

/// Facts that are information only and stand in the answer of a recording.
const MOST_NOTED: usize = 2;
/// Waiting below this share of active time is nobody's trouble.
const LITTLE_WAITING: f64 = 0.05;
/// Processes with most CPU time that a listing shows.
const MOST_LISTED: usize = 3;
/// Load average for each CPU from which it is explained where few tasks run.
const HIGH_LOAD: f64 = 1.5;
/// Load average that is said where the number of CPUs is unknown.
const LEAST_LOAD: f64 = 2.0;
/// Idle CPUs that a high load average does not go with.
const LEAST_IDLE: f64 = 0.2;
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
pub(super) fn write(page: &mut Page, examination: &Examination) {
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
    let mut lines = noted(examination);
    if examination.findings.is_empty() && examination.ruled_out.is_empty() {
        let text = "no rule could be checked: heldup doctor".replace(' ', "\u{a0}");
        lines.push(line("UNKNOWN", Ink::Yellow, text, false));
        return lines;
    }
    let unseen = unseen(examination);
    if !unseen.is_empty() {
        let rules = examination.ruled_out.len() + examination.findings.len();
        let text = format!(
            "nothing found by {} {}; not judged: {}",
            count(rules as i64),
            if rules == 1 { "rule" } else { "rules" },
            unseen.join(", ")
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
    let is_fact =
        |group: &FindingGroup| group.severity == Severity::Info && !group.id.starts_with("capture.");
    let info = numbered(examination).filter(|(_, group)| is_fact(group));
    let facts = info.take(MOST_NOTED).map(|(_, group)| with_units(&headline(examination, group, false)));
    let line = |text| Line { word: "INFO", ink: Ink::Plain, text, is_answer: false };
    let mut lines: Vec<Line> =
        facts.chain(load_without_runners(examination)).chain(idle_during_io(examination)).map(line).collect();
    let listed = examination.cpu_use.iter().filter(|cpu_use| cpu_use.is_listed);
    let most = listed.map(|cpu_use| list(&cpu_use.processes, MOST_LISTED)).next().unwrap_or_default();
    if !most.is_empty() {
        lines.push(Line { word: "  most CPU", ink: Ink::Dim, text: most, is_answer: false });
    }
    lines
}

/// A load average of which the CPUs show little: tasks that wait for a disk or a file server are in it, and short ones.
fn load_without_runners(examination: &Examination) -> Option<String> {
    let vitals = &examination.vitals;
    let load = vitals.load.as_ref()?.one;
    let cpus = examination.host.cpus.unwrap_or(1).max(1) as f64;
    let idle = vitals.cpu_busy.map(|busy| 1.0 - busy);
    if examination.host.cpus.is_none() && idle.is_none() && vitals.runnable.is_none() {
        let line = format!("load average {}; number of CPUs not recorded", fixed(load, 1));
        return Some(line).filter(|_| load >= LEAST_LOAD);
    }
    let few_run = match vitals.runnable {
        Some(runnable) => runnable <= 0.5 * load,
        None => idle.is_some_and(|idle| idle >= LEAST_IDLE),
    };
    if load < HIGH_LOAD * cpus || !few_run {
        return None;
    }
    let known = [
        vitals.runnable.map(|tasks| format!("{} runnable", fixed(tasks, 0))),
        // A listing may be cut off: that none is in it says nothing.
        vitals
            .blocked
            .filter(|tasks| *tasks >= 0.5)
            .map(|tasks| format!("{} in uninterruptible wait", fixed(tasks, 0))),
        idle.map(|idle| format!("CPUs {} idle", percent(idle))),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    Some(format!(
        "load average {}: {}; it counts uninterruptible (disk, NFS) and short-lived tasks too",
        fixed(load, 1),
        known.join(", ")
    ))
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
        _ if !all_in_use || !nobody_waits => "no bottleneck found".to_owned(),
        1 => "no bottleneck: the CPU is in use and nobody queues".to_owned(),
        2 => "no bottleneck: both CPUs are in use and nobody queues".to_owned(),
        _ => format!("no bottleneck: all {} CPUs are in use and nobody queues", count(cpus)),
    }
}

/// Of a recording without anything about disks: that CPUs idled while requests were in flight does not say how long
/// these took.
fn idle_during_io(examination: &Examination) -> Option<String> {
    let states = examination.cpu_use.iter().flat_map(|cpu_use| &cpu_use.states);
    let share: f64 = states.filter(|state| state.state == IOWAIT).map(|state| state.share).sum();
    let disk = examination.vitals.disk.as_ref();
    let is_known = disk.is_some_and(|disk| disk.latency_s.is_some() || disk.depth.is_some());
    if share < LEAST_IOWAIT || is_known {
        return None;
    }
    let blocked = examination.vitals.blocked.filter(|tasks| *tasks >= 1.0);
    let tasks = blocked.map(|tasks| format!(", {} tasks in uninterruptible wait", fixed(tasks, 0)));
    Some(format!(
        "CPUs idle while I/O is outstanding for {} of the time{}; disk latency not recorded",
        percent(share),
        tasks.unwrap_or_default()
    ))
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
