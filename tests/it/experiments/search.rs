//! The best of many values: as good as the best of a sweep that measures each of them as often as the
//! search has measured the best one, with a third of its runs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use heldup_model::{BlockKind, Experiment, ExperimentEnd};
use heldup_stats::median;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::loop_device::{Backing, LoopDevice, said};
use heldup_testkit::programs;
use libtest_mimic::Trial;

use super::answered;
use super::device::NEEDS;
use crate::said::say;

/// What is searched, in kB: without read-ahead each page is waited for by itself, with too much what nobody
/// asks for is read.
const VALUES: [u32; 12] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// Of the device, and of the pieces that are read of it in order, each from another place.
const BYTES: u64 = 128 << 20;
const PIECES: u32 = 32;
const PIECE_BYTES: u32 = 256 << 10;

/// How much longer than the best of the sweep the runs with the value that was found may take.
const WITHIN: f64 = 1.05;

/// A device that is read piece by piece.
struct Pieces {
    heldup: Heldup,
    // Put back before the device goes.
    read_ahead: KernelSetting,
    device: LoopDevice,
}

impl Pieces {
    fn new() -> Result<Pieces> {
        let device = LoopDevice::new("pieces", BYTES, Backing::Direct)?;
        let file = PathBuf::from(format!("/sys/block/{}/queue/read_ahead_kb", device.name()));
        // None of the values, so that each is a change.
        let read_ahead = KernelSetting::set(file, "0")?;
        Ok(Pieces { heldup: Heldup::found()?, read_ahead, device })
    }

    fn workload(&self) -> Result<String> {
        let program = programs::built("read_pieces")?;
        Ok(format!("{} {} {PIECES} {PIECE_BYTES}", program.display(), self.device.path().display()))
    }

    fn searched(&self, values: &str) -> Result<Experiment> {
        let change = format!("block.{}.queue.read_ahead_kb={values}", self.device.name());
        let workload = self.workload()?;
        let words = ["try", &change, "--search", "--workload", &workload, "--format", "json", "--no-ledger"];
        let figure = ["--measure", "regex:read in ([0-9.]+) s", "--goal", "lower"];
        let (code, found) = answered(&self.heldup, &[words.as_slice(), &figure].concat())?;
        ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}", found.reason);
        ensure!(self.read_ahead.value()? == "0", "read-ahead is {} after it", self.read_ahead.value()?);
        Ok(found)
    }

    /// Seconds of one run with a value.
    fn measured(&self, kb: u32) -> Result<f64> {
        let file = format!("/sys/block/{}/queue/read_ahead_kb", self.device.name());
        fs::write(&file, kb.to_string()).with_context(|| format!("write {kb} to {file}"))?;
        let text = said(Command::new("sh").args(["-c", &self.workload()?]))?;
        let seconds = text.strip_prefix("read in ").and_then(|rest| rest.strip_suffix(" s"));
        seconds.and_then(|seconds| seconds.parse().ok()).with_context(|| format!("no seconds: {text}"))
    }

    /// The middle of so many runs of each value, round after round.
    fn swept(&self, times: u64) -> Result<Vec<f64>> {
        let mut all = vec![Vec::new(); VALUES.len()];
        for _ in 0..times {
            for (figures, kb) in all.iter_mut().zip(VALUES) {
                figures.push(self.measured(kb)?);
            }
        }
        fs::write(format!("/sys/block/{}/queue/read_ahead_kb", self.device.name()), "0")?;
        all.iter_mut().map(|figures| median(figures).context("no runs")).collect()
    }
}

/// One search over three values of which the ends are poor: the middle one is found, and tried afresh.
pub fn finds_one() -> Result<()> {
    let pieces = Pieces::new()?;
    let found = pieces.searched("4,128,8192")?;
    let shown = format!("{:#?}\n{:#?}", found.searched, found.changes);
    let values: Vec<&str> = found.searched.iter().map(|one| one.value.as_str()).collect();
    ensure!(values == ["4", "128", "8192"], "{shown}");
    ensure!(found.searched.iter().all(|one| one.blocks >= 1 && one.figure > Some(0.0)), "{shown}");
    let [change] = found.changes.as_slice() else { anyhow::bail!("not one change\n{shown}") };
    // What was left is no worse than the others in what the search saw of them.
    let of = |value: &str| found.searched.iter().find(|one| one.value == value).and_then(|one| one.figure);
    let most = found.searched.iter().map(|one| one.blocks).max();
    let best = found.searched.iter().filter(|one| Some(one.blocks) == most).filter_map(|one| one.figure);
    let best = best.fold(f64::INFINITY, f64::min);
    ensure!(of(&change.asked).is_some_and(|figure| figure <= WITHIN * best), "{shown}");
    let runs = found.blocks.iter().filter(|block| block.kind == BlockKind::Search).count() as u64;
    ensure!(runs == found.searched.iter().map(|one| one.blocks).sum::<u64>(), "{runs} runs\n{shown}");
    Ok(())
}

/// So many searches of all values, each against a sweep of its own.
pub fn against_a_sweep(times: u64) -> Trial {
    crate::trial("experiments::search-against-a-sweep".to_owned(), NEEDS, move || {
        let failed: Vec<String> =
            (0..times).filter_map(|_| as_good_as_a_sweep().err()).map(|error| format!("{error:#}")).collect();
        ensure!(failed.is_empty(), "{} of {times}:\n{}", failed.len(), failed.join("\n"));
        Ok(())
    })
}

fn as_good_as_a_sweep() -> Result<()> {
    let pieces = Pieces::new()?;
    let words: Vec<String> = VALUES.iter().map(u32::to_string).collect();
    let found = pieces.searched(&words.join(","))?;
    let runs: u64 = found.searched.iter().map(|one| one.blocks).sum();
    let times = found.searched.iter().map(|one| one.blocks).max().context("nothing was searched")?;
    let chosen = &found.changes.first().context("nothing was found")?.asked;
    let swept = pieces.swept(times)?;
    let sweep_runs = times * VALUES.len() as u64;
    let best = swept.iter().copied().fold(f64::INFINITY, f64::min);
    let at = words
        .iter()
        .position(|value| value == chosen)
        .with_context(|| format!("{chosen} is none of them"))?;
    let best_at = swept.iter().position(|seconds| *seconds == best).unwrap_or(0);
    say(&format!(
        "- search: {chosen} kB in {runs} runs; a sweep of {sweep_runs} runs: {} kB is the best with {best:.4} s, \
         {chosen} kB takes {:+.1} %",
        words[best_at],
        100.0 * (swept[at] / best - 1.0)
    ))?;
    let middles: Vec<String> =
        words.iter().zip(&swept).map(|(value, seconds)| format!("{value}: {seconds:.4} s")).collect();
    ensure!(3 * runs <= sweep_runs, "{runs} runs are more than a third of {sweep_runs}");
    ensure!(swept[at] <= WITHIN * best, "{chosen} kB is not the best: {}", middles.join(", "));
    Ok(())
}
