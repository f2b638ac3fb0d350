//! One task that computes for half of every 100 ms.

use anyhow::Result;

use crate::condition::until;
use crate::host_figures::cpu_ticks;
use crate::quiet::{Load, QuietCase, SECONDS};
use crate::running::Running;

pub(super) const CASE: QuietCase = QuietCase { name: "half-busy", needs: &[], seconds: SECONDS, make };

fn make() -> Result<Load> {
    let task = Running::program("spin", &[&"1", &"1", &"50", &"100"])?;
    until("the task computes", || Ok(cpu_ticks(task.pid())? > 20))?;
    Ok(vec![Box::new(task)])
}
