//! What the sections of `nmon` mean: data, and nothing else.
//!
//! Sizes are in MB of 1,048,576 bytes, transfers in KB of 1024, paging of AIX in pages of 4096 bytes. -1
//! stands for what the system does not tell.

use heldup_model::tables::{CpuRow, DiskRow, MemoryRow, NetIfRow, ProcessRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::table::columns::Amount::{Derived, Level, Rate, Share, Total};
use crate::table::columns::{Amount, Field, field};

const CPU: &TableDef = CpuRow::DEF;
const MEMORY: &TableDef = MemoryRow::DEF;
const PROCESS: &TableDef = ProcessRow::DEF;
const SYSTEM: &TableDef = SystemRow::DEF;
const VMSTAT: &TableDef = VmstatRow::DEF;
pub const DISK: &TableDef = DiskRow::DEF;
pub const NET: &TableDef = NetIfRow::DEF;
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
const AIX_PAGE_BYTES: f64 = 4096.0;

/// Sections about the machine, by their tags.
pub const MACHINE: [(&str, &[Field]); 4] = [("MEM", &MEM), ("PAGE", &PAGE), ("PROC", &PROC), ("VM", &VM)];

/// `CPU001`, `CPU_ALL`.
pub const CPU_FIELDS: [Field; 7] = [
    field("User%", CPU, "user_s", Share),
    field("Sys%", CPU, "system_s", Share),
    field("Wait%", CPU, "iowait_s", Share),
    field("Idle%", CPU, "idle_s", Share),
    field("Steal%", CPU, "steal_s", Share),
    field("Busy", CPU, "user_s", Derived),
    field("CPUs", CPU, "user_s", Derived),
];

/// Memory of Linux, then of AIX, whose virtual memory here is its paging space.
const MEM: [Field; 18] = [
    field("memtotal", MEMORY, "total_bytes", Level(MIB)),
    field("memfree", MEMORY, "free_bytes", Level(MIB)),
    field("memshared", MEMORY, "shmem_bytes", Level(MIB)),
    field("cached", MEMORY, "cached_bytes", Level(MIB)),
    field("active", MEMORY, "active_bytes", Level(MIB)),
    field("inactive", MEMORY, "inactive_bytes", Level(MIB)),
    field("buffers", MEMORY, "buffers_bytes", Level(MIB)),
    field("swaptotal", MEMORY, "swap_total_bytes", Level(MIB)),
    field("swapfree", MEMORY, "swap_free_bytes", Level(MIB)),
    field("swapcached", MEMORY, "swap_cached_bytes", Level(MIB)),
    field("Real Free %", MEMORY, "free_bytes", Derived),
    field("Real free %", MEMORY, "free_bytes", Derived),
    field("Virtual free %", MEMORY, "swap_free_bytes", Derived),
    field("Virtual Free %", MEMORY, "swap_free_bytes", Derived),
    field("Real free(MB)", MEMORY, "free_bytes", Level(MIB)),
    field("Real total(MB)", MEMORY, "total_bytes", Level(MIB)),
    field("Virtual free(MB)", MEMORY, "swap_free_bytes", Level(MIB)),
    field("Virtual total(MB)", MEMORY, "swap_total_bytes", Level(MIB)),
];

/// AIX: `pgin` and `pgout` are of files and paging space together, `pgsin` and `pgsout` of the latter.
const PAGE: [Field; 6] = [
    field("faults", VMSTAT, "faults", Rate(1.0)),
    field("pgin", VMSTAT, "page_in_bytes", Rate(AIX_PAGE_BYTES)),
    field("pgout", VMSTAT, "page_out_bytes", Rate(AIX_PAGE_BYTES)),
    field("pgsin", VMSTAT, "swap_in_pages", Rate(1.0)),
    field("pgsout", VMSTAT, "swap_out_pages", Rate(1.0)),
    field("scans", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
];

const PROC: [Field; 4] = [
    field("Runnable", SYSTEM, "runnable", Level(1.0)),
    field("Blocked", SYSTEM, "blocked", Level(1.0)),
    field("pswitch", SYSTEM, "context_switches", Rate(1.0)),
    field("fork", SYSTEM, "forks", Rate(1.0)),
];

/// Linux: what `/proc/vmstat` counted between two snapshots, not a second's worth of it.
const VM: [Field; 9] = [
    field("nr_dirty", VMSTAT, "dirty_pages", Level(1.0)),
    field("nr_writeback", VMSTAT, "writeback_pages", Level(1.0)),
    field("pgpgin", VMSTAT, "page_in_bytes", Total(KIB)),
    field("pgpgout", VMSTAT, "page_out_bytes", Total(KIB)),
    field("pswpin", VMSTAT, "swap_in_pages", Total(1.0)),
    field("pswpout", VMSTAT, "swap_out_pages", Total(1.0)),
    field("pgfault", VMSTAT, "faults", Total(1.0)),
    field("pgmajfault", VMSTAT, "major_faults", Total(1.0)),
    field("allocstall", VMSTAT, "allocation_stalls", Total(1.0)),
];

/// Processes. What AIX has in memory of one is its text and its data; its `Size` is paging space.
pub const TOP: [Field; 13] = [
    field("%Usr", PROCESS, "user_s", Share),
    field("%Sys", PROCESS, "system_s", Share),
    field("%CPU", PROCESS, "user_s", Derived),
    field("Threads", PROCESS, "threads", Level(1.0)),
    field("ResSet", PROCESS, "resident_bytes", Level(KIB)),
    field("MinorFault", PROCESS, "minor_faults", Rate(1.0)),
    field("MajorFault", PROCESS, "major_faults", Rate(1.0)),
    field("+PID", PROCESS, "pid", Derived),
    field("Time", PROCESS, "pid", Derived),
    field("Command", PROCESS, "pid", Derived),
    field("WLMclass", PROCESS, "pid", Derived),
    field("%RAM", PROCESS, "resident_bytes", Derived),
    field("ShdLib", PROCESS, "resident_bytes", Derived),
];

/// What is added where a list of processes has no `ResSet`, as on AIX.
pub const TOP_OF_AIX: [Field; 2] = [
    field("ResText", PROCESS, "resident_bytes", Level(KIB)),
    field("ResData", PROCESS, "resident_bytes", Level(KIB)),
];

/// The same where it has one, as on Linux.
pub const TOP_OF_LINUX: [Field; 3] = [
    field("Size", PROCESS, "virtual_bytes", Level(KIB)),
    field("ResText", PROCESS, "resident_bytes", Derived),
    field("ResData", PROCESS, "resident_bytes", Derived),
];

/// Sections with a value for each disk.
pub const DISKS: [(&str, &str, Amount); 14] = [
    ("DISKBUSY", "busy_s", Share),
    ("DISKREAD", "read_bytes", Rate(KIB)),
    ("DISKWRITE", "write_bytes", Rate(KIB)),
    ("DISKXFER", "requests", Rate(1.0)),
    ("DISKRXFER", "reads", Rate(1.0)),
    ("DISKREADS", "reads", Rate(1.0)),
    ("DISKWRITES", "writes", Rate(1.0)),
    ("DISKRIO", "reads", Rate(1.0)),
    ("DISKWIO", "writes", Rate(1.0)),
    ("DISKBSIZE", "read_bytes", Derived),
    ("DISKAVGRIO", "read_bytes", Derived),
    ("DISKAVGWIO", "write_bytes", Derived),
    // Milliseconds of a request at the disk and in line before it: both together are `queue_s`.
    ("DISKSERV", "queue_s", Derived),
    ("DISKWAIT", "queue_s", Derived),
];

/// Ends of headings with a value for each interface.
pub const INTERFACES: [(&str, &str, f64); 6] = [
    ("-read-KB/s", "rx_bytes", KIB),
    ("-write-KB/s", "tx_bytes", KIB),
    ("-reads/s", "rx_packets", 1.0),
    ("-writes/s", "tx_packets", 1.0),
    ("-read/s", "rx_packets", 1.0),
    ("-write/s", "tx_packets", 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        MACHINE.iter().for_each(|(_, fields)| assert_fields(fields));
        for fields in [&CPU_FIELDS[..], &TOP_OF_AIX, &TOP_OF_LINUX] {
            assert_fields(fields);
        }
        let counted: Vec<Field> = TOP.iter().copied().filter(|field| field.amount != Derived).collect();
        assert_fields(&counted);
        let disks = DISKS.map(|(section, column, amount)| field(section, DISK, column, amount));
        assert_fields(&disks);
        let interfaces = INTERFACES.map(|(end, column, factor)| field(end, NET, column, Rate(factor)));
        assert_fields(&interfaces);
    }
}
