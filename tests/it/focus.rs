//! `--focus` on what is not there, on what ends within the window, and on what is still to come.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use heldup_testkit::condition::until;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;
use libtest_mimic::Trial;

/// No kernel gives so large a number away (PID_MAX_LIMIT is 4194304).
const NOBODY: &str = "pid:4194305";
/// The window that must not be waited for.
const LONG: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, crate::Run); 3] =
        [("absent", absent), ("ends-within", ends_within), ("is-waited-for", is_waited_for)];
    tests.into_iter().map(|(name, run)| crate::trial(format!("focus::{name}"), &[], run)).collect()
}

fn absent() -> Result<()> {
    let heldup = Heldup::found()?;
    for focus in
        [NOBODY, "device:no-such", "cgroup:/no/such", "unit:no-such.service", "container:0123456789ab"]
    {
        let begun = Instant::now();
        let output = heldup.run(&["examine", "--for", "60s", "--focus", focus])?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(3), "{focus}: {:?} {said}", output.status);
        ensure!(said.contains(&format!("nothing on this machine is {focus}")), "{said}");
        ensure!(begun.elapsed() < LONG, "{focus}: the window was waited for");
    }
    Ok(())
}

fn ends_within() -> Result<()> {
    let heldup = Heldup::found()?;
    let mut command = Command::new("sh");
    command.args(["-c", "i=0; while [ $i -lt 3 ]; do sleep 0.5; i=$((i+1)); done"]);
    let run = Running::start(command)?;
    let focus = format!("pid:{}", run.pid());
    let examined = heldup.examine_with(4, &["--focus", &focus])?.examination;
    drop(run);
    let said: Vec<&str> =
        examined.errors.iter().filter(|one| one.place == "--focus").map(|one| one.what.as_str()).collect();
    ensure!(
        said == [format!("{focus} ended during the window: the answer covers the time until then")],
        "{said:?}"
    );
    Ok(())
}

fn is_waited_for() -> Result<()> {
    let heldup = Heldup::found()?;
    let mut command = heldup.command(&["watch", "--interval", "1s", "--focus", NOBODY]);
    let mut watch = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(watch.stderr.take().context("no output")?).read_line(&mut line)?;
    let status = || fs::read_to_string(format!("/proc/{}/status", watch.id()));
    let waits = status().is_ok();
    // SAFETY: takes numbers; the process is ours and not waited for yet.
    unsafe { libc::kill(i32::try_from(watch.id())?, libc::SIGINT) };
    let mut ended = None;
    until("the watch ends when it is asked to", || {
        ended = watch.try_wait()?;
        Ok(ended.is_some())
    })?;
    ensure!(line == format!("heldup: waiting for {NOBODY}; Ctrl-C ends it\n"), "{line}");
    ensure!(waits && ended.and_then(|status| status.code()) == Some(0), "{ended:?}");
    Ok(())
}
