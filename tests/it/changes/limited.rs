//! `heldup tune limit` and `pin`, of processes and of commands.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use heldup_testkit::condition::until;
use heldup_testkit::heldup::Heldup;
use serde_json::Value;

use super::called::{Sleeper, tune};
use crate::json_schema;

/// Groups of ours anywhere.
fn groups() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        let below = fs::read_dir(folder).into_iter().flatten().flatten();
        for path in below.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.strip_prefix("heldup-").is_some_and(|rest| rest.parse::<u32>().is_ok()) {
                found.push(path.clone());
            }
            folders.push(path);
        }
    }
    found
}

/// The content of a file in the first group that has one of them.
fn limit(groups: &[PathBuf], files: [&str; 2]) -> Option<String> {
    let read = |group: &PathBuf| files.iter().find_map(|file| fs::read_to_string(group.join(file)).ok());
    groups.iter().find_map(read).map(|text| text.trim().to_owned())
}

/// A process and what it starts are held to limits, and back where they were; so is a command.
pub fn limited_and_let_go() -> Result<()> {
    ensure!(groups().is_empty(), "groups of ours are there: {:?}", groups());
    let heldup = Heldup::found()?;
    let sleeper = Sleeper::new()?;
    let before = sleeper.file("cgroup")?;
    let pid = sleeper.pid().to_string();
    let words = ["limit", "--memory", "64MiB", "--cpu-quota", "0.5", "--pid", &pid];
    let planned = tune(&heldup, &[&words[..], &["--plan"]].concat())?;
    ensure!(planned.contains("absent → ") && groups().is_empty(), "{planned}");
    ensure!(planned.contains("without --plan it is made"), "{planned}");
    tune(&heldup, &words)?;
    let made = groups();
    ensure!(limit(&made, ["memory.max", "memory.limit_in_bytes"]).as_deref() == Some("67108864"), "{made:?}");
    let quota = limit(&made, ["cpu.max", "cpu.cfs_quota_us"]).context("no quota")?;
    ensure!(quota.starts_with("50000"), "{quota}");
    ensure!(sleeper.file("cgroup")?.contains("/heldup-"), "{}", sleeper.file("cgroup")?);
    tune(&heldup, &["undo"])?;
    ensure!(sleeper.file("cgroup")? == before, "{} is not {before}", sleeper.file("cgroup")?);
    ensure!(groups().is_empty(), "left behind: {:?}", groups());
    // A command: its exit code is the answer, and who outlives it is let go.
    let marker = heldup.home().join("pid");
    let script =
        format!("cat /proc/self/cgroup; sleep 600 >/dev/null 2>&1 & echo $! > {}; exit 7", marker.display());
    let output = heldup.run(&["tune", "limit", "--memory", "64MiB", "--", "sh", "-c", &script])?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let outlives: i32 = fs::read_to_string(&marker)?.trim().parse()?;
    let there = fs::read_to_string(format!("/proc/{outlives}/cgroup"));
    // SAFETY: numbers alone; it is a child of a shell of this test.
    unsafe { libc::kill(outlives, libc::SIGKILL) };
    ensure!(output.status.code() == Some(7) && stdout.contains("/heldup-"), "{output:?}");
    ensure!(there? == before, "it is still held: {stderr}");
    until("the groups are gone", || Ok(groups().is_empty()))?;
    ensure!(tune(&heldup, &["status"])? == "No changes in effect.\n", "a change is in effect");
    // Who is to be limited, and by what, has to be said.
    for words in
        [&["tune", "limit", "--pid", "999999999", "--cpu-quota", "1"][..], &["tune", "limit", "--pid", &pid]]
    {
        let refused = heldup.run(words)?;
        ensure!(refused.status.code() == Some(2), "{words:?}: {refused:?}");
    }
    Ok(())
}

/// What the commands answer programs is what their schemas say.
pub fn answered() -> Result<()> {
    let heldup = Heldup::found()?;
    let sleeper = Sleeper::new()?;
    let word = format!("process.{}.nice=5", sleeper.pid());
    let refused = format!("process.{}.nice=50", sleeper.pid());
    let asked: [(&[&str], &str); 7] = [
        (&["plan", &word], "tune-plan"),
        (&["plan", &refused], "tune-plan"),
        (&["apply", &refused], "tune-apply"),
        (&["apply", &word, "--confirm", "1m"], "tune-apply"),
        (&["status"], "tune-status"),
        (&["undo"], "tune-undo"),
        (&["undo"], "tune-undo"),
    ];
    for (words, schema) in asked {
        let words = [&["tune"], words, &["--format", "json"]].concat();
        let output = heldup.run(&words)?;
        let answer: Value = serde_json::from_slice(&output.stdout).with_context(|| format!("{words:?}"))?;
        ensure!(answer["schema"] == format!("heldup/{schema}/1"), "{words:?}: {answer:#}");
        json_schema::is_an_answer_of_changes(&answer).with_context(|| format!("{words:?}"))?;
    }
    Ok(())
}

/// A process is placed with reasons, and may run anywhere again; a command is there from its start.
pub fn pinned() -> Result<()> {
    let heldup = Heldup::found()?;
    let sleeper = Sleeper::new()?;
    let pid = sleeper.pid().to_string();
    let allowed = |status: String| {
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:\t")).map(str::to_owned)
    };
    let before = allowed(sleeper.file("status")?).context("no list")?;
    tune(&heldup, &["pin", "--cpu-list", "0", "--pid", &pid])?;
    ensure!(allowed(sleeper.file("status")?).as_deref() == Some("0"), "not on CPU 0");
    tune(&heldup, &["undo"])?;
    ensure!(allowed(sleeper.file("status")?).as_deref() == Some(before.as_str()), "not where it was");
    let said = tune(&heldup, &["pin", "--pid", &pid, "--plan"])?;
    ensure!(said.contains(&format!("sleep ({pid}) on CPUs ")), "{said}");
    let output = heldup.run(&[
        "tune",
        "pin",
        "--cpu-list",
        "0",
        "--",
        "grep",
        "Cpus_allowed_list",
        "/proc/self/status",
    ])?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && stdout.trim().ends_with("\t0"), "{output:?}");
    ensure!(tune(&heldup, &["status"])? == "No changes in effect.\n", "a change is in effect");
    Ok(())
}
