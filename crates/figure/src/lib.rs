//! Figures: charts as documents, and their numbers reduced to the width that they are drawn at.
//!
//! A figure is a file of `figures/`: the question that it answers, how it is drawn, and which columns of which
//! tables it takes. [`answer`] goes over the columns of a capture in one pass, for SQLite's loop over rows is ten to
//! forty times slower over the rows of a day, and gives [`Frame`](heldup_model::Frame)s, which name the query that
//! answers the same. Whoever draws a frame decides nothing.

#![warn(missing_docs)]

mod answer;
mod by_key;
mod catalogue;
mod document;
mod error;
mod keys;
mod numbers;
mod query;
mod samples;
mod steps;
mod table;
mod track;
mod vitals;
mod who;

pub use answer::{Ask, answer, answer_all};
pub use catalogue::{find, of_area, of_process, shipped};
pub use document::{Condition, Figure, Limit, Narrow, Per, Series};
pub use error::FigureError;
pub use vitals::{LastSamples, is_vital};
pub use who::{Gathered, Trace, who_needs};
