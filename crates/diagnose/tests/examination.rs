//! Several rules over one capture: ranks, causes and symptoms, the ledger, what is left out.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use heldup_diagnose::{
    Diagnosis, Focus, Options, Ruleset, Sample, Setting, diagnose, diagnose_with, small_capture,
};
use heldup_model::tables::{
    CpuTimeRow, DbMetricRow, DbWaitRow, DiskRow, FilesystemRow, StackRow, TaskTimeRow,
};
use heldup_model::{Capture, Class, ImpactKind, Method, Missing, Record, RowSet, Severity};

const SAMPLES: i64 = 10;
const OWN_PID: i64 = 99;

fn sample<R: Record>(at: i64, rows: impl IntoIterator<Item = R>) -> Sample {
    Sample { at, secs: Some(1.0), rows: RowSet::increases(rows) }
}

fn task(pid: i64, name: &str, class: Class, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(pid),
        start_ms: Some(0),
        class_name: Some(class.name().into()),
        group_name: Some(class.group().name().into()),
        pid: Some(pid),
        name: Some(name.into()),
        process_name: Some(name.into()),
        kernel_thread: Some(name.starts_with('k')),
        seconds: Some(seconds),
        waits: Some(20),
        ..TaskTimeRow::default()
    }
}

fn wait_on_vdb(pid: i64, name: &str, class: Class, seconds: f64) -> StackRow {
    StackRow {
        kind: Some("wait".into()),
        tid: Some(pid),
        pid: Some(pid),
        name: Some(name.into()),
        process_name: Some(name.into()),
        kernel_thread: Some(false),
        class_name: Some(class.name().into()),
        object_device: Some("vdb".into()),
        seconds: Some(seconds),
        ..StackRow::default()
    }
}

/// A device with that many requests in flight.
fn disk(device: &str, depth: f64) -> DiskRow {
    DiskRow {
        device: Some(device.into()),
        kind: Some("disk".into()),
        reads: Some(500),
        read_s: Some(depth - 0.5),
        writes: Some(20),
        write_s: Some(0.5),
        busy_s: Some(1.0),
        queue_s: Some(depth),
        ..DiskRow::default()
    }
}

/// A database whose commits wait behind a copy on the same device; a full file system;
/// and one busy thread that harms nobody.
fn troubled() -> Capture {
    let filesystem = |mount: &str, device: &str, available: i64| FilesystemRow {
        mount: Some(mount.into()),
        dev_id: Some(device.into()),
        device: Some(device.into()),
        fs_type: Some("ext4".into()),
        read_only: Some(false),
        size_bytes: Some(10_000_000_000),
        free_bytes: Some(available),
        available_bytes: Some(available),
        ..FilesystemRow::default()
    };
    let every_second = (1..=SAMPLES).flat_map(|at| {
        let tasks = [
            task(10, "walwriter", Class::DiskSync, 0.9),
            task(10, "walwriter", Class::User, 0.02),
            task(11, "cp", Class::DiskRead, 0.3),
            task(12, "gzip", Class::User, 0.99),
            task(13, "kworker/0:1", Class::Kernel, 0.1),
            task(OWN_PID, "heldup", Class::User, 0.05),
        ];
        let cpus = [0.99, 0.3].iter().zip(0..).map(|(busy, cpu)| CpuTimeRow {
            cpu_idx: Some(cpu),
            busy_s: Some(*busy),
            idle_s: Some(1.0 - busy),
            switches: Some(100),
        });
        let disks = [disk("vdb", 9.5), disk("vda", 1.5)];
        [sample(at, tasks), sample(at, cpus), sample(at, disks)]
    });
    // Of two thirds of the commits' waits nobody saw which device they were for.
    let unseen = StackRow { object_device: None, ..wait_on_vdb(10, "walwriter", Class::DiskSync, 6.0) };
    let at_the_end = [
        sample(
            SAMPLES,
            [
                wait_on_vdb(10, "walwriter", Class::DiskSync, 3.0),
                unseen,
                wait_on_vdb(11, "cp", Class::DiskRead, 2.9),
            ],
        ),
        sample(SAMPLES, [filesystem("/db", "vdb", 5_000_000_000), filesystem("/logs", "vdc", 0)]),
    ];
    small_capture(Setting { samples: SAMPLES, ..Setting::default() }, every_second.chain(at_the_end))
}

