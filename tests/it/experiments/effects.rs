//! Changes whose effect is known, tried again and again: the right verdict in at least 19 of 20, the
//! sign always.

use std::any::Any;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use heldup_model::{ExperimentEnd, TriedChange, Verdict};
use heldup_stats::median;
use heldup_testkit::control_group::{ControlGroup, Controller, SlowWrites};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::loop_device::{Backing, Journal, LoopDevice};
use heldup_testkit::needs::Need;
use heldup_testkit::programs;
use libtest_mimic::Trial;

use super::answered;
use super::device::{NEEDS, Unread};
use crate::said::say;

/// Least share of right verdicts.
const LEAST_RIGHT: f64 = 0.95;
/// Who gets transparent huge pages.
const HUGE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// Of all of them only v1 limits what the kernel itself writes.
const THROTTLED: &[Need] = &[
    Need::Root,
    Need::Tool("losetup"),
    Need::Tool("mkfs.ext4"),
    Need::File("/dev/loop-control"),
    Need::File("/sys/class/bdi"),
    Need::ControllerV1(Controller::Io),
];

/// A change that does something to a workload.
struct Effect {
    name: &'static str,
    needs: &'static [Need],
    verdict: Verdict,
    make: fn() -> Result<Case>,
}

/// One, ready to be tried.
struct Case {
    heldup: Heldup,
    change: String,
    workload: String,
    more: Vec<String>,
    _held: Box<dyn Any>,
}

const ALL: &[Effect] = &[
    Effect { name: "cpu-quota", needs: QUOTA, verdict: Verdict::Helped, make: cpu_quota },
    Effect { name: "dirty-limit", needs: THROTTLED, verdict: Verdict::Helped, make: dirty_limit },
    Effect { name: "huge-pages", needs: HUGE_PAGES, verdict: Verdict::Helped, make: huge_pages },
    Effect { name: "read-ahead", needs: NEEDS, verdict: Verdict::Helped, make: read_ahead },
    Effect { name: "read-ahead-off", needs: NEEDS, verdict: Verdict::Harmed, make: read_ahead_off },
    Effect { name: "somaxconn", needs: NAMESPACE, verdict: Verdict::Helped, make: somaxconn },
];
const QUOTA: &[Need] = &[Need::Root, Need::Controller(Controller::Cpu)];
const HUGE_PAGES: &[Need] = &[Need::Root, Need::File(HUGE)];
const NAMESPACE: &[Need] = &[Need::Root, Need::Tool("unshare"), Need::Tool("ip")];

/// Each of them so many times.
pub fn trials(times: u64) -> Vec<Trial> {
    let one = |effect: &'static Effect| {
        let name = format!("experiments::effects::{}", effect.name);
        crate::trial(name, effect.needs, move || is_seen(effect, times))
    };
    ALL.iter().map(one).collect()
}

fn is_seen(effect: &Effect, times: u64) -> Result<()> {
    let case = (effect.make)()?;
    let started = Instant::now();
    let (mut right, mut sizes, mut pairs, mut otherwise) = (0, Vec::new(), 0, Vec::new());
    let mut wrong_signs = 0;
    for _ in 0..times {
        match case.tried() {
            Ok(change) => {
                right += u64::from(change.verdict == Some(effect.verdict));
                // Lower is better in all of them.
                let is_less = |size: f64| (size < 0.0) == (effect.verdict == Verdict::Helped);
                let is_right = change.effect.is_some_and(is_less);
                wrong_signs += u64::from(!is_right);
                sizes.extend(change.effect);
                pairs += change.pairs;
                if change.verdict != Some(effect.verdict) || !is_right {
                    otherwise.push(format!("{:?} by {:?}", change.verdict, change.effect));
                }
            }
            Err(error) => otherwise.push(format!("{error:#}")),
        }
    }
    let size = median(&mut sizes).map_or("?".to_owned(), |size| format!("{:+.0} %", 100.0 * size));
    let (mean_pairs, each_s) = (pairs as f64 / times as f64, started.elapsed().as_secs_f64() / times as f64);
    say(&format!(
        "- {}: {right} of {times} {}, {wrong_signs} with the wrong sign; the time of a run {size} in the middle, \
         {mean_pairs:.1} pairs and {each_s:.0} s in the mean",
        effect.name,
        effect.verdict.name()
    ))?;
    let shown = otherwise.join("\n");
    ensure!(wrong_signs == 0, "{wrong_signs} of {times} with the wrong sign\n{shown}");
    ensure!(right as f64 >= LEAST_RIGHT * times as f64, "{right} of {times} right\n{shown}");
    Ok(())
}

