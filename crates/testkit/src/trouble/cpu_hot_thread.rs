//! A program whose first thread sleeps while two of its others burn more than half a CPU each.

use std::fs;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "cpu.hot-thread", needs: &[Need::Cpus(2)], make };

fn make() -> Result<Trouble> {
    let program = Running::program("spin", &[&"4", &"2", &"60", &"100"])?;
    until("its threads burn CPU", || Ok(cpu_ticks(program.pid())? > 40))?;
    until("its first thread sleeps", || {
        let path = format!("/proc/{0}/task/{0}/schedstat", program.pid());
        let text = fs::read_to_string(&path)?;
        let ran_ns: u64 = text.split(' ').next().and_then(|word| word.parse().ok()).context(path)?;
        Ok(ran_ns < 100_000_000)
    })?;
    let culprits = vec![Suspect::Process(program.pid()), Suspect::Named(&["spin-busy"])];
    let expected = Expected { id: "cpu.hot-thread", subject: vec!["spin".to_owned()], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
