//! MariaDB that writes its log to the disk at every commit, with four clients that insert row after row.

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::block_stat;
use crate::loop_device::{self, Backing, Journal, LoopDevice, Mounted};
use crate::mariadb::{self, MariaDb};
use crate::running::Running;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story =
    Story { name: "mariadb-flush", needs: &[loop_device::NEEDS, mariadb::NEEDS], quick: false, ill, healthy };

/// Field of `/sys/block/*/stat`: flush requests completed.
const FLUSHES: usize = 15;
const CLIENTS: usize = 4;
/// Rows that each inserts in a second where the log is written once a second.
const ROWS_PER_S: u32 = 50;
const INSERT: &str = "insert into row (text) values (repeat('x', 200));";

fn server(flush_at_commit: u32) -> Result<(Mounted, MariaDb)> {
    let mounted = LoopDevice::new("inserts", 1 << 30, Backing::Direct)?.with_ext4(Journal::With)?;
    let flush = format!("--innodb-flush-log-at-trx-commit={flush_at_commit}");
    let server = MariaDb::start(&mounted.path().join("data"), &[&flush])?;
    server.run(
        "create database test; create table test.row (id int auto_increment primary key, text varchar(255))",
    )?;
    Ok((mounted, server))
}

fn clients(server: &MariaDb, per_s: Option<u32>) -> Result<Vec<Running>> {
    let before = server.inserted()?;
    let clients: Vec<Running> =
        (0..CLIENTS).map(|_| server.client_that_repeats(INSERT, per_s)).collect::<Result<_>>()?;
    until("rows are inserted", || Ok(server.inserted()? > before + 100))?;
    Ok(clients)
}

fn ill() -> Result<Scene> {
    let (mounted, server) = server(1)?;
    let device = mounted.device().context("mounted without a device")?.name();
    let before = block_stat(&device, FLUSHES)?;
    let clients = clients(&server, None)?;
    until("the log is flushed", || Ok(block_stat(&device, FLUSHES)? > before + 50))?;
    let subject = vec![device, mounted.path().display().to_string()];
    let told = Told::within_three("disk.sync-bound", subject, vec![Suspect::Process(server.pid())]);
    Ok(Scene::new(vec![told], vec![Box::new(clients), Box::new(server), Box::new(mounted)]))
}

fn healthy() -> Result<Held> {
    let (mounted, server) = server(0)?;
    let clients = clients(&server, Some(ROWS_PER_S))?;
    Ok(vec![Box::new(clients), Box::new(server), Box::new(mounted)])
}
