//! Figures of one source, as `heldup plot` answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frame::Frame;

/// Schema of [`Plotted`].
pub const PLOT_SCHEMA: &str = "heldup/plot/1";

/// Schema `heldup/plot/1`: figures, with the numbers that are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plotted {
    /// `heldup/plot/1`.
    #[schemars(extend("const" = PLOT_SCHEMA))]
    pub schema: String,
    /// What was read.
    pub source: String,
    /// Host that it is of.
    pub host: String,
    /// Start of the window, RFC 3339 in UTC.
    pub from: String,
    /// End of the window.
    pub to: String,
    /// What is drawn.
    pub figures: Vec<Frame>,
    /// Figures that were asked for and have no numbers here.
    pub without: Vec<FigureWithout>,
}

/// A figure without numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureWithout {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What supplies its numbers.
    pub supplied_by: String,
}
