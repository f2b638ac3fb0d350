//! The answer of `heldup compare`: what differs between two captures, and what is undecided.
//!
//! This is the public JSON, schema `heldup/comparison/1`: fields may be added, none renamed or
//! removed. Rates are per second of the window, so that windows of unequal length compare.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::Method;
use crate::examination::{ErrorNote, Severity};

/// The value of `schema`.
pub const COMPARISON_SCHEMA: &str = "heldup/comparison/1";
/// Samples of a side for a full comparison; with fewer only large differences are found.
pub const COMPARED_SAMPLES: u64 = 32;

/// One comparison.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name of this schema.
    #[schemars(extend("const" = COMPARISON_SCHEMA))]
    pub schema: String,
    /// The first capture.
    pub first: ComparedSide,
    /// The second; changes are from the first to it.
    pub second: ComparedSide,
    /// The captures of the first side if there are several; the first of them is `first`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_members: Vec<ComparedSide>,
    /// The captures of the second side, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_members: Vec<ComparedSide>,
    /// Notes: what was left out, and what is undecided.
    pub notes: Vec<String>,
    /// The verdict of the whole comparison.
    pub verdict: ComparisonVerdict,
    /// Headlines, three at most: settings, then differences by severity.
    #[serde(default)]
    pub headlines: Vec<Headline>,
    /// Settings that differ.
    pub settings: Vec<SettingDifference>,
    /// Findings that differ, worst first.
    #[serde(default)]
    pub findings: Vec<FindingDifference>,
    /// Time of user tasks: every class with time on either side, those that
    /// differ first, largest change first.
    pub ledger: Vec<LedgerDifference>,
    /// Programs that ran on one side only, those with the most active time first.
    pub programs: Vec<ProgramDifference>,
    /// Metrics that differ, largest relative change first.
    pub metrics: Vec<MetricDifference>,
    /// Number of metrics tested.
    pub metrics_judged: u64,
    /// Number of metrics with too few samples on a side.
    pub metrics_too_short: u64,
    /// Errors while reading.
    pub errors: Vec<ErrorNote>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedSide {
    /// The source: a path, `@last`.
    pub source: String,
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Online CPUs.
    pub cpus: i64,
    /// Method of time accounting.
    pub method: Method,
    /// Share of the task time that was measured.
    pub coverage: f64,
    /// Start of the capture, milliseconds since 1970 UTC.
    pub since_ms: i64,
    /// Its end.
    pub until_ms: i64,
    /// Start of what is compared, its steady phase where it has ramps.
    pub compared_since_ms: i64,
    /// End of what is compared.
    pub compared_until_ms: i64,
    /// Samples that are compared.
    pub samples: u64,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// Something differs by more than noise, or a setting differs.
    Differs,
    /// Everything was tested, and nothing differs.
    NoDifference,
    /// Something could not be tested; nothing that was tested differs.
    Undecided,
}

/// The subject of a headline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadlineKind {
    /// Settings that differ: all of them in one line.
    Settings,
    /// A finding that appeared, ended or became worse.
    Finding,
    /// A class of time.
    Time,
    /// A program that ran on one side only.
    Program,
    /// A metric.
    Metric,
}

/// A headline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// Kind.
    pub kind: HeadlineKind,
    /// The line.
    pub text: String,
    /// Severity of the difference; none without known harm.
    pub severity: Option<Severity>,
    /// Whether it is more than noise.
    pub judgement: Judgement,
    /// Names in it: settings, the finding's key, programs.
    pub names: Vec<String>,
}

/// A finding that differs between the sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingDifference {
    /// Public id.
    pub id: String,
    /// `id/kind:name`; with several captures from the first one that has it.
    pub key: String,
    /// Name of the subject.
    pub subject: String,
    /// The title, from the worse side.
    pub title: String,
    /// Severity on the first side; none if absent.
    pub first: Option<Severity>,
    /// Severity on the second.
    pub second: Option<Severity>,
    /// Share of active time on the first side; none if time is not the harm, or none was lost.
    pub first_cost: Option<f64>,
    /// On the second.
    pub second_cost: Option<f64>,
    /// Names of the culprits, on the worse side.
    pub culprits: Vec<String>,
    /// `differs` if the ledger or a metric that the rule reads differs too: a finding alone
    /// may appear and end near its threshold.
    pub judgement: Judgement,
    /// Number of captures of the first side that have it, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_members: Option<u64>,
    /// Number of the second side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_members: Option<u64>,
}

/// The verdict about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// More than the noise within each side explains.
    Differs,
    /// The noise explains it.
    NoDifferenceSeen,
    /// A side is too short to know its noise.
    NotJudged,
}

/// A class of time on both sides.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LedgerDifference {
    /// Class.
    #[serde(rename = "class")]
    pub class_name: String,
    /// Group of the class.
    pub group: String,
    /// Task-seconds per second on the first side.
    pub first: f64,
    /// On the second.
    pub second: f64,
    /// Lower end of the 99 % confidence interval of the change; none if undecided.
    pub change_low: Option<f64>,
    /// Its upper end.
    pub change_high: Option<f64>,
    /// p-value: probability of such a change without a difference; none if undecided.
    pub p_value: Option<f64>,
    /// Verdict.
    pub judgement: Judgement,
    /// The change as a share of the active time of the side that has more of it.
    pub cost: f64,
    /// Severity of the change, on the scale of findings; none without a claim.
    pub severity: Option<Severity>,
    /// Programs of the change, largest part first.
    pub programs: Vec<ProgramShare>,
}

/// A program's part in the change of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramShare {
    /// Name (comm of the process).
    pub name: String,
    /// Task-seconds per second on the first side.
    pub first: f64,
    /// On the second.
    pub second: f64,
}

/// A setting that differs between the sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDifference {
    /// Table of the setting.
    pub table: String,
    /// Subject: its name in `setting`, a mount point, a device; empty for the host.
    pub subject: String,
    /// Column that differs.
    pub column: String,
    /// On the first side; none if absent.
    pub first: Option<String>,
    /// On the second; with several captures the most frequent value that the first side does not have.
    pub second: Option<String>,
    /// Number of captures of the second side with another value than the first, if there are
    /// several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_members: Option<u64>,
}

impl SettingDifference {
    /// The package, if the setting is a version.
    pub fn package(&self) -> Option<&str> {
        self.subject.strip_prefix("package.").filter(|_| self.table == "setting")
    }
}

/// A program that ran on one side only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramDifference {
    /// Name (comm of the process).
    pub name: String,
    /// Active time on the first side, task-seconds per second; none if it did not run.
    pub first: Option<f64>,
    /// On the second.
    pub second: Option<f64>,
}

/// A metric that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricDifference {
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
    /// The row: its key columns, `name=value`, separated by spaces; empty if there is one row.
    pub entity: String,
    /// Unit; `/s` is added for counters.
    pub unit: String,
    /// Rate of a counter, level of a gauge, on the first side.
    pub first: f64,
    /// On the second.
    pub second: f64,
    /// Lower end of the 99 % confidence interval of the change.
    pub change_low: f64,
    /// Its upper end.
    pub change_high: f64,
    /// p-value: probability of such a change without a difference.
    pub p_value: f64,
    /// A level that was constant on each side: it differs, but its variation over longer
    /// times is unknown.
    pub constant: bool,
}
