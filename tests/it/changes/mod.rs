//! `heldup tune plan|apply|confirm|undo|status|recover` on settings of this machine, which are what
//! they were after each test, and whatever ends the program: `kills`. Whole profiles: `profiles`. Of what
//! has no file: `called`; `heldup tune limit` and `pin`: `limited`.

mod called;
mod commands;
mod ended;
mod every_setting;
mod groups;
mod kills;
mod limited;
mod machine;
mod profiles;

use heldup_testkit::control_group::Controller;
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
    let tests: [(&str, crate::Run); 10] = [
        ("applied-and-undone", commands::applied_and_undone),
        ("confirmed-or-not", commands::confirmed_or_not),
        ("drifted", commands::what_somebody_else_sets_stays),
        ("interrupted", commands::interrupted),
        ("kills", kills::killed_at_every_step),
        ("one-at-a-time", commands::one_run_at_a_time),
        ("planned-and-refused", commands::planned_and_refused),
        ("profile-confirmed-or-not", profiles::confirmed_or_not),
        ("profile-kills", profiles::killed_midway),
        ("profile-lasting", profiles::lasting),
    ];
    let mut trials: Vec<Trial> =
        tests.into_iter().map(|(name, run)| crate::trial(format!("changes::{name}"), NEEDS, run)).collect();
    // What has no file, and groups: nothing but what the tests make is touched.
    let own: [(&str, &[Need], crate::Run); 8] = [
        ("answered", &[Need::Root], limited::answered),
        ("every-setting", &[Need::Root], every_setting::every_setting),
        (
            "groups",
            &[Need::Root, Need::Tool("ip"), Need::Tool("nsenter"), Need::Tool("losetup")],
            groups::limits,
        ),
        (
            "interfaces",
            &[Need::Root, Need::Tool("ip"), Need::Tool("nsenter"), Need::Tool("ethtool")],
            called::interfaces,
        ),
        ("limited", &[Need::Root, Need::Controller(Controller::Memory)], limited::limited_and_let_go),
        ("mounts", &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4")], called::mounts),
        ("pinned", &[Need::Root], limited::pinned),
        ("processes", &[Need::Root], called::processes),
    ];
    trials.extend(
        own.into_iter().map(|(name, needs, run)| crate::trial(format!("changes::{name}"), needs, run)),
    );
    trials
}
