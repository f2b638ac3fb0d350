//! A control group whose processes want more memory than it has, and no swap for them.

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::vmstat;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.oom-kill", needs: &[Need::Root, Need::Controller(Controller::Memory)], make };

fn make() -> Result<Trouble> {
    let group = ControlGroup::new(Controller::Memory, "tiny")?;
    group.limit_memory(32 << 20)?;
    group.forbid_swap()?;
    let before = vmstat("oom_kill")?;
    let program = Running::program_in(&group, "grow", &[&(1 << 20).to_string()])?;
    until("the kernel kills for memory", || Ok(vmstat("oom_kill")? > before))?;
    let expected = Expected {
        id: "mem.oom-kill",
        // Who may not read the kernel's log sees in which group it was.
        subject: vec!["grow".to_owned(), group.name()],
        culprits: vec![Suspect::ControlGroup(group.name())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group)]))
}
