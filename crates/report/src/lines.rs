//! What the first screen says, a line at a time: for views that place the lines themselves.

use heldup_model::{Change, Examination, Finding, FindingGroup, HostSummary, NextStep, TaskShare};
use unicode_width::UnicodeWidthStr;

use crate::text::{answer, finding, header, healthy, tasks, vitals as vital_signs};

/// The system of a machine: `Linux 6.18`, `AIX 7.1`; none where nobody knows.
pub fn system(host: &HostSummary) -> Option<String> {
    header::system(host)
}

/// Its vital signs.
pub fn vitals(examination: &Examination) -> String {
    vital_signs::line(examination)
}

/// The title of a group of findings, without its share.
pub fn title(examination: &Examination, group: &FindingGroup) -> String {
    answer::title(examination, group)
}

/// Who causes it, and who else waits.
pub fn who(finding: &Finding) -> String {
    answer::who(finding)
}

/// What explains it, and what it says more about.
pub fn why(examination: &Examination, group: &FindingGroup) -> Vec<String> {
    let causes = answer::causes(examination, group).into_iter();
    let numbered =
        causes.map(|(number, cause)| format!("follows from {number}: {}", title(examination, cause)));
    numbered.chain(answer::details(examination, group).map(str::to_owned)).collect()
}

/// What to do, as it is typed: the first change that harms nobody, else the first next step, as far as it is no longer
/// than this; a command that is cut is none. Without one the page of the finding.
pub fn remedy(finding: &Finding, number: usize, columns: usize, sudo: bool) -> String {
    let typed = |command: &str, words: &str| match command.trim() {
        "" => words.trim().to_owned(),
        command if sudo && command.starts_with("heldup ") => format!("sudo {command}"),
        command => command.to_owned(),
    };
    let is_harmless = |change: &&Change| change.worsens.is_empty();
    let changes =
        finding.changes.iter().filter(is_harmless).map(|change| typed(&change.command, &change.expect));
    let steps = finding.next.iter().map(|step: &NextStep| typed(&step.command, &step.text));
    let fits = changes.chain(steps).find(|text| !text.is_empty() && text.width() <= columns);
    fits.unwrap_or_else(|| typed(&format!("heldup explain {number}"), ""))
}

/// Where nothing needs attention: a word, and what is known.
pub fn without_trouble(examination: &Examination) -> Vec<(String, String)> {
    let lines = healthy::without_trouble(examination).into_iter();
    lines.map(|line| (line.word.trim().to_owned(), line.text)).collect()
}

/// Tasks of one name together: name, number of tasks, seconds where they are known; the most first.
pub fn by_name(tasks: &[TaskShare]) -> Vec<(String, usize, Option<f64>)> {
    let named = tasks::by_name(tasks).into_iter();
    named.map(|(name, number, spent)| (name, number, Some(spent).filter(|spent| *spent > 0.0))).collect()
}

/// What to expect of a change, what it may harm, and how it is undone.
pub fn consequences(change: &Change) -> String {
    answer::consequences(change)
}

/// What a finding is about: `device vda`.
pub fn subject(of: &Finding) -> String {
    finding::subject(of)
}