fn examined(focus: Option<&str>) -> Diagnosis {
    let focus = focus.map(|focus| focus.parse::<Focus>().unwrap());
    let options = Options { own_pid: Some(OWN_PID), focus, clock: None };
    let answer = diagnose_with(&troubled(), &Ruleset::builtin(), &options);
    assert!(answer.errors.is_empty(), "{:#?}", answer.errors);
    answer
}

fn keys(answer: &Diagnosis) -> Vec<&str> {
    answer.findings.iter().map(|finding| finding.key.as_str()).collect()
}

#[test]
fn failure_first_then_the_cause_before_its_symptom_and_information_last() {
    let answer = examined(None);
    assert_eq!(
        keys(&answer),
        [
            "fs.full/mount:/logs",
            "disk.saturated/device:vdb",
            "disk.sync-bound/mount:/db",
            "cpu.single-thread/thread:gzip"
        ]
    );
    let [full, cause, symptom, alone] = answer.findings.as_slice() else { panic!("four findings") };
    assert_eq!(full.impact.kind, ImpactKind::Failure);
    assert!(symptom.cost > cause.cost, "the symptom ranks below its cause although it is larger");
    assert_eq!(symptom.because, std::slice::from_ref(&cause.key));
    assert_eq!(cause.explains, std::slice::from_ref(&symptom.key));
    assert_eq!(alone.severity, Severity::Info);
}

/// A rule about a wait event says more about it: it stands below the event, unless it is worse.
#[test]
fn a_detail_stands_below_what_it_is_about() {
    let database = |wait_share: f64, parse_s: f64| {
        let wait = |event: &str, wait_share: f64| DbWaitRow {
            instance: Some("orcl".into()),
            event_name: Some(event.into()),
            waits: Some(100_000),
            wait_s: Some(10_000.0 * wait_share),
            wait_share: Some(wait_share),
            ..DbWaitRow::default()
        };
        let metric = |name: &str, value: f64| DbMetricRow {
            instance: Some("orcl".into()),
            metric_name: Some(name.into()),
            value: Some(value),
        };
        let of_report = |rows| Sample { at: 600, secs: Some(600.0), rows };
        let metrics = [
            metric("db_time_s", 10_000.0),
            metric("hard_parses_per_s", 300.0),
            metric("hard_parse_elapsed_time_s", parse_s),
        ];
        let waits = [wait("library cache: mutex X", wait_share), wait("log file sync", 0.3)];
        let setting = Setting { samples: 600, method: Method::Imported, ..Setting::default() };
        let samples = [of_report(RowSet::increases(waits)), of_report(RowSet::increases(metrics))];
        diagnose(&small_capture(setting, samples), &Ruleset::builtin())
    };
    let answer = database(0.4, 1_000.0);
    let [mutex, parse, commit, sync, ..] = answer.findings.as_slice() else { panic!("{:?}", keys(&answer)) };
    let ids = [mutex, parse, commit, sync].map(|one| one.id.as_str());
    assert_eq!(ids, ["db.top-wait", "db.parse", "db.top-wait", "db.log-sync"]);
    assert_eq!((parse.detail_of.as_ref(), &parse.explains[..]), (Some(&mutex.key), &[mutex.key.clone()][..]));
    assert_eq!(mutex.because, [parse.key.clone()]);
    let worse = database(0.15, 5_000.0);
    let parse = worse.findings.iter().find(|one| one.id == "db.parse").unwrap();
    assert_eq!((parse.severity, parse.detail_of.as_ref()), (Severity::Critical, None));
    assert_eq!(worse.findings[0].key, parse.key, "the cause first");
}

