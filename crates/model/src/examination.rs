//! The answer of `heldup examine`: the host, its ledger, findings, and what was not checked.
//!
//! This is the public JSON, schema `heldup/examination/1`: fields may be added, none
//! renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::{Flaw, Method};
use crate::timing::TimeSource;
use crate::vitals::Vitals;

/// The value of `schema`.
pub const EXAMINATION_SCHEMA: &str = "heldup/examination/1";

/// One examination.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Examination {
    /// Name of this schema.
    #[schemars(extend("const" = EXAMINATION_SCHEMA))]
    pub schema: String,
    /// Its number: `@41`; absent if it was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The examined machine.
    pub host: HostSummary,
    /// Start, RFC 3339; null if the recording does not have it.
    #[schemars(extend("format" = "date-time"))]
    pub from: Option<String>,
    /// End, RFC 3339; null if the recording does not have it.
    #[schemars(extend("format" = "date-time"))]
    pub to: Option<String>,
    /// Where the two times are from.
    #[serde(default)]
    pub time: TimeSource,
    /// Length of the window; null if the recording has no intervals.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Time zone of an imported recording, in which its files have their times: `UTC`, `+02:00` or a name such as
    /// `Europe/Berlin`; absent elsewhere, and where it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Imported recordings of other tools; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSummary>,
    /// One number for each resource: means over the window.
    #[serde(default)]
    pub vitals: Vitals,
    /// Time by class.
    pub ledger: Ledger,
    /// CPU use, for a recording without task waits; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_use: Option<CpuUse>,
    /// The command that was run and examined; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSummary>,
    /// In rank order; with a command, findings about it first.
    pub findings: Vec<Finding>,
    /// Findings as shown: those of one id and kind of subject together, in the order of the findings.
    #[serde(default)]
    pub groups: Vec<FindingGroup>,
    /// The worst stretches of an imported recording with many samples, worst first; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<WorstStretch>,
    /// Number of further stretches, which were not examined.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_stretches: u64,
    /// Rules that were ruled out.
    pub ruled_out: Vec<RuledOut>,
    /// Rules that were not checked.
    pub not_checked: Vec<NotChecked>,
    /// Errors while reading.
    pub errors: Vec<ErrorNote>,
    /// Overhead of the examination.
    pub overhead: Overhead,
}

/// A finding in brief.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BriefFinding {
    /// `id/kind:name`, unique within the stretch.
    pub key: String,
    /// Public id.
    pub id: String,
    /// Severity.
    pub severity: Severity,
    /// Kind of harm.
    pub impact: ImpactKind,
    /// Share of active time of the examined part; none if time is not the harm.
    pub cost: Option<f64>,
    /// Title.
    pub title: String,
    /// Culprits.
    pub culprits: Vec<TaskShare>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A part of a recording in which a resource is worse than in the rest, examined on its own.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorstStretch {
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// Its length.
    pub seconds: f64,
    /// Start, counted from the start of the recording, if its times are unknown; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_start_seconds: Option<f64>,
    /// Findings of warning or worse in rank order, without those that another one explains.
    pub findings: Vec<BriefFinding>,
    /// Command that examines this stretch.
    pub command: String,
}

/// The examined machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostSummary {
    /// Host name.
    pub name: String,
    /// Kernel release.
    pub kernel: String,
    /// Linux distribution, or another system with its release; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// Online CPUs; null if unknown.
    pub cpus: Option<i64>,
    /// Usable memory; null if unknown.
    pub memory_bytes: Option<i64>,
    /// The source: `live`, a path, `@last`.
    pub source: String,
    /// Method of time accounting.
    pub method: Method,
    /// Share of the span's task time that was measured.
    pub coverage: f64,
}

/// An imported recording of another tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSummary {
    /// Its name.
    pub file: String,
    /// The tools whose listings it has, or its format.
    pub what: String,
    /// Whether anything of it was parsed.
    pub known: bool,
    /// Start of its span, RFC 3339.
    pub from: Option<String>,
    /// End of its span, RFC 3339.
    pub to: Option<String>,
    /// Its lines.
    pub lines: u64,
    /// Lines that belong to a listing.
    pub lines_read: u64,
    /// Parsed rows.
    pub tables: Vec<FileTable>,
    /// Assumptions, and data that no column has.
    pub notes: Vec<String>,
    /// Names of the files, if this entry counts several of unknown format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Parsed rows of one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileTable {
    /// The table.
    pub table: String,
    /// Its rows.
    pub rows: u64,
}

