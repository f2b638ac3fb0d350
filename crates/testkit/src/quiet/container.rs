//! A container at half of what it may use: of its CPU and of its memory.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase {
    name: "container",
    needs: &[Need::Root, Need::Controller(Controller::Cpu), Need::Controller(Controller::Memory)],
    seconds: SHORT_SECONDS,
    make,
};

const MEMORY_BYTES: u64 = 256 << 20;

fn make() -> Result<Load> {
    let cpu = ControlGroup::new(Controller::Cpu, "half-cpu")?;
    let memory = ControlGroup::new(Controller::Memory, "half-memory")?;
    cpu.limit_cpu(100)?;
    memory.limit_memory(MEMORY_BYTES)?;
    // Half of a CPU, in pieces that fit into half of each period.
    let worker = Running::program_in(&cpu, "spin", &[&"1", &"1", &"25", &"50"])?;
    let scratch = Scratch::new("half")?;
    let file = scratch.file_on_disk("data", MEMORY_BYTES / 2)?;
    let reader = Running::program_in(&memory, "paced_backup", &[&"50e6", &file])?;
    until("both work", || Ok(cpu_ticks(worker.pid())? > 10 && cpu_ticks(reader.pid())? > 2))?;
    ensure!(cpu.figure("cpu.stat", "nr_throttled")? <= 1, "the half-busy container is held back");
    Ok(vec![Box::new(worker), Box::new(reader), Box::new(cpu), Box::new(memory), Box::new(scratch)])
}
