//! `heldup top`: a machine in a terminal, live or as it was recorded.
//!
//! `app` is what is shown, changed by keys and by answers; `draw` makes cells of it, and decides nothing; `worker` asks the
//! engine, in a thread of its own, so that no key waits for an answer.

mod app;
mod bar;
mod draw;
mod keys;
mod line_edit;
mod paint;
mod strip;
mod terminal;
mod tests;
mod when;
mod who;
mod worker;

pub use paint::Look;
pub use terminal::{TopError, run};
