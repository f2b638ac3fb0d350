//! A writer at an even pace, whose pages the kernel keeps for seconds and then sends to a slow
//! device all at once, in front of somebody else's small commits.

use anyhow::{Context, Result};

use crate::condition::until;
use crate::control_group::{Controller, SlowWrites};
use crate::expect::{Expected, Suspect};
use crate::host_figures::block_stat;
use crate::kernel_setting::KernelSetting;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "mem.write-burst",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("mkfs.ext4"),
        Need::File("/dev/loop-control"),
        Need::ControllerV1(Controller::Io),
    ],
    make,
};

/// Bytes a second: what is written, and what the device takes.
const PACE: u64 = 20 << 20;
const DEVICE_TAKES: u64 = 100 << 20;
/// In hundredths of a second: how old a page gets before it is written, and how often the kernel looks.
const EVERY: &str = "250";

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("burst", 512 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let device = mounted.device().context("mounted without a device")?;
    let name = device.name();
    let slow = SlowWrites::new(&device.number()?, DEVICE_TAKES)?;
    let look = KernelSetting::set("/proc/sys/vm/dirty_writeback_centisecs", EVERY)?;
    let old = KernelSetting::set("/proc/sys/vm/dirty_expire_centisecs", EVERY)?;
    let commits = Running::program("small_syncs", &[&mounted.path(), &"1"])?;
    let file = mounted.path().join("written");
    let mut writer = Running::program("steady_writer", &[&file, &PACE.to_string()])?;
    let before = written_bytes(&name)?;
    until("seconds of it have gone to the device", || {
        writer.still_runs()?;
        Ok(written_bytes(&name)? - before > 3 * PACE)
    })?;
    let expected = Expected {
        id: "mem.write-burst",
        subject: vec![name],
        culprits: vec![Suspect::Process(writer.pid())],
    };
    let held: Vec<Box<dyn std::any::Any>> = vec![
        Box::new(writer),
        Box::new(commits),
        Box::new(old),
        Box::new(look),
        Box::new(slow),
        Box::new(mounted),
    ];
    Ok(Trouble::new(expected, held))
}

/// Bytes that `device` has taken since it was made.
fn written_bytes(device: &str) -> Result<u64> {
    /// Field of `/sys/block/*/stat`: sectors written, of 512 bytes each.
    const SECTORS_WRITTEN: usize = 6;
    Ok(block_stat(device, SECTORS_WRITTEN)? * 512)
}
