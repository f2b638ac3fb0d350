//! A program that has grown by 10 MB a second since it started, in a group of 1 GB.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::condition::until_within;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.leak", needs: &[Need::Root, Need::Controller(Controller::Memory)], make };

/// What grows right after its start may be a program that starts, so it has to be older.
const OLD: Duration = Duration::from_secs(32);

fn make() -> Result<Trouble> {
    let group = ControlGroup::new(Controller::Memory, "leaky")?;
    group.limit_memory(1 << 30)?;
    let mut program = Running::program_in(&group, "leak", &[&"10000000"])?;
    let started = Instant::now();
    until_within(2 * OLD, "the program is no longer starting", || {
        program.still_runs()?;
        Ok(started.elapsed() > OLD)
    })?;
    let expected = Expected {
        id: "mem.leak",
        subject: vec!["leak".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group)]))
}
