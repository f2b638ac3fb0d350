//! What the page asks and is answered, where no other schema has it: schema `heldup/page/1`.
//!
//! Answers that commands have too (an examination, a breakdown, a status) are the documents of those commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::area::Area;
use crate::capture::Span;
use crate::cells::SqlPage;
use crate::examination::Examination;
use crate::frame::{Frame, FrameKind};
use crate::life::Life;
use crate::lists::ListedExperiment;
use crate::view::{Mark, Now, Who};

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
    pub who: Who,
    /// `GET /api/life`.
    pub life: Life,
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
    /// `GET /api/now`.
    pub now: Now,
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
    pub offset: u64,
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
