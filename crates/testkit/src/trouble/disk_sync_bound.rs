//! Small writes, each committed, on ext4 with a journal.

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::block_stat;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.sync-bound",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")],
    make,
};

/// Field of `/sys/block/*/stat`: flush requests completed.
const FLUSHES: usize = 15;

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("journal", 256 << 20, Backing::Direct)?.with_ext4(Journal::With)?;
    let device = mounted.device().context("mounted without a device")?.name();
    let program = Running::program("small_syncs", &[&mounted.path(), &"4"])?;
    let before = block_stat(&device, FLUSHES)?;
    until("the journal commits", || Ok(block_stat(&device, FLUSHES)? > before + 50))?;
    let expected = Expected {
        id: "disk.sync-bound",
        subject: vec![device, mounted.path().display().to_string()],
        culprits: vec![Suspect::Named(&["small_syncs"])],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(mounted)]))
}
