//! A group whose memory is full of pages that a slow device has yet to take.
//!
//! Only v1 lets it come to that; v2 holds writers back before.

use std::any::Any;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller, SlowWrites};
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::loop_device::{Backing, Journal, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "mem.reclaim",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("mkfs.ext4"),
        Need::File("/dev/loop-control"),
        Need::ControllerV1(Controller::Io),
        Need::ControllerV1(Controller::Memory),
    ],
    make,
};

fn make() -> Result<Trouble> {
    let mounted = LoopDevice::new("reclaim", 512 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let slow = SlowWrites::new(&mounted.device().context("mounted without a device")?.number()?, 20 << 20)?;
    let group = ControlGroup::new(Controller::Memory, "full")?;
    group.limit_memory(32 << 20)?;
    let program = Running::program_in(&group, "waits_memory", &[&"120", &mounted.path(), &"reclaim"])?;
    let mut seen = 0;
    until("the writer sleeps inside its write", || {
        seen += usize::from(calls_waited_in(program.pid())?.contains(&libc::SYS_pwrite64));
        Ok(seen >= 20)
    })?;
    let expected = Expected {
        id: "mem.reclaim",
        subject: vec![group.name()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    let held: Vec<Box<dyn Any>> = vec![Box::new(program), Box::new(slow), Box::new(group), Box::new(mounted)];
    // Memory is kept full by a device that takes writes slowly, and who waits for memory waits for that.
    Ok(Trouble::new(expected, held).besides(&["disk.throttled"]))
}
