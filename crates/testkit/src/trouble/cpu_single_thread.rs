//! Programs of several threads of which one does all the work, or which do it in turn.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const ONE_OF_FOUR: TroubleMaker = TroubleMaker {
    name: "cpu.single-thread",
    needs: &[Need::Cpus(2)],
    make: || fills_one_cpu(Running::program("spin", &[&"4", &"1", &"100", &"1000"])?, &["spin", "spin-busy"]),
};

pub(super) const IN_TURN: TroubleMaker = TroubleMaker {
    name: "cpu.single-thread.in-turn",
    needs: &[Need::Cpus(2)],
    make: || fills_one_cpu(Running::program("take_turns", &[&"4", &"5"])?, &["take_turns"]),
};

fn fills_one_cpu(program: Running, names: &'static [&'static str]) -> Result<Trouble> {
    until("it burns CPU", || Ok(cpu_ticks(program.pid())? > 20))?;
    let culprits = vec![Suspect::Process(program.pid()), Suspect::Named(names)];
    let expected = Expected { id: "cpu.single-thread", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
