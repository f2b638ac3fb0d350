//! A program that looks at every file of a directory with very many of them, on a slow disk: the names
//! are few bytes, but the inodes of all lie all over the disk.
//!
//! A million of them take a minute to make; a tenth is as much more than a window reads.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::block_stat;
use crate::running::Running;
use crate::slow_disk::{self, SlowDisk, Speed};
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story =
    Story { name: "many-files", needs: &[slow_disk::NEEDS], quick: false, ill, healthy };

/// A disk with a head.
const SPEED: Speed = Speed { mib: 2048, request_us: 8000, mib_per_s: 80 };
/// Files in the directory.
const FILES: usize = 100_000;
const FEW: usize = 1000;
/// Field of `/sys/block/*/stat`: reads completed.
const READS: usize = 0;

fn listing(files: usize, script: &str) -> Result<(SlowDisk, Running)> {
    let disk = SlowDisk::new(SPEED)?;
    let folder = disk.path().join("queue");
    fs::create_dir(&folder)?;
    for number in 0..files {
        fs::File::create(folder.join(format!("message-{number:07}")))?;
    }
    disk.forget_cached()?;
    disk.slow_down();
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&folder);
    let before = block_stat(&disk.device()?, READS)?;
    let listing = Running::start(command)?;
    until("it reads", || Ok(block_stat(&disk.device()?, READS)? > before + 2))?;
    Ok((disk, listing))
}

fn ill() -> Result<Scene> {
    let (disk, listing) = listing(FILES, "exec find \"$0\" -size +1k >/dev/null")?;
    let who = Suspect::Named(&["find"]);
    let told =
        Told::within_three("disk.metadata-bound", vec![], vec![who]).or("disk.latency-bound").or("disk.slow");
    Ok(Scene::new(vec![told], vec![Box::new(listing), Box::new(disk)]))
}

/// A directory with few files.
fn healthy() -> Result<Held> {
    let (disk, listing) = listing(FEW, "while :; do find \"$0\" -size +1k >/dev/null; sleep 1; done")?;
    std::thread::sleep(std::time::Duration::from_secs(1));
    Ok(vec![Box::new(listing), Box::new(disk)])
}
