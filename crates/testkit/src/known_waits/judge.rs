//! Compares what threads clocked with what the ledger says. Pure.
//!
//! A clocked wait is longer than the wait itself: it holds the delay until the task runs
//! again after its wake-up, and the call's own time on the CPU. Both belong to other
//! classes (`cpu_queue`, `user`, `kernel`), rightly. So these are taken off the clocked
//! time as the ledger has them, less what the thread spent outside of its clocked calls,
//! where it does nothing else. What is left must be in the right class. The delay and the
//! CPU time cannot hide a wrong answer: every other class is held to one percent, the
//! right class may not exceed what was clocked, and they may not be most of it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// Least share of the clocked time that must be in the right class.
const RIGHT_AT_LEAST: f64 = 0.97;
/// Largest share of the clocked time that may be in any wrong class.
const WRONG_AT_MOST: f64 = 0.01;
/// Largest share of the clocked time that may be the call's own CPU time and the delay
/// after wake-ups; above it the run says nothing about waiting.
const OWN_AT_MOST: f64 = 0.8;
/// A thread's secondary wait is judged when it is at least this share of its waits.
const JUDGED_FROM: f64 = 0.1;

/// A thread that waited for less of its life (locks are not fair, and one may have it all) says
/// nothing; another of its name has to.
const WAITED_AT_LEAST: f64 = 0.01;

/// What one thread clocked for one class.
#[derive(Clone, Debug, PartialEq)]
pub struct Clocked {
    /// Name of the known wait.
    pub name: String,
    /// Thread id.
    pub tid: i64,
    /// The class that is right.
    pub class_name: String,
    /// Seconds waited.
    pub seconds: f64,
    /// Waits.
    pub calls: u64,
    /// Seconds that the thread lived.
    pub life: f64,
}

/// What the ledger has for one thread and class.
#[derive(Clone, Debug, PartialEq)]
pub struct Accounted {
    /// Thread id.
    pub tid: i64,
    /// Class.
    pub class_name: String,
    /// Seconds.
    pub seconds: f64,
}

/// Reads lines of `NAME TID CLASS WAITED_NS CALLS LIFE_NS`.
pub fn read_clocked(text: &str) -> Result<Vec<Clocked>> {
    text.lines().map(|line| read_line(line).with_context(|| format!("clocked waits: {line}"))).collect()
}

fn read_line(line: &str) -> Result<Clocked> {
    let words: Vec<&str> = line.split(' ').collect();
    let [name, tid, class_name, waited, calls, life] = words.as_slice() else { bail!("expected six words") };
    Ok(Clocked {
        name: (*name).to_owned(),
        tid: tid.parse()?,
        class_name: (*class_name).to_owned(),
        seconds: waited.parse::<f64>()? / 1e9,
        calls: calls.parse()?,
        life: life.parse::<f64>()? / 1e9,
    })
}

/// Everything in which the ledger differs from the clocks by more than the bars allow.
pub fn complaints(clocked: &[Clocked], accounted: &[Accounted]) -> Vec<String> {
    let mut threads: BTreeMap<i64, Vec<&Clocked>> = BTreeMap::new();
    for one in clocked {
        threads.entry(one.tid).or_default().push(one);
    }
    let (judged, rest): (Vec<_>, Vec<_>) = threads.iter().partition(|(_, waits)| says_something(waits));
    let mut complaints: Vec<String> = judged
        .iter()
        .flat_map(|(tid, waits)| complaints_of_thread(waits, &ledger_of(**tid, accounted)))
        .collect();
    for name in rest.iter().filter_map(|(_, waits)| waits.first()).map(|wait| &wait.name) {
        if !judged.iter().any(|(_, waits)| waits.iter().any(|wait| wait.name == *name)) {
            complaints.push(format!("{name}: no thread waited for long enough to be judged"));
        }
    }
    complaints
}

fn says_something(waits: &[&Clocked]) -> bool {
    let life = waits.first().map_or(0.0, |wait| wait.life);
    waits.iter().map(|wait| wait.seconds).sum::<f64>() >= WAITED_AT_LEAST * life
}

type Ledger<'a> = BTreeMap<&'a str, f64>;

fn ledger_of(tid: i64, accounted: &[Accounted]) -> Ledger<'_> {
    let rows = accounted.iter().filter(|row| row.tid == tid);
    rows.map(|row| (row.class_name.as_str(), row.seconds)).collect()
}

