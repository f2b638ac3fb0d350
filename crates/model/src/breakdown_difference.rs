//! Differences between two windows of one kind of time.
//!
//! This is the public JSON, schema `heldup/breakdown-difference/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::breakdown::BreakdownKind;
use crate::examination::{ErrorNote, Overhead};

/// The value of `schema`.
pub const BREAKDOWN_DIFFERENCE_SCHEMA: &str = "heldup/breakdown-difference/1";

/// Two windows of one kind of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownDifference {
    /// Name of this schema.
    #[schemars(extend("const" = BREAKDOWN_DIFFERENCE_SCHEMA))]
    pub schema: String,
    /// The kind of time.
    pub kind: BreakdownKind,
    /// Unit of the amounts: `seconds` of tasks, `calls`, `samples`, `threads` or `share` of samples.
    pub unit: String,
    /// What `before`, `after` and `difference` are divided by.
    pub per: DifferencePer,
    /// The first window.
    pub before: DifferenceSide,
    /// The second window.
    pub after: DifferenceSide,
    /// By class, largest difference first.
    pub classes: Vec<DifferenceRow>,
    /// By program and class, largest difference first.
    pub programs: Vec<DifferenceRow>,
    /// By stack, largest difference first.
    pub stacks: Vec<DifferenceStack>,
    /// Errors.
    pub errors: Vec<ErrorNote>,
    /// Overhead of the measurement, if one was made.
    pub overhead: Option<Overhead>,
}

/// What amounts are divided by, so that two windows can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferencePer {
    /// Recorded seconds of each window.
    Second,
    /// Total of each side: the recordings do not say how long they lasted.
    Total,
}

/// One of the windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceSide {
    /// The source.
    pub source: String,
    /// Host name.
    pub host: String,
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// Recorded seconds.
    pub length_s: f64,
    /// Amount of all.
    pub amount: f64,
}

/// An amount in both windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceRow {
    /// Program; none in the list of classes, or if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Class of time; for calls the call. None if the source has no classes.
    pub class: Option<String>,
    /// Amount in the first window; none if it was not measured there.
    pub before_amount: Option<f64>,
    /// Amount in the second window; none if it was not measured there.
    pub after_amount: Option<f64>,
    /// Amount in the first window, divided.
    pub before: Option<f64>,
    /// Amount in the second window, divided.
    pub after: Option<f64>,
    /// The second less the first, both divided.
    pub difference: Option<f64>,
}

/// A stack in both windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceStack {
    /// Program, class, call and functions, outermost first, with `;` between.
    pub frames: String,
    /// Amount in the first window, divided.
    pub before: f64,
    /// Amount in the second window, divided.
    pub after: f64,
    /// The second less the first, both divided.
    pub difference: f64,
}
