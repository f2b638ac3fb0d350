//! A thread that fills and drops large mappings, beside one that wants small ones.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "lock.mmap-contention", needs: &[Need::Cpus(2)], make };

fn make() -> Result<Trouble> {
    let program = Running::program("waits_lock", &[&"120", &"/", &"mmap"])?;
    let mut seen = 0;
    until("a thread sleeps inside mmap or munmap, which need no device", || {
        let calls = calls_waited_in(program.pid())?;
        seen += usize::from(calls.iter().any(|call| [libc::SYS_mmap, libc::SYS_munmap].contains(call)));
        Ok(seen >= 5)
    })?;
    let expected = Expected {
        id: "lock.mmap-contention",
        subject: vec!["waits_lock".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
