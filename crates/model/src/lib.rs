//! The domain's types: tables and their columns, classes of time, findings and examinations.
//!
//! Every other crate uses these types. Nothing here reads a file, reads the
//! clock or depends on the source of a number; a capture made from eBPF, from a
//! recorded `/proc` or from another tool's output looks the same.

#![warn(missing_docs)]

mod area;
mod audit;
pub mod batch;
mod breakdown;
mod breakdown_difference;
mod capability;
mod capture;
mod cells;
mod class;
mod code_table;
mod comparison;
mod control_group;
mod decimal;
mod examination;
mod experiment;
mod explanation;
mod flame;
mod frame;
mod increase;
mod life;
mod lists;
mod page;
mod plotted;
mod profile_plan;
mod recording;
mod report_parts;
mod row_changes;
mod rows;
mod setting_changes;
mod settings;
mod size;
mod stack_table;
mod table;
mod table_macro;
pub mod tables;
mod timeline;
mod timing;
mod user_waits;
mod view;
mod vitals;
mod watch;
mod when;
mod written;

pub use area::Area;
pub use audit::*;
pub use breakdown::*;
pub use breakdown_difference::*;
pub use capability::*;
pub use capture::{Capture, Flaw, Method, Missing, Span};
pub use cells::*;
pub use class::{Class, Group};
pub use code_table::{CodeKind, CodeRole, CodeTable, CodeTableError, short_function_name};
pub use comparison::*;
pub use control_group::{Owner, owner_of_cgroup};
pub use decimal::{Sum, increase_of};
pub use examination::*;
pub use experiment::*;
pub use explanation::*;
pub use flame::*;
pub use frame::*;
pub use increase::{increase, increase_from, increase_of_floats, increase_of_ints};
pub use life::*;
pub use lists::*;
pub use page::*;
pub use plotted::*;
pub use profile_plan::*;
pub use recording::*;
pub use report_parts::*;
pub use row_changes::{RowChanges, Step};
pub use rows::{Cells, Form, Record, RowSet, Stamp, Text};
pub use setting_changes::*;
pub use settings::*;
pub use size::parse_bytes;
pub use stack_table::{Entry, Example, StackTable, StackTableError};
pub use table::{Column, ColumnKind, ColumnType, Holds, TableDef, Unit};
pub use tables::rollup;
pub use timeline::*;
pub use timing::{TimeSource, Timing};
pub use user_waits::{UserWait, user_wait};
pub use view::*;
pub use vitals::*;
pub use watch::*;
pub use when::{Asked, Clock, WhenError};
pub use written::*;
