//! A program that sleeps for some ten microseconds, looks, and sleeps again.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::context_switches;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// So many that it sleeps for less than a millisecond each time.
const SLEEPS: u64 = 5000;

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "cpu.wakeup-storm", needs: &[Need::Root, Need::Cpus(2)], make };

fn make() -> Result<Trouble> {
    let program = Running::program("naps", &[&"120", &"2", &"50"])?;
    until("it has slept five thousand times", || Ok(context_switches(program.pid())? >= SLEEPS))?;
    let expected = Expected {
        id: "cpu.wakeup-storm",
        subject: vec!["naps".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
