//! What `heldup examine` answers: the host, its ledger, findings, and what could not be seen.
//!
//! This is the public JSON, schema `heldup/examination/1`: fields may be added, none
//! renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::{Flaw, Method};
use crate::vitals::Vitals;

/// The value of `schema`.
pub const EXAMINATION_SCHEMA: &str = "heldup/examination/1";

/// One examination.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Examination {
    /// Name of this schema.
    #[schemars(extend("const" = EXAMINATION_SCHEMA))]
    pub schema: String,
    /// Number under which it is kept: `@41`; absent where it is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The machine that was examined.
    pub host: HostSummary,
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// The recordings of other tools that were read; absent where none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSummary>,
    /// One number for each resource: means over the window.
    #[serde(default)]
    pub vitals: Vitals,
    /// Where the time went.
    pub ledger: Ledger,
    /// What the CPUs did, of a recording that does not tell what tasks waited for; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_use: Option<CpuUse>,
    /// The command that was run and examined; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSummary>,
    /// In rank order; where a command was run, those that concern it first.
    pub findings: Vec<Finding>,
    /// The findings as they are shown: those of one id and kind of subject together, in the order of the findings.
    #[serde(default)]
    pub groups: Vec<FindingGroup>,
    /// Rules that looked and found nothing.
    pub ruled_out: Vec<RuledOut>,
    /// Rules that could not look.
    pub unchecked: Vec<Unchecked>,
    /// What went wrong while reading.
    pub errors: Vec<ErrorNote>,
    /// What the examination itself cost.
    pub overhead: Overhead,
}

/// The machine that was examined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostSummary {
    /// Host name.
    pub name: String,
    /// Kernel release.
    pub kernel: String,
    /// Distribution of Linux, or another system with its release; absent where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// Online CPUs; null where a recording does not tell.
    pub cpus: Option<i64>,
    /// Usable memory; null where a recording does not tell.
    pub memory_bytes: Option<i64>,
    /// Where the numbers come from: `live`, a path, `@last`.
    pub source: String,
    /// How time was accounted for.
    pub method: Method,
    /// Share of the span's task time that was seen.
    pub coverage: f64,
}

/// A recording of another tool, and what it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSummary {
    /// Its name.
    pub file: String,
    /// The tools whose listings were in it, or what it is instead.
    pub what: String,
    /// Whether anything of it was read.
    pub known: bool,
    /// Start of what it covers, RFC 3339.
    pub from: Option<String>,
    /// End of what it covers, RFC 3339.
    pub to: Option<String>,
    /// Its lines.
    pub lines: u64,
    /// Of them those that belong to a listing.
    pub lines_read: u64,
    /// Rows that they became.
    pub tables: Vec<FileTable>,
    /// What was taken for granted, and what of it no column takes.
    pub notes: Vec<String>,
    /// Names of the files, where several of no known tool are summed up here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Rows of one table that a recording became.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileTable {
    /// The table.
    pub table: String,
    /// Its rows.
    pub rows: u64,
}

/// Where the time went.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    /// Running plus held up, of user tasks.
    pub active_seconds: f64,
    /// Held up, of user tasks.
    pub waiting_seconds: f64,
    /// Share of the waiting (`waiting_seconds`) that findings of warning or worse account for, 0 to 1; null where
    /// nothing waited.
    #[serde(default)]
    pub explained: Option<f64>,
    /// By class, largest first within each group.
    pub classes: Vec<ClassTotal>,
    /// Classes of the kernel's own threads: work for somebody else, and no part of the above.
    #[serde(default)]
    pub kernel_threads: Vec<ClassTotal>,
}

/// What the CPUs did, and for whom, as far as a recording tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// Shares of the CPUs' time, largest first; empty where it tells of no CPU.
    pub states: Vec<CpuState>,
    /// The five processes that used most CPU; empty where it tells of none.
    pub processes: Vec<TaskShare>,
}

/// One state of the CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuState {
    /// `user`, `nice`, `kernel`, `interrupts`, `stolen`, `waiting for I/O` (idle meanwhile) or `idle`.
    pub state: String,
    /// Share of all CPUs' time that the recording tells of, 0 to 1.
    pub share: f64,
}

/// The command that was run and examined, with all processes that it started.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CommandSummary {
    /// Program and arguments.
    pub command: String,
    /// Process id of the program.
    pub pid: Option<i64>,
    /// From its start to its end, or to the end of the look.
    pub wall_seconds: Option<f64>,
    /// Code that it ended with; none where a signal ended it or it still ran.
    pub exit_code: Option<i64>,
    /// Number of the signal that ended it.
    pub signal: Option<i64>,
    /// CPU in user mode of it and of the children that were waited for, as the kernel counts.
    pub user_seconds: Option<f64>,
    /// CPU in kernel mode, likewise.
    pub system_seconds: Option<f64>,
    /// Processes of it that were seen; none where the method cannot tell them.
    pub processes: Option<i64>,
    /// Where the time of these processes went; none where the method cannot tell them.
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
    /// Standard error of `seconds`, where they were sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_s: Option<f64>,
    /// The 20 programs with most of it, and `(others)`: they sum to `seconds`.
    pub tasks: Vec<TaskShare>,
}

