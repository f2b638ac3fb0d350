//! `heldup watch`: a real trouble appears, ends, and is told to the command of `--exec` once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use heldup_model::{WATCH_SCHEMA, WatchEvent, WatchLine};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

/// The trouble: it needs no device, and its end is as sudden as its beginning.
const TROUBLE: &str = "cpu.throttled";
/// Several windows.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn trials() -> Vec<Trial> {
    let maker = ALL.iter().find(|maker| maker.name == TROUBLE);
    let one = |maker: &'static TroubleMaker| {
        let needs: Vec<_> = maker.needs.iter().chain(crate::LEDGER).copied().collect();
        crate::trial("watch::appears-and-ends".to_owned(), &needs, || appears_and_ends(maker))
    };
    maker.map(one).into_iter().collect()
}

/// The next line of this event about the trouble.
fn wait_for(lines: &Receiver<String>, event: WatchEvent) -> Result<WatchLine> {
    let until = Instant::now() + PATIENCE;
    let mut heard = Vec::new();
    loop {
        let line = lines.recv_timeout(until.saturating_duration_since(Instant::now()));
        let line = line.with_context(|| format!("no line {} of {TROUBLE} but {heard:#?}", event.name()))?;
        let parsed: WatchLine = serde_json::from_str(&line).with_context(|| format!("not a line: {line}"))?;
        ensure!(parsed.schema == WATCH_SCHEMA, "{line}");
        let about = parsed.finding.as_ref().is_none_or(|finding| finding.id == TROUBLE);
        if parsed.event == event && about {
            return Ok(parsed);
        }
        heard.push(format!("{} {:?}", parsed.event.name(), parsed.key));
    }
}

/// A program that writes down what it is called for.
fn note_taker(folder: &Path) -> Result<(String, impl Fn() -> Vec<String>)> {
    let (program, notes) = (folder.join("take-note"), folder.join("notes"));
    let script =
        format!("#!/bin/sh\ngrep -q '\"event\":\"appeared\"' && echo \"$HELDUP_ID\" >>{}\n", notes.display());
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    let read = move || fs::read_to_string(&notes).unwrap_or_default().lines().map(str::to_owned).collect();
    Ok((program.display().to_string(), read))
}

fn appears_and_ends(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let (program, notes) = note_taker(heldup.home())?;
    let mut words = vec!["watch", "--interval", "2s", "--raise-after", "1/1", "--clear-after", "1", "--json"];
    // How bad it is depends on what else wants to run here.
    words.extend(["--min-severity", "info", "--exec", &program]);
    let mut watch = Running::start(heldup.command(&words))?;
    let lines = watch.lines()?;
    let trouble = (maker.make)()?;
    let appeared = wait_for(&lines, WatchEvent::Appeared)?;
    let finding = appeared.finding.context("it says that something appeared, not what")?;
    let ours = trouble.expected.subject.iter().any(|part| finding.subject.name.contains(part));
    ensure!(ours, "{}: not about {:?}", finding.key, trouble.expected.subject);
    drop(trouble);
    let ended = wait_for(&lines, WatchEvent::Ended)?;
    ensure!(ended.key == appeared.key && ended.since == appeared.since, "another one ended: {:?}", ended.key);
    let status = watch.interrupt()?;
    ensure!(status.success(), "{status}");
    let summary = wait_for(&lines, WatchEvent::Summary)?.summary.context("a summary without one")?;
    ensure!(summary.windows >= 2 && summary.appeared >= 1, "{summary:?}");
    ensure!(summary.open.iter().all(|key| Some(key) != appeared.key.as_ref()), "{summary:?}");
    ensure!(summary.overhead.cpu_seconds > 0.0 && summary.commands_failed == 0, "{summary:?}");
    let calls = notes().into_iter().filter(|id| id == TROUBLE).count();
    ensure!(calls == 1, "the command was called {calls} times for {TROUBLE}");
    Ok(())
}
