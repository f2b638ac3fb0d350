//! What a recorder reads of a machine beside its processes: sixteen CPUs, three disks, memory, network, control groups.

use heldup_archive::journal::{Reading, Sample};
use heldup_model::tables::{
    BlockLatencyRow, CgroupRow, CpuRow, DiskRow, FilesystemRow, HostRow, IrqRow, MemoryRow, NetIfRow,
    NetProtoRow, ObjectTimeRow, PressureRow, RecorderRow, SoftirqRow, SoftnetRow, SystemCallRow, SystemRow,
    VmstatRow, ZoneRow,
};
use heldup_model::{Record, RowSet};

const CPUS: i64 = 16;
const DISKS: [&str; 3] = ["nvme0n1", "sda", "sdb"];
const GROUPS: i64 = 60;
const PROTOCOL_COUNTERS: [&str; 12] = [
    "TcpActiveOpens",
    "TcpPassiveOpens",
    "TcpInSegs",
    "TcpOutSegs",
    "TcpRetransSegs",
    "TcpAttemptFails",
    "TcpEstabResets",
    "TcpInErrs",
    "TcpExtListenDrops",
    "TcpExtTCPTimeouts",
    "UdpInDatagrams",
    "UdpOutDatagrams",
];

/// A machine's own numbers.
pub struct WholeMachine {
    numbers: u64,
    second: i64,
}

impl Default for WholeMachine {
    fn default() -> WholeMachine {
        WholeMachine { numbers: 0x0DDB_A115, second: 0 }
    }
}

impl WholeMachine {
    /// Numbers without a pattern (Marsaglia's xorshift64).
    fn number(&mut self, below: i64) -> i64 {
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 7;
        self.numbers ^= self.numbers << 17;
        (self.numbers % below.max(1) as u64) as i64
    }

    fn share(&mut self) -> f64 {
        self.number(100) as f64 / 100.0
    }

    /// Adds what is read in this second; a segment begins with what is read once.
    pub fn add_to(&mut self, sample: &mut Sample, is_crowded: bool, begins: bool) {
        let own = [SystemRow::DEF.name, CpuRow::DEF.name, DiskRow::DEF.name];
        sample.readings.retain(|reading| !own.contains(&reading.rows.def.name));
        let each_second = self.each_second(is_crowded);
        sample.readings.extend(each_second);
        if self.second % 10 == 0 {
            let each_ten_seconds = self.each_ten_seconds();
            sample.readings.extend(each_ten_seconds);
        }
        if begins {
            let host = HostRow {
                name: Some("db1".into()),
                cpus: Some(CPUS),
                memory_bytes: Some(64 << 30),
                page_bytes: Some(4096),
                ..HostRow::default()
            };
            sample.readings.push(reading([host], None));
        }
        self.second += 1;
    }

    fn system(&mut self) -> SystemRow {
        SystemRow {
            load1: Some(self.number(400) as f64 / 10.0),
            load5: Some(self.number(400) as f64 / 10.0),
            load15: Some(self.number(400) as f64 / 10.0),
            runnable: Some(self.number(40)),
            blocked: Some(self.number(10)),
            tasks: Some(2000 + self.number(90)),
            context_switches: Some(self.number(90_000)),
            forks: Some(self.number(60)),
            interrupts: Some(self.number(50_000)),
            softirqs: Some(self.number(30_000)),
            ..SystemRow::default()
        }
    }

