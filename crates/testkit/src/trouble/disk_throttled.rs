//! A control group that may read 1 MB a second, with a program that wants more.

use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::{block_stat, calls_waited_in};
use crate::loop_device::{Backing, LoopDevice};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time};

/// Field of `/sys/block/*/stat`: reads completed.
const READS: usize = 0;

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.throttled",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("fio"),
        Need::File("/dev/loop-control"),
        Need::Controller(Controller::Io),
    ],
    make,
};

/// None of the programs is there when the window begins, nor when it ends.
pub(super) const IN_TURN: TroubleMaker =
    TroubleMaker { name: "disk.throttled.in-turn", needs: MAKER.needs, make: one_after_the_other };

fn one_after_the_other() -> Result<Trouble> {
    let device = LoopDevice::new("throttled", 64 << 20, Backing::Cached)?;
    let group = ControlGroup::new(Controller::Io, "throttled")?;
    group.limit_reads(&device.number()?, 1 << 20)?;
    let mut command = Command::new("sh");
    // Half a second each.
    let read = "while :; do dd if=\"$0\" of=/dev/null bs=16k count=32 iflag=direct 2>/dev/null; done";
    command.args(["-c", read]).arg(device.path());
    let mut shell = Running::start(command)?;
    group.add(shell.pid())?;
    let name = device.name();
    let before = block_stat(&name, READS)?;
    until("several programs have read", || {
        shell.still_runs()?;
        Ok(block_stat(&name, READS)? > before + 100)
    })?;
    let culprits = vec![Suspect::Named(&["dd", "sh"])];
    let expected = Expected { id: "disk.throttled", subject: vec![group.name()], culprits };
    Ok(Trouble::new(expected, vec![Box::new(shell), Box::new(group), Box::new(device)]))
}

fn make() -> Result<Trouble> {
    // A device of its own: another user of the disk must not be held back with it.
    let device = LoopDevice::new("throttled", 64 << 20, Backing::Cached)?;
    let group = ControlGroup::new(Controller::Io, "throttled")?;
    group.limit_reads(&device.number()?, 1 << 20)?;
    let mut fio = Running::start(one_at_a_time(device.path(), "randread", 16384))?;
    group.add(fio.pid())?;
    let mut seen = 0;
    until("the reader waits for its limit", || {
        fio.still_runs()?;
        let reads = [libc::SYS_read, libc::SYS_pread64];
        seen += usize::from(calls_waited_in(fio.pid())?.iter().any(|call| reads.contains(call)));
        Ok(seen >= 20)
    })?;
    let expected = Expected {
        id: "disk.throttled",
        subject: vec![group.name()],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(group), Box::new(device)]))
}
