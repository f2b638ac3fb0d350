//! The checks of `cargo xtask ci`, one file each. A check looks at the tree and says
//! what is wrong, with file, line and what was expected; it changes nothing.

mod architecture_map;
mod bpf_objects;
mod changelog;
mod crate_edges;
mod documented_commands;
mod door;
mod file_length;
mod file_names;
mod fixtures;
mod formatted;
mod generated;
mod links;
mod lints;
mod machine_paths;
mod module_tree;
mod null_rules;
mod other_libc;
mod page_bundle;
mod rings;
mod robust_rules;
mod rule_cases;
mod rule_changes;
mod silent_engine;
mod skeletons;
mod skipped_aloud;
mod sorted_lists;
mod table_checks;
mod words;

use anyhow::Result;

use crate::tree::Tree;

/// What a check says.
pub enum Outcome {
    /// It looked; these are its complaints.
    Looked(Vec<String>),
    /// It could not look here, and why.
    Skipped(String),
}

/// A check.
pub struct Check {
    /// Name, for `--only`.
    pub name: &'static str,
    /// The policy, in one line.
    pub policy: &'static str,
    /// Looks at the tree.
    pub look: fn(&Tree) -> Result<Outcome>,
}

/// Every check, by name. The compilers come last: they take longest.
pub const ALL: &[Check] = &[
    architecture_map::CHECK,
    bpf_objects::CHECK,
    changelog::CHECK,
    crate_edges::CHECK,
    door::CHECK,
    file_length::CHECK,
    file_names::CHECK,
    fixtures::CHECK,
    links::CHECK,
    machine_paths::CHECK,
    module_tree::CHECK,
    null_rules::CHECK,
    page_bundle::CHECK,
    rings::CHECK,
    robust_rules::CHECK,
    rule_cases::CHECK,
    rule_changes::CHECK,
    silent_engine::CHECK,
    skipped_aloud::CHECK,
    sorted_lists::CHECK,
    table_checks::CHECK,
    words::CHECK,
    formatted::CHECK,
    lints::CHECK,
    other_libc::CHECK,
    skeletons::CHECK,
    generated::CHECK,
    documented_commands::CHECK,
];
