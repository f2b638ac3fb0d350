//! Every finding in full, below the answer: `-v`.

use heldup_model::{Examination, Finding};

use crate::layout::{Ink, Page};

use super::answer::{numbered, short_name};
use super::{TextOptions, finding};

/// Writes them in their order, with the number of their group; those that do not concern the command under
/// their own heading.
pub(crate) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) {
    let all = &examination.findings;
    // Behind the last that concerns the command: a cause of one of them may not itself.
    let own = match &examination.command {
        Some(_) => all.iter().rposition(|one| one.in_command == Some(true)).map_or(0, |last| last + 1),
        None => all.len(),
    };
    for (at, one) in all.iter().enumerate() {
        if at == own {
            page.gap();
            page.paragraph(&[(Ink::Bold, "Beside the command, on this machine:".to_owned())], 2);
        }
        page.gap();
        finding::write(page, one, number(examination, one), examination, options);
    }
}

/// The number of the finding's group, and how it is called elsewhere: `1`.
fn number(examination: &Examination, one: &Finding) -> Option<usize> {
    numbered(examination).find(|(_, group)| group.members.contains(&one.key)).map(|(number, _)| number)
}

/// `1 (throttled)`: a finding as another one refers to it.
pub(crate) fn reference(examination: &Examination, key: &str) -> String {
    let group = numbered(examination).find(|(_, group)| group.members.iter().any(|member| member == key));
    let id = key.split('/').next().unwrap_or(key);
    match group {
        Some((number, _)) => format!("{number} ({})", short_name(id)),
        None => id.to_owned(),
    }
}
