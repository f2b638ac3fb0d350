//! Every table, one file each; and `rollup.rs`, which derives the rollups by minute.

mod balloon;
mod baseline_setting;
mod benchmark;
mod block_latency;
mod buddy;
mod cgroup;
mod cgroup_io_limit;
mod class_time;
mod command_run;
mod conntrack;
mod cpu;
mod cpu_throttle;
mod cpu_time;
mod cpufreq;
mod cpufreq_time;
mod cpuidle;
mod db_advice;
mod db_cache_advice;
mod db_contention;
mod db_file;
mod db_latch;
mod db_metric;
mod db_session;
mod db_sql;
mod db_wait;
mod deadlock;
mod disk;
mod disk_health;
mod ended_process;
mod event;
mod file_extents;
mod file_lock;
mod filesystem;
mod host;
mod hugepages;
mod ipc;
mod irq;
mod irq_cpu;
mod kernel_report;
mod ksm;
mod limits;
mod listed_cpu;
mod listed_wait;
mod memory;
mod memory_event;
mod mount;
mod net_driver;
mod net_drop;
mod net_if;
mod net_proto;
mod net_qdisc;
mod net_queue;
mod net_setting;
mod nfs_mount;
mod nfs_op;
mod numa;
mod object_time;
mod partition;
mod peak;
mod pmu;
mod pressure;
mod process;
mod process_io;
mod profile;
mod recorder;
mod refused_value;
pub mod rollup;
mod setting;
mod setting_line;
mod since_boot;
mod slab;
mod slab_path;
mod socket;
mod socket_count;
mod softirq;
mod softnet;
mod source_cost;
mod stack;
mod system;
mod system_call;
mod task_time;
mod thermal;
mod thread;
mod user_limit;
mod vmstat;
mod zone;

pub use balloon::BalloonRow;
pub use baseline_setting::BaselineSettingRow;
pub use benchmark::BenchmarkRow;
pub use block_latency::BlockLatencyRow;
pub use buddy::BuddyRow;
pub use cgroup::CgroupRow;
pub use cgroup_io_limit::CgroupIoLimitRow;
pub use class_time::ClassTimeRow;
pub use command_run::CommandRunRow;
pub use conntrack::ConntrackRow;
pub use cpu::CpuRow;
pub use cpu_throttle::CpuThrottleRow;
pub use cpu_time::CpuTimeRow;
pub use cpufreq::CpufreqRow;
pub use cpufreq_time::CpufreqTimeRow;
pub use cpuidle::CpuidleRow;
pub use db_advice::DbAdviceRow;
pub use db_cache_advice::DbCacheAdviceRow;
pub use db_contention::DbContentionRow;
pub use db_file::DbFileRow;
pub use db_latch::DbLatchRow;
pub use db_metric::DbMetricRow;
pub use db_session::DbSessionRow;
pub use db_sql::DbSqlRow;
pub use db_wait::DbWaitRow;
pub use deadlock::DeadlockRow;
pub use disk::DiskRow;
pub use disk_health::DiskHealthRow;
pub use ended_process::EndedProcessRow;
pub use event::EventRow;
pub use file_extents::FileExtentsRow;
pub use file_lock::FileLockRow;
pub use filesystem::FilesystemRow;
pub use host::HostRow;
pub use hugepages::HugepagesRow;
pub use ipc::IpcRow;
pub use irq::IrqRow;
pub use irq_cpu::IrqCpuRow;
pub use kernel_report::KernelReportRow;
pub use ksm::KsmRow;
pub use limits::LimitsRow;
pub use listed_cpu::ListedCpuRow;
pub use listed_wait::ListedWaitRow;
pub use memory::MemoryRow;
pub use memory_event::MemoryEventRow;
pub use mount::MountRow;
pub use net_driver::NetDriverRow;
pub use net_drop::NetDropRow;
pub use net_if::NetIfRow;
pub use net_proto::NetProtoRow;
pub use net_qdisc::NetQdiscRow;
pub use net_queue::NetQueueRow;
pub use net_setting::NetSettingRow;
pub use nfs_mount::NfsMountRow;
pub use nfs_op::NfsOpRow;
pub use numa::NumaRow;
pub use object_time::ObjectTimeRow;
pub use partition::PartitionRow;
pub use pmu::PmuRow;
pub use pressure::PressureRow;
pub use process::ProcessRow;
pub use process_io::ProcessIoRow;
pub use profile::ProfileRow;
pub use recorder::RecorderRow;
pub use refused_value::RefusedValueRow;
pub use setting::SettingRow;
pub use setting_line::SettingLineRow;
pub use since_boot::{SinceBootRow, kept as kept_since_boot};
pub use slab::SlabRow;
pub use slab_path::SlabPathRow;
pub use socket::SocketRow;
pub use socket_count::SocketCountRow;
pub use softirq::SoftirqRow;
pub use softnet::SoftnetRow;
pub use source_cost::SourceCostRow;
pub use stack::StackRow;
pub use system::SystemRow;
pub use system_call::SystemCallRow;
pub use task_time::TaskTimeRow;
pub use thermal::ThermalRow;
pub use thread::ThreadRow;
pub use user_limit::UserLimitRow;
pub use vmstat::VmstatRow;
pub use zone::ZoneRow;

use crate::rows::Record;
use crate::table::TableDef;

