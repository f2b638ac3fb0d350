//! What the headings of `sar` and `mpstat` mean, section by section: data, and nothing else.
//!
//! Sections are recognised by their headings, since no version prints their names. Those that are not
//! here (NFS, consoles, fans …) are said to be left out.

use heldup_model::tables::{
    CpuRow, CpufreqRow, DiskRow, FilesystemRow, MemoryRow, NetIfRow, PressureRow, SoftirqRow, SoftnetRow,
    SystemRow, VmstatRow,
};
use heldup_model::{Record, TableDef};

use crate::sysstat::sar_protocols::{
    ICMP, ICMP_ERRORS, ICMP6, ICMP6_ERRORS, IP, IP_ERRORS, IP6, IP6_ERRORS, TCP, UDP, UDP6,
};
use crate::table::columns::Amount::{Derived, EachMs, Level, Rate, Share};
use crate::table::columns::{Field, field};

const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const MEMORY: &TableDef = MemoryRow::DEF;
const NET: &TableDef = NetIfRow::DEF;
const SOFTIRQ: &TableDef = SoftirqRow::DEF;
const SOFTNET: &TableDef = SoftnetRow::DEF;
const SYSTEM: &TableDef = SystemRow::DEF;
const VMSTAT: &TableDef = VmstatRow::DEF;
const KIB: f64 = 1024.0;
const SECTOR: f64 = 512.0;
const MIB: f64 = 1_048_576.0;

