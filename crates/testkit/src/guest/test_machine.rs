//! The guest that the tests use: the program under test, the tests themselves and what they
//! need, so that a test that runs here runs there too.

use std::path::Path;

use anyhow::{Context, Result};

use crate::guest::{Copied, Disk, Options};
use crate::guest_kernel::Kernel;
use crate::heldup::Heldup;
use crate::known_waits::{DATA_MIB, SECONDS, TOGETHER};
use crate::programs;

/// Where the program under test is in the guest.
pub const HELDUP: &str = "/usr/bin/heldup";
/// Where the test binary is, deep enough to find its programs. Nowhere but in a guest.
pub const TESTS: &str = "/tests/debug/deps/it";
/// Where its programs are.
pub const PROGRAMS: &str = "/tests/debug/test-programs";

/// Where the slow disk is mounted: 60 MB a second.
pub const SLOW_DISK: &str = "/run/slow-disk";
const SLOW_BYTES_PER_S: u64 = 60_000_000;

/// What tests call; busybox has simpler ones of the same names.
const TOOLS: [&str; 12] = [
    "addpart",
    "delpart",
    "dmsetup",
    "losetup",
    "mkfs.ext4",
    "mkswap",
    "mount",
    "numactl",
    "numastat",
    "swapon",
    "tc",
    "umount",
];
/// What tests want to be there that a kernel package has as modules: `sda` in memory, with
/// physical blocks of 4 kB, and `nullb0`, which throws away what is written.
const MODULES: [&str; 7] = [
    "loop",
    "fuse",
    "dm_delay",
    "sd_mod",
    "scsi_debug dev_size_mb=64 physblk_exp=3",
    "null_blk nr_devices=1",
    "sch_netem",
];

/// Options of a guest in which [`HELDUP`] and, for a test binary, its own tests can run.
pub fn options(series: &str, tests: Option<&Path>) -> Result<Options> {
    let mut options = Options::new(Kernel::found(series)?);
    options.modules = MODULES.map(str::to_owned).into();
    options.disks.push(Disk {
        bytes: 1 << 30,
        mounted_at: Some(SLOW_DISK),
        bytes_per_s: Some(SLOW_BYTES_PER_S),
        kept: None,
    });
    options.tools = TOOLS.map(str::to_owned).into();
    options.files.push(Copied::new(Heldup::found()?.program(), HELDUP));
    if let Some(tests) = tests {
        options.files.push(Copied::new(tests, TESTS));
        for program in programs::all_built()? {
            let name = program.file_name().context("a program without a name")?.to_owned();
            options.files.push(Copied::new(&program, Path::new(PROGRAMS).join(name)));
        }
    }
    Ok(options)
}

/// The shell command that runs known waits there, in one examination.
pub fn command_of_waits(names: &[&str]) -> String {
    format!("{SECONDS}=8 {DATA_MIB}=32 HELDUP_BIN={HELDUP} {TESTS} {TOGETHER} {}", names.join(" "))
}

/// The shell command that runs a test of the test binary there.
pub fn command_of_test(name: &str) -> String {
    format!("HELDUP_BIN={HELDUP} {TESTS} --exact {name}")
}
