//! Settings of the machine: what each does, its value, who set it; changes and their undo.
//!
//! The knowledge is data, `tunables/*.toml`; this crate reads it, checks it and joins it with a
//! host. It must not judge (rules do) and it must not print (commands do). Everything that it
//! reads of the host goes through hostfs, so that a recorded tree can be asked like a live one.

mod assignment;
mod audit;
mod call_door;
mod called;
mod catalogue;
mod change_log;
mod changer;
mod check;
mod coupling;
mod file_line;
mod instance;
mod instances;
mod limit;
mod namespace;
mod objection;
mod outlived;
mod persistence;
mod placement;
mod plan;
mod profile;
mod release;
mod setting_path;
mod standing;
mod tunable;
pub mod tuned;
mod value;

pub use assignment::{Applier, Assignment, Assignments};
pub use audit::{Document, JudgedLine, Remark, Target, Verdict, audit, read_document};
pub use call_door::CallDoor;
pub use called::process::cpus;
pub use catalogue::{Catalogue, CatalogueError};
pub use change_log::{Begin, Change, ChangeId, LogFault, Persisted, Saved, State, Term, Why};
pub use changer::{
    Applied, ChangeError, Changer, Door, Foreign, LoggedHost, Outcomes, Recovered, Undone, Wanted, Writer,
};
pub use coupling::coupled_instances;
pub use file_line::{FileLine, LineStatus, file_lines};
pub use instance::Instance;
pub use limit::{IoLimit, LimitError, Limits};
pub use objection::Objection;
pub use outlived::{NoVersion, OutlivedSystem, System, Version};
pub use persistence::BootFile;
pub use placement::{Placed, PlacedOn, Program, Topology, place};
pub use plan::{Coupled, Made, Plan, PlanError, PlanFailure, Planned};
pub use profile::{Aim, Outcome, Profile, ProfileSetting, Step, Want, steps};
pub use release::Release;
pub use standing::{SetBy, Standing, read, read_value, release};
pub use tunable::{DefaultSince, Former, Harm, Interaction, Kind, Level, RangeSince, Tunable};
pub use value::canonical;
