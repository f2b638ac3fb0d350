//! One thread that reads at random, one small block at a time, past the page cache, from a
//! device that takes 4 ms whoever asks: far from slow, and far from nothing on any machine.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::block_stat;
use crate::known_waits::MountPoint;
use crate::loop_device::LoopDevice;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.latency-bound",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("fio"),
        Need::File("/dev/fuse"),
        Need::File("/dev/loop-control"),
    ],
    make,
};

/// How long it takes for a request.
const ANSWER_MS: &str = "4";
/// Field of `/sys/block/*/stat`: reads completed.
const READS: usize = 0;

fn make() -> Result<Trouble> {
    let point = MountPoint(Scratch::new("store")?);
    let path = point.0.path().to_owned();
    let mut server = Running::program("slow_store", &[&path, &ANSWER_MS])?;
    let said = server.line()?;
    ensure!(said == "ready", "slow_store said {said}");
    let device = LoopDevice::read_only(&path.join("file"), Box::new((server, point)))?;
    let name = device.name();
    let command = one_at_a_time(device.path(), "randread", 4096);
    let reads = block_stat(&name, READS)?;
    let mut fio = Running::start(command)?;
    until("the device answers its reads", || {
        fio.still_runs()?;
        Ok(block_stat(&name, READS)? > reads + 50)
    })?;
    let expected = Expected {
        id: "disk.latency-bound",
        subject: vec!["fio".to_owned()],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
