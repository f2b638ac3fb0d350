//! The ledger without eBPF: what the scheduler's own counters of each thread tell.
//!
//! Only three classes can be told: CPU in user mode, CPU in the kernel, and waiting for a
//! CPU. The rest of a thread's time is `unknown`: it may have been idle or held up.
//! The kernel's figures are too high after idle wake-ups on virtual machines, and its run
//! delay contains throttling; that is said with the method, not corrected.

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

/// The ledger of an interval of `secs`, from the increases of every thread's counters.
pub fn task_time(threads: &RowSet, processes: &HashMap<i64, ProcessLabels>, secs: f64) -> RowSet {
    let column = |values: &[Option<f64>], row: usize| values.get(row).copied().flatten();
    let unknown = ProcessLabels::default();
    let mut rows = Vec::with_capacity(threads.len * 2);
    for row in 0..threads.len {
        let ticks_user = column(threads.floats("user_s"), row);
        let ticks_system = column(threads.floats("system_s"), row);
        let run = column(threads.floats("run_s"), row).or(ticks_user.zip(ticks_system).map(|(u, s)| u + s));
        // A thread without an earlier reading has no increase: it is left out, not counted as idle.
        let Some(run) = run else { continue };
        let seconds = split(run, column(threads.floats("run_delay_s"), row), ticks_user, ticks_system, secs);
        let pid = threads.ints("pid").get(row).copied().flatten();
        let labels = pid.and_then(|pid| processes.get(&pid)).unwrap_or(&unknown);
        let owner = labels.cgroup.as_deref().map(owner_of_cgroup).unwrap_or_default();
        rows.extend(seconds.into_iter().filter(|(_, s)| *s > 0.0).map(|(class, s)| TaskTimeRow {
            tid: threads.ints("tid").get(row).copied().flatten(),
            start_ms: threads.ints("start_ms").get(row).copied().flatten(),
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
            in_command: None,
        }));
    }
    RowSet::increases(rows)
}

/// Splits an interval into the four classes that the counters can tell; they add up to it.
fn split(
    run: f64,
    delay: Option<f64>,
    ticks_user: Option<f64>,
    ticks_system: Option<f64>,
    secs: f64,
) -> [(Class, f64); 4] {
    let run = run.min(secs);
    let queue = delay.unwrap_or(0.0).min(secs - run);
    // Ticks are coarse (10 ms), the scheduler's run time is fine: split the latter by the former.
    let user_share = match (ticks_user.unwrap_or(0.0), ticks_system.unwrap_or(0.0)) {
        (0.0, 0.0) => 1.0,
        (user, system) => user / (user + system),
    };
    [
        (Class::User, run * user_share),
        (Class::Kernel, run * (1.0 - user_share)),
        (Class::CpuQueue, queue),
        (Class::Unknown, secs - run - queue),
    ]
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::ThreadRow;

    use super::*;

    fn classes(thread: ThreadRow, secs: f64) -> Vec<(String, f64)> {
        let rows = task_time(&RowSet::increases([thread]), &HashMap::new(), secs);
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
    fn counters_beyond_the_interval_are_cut() {
        let thread = ThreadRow { run_s: Some(1.7), run_delay_s: Some(0.4), ..Default::default() };
        assert_eq!(classes(thread, 1.0), [("user".to_owned(), 1.0)]);
    }

    #[test]
    fn a_thread_without_an_increase_is_left_out() {
        assert!(classes(ThreadRow::default(), 1.0).is_empty());
    }
}
