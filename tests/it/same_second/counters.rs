//! Counters, and the files that the kernel shows them in.

use anyhow::{Context, Result, ensure};
use heldup_testkit::control_group::Controller;
use heldup_testkit::needs::Need;

use super::{Seen, TableTest, by_path, sums};
use crate::classic::{Numbers, held_between};

/// A test for each table of counters that no tool but the kernel's own text shows.
pub const TESTS: &[TableTest] = &[
    ("cgroup", &[Need::Controller(Controller::Cpu)], cgroup),
    ("cpu_time", &[Need::File("/sys/kernel/btf/vmlinux")], cpu_time),
    ("cpuidle", &[Need::File("/sys/devices/system/cpu/cpu0/cpuidle/state0")], cpuidle),
    ("irq", &[], irq),
    ("irq_cpu", &[], irq_cpu),
    ("object_time", &[Need::File("/sys/kernel/btf/vmlinux")], object_time),
    ("pressure", &[Need::File("/proc/pressure/cpu")], pressure),
    ("process-counters", &[], process),
    ("softirq", &[], softirq),
    ("softnet", &[], softnet),
    ("stack", &[Need::File("/sys/kernel/btf/vmlinux")], stack),
    ("thread-counters", &[Need::File("/proc/self/schedstat")], thread),
];

/// A table of text: a column for each name in its first line, a line for each name before a colon.
fn crossed(text: &str) -> Vec<(String, Vec<f64>)> {
    let mut lines = text.lines();
    let columns = lines.next().unwrap_or_default().split_whitespace().count();
    let of_line = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let numbers = rest.split_whitespace().take(columns).map_while(|word| word.parse().ok()).collect();
        Some((name.trim().to_owned(), numbers))
    };
    lines.filter_map(of_line).collect()
}

/// Each number of such a table under `LINE COLUMN`.
fn by_cpu(text: &str) -> Numbers {
    let cells = |(name, numbers): (String, Vec<f64>)| {
        numbers.into_iter().enumerate().map(move |(cpu, number)| (format!("{name} {cpu}"), number))
    };
    crossed(text).into_iter().flat_map(cells).collect()
}

/// Columns are those of the CPUs that are online, which the tests' machines all are from 0 on.
fn softirq(seen: &Seen) -> Result<()> {
    let columns = [
        ("HI", "hi"),
        ("TIMER", "timer"),
        ("NET_TX", "net_tx"),
        ("NET_RX", "net_rx"),
        ("BLOCK", "block"),
        ("IRQ_POLL", "irq_poll"),
        ("TASKLET", "tasklet"),
        ("SCHED", "sched"),
        ("HRTIMER", "hrtimer"),
        ("RCU", "rcu"),
    ];
    seen.counted(&sums("softirq", "cpu_idx", &columns), "softirqs", by_cpu, &[])
}

fn irq_cpu(seen: &Seen) -> Result<()> {
    let query = "select irq || ' ' || cpu_idx as name, cast(sum(interrupts) as real) from irq_cpu group by 1";
    seen.counted(query, "interrupts", by_cpu, &[])
}

/// All CPUs together, of interrupts with a number: the others are of the processors' own.
fn irq(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let of_line = |(name, numbers): (String, Vec<f64>)| (name, numbers.iter().sum());
        crossed(text).into_iter().map(of_line).collect()
    };
    let query = "select irq, cast(sum(interrupts) as real) from irq group by irq";
    seen.counted(query, "interrupts", read, &[])
}

/// Hexadecimal columns, of which the first three are the same since 2.6; the number of the CPU is
/// the thirteenth (5.10), before that the lines are the CPUs in order.
fn softnet(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let mut numbers = Numbers::new();
        for (line_no, line) in text.lines().enumerate() {
            let words: Vec<u64> =
                line.split(' ').filter_map(|word| u64::from_str_radix(word, 16).ok()).collect();
            let cpu = words.get(12).copied().unwrap_or(line_no as u64);
            for (name, value) in ["processed", "dropped", "squeezed"].into_iter().zip(&words) {
                numbers.insert(format!("{name} {cpu}"), *value as f64);
            }
        }
        numbers
    };
    let columns = [("processed", "processed"), ("dropped", "dropped"), ("squeezed", "time_squeezes")];
    seen.counted(&sums("softnet", "cpu_idx", &columns), "softnet_stat", read, &[])
}

