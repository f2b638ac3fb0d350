//! The ledger without eBPF: what the scheduler's own counters of each thread tell.
//!
//! CPU in user mode, CPU in the kernel, and waiting for a CPU are always told. Where the kernel
//! counts delays (taskstats), waits for swapped pages and for block I/O are too, the latter
//! by what the thread moved more of: reads from devices or writes to them. The rest of
//! a thread's time is `unknown`: it may have been idle or held up. The kernel's figures are
//! too high after idle wake-ups on virtual machines, and its run delay contains throttling; that
//! is said with the method, not corrected.

use std::collections::HashMap;

use heldup_model::tables::TaskTimeRow;
use heldup_model::{Class, RowSet, Text, owner_of_cgroup};

/// What is known of a thread's process beside the thread's own counters.
#[derive(Clone, Debug, Default)]
pub struct ProcessLabels {
    /// Name of the first thread.
    pub name: Option<Text>,
    /// Control group.
    pub cgroup: Option<Text>,
}

/// The ledger of an interval of `secs` that ended at `end_ms`, milliseconds since 1970-01-01 UTC, from
/// the increases of every thread's counters. Who was born within it has the time since.
pub fn task_time(
    threads: &RowSet,
    processes: &HashMap<i64, ProcessLabels>,
    secs: f64,
    end_ms: i64,
) -> RowSet {
    let column = |values: &[Option<f64>], row: usize| values.get(row).copied().flatten();
    let unknown = ProcessLabels::default();
    let mut rows = Vec::with_capacity(threads.len * 2);
    for row in 0..threads.len {
        let ticks_user = column(threads.floats("user_s"), row);
        let ticks_system = column(threads.floats("system_s"), row);
        let run = column(threads.floats("run_s"), row).or(ticks_user.zip(ticks_system).map(|(u, s)| u + s));
        // A thread without an earlier reading has no increase: it is left out, not counted as idle.
        let Some(run) = run else { continue };
        let counted = |column: &str| threads.ints(column).get(row).copied().flatten().unwrap_or(0);
        let waits = Waits {
            block_io: column(threads.floats("block_io_delay_s"), row).unwrap_or(0.0),
            swap_in: column(threads.floats("swap_in_delay_s"), row).unwrap_or(0.0),
            read_bytes: counted("device_read_bytes"),
            write_bytes: counted("device_write_bytes"),
        };
        let delay = column(threads.floats("run_delay_s"), row);
        let start_ms = threads.ints("start_ms").get(row).copied().flatten();
        // Births are known to a tick: who ran for longer than that says was there for longer.
        let life = start_ms.map_or(secs, |start_ms| (end_ms - start_ms) as f64 / 1e3);
        let secs = life.max(run + delay.unwrap_or(0.0)).clamp(0.0, secs);
        let seconds = split(run, delay, ticks_user, ticks_system, &waits, secs);
        let pid = threads.ints("pid").get(row).copied().flatten();
        let labels = pid.and_then(|pid| processes.get(&pid)).unwrap_or(&unknown);
        let owner = labels.cgroup.as_deref().map(owner_of_cgroup).unwrap_or_default();
        rows.extend(seconds.into_iter().filter(|(_, s)| *s > 0.0).map(|(class, s)| TaskTimeRow {
            tid: threads.ints("tid").get(row).copied().flatten(),
            start_ms,
            class_name: Some(class.name().into()),
            group_name: Some(class.group().name().into()),
            pid,
            name: threads.texts("name").get(row).cloned().flatten(),
            process_name: labels.name.clone(),
            kernel_thread: threads.bools("kernel_thread").get(row).copied().flatten(),
            cgroup: labels.cgroup.clone(),
            unit: owner.unit.clone(),
            container: owner.container.clone(),
            exited: Some(false),
            seconds: Some(s),
            error_s: None,
            waits: None,
            idle_elsewhere_s: None,
            in_command: None,
        }));
    }
    RowSet::increases(rows)
}

/// What a thread waited for as the kernel counts it, and what it moved.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    block_io: f64,
    swap_in: f64,
    read_bytes: i64,
    write_bytes: i64,
}

impl Waits {
    /// Of waits for block I/O. None where the thread moved nothing itself: it may have waited
    /// for a journal, or idly for a ring (the kernel counts that as block I/O too, 6.1).
    fn disk(&self) -> Class {
        match (self.read_bytes, self.write_bytes) {
            (0, 0) => Class::Unknown,
            (read, write) if read >= write => Class::DiskRead,
            _ => Class::DiskWrite,
        }
    }
}

