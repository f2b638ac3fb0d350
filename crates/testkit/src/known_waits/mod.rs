//! Programs that clock their own waits, run under `heldup -- CMD`: what they clocked must
//! be what the ledger says.
//!
//! Every clocked wait lies between the start and the end of the command, so that window
//! and clock match to the nanosecond and nothing has to be cut. One entry of [`ALL`] is
//! one run; a run may hold several waits that do not disturb each other.

mod cases;
pub mod judge;
pub mod open_waits;
pub mod rust_waits;

use std::any::Any;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::heldup::Heldup;
use crate::loop_device::said;
use crate::needs::{Need, why_skipped};
use crate::scratch::Scratch;

pub use cases::{ALL, UNTOLD};

/// Variable with the seconds that the programs wait for, where it is set: what happens once, when
/// they start, weighs more on a slow machine.
pub const SECONDS: &str = "HELDUP_KNOWN_WAITS_S";

/// Variable with the MiB of the file that the disk waits read, where it is set: a disk that is
/// emulated has no cache of its own, and takes long to be written to.
pub const DATA_MIB: &str = "HELDUP_KNOWN_WAITS_MIB";

/// First argument that turns the test binary into [`check_together`] of the names that follow.
pub const TOGETHER: &str = "--known-waits";

/// One run.
pub struct KnownWaits {
    /// Name of the test.
    pub name: &'static str,
    /// What it needs of the machine.
    pub needs: &'static [Need],
    /// Makes the place where the programs run.
    pub prepare: fn() -> Result<Place>,
}

/// What a run needs and what it runs.
pub struct Place {
    /// Shell commands that run side by side.
    commands: Vec<String>,
    // Dropped from first to last, after the commands have ended.
    _held: Vec<Box<dyn Any>>,
}

impl KnownWaits {
    /// Runs the programs under `heldup` and compares.
    pub fn check(&self, heldup: &Heldup) -> Result<()> {
        check(&[(self.prepare)()?], heldup)
    }
}

fn seconds() -> String {
    std::env::var(SECONDS).unwrap_or_else(|_| "4".to_owned())
}

/// Bytes of the file that the disk waits read: more than any device's own cache serves.
fn data_bytes() -> Result<u64> {
    let mib: u64 = match std::env::var(DATA_MIB) {
        Ok(text) => text.parse().with_context(|| format!("{DATA_MIB}={text}"))?,
        Err(_) => 256,
    };
    Ok(mib << 20)
}

/// Several runs as one, for machines on which each examination takes long. Their programs
/// must not be each other's wait.
pub fn check_together(names: &[String], heldup: &Heldup) -> Result<()> {
    let find = |name: &String| ALL.iter().find(|one| one.name == name);
    let mut places = Vec::new();
    for name in names {
        let waits = find(name).with_context(|| format!("no known wait {name}"))?;
        if let Some(why) = why_skipped(waits.needs) {
            bail!("{name} {why}");
        }
        places.push((waits.prepare)()?);
    }
    check(&places, heldup)
}

fn check(places: &[Place], heldup: &Heldup) -> Result<()> {
    let scratch = Scratch::new("clocked")?;
    let clocked_file = scratch.path().join("clocked");
    fs::write(&clocked_file, "")?;
    let commands: Vec<&str> =
        places.iter().flat_map(|place| place.commands.iter().map(String::as_str)).collect();
    let script = script(&commands, &clocked_file);
    let answer = heldup.examine_command(&["sh", "-c", &script].map(OsStr::new))?;
    let clocked = judge::read_clocked(&fs::read_to_string(&clocked_file)?)?;
    if clocked.is_empty() {
        bail!("no wait was clocked: {}", answer.stderr);
    }
    let complaints = judge::complaints(&clocked, &accounted(heldup)?);
    if !complaints.is_empty() {
        bail!("{}\n{}", complaints.join("\n"), answer.stderr);
    }
    Ok(())
}

/// A script that starts all commands, waits for all of them, and lets them write to `clocked`.
fn script(commands: &[&str], clocked: &Path) -> String {
    let mut script = format!("export HELDUP_CLOCKED='{}'\n", clocked.display());
    for command in commands {
        script += &format!("({command}) &\n");
    }
    script + "wait\n"
}

/// Seconds of each thread and class, as the ledger of the last examination has them.
fn accounted(heldup: &Heldup) -> Result<Vec<judge::Accounted>> {
    let rows =
        heldup.sql_last("select tid, class_name, sum(seconds) from task_time group by tid, class_name")?;
    rows.iter()
        .map(|row| {
            let [tid, class_name, seconds] = row.as_slice() else { bail!("a row of {} columns", row.len()) };
            Ok(judge::Accounted {
                tid: tid.as_i64().context("tid is not a number")?,
                class_name: class_name.as_str().context("class_name is not a text")?.to_owned(),
                seconds: seconds.as_f64().context("seconds is not a number")?,
            })
        })
        .collect()
}

/// A folder on which a program mounts, and unmounts when it ends well.
pub(crate) struct MountPoint(pub(crate) Scratch);

impl Drop for MountPoint {
    fn drop(&mut self) {
        // Fails where the program has unmounted: then there is nothing to do.
        let _ = said(Command::new("umount").arg("--lazy").arg(self.0.path()));
    }
}
