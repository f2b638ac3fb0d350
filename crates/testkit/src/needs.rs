//! What a test needs of the machine, and the word that is said when it is skipped.

use std::path::{Path, PathBuf};

use crate::control_group::Controller;
use crate::guest_kernel::Kernel;
use crate::postgres_programs::server_programs;
use crate::scratch::{disk_under, scratch_parent};
use crate::search_path::in_search_path;

/// Something that not every machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The rights of root.
    Root,
    /// A program in the search path.
    Tool(&'static str),
    /// A control-group controller.
    Controller(Controller),
    /// A control-group controller in a tree of its own.
    ControllerV1(Controller),
    /// At least this many CPUs.
    Cpus(usize),
    /// A scheduler that some block device offers.
    IoScheduler(&'static str),
    /// Scratch folders that lie on a disk, not in memory.
    ScratchOnDisk,
    /// Scratch folders on a file system of one disk, whose name is known: not those of containers or Btrfs.
    ScratchOfOneDisk,
    /// A file or device.
    File(&'static str),
    /// A kernel of this series for guests.
    GuestKernel(&'static str),
    /// The right to raise limits of others' processes; containers' root often lacks it.
    RaiseLimits,
    /// The server programs of PostgreSQL.
    PostgresServer,
    /// The program as one file without libraries.
    StaticFile,
    /// What the tests of the page are made of, as `npm ci` installs it.
    NodePackages,
    /// A node that these tests run with: Debian 12 has an older one.
    NodeOfTests,
}

impl Need {
    /// Why the need is not met, or nothing.
    pub fn missing(self) -> Option<String> {
        match self {
            Need::Root => (!is_root()).then(|| "needs root".to_owned()),
            Need::Tool(name) => in_search_path(name).is_none().then(|| format!("needs the program {name}")),
            Need::Controller(one) => (!one.is_here()).then(|| format!("needs the {one:?} controller")),
            Need::ControllerV1(one) => (!one.is_v1()).then(|| format!("needs the {one:?} controller of v1")),
            Need::Cpus(least) => (cpus() < least).then(|| format!("needs {least} CPUs")),
            Need::GuestKernel(series) => Kernel::found(series).err().map(|why| format!("needs {why}")),
            Need::RaiseLimits => (!may_raise_limits()).then(|| "needs CAP_SYS_RESOURCE".to_owned()),
            Need::PostgresServer => {
                server_programs().is_none().then(|| "needs the server of PostgreSQL".to_owned())
            }
            Need::StaticFile => static_file().is_none().then(|| {
                format!("needs {STATIC_FILE}, the path that `make static` prints (make test sets it)")
            }),
            Need::NodePackages => {
                (!node_packages().is_dir()).then(|| "needs web/node_modules: npm --prefix web ci".to_owned())
            }
            Need::NodeOfTests => node_version()
                .is_none_or(|version| version < LEAST_NODE)
                .then(|| format!("needs node {LEAST_NODE} or later")),
            Need::ScratchOnDisk => is_in_memory(&scratch_parent())
                .then(|| format!("needs a folder on a disk: {} lies in memory", scratch_parent().display())),
            Need::ScratchOfOneDisk => {
                disk_under(&scratch_parent()).err().map(|why| format!("needs a disk: {why:#}"))
            }
            Need::IoScheduler(name) => {
                (!offers_scheduler(name)).then(|| format!("needs a kernel with the I/O scheduler {name}"))
            }
            Need::File(path) => (!Path::new(path).exists()).then(|| format!("needs {path}")),
        }
    }
}

/// Names the program as one file without libraries.
const STATIC_FILE: &str = "HELDUP_STATIC_BIN";

/// The program as one file without libraries, where somebody has built it.
pub fn static_file() -> Option<PathBuf> {
    std::env::var_os(STATIC_FILE).map(PathBuf::from).filter(|path| path.is_file())
}

/// The oldest node that Playwright runs with.
const LEAST_NODE: u32 = 20;

/// Where npm installs what the page's tests are made of.
fn node_packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/node_modules/@playwright/test")
}

/// First number of the version of node.
fn node_version() -> Option<u32> {
    let output = std::process::Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Whether a folder's file system is memory.
fn is_in_memory(folder: &Path) -> bool {
    /// TMPFS_MAGIC and RAMFS_MAGIC of linux/magic.h.
    const IN_MEMORY: [i128; 2] = [0x0102_1994, 0x8584_58f6];
    let Ok(path) = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()) else { return false };
    // SAFETY: statfs holds numbers only, for which zero is one.
    let mut about: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and `about` is valid to write.
    let failed = unsafe { libc::statfs(path.as_ptr(), &raw mut about) } != 0;
    // Its type is another one with each C library.
    !failed && IN_MEMORY.contains(&i128::from(about.f_type))
}

fn offers_scheduler(name: &str) -> bool {
    let devices = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let offered = devices.filter_map(|one| std::fs::read_to_string(one.path().join("queue/scheduler")).ok());
    let named = |words: String| words.split_whitespace().any(|word| word.trim_matches(['[', ']']) == name);
    offered.into_iter().any(named)
}

/// A need that is not met although somebody promised it ([`heldup_skip::PROMISED`]), and why.
pub fn broken_promise(needs: &[Need]) -> Option<String> {
    let promised = |need: &Need| match need {
        Need::Tool(name) if heldup_skip::is_promised(name) => need.missing(),
        _ => None,
    };
    needs.iter().find_map(promised)
}

/// Why a test with these needs is skipped here; nothing when it can run.
pub fn why_skipped(needs: &[Need]) -> Option<String> {
    let missing: Vec<String> = needs.iter().filter_map(|need| need.missing()).collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

/// CPUs that this process may run on.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// CPUs of the machine that are online, also where this process may not run on all of them.
pub fn online_cpus() -> usize {
    // SAFETY: takes a number.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(online).unwrap_or(1).max(1)
}

/// Whether the capabilities in effect have CAP_SYS_RESOURCE.
fn may_raise_limits() -> bool {
    const CAP_SYS_RESOURCE: u32 = 24;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> CAP_SYS_RESOURCE & 1 == 1)
}

fn is_root() -> bool {
    // SAFETY: takes nothing, cannot fail.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unmet_need_is_named() {
        let needs = [Need::Tool("no-such-tool"), Need::File("/"), Need::Cpus(1_000_000)];
        let why = why_skipped(&needs).unwrap();
        assert_eq!(why, "needs the program no-such-tool, needs 1000000 CPUs");
    }
}
