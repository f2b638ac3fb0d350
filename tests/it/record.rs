//! `heldup record` and `heldup status`: what is recorded is there, by one recorder at a time, and
//! what a kill costs is named.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use heldup_model::{GapReason, RecorderStatus};
use heldup_testkit::condition::until;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;
use libtest_mimic::Trial;

/// Tables that are there after some seconds on any machine that the ledger runs on.
const TABLES: [&str; 12] = [
    "cgroup",
    "cpu",
    "cpu_time",
    "host",
    "memory",
    "mount",
    "net_if",
    "process",
    "recorder",
    "setting",
    "task_time",
    "vmstat",
];

/// So long without a sample is a gap at five samples a second.
const MISSED_S: f64 = 1.0;

pub fn trials() -> Vec<Trial> {
    vec![
        crate::trial("record::sealed-and-told".to_owned(), crate::LEDGER, sealed_and_told),
        crate::trial("record::killed-and-goes-on".to_owned(), crate::LEDGER, killed_and_goes_on),
        crate::trial("record::without-ebpf".to_owned(), &[], without_ebpf),
        crate::trial("record::no-room".to_owned(), &[heldup_testkit::needs::Need::Root], no_room),
    ]
}

/// A recorder into a folder of its own.
fn record(heldup: &Heldup, archive: &Path, options: &[&str]) -> Result<Running> {
    let archive = archive.to_str().context("a folder with a name")?;
    let words: Vec<&str> = ["record", "-o", archive, "--interval", "200ms", "--cpu-budget", "100%"]
        .iter()
        .chain(options)
        .copied()
        .collect();
    Running::start(heldup.command(&words))
}

fn status(heldup: &Heldup, archive: &Path) -> Result<RecorderStatus> {
    let archive = archive.to_str().context("a folder with a name")?;
    let output = heldup.run(&["status", archive, "--format", "json"])?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Waits until so many samples of a recorder can be read.
fn recorded(heldup: &Heldup, archive: &Path, seconds: f64) -> Result<RecorderStatus> {
    let mut seen = None;
    until("something is recorded", || {
        if !archive.join("recorder.json").exists() {
            return Ok(false);
        }
        // The file is there before it says something.
        let Ok(now) = status(heldup, archive) else { return Ok(false) };
        let enough = now.cost.as_ref().is_some_and(|cost| cost.seconds >= seconds);
        seen = Some(now);
        Ok(enough)
    })?;
    seen.context("a status")
}

fn sealed_files(archive: &Path, table: &str) -> Vec<PathBuf> {
    let days = std::fs::read_dir(archive.join(format!("table={table}"))).into_iter().flatten().flatten();
    let files = days.filter_map(|day| std::fs::read_dir(day.path()).ok()).flatten().flatten();
    files.map(|file| file.path()).collect()
}

fn sealed_and_told() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = record(&heldup, &archive, &[])?;
    let now = recorded(&heldup, &archive, 1.0)?;
    ensure!(now.running && now.interval_s == Some(0.2), "{now:?}");
    ensure!(now.method.as_deref() == Some("ebpf"), "{now:?}");
    ensure!(now.processes.is_some_and(|processes| processes > 1) && now.tasks >= now.processes, "{now:?}");
    ensure!(now.gaps.is_empty() && now.lost_samples == Some(0), "{now:?}");
    // One recorder an archive: the other is told who the first is.
    let pid = now.pid.context("its process")?.to_string();
    let second = heldup.run(&["record", "-o", archive.to_str().context("a name")?, "--for", "1s"])?;
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    ensure!(second.status.code() == Some(3) && said.contains(&format!("process {pid}")), "{said}");
    let ended = recorder.interrupt()?;
    ensure!(ended.success(), "{ended}");
    for table in TABLES {
        ensure!(!sealed_files(&archive, table).is_empty(), "{table} is not sealed");
    }
    let journals = std::fs::read_dir(archive.join("journal"))?.count();
    ensure!(journals == 0, "{journals} journals are not sealed");
    let after = status(&heldup, &archive)?;
    ensure!(!after.running && after.until.is_some() && after.cost.is_some(), "{after:?}");
    ensure!(after.last_error.is_none(), "{after:?}");
    Ok(())
}

