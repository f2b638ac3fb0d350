//! A profile of another tool: what was sampled, and the functions that have the samples.
//!
//! A profile tells where CPU time goes and nothing of waits: it is neither good nor bad, so that its answer is no
//! severity.

use heldup_model::{EvidenceValue, Examination, Finding, ProfileVitals, short_function_name};
use unicode_width::UnicodeWidthStr;

use crate::layout::{Ink, Page};
use crate::quantity::{count, percent};

/// The rule whose findings are the answer.
const HOT_CODE: &str = "cpu.hot-code";
/// Share of idle CPUs from which it is said.
const LEAST_IDLE: f64 = 0.005;
/// Samples below this number are chance.
const FEW: i64 = 20;
/// A list with less of the samples says nothing of the rest.
const LEAST_LISTED: f64 = 0.5;
/// Columns of a program's name at most.
const WIDEST_PROGRAM: usize = 15;
/// Columns of the two shares and the gaps before the program.
const SHARES: usize = 17;

/// `CPU samples`, `page-faults samples`, `samples`.
fn samples_of(profile: &ProfileVitals) -> String {
    match profile.sampled.as_deref() {
        Some("cpu") => "CPU samples".to_owned(),
        Some(event) => format!("{event} samples"),
        None => "samples".to_owned(),
    }
}

/// Parts of the line of vital signs: `2,545 CPU samples  idle 12 %  java 64 %  3 more programs`.
pub(crate) fn vitals(profile: &ProfileVitals) -> Vec<String> {
    let of = samples_of(profile);
    let mut parts = vec![match profile.samples {
        Some(samples) => format!("{} {of}", count(samples)),
        None => of,
    }];
    let idle = profile.idle_share.filter(|share| *share >= LEAST_IDLE);
    parts.extend(idle.map(|share| format!("idle {} (not counted)", percent(share))));
    parts.extend(profile.programs.iter().map(|one| format!("{} {}", one.program, percent(one.share))));
    match profile.program_count - profile.programs.len() as i64 {
        ..=0 => {}
        1 => parts.push("1 more program".to_owned()),
        more => parts.push(format!("{} more programs", count(more))),
    }
    parts.extend(profile.others.iter().map(|other| match other.samples {
        Some(samples) => format!("{}: {} samples", other.event, count(samples)),
        None => other.event.clone(),
    }));
    parts
}

/// Whether nothing but profiles and dumps of threads was examined, so that no rule can say more than it does.
pub(crate) fn is_all(examination: &Examination) -> bool {
    let vitals = &examination.vitals;
    let others = [vitals.cpu_busy, vitals.queue, vitals.runnable, vitals.memory_used];
    (vitals.profile.is_some() || vitals.waits.is_some())
        && examination.ledger.classes.is_empty()
        && others.iter().all(Option::is_none)
        && vitals.disk.is_none()
        && vitals.database.is_none()
}

/// The answer of a profile where nothing needs attention: label and text, and what stands below it.
pub(crate) struct Answer<'e> {
    /// What has most samples.
    pub text: String,
    /// The finding that says so.
    pub finding: Option<&'e Finding>,
    /// How most of its samples came to it.
    pub path: Option<&'e str>,
    /// Its direct callers, where they differ.
    pub callers: Option<&'e str>,
    /// What to check, in words.
    pub remedy: Option<&'e str>,
}

/// What to say of a profile.
pub(crate) fn answer<'e>(examination: &'e Examination, profile: &ProfileVitals) -> Answer<'e> {
    let finding = examination.findings.iter().find(|one| one.id == HOT_CODE);
    let text = match finding {
        Some(finding) => finding.title.trim().to_owned(),
        None if profile.functions.is_empty() => format!("no functions in the {}", samples_of(profile)),
        None if profile.samples.is_some_and(|samples| samples < FEW) => {
            format!("too few {}: {}", samples_of(profile), count(profile.samples.unwrap_or(0)))
        }
        None if profile.listed_share.is_some_and(|share| share < LEAST_LISTED) => {
            let listed = percent(profile.listed_share.unwrap_or(0.0));
            format!("the list has only {listed} of the {}", samples_of(profile))
        }
        None => format!("no function has a tenth of the {}", samples_of(profile)),
    };
    let told = |finding: &'e Finding, name: &str| {
        let evidence = finding.evidence.iter().find(|one| one.name.starts_with(name))?;
        match &evidence.value {
            EvidenceValue::Text(text) => Some(text.as_str()),
            EvidenceValue::Number(_) => None,
        }
    };
    let path = finding.and_then(|finding| told(finding, "call path"));
    let callers = finding.and_then(|finding| told(finding, "called from"));
    // What to check, in words; the commands are in `explain`.
    let remedy = finding.and_then(|finding| finding.next.iter().find(|step| step.command.trim().is_empty()));
    let remedy = remedy.map(|step| step.text.trim());
    Answer { text, finding, path, callers, remedy }
}

/// Writes the functions with most samples, a line each.
pub(crate) fn write(page: &mut Page, profile: &ProfileVitals) {
    if profile.functions.is_empty() {
        return;
    }
    let head = format!("Functions by {}: self, with callees", samples_of(profile));
    page.paragraph(&[(Ink::Bold, head)], 2);
    let program = |name: Option<&str>| cut(name.unwrap_or(""), WIDEST_PROGRAM);
    let widest =
        profile.functions.iter().map(|one| program(one.program.as_deref()).width()).max().unwrap_or(0);
    for one in &profile.functions {
        let name = program(one.program.as_deref());
        let pad = " ".repeat(widest - name.width());
        let shares = format!(
            "{:>7} {:>7}",
            one.self_share.map(percent).unwrap_or_default(),
            percent(one.inclusive_share)
        );
        let line = format!("{shares}  {name}{pad}  {}", short_function_name(&one.function));
        let kind = one.kind.as_ref().map(|kind| format!("  ({kind})")).unwrap_or_default();
        let fits = line.width() + kind.width() <= page.width();
        let text = if fits { line + &kind } else { line };
        page.paragraph(&[(Ink::Plain, text.replace(' ', "\u{a0}"))], SHARES);
    }
}

/// A name in so many columns.
fn cut(name: &str, columns: usize) -> String {
    match name.chars().count() {
        ..=WIDEST_PROGRAM => name.to_owned(),
        _ => name.chars().take(columns - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{EventSamples, ProgramSamples};

    use super::*;

    #[test]
    fn the_line_says_what_was_sampled() {
        let program = |name: &str, share| ProgramSamples { program: name.to_owned(), share };
        let profile = ProfileVitals {
            sampled: Some("cpu".to_owned()),
            samples: Some(2545),
            idle_share: Some(0.12),
            programs: vec![program("java", 0.64), program("sh", 0.2)],
            program_count: 5,
            others: vec![EventSamples { event: "page-faults".to_owned(), samples: Some(46) }],
            ..ProfileVitals::default()
        };
        let line = |profile: &ProfileVitals| vitals(profile).join("  ").replace('\u{a0}', " ");
        assert_eq!(
            line(&profile),
            "2,545 CPU samples  idle 12 % (not counted)  java 64 %  sh 20 %  3 more programs  page-faults: 46 samples"
        );
        let unnamed = ProfileVitals { samples: None, sampled: None, ..ProfileVitals::default() };
        assert_eq!(line(&unnamed), "samples");
    }
}
