//! Files that come and go on ext4 with a journal, in a folder each change of which is written at once.

use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::block_stat;
use crate::loop_device::{Backing, Journal, LoopDevice, said};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.metadata-bound",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("mkfs.ext4"),
        Need::Tool("chattr"),
        Need::File("/dev/loop-control"),
    ],
    make,
};

/// Field of `/sys/block/*/stat`: flush requests completed.
const FLUSHES: usize = 15;

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("names", 256 << 20, Backing::Direct)?.with_ext4(Journal::With)?;
    said(Command::new("chattr").arg("+D").arg(mounted.path()))?;
    let device = mounted.device().context("mounted without a device")?.name();
    let program = Running::program("dir_changes", &[&mounted.path()])?;
    let before = block_stat(&device, FLUSHES)?;
    until("the changes are written", || Ok(block_stat(&device, FLUSHES)? > before + 50))?;
    let expected = Expected {
        id: "disk.metadata-bound",
        subject: vec![device, "dir_changes".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(mounted)]))
}
