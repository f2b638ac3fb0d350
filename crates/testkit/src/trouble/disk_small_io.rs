//! A device that is read in order, 4 KiB at a time, past the page cache.

use anyhow::Result;

use crate::expect::{Expected, Suspect};
use crate::loop_device::{Backing, LoopDevice};
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time, started_reading};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.small-io",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("fio"), Need::File("/dev/loop-control")],
    make,
};

fn make() -> Result<Trouble> {
    let device = LoopDevice::new("small", 256 << 20, Backing::Direct)?;
    let command = one_at_a_time(device.path(), "read", 4096);
    let fio = started_reading(command, &device, 500)?;
    let expected = Expected {
        id: "disk.small-io",
        subject: vec!["fio".to_owned()],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