fn complaints_of_thread(waits: &[&Clocked], ledger: &Ledger) -> Vec<String> {
    let [first, ..] = waits else { return Vec::new() };
    let waited: f64 = waits.iter().map(|wait| wait.seconds).sum();
    let is_right = |class: &str| waits.iter().any(|wait| wait.class_name == class);
    let own_classes = own_classes(&first.class_name);
    let own_total: f64 = ledger
        .iter()
        .filter(|(class, _)| own_classes.contains(class) && !is_right(class))
        .map(|(_, s)| s)
        .sum();
    // Outside of its clocked calls the thread is on a CPU or waits for one.
    let outside = (first.life - waited).max(0.0);
    let own = (own_total - outside).max(0.0);

    let mut complaints = Vec::new();
    if own > OWN_AT_MOST * waited {
        complaints
            .push(format!("{own:.3} s of CPU time and queue within the waits is too much to judge them"));
    }
    for wait in waits.iter().filter(|wait| wait.seconds >= JUDGED_FROM * waited) {
        let right = ledger.get(wait.class_name.as_str()).copied().unwrap_or(0.0);
        let least = RIGHT_AT_LEAST * (wait.seconds - own);
        // A hole too short to be counted, or a wait outside of the clocked calls, shows here.
        let most =
            wait.seconds + WRONG_AT_MOST * waited + if on_cpu(&wait.class_name) { outside } else { 0.0 };
        if right < least || right > most {
            complaints
                .push(format!("{} is {right:.3} s, should be {least:.3} to {most:.3}", wait.class_name));
        }
    }
    for (class, seconds) in ledger {
        let allowed = is_right(class) || own_classes.contains(class);
        // A thread that clocks its time in the kernel is in user mode between the calls.
        let most = WRONG_AT_MOST * waited + if on_cpu(class) { outside } else { 0.0 };
        if !allowed && *seconds > most {
            complaints.push(format!("{class} is {seconds:.3} s, should be none"));
        }
    }
    let about = describe(waits, ledger);
    complaints.into_iter().map(|complaint| format!("{}: {complaint} [{about}]", first.name)).collect()
}

/// Classes that are part of a clocked time without being wrong.
fn own_classes(class_name: &str) -> &'static [&'static str] {
    match class_name {
        // Time on a CPU is in one of the two: the other is as wrong as any class.
        "user" | "kernel" => &["cpu_queue"],
        _ => &["user", "kernel", "cpu_queue"],
    }
}

/// Classes that a thread is in outside of its clocked calls too.
fn on_cpu(class_name: &str) -> bool {
    matches!(class_name, "user" | "kernel" | "cpu_queue")
}

fn describe(waits: &[&Clocked], ledger: &Ledger) -> String {
    let clocked: Vec<String> = waits
        .iter()
        .map(|wait| format!("{} {:.3} s in {} calls", wait.class_name, wait.seconds, wait.calls))
        .collect();
    let shares: Vec<String> =
        ledger.iter().filter(|(_, s)| **s >= 0.0005).map(|(class, s)| format!("{class} {s:.3}")).collect();
    let life = waits.first().map_or(0.0, |wait| wait.life);
    format!("clocked {}; lived {life:.3} s; ledger {}", clocked.join(", "), shares.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clocked: &str, ledger: &[(&str, f64)], expected: usize) {
        let clocked = read_clocked(clocked).unwrap();
        let accounted: Vec<Accounted> = ledger
            .iter()
            .map(|(class, seconds)| Accounted { tid: 7, class_name: (*class).to_owned(), seconds: *seconds })
            .collect();
        let found = complaints(&clocked, &accounted);
        assert_eq!(found.len(), expected, "{found:#?}");
    }

    const READ: &str = "read 7 disk_read 2000000000 100 2000000000";

    #[test]
    fn what_is_right_passes() {
        check(READ, &[("disk_read", 1.99), ("kernel", 0.01)], 0);
    }

    #[test]
    fn the_delay_after_a_wake_up_is_part_of_the_clocked_time() {
        check(READ, &[("disk_read", 1.5), ("kernel", 0.3), ("cpu_queue", 0.2)], 0);
    }

    #[test]
    fn too_little_in_the_right_class_is_seen() {
        check(READ, &[("disk_read", 1.8), ("kernel", 0.01)], 1);
    }

    #[test]
    fn more_than_was_clocked_is_seen() {
        check(READ, &[("disk_read", 2.1)], 1);
    }

    #[test]
    fn a_wrong_class_is_seen_beside_the_right_one() {
        check(READ, &[("disk_read", 1.95), ("unknown", 0.04)], 1);
    }

    #[test]
    fn a_thread_that_the_ledger_does_not_know_is_seen() {
        check(READ, &[], 1);
    }

    #[test]
    fn computing_between_the_waits_is_not_part_of_them() {
        let lock = "mutex 7 lock_user 1000000000 10 2000000000\nmutex 7 timer 5000000 10 2000000000";
        check(lock, &[("lock_user", 0.99), ("timer", 0.005), ("user", 1.0)], 0);
        // Half of the wait missing: CPU time outside of the waits must not make up for it.
        check(lock, &[("lock_user", 0.5), ("timer", 0.005), ("user", 1.0)], 1);
    }

    #[test]
    fn user_and_kernel_time_do_not_stand_in_for_each_other() {
        check("kernel 7 kernel 2000000000 9 2000000000", &[("user", 2.0)], 2);
        // Between the calls it is in user mode, but no longer than that.
        check("kernel 7 kernel 2000000000 9 2100000000", &[("kernel", 2.0), ("user", 0.1)], 0);
        check("kernel 7 kernel 2000000000 9 2100000000", &[("kernel", 1.96), ("user", 0.14)], 1);
    }

    #[test]
    fn somebody_has_to_have_waited() {
        let never = "mutex 8 lock_user 1000000 900 2000000000";
        check(never, &[], 1);
        check(&format!("{never}\nmutex 7 lock_user 1900000000 9 2000000000"), &[("lock_user", 1.9)], 0);
    }

    #[test]
    fn a_malformed_line_names_itself() {
        let error = read_clocked("read 7 disk_read").unwrap_err();
        assert!(format!("{error:#}").contains("read 7 disk_read"));
    }
}
