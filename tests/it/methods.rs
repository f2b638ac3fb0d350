//! Each `--method`, with every right and with none: an answer by that method, or a clear error.

use anyhow::{Context, Result, ensure};
use heldup_model::Method;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::needs::Need;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::robust::{NOBODY, for_everybody};

/// Seconds of each window.
const SECONDS: u32 = 2;

/// The switch of delay accounting (5.14).
const SWITCH: &str = "/proc/sys/kernel/task_delayacct";
/// Everything that a program does that only reads a disk, as far as `--method delays` tells it.
pub const OF_READER: &str = "select total(seconds) filter (where class_name = 'disk_read') as waited, \
    total(seconds) filter (where class_name in ('user', 'kernel', 'cpu_queue')) as own \
    from task_time where name = 'dd'";

pub fn trials() -> Vec<Trial> {
    let nobody = &[Need::Root, Need::Tool("setpriv")];
    let counts = &[Need::Root, Need::File(SWITCH)];
    vec![
        crate::trial("methods::root".to_owned(), crate::LEDGER, root),
        crate::trial("methods::delays-counted".to_owned(), counts, delays_counted),
        crate::trial("methods::nobody".to_owned(), nobody, nobody_may),
    ]
}

fn root() -> Result<()> {
    let heldup = Heldup::found()?;
    let expected = [
        ("auto", Method::Ebpf),
        ("ebpf", Method::Ebpf),
        ("sampling", Method::Sampling),
        ("delays", Method::Delays),
    ];
    answers(&heldup, &expected)?;
    ensure!(doctor(&heldup)?.contains("uses ebpf"), "doctor does not say what auto uses");
    Ok(())
}

/// Waits for a disk from the kernel's counts: what `dd` did not run or queue it waited.
fn delays_counted() -> Result<()> {
    let _counted = KernelSetting::set(SWITCH, "1")?;
    let scratch = Scratch::new("counted")?;
    let data = scratch.file_on_disk("data", 32 << 20)?;
    let input = format!("if={}", data.display());
    let words = ["--method", "delays", "--format", "json", "--", "dd", &input];
    let heldup = Heldup::found()?;
    let output = heldup.run(&[&words[..], &["of=/dev/null", "bs=64k", "iflag=direct"]].concat())?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    let rows = heldup.sql_last(OF_READER)?;
    let number = |at: usize| rows.first().and_then(|row| row.get(at)).and_then(Value::as_f64);
    let took = said.split("copied, ").nth(1).and_then(|rest| rest.split(' ').next());
    let took: f64 = took.and_then(|took| took.parse().ok()).with_context(|| format!("not of dd: {said}"))?;
    adds_up(took, number(0), number(1))
}

/// What `dd` took against what it waited and what it ran and queued.
pub fn adds_up(took: f64, waited: Option<f64>, own: Option<f64>) -> Result<()> {
    let (waited, own) = (waited.context("no waits")?, own.context("no time")?);
    ensure!(waited > 0.0 && waited <= took, "waited {waited} s of {took} s");
    // What it does before and after the clock that it prints is `own` too. What is neither is the
    // way from a wake-up to a CPU that idled, which the kernel counts as no class of time.
    let rest = (took - own).max(0.0);
    ensure!(waited >= 0.5 * rest, "waited {waited} s, ran and queued {own} s, of {took} s");
    Ok(())
}

fn nobody_may() -> Result<()> {
    let heldup = for_everybody()?.under(NOBODY);
    let lesser = [("auto", Method::Sampling), ("sampling", Method::Sampling), ("delays", Method::Delays)];
    answers(&heldup, &lesser)?;
    let Err(error) = heldup.examine_with(SECONDS, &["--method", "ebpf"]) else {
        anyhow::bail!("eBPF was used without the right to");
    };
    let said = format!("{error:#}");
    ensure!(said.contains("run as root") && said.contains("heldup doctor"), "no clear error: {said}");
    ensure!(doctor(&heldup)?.contains("uses sampling"), "doctor does not say what auto uses");
    Ok(())
}

fn answers(heldup: &Heldup, expected: &[(&str, Method)]) -> Result<()> {
    for (method, used) in expected {
        let examination = heldup.examine_with(SECONDS, &["--method", method])?.examination;
        ensure!(examination.host.method == *used, "{method}: {:?}", examination.host.method);
        ensure!(!examination.ledger.classes.is_empty(), "{method}: no time of anybody");
    }
    Ok(())
}

fn doctor(heldup: &Heldup) -> Result<String> {
    let output = heldup.run(&["doctor", "--format", "json"])?;
    ensure!(output.status.success(), "heldup doctor: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
