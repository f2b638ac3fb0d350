//! A writer through the page cache, on a slow device that may have few dirty pages.

use anyhow::{Context, Result};

use crate::condition::until;
use crate::control_group::{Controller, SlowWrites};
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "mem.dirty-throttle",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("mkfs.ext4"),
        Need::File("/dev/loop-control"),
        Need::ControllerV1(Controller::Io),
    ],
    make,
};

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("dirty", 512 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let device = mounted.device().context("mounted without a device")?;
    let name = device.name();
    let slow = SlowWrites::new(&device.number()?, 20 << 20)?;
    let few = device.with_few_dirty_pages(16 << 20)?;
    let program = Running::program("waits_memory", &[&"120", &mounted.path(), &"dirty"])?;
    let mut seen = 0;
    until("the writer sleeps inside its write", || {
        seen += usize::from(calls_waited_in(program.pid())?.contains(&libc::SYS_pwrite64));
        Ok(seen >= 20)
    })?;
    let expected = Expected {
        id: "mem.dirty-throttle",
        subject: vec![name],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(few), Box::new(slow), Box::new(mounted)]))
}
