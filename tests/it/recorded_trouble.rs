//! A trouble that was recorded is found afterwards: in a window of the archive, and among the worst
//! stretches of a long one, whose command examines it in full; also of one of several hosts.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use heldup_model::{Examination, RecorderStatus, StretchReason, Timeline};
use heldup_testkit::condition::until;
use heldup_testkit::expect::{self, Expected};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;
use heldup_testkit::trouble::ALL;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::json_schema::{is_a_timeline, is_an_examination};
use crate::recorded_signs::seconds_to_record;

/// Seconds of recording that are waited for at once.
const STEP_SECONDS: f64 = 10.0;
const TROUBLE: &str = "cpu.saturated";

pub fn trials() -> Vec<Trial> {
    let name = "record::trouble-is-found-afterwards".to_owned();
    vec![crate::trial(name, crate::LEDGER, trouble_is_found_afterwards)]
}

fn trouble_is_found_afterwards() -> Result<()> {
    let heldup = Heldup::found()?;
    let folder = heldup.home().join("archive");
    let archive = folder.to_str().context("a folder with a name")?;
    let seconds = seconds_to_record()?;
    let (trouble, since, until) = record(&heldup, &folder, TROUBLE, seconds)?;

    let window = answer(&heldup, &["examine", archive, "--since", &since, "--until", &until])?;
    is_an_examination(&window)?;
    expect::finding(&serde_json::from_value(window)?, &trouble)?;

    // Half an hour, of which some seconds were recorded.
    let long = ["examine", archive, "--since", "30 min ago", "--until", &until];
    let told = answer(&heldup, &long)?;
    is_a_timeline(&told)?;
    let told: Timeline = serde_json::from_value(told)?;
    let recorded = told.recorded_seconds;
    ensure!((seconds..seconds * 6.0).contains(&recorded), "{recorded} s are said to be recorded");
    let worst = told.stretches.first().context("no stretch stood out")?;
    ensure!(matches!(worst.reason, StretchReason::Usual | StretchReason::Waiting), "{worst:?}");
    ensure!(worst.findings.iter().any(|finding| finding.id == TROUBLE), "{worst:?}");
    let words: Vec<&str> = worst.command.split(' ').skip(1).collect();
    let full: Examination = serde_json::from_value(answer(&heldup, &words)?)?;
    expect::finding(&full, &trouble)?;

    let text = heldup.run(&long)?;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    ensure!(text.contains(TROUBLE) && text.contains("heldup examine"), "{text}");
    of_two_hosts_one_is_chosen(&heldup, &folder, &[&since, &until], &trouble)
}

/// The same as if another machine had recorded beside it.
fn of_two_hosts_one_is_chosen(
    heldup: &Heldup,
    folder: &Path,
    window: &[&str; 2],
    trouble: &Expected,
) -> Result<()> {
    let archive = folder.to_str().context("a folder with a name")?;
    for file in sealed_files(folder)? {
        let name = file.file_name().and_then(OsStr::to_str).context("a file with a name")?;
        // Its time and its digits stand behind the host.
        let which: Vec<&str> = name.rsplitn(3, '-').collect();
        fs::copy(&file, file.with_file_name(format!("another-{}-{}", which[1], which[0])))?;
    }
    let times = ["--since", window[0], "--until", window[1]];
    let refused = heldup.run(&[&["examine", archive][..], &times].concat())?;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(!refused.status.success() && said.contains(&format!("{archive}#another")), "{said}");
    let chosen = answer(heldup, &[&["examine", &format!("{archive}#another")][..], &times].concat())?;
    expect::finding(&serde_json::from_value(chosen)?, trouble)
}

/// The files of all tables.
fn sealed_files(archive: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![archive.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            match path.extension() {
                Some(end) if end == "parquet" => files.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    Ok(files)
}

/// Records a trouble, undoes it, and says what is to be found from when to when.
pub fn record(
    heldup: &Heldup,
    archive: &Path,
    trouble: &str,
    seconds: f64,
) -> Result<(Expected, String, String)> {
    let name = archive.to_str().context("a folder with a name")?;
    // A debug build costs more than it may, and would read less often.
    let mut recorder = Running::start(heldup.command(&["record", "-o", name, "--cpu-budget", "100%"]))?;
    let maker = ALL.iter().find(|maker| maker.name == trouble).context("the maker of the trouble")?;
    let trouble = (maker.make)()?;
    let begun = recorded(heldup, archive, 1.0)?;
    let recorded_s = |status: &RecorderStatus| status.cost.as_ref().map_or(0.0, |cost| cost.seconds);
    let until_s = recorded_s(&begun) + seconds;
    // Waiting for one condition gives up after a quarter of a minute.
    let mut ended = recorded(heldup, archive, until_s.min(recorded_s(&begun) + STEP_SECONDS))?;
    while recorded_s(&ended) < until_s {
        ended = recorded(heldup, archive, until_s.min(recorded_s(&ended) + STEP_SECONDS))?;
    }
    let expected = trouble.expected.clone();
    // What seals is of low priority, and would have no CPU.
    drop(trouble);
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to");
    let time = |status: RecorderStatus| status.last.context("a last sample");
    Ok((expected, time(begun)?, time(ended)?))
}

/// Waits until so many seconds of a recorder can be read.
fn recorded(heldup: &Heldup, archive: &Path, seconds: f64) -> Result<RecorderStatus> {
    let words = ["status", archive.to_str().context("a folder with a name")?, "--format", "json"];
    let mut seen = None;
    until("it is recorded", || {
        let output = heldup.run(&words)?;
        seen = serde_json::from_slice::<RecorderStatus>(&output.stdout).ok();
        Ok(seen.as_ref().and_then(|now| now.cost.as_ref()).is_some_and(|cost| cost.seconds >= seconds))
    })?;
    seen.context("a status")
}

/// The JSON that a command answers.
pub fn answer(heldup: &Heldup, words: &[&str]) -> Result<Value> {
    let words: Vec<&OsStr> = words.iter().chain(&["--format", "json"]).map(OsStr::new).collect();
    let output = heldup.run(&words)?;
    ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).with_context(|| format!("{words:?}: no JSON"))
}
