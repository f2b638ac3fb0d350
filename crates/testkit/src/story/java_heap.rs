//! A Java service whose live objects nearly fill its heap: the collector runs again and again and
//! takes the CPUs from the work.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::programs;
use crate::running::Running;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "java-heap",
    needs: &[&[Need::Tool("java"), Need::Tool("javac")]],
    quick: false,
    ill,
    healthy,
};

/// MiB of live objects.
const LIVE_MIB: &str = "120";
/// Heaps, in MiB: just enough for them, and as one would give.
const TIGHT: &str = "-Xmx136m";
const WIDE: &str = "-Xmx1g";
/// Steps of 200 KB that are asked for each second: a fifth of a CPU without a collector.
const STEPS_PER_S: &str = "2000";

fn service(heap: &str) -> Result<Running> {
    let classes = programs::built_java("FillsHeap")?;
    let mut command = Command::new("java");
    // The collector that Java chooses by itself on a machine of a server's size is another one; this
    // one collects in threads of its own as well and is what small containers are given.
    command.args([heap, "-XX:+UseParallelGC", "-XX:-UseGCOverheadLimit", "-cp"]).arg(classes);
    command.args(["FillsHeap", LIVE_MIB, STEPS_PER_S]);
    let mut service = Running::start(command)?;
    let said = service.line()?;
    ensure!(said == "full", "FillsHeap said {said}");
    Ok(service)
}

fn ill() -> Result<Scene> {
    let mut service = service(TIGHT)?;
    let before = cpu_ticks(service.pid())?;
    until("the collector works", || {
        service.still_runs()?;
        Ok(cpu_ticks(service.pid())? > before + 200)
    })?;
    // Which function it is, or which threads: both lead to the heap.
    let told = Told::within_three("cpu.hot-code", vec![], vec![Suspect::Process(service.pid())])
        .or("cpu.hot-thread");
    Ok(Scene::new(vec![told], vec![Box::new(service)]))
}

fn healthy() -> Result<Held> {
    Ok(vec![Box::new(service(WIDE)?)])
}
