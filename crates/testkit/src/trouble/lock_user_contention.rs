//! Threads that fight for one mutex, whose holder burns CPU or sleeps.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::needs::cpus;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const RUNNING_HOLDER: TroubleMaker =
    TroubleMaker { name: "lock.user-contention", needs: &[], make: || fight("3000", "spin") };

pub(super) const SLEEPING_HOLDER: TroubleMaker = TroubleMaker {
    name: "lock.user-contention.sleeping-holder",
    needs: &[],
    make: || fight("20000", "sleep"),
};

fn fight(hold_us: &str, holder: &str) -> Result<Trouble> {
    let threads = (2 * cpus()).max(4);
    let program = Running::program("mutex_fight", &[&threads.to_string(), &hold_us, &holder])?;
    let mut seen = 0;
    until("threads wait for the mutex", || {
        let waiting = calls_waited_in(program.pid())?.into_iter().filter(|call| *call == libc::SYS_futex);
        seen += usize::from(waiting.count() >= threads / 2);
        Ok(seen >= 5)
    })?;
    let culprits = vec![Suspect::Process(program.pid())];
    let expected = Expected { id: "lock.user-contention", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
