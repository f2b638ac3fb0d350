//! A loop device without read-ahead.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use heldup_model::Experiment;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::loop_device::{Backing, LoopDevice};
use heldup_testkit::needs::Need;

use super::answered;

/// Of the device that is read.
const BYTES: u64 = 4 << 20;

pub const NEEDS: &[Need] =
    &[Need::Root, Need::Tool("losetup"), Need::Tool("dd"), Need::File("/dev/loop-control")];

/// The device, the program that tries, and the setting.
pub struct Unread {
    pub heldup: Heldup,
    // Put back before the device goes.
    pub off: KernelSetting,
    pub device: LoopDevice,
}

impl Unread {
    pub fn new() -> Result<Unread> {
        let device = LoopDevice::new("tried", BYTES, Backing::Direct)?;
        let off = KernelSetting::set(file(&device), "0")?;
        Ok(Unread { heldup: Heldup::found()?, off, device })
    }

    pub fn change(&self) -> String {
        format!("block.{}.queue.read_ahead_kb=128", self.device.name())
    }

    pub fn file(&self) -> PathBuf {
        file(&self.device)
    }

    pub fn arguments(&self, workload: &str, more: &[&str]) -> Vec<String> {
        let change = self.change();
        let words = ["try", &change, "--workload", workload, "--format", "json"];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }

    /// Runs it to its end.
    pub fn tried(&self, workload: &str, more: &[&str]) -> Result<(Option<i32>, Experiment)> {
        self.answer(&self.arguments(workload, more))
    }

    pub fn answer(&self, arguments: &[impl AsRef<OsStr>]) -> Result<(Option<i32>, Experiment)> {
        let answer = answered(&self.heldup, arguments)?;
        ensure!(self.off.value()? == "0", "read-ahead is {} after it", self.off.value()?);
        Ok(answer)
    }
}

fn file(device: &LoopDevice) -> PathBuf {
    Path::new("/sys/block").join(device.name()).join("queue/read_ahead_kb")
}