/// Time by class.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    /// Active time: running plus waiting, of user tasks.
    pub active_seconds: f64,
    /// Waiting of user tasks.
    pub waiting_seconds: f64,
    /// Share of the waiting (`waiting_seconds`) that findings of warning or worse explain, 0 to 1; null if
    /// nothing waited.
    #[serde(default)]
    pub explained: Option<f64>,
    /// By class, largest first within each group.
    pub classes: Vec<ClassTotal>,
    /// Classes of kernel threads, not included above.
    #[serde(default)]
    pub kernel_threads: Vec<ClassTotal>,
}

/// CPU use, as far as recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// Shares of the CPUs' time, largest first; empty without CPU data.
    pub states: Vec<CpuState>,
    /// The five processes with the most CPU time; empty without process data.
    pub processes: Vec<TaskShare>,
    /// Both are percentages of a listing, whose time is unknown: no seconds, and how much is the role of a process.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_listed: bool,
}

/// One state of the CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuState {
    /// `user`, `nice`, `kernel`, `interrupts`, `stolen`, `waiting for I/O` (idle meanwhile) or `idle`.
    pub state: String,
    /// Share of all CPUs' recorded time, 0 to 1.
    pub share: f64,
}

/// The command that was run and examined, with all processes that it started.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CommandSummary {
    /// Program and arguments.
    pub command: String,
    /// Process id of the program.
    pub pid: Option<i64>,
    /// Elapsed time until its end, or until the end of the window.
    pub wall_seconds: Option<f64>,
    /// Exit code; none if a signal ended it or it still ran.
    pub exit_code: Option<i64>,
    /// Number of the signal that ended it.
    pub signal: Option<i64>,
    /// CPU time in user mode of it and of the children that were waited for.
    pub user_seconds: Option<f64>,
    /// CPU time in kernel mode, likewise.
    pub system_seconds: Option<f64>,
    /// Number of its processes; none if the method does not measure it.
    pub processes: Option<i64>,
    /// Time of these processes by class; none if the method does not measure it.
    pub ledger: Option<Ledger>,
}

/// Seconds of one class.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClassTotal {
    /// Class.
    #[serde(rename = "class")]
    pub class_name: String,
    /// Group of the class.
    pub group: String,
    /// Seconds of all its tasks.
    pub seconds: f64,
    /// Standard error of `seconds`, if sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_s: Option<f64>,
    /// The 20 programs with the largest part, and `(others)`: they sum to `seconds`.
    pub tasks: Vec<TaskShare>,
}

/// A task's part in something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskShare {
    /// Name of the program (comm of its first thread), or of the thread if a finding is about that.
    pub name: String,
    /// Process id; of one of them if there are several.
    pub pid: Option<i64>,
    /// Thread id, if it is one thread.
    pub tid: Option<i64>,
    /// Control group.
    pub cgroup: Option<String>,
    /// systemd unit.
    pub unit: Option<String>,
    /// Seconds.
    pub seconds: Option<f64>,
    /// Number of tasks of this name, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<i64>,
    /// What it did, in a few words, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// Severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Failures now, a quarter of the active time, or exhaustion within an hour.
    Critical,
    /// A twentieth of the active time, or exhaustion within a day.
    Warning,
    /// Worth knowing.
    #[default]
    Info,
}

impl Severity {
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// Kind of harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImpactKind {
    /// Calls, packets or processes fail.
    Failure,
    /// Time is lost.
    #[default]
    Time,
    /// It will fail or stall.
    Risk,
    /// A resource is wasted.
    Waste,
}

/// Amount of harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// Kind.
    pub kind: ImpactKind,
    /// Amount, in `unit`.
    pub amount: f64,
    /// Unit of the amount.
    pub unit: String,
}

/// Subject of a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// `process`, `thread`, `cgroup`, `device`, `mount`, `interface`, `socket`, `host` …
    pub kind: String,
    /// Name, as the usual tools print it.
    pub name: String,
    /// Process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// Thread id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tid: Option<i64>,
    /// Control group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<String>,
}

/// One measured value of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name.
    pub name: String,
    /// Its value: a number or a text.
    pub value: EvidenceValue,
    /// Unit.
    pub unit: String,
    /// The threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EvidenceValue {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// Reason.
    pub text: String,
    /// A command to run.
    pub command: String,
}

/// One proposed change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Proposed changes.
    pub tunable: String,
    /// Current value.
    pub from: Option<String>,
    /// Proposed value.
    pub to: String,
    /// Expected effect.
    pub expect: String,
    /// Risk.
    pub risk: String,
    /// Resources that it takes from others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<Resource>,
    /// Other findings that it makes worse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worsens: Vec<Worsened>,
    /// Command that applies it.
    pub command: String,
    /// Command that undoes it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// A resource that all programs of a machine share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// CPU time.
    Cpu,
    /// Disk bandwidth and IOPS.
    Disk,
    /// Memory.
    Memory,
}

