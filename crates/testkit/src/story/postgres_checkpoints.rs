//! PostgreSQL whose log may hardly grow on a slow disk: one checkpoint follows the other, writes its
//! pages in a burst, and what clients commit and read stands in line behind it.

use anyhow::{Context, Result, ensure};

use crate::condition::until_within;
use crate::expect::{Suspect, Told};
use crate::postgres::{self, Postgres};
use crate::slow_disk::{self, SlowDisk, Speed};
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "postgres-checkpoints",
    needs: &[postgres::NEEDS, slow_disk::NEEDS],
    quick: false,
    ill,
    healthy,
};

/// A small volume of a cloud.
const SPEED: Speed = Speed { mib: 1536, request_us: 500, mib_per_s: 40 };
/// Fifteen megabytes each.
const SCALE: u32 = 20;
/// The least that there is: a checkpoint for every few MB of log.
const STORM: &[&str] =
    &["max_wal_size=32MB", "min_wal_size=32MB", "checkpoint_completion_target=0.1", "shared_buffers=256MB"];
/// As a server of some use is set up.
const CALM: &[&str] = &["max_wal_size=1GB", "checkpoint_timeout=30min", "shared_buffers=256MB"];
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(40);

fn server(settings: &[&str]) -> Result<(SlowDisk, Postgres)> {
    let disk = SlowDisk::new(SPEED)?;
    let server = Postgres::start(&disk.path().join("data"), settings)?;
    server.fill(SCALE)?;
    disk.slow_down();
    Ok((disk, server))
}

fn ill() -> Result<Scene> {
    let (disk, server) = server(STORM)?;
    let load = server.pgbench(&["--client=8", "--rate=400"])?;
    let before = server.checkpoints()?;
    until_within(PATIENCE, "the log asks for checkpoints", || Ok(server.checkpoints()? > before))?;
    let subject = vec![disk.device()?, disk.path().display().to_string()];
    // The line at the disk is the cause of what commits wait for it; whoever writes it is the checkpointer.
    let who = Suspect::Named(&["postgres", "checkpointer"]);
    let told =
        Told::within_three("disk.saturated", subject, vec![who]).or("mem.write-burst").or("disk.sync-bound");
    Ok(Scene::new(vec![told], vec![Box::new(load), Box::new(server), Box::new(disk)]))
}

/// What the disk does easily, with a checkpoint now and then.
fn healthy() -> Result<Held> {
    let (disk, server) = server(CALM)?;
    let before = server.checkpoints()?;
    let load = server.pgbench(&["--client=2", "--rate=20"]).context("a light load")?;
    ensure!(server.checkpoints()? == before, "the log asks for checkpoints");
    Ok(vec![Box::new(load), Box::new(server), Box::new(disk)])
}
