//! What a rule asks of a recording of another tool, which knows nothing of what tasks waited for.
//!
//! `vmstat`, `iostat` and `sar` count states of the machine. A rule that judges waits may have a second
//! question for them, `[recording]`: it says that the state was there and for how long, and leaves open
//! whom it held up. On a machine of our own the first question is asked, always.
//!
//! What a kernel's log says (`beside = true`) is known whether or not the columns of the first question are
//! in the recording, and the first where they are: both are asked then, the log first.

use heldup_model::tables::TaskTimeRow;
use heldup_model::{Capture, Method, Record};
use serde::Deserialize;

use crate::document::{ColumnName, EvidenceColumn, NextTemplate, Rule};
use crate::template::Template;

/// The table `[recording]` of a rule document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Asked beside the rule's own question, which speaks where this one finds nothing.
    #[serde(default)]
    pub beside: bool,
    /// One line that says the finding.
    pub title: Template,
    /// How it is decided, with the reason for each number.
    pub decided: String,
    /// Columns without which nothing can be said.
    pub needs: Vec<ColumnName>,
    /// SQL: one row for each subject that could be judged.
    pub considered: String,
    /// SQL: one row for each finding.
    pub sql: String,
    /// SQL: who causes it, where the recording knows.
    pub culprits: Option<String>,
    /// The numbers that are shown, in order.
    #[serde(default)]
    pub evidence: Vec<EvidenceColumn>,
    /// What to look at next.
    #[serde(default)]
    pub next: Vec<NextTemplate>,
}

impl Recording {
    /// The rule with this question in the place of its own. Nobody is known who suffers it, and
    /// nothing is proposed: what would help depends on who that is.
    pub(crate) fn of(self, rule: &Rule) -> Rule {
        Rule {
            beside: self.beside,
            title: self.title,
            decided: self.decided,
            needs: self.needs,
            considered: self.considered,
            sql: self.sql,
            culprits: self.culprits,
            evidence: self.evidence,
            next: self.next,
            needs_classes: Vec::new(),
            better_with: Vec::new(),
            rules_out_with: Vec::new(),
            first_look: None,
            victims: None,
            accounts: None,
            symptom_of: Vec::new(),
            changes: Vec::new(),
            supplied_by: "a recording that has it, or heldup on that machine".to_owned(),
            ..rule.clone()
        }
    }
}

/// Whether a capture is a recording of a tool that tells of no task what it waited for.
pub(crate) fn is_recording(capture: &Capture) -> bool {
    let batches = capture.tables.get(TaskTimeRow::DEF.name).map(Vec::as_slice).unwrap_or_default();
    capture.method == Method::Imported && batches.iter().all(|batch| batch.num_rows() == 0)
}

/// The questions that are for this capture: the first that finds something decides, and where none
/// does the last.
pub(crate) fn questions<'a>(rule: &'a Rule, capture: &Capture) -> impl Iterator<Item = &'a Rule> {
    let other = rule.on_recordings.as_deref().filter(|_| is_recording(capture));
    let own = other.is_none_or(|other| other.beside).then_some(rule);
    other.into_iter().chain(own)
}
