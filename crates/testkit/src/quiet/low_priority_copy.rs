//! A large copy that stands behind everybody else: `nice -n 19 ionice -c idle cp`.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::needs::Need;
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase {
    name: "low-priority-copy",
    needs: &[Need::Tool("ionice"), Need::Tool("nice")],
    seconds: SHORT_SECONDS,
    make,
};

const BYTES: u64 = 256 << 20;

fn make() -> Result<Load> {
    let scratch = Scratch::new("copy")?;
    let from = scratch.file_on_disk("from", BYTES)?;
    let to = scratch.path().join("to");
    // Around the page cache on both sides, so that each round copies from disk to disk.
    let script =
        "while dd if=\"$0\" of=\"$1\" bs=1M iflag=direct oflag=direct conv=notrunc status=none; do :; done";
    let mut command = Command::new("nice");
    command.args(["-n", "19", "ionice", "-c", "idle", "sh", "-c", script]).args([&from, &to]);
    let mut copy = Running::start(command)?;
    until("the copy runs", || {
        copy.still_runs()?;
        Ok(fs::metadata(&to).is_ok_and(|about| about.len() > BYTES / 16))
    })?;
    Ok(vec![Box::new(copy), Box::new(scratch)])
}
