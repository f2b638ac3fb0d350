//! A device that takes 40 ms for every request, whoever asks: a loop device over a file
//! whose file system answers so slowly.

use anyhow::Result;

use crate::condition::until;
use crate::expect::Expected;
use crate::host_figures::block_stat;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time, slow_device};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "disk.slow",
    needs: &[
        Need::Root,
        Need::Tool("losetup"),
        Need::Tool("fio"),
        Need::File("/dev/fuse"),
        Need::File("/dev/loop-control"),
    ],
    make,
};

/// How long it takes for a request, as slow as nothing that works.
const ANSWER_MS: &str = "40";
/// Fields of `/sys/block/*/stat`: reads completed, and milliseconds that they took.
const READS: usize = 0;
const READ_MS: usize = 3;

fn make() -> Result<Trouble> {
    let device = slow_device(ANSWER_MS)?;
    let name = device.name();
    let (reads, ms) = (block_stat(&name, READS)?, block_stat(&name, READ_MS)?);
    let mut fio = Running::start(one_at_a_time(device.path(), "randread", 4096))?;
    until("every request is slow", || {
        fio.still_runs()?;
        let reads = block_stat(&name, READS)? - reads;
        Ok(reads >= 10 && block_stat(&name, READ_MS)? - ms >= 30 * reads)
    })?;
    let expected = Expected { id: "disk.slow", subject: vec![name], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
