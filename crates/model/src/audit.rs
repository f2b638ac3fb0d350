//! Files of settings, judged: what `heldup tune audit --format json` answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`AuditAnswer`].
pub const AUDIT_SCHEMA: &str = "heldup/audit/1";

/// A file that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedFile {
    /// As it was named.
    pub file: String,
    /// Whose settings they are: Linux, Solaris or AIX.
    pub system: String,
    /// The release that they were judged against, with its system.
    pub against: String,
    /// Whether it is what a tool listed of a running machine, and nobody's choice.
    pub is_listing: bool,
    /// What to do with such a file as a whole.
    pub advice: Option<String>,
}

/// One thing that is said of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRemark {
    /// fine, default, repeated, unknown, overridden, coupled, risky, absent, out_of_range, obsolete, malformed.
    pub verdict: String,
    /// In words.
    pub why: String,
}

/// A line, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedLine {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The setting as it stands there; of a malformed line the whole line.
    pub name: String,
    /// The value, one blank between words.
    pub value: String,
    /// Id in the catalogue; of another system's setting the nearest one on Linux.
    pub id: Option<String>,
    /// The verdict that matters most, one of those of `remarks`.
    pub verdict: String,
    /// Whether somebody should do something about it.
    pub is_warning: bool,
    /// All that is said of it, what matters most first.
    pub remarks: Vec<AuditRemark>,
    /// Where to read more.
    pub references: Vec<String>,
}

/// Schema `heldup/audit/1`: files of settings, each line judged against a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditAnswer {
    /// `heldup/audit/1`.
    pub schema: String,
    /// The files, in the order in which they were named and are taken to be applied.
    pub files: Vec<AuditedFile>,
    /// Their lines, in the same order.
    pub lines: Vec<AuditedLine>,
    /// Files that could not be read, and why.
    #[serde(default)]
    pub unread: Vec<String>,
}
