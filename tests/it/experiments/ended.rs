//! Whatever ends an experiment: the setting is what it was, and the exit code says why.

use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{BlockKind, ExperimentEnd};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;

use super::device::Unread;

/// How long a program may take to begin or to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Exit codes of `heldup try --help`.
const COULD_NOT: i32 = 3;
const TAKEN_BACK: i32 = 4;
const GUARD_BREACHED: i32 = 5;

pub fn a_guard_is_breached() -> Result<()> {
    let unread = Unread::new()?;
    let workload = format!("cat {}", unread.file().display());
    let more = ["--guard", "regex:([0-9]+)<=0", "--no-ledger"];
    let (code, found) = unread.tried(&workload, &more)?;
    ensure!((code, found.end) == (Some(GUARD_BREACHED), ExperimentEnd::GuardBreached), "{code:?} {found:#?}");
    let with: Vec<_> = found.blocks.iter().filter(|block| block.kind == BlockKind::With).collect();
    ensure!(with.len() == 1 && with[0].guards == [128.0], "{with:#?}");
    Ok(())
}

pub fn the_workload_fails() -> Result<()> {
    let unread = Unread::new()?;
    let workload = format!("echo broken >&2; test $(cat {}) = 0", unread.file().display());
    let (code, found) = unread.tried(&workload, &["--no-ledger"])?;
    ensure!((code, found.end) == (Some(COULD_NOT), ExperimentEnd::Failed), "{code:?} {found:#?}");
    let why = found.reason.unwrap_or_default();
    ensure!(why.contains("exit status: 1; broken"), "{why}");
    Ok(())
}

/// Asked to stop, and killed, at moments that differ from run to run: while the change is on and while it
/// is off, while a run is at work and while a setting is written.
pub fn interrupted_at_any_moment() -> Result<()> {
    let unread = Unread::new()?;
    for (at, signal) in
        [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGKILL, libc::SIGKILL, libc::SIGKILL]
            .into_iter()
            .enumerate()
    {
        let arguments =
            unread.arguments("sleep 0.02", &["--no-ledger", "--pairs", "1000", "--min-effect", "0.001%"]);
        let mut command = unread.heldup.command(&arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        until_on(&unread.off, &mut child)?;
        let later = Duration::from_millis(u64::from(clock()) % 400);
        std::thread::sleep(later);
        // SAFETY: takes numbers; the child has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        let status = ended(&mut child)?;
        let case = format!("{at}: signal {signal} {later:?} after the change was on: {status}");
        if signal == libc::SIGKILL {
            recovered(&unread.heldup).context(case.clone())?;
        } else {
            ensure!(status.code() == Some(TAKEN_BACK), "{case}");
        }
        ensure!(unread.off.value()? == "0", "{case}: read-ahead is {}", unread.off.value()?);
    }
    Ok(())
}

/// The next run undoes what was left; it is refused while the process that died with the one that was
/// killed still has the right to write.
fn recovered(heldup: &Heldup) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let output = heldup.run(&["tune", "recover"])?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(Instant::now() < until, "it is not undone: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number that nobody chose.
fn clock() -> u32 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.subsec_micros())
}

fn until_on(setting: &KernelSetting, child: &mut Child) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while setting.value()? == "0" {
        if let Some(status) = child.try_wait()? {
            bail!("it ended before the change was made: {status}");
        }
        ensure!(Instant::now() < until, "the change was not made within {PATIENCE:?}");
        std::thread::yield_now();
    }
    Ok(())
}

fn ended(child: &mut Child) -> Result<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= until {
            child.kill()?;
            bail!("it did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
