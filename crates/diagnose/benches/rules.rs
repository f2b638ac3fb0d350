//! What a hundred rules cost on a window of 15 s with 50 processes: CPU milliseconds.
//!
//! The built-in rules, repeated to a hundred, over one-second samples of a machine with
//! one trouble (a database whose commits wait for the disk), which one of the built-in
//! rules finds. Prints `100 rules, 15 s window: N ms`; the bar is 10 ms. Beside it
//! stands what they cost when every second of the window is full of every trouble, and
//! what each rule takes then.
//!
//! Rules whose tables this window lacks answer "not checked" for next to
//! nothing and thin the figure out: give the window rows of a table when a rule needs it.

#![allow(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use heldup_archive::Database;
use heldup_diagnose::{Options, Ruleset, Sample, Setting, diagnose_with, small_capture};
use heldup_model::tables::{
    CgroupRow, CpuTimeRow, DiskRow, FilesystemRow, NetProtoRow, PressureRow, ProcessRow, SettingRow,
    SocketRow, StackRow, TaskTimeRow, ThreadRow, VmstatRow,
};
use heldup_model::{Capture, Class, Group, Record, RowSet};

const SAMPLES: i64 = 15;
const PROCESSES: i64 = 50;
const RULES: usize = 100;
/// The median of this many runs is printed.
const RUNS: usize = 15;

/// What is wrong with the machine of the window.
#[derive(Clone, Copy, PartialEq)]
enum Trouble {
    Commits,
    Everything,
}

fn main() {
    let mut rules = Ruleset::builtin();
    let ten = rules.rules.clone();
    rules.rules = ten.iter().cycle().take(RULES).cloned().collect();
    let everything = window(Trouble::Everything);
    let (worst_ms, by_rule) = run(&everything, &rules, ten.len());
    let database = Database::open(&everything).expect("a capture of our own opens");
    let (ms, with_one) = run(&window(Trouble::Commits), &rules, ten.len());
    println!(
        "  rule; microseconds of considered, sql, all with culprits and victims (every trouble at once), all (one)"
    );
    for ((rule, us), one) in ten.iter().zip(by_rule).zip(with_one) {
        let (considered, sql) = (time_us(&database, &rule.considered), time_us(&database, &rule.sql));
        println!("  {:24} {considered:6.0} {sql:6.0} {us:6.0} {one:6.0}", rule.id);
    }
    println!("  100 rules, every trouble at once: {worst_ms:.1} ms");
    println!("100 rules, 15 s window: {ms:.1} ms");
}

/// Median milliseconds of all rules, and mean microseconds of each of the first `different`.
fn run(capture: &Capture, rules: &Ruleset, different: usize) -> (f64, Vec<f64>) {
    let options = Options { clock: Some(heldup_hostfs::thread_cpu_ns), ..Options::default() };
    let mut totals = Vec::new();
    let mut by_rule = vec![0.0; different];
    for _ in 0..RUNS {
        let answer = diagnose_with(capture, rules, &options);
        assert!(answer.errors.is_empty(), "{:?}", answer.errors);
        assert!(!answer.findings.is_empty());
        totals.push(answer.rule_costs.iter().map(|cost| cost.cpu_s).sum::<f64>() * 1e3);
        for (at, cost) in answer.rule_costs.iter().enumerate() {
            by_rule[at % different] += cost.cpu_s * 1e6 / (RUNS * RULES / different) as f64;
        }
    }
    totals.sort_by(f64::total_cmp);
    (totals[RUNS / 2], by_rule)
}

