//! The vital signs on the first screen are those that the kernel's own counters give for the same time. The run queue
//! is not among them: the kernel has no counter of all tasks that waited, and those of each task go with it.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use heldup_model::Vitals;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::{block_stat, meminfo_bytes};
use heldup_testkit::loop_device::{Backing, LoopDevice};
use heldup_testkit::needs::Need;
use heldup_testkit::running::Running;
use libtest_mimic::Trial;

const NEEDS: &[Need] = &[
    Need::Root,
    Need::File("/sys/kernel/btf/vmlinux"),
    Need::File("/proc/pressure/cpu"),
    Need::Tool("fio"),
    Need::Tool("losetup"),
    Need::File("/dev/loop-control"),
];

/// Seconds that are examined. What begins and ends the program is a small part of the time between the readings.
const WINDOW_S: u32 = 20;
/// A share, or a number of tasks, may differ by so much, or by [`RELATIVE`] of itself: the readings are taken
/// before and after the window, not at its ends.
const ABSOLUTE: f64 = 0.1;
const RELATIVE: f64 = 0.02;
/// A share may differ by two hundredths.
const SHARE: f64 = 0.02;

pub fn trials() -> Vec<Trial> {
    vec![crate::trial("vitals::as-in-proc".to_owned(), NEEDS, vitals_are_those_of_proc)]
}

/// What `/proc` and `/sys` count at one moment.
struct Reading {
    /// Ticks of all CPUs that were not idle, and all.
    busy: f64,
    ticks: f64,
    /// Microseconds with a task that waited for a CPU.
    stalled_us: f64,
    memory_used: f64,
    /// Requests, their milliseconds, and milliseconds times requests in flight.
    requests: f64,
    requests_ms: f64,
    in_flight_ms: f64,
    uptime_s: f64,
}

fn number(word: Option<&str>) -> Result<f64> {
    let word = word.context("too few words")?;
    word.parse().with_context(|| format!("no number: {word}"))
}

impl Reading {
    fn now(device: &str) -> Result<Reading> {
        let stat = fs::read_to_string("/proc/stat")?;
        let cpu: Vec<f64> = stat
            .lines()
            .next()
            .context("/proc/stat is empty")?
            .split_whitespace()
            .skip(1)
            .take(8)
            .map(|word| number(Some(word)))
            .collect::<Result<_>>()?;
        let ticks: f64 = cpu.iter().sum();
        let idle: f64 = cpu.iter().skip(3).take(2).sum();
        let pressure = fs::read_to_string("/proc/pressure/cpu")?;
        let stalled_us = number(pressure.lines().next().and_then(|line| line.split("total=").nth(1)))?;
        let of_disk = |field| block_stat(device, field).map(|value| value as f64);
        let (available, total) = (meminfo_bytes("MemAvailable")?, meminfo_bytes("MemTotal")?);
        Ok(Reading {
            busy: ticks - idle,
            ticks,
            stalled_us,
            memory_used: 1.0 - available as f64 / total as f64,
            requests: of_disk(0)? + of_disk(4)?,
            requests_ms: of_disk(3)? + of_disk(7)?,
            in_flight_ms: of_disk(10)?,
            uptime_s: number(fs::read_to_string("/proc/uptime")?.split(' ').next())?,
        })
    }
}

fn near(what: &str, shown: Option<f64>, counted: f64, absolute: f64) -> Result<()> {
    let shown = shown.with_context(|| format!("{what} is not shown"))?;
    let off = (shown - counted).abs();
    ensure!(off <= absolute || off <= RELATIVE * counted.abs(), "{what}: {shown} shown, {counted} counted");
    Ok(())
}

/// Three that spin, and a reader of a disk that nobody else uses.
fn vitals_are_those_of_proc() -> Result<()> {
    let device = LoopDevice::new("vitals", 64 << 20, Backing::Direct)?;
    let name = device.name().to_owned();
    let heldup = Heldup::found()?;
    let _spinning = Running::program("spin", &[&"3", &"3", &"60", &"1000"])?;
    let mut fio = Command::new("fio");
    fio.args([
        "--name=reads",
        "--rw=randread",
        "--bs=4k",
        "--direct=1",
        "--ioengine=psync",
        "--rate_iops=200",
    ]);
    fio.args(["--time_based", "--runtime=60", "--output=/dev/null", "--filename"]).arg(device.path());
    let _reading = Running::start(fio)?;
    let before = Reading::now(&name)?;
    let examination = heldup.examine(WINDOW_S)?.examination;
    let after = Reading::now(&name)?;

    let vitals: Vitals = examination.vitals;
    let grown = |of: fn(&Reading) -> f64| of(&after) - of(&before);
    let seconds = grown(|reading| reading.uptime_s);
    near("CPU", vitals.cpu_busy, grown(|reading| reading.busy) / grown(|reading| reading.ticks), SHARE)?;
    near("PSI cpu", vitals.pressure.cpu, grown(|reading| reading.stalled_us) / 1e6 / seconds, SHARE)?;
    near("mem", vitals.memory_used, f64::midpoint(before.memory_used, after.memory_used), SHARE)?;
    let disk = vitals.disk.context("no disk is shown")?;
    ensure!(disk.device == name, "tasks wait for {name} only, {} is shown", disk.device);
    let depth = grown(|reading| reading.in_flight_ms) / 1e3 / seconds;
    near("depth", disk.depth, depth, ABSOLUTE)?;
    let latency = grown(|reading| reading.requests_ms) / 1e3 / grown(|reading| reading.requests);
    near("latency in ms", disk.latency_s.map(|s| s * 1e3), latency * 1e3, ABSOLUTE)
}
