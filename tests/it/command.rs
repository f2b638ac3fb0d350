//! `heldup -- CMD`: the command's own time is found among everybody's, and reported as its.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Group, Ledger};
use heldup_testkit::heldup::{Answer, Heldup};
use heldup_testkit::needs::Need;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

use crate::LEDGER;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, run: crate::Run| crate::trial(format!("command::{name}"), LEDGER, run);
    vec![
        trial("short-lived-children", short_lived_children_are_counted),
        trial("orphan", an_orphan_stays_in_the_command),
        trial("first", what_concerns_it_comes_first),
        trial("exit-code", its_exit_code_is_ours),
        crate::trial(
            "command::pid-namespace".to_owned(),
            &[LEDGER, &[Need::Tool("unshare")]].concat(),
            it_is_marked_in_a_pid_namespace,
        ),
    ]
}

/// The kernel's count of a child ends before the last of its work, the ledger's does not; and
/// hosts hide a little of some tasks (docs/decisions/0002-ledger.md).
const NEAR: f64 = 0.05;

/// Keeps a CPU busy in the shell until `$1` turns.
const SPIN: &str = "i=0; while [ $i -lt $1 ]; do i=$((i+1)); done";

/// Somebody else's work, and its own short-lived children, while a command is examined.
fn something_else() -> Result<Vec<Running>> {
    let other = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Running::start(command)
    };
    Ok(vec![other("while :; do :; done")?, other("while :; do (:); done")?])
}

fn examine(script: &str) -> Result<(Heldup, Answer)> {
    let heldup = Heldup::found()?;
    let answer = heldup.examine_command(&["sh", "-c", script].map(OsStr::new))?;
    Ok((heldup, answer))
}

fn seconds(ledger: &Ledger, group: Group) -> f64 {
    ledger.classes.iter().filter(|class| class.group == group.name()).map(|class| class.seconds).sum()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= NEAR * expected
}

/// Two hundred children of some milliseconds each: their running time is what the kernel
/// counts for them, and the time of the shell that waits for them is the command's length.
fn short_lived_children_are_counted() -> Result<()> {
    const CHILDREN: i64 = 200;
    let _other = something_else()?;
    let script = format!("n=0; while [ $n -lt {CHILDREN} ]; do sh -c '{SPIN}' sh 2000; n=$((n+1)); done");
    let (heldup, answer) = examine(&script)?;
    let command = answer.examination.command.context("no command in the answer")?;
    ensure!(command.exit_code == Some(0), "{command:?}");
    ensure!(command.processes == Some(CHILDREN + 1), "{:?} processes", command.processes);
    let ledger = command.ledger.context("no ledger of the command")?;
    let kernel_s = command.user_seconds.zip(command.system_seconds).map(|(user, system)| user + system);
    let kernel_s = kernel_s.context("no CPU time of the command")?;
    let ran_s = seconds(&ledger, Group::Running);
    ensure!(near(ran_s, kernel_s), "ran {ran_s} s, by the kernel {kernel_s} s");
    let all_s = seconds(&answer.examination.ledger, Group::Running);
    ensure!(all_s > ran_s * 1.3, "the machine was to be busy with something else: {all_s} s, {ran_s} s");

    let pid = command.pid.context("no process id")?;
    let rows = heldup.sql_last(&format!("select sum(seconds) from task_time where tid = {pid}"))?;
    let life_s = rows.first().and_then(|row| row[0].as_f64()).context("no time of the shell")?;
    let wall_s = command.wall_seconds.context("no length")?;
    ensure!(near(life_s, wall_s), "the shell lived {life_s} s, the command took {wall_s} s");
    Ok(())
}