/// Every table, by name. A new table adds its line here.
pub const ALL: &[&TableDef] = &[
    BalloonRow::DEF,
    BaselineSettingRow::DEF,
    BenchmarkRow::DEF,
    BlockLatencyRow::DEF,
    BuddyRow::DEF,
    CgroupRow::DEF,
    CgroupIoLimitRow::DEF,
    ClassTimeRow::DEF,
    CommandRunRow::DEF,
    ConntrackRow::DEF,
    CpuRow::DEF,
    CpuThrottleRow::DEF,
    CpuTimeRow::DEF,
    CpufreqRow::DEF,
    CpufreqTimeRow::DEF,
    CpuidleRow::DEF,
    DbAdviceRow::DEF,
    DbCacheAdviceRow::DEF,
    DbContentionRow::DEF,
    DbFileRow::DEF,
    DbLatchRow::DEF,
    DbMetricRow::DEF,
    DbSessionRow::DEF,
    DbSqlRow::DEF,
    DbWaitRow::DEF,
    DeadlockRow::DEF,
    DiskRow::DEF,
    DiskHealthRow::DEF,
    EndedProcessRow::DEF,
    EventRow::DEF,
    FileExtentsRow::DEF,
    FileLockRow::DEF,
    FilesystemRow::DEF,
    HostRow::DEF,
    HugepagesRow::DEF,
    IpcRow::DEF,
    IrqRow::DEF,
    IrqCpuRow::DEF,
    KernelReportRow::DEF,
    KsmRow::DEF,
    LimitsRow::DEF,
    ListedCpuRow::DEF,
    ListedWaitRow::DEF,
    MemoryRow::DEF,
    MemoryEventRow::DEF,
    MountRow::DEF,
    NetDriverRow::DEF,
    NetDropRow::DEF,
    NetIfRow::DEF,
    NetProtoRow::DEF,
    NetQdiscRow::DEF,
    NetQueueRow::DEF,
    NetSettingRow::DEF,
    NfsMountRow::DEF,
    NfsOpRow::DEF,
    NumaRow::DEF,
    ObjectTimeRow::DEF,
    PartitionRow::DEF,
    PmuRow::DEF,
    PressureRow::DEF,
    ProcessRow::DEF,
    ProcessIoRow::DEF,
    ProfileRow::DEF,
    RecorderRow::DEF,
    RefusedValueRow::DEF,
    SettingRow::DEF,
    SettingLineRow::DEF,
    SinceBootRow::DEF,
    SlabRow::DEF,
    SlabPathRow::DEF,
    SocketRow::DEF,
    SocketCountRow::DEF,
    SoftirqRow::DEF,
    SoftnetRow::DEF,
    SourceCostRow::DEF,
    StackRow::DEF,
    SystemRow::DEF,
    SystemCallRow::DEF,
    TaskTimeRow::DEF,
    ThermalRow::DEF,
    ThreadRow::DEF,
    UserLimitRow::DEF,
    VmstatRow::DEF,
    ZoneRow::DEF,
];

/// The table of a name; also a rollup, which [`ALL`] does not have.
pub fn find(name: &str) -> Option<&'static TableDef> {
    let rollup = || rollup::find(name).map(|rollup| rollup.def);
    ALL.iter().find(|def| def.name == name).copied().or_else(rollup)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::table::{ColumnKind, ColumnType, Holds, Unit};

    /// Words that some engine that reads our files reserves.
    const RESERVED: [&str; 14] = [
        "from", "to", "class", "key", "group", "order", "select", "where", "table", "index", "user", "end",
        "values", "default",
    ];

    #[test]
    fn tables_are_sorted_and_unique() {
        let names: Vec<_> = ALL.iter().map(|def| def.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn columns_follow_the_habits() {
        for def in ALL {
            let mut seen = HashSet::new();
            for column in def.all_columns() {
                let at = format!("{}.{}", def.name, column.name);
                assert!(seen.insert(column.name), "{at} twice");
                assert!(!RESERVED.contains(&column.name), "{at} is a reserved word");
                assert!(!column.meaning.is_empty(), "{at} has no meaning");
                if column.kind == ColumnKind::Counter {
                    assert_ne!(column.unit, Unit::None, "{at}: a counter has a unit");
                }
                let suffix = match column.unit {
                    // As with `seconds`, the unit alone is a name too: net_queue.bytes.
                    Unit::Bytes if column.name != "bytes" => "_bytes",
                    Unit::Hertz => "_hz",
                    Unit::Celsius => "_c",
                    Unit::Seconds if column.name != "seconds" && column.name != "secs" => "_s",
                    _ => "",
                };
                let chars = column.name == "read_chars" || column.name == "write_chars";
                assert!(column.name.ends_with(suffix) || chars, "{at}: the unit comes last");
            }
        }
    }

    #[test]
    fn every_text_says_what_it_holds() {
        for def in ALL {
            for column in def.all_columns() {
                let at = format!("{}.{}", def.name, column.name);
                let said = column.holds != Holds::Unsaid;
                assert_eq!(said, column.ty == ColumnType::Text, "{at}: of text `Text(Word)`, see `Holds`");
            }
        }
    }

    #[test]
    fn every_table_has_a_key_or_one_row() {
        for def in ALL {
            let keyed = def.columns.iter().any(|c| c.kind == ColumnKind::Key);
            let single = def.grain.contains("one row a sample") || def.grain.contains("once");
            assert!(keyed || single, "{} has neither", def.name);
        }
    }
}
