//! What can be wrong with a figure.

use thiserror::Error;

/// Why a figure cannot be read or answered.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FigureError {
    /// The document is not one.
    #[error("{place}: {what}")]
    Document {
        /// File, or id of the figure.
        place: String,
        /// What was found and what was expected.
        what: String,
    },
}

impl FigureError {
    pub(crate) fn of(place: &str, what: impl Into<String>) -> FigureError {
        FigureError::Document { place: place.to_owned(), what: what.into() }
    }
}
