//! Eight readers of a device whose scheduler is told to give it one request at a time, and to
//! wait for the reader's next one before it serves another: each thinks for a moment in between,
//! and the device has nothing to do meanwhile.

use std::fs;

use anyhow::{Context, Result};

use crate::expect::Expected;
use crate::kernel_setting::KernelSetting;
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

/// Four programs that keep sixteen requests each under way, at a queue that has room for four in all.
pub(super) const LITTLE_ROOM: TroubleMaker = TroubleMaker {
    name: "disk.scheduler.room",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("fio"), Need::File("/dev/loop-control")],
    make: || {
        let device = LoopDevice::new("narrow", 128 << 20, Backing::Direct)?;
        let name = device.name();
        let room = KernelSetting::set(format!("/sys/block/{name}/queue/nr_requests"), "4")?;
        let mut command = one_at_a_time(device.path(), "randread", 4096);
        command.args(["--ioengine=libaio", "--iodepth=16", "--numjobs=4"]);
        let fio = started_reading(command, &device, 500)?;
        let expected = Expected { id: "disk.scheduler", subject: vec![name], culprits: vec![] };
        Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(room), Box::new(device)]))
    },
};

fn make() -> Result<Trouble> {
    let device = LoopDevice::new("held", 128 << 20, Backing::Direct)?;
    let name = device.name();
    // Loop devices keep theirs when they are let go.
    let scheduler = KernelSetting::set(format!("/sys/block/{name}/queue/scheduler"), "bfq")?;
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