/// CPU time of one query, the median of the runs.
fn time_us(database: &Database, sql: &str) -> f64 {
    let mut times: Vec<u64> = (0..RUNS)
        .map(|_| {
            let begun = heldup_hostfs::thread_cpu_ns();
            let answer = database.query(sql);
            assert!(answer.is_ok(), "{answer:?}");
            heldup_hostfs::thread_cpu_ns() - begun
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2] as f64 / 1e3
}

fn window(trouble: Trouble) -> Capture {
    let setting = Setting { samples: SAMPLES, ..Setting::default() };
    let every_second = (1..=SAMPLES).flat_map(|at| {
        [
            sample(at, 1.0, (0..PROCESSES).flat_map(|n| task_time(n, trouble))),
            sample(at, 1.0, (0..2).map(|cpu| cpu_time(cpu, trouble))),
            sample(at, 1.0, ["vda", "vdb", "loop0"].map(|device| disk(device, trouble))),
            sample(at, 1.0, (0..20).map(|n| cgroup(n, trouble))),
            sample(at, 1.0, (0..60).map(|n| net_proto(n, trouble))),
            sample(at, 1.0, [vmstat(trouble)]),
            sample(at, 1.0, ["cpu", "memory", "io"].map(pressure)),
        ]
    });
    let at_the_end = [
        sample(SAMPLES, 15.0, (0..PROCESSES).map(process)),
        sample(SAMPLES, 15.0, (0..PROCESSES).map(thread)),
        sample(SAMPLES, 15.0, (0..200).map(stack)),
        sample(SAMPLES, 15.0, (0..40).map(socket)),
        sample(SAMPLES, 15.0, (0..8).map(filesystem)),
        sample(SAMPLES, 15.0, (0..60).map(config)),
    ];
    small_capture(setting, every_second.chain(at_the_end))
}

fn sample<R: Record>(at: i64, secs: f64, rows: impl IntoIterator<Item = R>) -> Sample {
    Sample { at, secs: Some(secs), rows: RowSet::increases(rows) }
}

fn group_path(n: i64) -> String {
    format!("/system.slice/service-{}.service", n % 20)
}

/// What a task's time goes into: every one idles and runs a little, one in five queues
/// for a CPU, one in ten waits for something else.
fn task_time(n: i64, trouble: Trouble) -> Vec<TaskTimeRow> {
    let waits: &[Class] = match trouble {
        Trouble::Commits => &[Class::DiskSync],
        Trouble::Everything => {
            &[Class::DiskSync, Class::DiskRead, Class::LockUser, Class::LockInode, Class::DiskFault]
        }
    };
    let classes = [
        Some(Class::Poll),
        Some(Class::User),
        (n % 5 == 0).then_some(Class::CpuQueue),
        (n % 10 == 1).then_some(waits[(n / 10) as usize % waits.len()]),
    ];
    let rows = classes.into_iter().flatten().map(|class| TaskTimeRow {
        tid: Some(1000 + n),
        start_ms: Some(0),
        class_name: Some(class.name().into()),
        group_name: Some(class.group().name().into()),
        pid: Some(1000 + n),
        name: Some(format!("task-{n}").into()),
        process_name: Some(format!("task-{n}").into()),
        kernel_thread: Some(n % 10 == 0),
        cgroup: Some(group_path(n).into()),
        seconds: Some(if class.group() == Group::Waiting { 0.3 } else { 0.03 }),
        waits: Some(5),
        ..TaskTimeRow::default()
    });
    rows.collect()
}

fn cpu_time(cpu: i64, trouble: Trouble) -> CpuTimeRow {
    let busy = if trouble == Trouble::Everything { 0.95 } else { 0.5 };
    CpuTimeRow { cpu_idx: Some(cpu), busy_s: Some(busy), idle_s: Some(1.0 - busy), switches: Some(1000) }
}

fn disk(device: &str, trouble: Trouble) -> DiskRow {
    let depth = if trouble == Trouble::Everything { 9.0 } else { 0.9 };
    DiskRow {
        device: Some(device.into()),
        kind: Some(if device == "loop0" { "loop" } else { "disk" }.into()),
        backing: (device == "loop0").then(|| "vda".into()),
        reads: Some(500),
        read_s: Some(depth - 0.1),
        read_bytes: Some(2_000_000),
        writes: Some(100),
        write_s: Some(0.1),
        write_bytes: Some(400_000),
        busy_s: Some(1.0),
        queue_s: Some(depth),
        ..DiskRow::default()
    }
}

fn cgroup(n: i64, trouble: Trouble) -> CgroupRow {
    let all = trouble == Trouble::Everything;
    CgroupRow {
        path: Some(group_path(n).into()),
        version: Some("v2".into()),
        cpu_s: Some(0.05),
        periods: Some(10),
        throttled_periods: Some(i64::from(all && n == 3) * 5),
        throttled_s: Some(0.1),
        cpu_quota: (n == 3).then_some(0.5),
        refault_file_pages: Some(i64::from(all) * (n % 3) * 100),
        memory_bytes: Some(50_000_000),
        ..CgroupRow::default()
    }
}

fn net_proto(n: i64, trouble: Trouble) -> NetProtoRow {
    let value = if trouble == Trouble::Everything { 1 } else { n % 2 };
    let name = if n == 0 { "TcpExtListenOverflows".to_string() } else { format!("TcpExtCounter{n}") };
    NetProtoRow { netns: Some(1), name: Some(name.into()), value: Some(value) }
}

fn vmstat(trouble: Trouble) -> VmstatRow {
    let refaults = if trouble == Trouble::Everything { 2000 } else { 0 };
    VmstatRow { refault_file_pages: Some(refaults), ..VmstatRow::default() }
}

fn pressure(resource: &str) -> PressureRow {
    PressureRow { resource: Some(resource.into()), some_s: Some(0.1), ..PressureRow::default() }
}

fn process(n: i64) -> ProcessRow {
    ProcessRow {
        pid: Some(1000 + n),
        start_ms: Some(0),
        name: Some(format!("task-{n}").into()),
        cgroup: Some(group_path(n).into()),
        read_bytes: Some(1_000_000 * n),
        write_bytes: Some(100_000),
        ..ProcessRow::default()
    }
}

fn thread(n: i64) -> ThreadRow {
    ThreadRow { tid: Some(1000 + n), start_ms: Some(0), pid: Some(1000 + n), ..ThreadRow::default() }
}

fn stack(n: i64) -> StackRow {
    let class = [Class::DiskRead, Class::DiskSync, Class::LockUser, Class::LockInode][n as usize % 4];
    StackRow {
        kind: Some("wait".into()),
        tid: Some(1000 + n % PROCESSES),
        pid: Some(1000 + n % PROCESSES),
        name: Some(format!("task-{}", n % PROCESSES).into()),
        class_name: Some(class.name().into()),
        kernel_stack: Some("entry_SYSCALL_64;do_syscall_64;vfs_read;io_schedule".into()),
        object_kind: Some("inode".into()),
        object_name: Some(format!("/data/{}", n % 7).into()),
        object_device: Some("vdb".into()),
        waker_tid: Some(1000 + (n + 1) % PROCESSES),
        waker_pid: Some(1000 + (n + 1) % PROCESSES),
        waker_name: Some("waker".into()),
        seconds: Some(0.3),
        ..StackRow::default()
    }
}

fn socket(n: i64) -> SocketRow {
    SocketRow {
        netns: Some(1),
        protocol: Some("tcp".into()),
        local_addr: Some("0.0.0.0".into()),
        local_port: Some(8000 + n),
        inode: Some(n),
        state: Some(if n < 10 { "listen" } else { "established" }.into()),
        receive_queue: Some(n % 2),
        backlog_max: Some(128),
        ..SocketRow::default()
    }
}

fn filesystem(n: i64) -> FilesystemRow {
    FilesystemRow {
        mount: Some(format!("/mnt/{n}").into()),
        dev_id: Some(format!("8:{n}").into()),
        device: Some("vdb".into()),
        fs_type: Some("ext4".into()),
        read_only: Some(false),
        size_bytes: Some(1 << 40),
        free_bytes: Some(1 << 39),
        available_bytes: Some(1 << 39),
        ..FilesystemRow::default()
    }
}

fn config(n: i64) -> SettingRow {
    SettingRow {
        setting_key: Some(if n == 0 { "net.core.somaxconn".into() } else { format!("vm.setting{n}").into() }),
        setting_value: Some("4096".into()),
        ..SettingRow::default()
    }
}
