//! Limits of a control group of ours, of whichever version this machine has.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use heldup_testkit::control_group::{ControlGroup, Controller};

use super::machine::Changed;

/// What `heldup tune` is asked, the file that it writes, and its text with that.
struct Limit {
    controller: Controller,
    setting: &'static str,
    value: &'static str,
    /// Of version 1 and of version 2.
    files: [(&'static str, &'static str); 2],
}

const LIMITS: [Limit; 3] = [
    Limit {
        controller: Controller::Cpu,
        setting: "cpu.quota",
        value: "1.25",
        files: [("cpu.cfs_quota_us", "125000"), ("cpu.max", "125000 100000")],
    },
    Limit {
        controller: Controller::Memory,
        setting: "memory.limit",
        value: "64MiB",
        files: [("memory.limit_in_bytes", "67108864"), ("memory.max", "67108864")],
    },
    Limit {
        controller: Controller::Pids,
        setting: "pids.limit",
        value: "77",
        files: [("pids.max", "77"), ("pids.max", "77")],
    },
];

/// Each limit is applied, covered by a second change and undone to what it was.
pub fn limits() -> Result<()> {
    let changed = Changed::new()?;
    for limit in LIMITS.iter().filter(|limit| limit.controller.is_here()) {
        let group = ControlGroup::new(limit.controller, "limits")?;
        let (file, text) = limit.files[usize::from(!limit.controller.is_v1())];
        let path = group.members_file().parent().map(|folder| folder.join(file)).context("no folder")?;
        let before = value(&path)?;
        let setting = format!("cgroup:/{}/{}", group.name(), limit.setting);
        changed.tune_well(&["apply", &format!("{setting}={}", limit.value)])?;
        ensure!(value(&path)? == text, "{setting}: {} and not {text}", value(&path)?);
        let first = last(&changed)?;
        // The name of its folder is enough.
        changed.tune_well(&["apply", &format!("cgroup:{}/{}=max", group.name(), limit.setting)])?;
        let states = changed.status()?;
        let ours = |(id, state): &(u64, String)| (*id >= first).then(|| state.clone());
        let now: Vec<String> = states.iter().filter_map(ours).collect();
        ensure!(now == ["covered", "in_effect"], "{setting}: {now:?}");
        let (code, _, said) = changed.tune(&["undo", &first.to_string()])?;
        ensure!(code == 3 && said.contains("was made after it"), "{code}: {said}");
        changed.tune_well(&["undo", &setting])?;
        ensure!(value(&path)? == text, "{setting}: {} after the second is gone", value(&path)?);
        changed.tune_well(&["undo", &setting])?;
        ensure!(value(&path)? == before, "{setting}: {} and not {before} as before", value(&path)?);
    }
    let (code, _, said) = changed.tune(&["plan", "cgroup:/no-such-group/cpu.quota=1"])?;
    ensure!(code == 2 && said.contains("not on this machine"), "{code}: {said}");
    changed.is_as_before()
}

fn last(changed: &Changed) -> Result<u64> {
    changed.status()?.last().map(|(id, _)| *id).context("no change")
}

fn value(path: &PathBuf) -> Result<String> {
    Ok(fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?.trim().to_owned())
}
