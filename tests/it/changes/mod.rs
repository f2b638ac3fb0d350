//! `heldup tune plan|apply|confirm|undo|status|recover` on settings of this machine, which are what
//! they were after each test, and whatever ends the program: `kills`.

mod commands;
mod ended;
mod kills;
mod machine;

use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

/// What changing settings of this machine takes.
const NEEDS: &[Need] = &[
    Need::Root,
    Need::Tool("ip"),
    Need::Tool("nsenter"),
    Need::Tool("losetup"),
    Need::File("/dev/loop-control"),
];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, crate::Run); 7] = [
        ("applied-and-undone", commands::applied_and_undone),
        ("confirmed-or-not", commands::confirmed_or_not),
        ("drifted", commands::what_somebody_else_sets_stays),
        ("interrupted", commands::interrupted),
        ("kills", kills::killed_at_every_step),
        ("one-at-a-time", commands::one_run_at_a_time),
        ("planned-and-refused", commands::planned_and_refused),
    ];
    tests.into_iter().map(|(name, run)| crate::trial(format!("changes::{name}"), NEEDS, run)).collect()
}
