//! `heldup tune …` with the library preloaded that ends it at a step.

use std::fs::{self, File};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};
use heldup_testkit::programs;

use super::machine::Changed;

/// How a step is the last.
pub const ENDS: [&str; 3] = ["before", "middle", "after"];

/// Where a run ends.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// The command that is ended: `apply`, `guard`, …
    pub command: &'static str,
    /// Which of its steps, from 0.
    pub step: usize,
    /// One of [`ENDS`].
    pub end: &'static str,
    /// What ends it.
    pub signal: libc::c_int,
}

/// Runs it to its end, and says how that was and what it said.
pub fn run(changed: &Changed, arguments: &[&str], ended: Ended) -> Result<(ExitStatus, String)> {
    let mut command = preloaded(changed, arguments)?;
    command.env("HELDUP_IT_IN", ended.command).env("HELDUP_IT_STEP", ended.step.to_string());
    command.env("HELDUP_IT_END", ended.end);
    if ended.signal != libc::SIGKILL {
        command.env("HELDUP_IT_SIGNAL", ended.signal.to_string());
    }
    let said = changed.heldup.home().join("said");
    let file = File::create(&said)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let status = command.status().with_context(|| format!("run tune {}", arguments.join(" ")))?;
    Ok((status, fs::read_to_string(said)?))
}

/// How many steps a command takes when nothing ends it, `command` being who takes them.
pub fn steps(changed: &Changed, command: &str, arguments: &[&str]) -> Result<usize> {
    let file = changed.heldup.home().join("steps");
    let _ = fs::remove_file(&file);
    let mut counted = preloaded(changed, arguments)?;
    counted.env("HELDUP_IT_IN", command).env("HELDUP_IT_STEPS", &file);
    let output = counted.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    count(changed)
}

/// How many steps were taken so far since [`steps`] began to count.
pub fn count(changed: &Changed) -> Result<usize> {
    let file = changed.heldup.home().join("steps");
    Ok(fs::metadata(&file).map_or(0, |file| file.len() as usize))
}

fn preloaded(changed: &Changed, arguments: &[&str]) -> Result<Command> {
    let words: Vec<&str> = ["tune"].iter().chain(arguments).copied().collect();
    let mut command = changed.heldup.command(&words);
    command.env("LD_PRELOAD", programs::built_library("end-at-step")?);
    Ok(command)
}