#[test]
fn the_ledger_is_of_user_tasks_without_heldup_itself() {
    let answer = examined(None);
    assert!((answer.ledger.waiting_seconds - 12.0).abs() < 1e-9, "{}", answer.ledger.waiting_seconds);
    assert!((answer.ledger.active_seconds - 22.1).abs() < 1e-9, "{}", answer.ledger.active_seconds);
    let names: Vec<&str> = answer.ledger.classes.iter().map(|class| class.class_name.as_str()).collect();
    assert_eq!(names, ["user", "disk_sync", "disk_read"]);
    assert_eq!(answer.ledger.kernel_threads.len(), 1);
    assert_eq!(answer.ledger.kernel_threads[0].tasks[0].name, "kworker/0:1");
}

#[test]
fn the_ledger_names_twenty_programs_and_the_others() {
    const NAMES: [&str; 25] = [
        "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T",
        "U", "V", "W", "X", "Y",
    ];
    let tasks = (0..25).map(|n| task(100 + n, NAMES[n as usize], Class::User, 0.1 + n as f64 / 100.0));
    let capture = small_capture(Setting::default(), [sample(1, tasks)]);
    let answer = diagnose(&capture, &Ruleset::default());
    let user = &answer.ledger.classes[0];
    assert_eq!(user.tasks.len(), 21);
    assert_eq!(user.tasks[0].pid, Some(124));
    assert_eq!((user.tasks[20].name.as_str(), user.tasks[20].tasks), ("(others)", Some(5)));
    let shown: f64 = user.tasks.iter().filter_map(|task| task.seconds).sum();
    assert!((shown - user.seconds).abs() < 1e-9);
}

#[test]
fn two_hundred_tasks_of_a_program_are_one_entry_of_the_ledger() {
    let tasks = (0..200).map(|n| task(100 + n, "many", Class::CpuQueue, 0.9)).chain([task(
        7,
        "one",
        Class::CpuQueue,
        0.5,
    )]);
    let capture = small_capture(Setting::default(), [sample(1, tasks)]);
    let answer = diagnose(&capture, &Ruleset::default());
    let [many, one] = answer.ledger.classes[0].tasks.as_slice() else { panic!("two programs") };
    assert_eq!((many.name.as_str(), many.tasks, one.tasks), ("many", Some(200), None));
    let (many, one) = (many.seconds.unwrap(), one.seconds.unwrap());
    assert!((many - 180.0).abs() < 1e-9, "{many}");
    assert!((many + one - answer.ledger.classes[0].seconds).abs() < 1e-9, "they sum to the class");
}

#[test]
fn a_focus_sees_its_own_process_only() {
    let answer = examined(Some("pid:12"));
    assert_eq!(answer.ledger.classes.len(), 1);
    assert!((answer.ledger.active_seconds - 9.9).abs() < 1e-9);
}

#[test]
fn what_a_source_said_about_a_gap_is_repeated() {
    let mut capture = small_capture(Setting::default(), []);
    capture.missing.push(Missing {
        what: "task_time".into(),
        why: "not allowed to use eBPF".into(),
        how: "run as root".into(),
    });
    let answer = diagnose(&capture, &Ruleset::builtin());
    let saturated = answer.not_checked.iter().find(|not_checked| not_checked.id == "cpu.saturated").unwrap();
    assert_eq!(saturated.missing, "task_time: not allowed to use eBPF");
    assert_eq!(saturated.how, "run as root");
}

#[test]
fn confidence_falls_with_coverage() {
    let mut capture = troubled();
    let before = diagnose(&capture, &Ruleset::builtin()).findings[0].confidence;
    capture.coverage = 0.5;
    let after = diagnose(&capture, &Ruleset::builtin()).findings[0].confidence;
    assert!((after - before / 2.0).abs() < 0.011, "{before} {after}");
}
