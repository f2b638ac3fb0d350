//! A program that starts children one after the other, each of which ends at once.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::forks;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// More than a machine at rest makes in minutes.
const FORKS: u64 = 1000;

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "cpu.fork-storm", needs: &[Need::Root], make };

fn make() -> Result<Trouble> {
    let before = forks()?;
    let program = Running::program("fork_storm", &[&"1"])?;
    until("a thousand children were born", || Ok(forks()? >= before + FORKS))?;
    let culprits = vec![Suspect::Process(program.pid())];
    let expected = Expected { id: "cpu.fork-storm", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
