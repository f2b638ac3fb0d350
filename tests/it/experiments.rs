//! `heldup try` on the real machine: a change that helps is found with its sign and its reason, one that
//! does nothing is not, and whatever ends an experiment the setting is what it was.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{BlockKind, Experiment, ExperimentEnd, Judgement, Verdict};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::loop_device::{Backing, LoopDevice};
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::json_schema::is_an_experiment;

/// Of the device that is read.
const BYTES: u64 = 4 << 20;
/// How long a program may take to begin or to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Exit codes of `heldup try --help`.
const COULD_NOT: i32 = 3;
const TAKEN_BACK: i32 = 4;
const GUARD_BREACHED: i32 = 5;

const NEEDS: &[Need] =
    &[Need::Root, Need::Tool("losetup"), Need::Tool("dd"), Need::File("/dev/loop-control")];

pub fn trials() -> Vec<Trial> {
    let reasons = [NEEDS, crate::LEDGER].concat();
    let one = |name: &str, run: fn() -> Result<()>| crate::trial(format!("experiments::{name}"), NEEDS, run);
    vec![
        crate::trial("experiments::read-ahead-helps".to_owned(), &reasons, read_ahead_helps),
        one("nothing-does-nothing", nothing_does_nothing),
        one("interrupted-at-any-moment", interrupted_at_any_moment),
        one("live-traffic", live_traffic),
        one("a-guard-is-breached", a_guard_is_breached),
        one("the-workload-fails", the_workload_fails),
    ]
}

/// A device without read-ahead, and the setting.
struct Unread {
    heldup: Heldup,
    // Put back before the device goes.
    off: KernelSetting,
    device: LoopDevice,
}

impl Unread {
    fn new() -> Result<Unread> {
        let device = LoopDevice::new("tried", BYTES, Backing::Direct)?;
        let off = KernelSetting::set(file(&device), "0")?;
        Ok(Unread { heldup: Heldup::found()?, off, device })
    }

    fn change(&self) -> String {
        format!("block.{}.queue.read_ahead_kb=128", self.device.name())
    }

    fn file(&self) -> PathBuf {
        file(&self.device)
    }

    fn arguments(&self, workload: &str, more: &[&str]) -> Vec<String> {
        let change = self.change();
        let words = ["try", &change, "--workload", workload, "--format", "json"];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }

    /// Runs it to its end.
    fn tried(&self, workload: &str, more: &[&str]) -> Result<(Option<i32>, Experiment)> {
        self.answer(&self.arguments(workload, more))
    }

    fn answer(&self, arguments: &[impl AsRef<OsStr>]) -> Result<(Option<i32>, Experiment)> {
        let output = self.heldup.run(arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        let found = serde_json::from_str(&text)
            .with_context(|| format!("no heldup/experiment/1: {}\n{text}\n{complaints}", output.status))?;
        ensure!(self.off.value()? == "0", "read-ahead is {} after it\n{complaints}", self.off.value()?);
        Ok((output.status.code(), found))
    }
}

fn file(device: &LoopDevice) -> PathBuf {
    Path::new("/sys/block").join(device.name()).join("queue/read_ahead_kb")
}

fn read_ahead_helps() -> Result<()> {
    let unread = Unread::new()?;
    let device = unread.device.path().display();
    let workload = format!("dd if={device} of=/dev/null bs=128k 2>&1");
    let prepare = format!("blockdev --flushbufs {device}");
    let (code, found) = unread.tried(&workload, &["--prepare", &prepare, "--seed", "6", "--check"])?;
    let shown = format!("{:#?}\n{:#?}", found.changes, found.noise);
    ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}\n{shown}", found.why_ended);
    let change = found.changes.first().context("no change")?;
    ensure!(change.verdict == Some(Verdict::Helped), "{shown}");
    ensure!(change.effect_high.is_some_and(|high| high < 0.0) && change.effect < Some(-0.1), "{shown}");
    ensure!(!change.kept && change.now.as_deref() == Some("128"), "{shown}");
    // Each page was waited for by itself.
    let first = change.why.first().with_context(|| format!("no reason\n{shown}"))?;
    ensure!(first.judgement == Judgement::Differs && first.second < first.first, "{shown}");
    let pairs = found.blocks.iter().filter(|block| block.kind == BlockKind::With).count() as u64;
    ensure!(pairs == change.pairs && (8..=40).contains(&pairs), "{pairs}\n{shown}");
    let key = change.setting.clone();
    ensure!(found.before.get(&key).is_some_and(|value| value == "0"), "{key} is not in the dossier");
    ensure!(!found.otherwise_after.contains_key(&key), "{:?}", found.otherwise_after);
    let folder = fs::read_dir(unread.heldup.home().join("state/heldup/experiments"))?.next();
    let folder = folder.context("no dossier")??.path();
    let kept: Value = serde_json::from_slice(&fs::read(folder.join("experiment.json"))?)?;
    is_an_experiment(&kept)?;
    let kept: Experiment = serde_json::from_value(kept)?;
    ensure!(kept == found, "the dossier says something else than the answer");
    ensure!(fs::read_to_string(folder.join("experiment.txt"))?.contains("helped: block."));
    Ok(())
}

