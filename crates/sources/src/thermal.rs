//! Temperatures and what heat costs: tables `thermal` (`/sys/class/thermal`) and `cpu_throttle`
//! (`/sys/devices/system/cpu/cpu*/thermal_throttle`).
//!
//! At both ends of the window: a sensor behind a slow bus may take milliseconds to answer.

use heldup_hostfs::Host;
use heldup_model::tables::{CpuThrottleRow, ThermalRow};
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::sysfs_folder::{SysfsFolder, evenly, numbered};

const ZONES: &str = "/sys/class/thermal";
const CPUS: &str = "/sys/devices/system/cpu";
/// At most so many CPUs are read, five files each.
const MAX_CPUS: usize = 256;
/// At most so many zones: machines with hundreds of sensors exist, and each may be slow.
const MAX_ZONES: usize = 100;
/// A zone has at most so many trip points (the kernel's limit was 12 for long).
const MAX_TRIPS: usize = 32;

/// The source.
#[derive(Debug, Default)]
pub struct Thermal;

impl Source for Thermal {
    fn name(&self) -> &'static str {
        "thermal"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CpuThrottleRow::DEF, ThermalRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        throttles(host, &mut reading);
        zones(host, &mut reading);
        reading
    }
}

fn throttles(host: &Host, reading: &mut Reading) {
    let all = numbered(&host.list(CPUS).unwrap_or_default(), "cpu");
    let mut rows = Vec::new();
    for cpu in evenly(&all, MAX_CPUS) {
        let mut folder = SysfsFolder::new(host, format!("{CPUS}/cpu{cpu}"));
        let mut count = |file: &str| folder.count(reading, &format!("thermal_throttle/{file}"));
        let row = CpuThrottleRow {
            cpu_idx: Some(cpu),
            package_idx: None,
            core_throttles: count("core_throttle_count"),
            core_throttled_s: count("core_throttle_total_time_ms").map(seconds),
            package_throttles: count("package_throttle_count"),
            package_throttled_s: count("package_throttle_total_time_ms").map(seconds),
        };
        if row.core_throttles.is_some() || row.package_throttles.is_some() {
            let package_idx = folder.signed(reading, "topology/physical_package_id");
            rows.push(CpuThrottleRow { package_idx, ..row });
        } else if host.exists(format!("{CPUS}/cpu{cpu}/topology")) {
            // Online, and without counters: not this kind of processor.
            break;
        }
    }
    if rows.is_empty() {
        let why = format!("{CPUS}/cpu*/thermal_throttle: not there");
        let how = "an Intel processor (others and guests do not count it); see dmesg and the table thermal";
        reading.missing.push(Missing { what: "cpu_throttle".to_owned(), why, how: how.to_owned() });
    } else if all.len() > MAX_CPUS {
        let why = format!("{} CPUs; {MAX_CPUS} evenly chosen ones were read", all.len());
        let how = "read the files of one CPU".to_owned();
        reading.missing.push(Missing { what: "cpu_throttle.cpu_idx".to_owned(), why, how });
    }
    reading.rows.push(RowSet::totals(rows));
}

fn zones(host: &Host, reading: &mut Reading) {
    let all = numbered(&host.list(ZONES).unwrap_or_default(), "thermal_zone");
    let chosen = all.iter().take(MAX_ZONES);
    let rows: Vec<_> = chosen.map(|zone_idx| zone(host, *zone_idx, reading)).collect();
    if rows.is_empty() {
        let why = format!("{ZONES}: no zone there");
        let how = "drivers of the machine's sensors; guests have none: ask their host";
        reading.missing.push(Missing { what: "thermal".to_owned(), why, how: how.to_owned() });
    } else if all.len() > MAX_ZONES {
        let why = format!("{} zones; the first {MAX_ZONES} were read", all.len());
        let how = "read the files of one zone".to_owned();
        reading.missing.push(Missing { what: "thermal.zone_idx".to_owned(), why, how });
    }
    reading.rows.push(RowSet::totals(rows));
}

fn zone(host: &Host, zone_idx: i64, reading: &mut Reading) -> ThermalRow {
    let mut folder = SysfsFolder::new(host, format!("{ZONES}/thermal_zone{zone_idx}"));
    let mut row = ThermalRow {
        zone_idx: Some(zone_idx),
        zone_type: folder.word("type"),
        policy: folder.word("policy"),
        enabled: folder.word("mode").map(|mode| &*mode == "enabled"),
        temperature_c: folder.signed(reading, "temp").map(celsius),
        ..ThermalRow::default()
    };
    for trip in 0..MAX_TRIPS {
        let Some(kind) = folder.word(&format!("trip_point_{trip}_type")) else { break };
        let place = match &*kind {
            "passive" => &mut row.passive_c,
            "active" => &mut row.active_c,
            "hot" => &mut row.hot_c,
            "critical" => &mut row.critical_c,
            _ => continue,
        };
        // Zero and -274000 stand for a trip point that is not set.
        let set = folder.signed(reading, &format!("trip_point_{trip}_temp")).filter(|millis| *millis > 0);
        *place = match (*place, set.map(celsius)) {
            (Some(known), Some(also)) => Some(known.min(also)),
            (known, also) => known.or(also),
        };
    }
    row
}

fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

fn celsius(millis: i64) -> f64 {
    millis as f64 / 1e3
}