/// A task's part in something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskShare {
    /// Name of the program (comm of its first thread), or of the thread where a finding is about that.
    pub name: String,
    /// Process id; where it is several processes, of one of them.
    pub pid: Option<i64>,
    /// Thread id, where it is one.
    pub tid: Option<i64>,
    /// Control group.
    pub cgroup: Option<String>,
    /// systemd unit.
    pub unit: Option<String>,
    /// Seconds.
    pub seconds: Option<f64>,
    /// How many tasks of this name they are, where it is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<i64>,
    /// What it did, in a few words, where a finding says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// How bad.
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
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// What kind of harm.
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

/// How much harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// Kind.
    pub kind: ImpactKind,
    /// Amount, in `unit`.
    pub amount: f64,
    /// Unit of the amount.
    pub unit: String,
}

/// Who or what a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// `process`, `thread`, `cgroup`, `device`, `mount`, `interface`, `socket`, `host` …
    pub kind: String,
    /// Name, as the machine's own tools print it.
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

/// One measured number behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What it is.
    pub name: String,
    /// Its value: a number or a text.
    pub value: EvidenceValue,
    /// Unit.
    pub unit: String,
    /// The level it was held against.
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

/// Something to look at next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// Why.
    pub text: String,
    /// A command that can be run as it stands.
    pub command: String,
}

/// One proposed change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What to change.
    pub tunable: String,
    /// Value now.
    pub from: Option<String>,
    /// Value proposed.
    pub to: String,
    /// What to expect.
    pub expect: String,
    /// What it may harm.
    pub risk: String,
    /// Resources of which less is left to everybody else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<Resource>,
    /// Other findings of the answer that it makes worse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worsens: Vec<Worsened>,
    /// Command that makes it.
    pub command: String,
    /// Command that takes it back, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// What all programs of a machine share, and a change may take from some for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Time of CPUs.
    Cpu,
    /// What disks can do.
    Disk,
    /// Memory.
    Memory,
}

/// A finding that a change makes worse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Worsened {
    /// Its key.
    pub finding: String,
    /// What it is short of, and the change takes.
    pub resource: Resource,
}

/// A rule's answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// `id/kind:name`, unique within the examination.
    pub key: String,
    /// Public id, as in the catalogue of findings.
    pub id: String,
    /// How bad.
    pub severity: Severity,
    /// 0 to 1; falls with coverage, missing columns and a short window.
    pub confidence: f64,
    /// How much harm.
    pub impact: Impact,
    /// Share of active time; none where time is not the harm.
    pub cost: Option<f64>,
    /// Who or what it is about.
    pub subject: Subject,
    /// Who causes it.
    pub culprits: Vec<TaskShare>,
    /// Who suffers from it.
    pub victims: Vec<TaskShare>,
    /// One line that says it.
    pub title: String,
    /// Keys of the findings that explain this one.
    pub because: Vec<String>,
    /// Keys of the findings that this one explains.
    pub explains: Vec<String>,
    /// The numbers behind it.
    pub evidence: Vec<Evidence>,
    /// The SQL that shows it.
    pub query: String,
    /// What to look at next.
    pub next: Vec<NextStep>,
    /// What to change.
    pub changes: Vec<Change>,
    /// Resources of which the machine has too little where this is found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhausts: Vec<Resource>,
    /// Where a command was run: whether it is the subject, a culprit or a victim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_command: Option<bool>,
    /// `command` where numbers and cost are about the command alone and not about the whole
    /// machine; `heldup sql --focus command` asks the query of the same numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
}

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
        // Each event that a database waits for, and each advice of its own, is a trouble of its own with another remedy.
        match finding.subject.kind.as_str() {
            "event" | "advice" => finding.key.clone(),
            kind => format!("{}@{kind}", finding.id),
        }
    }
}

/// A rule that looked and found nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuledOut {
    /// Id.
    pub id: String,
    /// What was looked at.
    pub why: String,
}

/// A rule that could not look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unchecked {
    /// Id.
    pub id: String,
    /// What it lacks.
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
    /// Where a focus went wrong: the option, since no file did.
    pub const FOCUS: &str = "--focus";
}

impl From<Flaw> for ErrorNote {
    fn from(flaw: Flaw) -> ErrorNote {
        ErrorNote { place: flaw.place, what: flaw.what }
    }
}

/// How the run time of our eBPF programs is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BpfTime {
    /// The programs time some of their runs, which stand for all.
    Estimated,
    /// The same without the way into each program and out of it, since the kernel did not let us learn what that
    /// takes: too low.
    AtLeast,
    /// The kernel counted every run (`--own-cost`).
    Measured,
}

impl BpfTime {
    /// As in the table `recorder`, and in JSON.
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

/// What the examination itself cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// CPU time of the program.
    pub cpu_seconds: f64,
    /// Run time of its eBPF programs, which run in what others do; null where there are none.
    pub bpf_seconds: Option<f64>,
    /// How `bpf_seconds` is known; null where it is.
    pub bpf_time: Option<BpfTime>,
    /// The estimate, also beside what was measured.
    pub bpf_estimated_seconds: Option<f64>,
    /// Its peak memory.
    pub peak_rss_bytes: i64,
}
