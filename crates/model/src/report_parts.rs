//! What a report shows beside an answer: figures of its window, and its rules in words.

use crate::breakdown::Breakdown;
use crate::capture::Span;
use crate::explanation::ExplainedRule;
use crate::frame::Frame;
use crate::view::{SeenProcess, SeenTask};

/// Parts of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportParts {
    /// Figures that are evidence of findings, and the first ones of each resource; each once.
    pub figures: Vec<ReportFigure>,
    /// Number of figures with numbers that are not among them.
    pub more_figures: usize,
    /// The rules of the findings.
    pub rules: Vec<ExplainedRule>,
    /// Boots within the window, milliseconds since 1970-01-01 UTC.
    pub boots_ms: Vec<i64>,
    /// Whether names of people and machines are replaced by pseudonyms.
    pub redacted: bool,
    /// What the page answers where it lies in the report; none where it does not.
    pub page: Option<ReportPage>,
}

/// What the page answers out of a report, beside the answer itself and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportPage {
    /// The window.
    pub span: Span,
    /// Threads with time in it.
    pub tasks: Vec<SeenTask>,
    /// Processes.
    pub processes: Vec<SeenProcess>,
    /// Figures with numbers that the report does not draw.
    pub figures: Vec<Frame>,
    /// Waits, and time on CPUs, each with its stacks.
    pub breakdowns: Vec<Breakdown>,
}

/// A figure of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportFigure {
    /// What is drawn.
    pub frame: Frame,
    /// Keys of the findings whose evidence it is; none for one that shows the machine.
    pub findings: Vec<String>,
}

impl ReportParts {
    /// The rule of an id.
    pub fn rule(&self, id: &str) -> Option<&ExplainedRule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The figure of an id.
    pub fn figure(&self, id: &str) -> Option<&Frame> {
        self.figures.iter().map(|figure| &figure.frame).find(|frame| frame.id == id)
    }
}

/// One pair of runs of an experiment, and what all pairs up to it say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NarrowedPair {
    /// Index of the change, from 0.
    pub change: u64,
    /// Number of the pair, from 1.
    pub pair: u64,
    /// Whether the run with the change came first.
    pub with_first: bool,
    /// The measure without the change.
    pub without: f64,
    /// The measure with it.
    pub with: f64,
    /// The effect of this pair alone: a share of the measure, or in its unit.
    pub effect: f64,
    /// Lower end of the confidence interval after this pair; none while it has none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}
