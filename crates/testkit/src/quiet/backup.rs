//! A backup that fills the page cache: it reads, at the pace it was given, more than there is
//! room for, and the kernel drops what nobody needs any more.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::needs::Need;
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase {
    name: "backup",
    needs: &[Need::Root, Need::Controller(Controller::Memory)],
    seconds: SHORT_SECONDS,
    make,
};

/// The machine's memory in small: what holds for a cache of this size holds for a larger one.
const CACHE_BYTES: u64 = 64 << 20;
const FILES: usize = 4;
/// A tenth of what a slow disk reads.
const BYTES_A_SECOND: &str = "20e6";

fn make() -> Result<Load> {
    let group = ControlGroup::new(Controller::Memory, "backup")?;
    group.limit_memory(CACHE_BYTES)?;
    let scratch = Scratch::new("backup")?;
    let files = (0..FILES)
        .map(|number| scratch.file_on_disk(&format!("part{number}"), CACHE_BYTES))
        .collect::<Result<Vec<_>>>()?;
    let arguments: Vec<&dyn AsRef<std::ffi::OsStr>> =
        std::iter::once(&BYTES_A_SECOND as &dyn AsRef<_>).chain(files.iter().map(|one| one as _)).collect();
    let mut backup = Running::program_in(&group, "paced_backup", &arguments)?;
    until("the page cache is full", || {
        backup.still_runs()?;
        Ok(group.memory_used()? >= CACHE_BYTES * 9 / 10)
    })?;
    ensure!(group.memory_used()? <= CACHE_BYTES, "the limit does not hold");
    Ok(vec![Box::new(backup), Box::new(group), Box::new(scratch)])
}