/// Microseconds; who reads brings them up to date.
fn pressure(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let of_line = |(path, line): (&str, &str)| {
            let resource = path.rsplit('/').next()?;
            let total: f64 = line.rsplit("total=").next()?.parse().ok()?;
            Some((format!("{} {resource}", line.split(' ').next()?), total / 1e6))
        };
        by_path(text).filter_map(of_line).collect()
    };
    let query = sums("pressure", "resource", &[("some", "some_s"), ("full", "full_s")]);
    seen.counted(&query, "pressure", read, &["some cpu"])
}

/// Numbers by `cpuN stateN` of their paths.
fn of_states(text: &str) -> Numbers {
    let of_line = |(path, number): (&str, &str)| {
        let parts: Vec<&str> = path.split('/').collect();
        Some((format!("{} {}", parts.get(5)?, parts.get(7)?), number.parse().ok()?))
    };
    by_path(text).filter_map(of_line).collect()
}

fn cpuidle(seen: &Seen) -> Result<()> {
    let query = |column: &str| {
        format!(
            "select 'cpu' || cpu_idx || ' state' || state_idx as name, cast(sum({column}) as real) \
             from cpuidle group by 1"
        )
    };
    // Microseconds there; a sum of differences of so many seconds is rounded.
    for (name, column, slack) in [("cpuidle", "entries", 0.0), ("cpuidle-time", "1e6 * time_s", 1.0)] {
        let (ours, theirs) = (seen.numbers(&query(column))?, seen.growth(name, of_states));
        ensure!(!ours.is_empty() && ours.keys().eq(theirs.keys()), "{ours:?}\n{theirs:?}");
        // A busy machine is never idle.
        held_between(&ours, &theirs, &[], slack)?;
    }
    Ok(())
}

/// The group's own files: of v1 nanoseconds, of v2 microseconds.
fn cgroup(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let scale = |name: &str| match name {
            "throttled_time" => 1e-9,
            "throttled_usec" | "usage_usec" | "user_usec" | "system_usec" => 1e-6,
            _ => 1.0,
        };
        crate::classic::name_first(text)
            .into_iter()
            .map(|(name, number)| {
                let scaled = number * scale(&name);
                (name, scaled)
            })
            .collect()
    };
    let name = seen.load.group.rsplit('/').next().unwrap_or_default();
    let one = |(theirs, column): &(&str, &str)| {
        format!(
            "select '{theirs}' as name, cast(sum({column}) as real) from cgroup where path like '%{name}'"
        )
    };
    let columns = [
        ("nr_periods", "periods"),
        ("nr_throttled", "throttled_periods"),
        ("throttled_time", "throttled_s"),
        ("throttled_usec", "throttled_s"),
        ("usage_usec", "cpu_s"),
        ("user_usec", "cpu_user_s"),
        ("system_usec", "cpu_system_s"),
    ];
    let query = columns.iter().map(one).collect::<Vec<_>>().join(" union all ");
    seen.counted(&query, "cgroup", read, &["nr_periods"])
}

/// Switches of all CPUs, as our program counts them and as the kernel does. A host may hide tasks
/// from eBPF programs: half a percent.
fn cpu_time(seen: &Seen) -> Result<()> {
    let query = "select 'ctxt', cast(sum(switches) as real) from cpu_time";
    let counted = seen.numbers(query)?.get("ctxt").copied().unwrap_or_default();
    seen.counted_within(query, "stat", crate::classic::name_first, &["ctxt"], 0.005 * counted)
}

