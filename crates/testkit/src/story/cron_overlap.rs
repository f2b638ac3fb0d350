//! A job that is started again before it has ended, and again: more and more of it runs at once.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::condition::until_within;
use crate::expect::{Suspect, Told};
use crate::needs::{Need, cpus};
use crate::running::Running;
use crate::scratch::Scratch;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "cron-overlap",
    needs: &[&[Need::Tool("gzip"), Need::Tool("flock")]],
    quick: false,
    ill,
    healthy,
};

/// What it compresses: some seconds of work.
const BYTES: u64 = 128 << 20;
/// Started each second, with a lock that lets one run at a time or without.
const OVERLAPS: &str = "while :; do gzip -9 <\"$0\" >/dev/null & sleep 1; done";
const LOCKED: &str = "while :; do flock --nonblock \"$0.lock\" gzip -9 <\"$0\" >/dev/null & sleep 1; done";

fn cron(script: &str) -> Result<(Scratch, Running)> {
    let scratch = Scratch::new("cron")?;
    let file = scratch.file_on_disk("report", BYTES)?;
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&file);
    let running = Running::start(command)?;
    Ok((scratch, running))
}

/// Children of the script that compress.
fn at_once(cron: &Running) -> Result<usize> {
    let path = format!("/proc/{0}/task/{0}/children", cron.pid());
    let children = std::fs::read_to_string(path)?;
    let is_gzip = |pid: &&str| {
        std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "gzip")
    };
    Ok(children.split_whitespace().filter(is_gzip).count())
}

fn ill() -> Result<Scene> {
    let (scratch, cron) = cron(OVERLAPS)?;
    let twice = 2 * cpus();
    until_within(std::time::Duration::from_secs(60), "the job overlaps itself", || {
        Ok(at_once(&cron)? >= twice)
    })?;
    let told =
        Told::within_three("cpu.saturated", vec![], vec![Suspect::Named(&["gzip"])]).or("cpu.fork-storm");
    Ok(Scene::new(vec![told], vec![Box::new(cron), Box::new(scratch)]))
}

fn healthy() -> Result<Held> {
    let (scratch, cron) = cron(LOCKED)?;
    std::thread::sleep(std::time::Duration::from_secs(3));
    ensure!(at_once(&cron)? <= 2, "the job overlaps itself");
    Ok(vec![Box::new(cron), Box::new(scratch)])
}
