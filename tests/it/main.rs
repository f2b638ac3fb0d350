//! The integration tests: `heldup` against a real machine, one test at a time.
//!
//! Tests that need root, a tool or a device are listed as ignored with the reason where
//! that is missing. Nothing here may run beside something else: every test looks at the
//! whole machine.
//!
//! `HELDUP_BIN` names the program under test; else it is the newest build beside this
//! one. `HELDUP_MACHINE_TESTS=later` leaves all of them for runs of this binary by itself,
//! as `make test` does: with `beside` those that measure nothing, which may run beside the guests, and with `alone`
//! the others. Arguments are those of any test binary (`--list`, a filter, `--skip`). Where
//! `HELDUP_PROMISED` names a program, a test that lacks it fails instead.

mod advice;
mod capture;
mod changes;
mod classic;
mod command;
mod comparison;
mod conservation;
mod counters;
mod counts;
mod culprit;
mod cut_anywhere;
mod experiments;
mod focus;
mod guest;
mod guest_devices;
mod guest_memory;
mod guest_nfs;
mod guest_power_cut;
mod json_schema;
mod known_waits;
mod lengths;
mod less_detail;
mod live_and_recorded;
mod methods;
mod page;
mod quiet;
mod record;
mod recorded_signs;
mod recorded_trouble;
mod robust;
mod said;
mod same_second;
mod sampling;
mod second_run;
mod served_page;
mod stories;
mod stressors;
mod survives;
mod table_checks;
mod terminal_view;
mod traces;
mod trouble;
mod tune;
mod tune_beside_tuned;
mod vitals;
mod watch;

use std::process::ExitCode;

use anyhow::Result;
use heldup_skip::PROMISED;
use heldup_testkit::dropped_packets;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::known_waits::{TOGETHER, check_together, rust_waits};
use heldup_testkit::needs::{Need, broken_promise, why_skipped};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

fn main() -> Result<ExitCode> {
    lay_out_environment();
    let mut words = std::env::args().skip(1);
    // Some tests run this program as another one.
    match words.next().as_deref() {
        Some(rust_waits::ARGUMENT) => {
            let seconds = words.next().unwrap_or_default().parse()?;
            rust_waits::run(seconds, words.next().as_deref())?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(dropped_packets::ARGUMENT) => {
            dropped_packets::run(words.next().unwrap_or_default().as_ref())?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(TOGETHER) => {
            check_together(&words.collect::<Vec<String>>(), &Heldup::found()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let which = std::env::var("HELDUP_MACHINE_TESTS").unwrap_or_default();
    if which == "later" {
        println!("the tests on this machine: later, by themselves");
        return Ok(ExitCode::SUCCESS);
    }
    let mut arguments = Arguments::from_args();
    // Two tests at once would be each other's trouble.
    arguments.test_threads = Some(1);
    if !arguments.list {
        heldup_testkit::sweep::sweep()
            .iter()
            .for_each(|line| eprintln!("after a run that was killed: {line}"));
    }
    // Who runs one test waits for what it needs; who runs all has it by then.
    if !arguments.list && arguments.filter.is_none() && which != "beside" {
        heldup_testkit::trouble::start_ahead()?;
    }
    let mut trials = all_trials();
    match which.as_str() {
        "beside" => trials.retain(measures_nothing),
        "alone" => trials.retain(|trial| !measures_nothing(trial)),
        _ => {}
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    guest::shut_down();
    same_second::shut_down();
    lengths::say();
    if arguments.list {
        return Ok(conclusion.exit_code());
    }
    let few = second_run::said();
    let Conclusion { num_passed, num_failed, num_ignored, .. } = conclusion;
    println!("{num_passed} passed, {num_failed} failed, {num_ignored} skipped{}", second_run::names());
    Ok(if few { conclusion.exit_code() } else { ExitCode::FAILURE })
}

/// Every test, in the order in which they run.
fn all_trials() -> Vec<Trial> {
    let groups = [
        advice::trials(),
        capture::trials(),
        changes::trials(),
        classic::trials(),
        command::trials(),
        comparison::trials(),
        conservation::trials(),
        counters::trials(),
        counts::trials(),
        culprit::trials(),
        cut_anywhere::trials(),
        experiments::trials(),
        focus::trials(),
        guest::trials(),
        json_schema::trials(),
        known_waits::trials(),
        less_detail::trials(),
        live_and_recorded::trials(),
        methods::trials(),
        page::trials(),
        quiet::trials(),
        record::trials(),
        recorded_signs::trials(),
        recorded_trouble::trials(),
        robust::trials(),
        same_second::trials(),
        sampling::trials(),
        served_page::trials(),
        stories::trials(),
        stressors::trials(),
        survives::trials(),
        table_checks::trials(),
        terminal_view::trials(),
        trouble::trials(),
        tune::trials(),
        tune_beside_tuned::trials(),
        vitals::trials(),
        watch::trials(),
    ];
    let mut trials: Vec<Trial> = groups.into_iter().flatten().collect();
    trials.push(table_checks::of_names(&trials));
    trials
}

/// What every program that a test starts has in common, whoever the user is: what tools print is read in English and
/// in one time zone, heldup may print every sign, and administrators' tools are found by an ordinary user too.
fn lay_out_environment() {
    let path = std::env::var("PATH").unwrap_or_default();
    // SAFETY: nothing else runs in this process yet.
    unsafe {
        std::env::set_var("LC_ALL", "C.UTF-8");
        std::env::set_var("TZ", "UTC");
        std::env::set_var("PATH", format!("{path}:/usr/sbin:/sbin"));
        for name in ["LANGUAGE", "LS_COLORS", "POSIXLY_CORRECT", "S_TIME_FORMAT"] {
            std::env::remove_var(name);
        }
    }
}

/// Tests that ask what is answered and what a command did, not how long anything took or waited.
const MEASURE_NOTHING: [&str; 8] = [
    "capture::names-nobody",
    "changes::",
    "json_schema::",
    "page::",
    "served_page::",
    "table_checks::names",
    "terminal_view::",
    "tune::",
];

fn measures_nothing(trial: &Trial) -> bool {
    MEASURE_NOTHING.iter().any(|begin| trial.name().starts_with(begin))
}

/// A test's body.
type Run = fn() -> Result<()>;

/// What a test needs that asks for the exact ledger.
const LEDGER: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux")];

/// A test that is listed as ignored, with the reason as its kind, where it cannot run.
/// Whether `cargo xtask soak` runs the tests: then also what repeats or takes long.
fn is_soak() -> bool {
    std::env::var_os("HELDUP_IT_SOAK").is_some()
}

fn trial(name: String, needs: &[Need], run: impl Fn() -> Result<()> + Send + 'static) -> Trial {
    if let Some(why) = broken_promise(needs) {
        return Trial::test(name, move || Err(format!("{why}, and {PROMISED} names it").into()));
    }
    let test = Trial::test(name.clone(), move || {
        // A guest that is not asked any more would be one more load, with gigabytes of memory.
        if !name.starts_with(guest::NAMES) {
            guest::shut_down();
        }
        let run = || second_run::run(&name, &run);
        lengths::clocked(&name, run).map_err(|error| Failed::from(format!("{error:#}")))
    });
    match why_skipped(needs) {
        Some(why) => test.with_kind(format!("SKIPPED: {why}")).with_ignored_flag(true),
        None => test,
    }
}
