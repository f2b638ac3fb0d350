//! One thread that reads at random, one small block at a time, past the page cache, from a
//! device that takes 4 ms whoever asks: far from slow, and far from nothing on any machine.

use anyhow::Result;

use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker, one_at_a_time, slow_device, started_reading};

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
fn make() -> Result<Trouble> {
    let device = slow_device(ANSWER_MS)?;
    let command = one_at_a_time(device.path(), "randread", 4096);
    let fio = started_reading(command, &device, 50)?;
    let expected = Expected {
        id: "disk.latency-bound",
        subject: vec!["fio".to_owned()],
        culprits: vec![Suspect::Process(fio.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(fio), Box::new(device)]))
}
