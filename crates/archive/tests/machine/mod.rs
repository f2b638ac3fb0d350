//! Samples as a recorder takes them: a made-up machine whose processes mostly do nothing, of
//! any size, the same on every run.

use heldup_archive::journal::{Reading, Sample, SegmentHeader};
use heldup_model::tables::{CpuRow, DiskRow, ProcessRow, SystemRow, TaskTimeRow};
use heldup_model::{RowSet, Text};

/// Time of the first sample.
pub const SINCE_MS: i64 = 1_763_700_001_000;
const SECOND_NS: u64 = 1_000_000_000;
const TICK_NS: u64 = 10_000_000;

/// Processes of 100 that do something in a second: of 142 on a machine that compiled, 13.4 %
/// of the rows changed from one second to the next.
const BUSY_OF_100: u64 = 13;

/// A machine.
pub struct Machine {
    /// How long the queue for CPUs is, in times of what is usual.
    pub crowd: f64,
    /// Whether the ledger has rows of those that did nothing, as a recorder's has.
    pub idle_rows: bool,
    numbers: u64,
    sample: u64,
    next_pid: i64,
    processes: Vec<ProcessRow>,
}

impl Machine {
    /// A machine with so many processes.
    pub fn new(processes: usize) -> Machine {
        let mut machine = Machine {
            crowd: 1.0,
            idle_rows: false,
            numbers: 0x5EED_CAFE,
            sample: 0,
            next_pid: 1,
            processes: Vec::new(),
        };
        for _ in 0..processes {
            machine.start();
        }
        machine
    }

    /// What a segment begins with that is begun now.
    pub fn header(&self) -> SegmentHeader {
        SegmentHeader {
            host: "db1".into(),
            boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
            realtime_ms: SINCE_MS - 1000 + self.sample as i64 * 1000,
            monotonic_ns: (500 + self.sample) * SECOND_NS,
        }
    }

    /// Numbers without a pattern (Marsaglia's xorshift64).
    fn number(&mut self, below: u64) -> u64 {
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 7;
        self.numbers ^= self.numbers << 17;
        self.numbers % below
    }

    fn start(&mut self) {
        let pid = self.next_pid;
        self.next_pid += 1 + self.number(3) as i64;
        let name: Text = format!("worker{}", pid % 23).into();
        let unit: Text = format!("service{}.service", pid % 17).into();
        let cgroup: Text = format!("/system.slice/{unit}").into();
        self.processes.push(ProcessRow {
            pid: Some(pid),
            start_ms: Some(SINCE_MS + self.sample as i64 * 1000 - 500),
            name: Some(name.clone()),
            command: Some(format!("/usr/bin/{name} --slot {}", pid % 40).into()),
            parent_pid: Some(1),
            uid: Some(pid % 5),
            state: Some("S".into()),
            kernel_thread: Some(false),
            cgroup: Some(cgroup.clone()),
            cgroup_cpu: Some(cgroup.clone()),
            cgroup_memory: Some(cgroup),
            unit: Some(unit),
            netns: Some(4_026_531_840),
            ipcns: Some(4_026_531_839),
            mntns: Some(4_026_531_841),
            nice: Some(0),
            oom_score_adj: Some(0),
            threads: Some(1 + pid % 9),
            resident_bytes: Some(4096 * (1000 + pid)),
            anon_bytes: Some(4096 * 500),
            virtual_bytes: Some(4096 * 100_000),
            swap_bytes: Some(0),
            ..Default::default()
        });
    }

