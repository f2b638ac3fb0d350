//! Changes that do nothing, tried on live loads: how many verdicts are false.

use anyhow::{Context, Result, ensure};
use heldup_model::{ExperimentEnd, Verdict};
use heldup_stats::at_least;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

use super::device::{NEEDS, Unread};
use crate::said::say;

/// Share of false verdicts that may be, and the certainty at which more is a failure. The experiment is
/// designed for one in a hundred.
const MOST_FALSE: f64 = 0.05;
const CERTAINTY: f64 = 0.99;

/// Loads of which none reads the device whose setting is changed; `@` is a folder of their own: computing, short
/// processes, reads from memory, writes that are waited for.
const LOADS: [&str; 4] = [
    "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do /bin/true; done",
    "dd if=@/data of=/dev/null bs=1M 2>&1",
    "dd if=/dev/zero of=@/written bs=16k count=4 conv=notrunc,fsync 2>&1",
];
/// Of the file that is read from memory.
const DATA_BYTES: u64 = 32 << 20;

/// All loads in turn, so many experiments in all.
pub fn trial(times: u64) -> Trial {
    crate::trial("experiments::without-effect".to_owned(), NEEDS, move || few_false_verdicts(times))
}

fn few_false_verdicts(times: u64) -> Result<()> {
    let unread = Unread::new()?;
    let scratch = Scratch::new("without-effect")?;
    scratch.file_on_disk("data", DATA_BYTES)?;
    let folder = scratch.path().display().to_string();
    let mut claims = Vec::new();
    for (at, load) in (0..times).zip(LOADS.iter().cycle()) {
        let (code, found) = unread.tried(&load.replace('@', &folder), &["--no-ledger", "--pairs", "16"])?;
        ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}", found.reason);
        let change = found.changes.first().context("no change")?;
        if !matches!(change.verdict, Some(Verdict::NoEffect | Verdict::Undecided)) {
            let seed = found.asked.seed;
            claims.push(format!("{at}: `{load}`, seed {seed}: {:?} by {:?}", change.verdict, change.effect));
        }
    }
    let (count, shown) = (claims.len() as u64, claims.join("\n"));
    say(&format!("- without an effect: {count} false verdicts of {times}"))?;
    let chance = at_least(count, times, MOST_FALSE);
    ensure!(
        chance >= 1.0 - CERTAINTY,
        "{count} of {times} false, by chance once in {:.0}\n{shown}",
        1.0 / chance
    );
    Ok(())
}