/// Stacks stand for parts of what a thread waited in a class, and for nothing else: never for more
/// than the account has, but for what lies around it: a wait that is open at both ends of the window
/// is read with its stack a moment earlier and later than for the account (30 ms were met).
fn object_time(seen: &Seen) -> Result<()> {
    let told = "select pid, class_name, total(seconds) as seconds, total(object_name is not null) as named \
                from object_time group by 1, 2";
    let rows = seen.heldup.sql_last(&format!(
        "select o.pid, o.class_name, o.seconds, coalesce(t.seconds, 0.0), o.named, t.threads from ({told}) as o \
         left join (select pid, class_name, total(seconds) as seconds, count(distinct tid) as threads \
                    from task_time group by 1, 2) as t \
         on t.pid = o.pid and t.class_name = o.class_name",
    ))?;
    let mut named = 0.0;
    for row in &rows {
        let number = |at: usize| row[at].as_f64().with_context(|| format!("{row:?}"));
        let (objects, account) = (number(2)?, number(3)?);
        let threads = row[5].as_f64().unwrap_or(1.0);
        let says = format!("objects for {objects} s of {account} s: {row:?}");
        ensure!(objects <= account * 1.01 + 0.1 * threads, "{says}");
        named += if number(4)? > 0.0 { objects } else { 0.0 };
    }
    ensure!(
        named > 1.0,
        "who waits for a lock all the time has its object: {named} s in {} rows",
        rows.len()
    );
    Ok(())
}

fn stack(seen: &Seen) -> Result<()> {
    let rows = seen.heldup.sql_last(
        "select s.tid, s.class_name, s.seconds, coalesce(t.seconds, 0.0) from \
         (select tid, class_name, total(seconds) as seconds from stack where kind = 'wait' group by 1, 2) as s \
         left join (select tid, class_name, total(seconds) as seconds from task_time group by 1, 2) as t \
         on t.tid = s.tid and t.class_name = s.class_name",
    )?;
    let mut all = 0.0;
    for row in &rows {
        let seconds = |at: usize| row[at].as_f64().with_context(|| format!("{row:?}"));
        let (stacks, account) = (seconds(2)?, seconds(3)?);
        ensure!(stacks <= account * 1.01 + 0.1, "stacks for {stacks} s of {account} s: {row:?}");
        all += stacks;
    }
    ensure!(all > 1.0, "who waits for a lock all the time has its stack: {all} s in {} rows", rows.len());
    Ok(())
}

/// Fields of `stat` behind the name: user and system ticks are the 14th and 15th, minor faults
/// the 10th (proc(5)).
fn process(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let words: Vec<f64> = text
            .rsplit_once(") ")
            .map_or("", |(_, rest)| rest)
            .split(' ')
            .map(|word| word.trim().parse().unwrap_or_default())
            .collect();
        let named = [("minor faults", 7), ("user ticks", 11), ("system ticks", 12)];
        named.into_iter().filter_map(|(name, at)| Some((name.to_owned(), *words.get(at)?))).collect()
    };
    let query = format!(
        "select 'minor faults', cast(sum(minor_faults) as real) from process where pid = {pid} \
         union all select 'user ticks', 100 * sum(user_s) from process where pid = {pid} \
         union all select 'system ticks', 100 * sum(system_s) from process where pid = {pid}",
        pid = seen.load.forks
    );
    seen.counted(&query, "stat-of-forks", read, &["system ticks"])
}

/// What the scheduler counts: nanoseconds on a CPU, and waiting for one.
fn thread(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let mut numbers = Numbers::new();
        for (path, line) in by_path(text) {
            let tid = path.split('/').nth(4).unwrap_or_default();
            for (name, word) in ["run", "delay"].into_iter().zip(line.split(' ')) {
                numbers.insert(format!("{name} {tid}"), word.parse().unwrap_or(0.0) / 1e9);
            }
        }
        numbers
    };
    let of_process = format!("(select * from thread where pid = {})", seen.load.spin);
    let query = sums(&of_process, "tid", &[("run", "run_s"), ("delay", "run_delay_s")]);
    seen.counted(&query, "schedstat", read, &[])
}
