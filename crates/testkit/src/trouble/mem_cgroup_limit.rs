//! A program that reads a file again and again, in a group that may keep half of it.

use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::vmstat;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "mem.cgroup-limit",
    needs: &[Need::Root, Need::Controller(Controller::Memory)],
    make,
};

/// Each program reads the file once, and ends.
pub(super) const IN_TURN: TroubleMaker =
    TroubleMaker { name: "mem.cgroup-limit.in-turn", needs: MAKER.needs, make: one_after_the_other };

fn one_after_the_other() -> Result<Trouble> {
    let scratch = Scratch::new("reread")?;
    let file = scratch.file_on_disk("data", FILE)?;
    let group = ControlGroup::new(Controller::Memory, "cramped")?;
    group.limit_memory(FILE / 2)?;
    let mut command = Command::new("sh");
    command.args(["-c", "echo 0 > \"$0\" && while :; do cat \"$1\" > /dev/null; done"]);
    command.arg(group.members_file()).arg(&file);
    let shell = Running::start(command)?;
    let before = vmstat("workingset_refault_file")?;
    until("what was read is dropped and read again", || {
        Ok(vmstat("workingset_refault_file")? > before + 5000)
    })?;
    let expected = Expected { id: "mem.cgroup-limit", subject: vec![group.name()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(shell), Box::new(group), Box::new(scratch)]))
}

/// Bytes of the file: too many for the group, few for any machine.
const FILE: u64 = 128 << 20;

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("reread")?;
    let file = scratch.file_on_disk("data", FILE)?;
    let group = ControlGroup::new(Controller::Memory, "cramped")?;
    group.limit_memory(FILE / 2)?;
    let program = Running::program_in(&group, "paced_reader", &[&file])?;
    let before = vmstat("workingset_refault_file")?;
    until("what was read is dropped and read again", || {
        Ok(vmstat("workingset_refault_file")? > before + 5000)
    })?;
    let expected = Expected {
        id: "mem.cgroup-limit",
        subject: vec![group.name()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group), Box::new(scratch)]))
}
