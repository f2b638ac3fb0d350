//! Who is named is who did it: programs that a script, make or a supervisor starts and that end within the
//! window, and one whose starters are gone. Nobody is charged with what his children did.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Examination, Finding};
use heldup_testkit::condition::until;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::quiet;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::Scratch;
use heldup_testkit::slow_disk::{NEEDS, SlowDisk, Speed};
use libtest_mimic::Trial;

/// Seconds to look for: many ends of the short programs.
const SECONDS: u32 = 4;
/// How often each is asked in a soak.
const ROUNDS: usize = 20;
/// A small volume of a cloud: 500 requests a second.
const SPEED: Speed = Speed { mib: 256, request_us: 2000, mib_per_s: 100 };
/// What of the device's bytes must be put down to who wrote them; the rest is the file system's own.
const LEAST_TOLD: f64 = 0.8;

/// Something that writes to a slow disk.
struct Case {
    name: &'static str,
    /// A script, which is given the folder on that disk; in the background it runs until it is killed.
    script: &'static str,
    /// Name of the script as a program.
    starter: &'static str,
    /// Who does it.
    culprit: &'static str,
    needs: &'static [Need],
}

const CASES: &[Case] = &[
    Case {
        name: "script-runs-fio",
        starter: "backup.sh",
        script: "while :; do fio --name=w --thread --filename=$1/data --size=8M --rw=randwrite --bs=16k --direct=1 \
                 --ioengine=libaio --iodepth=32 --output=/dev/null; done",
        culprit: "fio",
        needs: &[Need::Tool("fio")],
    },
    Case {
        name: "supervisor-with-workers",
        starter: "supervisor.sh",
        script: "worker() { dd if=/dev/zero of=$1/part$2 bs=16k count=100 oflag=direct conv=notrunc status=none; }; \
                 while :; do for n in 1 2 3 4; do worker $1 $n & done; wait; done",
        culprit: "dd",
        needs: &[],
    },
    Case {
        name: "double-fork",
        starter: "daemonise.sh",
        script: "for n in 1 2 3 4; do ( setsid dd if=/dev/zero of=$1/log$n bs=16k count=3000 oflag=direct conv=notrunc \
                 status=none & echo $! >> $1/pids ); done; exec sleep 1000",
        culprit: "dd",
        needs: &[],
    },
];

pub fn trials() -> Vec<Trial> {
    let of_case = |case: &'static Case| {
        let needs: Vec<Need> = NEEDS.iter().chain(case.needs).copied().collect();
        crate::trial(format!("culprit::{}", case.name), &needs, move || rounds(|| on_a_slow_disk(case)))
    };
    let mut trials: Vec<Trial> = CASES.iter().map(of_case).collect();
    let needs = [crate::LEDGER, &[Need::Tool("cc"), Need::Tool("make")]].concat();
    trials.push(crate::trial("culprit::make-runs-compilers".to_owned(), &needs, || {
        rounds(make_runs_compilers)
    }));
    trials
}

fn rounds(round: impl Fn() -> Result<()>) -> Result<()> {
    let most = if crate::is_soak() { ROUNDS } else { 1 };
    (1..=most).try_for_each(|number| round().with_context(|| format!("round {number} of {most}")))
}

/// Programs that have left the process group of who started them.
struct Daemons<'a>(&'a Path);

impl Drop for Daemons<'_> {
    fn drop(&mut self) {
        for pid in fs::read_to_string(self.0.join("pids")).unwrap_or_default().lines() {
            // One that has ended is no harm.
            let _ = Command::new("kill").args(["-KILL", pid]).status();
        }
    }
}

fn on_a_slow_disk(case: &Case) -> Result<()> {
    let heldup = Heldup::found()?;
    let disk = SlowDisk::new(SPEED)?;
    let programs = Scratch::new("culprit")?;
    let script = programs.path().join(case.starter);
    fs::write(&script, format!("#!/bin/sh\n{}\n", case.script))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    disk.slow_down();
    let _daemons = Daemons(disk.path());
    let mut command = Command::new(&script);
    command.arg(disk.path());
    let mut starter = Running::start(command)?;
    until("the disk is written to", || {
        starter.still_runs()?;
        Ok(fs::read_dir(disk.path())?
            .flatten()
            .any(|file| file.metadata().is_ok_and(|about| about.len() > 1 << 20)))
    })?;
    sleep(Duration::from_secs(1));
    let answer = heldup.examine(SECONDS)?;
    let device = disk.device()?;
    names(&answer.examination, &device, case)?;
    amounts(&heldup, &device, case)
}

