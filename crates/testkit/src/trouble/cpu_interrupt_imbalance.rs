//! A sender bound to one CPU, whose packets are received there in soft interrupts.

use std::fs;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::Expected;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// Ticks (10 ms each) of soft interrupts on the CPU: half a second more than before.
const TICKS: u64 = 50;

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "cpu.interrupt-imbalance", needs: &[Need::Cpus(2), Need::Tool("taskset")], make };

fn make() -> Result<Trouble> {
    let before = softirq_ticks()?;
    let program = Running::program_under(&["taskset", "--cpu-list", "0"], "flood_itself", &[])?;
    until("CPU 0 serves soft interrupts", || Ok(softirq_ticks()? >= before + TICKS))?;
    let expected =
        Expected { id: "cpu.interrupt-imbalance", subject: vec!["0".to_owned()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}

/// Ticks that CPU 0 has spent in soft interrupts: user nice system idle iowait irq softirq.
fn softirq_ticks() -> Result<u64> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().find(|line| line.starts_with("cpu0 ")).context("/proc/stat: no cpu0")?;
    line.split_whitespace().nth(7).and_then(|word| word.parse().ok()).context("/proc/stat: no softirq")
}
