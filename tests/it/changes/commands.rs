//! What the commands do, say and end with.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use heldup_testkit::condition::until;
use serde_json::Value;

use super::ended::{self, ENDS, Ended};
use super::machine::{Changed, SOMAXCONN};

const DIRTY_BYTES: &str = "/proc/sys/vm/dirty_bytes";
const DIRTY_RATIO: &str = "/proc/sys/vm/dirty_ratio";

/// Coupled settings of the machine, of a device and of a namespace, changed and as they were.
pub fn applied_and_undone() -> Result<()> {
    let changed = Changed::new()?;
    let ratio = changed.value(DIRTY_RATIO)?;
    let ahead = format!("{}=77", changed.read_ahead());
    let said =
        changed.tune_well(&["apply", "vm.dirty_bytes=268435456", &ahead, "net.core.somaxconn=1234"])?;
    let file = format!("/sys/block/{}/queue/read_ahead_kb", changed.device.name());
    let now = (changed.value(DIRTY_BYTES)?, changed.value(&file)?, changed.value(SOMAXCONN)?);
    // The kernel counts read-ahead in pages.
    ensure!(now == ("268435456".to_owned(), "76".to_owned(), "1234".to_owned()), "{now:?}");
    ensure!(said.contains("the kernel set 76 instead of 77"), "{said}");
    if ratio != "0" {
        ensure!(said.contains(&format!("also changed: vm.dirty_ratio {ratio} → 0")), "{said}");
    }
    let in_effect = |id| (id, "in_effect".to_owned());
    ensure!(changed.status()? == [in_effect(1), in_effect(2), in_effect(3)], "{:?}", changed.status()?);
    // A change below others is not undone before them, and each can be undone by itself.
    let (code, _, said) = changed.tune(&["apply", "vm.dirty_bytes=134217728"])?;
    ensure!(code == 0, "{said}");
    let (code, _, said) = changed.tune(&["undo", "1"])?;
    ensure!(code == 3 && said.contains("change 4 was made after it"), "{code}: {said}");
    changed.tune_well(&["undo", "2"])?;
    changed.tune_well(&["undo"])?;
    ensure!(changed.status()? == [in_effect(1), in_effect(3)], "{:?}", changed.status()?);
    changed.tune_well(&["undo", "--all"])?;
    changed.is_as_before()?;
    ensure!(changed.tune_well(&["status"])? == "No changes in effect.\n", "{:?}", changed.status()?);
    // What lasts: its line is there, and goes with it.
    changed.tune_well(&["apply", "vm.dirty_bytes=268435456", "--persist"])?;
    let lines = fs::read_to_string("/etc/sysctl.d/90-heldup.conf")?;
    ensure!(lines.ends_with("# change 5\nvm.dirty_bytes = 268435456\n"), "{lines}");
    changed.tune_well(&["undo"])?;
    changed.is_as_before()
}

/// A plan writes nothing and says what there is; what would be refused changes nothing.
pub fn planned_and_refused() -> Result<()> {
    let changed = Changed::new()?;
    let ratio = changed.value(DIRTY_RATIO)?;
    let text = changed.tune_well(&["plan", "vm.dirty_bytes=268435456", "--format", "json"])?;
    let plan: Value = serde_json::from_str(&text)?;
    let change = &plan["changes"][0];
    ensure!(plan["schema"] == "heldup/tune-plan/1" && change["to"] == "268435456", "{plan:#}");
    ensure!(change["from"] == changed.value(DIRTY_BYTES)?.as_str(), "{plan:#}");
    ensure!(change["coupled"][0]["setting"] == "vm.dirty_ratio", "{plan:#}");
    ensure!(change["coupled"][0]["value"] == ratio.as_str(), "{plan:#}");
    changed.is_as_before()?;
    let refused = [
        (vec!["plan", "vm.swappiness=900"], 3, "out of range"),
        (vec!["apply", "vm.swappiness=900", "vm.dirty_bytes=268435456"], 3, "out of range"),
        (vec!["apply", "vm.swappines=9"], 2, "did you mean vm.swappiness"),
        (vec!["show", "vm.swapiness"], 2, "did you mean vm.swappiness"),
        (vec!["apply", "--profile", "none"], 2, "unknown profile `none`"),
        (vec!["apply", "vm.swappiness"], 2, "SETTING=VALUE"),
        (vec!["undo", "7"], 2, "unknown change `7`"),
        (vec!["confirm"], 3, "nothing waits"),
        // The kernel alone knows that the end must not come before the beginning; the first goes back.
        (
            vec!["apply", "net.core.somaxconn=1234", "net.ipv4.ip_local_port_range=60000 1000"],
            3,
            "kernel refused",
        ),
    ];
    for (words, wanted, why) in refused {
        let (code, stdout, stderr) = changed.tune(&words)?;
        let said = format!("{stdout}{stderr}");
        ensure!(code == wanted && said.contains(why), "tune {}: {code}: {said}", words.join(" "));
        changed.is_as_before().with_context(|| words.join(" "))?;
    }
    Ok(())
}