    fn each_second(&mut self, is_crowded: bool) -> Vec<Reading> {
        let secs = Some(1.0);
        let memory = MemoryRow {
            total_bytes: Some(64 << 30),
            free_bytes: Some(self.number(4 << 30)),
            available_bytes: Some((20 << 30) + self.number(4 << 30)),
            buffers_bytes: Some(self.number(1 << 28)),
            cached_bytes: Some((16 << 30) + self.number(1 << 30)),
            swap_total_bytes: Some(8 << 30),
            swap_free_bytes: Some((7 << 30) + self.number(1 << 20)),
            dirty_bytes: Some(self.number(1 << 28)),
            writeback_bytes: Some(self.number(1 << 24)),
            anon_bytes: Some((30 << 30) + self.number(1 << 30)),
            slab_reclaimable_bytes: Some(2 << 30),
            slab_unreclaimable_bytes: Some(1 << 30),
            kernel_stack_bytes: Some(1 << 26),
            page_tables_bytes: Some(1 << 27),
            committed_bytes: Some((40 << 30) + self.number(1 << 30)),
            active_bytes: Some(20 << 30),
            inactive_bytes: Some(20 << 30),
            ..MemoryRow::default()
        };
        let vmstat = VmstatRow {
            page_in_bytes: Some(self.number(1 << 24)),
            page_out_bytes: Some(self.number(1 << 25)),
            swap_in_pages: Some(0),
            swap_out_pages: Some(0),
            faults: Some(self.number(200_000)),
            major_faults: Some(self.number(20)),
            scan_kswapd_pages: Some(self.number(1000)),
            scan_direct_pages: Some(0),
            steal_kswapd_pages: Some(self.number(900)),
            steal_direct_pages: Some(0),
            refault_anon_pages: Some(0),
            refault_file_pages: Some(self.number(100)),
            ..VmstatRow::default()
        };
        let pressure: Vec<PressureRow> = ["cpu", "memory", "io"].map(|name| self.pressure(name)).into();
        let cpus: Vec<CpuRow> = (0..CPUS).map(|cpu| self.cpu(cpu, is_crowded)).collect();
        let disks: Vec<DiskRow> = DISKS.map(|device| self.disk(device)).into();
        let interfaces: Vec<NetIfRow> = ["lo", "eth0", "eth1"].map(|name| self.interface(name)).into();
        let groups: Vec<CgroupRow> = (0..GROUPS).map(|at| self.group(at)).collect();
        let latencies = self.latencies();
        let objects: Vec<ObjectTimeRow> = (0..50).map(|at| self.object(at)).collect();
        let recorder = RecorderRow {
            method: Some("ebpf".into()),
            cpu_s: Some(0.008),
            bpf_s: Some(0.004),
            missed_samples: Some(0),
            ..RecorderRow::default()
        };
        vec![
            reading([self.system()], secs),
            reading([memory], secs),
            reading([vmstat], secs),
            reading(pressure, secs),
            reading(cpus, secs),
            reading(disks, secs),
            reading(interfaces, secs),
            reading(groups, secs),
            reading(latencies, secs),
            reading(objects, secs),
            reading([recorder], secs),
        ]
    }

    fn each_ten_seconds(&mut self) -> Vec<Reading> {
        let secs = Some(10.0);
        let counters: Vec<NetProtoRow> = PROTOCOL_COUNTERS
            .map(|name| NetProtoRow {
                netns: Some(4_026_531_840),
                name: Some(name.into()),
                value: Some(self.number(90_000)),
            })
            .into();
        let softirq = |of: &mut WholeMachine, cpu| SoftirqRow {
            cpu_idx: Some(cpu),
            timer: Some(of.number(2500)),
            net_rx: Some(of.number(9000)),
            net_tx: Some(of.number(30)),
            block: Some(of.number(900)),
            sched: Some(of.number(4000)),
            rcu: Some(of.number(4000)),
            ..SoftirqRow::default()
        };
        let softnet = |of: &mut WholeMachine, cpu| SoftnetRow {
            cpu_idx: Some(cpu),
            processed: Some(of.number(9000)),
            dropped: Some(0),
            time_squeezes: Some(of.number(3)),
            ..SoftnetRow::default()
        };
        let softirqs: Vec<SoftirqRow> = (0..CPUS).map(|cpu| softirq(self, cpu)).collect();
        let softnets: Vec<SoftnetRow> = (0..CPUS).map(|cpu| softnet(self, cpu)).collect();
        let lines: Vec<IrqRow> = (0..40)
            .map(|line: i64| IrqRow {
                name: Some(format!("device{line}").into()),
                interrupts: Some(self.number(5000)),
                ..IrqRow::default()
            })
            .collect();
        let mounts: Vec<FilesystemRow> = ["/", "/home", "/var", "/srv/db"]
            .map(|mount| FilesystemRow {
                mount: Some(mount.into()),
                size_bytes: Some(1 << 40),
                free_bytes: Some((1 << 38) + self.number(1 << 30)),
                inodes: Some(1 << 24),
                inodes_free: Some(1 << 23),
                ..FilesystemRow::default()
            })
            .into();
        let calls: Vec<SystemCallRow> = (0..600)
            .map(|at: i64| SystemCallRow {
                pid: Some(1 + at / 4),
                syscall: Some(["read", "write", "futex", "epoll_wait"][(at % 4) as usize].into()),
                name: Some(format!("worker{}", at % 23).into()),
                calls: Some(self.number(9000)),
                ..SystemCallRow::default()
            })
            .collect();
        let zone = ZoneRow {
            zone: Some("Normal".into()),
            free_pages: Some(self.number(1 << 20)),
            ..ZoneRow::default()
        };
        vec![
            reading(counters, secs),
            reading(softirqs, secs),
            reading(softnets, secs),
            reading(lines, secs),
            reading(mounts, secs),
            reading(calls, secs),
            reading([zone], secs),
        ]
    }

