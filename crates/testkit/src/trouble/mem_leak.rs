//! A program, no longer young, that grows by 10 MB a second in a group of 1 GB.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::condition::{until, until_within};
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::needs::{Need, why_skipped};
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.leak", needs: &[Need::Root, Need::Controller(Controller::Memory)], make };

/// What grows right after its start may be a program that starts, so it has to be older.
const OLD: Duration = Duration::from_secs(32);
/// Bytes that its group has when it is seen to grow.
const GROWN: u64 = 5 << 20;

/// One that was started ahead and has not begun to grow.
static AHEAD: Mutex<Option<Idle>> = Mutex::new(None);

/// The program before it grows.
struct Idle {
    program: Running,
    since: Instant,
}

impl Idle {
    fn start() -> Result<Idle> {
        let mut program = Running::program("leak", &[&"10000000"])?;
        // Before it says so, the signal would end it.
        let said = program.line()?;
        ensure!(said == "waits", "leak said {said}");
        Ok(Idle { program, since: Instant::now() })
    }
}

/// Starts the program, which grows old while other troubles are made.
pub(super) fn start_ahead() -> Result<()> {
    if why_skipped(MAKER.needs).is_none() {
        *AHEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Idle::start()?);
    }
    Ok(())
}

fn make() -> Result<Trouble> {
    let group = ControlGroup::new(Controller::Memory, "leaky")?;
    group.limit_memory(1 << 30)?;
    let ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Idle { mut program, since } = ahead.map_or_else(Idle::start, Ok)?;
    until_within(2 * OLD, "the program is no longer starting", || {
        program.still_runs()?;
        Ok(since.elapsed() > OLD)
    })?;
    group.add(program.pid())?;
    program.signal(libc::SIGUSR1);
    until("it grows", || Ok(group.memory_used()? > GROWN))?;
    let expected = Expected {
        id: "mem.leak",
        subject: vec!["leak".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group)]))
}
