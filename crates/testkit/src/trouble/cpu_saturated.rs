//! Three spinning processes for every CPU.

use std::any::Any;

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::run_delay_ns;
use crate::needs::cpus;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "cpu.saturated", needs: &[], make };

fn make() -> Result<Trouble> {
    let mut held: Vec<Box<dyn Any>> = Vec::new();
    let mut pids = Vec::new();
    for _ in 0..3 * cpus() {
        let hog = Running::program("spin", &[&"1", &"1", &"100", &"1000"])?;
        pids.push(hog.pid());
        held.push(Box::new(hog));
    }
    until("hogs wait for a CPU", || {
        let mut waited = 0;
        for pid in &pids {
            waited += run_delay_ns(*pid)?;
        }
        Ok(waited > 500_000_000)
    })?;
    let culprits = vec![Suspect::Named(&["spin", "spin-busy"])];
    Ok(Trouble::new(Expected { id: "cpu.saturated", subject: vec![], culprits }, held))
}
