//! What `heldup compare` answers: what differs between two captures, and what cannot be told.
//!
//! This is the public JSON, schema `heldup/comparison/1`: fields may be added, none renamed or
//! removed. Rates are per second of the window, so that windows of unequal length compare.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::Method;
use crate::examination::{ErrorNote, Severity};

/// The value of `schema`.
pub const COMPARISON_SCHEMA: &str = "heldup/comparison/1";

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
    /// The captures of the first side where there are several; the first of them is `first`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_members: Vec<ComparedSide>,
    /// The captures of the second side, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_members: Vec<ComparedSide>,
    /// What the reader must know: what was left out, and what cannot be told.
    pub notes: Vec<String>,
    /// What can be said in one word.
    pub verdict: ComparisonVerdict,
    /// What to read first, three lines at most: settings, then what differs by how bad it is.
    #[serde(default)]
    pub headlines: Vec<Headline>,
    /// Settings that are not the same.
    pub settings: Vec<SettingDifference>,
    /// Findings that are not the same, worst first.
    #[serde(default)]
    pub findings: Vec<FindingDifference>,
    /// Where the time of user tasks went: every class with time on either side, those that
    /// differ first, largest change first.
    pub ledger: Vec<LedgerDifference>,
    /// Programs that ran on one side only, those with the most active time first.
    pub programs: Vec<ProgramDifference>,
    /// Metrics that differ, largest relative change first.
    pub metrics: Vec<MetricDifference>,
    /// Metrics that could be judged.
    pub metrics_judged: u64,
    /// Metrics that have too few samples on a side.
    pub metrics_too_short: u64,
    /// What went wrong while reading.
    pub errors: Vec<ErrorNote>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedSide {
    /// Where it comes from: a path, `@last`.
    pub source: String,
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Online CPUs.
    pub cpus: i64,
    /// How time was accounted for.
    pub method: Method,
    /// Share of the task time that was seen.
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

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// Something differs by more than noise, or is another setting.
    Differs,
    /// Everything that was asked was judged, and nothing differs.
    NoDifference,
    /// Something may differ, and could not be judged; nothing that was judged differs.
    Undecided,
}

/// What a headline is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadlineKind {
    /// Settings that differ: all of them in one line.
    Settings,
    /// A finding that came, went or became worse.
    Finding,
    /// A class of time.
    Time,
    /// A program that ran on one side only.
    Program,
    /// A metric.
    Metric,
}

/// One line about what matters most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// What it is about.
    pub kind: HeadlineKind,
    /// The line.
    pub text: String,
    /// How bad the difference is; none where it is no harm, or none that is known.
    pub severity: Option<Severity>,
    /// Whether it is more than noise.
    pub judgement: Judgement,
    /// What it names: settings, the finding's key, programs.
    pub names: Vec<String>,
}

/// A finding that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingDifference {
    /// Public id.
    pub id: String,
    /// `id/kind:name`; of several captures the first one that has it.
    pub key: String,
    /// Name of what it is about.
    pub subject: String,
    /// The line that says it, of the side that is worse.
    pub title: String,
    /// How bad on the first side; none where it is not there.
    pub first: Option<Severity>,
    /// How bad on the second.
    pub second: Option<Severity>,
    /// Share of active time on the first side; none where time is not the harm, or none was lost.
    pub first_cost: Option<f64>,
    /// On the second.
    pub second_cost: Option<f64>,
    /// Names of who causes it, on the side that is worse.
    pub culprits: Vec<String>,
    /// `differs` where the ledger or a metric that the rule reads differs too: a finding alone
    /// may come and go with a level that is just reached.
    pub judgement: Judgement,
    /// How many captures of the first side have it, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_members: Option<u64>,
    /// How many of the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_members: Option<u64>,
}

/// What can be said about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// More than the noise within each side explains.
    Differs,
    /// The noise explains it.
    NoDifferenceSeen,
    /// A side is too short to know its noise.
    CannotTell,
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
    /// Lower end of the interval that holds the change with 99 %; none where it cannot be told.
    pub change_low: Option<f64>,
    /// Its upper end.
    pub change_high: Option<f64>,
    /// How likely a change as large is without a difference; none where it cannot be told.
    pub likeliness: Option<f64>,
    /// What can be said.
    pub judgement: Judgement,
    /// The change as a share of the active time of the side that has more of it.
    pub cost: f64,
    /// How large the change is, on the scale of findings; none where none is claimed.
    pub severity: Option<Severity>,
    /// Programs that it comes from, largest part first.
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

/// A setting that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDifference {
    /// Table that it stands in.
    pub table: String,
    /// What it is of: its name in `setting`, a mount point, a device; empty for the host.
    pub subject: String,
    /// Column that differs.
    pub column: String,
    /// On the first side; none where it is not there.
    pub first: Option<String>,
    /// On the second; of several captures the most frequent value that the first side has not.
    pub second: Option<String>,
    /// How many captures of the second side have another value than the first, where there are
    /// several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_members: Option<u64>,
}

impl SettingDifference {
    /// The name of the package that it is the version of.
    pub fn package(&self) -> Option<&str> {
        self.subject.strip_prefix("package.").filter(|_| self.table == "setting")
    }
}

/// A program that ran on one side only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramDifference {
    /// Name (comm of the process).
    pub name: String,
    /// Active time on the first side, task-seconds per second; none where it did not run.
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
    /// Which row: its key columns, `name=value`, separated by spaces; empty where there is one row.
    pub entity: String,
    /// Unit; `/s` is added for counters.
    pub unit: String,
    /// Rate of a counter, level of a gauge, on the first side.
    pub first: f64,
    /// On the second.
    pub second: f64,
    /// Lower end of the interval that holds the change with 99 %.
    pub change_low: f64,
    /// Its upper end.
    pub change_high: f64,
    /// How likely a change as large is without a difference.
    pub likeliness: f64,
    /// A level that stood still on each side: it differs, but how much it varies over longer
    /// times is not known.
    pub stood_still: bool,
}
