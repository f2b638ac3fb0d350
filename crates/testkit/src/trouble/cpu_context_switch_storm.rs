//! Two tasks that hand a byte to and fro on one CPU.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::context_switches;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// So many that their turns cannot be long.
const SWITCHES: u64 = 50_000;

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "cpu.context-switch-storm", needs: &[], make };

fn make() -> Result<Trouble> {
    let program = Running::program("pingpong", &[&"120"])?;
    until("it has switched fifty thousand times", || Ok(context_switches(program.pid())? >= SWITCHES))?;
    let culprits = vec![Suspect::Process(program.pid()), Suspect::Named(&["pingpong"])];
    let expected = Expected { id: "cpu.context-switch-storm", subject: vec![], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
