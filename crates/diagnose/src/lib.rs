//! Runs the rules over a capture, ranks and joins what they find.
//!
//! A rule is a document (`rules/<area>/<id>.toml`): words for people and SQL for the
//! engine. [`Ruleset`] reads and checks them, [`diagnose`] runs them. Every level that
//! decides how bad something is stands in `severity.rs`; nothing here knows any rule.

#![warn(missing_docs)]

mod accounts;
mod availability;
mod bad_stretches;
mod captures;
mod case;
mod cases;
mod command;
mod compare;
mod cpu_use;
mod diagnosis;
mod document;
mod episodes;
#[cfg(test)]
mod every_title;
mod explain;
mod finding;
mod finding_groups;
mod focus;
mod ledger;
mod on_recordings;
mod profile_vitals;
mod programs;
mod proposal;
mod query;
mod rank;
mod robust;
mod row;
mod rule_files;
mod ruleset;
mod run;
mod severity;
mod stretches;
mod template;
mod unmeasured;
mod vitals;
mod window;

pub use bad_stretches::{BadStretch, bad_stretches};
pub use captures::{Sample, Setting, small_capture};
pub use case::{Case, CaseAccounted, CaseFile, Expect};
pub use cases::CaseResult;
pub use compare::{BaselineError, CompareOptions, Named, add_baseline, compare, compare_groups};
pub use diagnosis::{Diagnosis, HostFacts, Measured, Options, RuleCost};
pub use document::{
    ChangeTemplate, ColumnName, EvidenceColumn, NextTemplate, Origin, Recording, Rule, RuleError, SymptomOf,
    Without,
};
pub use episodes::{Episode, Episodes, Hysteresis, Turn};
pub use explain::explain;
pub use finding_groups::group as group_findings;
pub use focus::{Cut, Focus, cut, device_of_mount, is_in, without_process};
pub use programs::OTHERS;
pub use robust::{Wobble, wobbles};
pub use ruleset::Ruleset;
pub use run::{Diagnoser, diagnose, diagnose_with};
pub use severity::{
    BURST_SECONDS, CRITICAL_COST, CRITICAL_HOURS, FULL_SECONDS, FULL_VOLUME_TASKS, Harm, LASTING_SECONDS,
    LEAST_ACTIVE_SECONDS, LEAST_VOLUME_TASKS, OF_RECORDING, OF_SAMPLES, WARNING_COST, WARNING_HOURS,
    WARNING_WASTE, score, severity,
};
pub use stretches::{Stretch, Stretches, worst_stretches};
pub use template::{Format, Template, format_value};
pub use vitals::of as vitals_of;
pub use window::{samples_in, window};