/// The last samples before nobody recorded; a recorder that came late on a busy machine is another matter.
fn not_recorded(status: &RecorderStatus) -> Vec<String> {
    let gaps = status.gaps.iter().filter(|gap| gap.why == Some(GapReason::NotRecorded));
    gaps.map(|gap| gap.after.clone()).collect()
}

fn killed_and_goes_on() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let first = record(&heldup, &archive, &[])?;
    let before = recorded(&heldup, &archive, 1.0)?;
    // By SIGKILL: nothing can be said or sealed any more.
    drop(first);
    until("the recorder is gone", || Ok(!status(&heldup, &archive)?.running))?;
    // One that goes on at once misses no sample, so that there is no gap.
    until("samples are missed", || {
        Ok(status(&heldup, &archive)?.last_age_s.is_some_and(|age_s| age_s > MISSED_S))
    })?;
    let killed = status(&heldup, &archive)?;
    ensure!(killed.until.is_none() && killed.last >= before.last, "{killed:?}");
    let mut second = record(&heldup, &archive, &[])?;
    until("another one goes on", || {
        let now = status(&heldup, &archive)?;
        Ok(now.running && now.pid != killed.pid && not_recorded(&now).len() == 1)
    })?;
    let now = status(&heldup, &archive)?;
    ensure!(now.first == killed.first, "what the first one had is there: {now:?}");
    ensure!(not_recorded(&now) == [killed.last.clone().context("a last sample")?], "{now:?}");
    ensure!(second.interrupt()?.success(), "it ends when it is asked to");
    let after = status(&heldup, &archive)?;
    ensure!(not_recorded(&after).len() == 1 && after.first == killed.first, "{after:?}");
    ensure!(sealed_files(&archive, "recorder").len() == 2, "both segments are sealed");
    Ok(())
}

fn without_ebpf() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = record(&heldup, &archive, &["--method", "delays"])?;
    let now = recorded(&heldup, &archive, 1.0)?;
    ensure!(now.method.as_deref() == Some("delays"), "{now:?}");
    ensure!(now.processes.is_some_and(|processes| processes > 1), "{now:?}");
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to");
    Ok(())
}

/// A file system that is full: recording goes on, and what is lost is told.
fn no_room() -> Result<()> {
    let heldup = Heldup::found()?;
    let mounted = SmallDisk::mount(heldup.home().join("small"))?;
    let archive = mounted.0.join("archive");
    let mut recorder = record(&heldup, &archive, &["--method", "delays"])?;
    recorded(&heldup, &archive, 0.5)?;
    let ballast = mounted.0.join("ballast");
    let mut file = std::fs::File::create(&ballast)?;
    let full = (0..1 << 20).any(|_| std::io::Write::write_all(&mut file, &[7; 4096]).is_err());
    ensure!(full, "a file system of 8 MB took 4 GB");
    until("it says that samples are lost", || {
        let now = status(&heldup, &archive)?;
        let lost = now.lost_samples.is_some_and(|lost| lost > 3);
        Ok(now.running && lost && now.last_error.is_some())
    })?;
    // The room is free once nobody has the file open.
    drop(file);
    std::fs::remove_file(&ballast)?;
    until("it goes on, with a gap", || Ok(!status(&heldup, &archive)?.gaps.is_empty()))?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to");
    Ok(())
}

/// A file system of some megabytes in memory.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf) -> Result<SmallDisk> {
        std::fs::create_dir(&at)?;
        let mut mount = std::process::Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=8m", "heldup-it"]).arg(&at).status()?;
        ensure!(mounted.success(), "mount: {mounted}");
        Ok(SmallDisk(at))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("left behind: {} is mounted", self.0.display());
        }
    }
}
