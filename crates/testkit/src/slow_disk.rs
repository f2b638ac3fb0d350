//! A block device as slow as a disk with one head or a small volume of a cloud: a loop device over a
//! file whose file system serves one request after the other, each in its time.
//!
//! A limit of a control group would not do: that is a cause of its own, and told as such.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::known_waits::MountPoint;
use crate::loop_device::{Journal, LoopDevice, Mounted};
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;

/// What it needs of the machine.
pub const NEEDS: &[Need] = &[
    Need::Root,
    Need::Tool("losetup"),
    Need::Tool("mkfs.ext4"),
    Need::File("/dev/fuse"),
    Need::File("/dev/loop-control"),
];

/// How large and how slow.
#[derive(Clone, Copy)]
pub struct Speed {
    /// Size.
    pub mib: u32,
    /// Microseconds that each request takes.
    pub request_us: u32,
    /// MiB of contents a second.
    pub mib_per_s: u32,
}

/// An ext4 on a slow disk, fast until it is told to be slow.
pub struct SlowDisk {
    mounted: Mounted,
    // Its memory is the disk's: let go last.
    server: std::rc::Rc<Running>,
}

impl SlowDisk {
    /// Makes the disk and a file system with a journal on it.
    pub fn new(speed: Speed) -> Result<SlowDisk> {
        let point = MountPoint(Scratch::new("disk")?);
        let path = point.0.path().to_owned();
        let numbers = [speed.mib, speed.request_us, speed.mib_per_s].map(|number| number.to_string());
        let mut server = Running::program("slow_disk", &[&path, &numbers[0], &numbers[1], &numbers[2]])?;
        let said = server.line()?;
        ensure!(said == "ready", "slow_disk said {said}");
        let server = std::rc::Rc::new(server);
        let under = Box::new((std::rc::Rc::clone(&server), point));
        let mounted = LoopDevice::over_file(&path.join("file"), under)?.with_ext4(Journal::With)?;
        Ok(SlowDisk { mounted, server })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.mounted.path()
    }

    /// The kernel's name of the device.
    pub fn device(&self) -> Result<String> {
        Ok(self.mounted.device().context("mounted without a device")?.name())
    }

    /// From now on each request takes its time.
    pub fn slow_down(&self) {
        self.server.signal(libc::SIGUSR1);
    }

    /// Empties the page cache of what lies on it: unmounts and mounts it again.
    pub fn forget_cached(&self) -> Result<()> {
        self.mounted.mount_again()
    }
}
