//! A program that lets messages pile up in a queue before it reads them: each is an object that
//! is neither taken from the slab at hand nor given back to it.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// Half a second of CPU: it goes on by then.
const TICKS: u64 = 50;

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.slab-slow-path", needs: &[Need::Root], make };

fn make() -> Result<Trouble> {
    let program = Running::program("message_backlog", &[&"1", &"15000"])?;
    let before = cpu_ticks(program.pid())?;
    until("it sends and reads messages", || Ok(cpu_ticks(program.pid())? >= before + TICKS))?;
    let expected = Expected {
        id: "mem.slab-slow-path",
        // The allocator is everybody's: its slow path is the machine's.
        subject: vec![],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
