//! The list of formats. A new one adds its line.

use crate::importer::Importer;
use crate::{
    aix, disks, kernel, monitors, mysql, net, nmon, oracle, postgres, procps, profilers, solaris, sysstat,
    unix,
};

/// All of them, in the order of their names.
const FORMATS: &[fn() -> Box<dyn Importer>] = &[
    make::<aix::errpt::Errpt>,
    make::<aix::iostat::AixIostat>,
    make::<aix::lparstat::Lparstat>,
    make::<aix::lparstat_settings::LparstatSettings>,
    make::<aix::mounts::AixMounts>,
    make::<aix::oslevel::Oslevel>,
    make::<aix::settings::AixSettings>,
    make::<aix::svmon::Svmon>,
    make::<aix::vmstat_sums::AixVmstatSums>,
    make::<disks::bonnie::Bonnie>,
    make::<disks::device_nodes::DeviceNodes>,
    make::<disks::df::Df>,
    make::<disks::disk_settings::DiskSettings>,
    make::<disks::fio::Fio>,
    make::<disks::lsblk::Lsblk>,
    make::<disks::lsblk_pairs::LsblkPairs>,
    make::<disks::mounts::Mounts>,
    make::<disks::partitions::Partitions>,
    make::<disks::smart::Smart>,
    make::<disks::speeds::Speeds>,
    make::<disks::vxfs::Vxfs>,
    make::<disks::zpool::ZpoolIostat>,
    make::<kernel::kernel_log::KernelLog>,
    make::<kernel::kernel_stats::KernelStats>,
    make::<kernel::lscpu::Lscpu>,
    make::<kernel::numactl::Numactl>,
    make::<kernel::numastat::Numastat>,
    make::<kernel::numastat_memory::NumastatMemory>,
    make::<kernel::proc_stack::ProcStack>,
    make::<kernel::proc_text::ProcText>,
    make::<kernel::process_maps::ProcessMaps>,
    make::<kernel::process_status::ProcessStatus>,
    make::<kernel::slabinfo::Slabinfo>,
    make::<kernel::sysctl::Sysctl>,
    make::<monitors::atopsar::Atopsar>,
    make::<monitors::docker_stats::DockerStats>,
    make::<monitors::dstat::Dstat>,
    make::<monitors::iotop::Iotop>,
    make::<mysql::EventWaits>,
    make::<mysql::InnodbStatus>,
    make::<mysql::Processlist>,
    make::<mysql::QueryDigest>,
    make::<mysql::ServerValues>,
    make::<mysql::SlowLog>,
    make::<net::ethtool::Ethtool>,
    make::<net::ifconfig::Ifconfig>,
    make::<net::interfaces::Interfaces>,
    make::<net::json::NetJson>,
    make::<net::netstat_sums::NetstatSums>,
    make::<net::nstat::Nstat>,
    make::<net::socket_counts::SocketCounts>,
    make::<net::socket_sums::SocketSums>,
    make::<net::sockets::Sockets>,
    make::<nmon::Nmon>,
    make::<oracle::Addm>,
    make::<oracle::ClusterReport>,
    make::<oracle::DeadlockTrace>,
    make::<oracle::Parameters>,
    make::<oracle::Report>,
    make::<oracle::SessionListing>,
    make::<postgres::PgActivity>,
    make::<postgres::Psql>,
    make::<postgres::ServerLog>,
    make::<postgres::Settings>,
    make::<procps::free::Free>,
    make::<procps::ps::Ps>,
    make::<procps::slabtop::Slabtop>,
    make::<procps::top::Top>,
    make::<procps::uptime::Uptime>,
    make::<procps::vmstat_disks::VmstatDisks>,
    make::<procps::vmstat_slabs::VmstatSlabs>,
    make::<procps::vmstat_sums::VmstatSums>,
    make::<profilers::counters::Counters>,
    make::<profilers::folded::Folded>,
    make::<profilers::goroutines::Goroutines>,
    make::<profilers::jstack::Jstack>,
    make::<profilers::perf_script::PerfScript>,
    make::<profilers::pmp::Pmp>,
    make::<profilers::profile::Profile>,
    make::<profilers::py_spy::PySpy>,
    make::<profilers::strace::Strace>,
    make::<profilers::systemtap::Systemtap>,
    make::<profilers::thread_stacks::ThreadStacks>,
    make::<solaris::iostat::SolarisIostat>,
    make::<solaris::iostat_groups::SolarisIostatGroups>,
    make::<solaris::kstat::Kstat>,
    make::<solaris::prstat::Prstat>,
    make::<solaris::tnf::Tnf>,
    make::<solaris::truss::Truss>,
    make::<sysstat::iostat::Iostat>,
    make::<sysstat::mpstat_table::MpstatTable>,
    make::<sysstat::pidstat::Pidstat>,
    make::<sysstat::sadf_lines::SadfLines>,
    make::<sysstat::sar::Sar>,
    make::<unix::ipcs::Ipcs>,
    make::<unix::macos_top::MacosTop>,
    make::<unix::mpstat::UnixMpstat>,
    make::<unix::paging_space::PagingSpace>,
    make::<unix::sar::UnixSar>,
    make::<unix::top::UnixTop>,
    make::<unix::vmstat::Vmstat>,
];

/// Every format, of which no line was offered yet.
pub fn formats() -> Vec<Box<dyn Importer>> {
    FORMATS.iter().map(|make| make()).collect()
}

fn make<F: Importer + Default + 'static>() -> Box<dyn Importer> {
    Box::<F>::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_listed_once_and_in_order() {
        let names: Vec<&str> = formats().iter().map(|format| format.kind()).collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:#?}");
    }
}
