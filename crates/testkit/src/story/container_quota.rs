//! A container that computes in bursts and is stopped in each of them by its CPU quota.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Suspect, Told};
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "container-quota",
    needs: &[&[Need::Root, Need::Controller(Controller::Cpu), Need::Tool("gzip")]],
    quick: true,
    ill,
    healthy,
};

/// What each burst compresses: some tenths of a second of work.
const BYTES: u64 = 8 << 20;
/// Per cent of one CPU: enough for its work on average over no second, and more than it ever wants.
const SCANT: u32 = 20;
const AMPLE: u32 = 190;
const BURSTS: &str = "while :; do gzip -6 <\"$0\" >/dev/null; sleep 0.5; done";

fn container(percent: u32) -> Result<(Scratch, ControlGroup, Running)> {
    let group = ControlGroup::new(Controller::Cpu, "container")?;
    group.limit_cpu(percent)?;
    let scratch = Scratch::new("requests")?;
    let file = scratch.file_on_disk("data", BYTES)?;
    let running = Running::script_in(&group, BURSTS, &[&file])?;
    until("it has worked for some periods", || Ok(group.figure("cpu.stat", "nr_periods")? >= 10))?;
    Ok((scratch, group, running))
}

fn ill() -> Result<Scene> {
    let (scratch, group, running) = container(SCANT)?;
    until("it is held back", || Ok(group.figure("cpu.stat", "nr_throttled")? >= 5))?;
    let told =
        Told::within_three("cpu.throttled", vec![group.name()], vec![Suspect::ControlGroup(group.name())]);
    Ok(Scene::new(vec![told], vec![Box::new(running), Box::new(group), Box::new(scratch)]))
}

fn healthy() -> Result<Held> {
    let (scratch, group, running) = container(AMPLE)?;
    ensure!(group.figure("cpu.stat", "nr_throttled")? == 0, "it is held back");
    Ok(vec![Box::new(running), Box::new(group), Box::new(scratch)])
}
