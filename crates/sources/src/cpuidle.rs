//! `/sys/devices/system/cpu/cpu*/cpuidle`: idle states of CPUs (table `cpuidle`).
//!
//! At both ends of the window: five counters a CPU and state. What does not change (name,
//! latency) is read once for each. Of thousands of CPUs an even choice is read, and that is said.

use std::collections::HashMap;

use heldup_hostfs::Host;
use heldup_model::tables::CpuidleRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::sysfs_folder::{SysfsFolder, evenly, numbered};

const CPUS: &str = "/sys/devices/system/cpu";
const HOW: &str = "a kernel with CONFIG_CPU_IDLE and a driver (intel_idle, acpi_idle, haltpoll in guests)";
/// At most so many CPUs are read: ten states of each are 6,400 files, 20 ms.
const MAX_CPUS: usize = 128;

/// The source; remembers what does not change.
#[derive(Debug, Default)]
pub struct Cpuidle {
    described: HashMap<(i64, i64), CpuidleRow>,
}

impl Source for Cpuidle {
    fn name(&self) -> &'static str {
        "cpuidle"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CpuidleRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A file for each state of each CPU.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let all = numbered(&host.list(CPUS).unwrap_or_default(), "cpu");
        let mut global = SysfsFolder::new(host, format!("{CPUS}/cpuidle"));
        let driver = global.word("current_driver");
        // The second name is that of kernels before 5.7, unless booted with cpuidle_sysfs_switch.
        let governor = global.word("current_governor").or_else(|| global.word("current_governor_ro"));
        let mut rows = Vec::new();
        for cpu in evenly(&all, MAX_CPUS) {
            // A CPU that is offline has none.
            let names = host.list(format!("{CPUS}/cpu{cpu}/cpuidle")).unwrap_or_default();
            for state in numbered(&names, "state") {
                let row = self.state(host, cpu, state, &mut reading);
                rows.push(CpuidleRow { driver: driver.clone(), governor: governor.clone(), ..row });
            }
        }
        reading.missing.extend(missing(all.len(), rows.is_empty()));
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl Cpuidle {
    fn state(&mut self, host: &Host, cpu: i64, state: i64, reading: &mut Reading) -> CpuidleRow {
        let mut folder = SysfsFolder::new(host, format!("{CPUS}/cpu{cpu}/cpuidle/state{state}"));
        let described = self.described.entry((cpu, state));
        let described = described.or_insert_with(|| describe(&mut folder, cpu, state, reading)).clone();
        CpuidleRow {
            disabled: folder.count(reading, "disable").map(|off| off != 0),
            entries: folder.count(reading, "usage"),
            time_s: folder.count(reading, "time").map(seconds),
            rejected: folder.count(reading, "rejected"),
            too_deep: folder.count(reading, "above"),
            too_shallow: folder.count(reading, "below"),
            ..described
        }
    }
}

fn describe(folder: &mut SysfsFolder, cpu: i64, state: i64, reading: &mut Reading) -> CpuidleRow {
    CpuidleRow {
        cpu_idx: Some(cpu),
        state_idx: Some(state),
        state_name: folder.word("name"),
        // ACPI says `<null>` of states that its tables do not describe.
        description: folder.word("desc"),
        latency_s: folder.count(reading, "latency").map(seconds),
        target_residency_s: folder.count(reading, "residency").map(seconds),
        ..CpuidleRow::default()
    }
}

/// The files are in microseconds.
fn seconds(us: i64) -> f64 {
    us as f64 / 1e6
}

fn missing(cpus: usize, none: bool) -> Option<Missing> {
    let (what, why, how): (&str, String, Text) = if none {
        ("cpuidle", format!("{CPUS}/cpu*/cpuidle: not there"), HOW.into())
    } else if cpus > MAX_CPUS {
        let why = format!("{cpus} CPUs; {MAX_CPUS} evenly chosen ones were read");
        ("cpuidle.cpu_idx", why, "cpupower -c CPU idle-info for another one".into())
    } else {
        return None;
    };
    Some(Missing { what: what.to_owned(), why, how: how.to_string() })
}
