//! Files of a version 2 control group into a row of `cgroup`.

use heldup_model::tables::CgroupRow;

use crate::cgroup_text::{io_stat, limit, named, pressure, quota, single};
use crate::cgroup_v1::refused;
use crate::group_files::GroupFiles;

/// Fills what version 1 has not filled already; `controllers` are those of the hierarchy.
/// CPU use and stalls are there without any controller.
pub fn fill(controllers: &[String], files: &mut GroupFiles, row: &mut CgroupRow) {
    let has = |name: &str| controllers.iter().any(|controller| controller == name);
    fill_cpu(has("cpu"), files, row);
    if has("memory") {
        fill_memory(files, row);
    }
    if has("io") {
        let (bytes, requests) = files.read("io.stat", io_stat).unwrap_or_default();
        row.read_bytes = bytes.read;
        row.write_bytes = bytes.write;
        row.reads = requests.read;
        row.writes = requests.write;
    }
    if has("pids") {
        row.processes = files.read("pids.current", single).flatten();
        if files.with_settings {
            row.processes_max = files.read("pids.max", limit).flatten();
        }
        row.forks_refused = refused(files, row.processes_max);
    }
    (row.cpu_some_s, _) = files.read("cpu.pressure", pressure).unwrap_or_default();
    (row.memory_some_s, row.memory_full_s) = files.read("memory.pressure", pressure).unwrap_or_default();
    (row.io_some_s, row.io_full_s) = files.read("io.pressure", pressure).unwrap_or_default();
}

fn fill_cpu(has_controller: bool, files: &mut GroupFiles, row: &mut CgroupRow) {
    let stat = files.read("cpu.stat", |text| {
        named(
            text,
            ["usage_usec", "user_usec", "system_usec", "throttled_usec", "nr_periods", "nr_throttled"],
        )
    });
    let [usage, user, system, throttled, periods, throttled_periods] = stat.unwrap_or_default();
    let seconds = |us: Option<i64>| us.map(|us| us as f64 / 1e6);
    row.cpu_s = row.cpu_s.or(seconds(usage));
    row.cpu_user_s = row.cpu_user_s.or(seconds(user));
    row.cpu_system_s = row.cpu_system_s.or(seconds(system));
    if !has_controller {
        return;
    }
    row.throttled_s = seconds(throttled);
    row.periods = periods;
    row.throttled_periods = throttled_periods;
    if files.with_settings {
        row.cpu_weight = files.read("cpu.weight", single).flatten();
        let (quota_us, period_us) = files.read("cpu.max", quota).unwrap_or_default();
        row.cpu_period_s = seconds(period_us);
        row.cpu_quota = quota_us.zip(period_us).map(|(quota, period)| quota as f64 / period as f64);
    }
}

fn fill_memory(files: &mut GroupFiles, row: &mut CgroupRow) {
    row.memory_bytes = files.read("memory.current", single).flatten();
    if files.with_settings {
        row.memory_limit_bytes = files.read("memory.max", limit).flatten();
        row.memory_high_bytes = files.read("memory.high", limit).flatten();
    }
    row.swap_bytes = files.read("memory.swap.current", single).flatten();
    let events = files.read("memory.events", |text| named(text, ["max", "high", "oom_kill"]));
    [row.memory_limit_hits, row.memory_high_hits, row.oom_kills] = events.unwrap_or_default();
    let stat = files.read("memory.stat", |text| {
        named(text, ["anon", "file", "workingset_refault_file", "workingset_refault_anon", "pgmajfault"])
    });
    let [anon, file, refault_file, refault_anon, major_faults] = stat.unwrap_or_default();
    row.memory_anon_bytes = anon;
    row.memory_file_bytes = file;
    row.refault_file_pages = refault_file;
    row.refault_anon_pages = refault_anon;
    row.major_faults = major_faults;
}
