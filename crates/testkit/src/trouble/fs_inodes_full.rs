//! A file system with room for thousands of bytes and for no more files.

use anyhow::{Result, ensure};

use crate::expect::Expected;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "fs.inodes-full",
    needs: &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")],
    make,
};

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("few-inodes", 64 << 20, Backing::Cached)?.with_ext4(Journal::Without)?;
    let mut maker = Running::program("many_files", &[&mounted.path()])?;
    let said = maker.line()?;
    ensure!(said == "full", "many_files said {said}");
    let subject = vec![mounted.path().display().to_string()];
    let expected = Expected { id: "fs.inodes-full", subject, culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(maker), Box::new(mounted)]))
}
