//! Killed at random moments, again and again, in the same archive; and the end of a journal cut off
//! at any byte, as a power cut may leave it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use heldup_archive::journal::JournalReader;
use heldup_testkit::condition::{until, until_within};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::scratch::Scratch;

use super::archive::{INTERVAL_MS, Recorder, status, times};

/// How many kills, where `cargo xtask soak --recorder-kills` says nothing else.
const KILLS: usize = 8;
const VARIABLE: &str = "HELDUP_IT_KILLS";
/// What may be lost at most: the default of `--flush`.
const FLUSH_MS: i64 = 10_000;
/// Intervals without a sample that `status` calls a gap, and one more.
const MISSED: i64 = 4;
/// Gaps that `status` tells.
const TOLD_GAPS: usize = 50;
/// Places at which the end of a journal is cut in a usual run; with the variable every byte.
const CUTS: usize = 150;
/// First bytes of each frame (docs/archive.md).
const MARKER: [u8; 4] = [0xF5, 0x68, 0x75, 0xFA];

/// Numbers without a pattern (Marsaglia's xorshift64), others in each run.
struct Dice(u64);

impl Dice {
    fn new() -> Result<Dice> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        Ok(Dice(now.as_nanos() as u64 | 1))
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

pub fn killed_at_any_moment() -> Result<()> {
    let many = std::env::var(VARIABLE).ok();
    let kills: usize = many.as_deref().map_or(Ok(KILLS), str::parse).context(VARIABLE)?;
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut dice = Dice::new()?;
    let (mut known, mut deaths) = (BTreeSet::new(), Vec::new());
    for kill in 0..kills {
        let mut recorder = Recorder::start(&heldup, &archive, &["--method", method(kill)])?;
        // Every other one is killed wherever it is: opening, sealing what the one before left, sampling.
        if kill % 2 == 0 {
            recorder.takes(1, &archive)?;
        }
        let wait = Duration::from_millis(dice.below(1500));
        look_for(wait, &archive, &mut known).with_context(|| format!("before kill {kill}"))?;
        let at_ms = now_ms()?;
        drop(recorder);
        let there = times(&archive).with_context(|| format!("after kill {kill}, {wait:?} later"))?;
        let lost: Vec<_> = known.difference(&there).collect();
        ensure!(lost.is_empty(), "kill {kill}: samples that had been written are gone: {lost:?}");
        if kill % 2 == 0 {
            let last_ms = *there.last().context("a sample")?;
            ensure!(at_ms - last_ms <= FLUSH_MS, "kill {kill}: nothing of the last {} ms", at_ms - last_ms);
            deaths.push(last_ms);
            // One that goes on at once misses no sample, so that there is nothing to tell.
            until("samples are missed", || Ok(now_ms()? - last_ms > MISSED * INTERVAL_MS))?;
        }
        if kill == 0 {
            cut_at_every_byte(&archive, many.is_some())?;
        }
        known = there;
    }
    goes_on(&heldup, &archive, &known, &deaths)
}

/// With and without eBPF: without, there are more samples in the same time.
fn method(kill: usize) -> &'static str {
    if kill.is_multiple_of(4) { "auto" } else { "delays" }
}

/// Reads again and again for a time, also what is being sealed: what was there stays there.
fn look_for(wait: Duration, archive: &Path, known: &mut BTreeSet<i64>) -> Result<()> {
    let until = Instant::now() + wait;
    while Instant::now() < until {
        let there = times(archive)?;
        let lost: Vec<_> = known.difference(&there).collect();
        ensure!(lost.is_empty(), "not there while it is read: {lost:?}");
        *known = there;
        sleep(Duration::from_millis(20).min(until.saturating_duration_since(Instant::now())));
    }
    Ok(())
}

/// The next recorder seals all that is left, says which spans are missing, and has lost nothing.
fn goes_on(heldup: &Heldup, archive: &Path, known: &BTreeSet<i64>, deaths: &[i64]) -> Result<()> {
    let mut recorder = Recorder::start(heldup, archive, &[])?;
    recorder.takes(2, archive)?;
    let sealed = || Ok(journals(archive)?.len() <= 1);
    until_within(Duration::from_secs(120), "what was left is sealed", sealed)?;
    let now = status(heldup, archive)?;
    ensure!(now.running && now.last_error.is_none(), "{now:?}");
    ensure!(now.gaps.len() >= deaths.len().min(TOLD_GAPS), "{} deaths: {:?}", deaths.len(), now.gaps);
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    ensure!(times(archive)?.is_superset(known), "samples were lost by sealing");
    ensure!(journals(archive)?.is_empty(), "not sealed: {:?}", journals(archive)?);
    let beside = unfinished(archive)?;
    ensure!(beside.is_empty(), "left behind: {beside:?}");
    Ok(())
}

fn cut_at_every_byte(archive: &Path, all: bool) -> Result<()> {
    let journal = journals(archive)?.pop().context("a journal")?;
    let bytes = fs::read(&journal)?;
    let last = bytes.windows(MARKER.len()).rposition(|bytes| bytes == MARKER).context("a frame")?;
    let scratch = Scratch::new("cut")?;
    let copy = scratch.path().join(journal.file_name().context("a name")?);
    fs::write(&copy, &bytes)?;
    let whole = samples(&copy)?;
    let file = OpenOptions::new().write(true).open(&copy)?;
    let step = if all { 1 } else { (bytes.len() - last).div_ceil(CUTS) };
    for length in (last..bytes.len()).rev().step_by(step) {
        file.set_len(length as u64)?;
        let there = samples(&copy).with_context(|| format!("cut at byte {length} of {}", bytes.len()))?;
        ensure!(there + 1 == whole, "cut at byte {length}: {there} samples of {whole}");
    }
    Ok(())
}

/// Whole samples of a journal, all tables read.
fn samples(journal: &Path) -> Result<usize> {
    let mut reader = JournalReader::open(journal)?;
    let tables = reader.tables(&|_| true, None)?;
    Ok(tables.get("recorder").map_or(0, |batches| batches.iter().map(|batch| batch.num_rows()).sum()))
}

/// In the order of their names, which is that of time.
fn journals(archive: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(archive.join("journal"))?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

/// Files that somebody began to seal and did not end.
fn unfinished(archive: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![archive.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)?.flatten() {
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().ends_with(".new") {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

fn now_ms() -> Result<i64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64)
}
