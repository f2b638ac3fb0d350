//! A made-up capture of any size, the same on every run: for tests of the machinery,
//! where what the numbers say does not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use heldup_model::tables::{CpuRow, DiskRow, HostRow, ProcessRow, SystemRow, TaskTimeRow};
use heldup_model::{Capture, Class, Flaw, Method, Missing, Record, RowSet, Span, Stamp, Text};

/// Start of the window.
pub const SINCE_MS: i64 = 1_763_700_000_000;

/// How much there is of everything.
#[derive(Clone, Copy)]
pub struct Size {
    pub samples: i64,
    pub processes: i64,
    pub tasks: i64,
}

/// Numbers without a pattern (Marsaglia's xorshift64), the same on every run.
pub struct Numbers(u64);

impl Numbers {
    /// Numbers from a seed that is not 0.
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn seconds(&mut self) -> Option<f64> {
        // Now and then a value is missing, as on a real machine.
        (self.next(20) > 0).then(|| self.next(1000) as f64 / 1000.0)
    }
}

/// A capture with host, system, cpu, disk, process and task_time, one batch a sample.
pub fn capture(size: Size) -> Capture {
    let mut tables = BTreeMap::new();
    let mut numbers = Numbers::new(0x5EED_CAFE);
    let host: Text = "db1".into();
    add(&mut tables, &host, 0, [HostRow { name: Some(host.clone()), cpus: Some(4), ..Default::default() }]);
    for sample in 1..=size.samples {
        add(&mut tables, &host, sample, [system(&mut numbers)]);
        add(&mut tables, &host, sample, (0..4).map(|cpu| cpu_row(cpu, &mut numbers)).collect::<Vec<_>>());
        add(&mut tables, &host, sample, ["vda", "vdb", "vdb1"].map(|device| disk(device, &mut numbers)));
        let processes: Vec<_> = (0..size.processes).map(|at| process(at, &mut numbers)).collect();
        add(&mut tables, &host, sample, processes);
        let tasks: Vec<_> = (0..size.tasks).flat_map(|at| task(at, &mut numbers)).collect();
        add(&mut tables, &host, sample, tasks);
    }
    Capture {
        host: host.to_string(),
        span: Span { since_ms: SINCE_MS, until_ms: SINCE_MS + 1000 * size.samples },
        method: Method::Ebpf,
        coverage: 0.998,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables,
        missing: vec![Missing { what: "cgroup".into(), why: "not mounted".into(), how: "mount it".into() }],
        flaws: vec![Flaw { place: "/proc/stat:3".into(), what: "two fields, expected ten".into() }],
    }
}

fn add<R: Record>(
    tables: &mut BTreeMap<String, Vec<arrow_array::RecordBatch>>,
    host: &Text,
    sample: i64,
    rows: impl IntoIterator<Item = R>,
) {
    let stamp = Stamp { time_ms: SINCE_MS + 1000 * sample, secs: Some(1.0), host: host.clone() };
    let batch = RowSet::increases(rows).to_batch(&stamp).expect("cells of equal length");
    tables.entry(R::DEF.name.to_owned()).or_default().push(batch);
}

fn system(numbers: &mut Numbers) -> SystemRow {
    SystemRow {
        load1: Some(numbers.next(400) as f64 / 100.0),
        runnable: Some(numbers.next(9) as i64),
        context_switches: Some(numbers.next(100_000) as i64),
        ..Default::default()
    }
}

fn cpu_row(cpu: i64, numbers: &mut Numbers) -> CpuRow {
    CpuRow { cpu_idx: Some(cpu), user_s: numbers.seconds(), idle_s: numbers.seconds(), ..Default::default() }
}

fn disk(device: &str, numbers: &mut Numbers) -> DiskRow {
    DiskRow {
        device: Some(device.into()),
        kind: Some("disk".into()),
        reads: Some(numbers.next(900) as i64),
        read_s: numbers.seconds(),
        writes: Some(numbers.next(900) as i64),
        write_s: numbers.seconds(),
        busy_s: numbers.seconds(),
        rotational: (numbers.next(3) > 0).then_some(device == "vda"),
        ..Default::default()
    }
}

fn process(at: i64, numbers: &mut Numbers) -> ProcessRow {
    ProcessRow {
        pid: Some(1000 + at),
        start_ms: Some(SINCE_MS - 1000 * at),
        name: Some(name(at)),
        kernel_thread: Some(at % 7 == 0),
        cgroup: (at % 5 > 0).then(|| Arc::from(format!("/system.slice/unit{}.service", at % 5))),
        user_s: numbers.seconds(),
        system_s: numbers.seconds(),
        read_bytes: Some(numbers.next(1 << 20) as i64),
        resident_bytes: Some(numbers.next(1 << 30) as i64),
        ..Default::default()
    }
}

fn name(at: i64) -> Text {
    Arc::from(format!("proc{}", at % 40))
}

/// One or two classes for each task.
fn task(at: i64, numbers: &mut Numbers) -> Vec<TaskTimeRow> {
    let classes = 1 + numbers.next(2);
    (0..classes)
        .map(|_| {
            let class = Class::ALL[numbers.next(Class::ALL.len() as u64) as usize];
            TaskTimeRow {
                tid: Some(5000 + at),
                start_ms: Some(SINCE_MS - 10 * at),
                class_name: Some(class.name().into()),
                group_name: Some(class.group().name().into()),
                pid: Some(1000 + at / 4),
                name: Some(name(at)),
                process_name: Some(name(at / 4)),
                kernel_thread: Some(at % 9 == 0),
                seconds: numbers.seconds(),
                waits: Some(numbers.next(50) as i64),
                ..Default::default()
            }
        })
        .collect()
}