/// A grandchild whose parent ends at once belongs to init, and to the command still.
fn an_orphan_stays_in_the_command() -> Result<()> {
    let scratch = Scratch::new("orphan")?;
    let done = scratch.path().join("done");
    let done = done.display();
    let orphan = format!("{SPIN}; cut -d\" \" -f1 /proc/$$/schedstat > {done}.new; mv {done}.new {done}");
    let script = format!(
        "sh -c \"sh -c '{}' orphan 100000 &\"; until [ -e {done} ]; do sleep 0.02; done",
        orphan.replace('$', "\\$").replace('"', "\\\"")
    );
    let (heldup, _) = examine(&script)?;
    let ran_ns: f64 = std::fs::read_to_string(scratch.path().join("done"))?.trim().parse()?;
    // The busiest process that is not waited for by the command's own shell.
    let rows = heldup.sql_last(
        "select sum(seconds) from task_time where in_command and group_name = 'running' \
         group by pid order by 1 desc limit 1",
    )?;
    let found_s = rows.first().and_then(|row| row[0].as_f64()).context("no task of the command")?;
    ensure!(near(found_s, ran_ns / 1e9), "{found_s} s found, {ran_ns} ns run");
    Ok(())
}

/// On a machine whose CPUs are all taken the command that waits for one is told first, and
/// what holds only others up behind it.
fn what_concerns_it_comes_first() -> Result<()> {
    let cpus = std::thread::available_parallelism()?.get();
    let _others = (0..cpus).map(|_| something_else()).collect::<Result<Vec<_>>>()?;
    // Enough to stand in line by itself.
    let children = format!("sh -c '{SPIN}' sh 400000 & ").repeat(2 * cpus);
    let (_, answer) = examine(&format!("{children} wait"))?;
    let findings = &answer.examination.findings;
    let first = findings.first().context("nothing found")?;
    ensure!(first.id == "cpu.saturated", "first is {}", first.key);
    ensure!(first.in_command == Some(true) && first.focus.as_deref() == Some("command"), "{first:?}");
    let command = answer.examination.command.context("no command")?;
    let ledger = command.ledger.context("no ledger of the command")?;
    let share = ledger.waiting_seconds / ledger.active_seconds;
    let cost = first.cost.context("no cost")?;
    ensure!((cost - share).abs() < 0.1, "its cost is {cost} of the command's time, {share} were held up");
    Ok(())
}

/// In a container the kernel gives heldup another number than heldup knows of itself.
fn it_is_marked_in_a_pid_namespace() -> Result<()> {
    let _other = something_else()?;
    let heldup =
        Heldup::found()?.copied_under_own_name()?.under(&["unshare", "--pid", "--fork", "--mount-proc"]);
    let script = format!("{SPIN}; cut -d' ' -f1 /proc/$$/schedstat 1>&2");
    let answer = heldup.examine_command(&["sh", "-c", &script, "sh", "300000"].map(OsStr::new))?;
    let kernel_ns: f64 =
        answer.stderr.lines().find_map(|line| line.trim().parse().ok()).context("no run time")?;
    let rows =
        heldup.sql_last("select sum(seconds) from task_time where in_command and group_name = 'running'")?;
    let found_s = rows.first().and_then(|row| row[0].as_f64()).context("no task of the command")?;
    ensure!(near(found_s, kernel_ns / 1e9), "{found_s} s found, {kernel_ns} ns run");
    let said = answer.examination.not_checked.iter().any(|one| one.missing.contains("PID namespace"));
    let noted = answer.examination.errors.iter().any(|one| one.what.contains("PID namespace"));
    ensure!(said || noted, "nothing about the namespace: {:?}", answer.examination.errors);
    // Loading programs would be most of the CPU time of an idle namespace; the process that only
    // waits for the one that looks takes less than a millisecond.
    let rows = heldup.sql_last(&format!(
        "select coalesce(sum(seconds), 0.0) from task_time \
         where process_name = '{}' and group_name = 'running' and not in_command",
        heldup.process_name()
    ))?;
    let own_s = rows.first().and_then(|row| row[0].as_f64()).context("no sum")?;
    ensure!(own_s < 0.01, "{own_s} s of heldup's own time were counted");
    Ok(())
}

fn its_exit_code_is_ours() -> Result<()> {
    let heldup = Heldup::found()?;
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)] {
        let mut command = Command::new(heldup.program());
        command.args(["--no-save", "--", "sh", "-c", script]).env("HELDUP_STATE_DIR", heldup.home());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.code() != Some(code) {
            bail!("{script}: {status}, expected {code}");
        }
    }
    Ok(())
}