impl Case {
    fn tried(&self) -> Result<TriedChange> {
        let words = ["try", &self.change, "--workload", &self.workload, "--format", "json", "--no-ledger"];
        let words: Vec<&str> = words.into_iter().chain(self.more.iter().map(String::as_str)).collect();
        let (code, found) = answered(&self.heldup, &words)?;
        ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}", found.reason);
        found.changes.into_iter().next().context("no change")
    }
}

/// The figure that one of our programs prints.
fn printed(word: &str) -> Vec<String> {
    let figure = format!("regex:{word} in ([0-9.]+) s");
    ["--measure", &figure, "--goal", "lower"].map(str::to_owned).to_vec()
}

fn program(name: &str, arguments: &str) -> Result<String> {
    Ok(format!("{} {arguments}", programs::built(name)?.display()))
}

/// Sequential reads of 4 MiB, a page at a time and 128 KiB at a time.
fn read_ahead() -> Result<Case> {
    let unread = Unread::new()?;
    let device = unread.device.path().display();
    let workload = format!("dd if={device} of=/dev/null bs=128k 2>&1");
    let more = vec!["--prepare".to_owned(), format!("blockdev --flushbufs {device}")];
    let (heldup, change) = (Heldup::found()?, unread.change());
    Ok(Case { heldup, change, workload, more, _held: Box::new(unread) })
}

/// The same the other way.
fn read_ahead_off() -> Result<Case> {
    let mut case = read_ahead()?;
    let unread = case._held.downcast::<Unread>().map_err(|_| anyhow::anyhow!("another device"))?;
    case.change = case.change.replace("=128", "=0");
    let on = KernelSetting::set(unread.file(), "128")?;
    case._held = Box::new((on, unread));
    Ok(case)
}

/// Some 50 ms of computing, of which a fifth of a CPU allows 20 ms in each tenth of a second.
fn cpu_quota() -> Result<Case> {
    let group = ControlGroup::new(Controller::Cpu, "tried")?;
    group.limit_cpu(20)?;
    let (file, whole) = group.cpu_limit(100);
    let members = group.members_file();
    let compute = program("walk_memory", "4194304 8000000")?;
    let workload = format!("echo $$ >{} && exec {compute}", members.display());
    let change = format!("{}={whole}", file.display());
    Ok(Case { heldup: Heldup::found()?, change, workload, more: printed("walked"), _held: Box::new(group) })
}

/// Writes 8 MiB to a device that takes 40 MB a second, of which 1 MiB may wait in memory, or all.
fn dirty_limit() -> Result<Case> {
    let mounted = LoopDevice::new("dirty", 64 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let device = mounted.device().context("mounted without a device")?;
    let number = device.number()?;
    let few = device.with_few_dirty_pages(1 << 20)?;
    let slow = SlowWrites::new(&number, 40 << 20)?;
    let file = mounted.path().join("written");
    let workload = format!("dd if=/dev/zero of={} bs=64k count=128 conv=notrunc 2>&1", file.display());
    let more = vec!["--prepare".to_owned(), format!("touch {0} && sync {0}", file.display())];
    let change = format!("/sys/class/bdi/{number}/strict_limit=0");
    let held = Box::new((few, slow, mounted));
    Ok(Case { heldup: Heldup::found()?, change, workload, more, _held: held })
}

/// A walk without an order through 256 MiB, in pages of 4 KiB and of 2 MiB.
fn huge_pages() -> Result<Case> {
    let never = KernelSetting::set(HUGE, "never")?;
    let workload = program("walk_memory", "268435456 4000000")?;
    let change = "kernel.mm.transparent_hugepage.enabled=always".to_owned();
    Ok(Case { heldup: Heldup::found()?, change, workload, more: printed("walked"), _held: Box::new(never) })
}

/// 24 clients that connect at once, to a queue of 17 and to one that holds all. Each experiment in a network
/// namespace of its own, whose setting it is.
fn somaxconn() -> Result<Case> {
    const SHORT: &str = "ip link set lo up && echo 16 >/proc/sys/net/core/somaxconn && exec \"$0\" \"$@\"";
    let heldup = Heldup::found()?.under(&["unshare", "--net", "sh", "-c", SHORT]);
    let workload = program("connection_storm", "24")?;
    let change = "net.core.somaxconn=4096".to_owned();
    Ok(Case { heldup, change, workload, more: printed("accepted"), _held: Box::new(()) })
}
