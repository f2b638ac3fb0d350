//! Table `limits`: limits of the whole machine and how much of each is used.
//!
//! The System V tables are those of the reader's IPC namespace; limits of a user or a
//! process are not here.

use heldup_hostfs::Host;
use heldup_model::tables::LimitsRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::{proc_loadavg, proc_net_sockstat};

const SHM: &str = "/proc/sysvipc/shm";
const SEM: &str = "/proc/sysvipc/sem";
const MSG: &str = "/proc/sysvipc/msg";
const SYSVIPC: &str = "a kernel with CONFIG_SYSVIPC and an unmasked /proc";

/// Reads each limit and its use.
#[derive(Default)]
pub struct Limits;

impl Source for Limits {
    fn name(&self) -> &'static str {
        "limits"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[LimitsRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // Tells what nears a limit in hours.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        open_files(host, &mut reading, &mut rows);
        tasks(host, &mut reading, &mut rows);
        for pair in PAIRS {
            pair.read(host, &mut reading, &mut rows);
        }
        shared_memory(host, &mut reading, &mut rows);
        semaphores(host, &mut reading, &mut rows);
        message_queues(host, &mut reading, &mut rows);
        sockets(host, &mut reading, &mut rows);
        if !rows.is_empty() {
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

/// A limit whose use and maximum stand in a file each.
struct Pair {
    limit_name: &'static str,
    setting_key: &'static str,
    /// None where the kernel counts by the user only and tells nobody.
    used: Option<&'static str>,
    max: &'static str,
}

const PAIRS: [Pair; 5] = [
    Pair {
        limit_name: "aio_requests",
        setting_key: "fs.aio-max-nr",
        used: Some("/proc/sys/fs/aio-nr"),
        max: "/proc/sys/fs/aio-max-nr",
    },
    // There only while the module is loaded.
    Pair {
        limit_name: "conntrack_entries",
        setting_key: "net.netfilter.nf_conntrack_max",
        used: Some("/proc/sys/net/netfilter/nf_conntrack_count"),
        max: "/proc/sys/net/netfilter/nf_conntrack_max",
    },
    Pair {
        limit_name: "inotify_instances",
        setting_key: "fs.inotify.max_user_instances",
        used: None,
        max: "/proc/sys/fs/inotify/max_user_instances",
    },
    Pair {
        limit_name: "inotify_watches",
        setting_key: "fs.inotify.max_user_watches",
        used: None,
        max: "/proc/sys/fs/inotify/max_user_watches",
    },
    Pair {
        limit_name: "terminals",
        setting_key: "kernel.pty.max",
        used: Some("/proc/sys/kernel/pty/nr"),
        max: "/proc/sys/kernel/pty/max",
    },
];

impl Pair {
    /// No row where the limit is not there: the thing that it limits is not either.
    fn read(&self, host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
        let Some(max) = number(host, reading, self.max) else { return };
        let used = self.used.and_then(|path| number(host, reading, path));
        rows.push(row(self.limit_name, self.setting_key, used, max.limit()));
    }
}

fn row(
    limit_name: &'static str,
    setting_key: &'static str,
    used: Option<Number>,
    max: Option<i64>,
) -> LimitsRow {
    LimitsRow {
        limit_name: Some(Text::from(limit_name)),
        setting_key: Some(Text::from(setting_key)),
        used: used.and_then(Number::value),
        max,
    }
}

/// A number of a limit: many say *no limit* with one near 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Is(i64),
    Beyond,
}

impl Number {
    fn of(field: &[u8]) -> Option<Number> {
        match count(field) {
            Some(number) => Some(Number::Is(number)),
            None if !field.is_empty() && field.iter().all(u8::is_ascii_digit) => Some(Number::Beyond),
            None => None,
        }
    }

    fn value(self) -> Option<i64> {
        match self {
            Number::Is(number) => Some(number),
            Number::Beyond => None,
        }
    }

    /// None where there is no limit; systemd sets `fs.file-max` to 2^63-1 for that.
    fn limit(self) -> Option<i64> {
        self.value().filter(|number| *number < i64::MAX)
    }
}

/// The numbers of a file of one line; too few or none that is a number is a flaw.
fn numbers<const N: usize>(file: &[u8]) -> Parsed<Option<[Number; N]>> {
    let mut parsed = Parsed::<Option<[Number; N]>>::default();
    let line = file.trim_ascii();
    let found: Option<Vec<Number>> = fields(line).take(N).map(Number::of).collect();
    parsed.value = found.and_then(|found| found.try_into().ok());
    if parsed.value.is_none() {
        parsed.error(ParseError::new(1, "limit", line, "whole numbers, not negative"));
    }
    parsed
}

fn number(host: &Host, reading: &mut Reading, path: &str) -> Option<Number> {
    let file = host.read(path).ok()?;
    reading.take(path, numbers::<1>(&file)).map(|[number]| number)
}

/// `allocated unused maximum`; since 2.6 nothing is kept unused.
fn open_files(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    const PATH: &str = "/proc/sys/fs/file-nr";
    match host.read(PATH) {
        Ok(file) => {
            if let Some([allocated, _, max]) = reading.take(PATH, numbers::<3>(&file)) {
                rows.push(row("open_files", "fs.file-max", Some(allocated), max.limit()));
            }
        }
        Err(error) => reading.lacks("limits", &error, "run where /proc is not masked, outside a container"),
    }
}

/// Each thread takes a process id, so both limits are about threads.
fn tasks(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    let loadavg = host.read("/proc/loadavg").unwrap_or_default();
    // Flaws of the file are said by the source that it belongs to.
    let tasks = proc_loadavg::parse(&loadavg).value.tasks.map(Number::Is);
    if let Some(max) = number(host, reading, "/proc/sys/kernel/pid_max") {
        rows.push(row("processes", "kernel.pid_max", tasks, max.limit()));
    }
    if let Some(max) = number(host, reading, "/proc/sys/kernel/threads-max") {
        rows.push(row("threads", "kernel.threads-max", tasks, max.limit()));
    }
}

fn shared_memory(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    let Some((segments, pages)) = ipc_table(host, reading, SHM, "size", host.units().page_bytes as i64)
    else {
        return;
    };
    if let Some(max) = number(host, reading, "/proc/sys/kernel/shmmni") {
        rows.push(row("shared_memory_segments", "kernel.shmmni", Some(segments), max.limit()));
    }
    if let Some(max) = number(host, reading, "/proc/sys/kernel/shmall") {
        rows.push(row("shared_memory_pages", "kernel.shmall", Some(pages), max.limit()));
    }
}

/// `/proc/sys/kernel/sem` is SEMMSL SEMMNS SEMOPM SEMMNI.
fn semaphores(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    const PATH: &str = "/proc/sys/kernel/sem";
    let Some((sets, semaphores)) = ipc_table(host, reading, SEM, "nsems", 1) else { return };
    let Ok(file) = host.read(PATH) else { return };
    if let Some([_, max_semaphores, _, max_sets]) = reading.take(PATH, numbers::<4>(&file)) {
        rows.push(row("semaphore_sets", "kernel.sem", Some(sets), max_sets.limit()));
        rows.push(row("semaphores", "kernel.sem", Some(semaphores), max_semaphores.limit()));
    }
}

fn message_queues(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    let Some((queues, _)) = ipc_table(host, reading, MSG, "qnum", 1) else { return };
    if let Some(max) = number(host, reading, "/proc/sys/kernel/msgmni") {
        rows.push(row("message_queues", "kernel.msgmni", Some(queues), max.limit()));
    }
}

/// The last of the three numbers of `tcp_mem` and `udp_mem` is the limit, in pages.
fn sockets(host: &Host, reading: &mut Reading, rows: &mut Vec<LimitsRow>) {
    const PATH: &str = "/proc/net/sockstat";
    let Ok(file) = host.read(PATH) else { return };
    let used = reading.take(PATH, proc_net_sockstat::parse(&file));
    let counted = [
        ("orphaned_sockets", "net.ipv4.tcp_max_orphans", used.tcp_orphans),
        ("time_wait_sockets", "net.ipv4.tcp_max_tw_buckets", used.tcp_time_waits),
    ];
    for (limit_name, setting_key, used) in counted {
        if let Some(max) = number(host, reading, &path_of(setting_key)) {
            rows.push(row(limit_name, setting_key, used.map(Number::Is), max.limit()));
        }
    }
    let in_pages = [
        ("tcp_memory_pages", "net.ipv4.tcp_mem", used.tcp_memory_pages),
        ("udp_memory_pages", "net.ipv4.udp_mem", used.udp_memory_pages),
    ];
    for (limit_name, setting_key, used) in in_pages {
        let path = path_of(setting_key);
        let Ok(file) = host.read(&path) else { continue };
        if let Some([_, _, max]) = reading.take(&path, numbers::<3>(&file)) {
            rows.push(row(limit_name, setting_key, used.map(Number::Is), max.limit()));
        }
    }
}

fn path_of(setting_key: &str) -> String {
    format!("/proc/sys/{}", setting_key.replace('.', "/"))
}

fn ipc_table(
    host: &Host,
    reading: &mut Reading,
    path: &str,
    column: &'static str,
    unit: i64,
) -> Option<(Number, Number)> {
    match host.read(path) {
        Ok(file) => {
            let (rows, total) = reading.take(path, parse_ipc_table(&file, column, unit))?;
            Some((Number::Is(rows), Number::Is(total)))
        }
        Err(error) => {
            reading.lacks("limits.used", &error, SYSVIPC);
            None
        }
    }
}

/// How many entries a table of `/proc/sysvipc` has, and the sum of one of its columns,
/// each entry rounded up to whole units. The header names the columns: their number and
/// order changed with the versions.
pub fn parse_ipc_table(table: &[u8], column: &'static str, unit: i64) -> Parsed<Option<(i64, i64)>> {
    let mut parsed = Parsed::<Option<(i64, i64)>>::default();
    let mut lines = lines(parsed.whole_lines(table));
    let header = lines.next().map(|(_, header)| header).unwrap_or_default();
    let Some(at) = fields(header).position(|name| name == column.as_bytes()) else {
        parsed.error(ParseError::new(1, "header", header, "the names of the columns"));
        return parsed;
    };
    let (mut entries, mut total) = (0i64, 0i64);
    for (line, content) in lines {
        entries += 1;
        if let Some(amount) = parsed.count(line, column, fields(content).nth(at)) {
            total =
                total.saturating_add(amount.div_euclid(unit)).saturating_add(i64::from(amount % unit > 0));
        }
    }
    parsed.value = Some((entries, total));
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_a_column_are_added_up() {
        let table = b"       key      shmid perms                  size  cpid\n\
                      1 0 600 4097 77\n 2 1 600 4096 77\n 3 2 600 x 77\n";
        let parsed = parse_ipc_table(table, "size", 4096);
        assert_eq!(parsed.value, Some((3, 3)));
        assert_eq!(parsed.errors.len(), 1);
        assert_eq!(parse_ipc_table(b"", "size", 4096).value, None);
        assert_eq!(parse_ipc_table(b"key semid\n", "nsems", 1).errors.len(), 1);
    }

    #[test]
    fn no_limit_is_null() {
        assert_eq!(Number::of(b"18446744073692774399").map(Number::limit), Some(None));
        assert_eq!(Number::of(b"9223372036854775807").map(Number::limit), Some(None));
        assert_eq!(Number::of(b"65536").map(Number::limit), Some(Some(65536)));
        assert_eq!(Number::of(b"-1"), None);
        assert_eq!(numbers::<3>(b"1 2\n").errors.len(), 1);
    }
}
