//! A program whose mapped file is twice as large as the memory that its group may use.

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::vmstat;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.thrashing", needs: &[Need::Root, Need::Controller(Controller::Memory)], make };

/// Bytes of the mapped file: too many for the group, few for any machine.
const WORKING_SET: u64 = 48 << 20;
/// Pages that were read again when it is there: an emulated machine reads some thousand a second.
const REFAULTS: u64 = 500;

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("mapped")?;
    let file = scratch.file_on_disk("data", WORKING_SET)?;
    let group = ControlGroup::new(Controller::Memory, "small")?;
    group.limit_memory(WORKING_SET / 2)?;
    let before = vmstat("workingset_refault_file")?;
    // A member from the start: pages that it reads before it is one are not the group's, and stay.
    let program = Running::program_in(&group, "map_touch", &[&file])?;
    until("pages are read again soon after they were dropped", || {
        Ok(vmstat("workingset_refault_file")? > before + REFAULTS)
    })?;
    let expected =
        Expected { id: "mem.thrashing", subject: vec![], culprits: vec![Suspect::Process(program.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group), Box::new(scratch)]))
}
