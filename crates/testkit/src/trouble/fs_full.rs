//! A small file system that is full while a program goes on writing to it.

use anyhow::{Result, ensure};

use crate::expect::Expected;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "fs.full",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")],
    make,
};

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("small", 64 << 20, Backing::Cached)?.with_ext4(Journal::Without)?;
    let mut writer = Running::program("full_writer", &[&mounted.path()])?;
    let said = writer.line()?;
    ensure!(said == "full", "full_writer said {said}");
    // Who writes is asked of nobody: a full file system names itself.
    let subject = vec![mounted.path().display().to_string()];
    let expected = Expected { id: "fs.full", subject, culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(writer), Box::new(mounted)]))
}
