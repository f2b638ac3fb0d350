//! Files of a version 1 control group, by controller, into a row of `cgroup`.
//!
//! Where the kernel offers a value for the group alone and one with everything below, the
//! latter is taken: that is what version 2 shows and what the limits count.

use heldup_model::tables::CgroupRow;

use crate::cgroup_text::{IoSums, blkio, limit, named, single};
use crate::group_files::GroupFiles;

/// The controllers that fill columns, as the mount options name them.
pub const CONTROLLERS: [&str; 5] = ["blkio", "cpu", "cpuacct", "memory", "pids"];

/// Fills the columns of one controller from the files of a folder.
pub fn fill(controller: &str, files: &mut GroupFiles, row: &mut CgroupRow) {
    match controller {
        "blkio" => fill_blkio(files, row),
        "cpu" => fill_cpu(files, row),
        "cpuacct" => fill_cpuacct(files, row),
        "memory" => fill_memory(files, row),
        "pids" => {
            row.processes = files.read("pids.current", single).flatten();
            if files.with_settings {
                row.processes_max = files.read("pids.max", limit).flatten();
            }
            row.forks_refused = refused(files, row.processes_max);
        }
        _ => {}
    }
}

/// Tasks that the pids controller did not let start. Without a limit the count stays, and its file is not read.
pub(crate) fn refused(files: &mut GroupFiles, limit: Option<i64>) -> Option<i64> {
    limit?;
    let [refused] = files.read("pids.events", |text| named(text, ["max"]))?;
    refused
}

fn fill_cpu(files: &mut GroupFiles, row: &mut CgroupRow) {
    // Without a quota the counts stay.
    if files.with_settings || row.cpu_quota.is_some() {
        let names = ["nr_periods", "nr_throttled", "throttled_time"];
        let [periods, throttled_periods, throttled_ns] =
            files.read("cpu.stat", |text| named(text, names)).unwrap_or_default();
        row.periods = periods;
        row.throttled_periods = throttled_periods;
        row.throttled_s = throttled_ns.map(|ns| ns as f64 / 1e9);
    }
    if !files.with_settings {
        return;
    }
    row.cpu_weight = files.read("cpu.shares", single).flatten();
    let quota_us = files.read("cpu.cfs_quota_us", limit).flatten();
    let period_us = files.read("cpu.cfs_period_us", single).flatten();
    row.cpu_period_s = period_us.map(|us| us as f64 / 1e6);
    row.cpu_quota = quota_us.zip(period_us).map(|(quota, period)| quota as f64 / period as f64);
}

fn fill_cpuacct(files: &mut GroupFiles, row: &mut CgroupRow) {
    row.cpu_s = files.read("cpuacct.usage", single).flatten().map(|ns| ns as f64 / 1e9);
    let stat = files.read("cpuacct.stat", |text| named(text, ["user", "system"]));
    let ticks_per_s = files.ticks_per_s;
    let [user, system] = stat.unwrap_or_default().map(|ticks| ticks.map(|ticks| ticks as f64 / ticks_per_s));
    row.cpu_user_s = user;
    row.cpu_system_s = system;
}

fn fill_memory(files: &mut GroupFiles, row: &mut CgroupRow) {
    row.memory_bytes = files.read("memory.usage_in_bytes", single).flatten();
    if files.with_settings {
        row.memory_limit_bytes = files.read("memory.limit_in_bytes", limit).flatten();
    }
    // What has no limit does not hit it; who is killed in it then, the whole machine was out of memory.
    if files.with_settings || row.memory_limit_bytes.is_some() {
        row.memory_limit_hits = files.read("memory.failcnt", single).flatten();
        let control = files.read("memory.oom_control", |text| named(text, ["oom_kill"]));
        row.oom_kills = control.and_then(|[kills]| kills);
    }
    let stat = files.read("memory.stat", |text| {
        named(
            text,
            [
                "total_rss",
                "total_cache",
                "total_swap",
                "total_workingset_refault_file",
                "total_workingset_refault_anon",
                "total_pgmajfault",
            ],
        )
    });
    let [anon, file, swap, refault_file, refault_anon, major_faults] = stat.unwrap_or_default();
    row.memory_anon_bytes = anon;
    row.memory_file_bytes = file;
    row.swap_bytes = swap;
    row.refault_file_pages = refault_file;
    row.refault_anon_pages = refault_anon;
    row.major_faults = major_faults;
}

fn fill_blkio(files: &mut GroupFiles, row: &mut CgroupRow) {
    // The throttle policy has recursive files since 4.17; before, only the group itself.
    let mut sums = |recursive: &str, own: &str| -> IoSums {
        files.read(recursive, blkio).or_else(|| files.read(own, blkio)).unwrap_or_default()
    };
    let bytes = sums("blkio.throttle.io_service_bytes_recursive", "blkio.throttle.io_service_bytes");
    let requests = sums("blkio.throttle.io_serviced_recursive", "blkio.throttle.io_serviced");
    row.read_bytes = bytes.read;
    row.write_bytes = bytes.write;
    row.reads = requests.read;
    row.writes = requests.write;
}
