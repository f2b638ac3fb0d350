//! Three spinning programs that may run on one and the same CPU only.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::run_delay_ns;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "cpu.pinned", needs: &[Need::Cpus(2), Need::Tool("taskset")], make };

/// A program that spins on CPU 0 alone.
pub(super) fn spin_on_first_cpu() -> Result<Running> {
    Running::program_under(&["taskset", "--cpu-list", "0"], "spin", &[&"1", &"1", &"100", &"1000"])
}

fn make() -> Result<Trouble> {
    let spinners = [spin_on_first_cpu()?, spin_on_first_cpu()?, spin_on_first_cpu()?];
    let pid = spinners[0].pid();
    until("they wait for their CPU", || Ok(run_delay_ns(pid)? > 300_000_000))?;
    let expected = Expected {
        id: "cpu.pinned",
        subject: vec!["0".to_owned()],
        culprits: vec![Suspect::Together(spinners.iter().map(Running::pid).collect())],
    };
    Ok(Trouble::new(expected, vec![Box::new(spinners)]))
}
