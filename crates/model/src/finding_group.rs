//! Findings of one id and one kind of subject, shown as one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{Finding, Impact, Severity};

/// Findings of one id and kind of subject. Its number, from 1 on in the order of the answer, is what
/// `heldup explain N` takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingGroup {
    /// `id@kind`, unique within the answer.
    pub key: String,
    /// Id of its findings.
    pub id: String,
    /// Severity of all members together.
    pub severity: Severity,
    /// What the members cost together, share of active time; null where time is not the harm.
    pub cost: Option<f64>,
    /// Their harm together.
    pub impact: Impact,
    /// Keys of its findings, in the order of the answer.
    pub members: Vec<String>,
}

impl FindingGroup {
    /// The key of the group that a finding belongs to.
    pub fn key_of(finding: &Finding) -> String {
        format!("{}@{}", finding.id, finding.subject.kind)
    }
}
