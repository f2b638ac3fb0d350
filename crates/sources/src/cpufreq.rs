//! `/sys/devices/system/cpu/cpufreq`: frequencies of CPUs (tables `cpufreq`, `cpufreq_time`).
//!
//! At both ends of the window: some twelve files a policy, and on Linux 4.13 to 5.17 asking
//! for the current frequency of a CPU interrupts it. Hosts with thousands of CPUs have as
//! many policies; of those an even choice is read, and that is said.

use heldup_hostfs::Host;
use heldup_model::tables::{CpufreqRow, CpufreqTimeRow};
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::kernel_text::{Parsed, count, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::sysfs_folder::{SysfsFolder, evenly, numbered};

const CPUS: &str = "/sys/devices/system/cpu";
const FOLDER: &str = "/sys/devices/system/cpu/cpufreq";
const HOW: &str = "a driver of the processor's frequencies (acpi_cpufreq, intel_pstate, amd_pstate, …); \
                   guests have none: ask their host";
/// At most so many policies are read.
const MAX_POLICIES: usize = 128;

/// The source.
#[derive(Debug, Default)]
pub struct Cpufreq;

impl Source for Cpufreq {
    fn name(&self) -> &'static str {
        "cpufreq"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CpufreqRow::DEF, CpufreqTimeRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let all = policies(host);
        let ticks_per_s = host.units().ticks_per_s as f64;
        let boost = boost(host, &mut reading);
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for (policy_idx, path) in evenly(&all, MAX_POLICIES) {
            let row = policy(host, policy_idx, &path, &mut reading);
            rows.push(CpufreqRow { boost: row.boost.or(boost), ..row });
            let path = format!("{path}/stats/time_in_state");
            // Drivers that let the processor choose (intel_pstate) keep no such times.
            let Ok(file) = host.read(&path) else { continue };
            let read = reading.take(&path, parse_time_in_state(&file, ticks_per_s));
            times.extend(read.into_iter().map(|(frequency_hz, time_s)| CpufreqTimeRow {
                policy_idx: Some(policy_idx),
                frequency_hz: Some(frequency_hz),
                time_s: Some(time_s),
            }));
        }
        reading.missing.extend(missing(all.len(), times.is_empty()));
        reading.rows.push(RowSet::totals(rows));
        reading.rows.push(RowSet::totals(times));
        reading
    }
}

fn missing(policies: usize, no_times: bool) -> Vec<Missing> {
    let of = |what: &str, why: String, how: &str| Missing { what: what.into(), why, how: how.into() };
    let mut missing = Vec::new();
    if policies == 0 {
        missing.push(of("cpufreq", format!("{FOLDER}: no policy there"), HOW));
        missing.push(of("cpufreq_time", format!("{FOLDER}: no policy there"), HOW));
    } else if no_times {
        let how = "a driver for which the kernel chooses the frequency, and CONFIG_CPU_FREQ_STAT";
        missing.push(of("cpufreq_time", format!("{FOLDER}/policy*/stats: not there"), how));
    }
    if policies > MAX_POLICIES {
        let why = format!("{policies} policies; {MAX_POLICIES} evenly chosen ones were read");
        missing.push(of("cpufreq.policy_idx", why, "cpupower -c CPU frequency-info for another one"));
    }
    missing
}

/// Number and folder of each policy. Kernels before 4.3 have one in each CPU's folder, with
/// links to the first CPU's for those that change together.
fn policies(host: &Host) -> Vec<(i64, String)> {
    let listed = numbered(&host.list(FOLDER).unwrap_or_default(), "policy");
    if !listed.is_empty() {
        return listed.into_iter().map(|number| (number, format!("{FOLDER}/policy{number}"))).collect();
    }
    let cpus = numbered(&host.list(CPUS).unwrap_or_default(), "cpu");
    let folders = cpus.into_iter().map(|cpu| (cpu, format!("{CPUS}/cpu{cpu}/cpufreq")));
    let is_first = |(cpu, folder): &(i64, String)| {
        let affected = host.read(format!("{folder}/affected_cpus")).unwrap_or_default();
        fields(affected.trim_ascii()).next().and_then(count) == Some(*cpu)
    };
    folders.filter(is_first).collect()
}

/// Whether frequencies above the base one are allowed, where that is said for all CPUs at once.
fn boost(host: &Host, reading: &mut Reading) -> Option<bool> {
    let mut all = SysfsFolder::new(host, FOLDER.to_owned());
    let mut pstate = SysfsFolder::new(host, format!("{CPUS}/intel_pstate"));
    let said = all.count(reading, "boost").map(|on| on != 0);
    said.or_else(|| pstate.count(reading, "no_turbo").map(|off| off == 0))
}

fn policy(host: &Host, policy_idx: i64, path: &str, reading: &mut Reading) -> CpufreqRow {
    let mut folder = SysfsFolder::new(host, path.to_owned());
    let cpus = folder.word("affected_cpus");
    let mut hertz = |file| folder.count(reading, file).and_then(|khz| khz.checked_mul(1000));
    let mut row = CpufreqRow {
        policy_idx: Some(policy_idx),
        current_hz: hertz("scaling_cur_freq"),
        min_hz: hertz("scaling_min_freq"),
        max_hz: hertz("scaling_max_freq"),
        hardware_min_hz: hertz("cpuinfo_min_freq"),
        hardware_max_hz: hertz("cpuinfo_max_freq"),
        base_hz: hertz("base_frequency"),
        firmware_max_hz: hertz("bios_limit"),
        ..CpufreqRow::default()
    };
    row.cpus = cpus.as_deref().map(|cpus| cpus.split(' ').count() as i64);
    row.cpu_list = cpus.as_deref().map(ranges);
    row.driver = folder.word("scaling_driver");
    row.governor = folder.word("scaling_governor");
    row.preference = folder.word("energy_performance_preference");
    row.boost = folder.count(reading, "boost").map(|on| on != 0);
    row.transitions = folder.count(reading, "stats/total_trans");
    row
}

/// `0 1 2 5` → `0-2,5`; what is no list of numbers stays as it is.
fn ranges(list: &str) -> Text {
    let numbers: Option<Vec<i64>> = list.split(' ').map(|field| count(field.as_bytes())).collect();
    let Some(numbers) = numbers else { return list.into() };
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let shown = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(shown).collect::<Vec<_>>().join(",").into()
}

/// Frequency in Hz and seconds of each line: kHz and clock ticks (cpufreq-stats of the
/// kernel's documentation says 10 ms, which is a tick of USER_HZ).
fn parse_time_in_state(file: &[u8], ticks_per_s: f64) -> Parsed<Vec<(i64, f64)>> {
    let mut parsed = Parsed::<Vec<(i64, f64)>>::default();
    for (line, content) in lines(parsed.whole_lines(file)) {
        let mut parts = fields(content);
        let frequency = parsed.count(line, "frequency", parts.next()).and_then(|khz| khz.checked_mul(1000));
        let ticks = parsed.count(line, "time", parts.next());
        parsed.value.extend(frequency.zip(ticks.map(|ticks| ticks as f64 / ticks_per_s)));
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_a_malformed_line() {
        let parsed = parse_time_in_state(b"3500000 250\n800000 x\n1000 1\n", 100.0);
        assert_eq!(parsed.value, [(3_500_000_000, 2.5), (1_000_000, 0.01)]);
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn lists_of_cpus_are_short() {
        let cases = [("0 1 2 5", "0-2,5"), ("7", "7"), ("0 64", "0,64"), ("x", "x")];
        for (list, expected) in cases {
            assert_eq!(&*ranges(list), expected);
        }
    }
}