/// What the rows of a section are about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// The machine.
    Machine,
    /// CPUs, under this heading.
    Cpu,
    /// Things with names, under one of these headings.
    Named(&'static [&'static str]),
    /// Interrupts by number, and their sum.
    Interrupt,
    /// CPUs, and below each heading what they served of one interrupt (`mpstat -I CPU`).
    InterruptsOfCpu,
    /// Counters of network protocols: names of `net_proto`.
    Protocol(&'static [(&'static str, &'static str)]),
    /// Pressure of a resource.
    Pressure(&'static str),
    /// Limits of the machine: names of `limits`.
    Limit(&'static [(&'static str, &'static str)]),
}

/// One section.
pub struct Section {
    /// Headings that it has in every version, and no other section.
    pub told_by: &'static [&'static str],
    /// What its rows are about.
    pub rows: Rows,
    /// What its headings mean.
    pub fields: &'static [Field],
}

/// All sections that are read.
pub const SECTIONS: &[Section] = &[
    Section { told_by: &["CPU", "%idle"], rows: Rows::Cpu, fields: CPU_TIMES },
    Section { told_by: &["CPU", "total/s", "squeezd/s"], rows: Rows::Cpu, fields: SOFTNET_FIELDS },
    Section {
        told_by: &["CPU", "MHz"],
        rows: Rows::Cpu,
        fields: &[field("MHz", CpufreqRow::DEF, "current_hz", Level(1e6))],
    },
    Section { told_by: &["CPU", "NET_RX/s"], rows: Rows::Cpu, fields: SOFTIRQS },
    // Behind that of times, which had it as its last heading before sysstat 9.
    Section { told_by: &["CPU", "intr/s"], rows: Rows::Cpu, fields: &[] },
    Section { told_by: &["proc/s"], rows: Rows::Machine, fields: SWITCHES },
    Section { told_by: &["cswch/s"], rows: Rows::Machine, fields: SWITCHES },
    Section { told_by: &["INTR", "intr/s"], rows: Rows::Interrupt, fields: &[] },
    Section { told_by: &["INTR", "all"], rows: Rows::Interrupt, fields: &[] },
    Section { told_by: &["pswpin/s"], rows: Rows::Machine, fields: PAGING },
    Section { told_by: &["pgpgin/s"], rows: Rows::Machine, fields: PAGING },
    Section { told_by: &["kbmemfree"], rows: Rows::Machine, fields: MEMORY_FIELDS },
    Section { told_by: &["kbswpfree"], rows: Rows::Machine, fields: MEMORY_FIELDS },
    Section {
        told_by: &["file-nr"],
        rows: Rows::Limit(&[("file-nr", "open_files"), ("file-sz", "open_files")]),
        fields: &[],
    },
    Section { told_by: &["file-sz"], rows: Rows::Limit(&[("file-sz", "open_files")]), fields: &[] },
    Section { told_by: &["ldavg-1"], rows: Rows::Machine, fields: QUEUE },
    Section { told_by: &["DEV", "tps"], rows: Rows::Named(&["DEV"]), fields: DISKS },
    Section { told_by: &["IFACE", "rxpck/s"], rows: Rows::Named(&["IFACE"]), fields: INTERFACES },
    Section { told_by: &["IFACE", "rxerr/s"], rows: Rows::Named(&["IFACE"]), fields: INTERFACES },
    Section {
        told_by: &["MBfsfree"],
        rows: Rows::Named(&["FILESYSTEM", "MOUNTPOINT"]),
        fields: FILE_SYSTEMS,
    },
    Section { told_by: &["irec/s", "idel/s"], rows: Rows::Protocol(IP), fields: &[] },
    Section { told_by: &["ihdrerr/s"], rows: Rows::Protocol(IP_ERRORS), fields: &[] },
    Section { told_by: &["active/s", "iseg/s"], rows: Rows::Protocol(TCP), fields: &[] },
    Section { told_by: &["atmptf/s"], rows: Rows::Protocol(TCP), fields: &[] },
    Section { told_by: &["idgm/s"], rows: Rows::Protocol(UDP), fields: &[] },
    Section { told_by: &["idgm6/s"], rows: Rows::Protocol(UDP6), fields: &[] },
    Section { told_by: &["irec6/s"], rows: Rows::Protocol(IP6), fields: &[] },
    Section { told_by: &["ihdrer6/s"], rows: Rows::Protocol(IP6_ERRORS), fields: &[] },
    Section { told_by: &["imsg/s"], rows: Rows::Protocol(ICMP), fields: &[] },
    Section { told_by: &["idstunr/s"], rows: Rows::Protocol(ICMP_ERRORS), fields: &[] },
    Section { told_by: &["imsg6/s"], rows: Rows::Protocol(ICMP6), fields: &[] },
    Section { told_by: &["idtunr6/s"], rows: Rows::Protocol(ICMP6_ERRORS), fields: &[] },
    Section { told_by: &["%scpu-10"], rows: Rows::Pressure("cpu"), fields: STALLS },
    Section { told_by: &["%sio-10"], rows: Rows::Pressure("io"), fields: STALLS },
    Section { told_by: &["%smem-10"], rows: Rows::Pressure("memory"), fields: STALLS },
];

/// Whether any section has this heading, however it reads it.
pub fn is_heading_of_any(heading: &str) -> bool {
    SECTIONS.iter().any(|section| {
        section.told_by.contains(&heading) || section.fields.iter().any(|field| field.heading == heading)
    })
}

/// `%usr` is without guests, `%user` with them; where guests are printed they are added to the
/// first. `%system` has interrupts in it where those have no columns of their own.
const CPU_TIMES: &[Field] = &[
    field("%user", CPU, "user_s", Share),
    field("%usr", CPU, "user_s", Share),
    field("%nice", CPU, "nice_s", Share),
    field("%system", CPU, "system_s", Share),
    field("%sys", CPU, "system_s", Share),
    field("%iowait", CPU, "iowait_s", Share),
    field("%steal", CPU, "steal_s", Share),
    field("%irq", CPU, "irq_s", Share),
    field("%soft", CPU, "softirq_s", Share),
    field("%guest", CPU, "guest_s", Share),
    field("%guest", CPU, "user_s", Share),
    field("%gnice", CPU, "guest_nice_s", Share),
    field("%gnice", CPU, "nice_s", Share),
    field("%idle", CPU, "idle_s", Share),
    field("CPU", CPU, "user_s", Derived),
];

const SOFTNET_FIELDS: &[Field] = &[
    field("total/s", SOFTNET, "processed", Rate(1.0)),
    field("dropd/s", SOFTNET, "dropped", Rate(1.0)),
    field("squeezd/s", SOFTNET, "time_squeezes", Rate(1.0)),
    field("rx_rps/s", SOFTNET, "received_rps", Rate(1.0)),
    field("flw_lim/s", SOFTNET, "flow_limits", Rate(1.0)),
    field("blg_len", SOFTNET, "backlog_packets", Level(1.0)),
];

const SOFTIRQS: &[Field] = &[
    field("HI/s", SOFTIRQ, "hi", Rate(1.0)),
    field("TIMER/s", SOFTIRQ, "timer", Rate(1.0)),
    field("NET_TX/s", SOFTIRQ, "net_tx", Rate(1.0)),
    field("NET_RX/s", SOFTIRQ, "net_rx", Rate(1.0)),
    field("BLOCK/s", SOFTIRQ, "block", Rate(1.0)),
    field("IRQ_POLL/s", SOFTIRQ, "irq_poll", Rate(1.0)),
    field("BLOCK_IOPOLL/s", SOFTIRQ, "irq_poll", Rate(1.0)),
    field("TASKLET/s", SOFTIRQ, "tasklet", Rate(1.0)),
    field("SCHED/s", SOFTIRQ, "sched", Rate(1.0)),
    field("HRTIMER/s", SOFTIRQ, "hrtimer", Rate(1.0)),
    field("RCU/s", SOFTIRQ, "rcu", Rate(1.0)),
];

const SWITCHES: &[Field] =
    &[field("proc/s", SYSTEM, "forks", Rate(1.0)), field("cswch/s", SYSTEM, "context_switches", Rate(1.0))];

/// The kernel counts pgpgin and pgpgout in KB.
const PAGING: &[Field] = &[
    field("pswpin/s", VMSTAT, "swap_in_pages", Rate(1.0)),
    field("pswpout/s", VMSTAT, "swap_out_pages", Rate(1.0)),
    field("pgpgin/s", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("pgpgout/s", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("fault/s", VMSTAT, "faults", Rate(1.0)),
    field("majflt/s", VMSTAT, "major_faults", Rate(1.0)),
    field("pgscank/s", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
    field("pgscand/s", VMSTAT, "scan_direct_pages", Rate(1.0)),
    field("%vmeff", VMSTAT, "steal_kswapd_pages", Derived),
];

const MEMORY_FIELDS: &[Field] = &[
    field("kbmemfree", MEMORY, "free_bytes", Level(KIB)),
    // No version prints it; binary files have it.
    field("kbmemtotal", MEMORY, "total_bytes", Level(KIB)),
    field("kbshmem", MEMORY, "shmem_bytes", Level(KIB)),
    field("kbavail", MEMORY, "available_bytes", Level(KIB)),
    field("kbbuffers", MEMORY, "buffers_bytes", Level(KIB)),
    field("kbcached", MEMORY, "cached_bytes", Level(KIB)),
    field("kbcommit", MEMORY, "committed_bytes", Level(KIB)),
    field("kbactive", MEMORY, "active_bytes", Level(KIB)),
    field("kbinact", MEMORY, "inactive_bytes", Level(KIB)),
    field("kbdirty", MEMORY, "dirty_bytes", Level(KIB)),
    field("kbanonpg", MEMORY, "anon_bytes", Level(KIB)),
    field("kbkstack", MEMORY, "kernel_stack_bytes", Level(KIB)),
    field("kbpgtbl", MEMORY, "page_tables_bytes", Level(KIB)),
    field("kbvmused", MEMORY, "vmalloc_used_bytes", Level(KIB)),
    field("kbswpfree", MEMORY, "swap_free_bytes", Level(KIB)),
    field("kbswpfree", MEMORY, "swap_total_bytes", Level(KIB)),
    field("kbswpused", MEMORY, "swap_used_bytes", Level(KIB)),
    field("kbswpused", MEMORY, "swap_total_bytes", Level(KIB)),
    field("kbswpcad", MEMORY, "swap_cached_bytes", Level(KIB)),
    field("%commit", MEMORY, "committed_bytes", Derived),
    field("%swpused", MEMORY, "swap_used_bytes", Derived),
    field("%swpcad", MEMORY, "swap_cached_bytes", Derived),
];

const QUEUE: &[Field] = &[
    field("runq-sz", SYSTEM, "runnable", Level(1.0)),
    field("plist-sz", SYSTEM, "tasks", Level(1.0)),
    field("ldavg-1", SYSTEM, "load1", Level(1.0)),
    field("ldavg-5", SYSTEM, "load5", Level(1.0)),
    field("ldavg-15", SYSTEM, "load15", Level(1.0)),
    field("blocked", SYSTEM, "blocked", Level(1.0)),
];

const DISKS: &[Field] = &[
    field("tps", DISK, "requests", Rate(1.0)),
    field("rd_sec/s", DISK, "read_bytes", Rate(SECTOR)),
    field("wr_sec/s", DISK, "write_bytes", Rate(SECTOR)),
    field("rkB/s", DISK, "read_bytes", Rate(KIB)),
    field("wkB/s", DISK, "write_bytes", Rate(KIB)),
    field("dkB/s", DISK, "discard_bytes", Rate(KIB)),
    field("avgqu-sz", DISK, "queue_s", Rate(1.0)),
    field("aqu-sz", DISK, "queue_s", Rate(1.0)),
    field("%util", DISK, "busy_s", Share),
    field("await", DISK, "queue_s", EachMs(&["tps"])),
    field("svctm", DISK, "busy_s", Derived),
    field("avgrq-sz", DISK, "read_bytes", Derived),
    field("areq-sz", DISK, "read_bytes", Derived),
    field("r_await", DISK, "read_s", EachMs(&["r/s"])),
    field("DEV", DISK, "requests", Derived),
];

const INTERFACES: &[Field] = &[
    field("rxpck/s", NET, "rx_packets", Rate(1.0)),
    field("txpck/s", NET, "tx_packets", Rate(1.0)),
    field("rxbyt/s", NET, "rx_bytes", Rate(1.0)),
    field("txbyt/s", NET, "tx_bytes", Rate(1.0)),
    field("rxkB/s", NET, "rx_bytes", Rate(KIB)),
    field("txkB/s", NET, "tx_bytes", Rate(KIB)),
    field("rxerr/s", NET, "rx_errors", Rate(1.0)),
    field("txerr/s", NET, "tx_errors", Rate(1.0)),
    field("coll/s", NET, "collisions", Rate(1.0)),
    field("rxdrop/s", NET, "rx_drops", Rate(1.0)),
    field("txdrop/s", NET, "tx_drops", Rate(1.0)),
    field("rxfifo/s", NET, "rx_fifo_errors", Rate(1.0)),
    field("%ifutil", NET, "rx_bytes", Derived),
    field("IFACE", NET, "rx_bytes", Derived),
];

const FILE_SYSTEMS: &[Field] = &[
    field("MBfsfree", FilesystemRow::DEF, "free_bytes", Level(MIB)),
    field("MBfsfree", FilesystemRow::DEF, "size_bytes", Level(MIB)),
    field("MBfsused", FilesystemRow::DEF, "size_bytes", Level(MIB)),
    field("Ifree", FilesystemRow::DEF, "inodes_free", Level(1.0)),
    field("Ifree", FilesystemRow::DEF, "inodes", Level(1.0)),
    field("Iused", FilesystemRow::DEF, "inodes", Level(1.0)),
    field("%fsused", FilesystemRow::DEF, "free_bytes", Derived),
    field("%ufsused", FilesystemRow::DEF, "free_bytes", Derived),
    field("%Iused", FilesystemRow::DEF, "inodes", Derived),
    field("FILESYSTEM", FilesystemRow::DEF, "inodes", Derived),
    field("MOUNTPOINT", FilesystemRow::DEF, "inodes", Derived),
];

const PRESSURE: &TableDef = PressureRow::DEF;
const STALLS: &[Field] = &[
    field("%scpu-10", PRESSURE, "some_avg10", Level(0.01)),
    field("%scpu", PRESSURE, "some_s", Share),
    field("%sio-10", PRESSURE, "some_avg10", Level(0.01)),
    field("%sio", PRESSURE, "some_s", Share),
    field("%fio-10", PRESSURE, "full_avg10", Level(0.01)),
    field("%fio", PRESSURE, "full_s", Share),
    field("%smem-10", PRESSURE, "some_avg10", Level(0.01)),
    field("%smem", PRESSURE, "some_s", Share),
    field("%fmem-10", PRESSURE, "full_avg10", Level(0.01)),
    field("%fmem", PRESSURE, "full_s", Share),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        SECTIONS.iter().for_each(|section| assert_fields(section.fields));
    }
}
