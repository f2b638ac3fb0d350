//! What the tests do to a machine is undone: mounts, loop devices, control groups,
//! processes and scratch files are the same before and after each trouble.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use heldup_testkit::scratch::PREFIX;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    // One test each: a trouble that cannot be made here fails with the counter that did not move.
    let one = |maker: &'static TroubleMaker| {
        crate::trial(format!("undone::{}", maker.name), maker.needs, || is_undone(maker))
    };
    ALL.iter().map(one).collect()
}

fn is_undone(maker: &TroubleMaker) -> Result<()> {
    let before = traces()?;
    let trouble = (maker.make)()?;
    let during = traces()?;
    drop(trouble);
    let after = traces()?;
    ensure!(during != before, "{}: made nothing that could be seen", maker.name);
    ensure!(after == before, "{}: left behind {:?}", maker.name, after.difference(&before));
    Ok(())
}

/// Everything on the machine that carries the prefix of the tests, and the programs they run.
fn traces() -> Result<BTreeSet<String>> {
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
    Ok(traces)
}

/// Entries of a folder that carry the prefix of the tests.
fn named(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path().display().to_string());
    paths.filter(|path| path.contains(PREFIX)).collect()
}
