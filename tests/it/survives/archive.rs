//! A recorder at work in a folder of its own, and its archive as any reader sees it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_archive::kept::{ArchiveFolder, ArchiveWindow};
use heldup_archive::{Database, Value};
use heldup_model::{Capture, Method, RecorderStatus, Span};
use heldup_testkit::condition::until;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;

/// Time between two samples, milliseconds.
pub const INTERVAL_MS: i64 = 200;
const EVER: Span = Span { since_ms: i64::MIN / 2, until_ms: i64::MAX / 2 };

/// A recorder; dropped it is killed, and what it has started with it.
pub struct Recorder {
    running: Running,
    said: PathBuf,
}

impl Recorder {
    /// One that records into a folder, five times a second.
    pub fn start(heldup: &Heldup, archive: &Path, options: &[&str]) -> Result<Recorder> {
        Recorder::each(INTERVAL_MS, heldup, archive, options)
    }

    /// One that takes a sample each so many milliseconds.
    pub fn each(interval_ms: i64, heldup: &Heldup, archive: &Path, options: &[&str]) -> Result<Recorder> {
        let interval = format!("{interval_ms}ms");
        let folder = archive.to_str().context("a folder with a name")?;
        // A debug build five times a second costs more than it may, and would read less often.
        let mut words = vec!["record", "-o", folder, "--interval", &interval, "--cpu-budget", "100%"];
        words.extend(options);
        let said = heldup.home().join("said");
        let mut command = heldup.command(&words);
        command.stderr(File::create(&said)?);
        Ok(Recorder { running: Running::start(command)?, said })
    }

    /// What it has said so far.
    pub fn said(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.said)?)
    }

    /// Waits until it says something, in a line.
    pub fn says(&mut self, words: &str) -> Result<()> {
        let waited = until(words, || {
            self.running.still_runs()?;
            Ok(self.said()?.contains(words))
        });
        waited.with_context(|| format!("it said: {}", self.said().unwrap_or_default()))
    }

    /// Waits until so many samples more can be read.
    pub fn takes(&mut self, samples: usize, archive: &Path) -> Result<()> {
        let before = times(archive)?.len();
        let waited = until("samples are taken", || {
            self.running.still_runs()?;
            Ok(times(archive)?.len() >= before + samples)
        });
        waited.with_context(|| format!("it said: {}", self.said().unwrap_or_default()))
    }

    /// Stops it and all that it has started, or lets them go on.
    pub fn stop(&self, stopped: bool) -> Result<()> {
        let signal = if stopped { libc::SIGSTOP } else { libc::SIGCONT };
        let group = libc::pid_t::try_from(-self.running.pid())?;
        // SAFETY: takes no pointers; the group is the recorder's own as long as it has not been waited for.
        ensure!(unsafe { libc::kill(group, signal) } == 0, "no group {group}");
        Ok(())
    }

    /// Fails when it has ended.
    pub fn still_runs(&mut self) -> Result<()> {
        self.running.still_runs()
    }

    /// What Ctrl-C does.
    pub fn interrupt(&mut self) -> Result<ExitStatus> {
        self.running.interrupt()
    }

    /// The same, for a machine on which sealing takes its time.
    pub fn interrupt_within(&mut self, patience: Duration) -> Result<ExitStatus> {
        self.running.interrupt_within(patience)
    }
}

/// What `heldup status` says of an archive.
pub fn status(heldup: &Heldup, archive: &Path) -> Result<RecorderStatus> {
    let archive = archive.to_str().context("a folder with a name")?;
    let output = heldup.run(&["status", archive, "--format", "json"])?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A table of an archive; whatever could not be read is an error.
pub fn window(archive: &Path, table: &str) -> Result<ArchiveWindow> {
    let window = ArchiveFolder::at(archive).window(EVER, &|name| name == table)?;
    ensure!(window.flaws.is_empty(), "{:?}", window.flaws);
    Ok(window)
}

/// The answer to a question about one table of an archive.
pub fn ask(archive: &Path, table: &str, query: &str) -> Result<Vec<Vec<Value>>> {
    let capture = Capture {
        host: String::new(),
        span: EVER,
        method: Method::Imported,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: window(archive, table)?.tables,
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    Ok(Database::open(&capture)?.query(query)?.rows)
}

/// The times of the samples, each of which must be there once.
pub fn times(archive: &Path) -> Result<BTreeSet<i64>> {
    let rows = ask(archive, "recorder", "select time from recorder")?;
    let int = |row: &Vec<Value>| if let Some(Value::Int(time)) = row.first() { Some(*time) } else { None };
    let times: BTreeSet<i64> = rows.iter().filter_map(int).collect();
    ensure!(times.len() == rows.len(), "{} rows of {} samples", rows.len(), times.len());
    Ok(times)
}

/// The one number that a question has for an answer.
pub fn number(archive: &Path, table: &str, query: &str) -> Result<Option<f64>> {
    let rows = ask(archive, table, query)?;
    let value = rows.first().and_then(|row| row.first()).with_context(|| format!("no row: {query}"))?;
    Ok(match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    })
}

/// No CPU did more in an interval than there was time: rows that were not written must not come
/// back in later ones. The kernel counts in ticks of up to 10 ms, and each reading comes at its own time.
pub fn no_false_rates(archive: &Path) -> Result<()> {
    let wrong = ask(
        archive,
        "cpu",
        "select time, cpu_idx, secs, user_s, system_s, idle_s from cpu
         where user_s < 0 or system_s < 0 or idle_s < 0 or user_s + system_s + idle_s + iowait_s > secs * 1.05 + 0.1",
    )?;
    ensure!(wrong.is_empty(), "more than there was time for: {wrong:?}");
    let judged = number(archive, "cpu", "select count(*) from cpu where user_s is not null and secs > 0")?;
    ensure!(judged.is_some_and(|judged| judged >= 3.0), "only {judged:?} rows of CPUs were judged");
    Ok(())
}