    fn pressure(&mut self, resource: &str) -> PressureRow {
        PressureRow {
            resource: Some(resource.into()),
            some_s: Some(self.share()),
            full_s: Some(self.share() / 4.0),
            ..PressureRow::default()
        }
    }

    fn cpu(&mut self, cpu: i64, is_crowded: bool) -> CpuRow {
        let busy = if is_crowded { 0.95 } else { self.share() };
        CpuRow {
            cpu_idx: Some(cpu),
            user_s: Some(busy * 0.7),
            nice_s: Some(0.0),
            system_s: Some(busy * 0.3),
            idle_s: Some(1.0 - busy),
            iowait_s: Some(0.0),
            irq_s: Some(0.0),
            softirq_s: Some(0.01),
            steal_s: Some(0.0),
            ..CpuRow::default()
        }
    }

    fn disk(&mut self, device: &str) -> DiskRow {
        let (reads, writes) = (self.number(900), self.number(500));
        DiskRow {
            device: Some(device.into()),
            kind: Some("disk".into()),
            reads: Some(reads),
            reads_merged: Some(self.number(20)),
            read_bytes: Some(reads * 16_384),
            read_s: Some(reads as f64 * self.share() / 100.0),
            writes: Some(writes),
            writes_merged: Some(self.number(90)),
            write_bytes: Some(writes * 8192),
            write_s: Some(writes as f64 * self.share() / 50.0),
            flushes: Some(self.number(9)),
            flush_s: Some(self.share() / 10.0),
            busy_s: Some(self.share()),
            queue_s: Some(self.share() * 8.0),
            in_flight: Some(self.number(9)),
            ..DiskRow::default()
        }
    }

    fn interface(&mut self, name: &str) -> NetIfRow {
        NetIfRow {
            netns: Some(4_026_531_840),
            name: Some(name.into()),
            rx_bytes: Some(self.number(1 << 26)),
            rx_packets: Some(self.number(60_000)),
            tx_bytes: Some(self.number(1 << 26)),
            tx_packets: Some(self.number(60_000)),
            rx_drops: Some(0),
            tx_drops: Some(0),
            rx_errors: Some(0),
            tx_errors: Some(0),
            ..NetIfRow::default()
        }
    }

    fn group(&mut self, at: i64) -> CgroupRow {
        CgroupRow {
            path: Some(format!("/system.slice/service{at}.service").into()),
            version: Some("v2".into()),
            cpu_s: Some(self.share() / 4.0),
            memory_bytes: Some(self.number(1 << 30)),
            read_bytes: Some(self.number(1 << 20)),
            write_bytes: Some(self.number(1 << 20)),
            processes: Some(self.number(60)),
            io_some_s: Some(self.share() / 20.0),
            throttled_s: Some(0.0),
            ..CgroupRow::default()
        }
    }

    /// Histograms of three disks: two operations in two stages, twelve buckets each.
    fn latencies(&mut self) -> Vec<BlockLatencyRow> {
        let mut rows = Vec::new();
        for device in DISKS {
            for (operation, stage) in
                [("read", "device"), ("write", "device"), ("read", "queue"), ("write", "queue")]
            {
                let first = 20 + self.number(8);
                for bucket in first..first + 12 {
                    rows.push(BlockLatencyRow {
                        device: Some(device.into()),
                        operation: Some(operation.into()),
                        least_bytes: Some(8192),
                        stage: Some(stage.into()),
                        bucket: Some(bucket),
                        least_s: Some(1e-6 * 1.19_f64.powi(bucket as i32)),
                        below_s: Some(1e-6 * 1.19_f64.powi(bucket as i32 + 1)),
                        requests: Some(1 + self.number(90)),
                        ..BlockLatencyRow::default()
                    });
                }
            }
        }
        rows
    }

    fn object(&mut self, at: i64) -> ObjectTimeRow {
        ObjectTimeRow {
            pid: Some(1 + at * 7),
            process_name: Some(format!("worker{}", at % 23).into()),
            class_name: Some("disk_read".into()),
            object_kind: Some("device".into()),
            object_name: Some(DISKS[(at % 3) as usize].into()),
            object_device: Some(DISKS[(at % 3) as usize].into()),
            seconds: Some(self.share()),
            waits: Some(self.number(90)),
            ..ObjectTimeRow::default()
        }
    }
}

fn reading<R: Record>(rows: impl IntoIterator<Item = R>, secs: Option<f64>) -> Reading {
    Reading { rows: RowSet::increases(rows), secs }
}
