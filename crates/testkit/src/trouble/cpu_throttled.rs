//! A spinning program in a control group that may use a fifth of one CPU.

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "cpu.throttled", needs: &[Need::Root, Need::Controller(Controller::Cpu)], make };

fn make() -> Result<Trouble> {
    let group = ControlGroup::new(Controller::Cpu, "quota")?;
    group.limit_cpu(20)?;
    let hog = Running::program("spin", &[&"1", &"1", &"100", &"1000"])?;
    group.add(hog.pid())?;
    until("the group is throttled", || Ok(group.figure("cpu.stat", "nr_throttled")? >= 3))?;
    let expected = Expected {
        id: "cpu.throttled",
        subject: vec![group.name()],
        culprits: vec![Suspect::ControlGroup(group.name()), Suspect::Named(&["spin", "spin-busy"])],
    };
    Ok(Trouble::new(expected, vec![Box::new(hog), Box::new(group)]))
}
