//! Eight readers of a device whose scheduler is told to give it one request at a time, and to
//! wait for the reader's next one before it serves another: each thinks for a moment in between,
//! and the device has nothing to do meanwhile.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::expect::Expected;
use crate::loop_device::{Backing, LoopDevice};
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time, started_reading};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.scheduler",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("fio"),
        Need::File("/dev/loop-control"),
        Need::IoScheduler("bfq"),
    ],
    make,
};

fn make() -> Result<Trouble> {
    let device = LoopDevice::new("held", 128 << 20, Backing::Direct)?;
    let name = device.name();
    let scheduler = Scheduler::set(&name, "bfq")?;
    // Goes with the scheduler.
    let strict = format!("/sys/block/{name}/queue/iosched/strict_guarantees");
    fs::write(&strict, "1").with_context(|| format!("write {strict}"))?;
    let mut command = one_at_a_time(device.path(), "randread", 4096);
    // In µs: several times what the device takes, and far below the 8 ms that bfq waits.
    command.args(["--numjobs=8", "--thinktime=300"]);
    let fio = started_reading(command, &device, 500)?;
    let expected = Expected { id: "disk.scheduler", subject: vec![name], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(scheduler), Box::new(device)]))
}

/// Another scheduler of a device, until it is dropped; loop devices keep theirs when they are let go.
struct Scheduler {
    file: PathBuf,
    before: String,
}

impl Scheduler {
    fn set(device: &str, to: &str) -> Result<Scheduler> {
        let file = PathBuf::from(format!("/sys/block/{device}/queue/scheduler"));
        let offered = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        // `none [mq-deadline] bfq`
        let before = offered.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let before = before.with_context(|| format!("no scheduler in {offered}"))?.0.to_owned();
        fs::write(&file, to).with_context(|| format!("write {to} to {}", file.display()))?;
        Ok(Scheduler { file, before })
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.file, &self.before) {
            eprintln!("left behind: {} is not {} again: {error}", self.file.display(), self.before);
        }
    }
}