/// A finding that a change makes worse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Worsened {
    /// Its key.
    pub finding: String,
    /// The resource that it lacks and the change takes.
    pub resource: Resource,
}

/// A finding.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// `id/kind:name`, unique within the examination.
    pub key: String,
    /// Public id, as in the catalogue of findings.
    pub id: String,
    /// Severity.
    pub severity: Severity,
    /// 0 to 1; lower with less coverage, missing columns and a short window.
    pub confidence: f64,
    /// Amount of harm.
    pub impact: Impact,
    /// Share of active time; none if time is not the harm.
    pub cost: Option<f64>,
    /// Subject.
    pub subject: Subject,
    /// Culprits.
    pub culprits: Vec<TaskShare>,
    /// Victims.
    pub victims: Vec<TaskShare>,
    /// Title.
    pub title: String,
    /// Keys of the findings that explain this one.
    pub because: Vec<String>,
    /// Keys of the findings that this one explains.
    pub explains: Vec<String>,
    /// Key of the finding that this one only says more about: of the wait event whose cause it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_of: Option<String>,
    /// Evidence.
    pub evidence: Vec<Evidence>,
    /// Ids of the figures that show it; of a figure with a frame for each device, the one of the subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// Its SQL.
    pub query: String,
    /// Next steps.
    pub next: Vec<NextStep>,
    /// Proposed changes.
    pub changes: Vec<Change>,
    /// Resources that the machine lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhausts: Vec<Resource>,
    /// With a command: whether it is the subject, a culprit or a victim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_command: Option<bool>,
    /// `command` if numbers and cost are about the command alone and not about the whole
    /// machine; `heldup sql --focus command` runs the query on the same numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
}

/// Findings of one id and kind of subject. Its number, from 1 in the order of the answer, is the argument of
/// `heldup explain N`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingGroup {
    /// `id@kind`, unique within the answer.
    pub key: String,
    /// Id of its findings.
    pub id: String,
    /// Severity of all members together.
    pub severity: Severity,
    /// Cost of all members together, share of active time; null if time is not the harm.
    pub cost: Option<f64>,
    /// Harm of all members together.
    pub impact: Impact,
    /// Keys of its findings, in the order of the answer.
    pub members: Vec<String>,
}

impl FindingGroup {
    /// The key of the group that a finding belongs to.
    pub fn key_of(finding: &Finding) -> String {
        // Each wait event of a database, and each ADDM finding, is a problem of its own with its own remedy.
        match finding.subject.kind.as_str() {
            "event" | "advice" => finding.key.clone(),
            kind => format!("{}@{kind}", finding.id),
        }
    }
}

/// A rule that was ruled out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuledOut {
    /// Id.
    pub id: String,
    /// What was checked.
    pub why: String,
}

/// A rule that was not checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotChecked {
    /// Id.
    pub id: String,
    /// Missing data.
    pub missing: String,
    /// What would supply it.
    pub how: String,
}

/// Something that went wrong while reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorNote {
    /// Where.
    #[serde(rename = "where")]
    pub place: String,
    /// What.
    pub what: String,
}

impl ErrorNote {
    /// Place of an error in a focus: the option.
    pub const FOCUS: &str = "--focus";
}

impl From<Flaw> for ErrorNote {
    fn from(flaw: Flaw) -> ErrorNote {
        ErrorNote { place: flaw.place, what: flaw.what }
    }
}

/// Source of the run time of heldup's eBPF programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BpfTime {
    /// Estimated: the programs time a sample of their runs.
    Estimated,
    /// Estimated without the entry and exit of each program, whose cost could not be measured on this kernel:
    /// too low.
    AtLeast,
    /// Measured: the kernel counted every run (`--measure-overhead`).
    Measured,
}

impl BpfTime {
    /// Name in the table `recorder`, and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            BpfTime::Estimated => "estimated",
            BpfTime::AtLeast => "at_least",
            BpfTime::Measured => "measured",
        }
    }

    /// The reverse of [`BpfTime::name`].
    pub fn from_name(name: &str) -> Option<BpfTime> {
        [BpfTime::Estimated, BpfTime::AtLeast, BpfTime::Measured].into_iter().find(|time| time.name() == name)
    }
}

/// Overhead of the examination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// CPU time of the program.
    pub cpu_seconds: f64,
    /// Run time of its eBPF programs in other tasks; null without eBPF.
    pub bpf_seconds: Option<f64>,
    /// Source of `bpf_seconds`; null with it.
    pub bpf_time: Option<BpfTime>,
    /// The estimate, also if it was measured.
    pub bpf_estimated_seconds: Option<f64>,
    /// Its peak memory.
    pub peak_rss_bytes: i64,
}
