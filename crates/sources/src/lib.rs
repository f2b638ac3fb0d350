//! Live sources: one file per kernel file or table, a pure `parse(&[u8])` and a thin reader above it.
//!
//! A source never fails and never judges: what it read becomes rows, what was not
//! there becomes [`heldup_model::Missing`] with what would supply it, what was
//! malformed becomes [`heldup_model::Flaw`] with its line, and the rest is still read.

#![warn(missing_docs)]

pub mod balloon;
pub mod cgroup;
pub mod cgroup_io_limit;
mod cgroup_text;
mod cgroup_v1;
mod cgroup_v2;
mod cpu_numbers;
pub mod cpufreq;
pub mod cpuidle;
mod cpuinfo;
pub mod delays;
mod ethtool_answer;
pub mod filesystem;
mod group_files;
pub mod host;
mod hypervisor;
mod inet_diag;
mod interrupts_text;
pub mod ipc;
mod ipc_table;
mod irq_sums;
pub mod kernel_report;
pub mod kernel_text;
pub mod kmsg;
mod known_process;
pub mod limits;
mod looks;
pub mod mount;
pub mod mountinfo;
mod namespaces;
pub mod net_driver;
pub mod net_setting;
mod netlink_attribute;
mod network_namespaces;
pub mod other_netns;
pub mod package;
pub mod proc_diskstats;
pub mod proc_interrupts;
pub mod proc_loadavg;
pub mod proc_locks;
pub mod proc_meminfo;
pub mod proc_net_dev;
pub mod proc_net_snmp;
pub mod proc_net_sockstat;
pub mod proc_net_softnet_stat;
pub mod proc_net_stat_nf_conntrack;
mod proc_net_tcp;
pub mod proc_pid;
pub mod proc_pid_cgroup;
pub mod proc_pid_limits;
pub mod proc_pid_stat;
pub mod proc_pid_status;
pub mod proc_pid_task;
pub mod proc_pressure;
pub mod proc_self_mountstats;
pub mod proc_slabinfo;
pub mod proc_softirqs;
pub mod proc_stat;
pub mod proc_uptime;
pub mod proc_vmstat;
pub mod proc_zoneinfo;
mod process_owner;
mod process_table;
mod queue_statistic;
mod ran_processes;
mod reading_thread;
mod recording;
mod sampler;
pub mod setting;
pub mod setting_line;
mod setting_paths;
pub mod sock_diag;
mod socket_owners;
mod socket_state;
mod source;
pub mod sys_block;
pub mod sys_hugepages;
pub mod sys_ksm;
mod sys_net_queues;
pub mod sys_node;
pub mod sys_partition;
mod sysfs_folder;
pub mod system;
mod taskstats;
mod tc_message;
mod tc_options;
pub mod thermal;
mod user_limits;
mod wrapping;

use heldup_model::Record;
use heldup_model::tables::{ProcessRow, ThreadRow};

pub use looks::{Look, LookRows, read_looks};
pub use namespaces::Namespaces;
pub use process_table::ProcessTable;
pub use ran_processes::{Ran, RanProcesses, add_who_ran};
pub use recording::{Recorded, RecordedChanges, RecordedRows, Recording, SourcePace};
pub use sampler::{ReadingCost, SampleKind, Sampler};
pub use source::{Cadence, Pace, ReadContext, Reading, Schedule, Source};

/// Every live source, sorted by name. A new source adds its line in `all`; its name is
/// that of its file in `src/` and of its folder in `fixtures/`.
pub fn live() -> Vec<Box<dyn Source>> {
    all(proc_pid::ProcPid::default())
}

/// The same where the reader of processes is told who of them was on a CPU between two readings.
pub fn live_knowing(ran: &RanProcesses) -> Vec<Box<dyn Source>> {
    all(proc_pid::ProcPid::knowing(ran.clone()))
}

/// The same for a recorder, which has processes from the process table at every sample, and threads with the account of time.
pub fn live_to_record(ran: &RanProcesses) -> Vec<Box<dyn Source>> {
    let mut sources = all(proc_pid::ProcPid::default());
    let others = [ProcessRow::DEF.name, ThreadRow::DEF.name];
    sources.retain(|source| !source.tables().iter().any(|def| others.contains(&def.name)));
    // Before those that ask who lives.
    sources.insert(0, Box::new(ProcessTable::new(ran.clone())));
    sources
}

fn all(proc_pid: proc_pid::ProcPid) -> Vec<Box<dyn Source>> {
    vec![
        Box::<balloon::Balloon>::default(),
        Box::<cgroup::Cgroup>::default(),
        Box::<cgroup_io_limit::CgroupIoLimit>::default(),
        Box::<cpufreq::Cpufreq>::default(),
        Box::<cpuidle::Cpuidle>::default(),
        Box::<filesystem::Filesystem>::default(),
        Box::new(host::Host),
        Box::new(ipc::Ipc),
        Box::<kmsg::Kmsg>::default(),
        Box::<limits::Limits>::default(),
        Box::<mount::Mounts>::default(),
        Box::<net_driver::NetDriver>::default(),
        Box::<net_setting::NetSetting>::default(),
        Box::<other_netns::OtherNetns>::default(),
        Box::<package::Package>::default(),
        Box::<proc_diskstats::ProcDiskstats>::default(),
        Box::<proc_interrupts::ProcInterrupts>::default(),
        Box::<proc_locks::ProcLocks>::default(),
        Box::<proc_meminfo::ProcMeminfo>::default(),
        Box::<proc_net_dev::ProcNetDev>::default(),
        Box::<proc_net_snmp::ProcNetSnmp>::default(),
        Box::<proc_net_softnet_stat::ProcNetSoftnetStat>::default(),
        Box::<proc_net_stat_nf_conntrack::ProcNetStatNfConntrack>::default(),
        Box::new(proc_pid),
        Box::<proc_pid_task::ProcPidTask>::default(),
        Box::<proc_pressure::ProcPressure>::default(),
        Box::<proc_self_mountstats::ProcSelfMountstats>::default(),
        Box::<proc_slabinfo::ProcSlabinfo>::default(),
        Box::<proc_softirqs::ProcSoftirqs>::default(),
        Box::<proc_vmstat::ProcVmstat>::default(),
        Box::<proc_zoneinfo::ProcZoneinfo>::default(),
        Box::<setting::Setting>::default(),
        Box::new(setting_line::SettingLine),
        Box::<sock_diag::Socket>::default(),
        Box::new(sys_hugepages::SysHugepages),
        Box::<sys_ksm::SysKsm>::default(),
        Box::<sys_node::SysNode>::default(),
        Box::<sys_partition::SysPartition>::default(),
        Box::<system::System>::default(),
        Box::<thermal::Thermal>::default(),
    ]
}
