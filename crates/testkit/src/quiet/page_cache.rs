//! One program for every CPU that reads a file from memory, half of the time.

use std::any::Any;
use std::fs;

use anyhow::Result;

use crate::condition::until;
use crate::host_figures::cpu_ticks;
use crate::needs::cpus;
use crate::quiet::{Load, QuietCase, SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase { name: "page-cache", needs: &[], seconds: SECONDS, make };

fn make() -> Result<Load> {
    let scratch = Scratch::new("cached")?;
    let file = scratch.file_on_disk("data", 128 << 20)?;
    fs::read(&file)?;
    let mut load: Load = Vec::new();
    for _ in 0..cpus() {
        let reader = Running::program("paced_reader", &[&file])?;
        until("the reader reads", || Ok(cpu_ticks(reader.pid())? > 10))?;
        load.push(Box::new(reader) as Box<dyn Any>);
    }
    load.push(Box::new(scratch));
    Ok(load)
}
