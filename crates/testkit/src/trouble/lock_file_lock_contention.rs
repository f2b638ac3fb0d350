//! Threads that take turns at a lock on one file, each of them for milliseconds.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "lock.file-lock-contention", needs: &[], make };

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("locked")?;
    let program = Running::program("waits_lock", &[&"120", &scratch.path(), &"flock"])?;
    let mut seen = 0;
    until("a thread sleeps inside flock", || {
        seen += usize::from(calls_waited_in(program.pid())?.contains(&libc::SYS_flock));
        Ok(seen >= 5)
    })?;
    let expected = Expected {
        id: "lock.file-lock-contention",
        subject: vec!["flock".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(scratch)]))
}