    /// The next second.
    pub fn sample(&mut self) -> Sample {
        if self.sample % 7 == 3 && !self.processes.is_empty() {
            let ends = self.number(self.processes.len() as u64) as usize;
            self.processes.remove(ends);
            self.start();
        }
        for at in 0..self.processes.len() {
            self.live(at);
        }
        let tasks = self.tasks();
        let cpus: Vec<CpuRow> = (0..4).map(|cpu| self.cpu(cpu)).collect();
        let disks = [self.disk("vda"), self.disk("vdb")];
        let system = SystemRow { load1: Some(self.number(400) as f64 / 100.0), ..Default::default() };
        let secs = Some(1.0 + self.number(1_000_000) as f64 / 1e9);
        let reading = |rows| Reading { rows, secs };
        let sample = Sample {
            time_ms: SINCE_MS + self.sample as i64 * 1000,
            monotonic_ns: (501 + self.sample) * SECOND_NS,
            readings: vec![
                reading(RowSet::increases([system])),
                reading(RowSet::increases(cpus)),
                reading(RowSet::increases(disks)),
                reading(RowSet::increases(self.processes.iter().cloned())),
                reading(RowSet::increases(tasks)),
            ],
        };
        self.sample += 1;
        sample
    }

    fn live(&mut self, at: usize) {
        let busy = self.number(100) < BUSY_OF_100;
        let used = if busy { self.number(1_000_000_000) } else { 0 };
        let pages = if busy { self.number(200) as i64 } else { 0 };
        let process = &mut self.processes[at];
        // As in /proc/PID/stat: whole ticks, of which there are a hundred in a second.
        process.user_s = Some((used / TICK_NS) as f64 / 100.0);
        process.system_s = Some((used / 7 / TICK_NS) as f64 / 100.0);
        process.minor_faults = Some(pages);
        process.major_faults = Some(0);
        process.read_bytes = Some(0);
        process.write_bytes = Some(pages * 4096);
        process.cancelled_write_bytes = Some(0);
        process.read_chars = Some(pages * 1234);
        process.write_chars = Some(pages * 567);
        process.read_calls = Some(pages * 3);
        process.write_calls = Some(pages * 2);
        process.state = Some(if busy { "R" } else { "S" }.into());
        process.resident_bytes = process.resident_bytes.map(|bytes| bytes + pages * 4096);
    }

    /// The ledger of those that did something, where the time went that was not idle, and of the others if they have rows.
    fn tasks(&mut self) -> Vec<TaskTimeRow> {
        let busy: Vec<ProcessRow> =
            self.processes.iter().filter(|process| process.state.as_deref() == Some("R")).cloned().collect();
        let mut rows = Vec::new();
        for process in busy {
            let classes =
                [("user", "running", 1.0), ("kernel", "running", 1.0), ("cpu_queue", "waiting", self.crowd)];
            for (class, group, times) in classes {
                rows.push(TaskTimeRow {
                    tid: process.pid,
                    start_ms: process.start_ms,
                    class_name: Some(class.into()),
                    group_name: Some(group.into()),
                    pid: process.pid,
                    name: process.name.clone(),
                    process_name: process.name.clone(),
                    kernel_thread: Some(false),
                    cgroup: process.cgroup.clone(),
                    unit: process.unit.clone(),
                    exited: Some(false),
                    seconds: Some(self.number(300_000_000) as f64 / 1e9 * times),
                    waits: Some(self.number(50) as i64),
                    ..Default::default()
                });
            }
        }
        if self.idle_rows {
            let idle = self.processes.iter().filter(|process| process.state.as_deref() != Some("R"));
            rows.extend(idle.map(|process| TaskTimeRow {
                tid: process.pid,
                start_ms: process.start_ms,
                class_name: Some("poll".into()),
                group_name: Some("idle".into()),
                pid: process.pid,
                name: process.name.clone(),
                process_name: process.name.clone(),
                kernel_thread: Some(false),
                cgroup: process.cgroup.clone(),
                unit: process.unit.clone(),
                exited: Some(false),
                seconds: Some(1.0),
                waits: Some(0),
                ..Default::default()
            }));
        }
        rows
    }

    fn cpu(&mut self, cpu: i64) -> CpuRow {
        let mut share = || Some(self.number(40) as f64 / 100.0);
        CpuRow {
            cpu_idx: Some(cpu),
            user_s: share(),
            system_s: share(),
            idle_s: share(),
            iowait_s: None,
            ..Default::default()
        }
    }

    fn disk(&mut self, device: &str) -> DiskRow {
        DiskRow {
            device: Some(device.into()),
            reads: Some(self.number(100) as i64),
            writes: Some(0),
            ..Default::default()
        }
    }
}
