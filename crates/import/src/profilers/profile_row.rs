//! A row of a profile by function.

/// A function of a list, or a file without symbols.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name; none without symbols.
    pub function: Option<String>,
    /// Program, library, module or kernel.
    pub image: String,
    /// The program that ran it; empty where it is not told.
    pub process: String,
    /// Samples in it.
    pub samples: Option<f64>,
    /// Share of the samples in itself.
    pub self_share: Option<f64>,
    /// Share with what it calls.
    pub inclusive_share: Option<f64>,
    /// Samples and their share of further events.
    pub others: Vec<(f64, f64)>,
}
