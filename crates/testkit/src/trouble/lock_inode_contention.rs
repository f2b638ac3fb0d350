//! Four threads for every CPU that write over the same part of one file.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::needs::cpus;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "lock.inode-contention", needs: &[], make };

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("one-file")?;
    let file = scratch.path().join("written-by-all");
    let threads = (4 * cpus()).to_string();
    let program = Running::program("one_file_writers", &[&file, &threads, &(1 << 20).to_string()])?;
    let mut seen = 0;
    until("writers sleep inside their write, which needs no device", || {
        let waiting = calls_waited_in(program.pid())?.into_iter().filter(|call| *call == libc::SYS_pwrite64);
        seen += usize::from(waiting.count() >= cpus());
        Ok(seen >= 5)
    })?;
    let expected = Expected {
        id: "lock.inode-contention",
        subject: vec![],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(scratch)]))
}
