//! Loop devices over scratch files, and file systems on them; undone when dropped.

use std::any::Any;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::condition::until;
use crate::needs::Need;
use crate::ordinary_user::may_write;
use crate::scratch::{Scratch, file_on_disk};

/// What a file system on one needs of the machine.
pub const NEEDS: &[Need] =
    &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")];

/// How a loop device reads and writes the file under it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backing {
    /// Through the page cache: fast, its data lies in memory.
    Cached,
    /// Straight to the disk under it.
    Direct,
}

/// A file system to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Journal {
    /// ext4 with a journal.
    With,
    /// ext4 without one.
    Without,
}

/// A loop device.
pub struct LoopDevice {
    path: PathBuf,
    // Let go after the device: what its image lies in.
    _under: Box<dyn Any>,
}

impl LoopDevice {
    /// A device of `bytes`; the file under it has all of its blocks.
    pub fn new(label: &str, bytes: u64, backing: Backing) -> Result<LoopDevice> {
        let scratch = Scratch::new(label)?;
        let image = scratch.file_on_disk("image", bytes)?;
        LoopDevice::over(&image, backing, Box::new(scratch))
    }

    /// A device of `bytes` whose file lies in a mounted file system.
    pub fn within(mounted: Mounted, bytes: u64) -> Result<LoopDevice> {
        let image = file_on_disk(&mounted.path().join("image"), bytes)?;
        LoopDevice::over(&image, Backing::Direct, Box::new(mounted))
    }

    /// A device that can only be read, over a file that is there; `under` is let go after it.
    pub fn read_only(image: &Path, under: Box<dyn Any>) -> Result<LoopDevice> {
        LoopDevice::set_up(image, &["--read-only"], under)
    }

    /// A device over a file that is there; `under` is let go after it.
    pub fn over_file(image: &Path, under: Box<dyn Any>) -> Result<LoopDevice> {
        LoopDevice::set_up(image, &[], under)
    }

    fn over(image: &Path, backing: Backing, under: Box<dyn Any>) -> Result<LoopDevice> {
        let options: &[&str] = if backing == Backing::Direct { &["--direct-io=on"] } else { &[] };
        LoopDevice::set_up(image, options, under)
    }

    fn set_up(image: &Path, options: &[&str], under: Box<dyn Any>) -> Result<LoopDevice> {
        let path = said(Command::new("losetup").args(["--find", "--show"]).args(options).arg(image))?;
        Ok(LoopDevice { path: PathBuf::from(path), _under: under })
    }

    /// `/dev/loop0`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `loop0`.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// `7:0`.
    pub fn number(&self) -> Result<String> {
        let file = format!("/sys/block/{}/dev", self.name());
        Ok(fs::read_to_string(&file).with_context(|| format!("read {file}"))?.trim().to_owned())
    }

    /// Lets the device have at most `bytes` of dirty pages, until the answer is dropped.
    pub fn with_few_dirty_pages(&self, bytes: u64) -> Result<FewDirtyPages> {
        let folder = PathBuf::from(format!("/sys/block/{}/bdi", self.name()));
        let mut before = Vec::new();
        for setting in ["strict_limit", "max_ratio_fine"] {
            let file = folder.join(setting);
            let value = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
            before.push((file, value));
        }
        let few = FewDirtyPages { before };
        fs::write(folder.join("strict_limit"), "1").context("set strict_limit")?;
        fs::write(folder.join("max_bytes"), bytes.to_string()).context("set max_bytes")?;
        Ok(few)
    }

    /// Makes ext4 on the device and mounts it.
    pub fn with_ext4(self, journal: Journal) -> Result<Mounted> {
        let feature = if journal == Journal::With { "has_journal" } else { "^has_journal" };
        // Without lazy initialisation no kernel thread goes on writing after the mount.
        said(
            Command::new("mkfs.ext4")
                .args(["-q", "-F", "-m", "0", "-O", feature])
                .args(["-E", "lazy_itable_init=0,lazy_journal_init=0"])
                .arg(&self.path),
        )?;
        let point = Scratch::new("mount")?;
        said(Command::new("mount").args(["-t", "ext4"]).arg(&self.path).arg(point.path()))?;
        let mounted = Mounted { point: Some(point), device: Some(self) };
        may_write(mounted.path())?;
        Ok(mounted)
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        if let Err(error) = said(Command::new("losetup").arg("--detach").arg(&self.path)) {
            eprintln!("left behind: {}: {error}", self.path.display());
        }
    }
}

/// A device's limits on dirty pages; put back when dropped, because they outlive the
/// file under a loop device.
pub struct FewDirtyPages {
    before: Vec<(PathBuf, String)>,
}

impl Drop for FewDirtyPages {
    fn drop(&mut self) {
        for (file, value) in &self.before {
            if let Err(error) = fs::write(file, value.trim()) {
                eprintln!("left behind: {}: {error}", file.display());
            }
        }
    }
}

/// A mounted file system on a loop device.
pub struct Mounted {
    // Options, so that drop can let them go in order: unmount, folder, device.
    point: Option<Scratch>,
    device: Option<LoopDevice>,
}

impl Mounted {
    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.point.as_ref().map_or(Path::new("/nonexistent"), Scratch::path)
    }

    /// Unmounts it and mounts it again: nothing of it is in the page cache then.
    pub fn mount_again(&self) -> Result<()> {
        let device = self.device.as_ref().context("mounted without a device")?;
        said(Command::new("umount").arg(self.path()))?;
        said(Command::new("mount").args(["-t", "ext4"]).arg(&device.path).arg(self.path()))?;
        Ok(())
    }

    /// The device under it.
    pub fn device(&self) -> Option<&LoopDevice> {
        self.device.as_ref()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let Some(point) = self.point.take() else { return };
        let path = point.path().to_owned();
        // Busy until the last killed process has closed its files.
        let unmounted = until("unmounted", || Ok(said(Command::new("umount").arg(&path)).is_ok()));
        if let Err(error) = unmounted {
            eprintln!("left behind: {}: {error}", path.display());
            // Never remove a folder that may still be a mounted file system.
            std::mem::forget(point);
            return;
        }
        drop(point);
        self.device.take();
    }
}

/// Runs a command to its end; what it printed, or its error.
pub fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("run {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
