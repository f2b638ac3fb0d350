//! A cut of power while settings are changed: the guest ends in the middle of a step, and what boots from
//! its disk undoes what was not done.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_testkit::guest::{Copied, Disk, EMULATOR, Guest, Options, test_machine};
use heldup_testkit::needs::Need;
use heldup_testkit::programs;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::guest::{NAMES, PATIENCE};

/// Where the library that stops the program at a step is there.
const LIBRARY: &str = "/tests/end-at-step.so";
/// The disk: the log's folder and, on it, the folder of what is applied at boot.
const DISK: &str = "/var/lib";
const FILE: &str = "/etc/sysctl.d/90-heldup.conf";
/// What is changed; it lasts over a boot.
const APPLY: &str = "apply vm.swappiness=11 vm.dirty_background_ratio=7 --persist";
/// What the settings are in a kernel that nobody has told anything.
const DEFAULTS: &str = "60 10";
/// Steps at which the power is cut, a boot for each: a setting, a file of ours, what is undone. Before each
/// step of them all the program is killed on this machine (`changes::kills`).
const CUTS: [(&str, usize); 3] = [("apply", 3), ("apply", 11), ("undo", 4)];

pub fn trial(series: &'static str) -> Trial {
    let needs =
        [Need::Tool(EMULATOR), Need::Tool("busybox"), Need::Tool("mkfs.ext4"), Need::GuestKernel(series)];
    crate::trial(format!("{NAMES}{series}::power-cut"), &needs, move || cut(series))
}

fn cut(series: &str) -> Result<()> {
    let folder = Scratch::new("power-cut")?;
    let options = options(series, &folder.path().join("disk"))?;
    let mut guest = booted(&options)?;
    for (command, step) in CUTS {
        let what = format!("{command}, step {step}");
        if command == "undo" {
            guest.shell(&format!("heldup tune {APPLY}"), PATIENCE)?;
        }
        let words = if command == "undo" { "undo --all" } else { APPLY };
        stopped_at(&mut guest, command, step, words).with_context(|| what.clone())?;
        // The power goes: nothing that the guest had not written is there any more.
        drop(guest);
        guest = booted(&options)?;
        let said = guest.shell("heldup tune recover", PATIENCE).with_context(|| what.clone())?;
        let status = guest.shell("heldup tune status --format json", PATIENCE)?;
        let status: Value = serde_json::from_str(&status).with_context(|| status.clone())?;
        let changes = status["changes"].as_array().context("changes")?;
        let over = |change: &Value| matches!(change["state"].as_str(), Some("gone" | "undone"));
        ensure!(changes.iter().all(over), "{what}: {said}{status:#}");
        let left = guest.shell(&format!("ls {FILE}* 2>/dev/null; true"), PATIENCE)?;
        ensure!(left.is_empty(), "{what}: {left} is left");
        let now =
            guest.shell("cd /proc/sys/vm && echo $(cat swappiness dirty_background_ratio)", PATIENCE)?;
        ensure!(now.trim() == DEFAULTS, "{what}: {now}");
    }
    // What is done outlasts a cut, and is undone on request.
    guest.shell(&format!("heldup tune {APPLY}"), PATIENCE)?;
    drop(guest);
    let mut guest = booted(&options)?;
    guest.shell("heldup tune recover", PATIENCE)?;
    let lines = guest.shell(&format!("grep -c '^# change ' {FILE}"), PATIENCE)?;
    ensure!(lines.trim() == "2", "{lines}");
    guest.shell("heldup tune undo --all", PATIENCE)?;
    let left = guest.shell(&format!("ls {FILE}* 2>/dev/null; true"), PATIENCE)?;
    ensure!(left.is_empty(), "{left} is left");
    Ok(())
}

/// A small guest whose disk outlives it.
fn options(series: &str, disk: &Path) -> Result<Options> {
    let mut options = test_machine::options(series, None)?;
    let kept = Some(disk.to_owned());
    options.disks = vec![Disk { bytes: 64 << 20, mounted_at: Some(DISK), bytes_per_s: None, kept }];
    options.modules.clear();
    options.memory_mib = 512;
    options.files.push(Copied::new(programs::built_library("end-at-step")?, LIBRARY));
    Ok(options)
}

/// Boots it, with the folder of sysctl.d on its disk.
fn booted(options: &Options) -> Result<Guest> {
    let mut guest = Guest::boot(options)?;
    let script =
        format!("mkdir -p {DISK}/sysctl.d /etc/sysctl.d && mount -o bind {DISK}/sysctl.d /etc/sysctl.d");
    guest.shell(&script, PATIENCE)?;
    Ok(guest)
}

/// Starts `heldup tune` there and returns when it stands still before a step.
fn stopped_at(guest: &mut Guest, command: &str, step: usize, words: &str) -> Result<()> {
    let variables = format!(
        "LD_PRELOAD={LIBRARY} HELDUP_IT_IN={command} HELDUP_IT_STEP={step} HELDUP_IT_END=before \
         HELDUP_IT_SIGNAL={}",
        libc::SIGSTOP
    );
    // In a session of its own: what an order leaves running in its own is ended with it.
    let script = format!(
        "setsid env {variables} heldup tune {words} >/run/said 2>&1 &
         for i in $(seq 300); do
             grep -q '^State:.T' /proc/$!/status && exit 0
             sleep 0.1
         done
         cat /run/said >&2; exit 1"
    );
    guest.shell(&script, PATIENCE + Duration::from_secs(1)).map(drop)
}
