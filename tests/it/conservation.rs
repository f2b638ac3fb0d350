//! Nothing of a task's or a CPU's time is lost or counted twice, and the ledger agrees
//! with programs that clock themselves.

use std::any::Any;
use std::ffi::OsStr;

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::{cpus, online_cpus};
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
        ("conservation::hogs", hogs_agree_with_their_own_clocks),
        ("conservation::naps", naps_agree_with_their_own_clock),
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
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in &rows {
        let [tid, _, seconds, whole, samples, all] = numbers_of(row)?;
        if samples != all {
            continue;
        }
        compared += 1;
        if (seconds / whole - 1.0).abs() > 0.001 {
            wrong.push(format!("{tid} {}: {seconds:.4} s of {whole:.4} s", row[1]));
        }
    }
    eprintln!("conservation::tasks: {compared} of {} tasks are in every sample", rows.len());
    ensure!(compared > 10, "only {compared} of {} tasks are in every sample", rows.len());
    ensure!(wrong.is_empty(), "{} of {compared} tasks:\n{}", wrong.len(), wrong.join("\n"));
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
    let cpus = online_cpus();
    ensure!(rows.len() == cpus, "{} CPUs in the ledger, {cpus} on the machine", rows.len());
    for row in &rows {
        let [cpu, busy, idle, whole] = numbers_of(row)?;
        let sum = busy + idle;
        ensure!((sum / whole - 1.0).abs() <= 0.005, "CPU {cpu}: {busy:.4} + {idle:.4} s of {whole:.4} s");
    }
    Ok(())
}

/// Tasks that never sleep.
fn hogs_agree_with_their_own_clocks() -> Result<()> {
    agree_with_their_own_clocks("hogs", cpus(), 0)
}

/// A task that sleeps and wakes: here the kernel's figure may be wrong, on a virtual machine
/// (stale run-queue clock after an idle wake-up).
fn naps_agree_with_their_own_clock() -> Result<()> {
    let_settle()?;
    agree_with_their_own_clocks("naps", 1, 700)
}

/// Time on the CPU that the ledger may have differently from a program's own clock.
const OFF_AT_MOST: f64 = 0.005;
/// The same for each switch, in seconds: the interrupt that leads to it, the way into the
/// kernel and out of it are on the CPU too, and not in a program's own figure.
const SWITCH_AT_MOST_S: f64 = 20e-6;

/// What a program said of its own time on the CPU.
struct Clocked {
    own_s: f64,
    kernel_s: f64,
    switches: f64,
    tid: f64,
}

/// Programs that clock their own bursts have in the ledger what they clocked, whatever else
/// runs on the machine. A host that takes the CPU away right before a switch can spoil the
/// program's figure; the kernel's is the second witness then. Both must be against the ledger.
fn agree_with_their_own_clocks(name: &str, programs: usize, nap_us: u32) -> Result<()> {
    let heldup = Heldup::found()?;
    let scratch = Scratch::new("naps")?;
    let said = scratch.path().join("said");
    let one =
        format!("'{}' {SECONDS} 2000 {nap_us} >> '{}' &", programs::built("naps")?.display(), said.display());
    let script = format!("{} wait", one.repeat(programs));
    heldup.examine_command(&["sh", "-c", &script].map(OsStr::new))?;
    let text = std::fs::read_to_string(&said)?;
    let clocked = text.lines().map(read_clocked).collect::<Result<Vec<Clocked>>>()?;
    ensure!(clocked.len() == programs, "{programs} programs ran and said {text:?}");
    let mut wrong = Vec::new();
    for one in &clocked {
        let rows = heldup.sql_last(&format!(
            "select sum(seconds) from task_time where tid = {} and class_name in ('user', 'kernel')",
            one.tid
        ))?;
        let [ledger] = numbers_of(rows.first().context("no rows")?)?;
        let (ledger_off, kernel_off) = (ledger - one.own_s, one.kernel_s - one.own_s);
        let all = format!(
            "{} switches: computed {:.4} s, ledger {ledger:.4} s ({:+.2} %), kernel {:.4} s ({:+.2} %)",
            one.switches,
            one.own_s,
            ledger_off / one.own_s * 100.0,
            one.kernel_s,
            kernel_off / one.own_s * 100.0
        );
        eprintln!("conservation::{name}: {all}");
        let (near, edges) = (OFF_AT_MOST * one.own_s, SWITCH_AT_MOST_S * one.switches);
        let as_clocked = ledger_off >= -near && ledger_off <= near + edges;
        if !as_clocked && (ledger - one.kernel_s).abs() > near + edges {
            wrong.push(all);
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn read_clocked(line: &str) -> Result<Clocked> {
    let figures: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [own, kernel, switches, tid] = figures.as_slice() else { bail!("naps said {line:?}") };
    Ok(Clocked { own_s: own / 1e9, kernel_s: kernel / 1e9, switches: *switches, tid: *tid })
}

/// The numbers of a row; text counts as 0.
fn numbers_of<const N: usize>(row: &[Value]) -> Result<[f64; N]> {
    let numbers: Vec<f64> = row.iter().map(|value| value.as_f64().unwrap_or(0.0)).collect();
    numbers.try_into().map_err(|_| anyhow::anyhow!("a row of {} columns: {row:?}", row.len()))
}
