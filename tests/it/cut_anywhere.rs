//! A trouble that was recorded is told alike wherever the window begins: `cargo xtask soak` only.

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Examination, Severity};
use heldup_testkit::heldup::Heldup;
use jiff::{SignedDuration, Timestamp};
use libtest_mimic::Trial;

use crate::recorded_trouble::{answer, record};

/// Troubles that go on as long as they are there.
const STEADY: &[&str] =
    &["cpu.saturated", "cpu.throttled", "disk.latency-bound", "disk.sync-bound", "lock.user-contention"];
/// Windows, each beginning a second later, and their length in seconds.
const WINDOWS: i64 = 10;
const WINDOW_SECONDS: i64 = 8;

pub fn trials() -> Vec<Trial> {
    if !crate::is_soak() {
        return Vec::new();
    }
    let one = |name: &'static str| {
        crate::trial(format!("record::cut-anywhere::{name}"), crate::LEDGER, move || is_told_alike(name))
    };
    STEADY.iter().copied().map(one).collect()
}

fn is_told_alike(name: &str) -> Result<()> {
    let heldup = Heldup::found()?;
    let folder = heldup.home().join("archive");
    let archive = folder.to_str().context("a folder with a name")?;
    let seconds = (WINDOWS + WINDOW_SECONDS) as f64;
    let (trouble, begun, _) = record(&heldup, &folder, name, seconds)?;
    let begun: Timestamp = begun.parse()?;
    let mut severities: Vec<Severity> = Vec::new();
    for later in 0..WINDOWS {
        let since = begun + SignedDuration::from_secs(later);
        let until = since + SignedDuration::from_secs(WINDOW_SECONDS);
        let words = ["examine", archive, "--since", &since.to_string(), "--until", &until.to_string()];
        let told: Examination = serde_json::from_value(answer(&heldup, &words)?)?;
        let found = told.findings.iter().find(|finding| finding.id == trouble.id);
        let Some(found) = found else { bail!("{name}: not found from second {later} on") };
        severities.push(found.severity);
    }
    let differ = severities.iter().any(|one| *one != severities[0]);
    ensure!(!differ, "{name}: told with {severities:?}");
    Ok(())
}
