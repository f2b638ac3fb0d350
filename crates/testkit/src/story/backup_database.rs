//! A backup that reads all of a slow disk as fast as it goes, beside a database that reads pages from
//! the same disk.

use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::block_stat;
use crate::needs::Need;
use crate::postgres::{self, Postgres};
use crate::running::Running;
use crate::scratch::{Scratch, file_on_disk, forget_all_cached};
use crate::slow_disk::{self, SlowDisk, Speed};
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "backup-database",
    needs: &[postgres::NEEDS, slow_disk::NEEDS, &[Need::Tool("rsync")]],
    quick: false,
    ill,
    healthy,
};

/// A small volume of a cloud.
const SPEED: Speed = Speed { mib: 2048, request_us: 500, mib_per_s: 60 };
/// Fifteen megabytes each: more than is read in a window.
const SCALE: u32 = 20;
/// What the backup reads: more than a window's worth.
const BYTES: u64 = 768 << 20;
/// Field of `/sys/block/*/stat`: sectors read.
const SECTORS_READ: usize = 2;

/// A database with these clients, and a backup at `limit` (KiB a second, 0: as fast as it goes).
fn both(clients: &[&str], limit: u32) -> Result<(Held, String)> {
    let disk = SlowDisk::new(SPEED)?;
    let device = disk.device()?;
    let server = Postgres::start(&disk.path().join("data"), &["shared_buffers=16MB", "autovacuum=off"])?;
    server.fill(SCALE)?;
    file_on_disk(&disk.path().join("archive"), BYTES)?;
    // A database is larger than the memory for it.
    forget_all_cached(disk.path())?;
    disk.slow_down();
    let load = server.pgbench(&[&["--select-only"], clients].concat())?;
    let target = Scratch::new("backup")?;
    let mut rsync = Command::new("rsync");
    rsync.args(["--whole-file", &format!("--bwlimit={limit}")]);
    rsync.arg(disk.path().join("archive")).arg(target.path());
    let before = block_stat(&device, SECTORS_READ)?;
    let rsync = Running::start(rsync)?;
    // A megabyte.
    until("the backup reads", || Ok(block_stat(&device, SECTORS_READ)? > before + 2048))?;
    let held: Held =
        vec![Box::new(rsync), Box::new(load), Box::new(server), Box::new(disk), Box::new(target)];
    Ok((held, device))
}

fn ill() -> Result<Scene> {
    let (held, device) = both(&["--client=4"], 0).context("the backup at full speed")?;
    let told = Told::within_three("disk.saturated", vec![device], vec![Suspect::Named(&["rsync"])]);
    Ok(Scene::new(vec![told], held))
}

/// A twentieth of what the disk does, and clients that ask for little.
fn healthy() -> Result<Held> {
    let (held, _) = both(&["--client=4", "--rate=20"], 3072).context("the backup at its pace")?;
    Ok(held)
}
