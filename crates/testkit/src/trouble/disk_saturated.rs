//! Random reads from the disk, far more at a time than it can serve.

use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::queued_ms;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "disk.saturated", needs: &[Need::Tool("fio"), Need::ScratchOfOneDisk], make };

/// Outstanding requests: well above what one request at a time, or one for each of a
/// few tasks, would keep in flight.
const JOBS: u32 = 2;
const DEPTH: u32 = 64;

fn make() -> Result<Trouble> {
    let scratch = Scratch::new("fio")?;
    let file = scratch.file_on_disk("data", 512 << 20)?;
    let disk = scratch.disk_name()?;
    let mut command = Command::new("fio");
    command
        .args(["--name=saturates", "--thread", "--rw=randread", "--bs=4k", "--direct=1"])
        .args(["--ioengine=libaio", "--time_based", "--runtime=120", "--output=/dev/null"])
        .args([format!("--numjobs={JOBS}"), format!("--iodepth={DEPTH}")])
        .arg(format!("--filename={}", file.display()));
    let mut fio = Running::start(command)?;
    let before = queued_ms(&disk)?;
    until("requests queue at the disk", || {
        fio.still_runs()?;
        // A second in the queue for every outstanding request.
        Ok(queued_ms(&disk)? - before > u64::from(JOBS * DEPTH) * 1000)
    })?;
    let expected =
        Expected { id: "disk.saturated", subject: vec![disk], culprits: vec![Suspect::Process(fio.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(scratch)]))
}
