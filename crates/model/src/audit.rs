//! Audited files of settings: the answer of `heldup tune audit --json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`AuditAnswer`].
pub const AUDIT_SCHEMA: &str = "heldup/audit/1";

/// An audited file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedFile {
    /// Name as given.
    pub file: String,
    /// System of the settings: Linux, Solaris or AIX.
    pub system: String,
    /// The release of the audit, with its system.
    pub against: String,
    /// Whether it is a listing of a running machine, not a choice of values.
    pub is_listing: bool,
    /// Advice for the whole file.
    pub advice: Option<String>,
}

/// One remark about a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRemark {
    /// fine, default, repeated, unknown, overridden, coupled, risky, absent, out_of_range, obsolete, malformed.
    pub verdict: String,
    /// Text of the remark.
    pub why: String,
}

/// An audited line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedLine {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The setting as written; for a malformed line the whole line.
    pub name: String,
    /// The value, one blank between words.
    pub value: String,
    /// Id in the catalogue; for another system's setting the nearest one on Linux.
    pub id: Option<String>,
    /// The most important verdict of `remarks`.
    pub verdict: String,
    /// Whether the line should be changed.
    pub is_warning: bool,
    /// All remarks, the most important first.
    pub remarks: Vec<AuditRemark>,
    /// Further reading.
    pub references: Vec<String>,
}

/// Schema `heldup/audit/1`: files of settings, each line audited for a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditAnswer {
    /// `heldup/audit/1`.
    pub schema: String,
    /// The files, in the order given, which is the order of application.
    pub files: Vec<AuditedFile>,
    /// Their lines, in the same order.
    pub lines: Vec<AuditedLine>,
    /// Files that could not be read, and why.
    #[serde(default)]
    pub unread: Vec<String>,
}
