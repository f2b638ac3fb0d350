//! A program that writes each line of its log through to the disk (O_SYNC).

use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::loop_device::{self, Backing, Journal, LoopDevice, Mounted};
use crate::needs::Need;
use crate::running::Running;
use crate::story::{Held, PYTHON, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "log-writer",
    needs: &[loop_device::NEEDS, &[Need::File(PYTHON)]],
    quick: true,
    ill,
    healthy,
};

/// Lines for which somebody asks each second: more than a disk commits one by one, and little work.
const LINES_PER_S: &str = "5000";
/// In pieces of ten milliseconds each, as long as it keeps up; else as fast as it goes.
const WRITER: &str = "
import os, sys, time
path, flags, per_s = sys.argv[1], getattr(os, sys.argv[2], 0), int(sys.argv[3])
log = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | flags)
line = b'2026-01-01 00:00:00 INFO a request was served in 12 ms\\n'
start, written = time.monotonic(), 0
while time.monotonic() < start + 170:
    while written < per_s * (time.monotonic() - start):
        os.write(log, line)
        written += 1
        if written % 500000 == 0:
            os.ftruncate(log, 0)
    time.sleep(0.01)
";

fn writer(flag: &str) -> Result<(Mounted, Running)> {
    let mounted = LoopDevice::new("log", 256 << 20, Backing::Direct)?.with_ext4(Journal::With)?;
    let log = mounted.path().join("log");
    let mut command = Command::new(PYTHON);
    command.args(["-c", WRITER]).arg(&log).args([flag, LINES_PER_S]);
    let writer = Running::start(command)?;
    until("lines are written", || Ok(std::fs::metadata(&log).is_ok_and(|about| about.len() > 10_000)))?;
    Ok((mounted, writer))
}

fn ill() -> Result<Scene> {
    let (mounted, writer) = writer("O_SYNC")?;
    let device = mounted.device().context("mounted without a device")?.name();
    let subject = vec![device, mounted.path().display().to_string()];
    let told = Told::within_three("disk.sync-bound", subject, vec![Suspect::Process(writer.pid())]);
    Ok(Scene::new(vec![told], vec![Box::new(writer), Box::new(mounted)]))
}

fn healthy() -> Result<Held> {
    let (mounted, writer) = writer("O_APPEND")?;
    Ok(vec![Box::new(writer), Box::new(mounted)])
}
