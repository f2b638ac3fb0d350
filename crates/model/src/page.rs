//! What the page asks and is answered, where no other schema has it: schema `heldup/page/1`.
//!
//! Answers that commands have too (an examination, a breakdown, a status) are the documents of those commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::area::Area;
use crate::capture::Span;
use crate::cells::Cell;
use crate::class::Class;
use crate::examination::Examination;
use crate::frame::{Frame, FrameKind};
use crate::view::{Mark, SeenProcess, SeenTask};

/// Schema of [`Page`].
pub const PAGE_SCHEMA: &str = "heldup/page/1";

/// Schema `heldup/page/1`: one of each kind of answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Page {
    /// `GET /api/state`.
    pub state: PageState,
    /// `GET /api/view`.
    pub view: PageView,
    /// `GET /api/who`.
    pub who: PageWho,
    /// `GET /api/life`.
    pub life: PageLife,
    /// Body of `POST /api/figures`.
    pub figures_asked: FiguresAsked,
    /// `POST /api/figures`, where JSON is accepted.
    pub figures: Vec<Frame>,
    /// `GET /api/marks`.
    pub marks: Vec<Mark>,
    /// Body of `POST /api/sql`.
    pub sql_asked: SqlAsked,
    /// `POST /api/sql`.
    pub sql: SqlPage,
    /// `GET /api/experiments`.
    pub experiments: Vec<ListedExperiment>,
    /// `GET /api/time`.
    pub time: PageTime,
    /// `GET /api/live`.
    pub live: PageLive,
    /// What is answered instead of each of them, with a status of 400 or above.
    pub error: PageError,
}

/// What is served.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "State")]
pub struct PageState {
    /// Version of the program.
    pub version: String,
    /// The source.
    pub source: PageSource,
    /// Whether it grows.
    pub live: bool,
    /// The host that the answers are of.
    pub host: String,
    /// All hosts of the source.
    pub hosts: Vec<String>,
    /// Its system in one line.
    pub system: String,
    /// Online CPUs; null where unknown.
    pub cpus: Option<i64>,
    /// Zone of the source's times, by its name in the tz database; null where it is the reader's.
    pub zone: Option<String>,
    /// All that there is.
    pub all: Span,
    /// The window that is shown first.
    pub first: Span,
    /// What has to be said of the source.
    pub note: Option<String>,
    /// Whether more would be seen as root.
    pub sudo: bool,
    /// The figures that there are, in the order in which they are shown.
    pub figures: Vec<PageFigure>,
    /// Areas of figures, in the order in which they are shown.
    pub areas: Vec<PageArea>,
    /// What recording costs; null where nobody records.
    pub recorder: Option<PageRecorder>,
}

/// A source.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct PageSource {
    /// As the user named it; null for the running machine.
    pub name: Option<String>,
    /// What it is.
    pub kind: SourceKind,
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The running machine.
    Live,
    /// What a recorder wrote.
    Archive,
    /// A saved examination or a capture.
    Capture,
    /// What other tools wrote.
    Recording,
}

/// A figure of the catalogue.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListedFigure")]
pub struct PageFigure {
    /// Its id.
    pub id: String,
    /// Its area: the id up to the dot.
    pub area: String,
    /// Its title.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// How it is drawn.
    pub kind: FrameKind,
    /// Unit of its values.
    pub unit: String,
    /// What supplies its numbers, where a source does not have them.
    pub supplied_by: String,
}

/// An area of figures.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListedArea")]
pub struct PageArea {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The area of findings that belongs to it; null where none does.
    pub findings: Option<Area>,
}

/// What recording costs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Recorder")]
pub struct PageRecorder {
    /// CPU time, as a share of one CPU; null where it is not known yet.
    pub overhead_share: Option<f64>,
    /// Size of the archive.
    pub bytes: i64,
    /// Size of a day; null where it is not known yet.
    pub bytes_per_day: Option<f64>,
}