/// Without a word in time it is as before, whoever started it having ended; with one it is permanent.
pub fn confirmed_or_not() -> Result<()> {
    let changed = Changed::new()?;
    changed.tune_well(&["apply", "vm.dirty_bytes=268435456", "--confirm", "1s", "--persist"])?;
    ensure!(changed.status()? == [(1, "waits".to_owned())], "{:?}", changed.status()?);
    until("nobody confirmed it", || Ok(changed.status()? == [(1, "undone".to_owned())]))?;
    changed.is_as_before()?;
    let (code, _, said) = changed.tune(&["confirm", "1"])?;
    ensure!(code == 3 && said.contains("does not wait"), "{code}: {said}");

    let started = Instant::now();
    changed.tune_well(&["apply", "vm.dirty_bytes=268435456", "net.core.somaxconn=99", "--confirm", "3s"])?;
    changed.tune_well(&["confirm"])?;
    let confirmed = started.elapsed();
    ensure!(confirmed < Duration::from_secs(3), "too slow to be judged: {confirmed:?}");
    let over = || Ok(started.elapsed() > Duration::from_secs(4));
    until("its time is over", over)?;
    let in_effect = [(2, "in_effect".to_owned()), (3, "in_effect".to_owned())];
    ensure!(changed.status()?[1..] == in_effect, "{:?}", changed.status()?);
    changed.tune_well(&["undo"])?;
    changed.is_as_before()
}

/// Somebody else's value is told and left, unless it is to go.
pub fn what_somebody_else_sets_stays() -> Result<()> {
    let changed = Changed::new()?;
    changed.tune_well(&["apply", "vm.dirty_bytes=268435456"])?;
    fs::write(DIRTY_BYTES, "134217728")?;
    ensure!(changed.status()? == [(1, "drifted".to_owned())], "{:?}", changed.status()?);
    let (code, _, said) = changed.tune(&["undo"])?;
    ensure!(code == 3 && said.contains("modified by someone else; --force overwrites"), "{code}: {said}");
    ensure!(changed.value(DIRTY_BYTES)? == "134217728", "{}", changed.value(DIRTY_BYTES)?);
    changed.tune_well(&["undo", "--force"])?;
    changed.is_as_before()
}

/// Ctrl-C and SIGTERM at each step: nothing was changed and that is said, or all of it is done.
pub fn interrupted() -> Result<()> {
    let changed = Changed::new()?;
    let words = ["apply", "vm.dirty_bytes=268435456", "net.core.somaxconn=1234"];
    let steps = ended::steps(&changed, "apply", &words)?;
    changed.tune_well(&["undo"])?;
    ensure!(steps >= 8, "only {steps} steps");
    let mut codes = [0; 2];
    for step in 0..steps {
        let signal = if step % 2 == 0 { libc::SIGINT } else { libc::SIGTERM };
        let ended = Ended { command: "apply", step, end: ENDS[step % ENDS.len()], signal };
        let (status, said) = ended::run(&changed, &words, ended)?;
        match status.code() {
            Some(0) => {
                codes[0] += 1;
                changed.tune_well(&["undo"])?;
            }
            Some(4) => {
                codes[1] += 1;
                ensure!(said.contains("interrupted") && said.contains("nothing was changed"), "{said}");
            }
            other => anyhow::bail!("{ended:?}: {other:?}: {said}"),
        }
        changed.is_as_before().with_context(|| format!("{ended:?}: {said}"))?;
    }
    // Only what comes after the last look can be too late.
    ensure!(codes[0] <= 3 && codes[1] >= steps - 3, "{codes:?} of {steps}");
    Ok(())
}

/// Many runs at once: each change has a number of its own, and all of them come back.
pub fn one_run_at_a_time() -> Result<()> {
    let changed = Changed::new()?;
    let mut runs = Vec::new();
    for number in 0..8 {
        let assignment = format!("net.core.somaxconn={}", 500 + number);
        let mut command = changed.heldup.command(&["tune", "apply", &assignment]);
        runs.push(command.stdout(std::process::Stdio::null()).spawn()?);
    }
    for mut run in runs {
        ensure!(run.wait()?.success(), "a run failed");
    }
    let ids: Vec<u64> = changed.status()?.into_iter().map(|(id, _)| id).collect();
    ensure!(ids == (1..=8).collect::<Vec<u64>>(), "{ids:?}");
    changed.tune_well(&["undo", "--all"])?;
    changed.is_as_before()
}
