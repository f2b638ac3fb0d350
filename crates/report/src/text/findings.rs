//! The findings, one after the other: what hurts in full, what is merely worth knowing briefly.
//!
//! The first is always in full. Behind it information takes a few lines, and one of a kind stands
//! for all of that kind: ten busy threads are one thing to know about a machine, not ten.

use heldup_model::{Examination, Finding, Severity};

use crate::layout::{Ink, Page};

use super::finding;

/// Writes them in their order; those that do not concern the command under their own heading.
pub(crate) fn write(page: &mut Page, examination: &Examination, details: bool) {
    let all = &examination.findings;
    if examination.command.is_none() {
        section(page, examination, all, details);
        return;
    }
    // Behind the last that concerns the command: a cause of one of them may not itself.
    let others_from = all.iter().rposition(|one| one.in_command == Some(true)).map_or(0, |last| last + 1);
    let (its, others) = all.split_at(others_from);
    section(page, examination, its, details);
    if !others.is_empty() {
        page.gap();
        page.paragraph(&[(Ink::Bold, "Beside the command, on this machine:".to_owned())], 2);
        section(page, examination, others, details);
    }
}

fn section(page: &mut Page, examination: &Examination, findings: &[Finding], details: bool) {
    let mut brief = false;
    for (at, one) in findings.iter().enumerate() {
        let like = |other: &&Finding| is_information(other) && other.id == one.id;
        if details || !is_information(one) {
            page.gap();
            finding::write(page, one, examination);
            continue;
        }
        if findings.iter().take(at).any(|before| like(&before)) {
            continue;
        }
        page.gap();
        if at == 0 {
            finding::write(page, one, examination);
        } else {
            finding::write_briefly(page, one, examination);
            brief = true;
        }
        let others: Vec<&Finding> = findings.iter().skip(at + 1).filter(like).collect();
        finding::write_others(page, &others);
        brief |= !others.is_empty();
    }
    if brief {
        page.gap();
        page.paragraph(&[(Ink::Dim, "○\u{a0}in full: --details".to_owned())], 2);
    }
}

fn is_information(finding: &Finding) -> bool {
    finding.severity == Severity::Info
}
