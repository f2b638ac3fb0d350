//! A program that has just begun and grows so fast that the machine is full in two minutes.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::meminfo_bytes;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.exhausted", needs: &[Need::Root, Need::Controller(Controller::Memory)], make };

/// Nobody looks for more than a tenth of it.
const FULL_AFTER_S: u64 = 120;

fn available() -> Result<u64> {
    meminfo_bytes("MemAvailable")
}

fn make() -> Result<Trouble> {
    let before = available()?;
    let rate = before / FULL_AFTER_S;
    let mut program = Running::program("leak", &[&rate.to_string()])?;
    let said = program.line()?;
    ensure!(said == "waits", "leak said {said}");
    // Should nobody end it, it must not take the machine with it.
    let group = ControlGroup::new(Controller::Memory, "growing")?;
    group.limit_memory(before / 4)?;
    group.add(program.pid())?;
    program.signal(libc::SIGUSR1);
    until("it grows", || Ok(available()? + rate / 2 < before))?;
    let culprits = vec![Suspect::Process(program.pid())];
    let expected = Expected { id: "mem.exhausted", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group)]))
}
