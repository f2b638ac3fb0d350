//! Table `host`: what machine this is, from a handful of files that each say one thing.
//!
//! Length, method and coverage of the capture are not the host's to say; whoever made
//! the capture fills those columns.

use heldup_hostfs::Host as HostRoot;
use heldup_model::tables::HostRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::cpuinfo::cpuinfo_value;
use crate::kernel_text::{ParseError, Parsed, count, lines, text};
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::{hypervisor, proc_meminfo};

const ONLINE: &str = "/sys/devices/system/cpu/online";
const POSSIBLE: &str = "/sys/devices/system/cpu/possible";
const OUTSIDE: &str = "run where /proc and /sys are not masked, outside a container";

/// Reads the machine's description.
#[derive(Default)]
pub struct Host;

impl Source for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[HostRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let row = describe(host, &mut reading);
        if row != HostRow::default() {
            reading.rows.push(RowSet::totals([row]));
        }
        reading
    }
}

fn describe(host: &HostRoot, reading: &mut Reading) -> HostRow {
    let cpuinfo = host.read("/proc/cpuinfo").unwrap_or_default();
    // Known from one of two places; without both it is missing.
    let online = match host.read(ONLINE) {
        Ok(list) => reading.take(ONLINE, parse_id_list(&list)),
        Err(_) if processors(&cpuinfo).is_some() => None,
        Err(error) => {
            reading.lacks("host.cpus", &error, OUTSIDE);
            None
        }
    };
    let units = host.units();
    HostRow {
        name: line_of(host, reading, "/proc/sys/kernel/hostname", "host.name"),
        kernel: line_of(host, reading, "/proc/sys/kernel/osrelease", "host.kernel"),
        architecture: host.machine().map(Text::from),
        os: os_name(host),
        cpu_model: cpu_model(&cpuinfo),
        hypervisor: hypervisor::detect(host, &cpuinfo).map(Text::from),
        // Masked in many containers, and nothing else depends on it.
        command_line: host.read_text("/proc/cmdline").ok().filter(|line| !line.is_empty()).map(Text::from),
        boot_id: line_of(host, reading, "/proc/sys/kernel/random/boot_id", "host.boot_id"),
        cpus: online.or_else(|| processors(&cpuinfo)),
        cpus_possible: host.read(POSSIBLE).ok().and_then(|list| reading.take(POSSIBLE, parse_id_list(&list))),
        // Kernels without CONFIG_NUMA have no such file, and one node.
        nodes: match host.read("/sys/devices/system/node/has_memory") {
            Ok(list) => reading.take("/sys/devices/system/node/has_memory", parse_id_list(&list)),
            Err(error) if error.is_absent() && online.is_some() => Some(1),
            Err(_) => None,
        },
        memory_bytes: memory(host, reading),
        // What was assumed of a recorded tree is not known.
        page_bytes: (!units.assumed).then_some(units.page_bytes as i64),
        boot_ms: boot_ms(host, reading),
        ..HostRow::default()
    }
}

fn line_of(host: &HostRoot, reading: &mut Reading, path: &str, column: &str) -> Option<Text> {
    match host.read_text(path) {
        Ok(line) => (!line.is_empty()).then(|| Text::from(line)),
        Err(error) => {
            reading.lacks(column, &error, OUTSIDE);
            None
        }
    }
}

fn memory(host: &HostRoot, reading: &mut Reading) -> Option<i64> {
    match host.read("/proc/meminfo") {
        // Flaws of the file are said by the source that it belongs to.
        Ok(file) => proc_meminfo::parse(&file).value.and_then(|row| row.total_bytes),
        Err(error) => {
            reading.lacks("host.memory_bytes", &error, OUTSIDE);
            None
        }
    }
}

fn boot_ms(host: &HostRoot, reading: &mut Reading) -> Option<i64> {
    match host.boot_time() {
        Ok(boot) => Some(boot.boot_ms()),
        Err(error) => {
            reading.lacks("host.boot_ms", &error, OUTSIDE);
            None
        }
    }
}

/// PRETTY_NAME of os-release; distributions keep it in either place.
fn os_name(host: &HostRoot) -> Option<Text> {
    let file = host.read("/etc/os-release").or_else(|_| host.read("/usr/lib/os-release")).ok()?;
    let (_, line) = lines(&file).find(|(_, line)| line.starts_with(b"PRETTY_NAME="))?;
    let value = text(&line[b"PRETTY_NAME=".len()..]).trim_matches(['"', '\'']).to_owned();
    (!value.is_empty()).then(|| Text::from(value))
}

/// `model name` on x86; `cpu` on POWER; arm64 names no model, only part numbers.
fn cpu_model(cpuinfo: &[u8]) -> Option<Text> {
    let model = cpuinfo_value(cpuinfo, &["model name", "cpu", "cpu model", "Processor", "uarch"])?;
    (!model.is_empty()).then(|| Text::from(text(model)))
}

/// Number of `processor` lines; none when the file has none (s390 lists them otherwise).
fn processors(cpuinfo: &[u8]) -> Option<i64> {
    let processors = lines(cpuinfo).filter(|(_, line)| line.starts_with(b"processor\t")).count();
    (processors > 0).then_some(processors as i64)
}

/// How many ids a list such as `0-3,8,10-11` names.
pub fn parse_id_list(list: &[u8]) -> Parsed<Option<i64>> {
    let mut parsed = Parsed::<Option<i64>>::default();
    let list = list.trim_ascii();
    if list.is_empty() {
        parsed.value = Some(0);
        return parsed;
    }
    let total = list.split(|b| *b == b',').try_fold(0i64, |total, range| {
        let mut ends = range.splitn(2, |b| *b == b'-');
        let first = count(ends.next()?)?;
        let last = ends.next().map_or(Some(first), count)?;
        let length = last.checked_sub(first).filter(|length| *length >= 0)?;
        total.checked_add(length.checked_add(1)?)
    });
    if total.is_none() {
        parsed.error(ParseError::new(1, "list of ids", list, "ranges such as 0-3,8"));
    }
    parsed.value = total;
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_lists_are_counted() {
        let cases: [(&[u8], Option<i64>); 7] = [
            (b"0\n", Some(1)),
            (b"0-3,8,10-11\n", Some(7)),
            (b"\n", Some(0)),
            (b"3-1", None),
            (b"0-", None),
            (b"a", None),
            (b"0-9223372036854775807", None),
        ];
        for (list, expected) in cases {
            let parsed = parse_id_list(list);
            assert_eq!(parsed.value, expected, "{}", text(list));
            assert_eq!(parsed.errors.is_empty(), expected.is_some());
        }
    }

    #[test]
    fn cpuinfo_names_the_model_and_counts_processors() {
        let cpuinfo =
            b"processor\t: 0\nmodel name\t: Some CPU @ 2GHz: fast\n\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Some CPU @ 2GHz: fast"));
        assert_eq!(processors(cpuinfo), Some(2));
        assert_eq!(cpu_model(b"garbage\n"), None);
        assert_eq!(processors(b""), None);
    }
}
