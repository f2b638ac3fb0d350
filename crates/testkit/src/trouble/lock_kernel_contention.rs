//! Four threads that read one open file by its position, which a lock of the kernel guards.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::calls_waited_in;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "lock.kernel-contention", needs: &[Need::Root, Need::File("/dev/shm")], make };

fn make() -> Result<Trouble> {
    let program = Running::program("one_position", &[&"4"])?;
    let mut seen = 0;
    until("threads sleep inside read or lseek of a file that is in memory", || {
        let calls = calls_waited_in(program.pid())?;
        seen += usize::from(calls.iter().any(|call| [libc::SYS_read, libc::SYS_lseek].contains(call)));
        Ok(seen >= 5)
    })?;
    let expected = Expected {
        id: "lock.kernel-contention",
        subject: vec!["fdget_pos".to_owned(), "ksys_read".to_owned(), "ksys_lseek".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