/// A finding about the disk names who did it; none names who started it.
fn names(examination: &Examination, device: &str, case: &Case) -> Result<()> {
    let is_about = |finding: &&Finding| {
        finding.id.starts_with("disk.")
            && (finding.subject.name.contains(device) || finding.title.contains(device))
    };
    let about: Vec<&Finding> = examination.findings.iter().filter(is_about).collect();
    let said: Vec<String> = about
        .iter()
        .map(|one| {
            format!(
                "{}: {:?}",
                one.key,
                one.culprits.iter().map(|who| (&who.name, &who.role)).collect::<Vec<_>>()
            )
        })
        .collect();
    let first = about.iter().find_map(|finding| finding.culprits.first());
    let Some(first) = first else { bail!("no finding about {device} names anybody: {said:#?}") };
    ensure!(first.name == case.culprit, "{} is named first, not {}: {said:#?}", first.name, case.culprit);
    let is_charged = about.iter().flat_map(|finding| &finding.culprits).any(|who| who.name == case.starter);
    ensure!(!is_charged, "{} is named, which only starts others: {said:#?}", case.starter);
    Ok(())
}

/// Who did it is charged with what the device was sent, and who started it with nothing.
fn amounts(heldup: &Heldup, device: &str, case: &Case) -> Result<()> {
    let (culprit, starter) = (case.culprit, case.starter);
    let rows = heldup.sql_last(&format!(
        "select (select total(write_bytes) from disk where device = '{device}'), \
         (select total(write_bytes) from own_io where name = '{culprit}'), \
         (select total(write_bytes) from own_io where name = '{starter}')"
    ))?;
    let numbers: Vec<f64> = rows.iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    let [sent, own, of_starter] = numbers[..] else { bail!("not three numbers: {rows:?}") };
    ensure!(sent > 1e6, "{device} was sent {sent} bytes only");
    // Of what is sent at the window's edges each side may miss the requests in flight.
    ensure!(
        own >= LEAST_TOLD * sent && own <= 1.05 * sent + 4e6,
        "{device} was sent {sent} bytes, {culprit} is charged with {own}"
    );
    ensure!(of_starter <= 0.01 * sent, "{starter} is charged with {of_starter} of {sent} bytes");
    Ok(())
}

/// The compilers have computed, and written their files; make has not.
fn make_runs_compilers() -> Result<()> {
    let heldup = Heldup::found()?;
    let case = quiet::ALL.iter().find(|case| case.name == "compile").context("the quiet case compile")?;
    let_settle()?;
    let load = (case.make)()?;
    let answer = heldup.examine(SECONDS)?;
    drop(load);
    let user = answer.examination.ledger.classes.iter().find(|class| class.class_name == "user");
    let user = user.context("no time of class user")?;
    let of_name = |name: &str| user.tasks.iter().find(|task| task.name == name);
    let compilers = of_name("cc1").with_context(|| format!("no compiler computed: {:?}", user.tasks))?;
    ensure!(compilers.tasks.is_some_and(|tasks| tasks > 1), "many short ones are one entry: {compilers:?}");
    let seconds = |name: &str| of_name(name).and_then(|task| task.seconds).unwrap_or(0.0);
    ensure!(
        seconds("cc1") > 10.0 * seconds("make"),
        "make is charged with what it started: {:?}",
        user.tasks
    );
    let sum: f64 = user.tasks.iter().filter_map(|task| task.seconds).sum();
    ensure!(
        (sum - user.seconds).abs() <= 1e-6 * user.seconds,
        "programs {sum} s, their class {} s",
        user.seconds
    );
    let rows = heldup.sql_last(
        "select (select total(write_chars) from own_io where name = 'as'), \
         (select total(write_chars) from own_io where name = 'make'), \
         (select total(write_chars) from process where name = 'make')",
    )?;
    let numbers: Vec<f64> = rows.iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    let [objects, of_make, by_the_kernel] = numbers[..] else { bail!("not three numbers: {rows:?}") };
    ensure!(objects > 0.0, "nobody wrote object files");
    ensure!(of_make < 0.1 * objects, "make is charged with {of_make} bytes, of {objects} of the assembler");
    // If the kernel no longer added what children did, none of this would be needed.
    ensure!(by_the_kernel > of_make, "/proc/PID/io of make has {by_the_kernel}, make itself wrote {of_make}");
    Ok(())
}
