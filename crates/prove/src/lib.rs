//! Experiments: a change is made and undone again and again, and what that does to a figure
//! is decided while it runs.
//!
//! The schedule and the decision know neither a machine nor a workload: what is switched is a
//! [`Switch`], what is measured a [`Meter`]. So that the whole of it can be run on made-up noise,
//! and stopped at every step (`docs/decisions/0014-experiments.md`). Nothing here prints.

mod asked;
mod experiment;
mod figure;
mod narrowed;
mod part;
mod search;
mod switch;
mod why;

pub use asked::{Asked, AskedError, asked, values};
pub use experiment::{Limits, Outcome, Told, Tried, run};
pub use figure::{Bound, Figure, FigureError, Guard};
pub use narrowed::{narrowed, narrowed_of};
pub use part::{Measured, Meter, Stop, Switch};
pub use search::{SearchLimits, Searched, search};
pub use switch::LoggedSwitch;
pub use why::why;
