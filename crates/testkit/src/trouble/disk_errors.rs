//! A device that fails every second read: a loop device whose file was cut in half.

use std::fs::OpenOptions;

use anyhow::Result;

use crate::condition::until;
use crate::expect::Expected;
use crate::loop_device::LoopDevice;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.errors",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("fio"),
        Need::Tool("dmesg"),
        Need::File("/dev/kmsg"),
        Need::File("/dev/loop-control"),
    ],
    make,
};

const BYTES: u64 = 64 << 20;

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("cut")?;
    let image = scratch.file_on_disk("image", BYTES)?;
    let device = LoopDevice::read_only(&image, Box::new(scratch))?;
    // Beyond the end of the file there is nothing to read: the device answers EIO.
    OpenOptions::new().write(true).open(&image)?.set_len(BYTES / 2)?;
    let mut command = one_at_a_time(device.path(), "randread", 4096);
    // It goes on after an error, a few times a second: the log is everybody's.
    command.args(["--continue_on_error=read", "--rate_iops=20"]);
    let mut fio = Running::start(command)?;
    let name = device.name();
    until("the kernel reports errors", || {
        fio.still_runs()?;
        let log = crate::loop_device::said(&mut std::process::Command::new("dmesg"))?;
        Ok(log.lines().rev().take(20).any(|line| line.contains(&format!("error, dev {name}, "))))
    })?;
    let expected = Expected { id: "disk.errors", subject: vec![name], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
