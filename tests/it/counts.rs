//! What is called a number of calls is the number of calls: a program counts its own.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use heldup_model::EvidenceValue;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::Need;
use heldup_testkit::programs;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

/// Syncs wait for a disk.
const NEEDS: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::ScratchOnDisk];

const SECONDS: &str = "3";

/// How far a count may be from the program's own.
const OFF_AT_MOST: f64 = 0.02;

/// What evidence of `disk.sync-bound` is a rate of calls.
const SYNC_CALLS: &str = "sync calls per second";

pub fn trials() -> Vec<Trial> {
    vec![crate::trial("counts::calls".to_owned(), NEEDS, calls_are_counted)]
}

fn calls_are_counted() -> Result<()> {
    let (heldup, scratch) = (Heldup::found()?, Scratch::new("counted")?);
    let (counted_file, program) = (scratch.path().join("counts"), programs::built("counted_calls")?);
    fs::write(&counted_file, "")?;
    let script = format!(
        "HELDUP_CLOCKED='{}' exec '{}' {SECONDS} '{}'",
        counted_file.display(),
        program.display(),
        scratch.path().display()
    );
    let answer = heldup.examine_command(&["sh", "-c", &script].map(OsStr::new))?;
    let (pid, own) = own_counts(&fs::read_to_string(&counted_file)?)?;
    let rows = heldup.sql_last(&format!(
        "select syscall, sum(calls) from system_call where pid = {pid} and error_name is null group by syscall"
    ))?;
    let mut wrong = Vec::new();
    for (call, count) in &own {
        let row = rows.iter().find(|row| row[0].as_str() == Some(call.as_str()));
        let told = row.and_then(|row| row[1].as_f64()).unwrap_or(0.0);
        complain(&mut wrong, call, told, *count);
    }
    let finding = answer.examination.findings.iter().find(|finding| finding.id == "disk.sync-bound");
    let finding = finding.with_context(|| format!("disk.sync-bound is not there: {}", answer.stderr))?;
    let rate = finding.evidence.iter().find(|one| one.name == SYNC_CALLS);
    let Some(&EvidenceValue::Number(rate)) = rate.map(|one| &one.value) else {
        bail!("{} tells no {SYNC_CALLS}: {}", finding.title, answer.stderr)
    };
    complain(&mut wrong, finding.title.as_str(), rate * seconds(&heldup)?, own["fsync"]);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The program's process id, and how often it made each call.
fn own_counts(text: &str) -> Result<(i64, BTreeMap<String, f64>)> {
    let (mut process, mut counts) = (0, BTreeMap::new());
    for line in text.lines() {
        let [call, pid, count] = line.split(' ').collect::<Vec<_>>()[..] else {
            bail!("counted calls: {line}")
        };
        process = pid.parse()?;
        counts.insert(call.to_owned(), count.parse()?);
    }
    ensure!(counts.len() == 6, "six calls should be counted: {text}");
    Ok((process, counts))
}

/// What the rates of the last examination are divided by.
fn seconds(heldup: &Heldup) -> Result<f64> {
    let rows = heldup.sql_last("select secs from window_span")?;
    rows[0][0].as_f64().context("the window has no length")
}

fn complain(wrong: &mut Vec<String>, what: &str, told: f64, own: f64) {
    if (told - own).abs() > OFF_AT_MOST * own {
        wrong.push(format!("{what}: {told} calls; the program made {own}"));
    }
}
