//! Where nothing can be written for a while: a disk that is full, and one that the kernel has made
//! read-only.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::GapReason;
use heldup_testkit::condition::{until, until_within};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::{Backing, Journal, LoopDevice, said};

use super::archive::{Recorder, no_false_rates, status, times, window};

const BYTES: u64 = 24 << 20;
/// A journal that could not be made is tried again after ten seconds.
const TRIED_AGAIN: Duration = Duration::from_secs(25);
const LOST: &str = "samples are lost";

/// Fills a file system to its last block.
fn ballast(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("ballast");
    let mut file = File::create(&path)?;
    for size in [1 << 20, 4096, 1] {
        let bytes = vec![7; size];
        let full = (0..BYTES / size as u64 + 4096).any(|_| file.write_all(&bytes).is_err());
        ensure!(full, "a file system of {BYTES} bytes took more");
    }
    Ok(path)
}

/// What goes wrong is said once, also where it goes wrong at each sample.
fn said_once(recorder: &Recorder, words: &str) -> Result<()> {
    let said = recorder.said()?;
    ensure!(said.matches(words).count() == 1, "`{words}` was not said once: {said}");
    Ok(())
}

pub fn full() -> Result<()> {
    let heldup = Heldup::found()?;
    let mounted = LoopDevice::new("archive", BYTES, Backing::Cached)?.with_ext4(Journal::Without)?;
    let archive = mounted.path().join("archive");
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(3, &archive)?;
    let ballast = ballast(mounted.path())?;
    recorder.says(LOST)?;
    until("more samples are lost", || {
        let now = status(&heldup, &archive)?;
        Ok(now.running && now.lost_samples.is_some_and(|lost| lost > 4) && now.last_error.is_some())
    })?;
    said_once(&recorder, LOST)?;
    let before = times(&archive)?;
    fs::remove_file(ballast)?;
    recorder.says("samples are written again")?;
    recorder.takes(3, &archive)?;
    ensure!(times(&archive)?.is_superset(&before), "what was there before is lost");
    let missing: u32 = window(&archive, "recorder")?.gaps.iter().map(|gap| gap.samples).sum();
    ensure!(missing > 4, "{missing} samples are missing by their sequence");
    let gaps = status(&heldup, &archive)?.gaps;
    ensure!(gaps.iter().any(|gap| gap.why == Some(GapReason::NotWritten)), "the gap is not named: {gaps:?}");
    no_false_rates(&archive)?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    ensure!(times(&archive)?.is_superset(&before), "samples were lost by sealing");
    no_false_rates(&archive)
}

/// A file system in memory above a folder; its rows are in another place then.
struct Above<'a>(&'a Path);

impl Drop for Above<'_> {
    fn drop(&mut self) {
        let lazily = said(Command::new("umount").arg("--lazy").arg(self.0));
        if let Err(error) = lazily {
            eprintln!("left behind: {}: {error}", self.0.display());
        }
    }
}

/// An error makes the kernel refuse all writes; then there is another disk in the same place.
pub fn read_only() -> Result<()> {
    let heldup = Heldup::found()?;
    let mounted = LoopDevice::new("archive", BYTES, Backing::Cached)?.with_ext4(Journal::Without)?;
    said(Command::new("mount").args(["-o", "remount,errors=remount-ro"]).arg(mounted.path()))?;
    let archive = mounted.path().join("archive");
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(3, &archive)?;
    let before = times(&archive)?;
    let device = mounted.device().context("its device")?.name();
    let trigger = format!("/sys/fs/ext4/{device}/trigger_fs_error");
    fs::write(&trigger, "1").with_context(|| format!("write {trigger}"))?;
    recorder.says(LOST)?;
    let lost = times(&archive)?;
    ensure!(lost.is_superset(&before), "what was there before is lost");
    said_once(&recorder, LOST)?;
    said(Command::new("mount").args(["-t", "tmpfs", "-o", "size=32m", "heldup-it"]).arg(mounted.path()))?;
    let above = Above(mounted.path());
    let again = || Ok(recorder.said()?.contains("samples are written again"));
    until_within(TRIED_AGAIN, "samples are written again", again)?;
    recorder.takes(2, &archive)?;
    until_within(TRIED_AGAIN, "who records is told there too", || {
        Ok(archive.join("recorder.json").exists() && status(&heldup, &archive)?.running)
    })?;
    no_false_rates(&archive)?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    drop(above);
    ensure!(times(&archive)? == lost, "the archive on the first disk has changed");
    Ok(())
}