/// A window, examined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PageView {
    /// The window.
    pub span: Span,
    /// The examination.
    pub examination: Examination,
    /// When it was judged; of the running machine without a window only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_ms: Option<i64>,
}

/// Who is there in a window.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Who")]
pub struct PageWho {
    /// The window.
    pub span: Span,
    /// Threads with time.
    pub tasks: Vec<SeenTask>,
    /// Processes.
    pub processes: Vec<SeenProcess>,
}

/// One process over a window.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Life")]
pub struct PageLife {
    /// The window.
    pub span: Span,
    /// The process.
    pub process: SeenProcess,
    /// Classes of time, CPU, memory and I/O over the window.
    pub frames: Vec<Frame>,
    /// What it waited for, longest first.
    pub waited_for: Vec<WaitedFor>,
    /// Its threads.
    pub threads: Vec<SeenTask>,
    /// Who woke it, most often first.
    pub woken_by: Vec<WokenBy>,
}

/// What a process waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitedFor {
    /// Class of the wait.
    pub class: Class,
    /// The object: a file, a lock, a device; null where it is not known.
    pub object: Option<String>,
    /// Seconds.
    pub seconds: f64,
    /// Functions of the kernel, innermost first; null where none was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Vec<String>>,
}

/// Who ended waits of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WokenBy {
    /// Its process id; null where it is not known.
    pub pid: Option<i64>,
    /// Its name.
    pub name: String,
    /// Seconds of the waits that it ended; null where they were not measured.
    pub seconds: Option<f64>,
    /// How often; null where it was not counted.
    pub count: Option<i64>,
}

/// Which figures, of which window.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FiguresAsked {
    /// Start of the window.
    pub since_ms: i64,
    /// Its end.
    pub until_ms: i64,
    /// Steps of time at most.
    pub steps: usize,
    /// Ids, and areas.
    pub figures: Vec<String>,
    /// Only the rows of this: `pid:4131`, `device:vdb`.
    #[serde(default)]
    pub focus: Option<String>,
    /// Only the last part of the window, of this length.
    #[serde(default)]
    pub tail_ms: Option<i64>,
}

/// A query.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SqlAsked {
    /// The SQL.
    pub query: String,
    /// Start of the window.
    pub since_ms: i64,
    /// Its end.
    pub until_ms: i64,
    /// Rows that are left out at the beginning.
    #[serde(default)]
    pub offset: usize,
}

/// Rows of a query.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SqlPage {
    /// Its columns.
    pub columns: Vec<SqlColumn>,
    /// Rows; each has a number, a text or null for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Rows before the first of these.
    pub offset: usize,
    /// Whether there are more.
    pub more: bool,
    /// Milliseconds that it took.
    pub took_ms: u64,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its unit, where a column of this name has one everywhere; empty where it has none.
    pub unit: String,
    /// What a value stands for.
    pub kind: SqlColumnKind,
}

/// What a value of a column stands for, by what the tables declare of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SqlColumnKind {
    /// A time, milliseconds since 1970-01-01 UTC.
    Time,
    /// A process.
    Pid,
    /// A block device.
    Device,
    /// Text.
    Text,
    /// A number.
    Number,
}

/// A saved experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedExperiment {
    /// Its id.
    pub id: String,
    /// When it ended.
    pub time_ms: Option<i64>,
    /// What was tried.
    pub title: String,
    /// The verdict.
    pub verdict: String,
}

/// A time that was written in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TimeRead")]
pub struct PageTime {
    /// Milliseconds since 1970-01-01 UTC.
    pub ms: i64,
}

/// How far a machine that runs is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Live")]
pub struct PageLive {
    /// The last sample.
    pub until_ms: i64,
    /// All that there is.
    pub all: Span,
    /// When it was judged last; null before the first time.
    pub judged_ms: Option<i64>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageError {
    /// What failed.
    pub error: String,
    /// What to do.
    #[serde(rename = "do")]
    pub remedy: Option<String>,
}
