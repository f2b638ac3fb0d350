//! A program of four threads of which one does all the work.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "cpu.single-thread", needs: &[Need::Cpus(2)], make };

fn make() -> Result<Trouble> {
    let program = Running::program("spin", &[&"4", &"1", &"100", &"1000"])?;
    until("the thread burns CPU", || Ok(cpu_ticks(program.pid())? > 20))?;
    let culprits = vec![Suspect::Process(program.pid()), Suspect::Named(&["spin", "spin-busy"])];
    let expected = Expected { id: "cpu.single-thread", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
