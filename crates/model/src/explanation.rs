//! What `heldup explain` answers: a finding, a rule or a class of time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::area::Area;
use crate::examination::Finding;

/// Schema of [`ExplainAnswer`].
pub const EXPLAIN_SCHEMA: &str = "heldup/explain/1";

/// Schema `heldup/explain/1`: what something means.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ExplainAnswer {
    /// `heldup/explain/1`.
    #[schemars(extend("const" = EXPLAIN_SCHEMA))]
    pub schema: String,
    /// The examination whose finding is explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examination: Option<u64>,
    /// Number of the finding in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// Its findings: of one rule and one kind of subject, worst first; empty for a rule or class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<ExplainedRule>,
    /// The class of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ExplainedClass>,
}

/// A rule in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedRule {
    /// Public id.
    pub id: String,
    /// The resource that it is about; null for what is about the recording or all time.
    pub area: Option<Area>,
    /// What it finds, in at most 60 characters.
    pub summary: String,
    /// What it means.
    pub meaning: String,
    /// How it is decided.
    pub decided: String,
    /// When not to believe it.
    pub when_wrong: String,
    /// Where to read more.
    pub references: Vec<String>,
    /// The SQL that finds it.
    pub sql: String,
}

/// A class of time in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedClass {
    /// Its name in tables and JSON.
    pub name: String,
    /// running, waiting, peer, idle or other.
    pub group: String,
    /// What a task does then.
    pub meaning: String,
}
