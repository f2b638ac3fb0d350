//! A spinning program with a real-time policy, and an ordinary one bound to the same CPU.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::run_delay_ns;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::cpu_pinned::spin_on_first_cpu;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "cpu.realtime-hog",
    // With one CPU nothing of this test would get on either.
    needs: &[Need::Root, Need::Cpus(2), Need::Tool("taskset"), Need::Tool("chrt")],
    make,
};

fn make() -> Result<Trouble> {
    let ordinary = spin_on_first_cpu()?;
    let hog = Running::program_under(
        &["chrt", "--fifo", "10", "taskset", "--cpu-list", "0"],
        "spin",
        &[&"1", &"1", &"100", &"1000"],
    )?;
    let pid = ordinary.pid();
    until("the ordinary one waits", || Ok(run_delay_ns(pid)? > 300_000_000))?;
    let expected =
        Expected { id: "cpu.realtime-hog", subject: vec![], culprits: vec![Suspect::Process(hog.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(hog), Box::new(ordinary)]))
}
