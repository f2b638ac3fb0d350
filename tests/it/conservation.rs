//! Nothing of a task's or a CPU's time is lost or counted twice, and the ledger agrees
//! with the kernel where the kernel is right.

use std::any::Any;
use std::ffi::OsStr;

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::cpus;
use heldup_testkit::programs;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;
use serde_json::Value;

/// Seconds to look for.
const SECONDS: u32 = 6;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, crate::Run); 4] = [
        ("conservation::cpus", cpus_are_met),
        ("conservation::hogs", hogs_agree_with_the_kernel),
        ("conservation::naps", naps_show_who_is_right),
        ("conservation::tasks", tasks_are_met),
    ];
    tests.into_iter().map(|(name, run)| crate::trial(name.to_owned(), crate::LEDGER, run)).collect()
}

/// A little of everything: computing, contention, sleep and disk.
fn mixed_load() -> Result<Vec<Box<dyn Any>>> {
    let scratch = Scratch::new("mixed")?;
    let cached = scratch.file_on_disk("data", 32 << 20)?;
    Ok(vec![
        Box::new(Running::program("spin", &[&"2", &"1", &"60", &"50"])?),
        Box::new(Running::program("mutex_fight", &[&"3", &"2000", &"sleep"])?),
        Box::new(Running::program("paced_reader", &[&cached])?),
        Box::new(Running::program("small_syncs", &[&scratch.path(), &"1"])?),
        Box::new(scratch),
    ])
}

/// Each task that lived through the window: its classes sum to the window within 0.1 %.
fn tasks_are_met() -> Result<()> {
    let heldup = Heldup::found()?;
    let load = mixed_load()?;
    heldup.examine(SECONDS)?;
    drop(load);
    // A task that started within the window, or ended in it, has less; so has one that
    // the reader met for the first time after its first sample.
    let rows = heldup.sql_last(
        "with span as materialized (select sum(secs) as whole, count(*) as samples, min(time - secs * 1000) as \
         since_ms from (select distinct time, secs from task_time)) \
         select t.tid, min(t.name), sum(t.seconds), s.whole, count(distinct t.time), s.samples \
         from task_time t cross join span s where t.start_ms < s.since_ms \
         group by t.tid, t.start_ms having max(coalesce(t.exited, 0)) = 0",
    )?;
    let mut wrong = Vec::new();
    for row in &rows {
        let [tid, _, seconds, whole, samples, all] = numbers_of(row)?;
        if samples == all && (seconds / whole - 1.0).abs() > 0.001 {
            wrong.push(format!("{tid} {}: {seconds:.4} s of {whole:.4} s", row[1]));
        }
    }
    ensure!(rows.len() > 10, "only {} tasks", rows.len());
    ensure!(wrong.is_empty(), "{} of {} tasks:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    Ok(())
}

/// Each CPU: busy and idle, both measured at the switches, make up the window within 0.5 %.
fn cpus_are_met() -> Result<()> {
    let heldup = Heldup::found()?;
    let load = mixed_load()?;
    heldup.examine(SECONDS)?;
    drop(load);
    let rows = heldup.sql_last(
        "select cpu_idx, sum(busy_s), sum(idle_s), sum(secs) from cpu_time group by cpu_idx order by 1",
    )?;
    ensure!(rows.len() == cpus(), "{} CPUs in the ledger, {} on the machine", rows.len(), cpus());
    for row in &rows {
        let [cpu, busy, idle, whole] = numbers_of(row)?;
        let sum = busy + idle;
        ensure!((sum / whole - 1.0).abs() <= 0.005, "CPU {cpu}: {busy:.4} + {idle:.4} s of {whole:.4} s");
    }
    Ok(())
}

/// Tasks that never sleep: the kernel's own figure is right, and the ledger's is the same
/// within 0.5 %.
fn hogs_agree_with_the_kernel() -> Result<()> {
    let heldup = Heldup::found()?;
    let threads = cpus().to_string();
    let hogs = Running::program("spin", &[&threads, &threads, &"100", &"1000"])?;
    heldup.examine(SECONDS)?;
    let rows = heldup.sql_last(&format!(
        "with kernel as materialized (select tid, sum(run_s) as run_s from thread where pid = {pid} group by tid) \
         select k.tid, k.run_s, sum(t.seconds) from kernel k join task_time t on t.tid = k.tid \
         where t.class_name in ('user', 'kernel') group by k.tid having k.run_s > 1",
        pid = hogs.pid()
    ))?;
    ensure!(rows.len() == cpus(), "{} hogs found, {} made", rows.len(), cpus());
    for row in &rows {
        let [tid, kernel, ledger] = numbers_of(row)?;
        let off = ledger / kernel - 1.0;
        ensure!(
            off.abs() <= 0.005,
            "hog {tid}: ledger {ledger:.4} s, kernel {kernel:.4} s ({:.2} %)",
            off * 100.0
        );
    }
    Ok(())
}

/// A task that sleeps and wakes knows how long it computed. The ledger must be right;
/// the kernel's figure may not be, on a virtual machine (stale run-queue clock after an
/// idle wake-up).
fn naps_show_who_is_right() -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let scratch = Scratch::new("naps")?;
    let said = scratch.path().join("said");
    let script = format!("'{}' {SECONDS} 300 700 > '{}'", programs::built("naps")?.display(), said.display());
    heldup.examine_command(&["sh", "-c", &script].map(OsStr::new))?;
    let line = std::fs::read_to_string(&said)?;
    let figures: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [own, kernel, naps, tid] = figures.as_slice() else { bail!("naps said {line:?}") };
    let rows = heldup.sql_last(&format!(
        "select sum(seconds) from task_time where tid = {tid} and class_name in ('user', 'kernel')"
    ))?;
    let [ledger] = numbers_of(rows.first().context("no rows")?)?;
    let (own, kernel) = (own / 1e9, kernel / 1e9);
    let (ledger_off, kernel_off) = (ledger / own - 1.0, kernel / own - 1.0);
    let all = format!(
        "{naps} naps: computed {own:.4} s, ledger {ledger:.4} s ({:+.2} %), kernel {kernel:.4} s ({:+.2} %)",
        ledger_off * 100.0,
        kernel_off * 100.0
    );
    eprintln!("conservation::naps: {all}");
    // Starting the program and switching are on the CPU too, and not in its own figure.
    ensure!(ledger_off.abs() <= 0.02 || ledger_off.abs() <= kernel_off.abs(), "{all}");
    Ok(())
}

/// The numbers of a row; text counts as 0.
fn numbers_of<const N: usize>(row: &[Value]) -> Result<[f64; N]> {
    let numbers: Vec<f64> = row.iter().map(|value| value.as_f64().unwrap_or(0.0)).collect();
    numbers.try_into().map_err(|_| anyhow::anyhow!("a row of {} columns: {row:?}", row.len()))
}
