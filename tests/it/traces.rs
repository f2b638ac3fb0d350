//! What the tests do to a machine: mounts, loop devices, control groups, processes, scratch
//! files and settings, as far as they can be told from others by their names.
//!
//! Another run may be at work beside this one (in another tree): what carries its name, and the
//! programs that it started, are no traces of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use heldup_testkit::condition::until;
use heldup_testkit::kernel_setting::not_put_back;
use heldup_testkit::scratch::{prefix_of_this_run, scratch_parent};
use heldup_testkit::settings_file;

/// Fails unless the machine is again as it was; processes may need a moment to end.
pub fn are_undone(before: &BTreeSet<String>) -> Result<()> {
    let gone = until("what a test did to the machine is undone", || Ok(traces()?.is_subset(before)));
    gone.with_context(|| format!("left behind: {:?}", traces().map(|after| &after - before)))
}

/// Everything on the machine that carries the name of this run, and the programs it started.
pub fn traces() -> Result<BTreeSet<String>> {
    let prefix = prefix_of_this_run();
    let mut traces = BTreeSet::new();
    let mounts = fs::read_to_string("/proc/mounts")?;
    traces.extend(mounts.lines().filter(|line| line.contains(&prefix)).map(str::to_owned));
    for entry in fs::read_dir("/sys/block")?.flatten() {
        let file = entry.path().join("loop/backing_file");
        traces.extend(fs::read_to_string(file).ok().filter(|path| path.contains(&prefix)));
    }
    for entry in fs::read_dir("/proc")?.flatten() {
        let program = fs::read_link(entry.path().join("exe")).unwrap_or_default();
        let program = program.to_str().filter(|path| path.contains("test-programs"));
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        traces.extend(program.filter(|_| !pid.is_some_and(is_of_another_run)).map(str::to_owned));
    }
    for line in mounts.lines().filter(|line| line.contains(" cgroup")) {
        if let Some(root) = line.split(' ').nth(1) {
            traces.extend(named(Path::new(root), &prefix));
        }
    }
    traces.extend(named(&scratch_parent(), &prefix));
    traces.extend(named(Path::new(settings_file::FOLDER), &prefix));
    traces.extend(not_put_back());
    Ok(traces)
}

/// Entries of a folder that carry the prefix.
fn named(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path().display().to_string());
    paths.filter(|path| path.contains(prefix)).collect()
}

/// Whether a test binary (`it`, mostly with a hash) other than this one is among the ancestors
/// of a process. Who has lost his parent is taken for ours: that is what is looked for.
fn is_of_another_run(pid: u32) -> bool {
    let mut at = pid;
    while let Some(parent) = parent_of(at).filter(|parent| *parent > 1) {
        if parent == std::process::id() {
            return false;
        }
        let program = fs::read_link(format!("/proc/{parent}/exe")).unwrap_or_default();
        let name = program.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name == "it" || name.starts_with("it-")) {
            return true;
        }
        at = parent;
    }
    false
}

fn parent_of(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}
