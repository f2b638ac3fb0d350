//! One second in ten in which twice as many tasks as CPUs want to run.

use anyhow::Result;

use crate::condition::until;
use crate::host_figures::cpu_ticks;
use crate::needs::cpus;
use crate::quiet::{Load, QuietCase};
use crate::running::Running;

/// A window of one period sees one burst, wherever it starts.
pub(super) const CASE: QuietCase = QuietCase { name: "burst", needs: &[], seconds: 10, make };

fn make() -> Result<Load> {
    let tasks = (2 * cpus()).to_string();
    let bursts = Running::program("spin", &[&tasks, &tasks, &"10", &"10000"])?;
    until("the first burst", || Ok(cpu_ticks(bursts.pid())? > 20))?;
    Ok(vec![Box::new(bursts)])
}
