//! A device that is read in order, 4 KiB at a time, past the page cache.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::block_stat;
use crate::loop_device::{Backing, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.small-io",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("fio"), Need::File("/dev/loop-control")],
    make,
};

/// Field of `/sys/block/*/stat`: reads completed.
const READS: usize = 0;

fn make() -> Result<Trouble> {
    let device = LoopDevice::new("small", 256 << 20, Backing::Direct)?;
    let name = device.name();
    let command = one_at_a_time(device.path(), "read", 4096);
    let reads = block_stat(&name, READS)?;
    let mut fio = Running::start(command)?;
    until("the device answers its reads", || {
        fio.still_runs()?;
        Ok(block_stat(&name, READS)? > reads + 500)
    })?;
    let expected = Expected {
        id: "disk.small-io",
        subject: vec!["fio".to_owned()],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
