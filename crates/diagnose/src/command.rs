//! The command that was run: its account, and its findings before those of the machine.
//!
//! The rules run twice. Over the whole machine they know who did what to whom; over the
//! command's own tasks they judge what its time was spent on, however little that is of
//! all time on a busy machine. What both find is one finding: the command's numbers, and
//! the culprits that the whole machine shows.

use std::collections::HashSet;

use heldup_archive::{Database, SqlError};
use heldup_model::{Capture, CommandSummary, Finding, TaskShare};

use crate::diagnosis::Diagnosis;
use crate::focus::{self, Focus};
use crate::ledger;
use crate::row::Row;

const RUN: &str = "select pid, command, wall_s, exit_code, signal_no, user_s, system_s from command_run";
/// One row; without a count where the method marks no tasks.
const PROCESSES: &str = "select count(distinct case when in_command then pid end) as processes
    from task_time where in_command is not null having count(*) > 0";

/// What is known of the command; none where none was run.
pub fn summary(database: &Database) -> Result<Option<CommandSummary>, SqlError> {
    let Some(run) = Row::all(database.query(RUN)?).into_iter().next() else { return Ok(None) };
    let processes = Row::all(database.query(PROCESSES)?).first().and_then(|row| row.int("processes"));
    let ledger = processes.map(|_| ledger::of_command(database));
    Ok(Some(CommandSummary {
        command: run.text("command").unwrap_or_default(),
        pid: run.int("pid"),
        wall_seconds: run.number("wall_s"),
        exit_code: run.int("exit_code"),
        signal: run.int("signal_no"),
        user_seconds: run.number("user_s"),
        system_seconds: run.number("system_s"),
        processes,
        ledger,
    }))
}

/// Process ids of the command's tasks.
pub fn pids(capture: &Capture) -> HashSet<i64> {
    focus::pids(capture, &Focus::Command, &["task_time"])
}

/// Puts what concerns the command before the rest of the machine's findings, each cause before
/// its symptom. `only` are the findings of the command alone.
pub fn put_first(all: &mut Diagnosis, only: Option<Diagnosis>, pids: &HashSet<i64>) {
    let concerns = |finding: &Finding| concerns(finding, pids);
    let mut first: Vec<Finding> = Vec::new();
    if let Some(only) = only {
        for (cost, more) in all.rule_costs.iter_mut().zip(&only.rule_costs) {
            cost.cpu_s += more.cpu_s;
        }
        if let Some(ledger) = all.command.as_mut().and_then(|command| command.ledger.as_mut()) {
            ledger.explained = only.ledger.explained;
        }
        first = only.findings.into_iter().filter(|one| concerns(one) || names_a_group(one)).collect();
    }
    for finding in &mut first {
        finding.focus = Some("command".to_owned());
        if let Some(at) = all.findings.iter().position(|whole| whole.key == finding.key) {
            merge(finding, all.findings.remove(at));
        }
    }
    let (involved, others): (Vec<Finding>, Vec<Finding>) =
        std::mem::take(&mut all.findings).into_iter().partition(concerns);
    first.extend(involved);
    first.iter_mut().for_each(|finding| finding.in_command = Some(true));
    let mut rest: Vec<Option<Finding>> = first
        .into_iter()
        .chain(others.into_iter().map(|finding| Finding { in_command: Some(false), ..finding }))
        .map(Some)
        .collect();
    for at in 0..rest.len() {
        take_with_causes(at, &mut rest, &mut all.findings);
    }
    let known: HashSet<String> = all.findings.iter().map(|finding| finding.key.clone()).collect();
    for finding in &mut all.findings {
        finding.because.retain(|key| known.contains(key));
        finding.explains.retain(|key| known.contains(key));
    }
}

/// Whether one of these processes is the subject, a culprit or a victim.
fn concerns(finding: &Finding, pids: &HashSet<i64>) -> bool {
    let has = |task: &TaskShare| task.pid.is_some_and(|pid| pids.contains(&pid));
    finding.subject.pid.is_some_and(|pid| pids.contains(&pid))
        || finding.culprits.iter().any(has)
        || finding.victims.iter().any(has)
}

/// Whether several tasks are named as one, without a process id. Where only the command was
/// looked at they can be nobody else's.
fn names_a_group(finding: &Finding) -> bool {
    let group = |task: &TaskShare| task.pid.is_none() && task.tid.is_none() && task.seconds.is_some();
    finding.culprits.iter().chain(&finding.victims).any(group)
}

/// The command's finding takes over what only the whole machine shows.
fn merge(finding: &mut Finding, whole: Finding) {
    if !whole.culprits.is_empty() {
        finding.culprits = whole.culprits;
    }
    for (links, more) in [(&mut finding.because, whole.because), (&mut finding.explains, whole.explains)] {
        let new: Vec<String> = more.into_iter().filter(|key| !links.contains(key)).collect();
        links.extend(new);
    }
}

/// Rules do not explain each other in a circle; a finding that is taken already ends one.
fn take_with_causes(at: usize, rest: &mut [Option<Finding>], order: &mut Vec<Finding>) {
    let Some(finding) = rest.get_mut(at).and_then(Option::take) else { return };
    for key in &finding.because {
        let cause = rest.iter().position(|one| one.as_ref().is_some_and(|one| one.key == *key));
        if let Some(cause) = cause {
            take_with_causes(cause, rest, order);
        }
    }
    order.push(finding);
}

#[cfg(test)]
mod tests {
    use heldup_model::Subject;

    use super::*;

    fn finding(key: &str, pid: Option<i64>, because: &[&str]) -> Finding {
        Finding {
            key: key.to_owned(),
            id: key.to_owned(),
            cost: Some(0.1),
            subject: Subject { pid, ..Subject::default() },
            because: because.iter().map(|key| (*key).to_owned()).collect(),
            ..Finding::default()
        }
    }

    fn diagnosis(findings: Vec<Finding>) -> Diagnosis {
        Diagnosis { findings, ..Diagnosis::default() }
    }

    #[test]
    fn the_command_comes_first_and_causes_before_their_symptoms() {
        let task = |pid| TaskShare { pid: Some(pid), ..TaskShare::default() };
        let mut slow = finding("slow", None, &[]);
        slow.victims = vec![task(7)];
        slow.culprits = vec![task(1)];
        slow.cost = Some(0.01);
        let mut many = finding("many", None, &[]);
        many.victims = vec![TaskShare { seconds: Some(0.5), ..TaskShare::default() }];
        let whole = vec![
            finding("other", Some(1), &[]),
            finding("cause", None, &[]),
            finding("symptom", Some(7), &["cause"]),
            slow.clone(),
        ];
        let mut narrow = Finding { cost: Some(0.9), culprits: Vec::new(), ..slow };
        narrow.because = vec!["nowhere".to_owned()];
        let mut all = diagnosis(whole);
        let only = diagnosis(vec![narrow, many, finding("of the machine", None, &[])]);
        put_first(&mut all, Some(only), &HashSet::from([7]));
        let order: Vec<(&str, Option<bool>)> =
            all.findings.iter().map(|f| (f.key.as_str(), f.in_command)).collect();
        assert_eq!(
            order,
            [
                ("slow", Some(true)),
                ("many", Some(true)),
                ("cause", Some(false)),
                ("symptom", Some(true)),
                ("other", Some(false))
            ]
        );
        let slow = &all.findings[0];
        assert_eq!((slow.cost, slow.focus.as_deref()), (Some(0.9), Some("command")));
        assert_eq!((slow.culprits.len(), slow.because.len()), (1, 0));
    }
}
