//! What the tests do to a machine: mounts, loop devices, control groups, processes, scratch
//! files and settings, as far as they can be told from others by their names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use heldup_testkit::condition::until;
use heldup_testkit::kernel_setting::not_put_back;
use heldup_testkit::scratch::PREFIX;

/// Fails unless the machine is again as it was; processes may need a moment to end.
pub fn are_undone(before: &BTreeSet<String>) -> Result<()> {
    let gone = until("what a test did to the machine is undone", || Ok(traces()?.is_subset(before)));
    gone.with_context(|| format!("left behind: {:?}", traces().map(|after| &after - before)))
}

/// Everything on the machine that carries the prefix of the tests, and the programs they run.
pub fn traces() -> Result<BTreeSet<String>> {
    let mut traces = BTreeSet::new();
    let mounts = fs::read_to_string("/proc/mounts")?;
    traces.extend(mounts.lines().filter(|line| line.contains(PREFIX)).map(str::to_owned));
    for entry in fs::read_dir("/sys/block")?.flatten() {
        let file = entry.path().join("loop/backing_file");
        traces.extend(fs::read_to_string(file).ok().filter(|path| path.contains(PREFIX)));
    }
    for entry in fs::read_dir("/proc")?.flatten() {
        let program = fs::read_link(entry.path().join("exe")).unwrap_or_default();
        traces.extend(program.to_str().filter(|path| path.contains("test-programs")).map(str::to_owned));
    }
    for line in mounts.lines().filter(|line| line.contains(" cgroup")) {
        if let Some(root) = line.split(' ').nth(1) {
            traces.extend(named(Path::new(root)));
        }
    }
    traces.extend(named(Path::new("/var/tmp")));
    traces.extend(not_put_back());
    Ok(traces)
}

/// Entries of a folder that carry the prefix of the tests.
fn named(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path().display().to_string());
    paths.filter(|path| path.contains(PREFIX)).collect()
}
