//! A device without read-ahead, read in order through the page cache.

use anyhow::Result;

use crate::expect::{Expected, Suspect};
use crate::kernel_setting::KernelSetting;
use crate::loop_device::{Backing, LoopDevice};
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time, started_reading};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.readahead-off",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("fio"), Need::File("/dev/loop-control")],
    make,
};

/// More than is read within a test: what is read again comes from memory.
const BYTES: u64 = 512 << 20;

fn make() -> Result<Trouble> {
    let device = LoopDevice::new("unread", BYTES, Backing::Direct)?;
    let name = device.name();
    let off = KernelSetting::set(format!("/sys/block/{name}/queue/read_ahead_kb"), "0")?;
    let mut command = one_at_a_time(device.path(), "read", 131_072);
    command.arg("--direct=0");
    let fio = started_reading(command, &device, 500)?;
    let expected = Expected {
        id: "disk.readahead-off",
        subject: vec![name],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(off), Box::new(device)]))
}
