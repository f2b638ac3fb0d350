//! Control groups of v1 and v2, removed when dropped.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::condition::until;
use crate::scratch::unique_name;

/// A controller that the tests use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Controller {
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Block I/O.
    Io,
    /// Numbers of tasks.
    Pids,
}

impl Controller {
    fn name_v1(self) -> &'static str {
        match self {
            Controller::Cpu => "cpu",
            Controller::Memory => "memory",
            Controller::Io => "blkio",
            Controller::Pids => "pids",
        }
    }

    fn name_v2(self) -> &'static str {
        match self {
            Controller::Io => "io",
            other => other.name_v1(),
        }
    }

    /// Where the controller is mounted, and whether that is the unified tree of v2.
    fn mounted(self) -> Option<(PathBuf, bool)> {
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        let tree = |kind: &str, option: Option<&str>| {
            mounts.lines().find_map(|line| {
                let mut words = line.split(' ').skip(1);
                let (path, fstype, options) = (words.next()?, words.next()?, words.next()?);
                let has = option.is_none_or(|wanted| options.split(',').any(|one| one == wanted));
                (fstype == kind && has).then(|| PathBuf::from(path))
            })
        };
        if let Some(path) = tree("cgroup", Some(self.name_v1())) {
            return Some((path, false));
        }
        let unified = tree("cgroup2", None)?;
        let offered = fs::read_to_string(unified.join("cgroup.controllers")).ok()?;
        offered.split_whitespace().any(|name| name == self.name_v2()).then_some((unified, true))
    }

    /// Whether this machine has the controller.
    pub fn is_here(self) -> bool {
        self.mounted().is_some()
    }

    /// Whether the controller is in a tree of its own, as in v1.
    pub fn is_v1(self) -> bool {
        self.mounted().is_some_and(|(_, unified)| !unified)
    }
}

/// A control group directly below the root of its tree.
pub struct ControlGroup {
    folder: PathBuf,
    root: PathBuf,
    unified: bool,
    /// What to write to the root's `cgroup.subtree_control` when the group is gone.
    disable: Option<String>,
}

impl ControlGroup {
    /// Makes a group with one controller.
    pub fn new(controller: Controller, label: &str) -> Result<ControlGroup> {
        let (root, unified) =
            controller.mounted().with_context(|| format!("no {} controller here", controller.name_v1()))?;
        let mut disable = None;
        if unified {
            let control = root.join("cgroup.subtree_control");
            let name = controller.name_v2();
            if !fs::read_to_string(&control)?.split_whitespace().any(|enabled| enabled == name) {
                write(&control, &format!("+{name}"))?;
                disable = Some(format!("-{name}"));
            }
        }
        let folder = root.join(unique_name(label));
        fs::create_dir(&folder).with_context(|| format!("make {}", folder.display()))?;
        Ok(ControlGroup { folder, root, unified, disable })
    }

    /// Its name, as it ends every path to it.
    pub fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Moves a process into it.
    pub fn add(&self, pid: i64) -> Result<()> {
        write(&self.members_file(), &pid.to_string())
    }

    /// The file to which a process writes its own id to join.
    pub fn members_file(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Grants `percent` of one CPU, in periods of 100 ms.
    pub fn limit_cpu(&self, percent: u32) -> Result<()> {
        if !self.unified {
            write(&self.folder.join("cpu.cfs_period_us"), "100000")?;
        }
        let (file, value) = self.cpu_limit(percent);
        write(&file, &value)
    }

    /// The file that grants `percent` of one CPU in periods of 100 ms, and its value for that.
    pub fn cpu_limit(&self, percent: u32) -> (PathBuf, String) {
        let quota_us = percent * 1000;
        match self.unified {
            true => (self.folder.join("cpu.max"), format!("{quota_us} 100000")),
            false => (self.folder.join("cpu.cfs_quota_us"), quota_us.to_string()),
        }
    }

    /// Grants `bytes` of memory, page cache included.
    pub fn limit_memory(&self, bytes: u64) -> Result<()> {
        let file = if self.unified { "memory.max" } else { "memory.limit_in_bytes" };
        write(&self.folder.join(file), &bytes.to_string())
    }

    /// Keeps its memory out of swap space, which some machines have: at the limit of memory it is over then.
    pub fn forbid_swap(&self) -> Result<()> {
        // Kernels without swap have no such file.
        let file = self.folder.join(if self.unified { "memory.swap.max" } else { "memory.swappiness" });
        if file.exists() { write(&file, "0") } else { Ok(()) }
    }

    /// Bytes of memory that its processes hold, page cache included.
    pub fn memory_used(&self) -> Result<u64> {
        let file = if self.unified { "memory.current" } else { "memory.usage_in_bytes" };
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        text.trim().parse().with_context(|| format!("{}: not a number", path.display()))
    }

    /// Lets the group read `bytes` a second from the device `major:minor`.
    pub fn limit_reads(&self, device: &str, bytes: u64) -> Result<()> {
        if self.unified {
            return write(&self.folder.join("io.max"), &format!("{device} rbps={bytes}"));
        }
        write(&self.folder.join("blkio.throttle.read_bps_device"), &format!("{device} {bytes}"))
    }

    /// Lets so many tasks be in it.
    pub fn limit_tasks(&self, tasks: u32) -> Result<()> {
        write(&self.folder.join("pids.max"), &tasks.to_string())
    }

    /// One number of a flat-keyed file of the group, such as `nr_throttled` of `cpu.stat`.
    pub fn figure(&self, file: &str, key: &str) -> Result<u64> {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let found = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
        found.with_context(|| format!("{}: no {key}", path.display()))
    }

    /// Moves what still runs in the group to the root, so that the group can go.
    fn empty(&self) {
        let members = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        for pid in members.lines() {
            let _ = write(&self.root.join("cgroup.procs"), pid);
        }
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.empty();
        // A group is busy until the last of its killed processes is gone.
        let gone =
            until("control group gone", || Ok(fs::remove_dir(&self.folder).is_ok() || !self.folder.exists()));
        if let Err(error) = gone {
            eprintln!("left behind: {}: {error}", self.folder.display());
        }
        if let Some(disable) = &self.disable {
            let _ = write(&self.root.join("cgroup.subtree_control"), disable);
        }
    }
}

/// A limit on all writing to one device, whoever does it; lifted when dropped. Only v1 has
/// limits at the root, where the kernel's own writers are.
pub struct SlowWrites {
    file: PathBuf,
    device: String,
}

impl SlowWrites {
    /// Lets `bytes` a second reach the device `major:minor`.
    pub fn new(device: &str, bytes: u64) -> Result<SlowWrites> {
        let (root, _) = Controller::Io.mounted().context("no blkio controller here")?;
        let file = root.join("blkio.throttle.write_bps_device");
        write(&file, &format!("{device} {bytes}"))?;
        Ok(SlowWrites { file, device: device.to_owned() })
    }
}

impl Drop for SlowWrites {
    fn drop(&mut self) {
        // 0 means no limit.
        if let Err(error) = write(&self.file, &format!("{} 0", self.device)) {
            eprintln!("left behind: {error:#}");
        }
    }
}

fn write(path: &Path, value: &str) -> Result<()> {
    fs::write(path, value).with_context(|| format!("write {value} to {}", path.display()))
}
