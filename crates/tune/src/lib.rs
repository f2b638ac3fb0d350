//! Settings of the machine: what each does, what it is now, who set it.
//!
//! The knowledge is data, `tunables/*.toml`; this crate reads it, checks it and joins it with a
//! host. It must not judge (rules do) and it must not print (commands do). Everything that it
//! reads of the host goes through hostfs, so that a recorded tree can be asked like a live one.

mod catalogue;
mod check;
mod release;
mod tunable;

pub use catalogue::{Catalogue, CatalogueError};
pub use release::Release;
pub use tunable::{DefaultSince, Former, Interaction, Kind, Level, Tunable};
