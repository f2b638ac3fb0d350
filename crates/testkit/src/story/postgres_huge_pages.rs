//! PostgreSQL whose shared buffers are larger than the pool of huge pages that was put aside for them:
//! it takes none of them, and the pool belongs to nobody.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::expect::Told;
use crate::host_figures::meminfo_bytes;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::postgres::{self, Postgres};
use crate::scratch::Scratch;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "postgres-huge-pages",
    needs: &[postgres::NEEDS, &[Need::File(POOL)]],
    quick: false,
    ill,
    healthy,
};

const POOL: &str = "/proc/sys/vm/nr_hugepages";
/// Part of all memory that is put aside.
const PART: u64 = 8;

/// A pool of huge pages, and a server with so many hundredths of it as shared buffers.
fn both(percent: u64) -> Result<Held> {
    let bytes = meminfo_bytes("MemTotal")? / PART;
    ensure!(meminfo_bytes("MemAvailable")? > 3 * bytes, "too little memory is free");
    let page = meminfo_bytes("Hugepagesize")?;
    let before: u64 = fs::read_to_string(POOL)?.trim().parse().context(POOL)?;
    let pool = KernelSetting::set(POOL, &(before + bytes / page).to_string())?;
    let scratch = Scratch::new("data")?;
    let buffers = format!("shared_buffers={}MB", (bytes >> 20) * percent / 100);
    let server = Postgres::start(&scratch.path().join("data"), &[&buffers, "huge_pages=try"])?;
    server.fill(2)?;
    let load = server.pgbench(&["--client=2", "--rate=20"])?;
    Ok(vec![Box::new(load), Box::new(server), Box::new(scratch), Box::new(pool)])
}

/// Bytes of the pool that are neither taken nor promised.
fn unused() -> Result<u64> {
    let pages = meminfo_bytes("HugePages_Free")?.saturating_sub(meminfo_bytes("HugePages_Rsvd")?);
    Ok(pages * meminfo_bytes("Hugepagesize")?)
}

fn ill() -> Result<Scene> {
    let held = both(110)?;
    ensure!(unused()? >= meminfo_bytes("MemTotal")? / PART / 2, "the server took huge pages");
    // Whose the pool was to be, the pool does not say.
    let told = Told::within_three("mem.hugepages-unused", vec![], vec![]).or("mem.hugepages-short");
    Ok(Scene::new(vec![told], held))
}

fn healthy() -> Result<Held> {
    let held = both(96)?;
    ensure!(unused()? < meminfo_bytes("MemTotal")? / PART / 10, "the server took no huge pages");
    Ok(held)
}