/// Nobody reads the device.
fn nothing_does_nothing() -> Result<()> {
    let unread = Unread::new()?;
    let spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    let (code, found) = unread.tried(spin, &["--pairs", "12", "--no-ledger", "--check"])?;
    let change = found.changes.first().context("no change")?;
    ensure!(change.verdict == Some(Verdict::NoDifference), "seed {}: {change:#?}", found.asked.seed);
    ensure!(change.smallest_seen.is_some() && code == Some(1), "{code:?} {change:#?}");
    Ok(())
}

/// Blocks of whatever the machine does, measured by a query; nobody reads the device.
fn live_traffic() -> Result<()> {
    let unread = Unread::new()?;
    let query = "select sum(user_s + system_s) / max(secs) from cpu";
    let change = unread.change();
    let words = ["try", &change, "--metric", query, "--goal", "lower", "--format", "json"];
    let blocks = ["--block", "500ms", "--settle", "100ms", "--pairs", "8", "--method", "delays"];
    let (code, found) = unread.answer(&[words.as_slice(), &blocks].concat())?;
    let change = found.changes.first().context("no change")?;
    ensure!((code, change.verdict) == (Some(0), Some(Verdict::NoDifference)), "{code:?} {found:#?}");
    let first = found.blocks.first().context("no blocks")?;
    ensure!(found.blocks.iter().all(|block| block.figure >= 0.0 && block.seconds >= 0.5), "{first:#?}");
    Ok(())
}

fn a_guard_is_breached() -> Result<()> {
    let unread = Unread::new()?;
    let workload = format!("cat {}", unread.file().display());
    let more = ["--guard", "regex:([0-9]+)<=0", "--no-ledger"];
    let (code, found) = unread.tried(&workload, &more)?;
    ensure!((code, found.end) == (Some(GUARD_BREACHED), ExperimentEnd::GuardBreached), "{code:?} {found:#?}");
    let with: Vec<_> = found.blocks.iter().filter(|block| block.kind == BlockKind::With).collect();
    ensure!(with.len() == 1 && with[0].guards == [128.0], "{with:#?}");
    Ok(())
}

fn the_workload_fails() -> Result<()> {
    let unread = Unread::new()?;
    let workload = format!("echo broken >&2; test $(cat {}) = 0", unread.file().display());
    let (code, found) = unread.tried(&workload, &["--no-ledger"])?;
    ensure!((code, found.end) == (Some(COULD_NOT), ExperimentEnd::Failed), "{code:?} {found:#?}");
    let why = found.why_ended.unwrap_or_default();
    ensure!(why.contains("exit status: 1; broken"), "{why}");
    Ok(())
}

/// Asked to stop, and killed, at moments that differ from run to run: while the change is on and while it
/// is off, while a run is at work and while a setting is written.
fn interrupted_at_any_moment() -> Result<()> {
    let unread = Unread::new()?;
    for (at, signal) in
        [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGKILL, libc::SIGKILL, libc::SIGKILL]
            .into_iter()
            .enumerate()
    {
        let arguments =
            unread.arguments("sleep 0.02", &["--no-ledger", "--pairs", "1000", "--worth", "0.001%"]);
        let mut command = unread.heldup.command(&arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        until_on(&unread.off, &mut child)?;
        let later = Duration::from_millis(u64::from(clock()) % 400);
        std::thread::sleep(later);
        // SAFETY: takes numbers; the child has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        let status = ended(&mut child)?;
        let case = format!("{at}: signal {signal} {later:?} after the change was on: {status}");
        if signal == libc::SIGKILL {
            recovered(&unread.heldup).context(case.clone())?;
        } else {
            ensure!(status.code() == Some(TAKEN_BACK), "{case}");
        }
        ensure!(unread.off.value()? == "0", "{case}: read-ahead is {}", unread.off.value()?);
    }
    Ok(())
}

/// The next run takes back what was left; it is refused while the process that died with the one that was
/// killed still has the right to write.
fn recovered(heldup: &Heldup) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let output = heldup.run(&["tune", "recover"])?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(Instant::now() < until, "it is not taken back: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number that nobody chose.
fn clock() -> u32 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.subsec_micros())
}

fn until_on(setting: &KernelSetting, child: &mut Child) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while setting.value()? == "0" {
        if let Some(status) = child.try_wait()? {
            bail!("it ended before the change was made: {status}");
        }
        ensure!(Instant::now() < until, "the change was not made within {PATIENCE:?}");
        std::thread::yield_now();
    }
    Ok(())
}

fn ended(child: &mut Child) -> Result<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= until {
            child.kill()?;
            bail!("it did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
