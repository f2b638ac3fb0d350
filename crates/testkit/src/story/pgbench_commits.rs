//! PostgreSQL with eight clients on few CPUs, whose commits go to a disk of their own: there is
//! more to compute than CPUs for it, and what is committed waits for the disk.

use anyhow::{Context, Result, ensure};

use crate::expect::{Suspect, Told};
use crate::host_figures::block_stat;
use crate::loop_device::{self, Backing, Journal, LoopDevice, Mounted};
use crate::needs::cpus;
use crate::postgres::{self, Postgres};
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "pgbench-commits",
    needs: &[loop_device::NEEDS, postgres::NEEDS],
    quick: false,
    ill,
    healthy,
};

/// Field of `/sys/block/*/stat`: flush requests completed.
const FLUSHES: usize = 15;
/// Fifteen megabytes each.
const SCALE: u32 = 10;
/// Clients for each CPU.
const CLIENTS: usize = 4;

fn server() -> Result<(Mounted, Postgres)> {
    let mounted = LoopDevice::new("commits", 1 << 30, Backing::Direct)?.with_ext4(Journal::With)?;
    let server = Postgres::start(&mounted.path().join("data"), &[])?;
    server.fill(SCALE)?;
    Ok((mounted, server))
}

fn ill() -> Result<Scene> {
    let (mounted, server) = server()?;
    let device = mounted.device().context("mounted without a device")?.name();
    let before = block_stat(&device, FLUSHES)?;
    let load = server.pgbench(&[&format!("--client={}", CLIENTS * cpus())])?;
    ensure!(block_stat(&device, FLUSHES)? > before + 50, "commits do not reach the disk");
    let clients = Suspect::Named(&["postgres", "pgbench"]);
    let queue = Told::first("cpu.saturated", vec![], vec![clients]);
    let subject = vec![device, mounted.path().display().to_string()];
    let sync = Told::within_three("disk.sync-bound", subject, vec![Suspect::Named(&["postgres"])]);
    Ok(Scene::new(vec![queue, sync], vec![Box::new(load), Box::new(server), Box::new(mounted)]))
}

/// As many clients that ask for what the machine does easily.
fn healthy() -> Result<Held> {
    let (mounted, server) = server()?;
    let load = server.pgbench(&[&format!("--client={}", CLIENTS * cpus()), "--rate=50"])?;
    Ok(vec![Box::new(load), Box::new(server), Box::new(mounted)])
}