/// Splits an interval into the classes that the counters can tell; they add up to it.
fn split(
    run: f64,
    delay: Option<f64>,
    ticks_user: Option<f64>,
    ticks_system: Option<f64>,
    waits: &Waits,
    secs: f64,
) -> [(Class, f64); 6] {
    let run = run.min(secs);
    let queue = delay.unwrap_or(0.0).min(secs - run);
    // Ticks are coarse (10 ms), the scheduler's run time is fine: split the latter by the former.
    let user_share = match (ticks_user.unwrap_or(0.0), ticks_system.unwrap_or(0.0)) {
        (0.0, 0.0) => 1.0,
        (user, system) => user / (user + system),
    };
    let rest = secs - run - queue;
    let swap_in = waits.swap_in.min(rest);
    let block_io = (waits.block_io - waits.swap_in).clamp(0.0, rest - swap_in);
    let told = if waits.disk() == Class::Unknown { 0.0 } else { block_io };
    [
        (Class::User, run * user_share),
        (Class::Kernel, run * (1.0 - user_share)),
        (Class::CpuQueue, queue),
        (Class::MemSwapIn, swap_in),
        (waits.disk(), told),
        (Class::Unknown, rest - swap_in - told),
    ]
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::ThreadRow;

    use super::*;

    fn classes(thread: ThreadRow, secs: f64) -> Vec<(String, f64)> {
        let rows = task_time(&RowSet::increases([thread]), &HashMap::new(), secs, 10_000);
        let names = rows.texts("class_name").iter().flatten().map(|name| name.to_string());
        names.zip(rows.floats("seconds").iter().copied().flatten()).collect()
    }

    #[test]
    fn classes_add_up_to_the_interval() {
        let thread = ThreadRow {
            user_s: Some(0.3),
            system_s: Some(0.1),
            run_s: Some(0.5),
            run_delay_s: Some(0.2),
            ..Default::default()
        };
        let classes = classes(thread, 1.0);
        let names: Vec<_> = classes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["user", "kernel", "cpu_queue", "unknown"]);
        let total: f64 = classes.iter().map(|(_, seconds)| seconds).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        assert!((classes[0].1 - 0.375).abs() < 1e-9, "three quarters of the run time are user: {classes:?}");
    }

    #[test]
    fn counted_waits_are_told_and_never_exceed_the_rest() {
        let reader = ThreadRow {
            run_s: Some(0.1),
            block_io_delay_s: Some(0.5),
            swap_in_delay_s: Some(0.2),
            device_read_bytes: Some(4096),
            device_write_bytes: Some(0),
            ..Default::default()
        };
        let told = |row: &ThreadRow, secs| {
            let classes = classes(row.clone(), secs);
            let total: f64 = classes.iter().map(|(_, seconds)| seconds).sum();
            assert!((total - secs).abs() < 1e-9, "{classes:?}");
            classes.into_iter().map(|(name, s)| format!("{name} {s:.1}")).collect::<Vec<_>>()
        };
        assert_eq!(told(&reader, 1.0), ["user 0.1", "mem_swap_in 0.2", "disk_read 0.3", "unknown 0.4"]);
        assert_eq!(told(&reader, 0.4), ["user 0.1", "mem_swap_in 0.2", "disk_read 0.1"]);
        let writer = ThreadRow { device_write_bytes: Some(8192), ..reader.clone() };
        assert_eq!(told(&writer, 1.0)[2], "disk_write 0.3");
        let neither = ThreadRow { device_read_bytes: None, ..reader };
        assert_eq!(told(&neither, 1.0), ["user 0.1", "mem_swap_in 0.2", "unknown 0.7"]);
    }

    #[test]
    fn a_thread_has_no_time_before_its_birth() {
        let born = ThreadRow { start_ms: Some(9_750), run_s: Some(0.1), ..Default::default() };
        let told: Vec<_> = classes(born.clone(), 1.0).into_iter().map(|(_, seconds)| seconds).collect();
        assert!((told[1] - 0.15).abs() < 1e-9, "{told:?}");
        let before = ThreadRow { start_ms: Some(1), ..born };
        assert!((classes(before, 1.0)[1].1 - 0.9).abs() < 1e-9);
    }

    #[test]
    fn counters_beyond_the_interval_are_cut() {
        let thread = ThreadRow { run_s: Some(1.7), run_delay_s: Some(0.4), ..Default::default() };
        assert_eq!(classes(thread, 1.0), [("user".to_owned(), 1.0)]);
    }

    #[test]
    fn a_thread_without_an_increase_is_left_out() {
        assert!(classes(ThreadRow::default(), 1.0).is_empty());
    }
}
