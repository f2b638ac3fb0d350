//! A row of a process or of a thread, whichever of `ps` and `top` printed it: what their headings mean.
//!
//! CPU use in percent is no time: it has a table of its own (`listed_cpu`). Without a column, and so left out: how much memory
//! a task has of the whole (it follows from others), names of users, and what belongs
//! to terminals and job control. Where a task waits in the kernel becomes a row of `stack` of those that
//! wait (state D); of others nobody can say whether they want to go on.

use heldup_model::Record;
use heldup_model::tables::{ProcessRow, StackRow, ThreadRow};

use crate::document::Document;
use crate::document::banner::{Banner, System};
use crate::document::listed_cpu::{Covers, ListedTask, PercentOf, put_task};
use crate::document::put::{Put, put, put_row};
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;
use crate::text::aligned::Headings;
use crate::text::clock_line;
use crate::text::number::{Cell, cell, size};

const KIB: f64 = 1024.0;
/// Page of every machine but a few of those that these tools run on; noted where it is used.
const PAGE_BYTES: f64 = 4096.0;
/// The kernel's own names of tasks are no longer.
const LONGEST_NAME: usize = 15;
/// The thread that all threads of the kernel but itself come from.
const KERNEL_PARENT: f64 = 2.0;

/// How what stands below a heading becomes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// A number.
    Number,
    /// A size in units of this many bytes, unless it has a letter.
    Size(f64),
    /// A count since the task began.
    Grown,
    /// A word; `-` where there is none.
    Word,
}

/// Columns of processes. `SZ` of `ps` is in pages; where it is not, see [`size_unit`].
const OF_PROCESS: [(&str, &str, How); 33] = [
    ("CNT", "threads", How::Number),
    ("CONTAINER", "container", How::Word),
    ("EUID", "uid", How::Number),
    ("IPCNS", "ipcns", How::Number),
    ("LXC", "container", How::Word),
    ("MAJFL", "major_faults", How::Grown),
    ("MAJFLT", "major_faults", How::Grown),
    ("MINFL", "minor_faults", How::Grown),
    ("MINFLT", "minor_faults", How::Grown),
    ("MNTNS", "mntns", How::Number),
    ("NETNS", "netns", How::Number),
    ("NI", "nice", How::Number),
    ("NLWP", "threads", How::Number),
    ("OOMADJ", "oom_score_adj", How::Number),
    ("OOMa", "oom_score_adj", How::Number),
    ("PPID", "parent_pid", How::Number),
    ("RES", "resident_bytes", How::Size(KIB)),
    ("RSS", "resident_bytes", How::Size(KIB)),
    ("RSZ", "resident_bytes", How::Size(KIB)),
    ("RSan", "anon_bytes", How::Size(KIB)),
    ("SWAP", "swap_bytes", How::Size(KIB)),
    ("SZ", "virtual_bytes", How::Size(PAGE_BYTES)),
    ("THCNT", "threads", How::Number),
    ("UID", "uid", How::Number),
    ("UNIT", "unit", How::Word),
    ("VIRT", "virtual_bytes", How::Size(KIB)),
    ("VSIZE", "virtual_bytes", How::Size(KIB)),
    ("VSZ", "virtual_bytes", How::Size(KIB)),
    ("nMaj", "major_faults", How::Grown),
    ("nMin", "minor_faults", How::Grown),
    ("nTH", "threads", How::Number),
    ("nsMNT", "mntns", How::Number),
    ("nsNET", "netns", How::Number),
];

/// Columns of threads; of a process they are those of its first.
const OF_THREAD: [(&str, &str, How); 4] = [
    ("NI", "nice", How::Number),
    ("P", "cpu_idx", How::Number),
    ("PSR", "cpu_idx", How::Number),
    ("RTPRIO", "realtime_priority", How::Number),
];

/// Columns that only a thread has a place for.
const OF_THREAD_ALONE: [(&str, &str, How); 6] = [
    ("MAJFL", "major_faults", How::Grown),
    ("MAJFLT", "major_faults", How::Grown),
    ("MINFL", "minor_faults", How::Grown),
    ("MINFLT", "minor_faults", How::Grown),
    ("nMaj", "major_faults", How::Grown),
    ("nMin", "minor_faults", How::Grown),
];

/// Policies as `ps` prints them, and as the table has them.
const POLICIES: [(&str, &str); 6] =
    [("TS", "other"), ("FF", "fifo"), ("RR", "rr"), ("B", "batch"), ("IDL", "idle"), ("DLN", "deadline")];

/// Headings of the number of a process and of a thread.
pub const PIDS: [&str; 2] = ["PID", "TGID"];
/// Of a thread.
pub const TIDS: [&str; 3] = ["LWP", "SPID", "TID"];

/// What is known of a listing beside its headings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// When.
    pub when: When,
    /// The column PID has numbers of threads, as in `top -H`.
    pub pid_is_thread: bool,
    /// Commands are whole lines, as `ps -f` and `ps aux` print them.
    pub has_lines: bool,
    /// `SWAP` is how much is swapped out; in `top` before 3.3 it was what is not resident.
    pub knows_swap: bool,
    /// What time percentages of CPU use cover.
    pub covers: Covers,
    /// What a hundred percent of it are.
    pub percent_of: PercentOf,
}

/// One row, cut into cells.
struct Row<'r> {
    headings: &'r Headings,
    cells: &'r [String],
    listed: Listed,
}

/// Writes a row; false where it has no number of a task.
pub fn write(
    headings: &Headings,
    cells: &[String],
    listed: Listed,
    totals: &mut Totals,
    document: &mut Document,
) -> bool {
    let row = Row { headings, cells, listed };
    let (pid, tid) = row.ids();
    if pid.is_none() && tid.is_none() {
        return false;
    }
    if let Some(pid) = pid {
        row.process(pid, tid, totals, document);
    }
    row.thread(pid, tid, totals, document);
    row.wait(pid, tid, document);
    row.use_of_cpu(pid, tid, document);
    if headings.has("SZ") && size_unit(headings, document) == Some(PAGE_BYTES) {
        document.note("ps: page size of 4096 bytes assumed for SZ");
    }
    true
}

/// Bytes of the unit of `SZ`: kilobytes on AIX and in `ps aux` of Solaris, elsewhere pages, whose size is the machine's.
fn size_unit(headings: &Headings, document: &Document) -> Option<f64> {
    let is_bsd = headings.names().take(6).eq(["USER", "PID", "%CPU", "%MEM", "SZ", "RSS"]);
    match document.system() {
        _ if is_bsd => Some(KIB),
        Some(System::Aix) => Some(KIB),
        Some(_) => document.facts.banner.as_ref().and_then(Banner::page_bytes),
        None => Some(PAGE_BYTES),
    }
}

impl Row<'_> {
    fn cell(&self, heading: &str) -> Option<&str> {
        let at = self.headings.names().position(|name| name == heading)?;
        self.cells.get(at).map(String::as_str)
    }

    fn first(&self, headings: &[&str]) -> Option<&str> {
        headings.iter().find_map(|heading| self.cell(heading))
    }

    fn number(&self, heading: &str) -> Option<f64> {
        self.cell(heading).and_then(|word| cell(word).value())
    }

    /// Numbers of the process and of the thread.
    fn ids(&self) -> (Option<i64>, Option<i64>) {
        let id = |word: Option<&str>| word.and_then(|word| word.parse::<i64>().ok()).filter(|id| *id >= 0);
        if self.listed.pid_is_thread {
            return (id(self.cell("TGID")), id(self.cell("PID")));
        }
        (id(self.first(&PIDS)), id(self.first(&TIDS)))
    }

    fn state(&self) -> Option<&str> {
        let word = self.first(&["S", "STAT", "STATE"])?;
        word.get(..1).filter(|letter| letter.bytes().all(|byte| byte.is_ascii_alphabetic()))
    }

    fn put_known<'c>(
        &'c self,
        known: &[(&str, &'static str, How)],
        owner: &str,
        totals: &mut Totals,
        into: &mut Vec<(&'static str, Put<'c>)>,
    ) {
        for (heading, column, how) in known {
            let Some(word) = self.cell(heading) else { continue };
            if *heading == "SWAP" && !self.listed.knows_swap {
                continue;
            }
            let value = match how {
                How::Number => Put::Number(cell(word).value()),
                How::Size(unit) => Put::Number(size(word, *unit)),
                // Rounded to thousands (27k) it says nothing of what came since.
                How::Grown => {
                    let total = word.parse::<f64>().ok();
                    Put::Number(total.and_then(|total| totals.growth(&format!("{owner} {column}"), total)))
                }
                How::Word if matches!(word, "" | "-" | "?") || word.ends_with('+') => continue,
                How::Word => Put::Text(word),
            };
            into.push((column, value));
        }
    }

    fn process(&self, pid: i64, tid: Option<i64>, totals: &mut Totals, document: &mut Document) {
        let is_first_thread = tid.is_none_or(|tid| tid == pid);
        let owner = format!("process {pid}");
        let mut cells = Vec::new();
        self.put_known(&OF_PROCESS, &owner, totals, &mut cells);
        if let Some(word) = self.cell("SZ").filter(|_| self.first(&["VSZ", "VSIZE", "VIRT"]).is_none()) {
            cells.retain(|(column, _)| *column != "virtual_bytes");
            let unit = size_unit(self.headings, document);
            cells.push(("virtual_bytes", Put::Number(unit.and_then(|unit| size(word, unit)))));
        }
        // Beside the number of a thread it is the thread's.
        if tid.is_none() {
            cells.push(("cpu_s", Put::Number(self.ran_s(&owner, totals))));
        }
        if let Some(state) = self.state().filter(|_| is_first_thread) {
            cells.push(("state", Put::Text(state)));
        }
        if let Some(group) = self.cell("CGROUP").or_else(|| self.cell("CGROUPS")).and_then(group) {
            cells.push(("cgroup", Put::Text(group)));
        }
        let told = self.names();
        for (column, text) in [("name", told.name), ("command", told.line)] {
            if let Some(text) = text.filter(|_| column == "command" || is_first_thread) {
                cells.push((column, Put::Text(text)));
            }
        }
        let parent = self.number("PPID");
        if told.is_bracketed && (parent == Some(KERNEL_PARENT) || (pid == 2 && parent == Some(0.0))) {
            cells.push(("kernel_thread", Put::Is(true)));
        }
        let start_ms = if is_first_thread { self.start_ms(document) } else { None };
        cells.push(("start_ms", Put::Number(start_ms.map(|ms| ms as f64))));
        put_row(document, ProcessRow::DEF, self.listed.when, Key::Number(pid), &cells);
    }

    /// A row of a thread: of each where threads are listed, else of what is known of a process's first.
    fn thread(&self, pid: Option<i64>, tid: Option<i64>, totals: &mut Totals, document: &mut Document) {
        let mut cells = Vec::new();
        let policy = self.first(&["CLS", "POL"]);
        let policy = policy.and_then(|told| POLICIES.iter().find(|(printed, _)| *printed == told));
        if let Some((_, policy)) = policy {
            cells.push(("policy", Put::Text(policy)));
        }
        let owner = format!("thread {}", tid.or(pid).unwrap_or_default());
        let Some(tid) = tid else {
            self.put_known(&OF_THREAD[1..], &owner, totals, &mut cells);
            if let Some(pid) = pid.filter(|_| !cells.is_empty()) {
                cells.push(("pid", Put::Number(Some(pid as f64))));
                put_row(document, ThreadRow::DEF, self.listed.when, Key::Number(pid), &cells);
            }
            return;
        };
        self.put_known(&OF_THREAD, &owner, totals, &mut cells);
        self.put_known(&OF_THREAD_ALONE, &owner, totals, &mut cells);
        cells.push(("run_s", Put::Number(self.ran_s(&owner, totals))));
        // The kernel's own number of it, as top prints it: below zero for who has a real-time priority.
        let priority = self.cell("PR").and_then(|word| word.parse::<f64>().ok());
        if let Some(priority) = priority {
            cells.push(("realtime_priority", Put::Number(Some((-1.0 - priority).max(0.0)))));
        }
        cells.push(("pid", Put::Number(pid.map(|pid| pid as f64))));
        for (column, text) in [("state", self.state()), ("name", self.names().name)] {
            if let Some(text) = text {
                cells.push((column, Put::Text(text)));
            }
        }
        put_row(document, ThreadRow::DEF, self.listed.when, Key::Number(tid), &cells);
    }

    /// CPU time since the listing before.
    fn ran_s(&self, owner: &str, totals: &mut Totals) -> Option<f64> {
        let total = self.first(&["TIME+", "TIME"]).and_then(cpu_time_s)?;
        totals.growth(&format!("{owner} ran"), total)
    }

    /// CPU use in percent. `C` of Linux' `ps -f` is the same in whole percent, and at most 99.
    fn use_of_cpu(&self, pid: Option<i64>, tid: Option<i64>, document: &mut Document) {
        let is_linux = document.system().is_none() && self.listed.covers == Covers::Life;
        let word = self.cell("%CPU").or_else(|| self.cell("C").filter(|_| is_linux));
        let Some(percent) = word.and_then(|word| cell(word.trim_end_matches('%')).value()) else { return };
        let names = self.names();
        let name = names.name.or_else(|| names.line.and_then(program));
        let task = ListedTask { pid, tid, name, percent };
        put_task(document, self.listed.when, self.listed.covers, self.listed.percent_of, task);
    }

    /// Where a waiting task waits.
    fn wait(&self, pid: Option<i64>, tid: Option<i64>, document: &mut Document) {
        let place = self.first(&["WCHAN", "NWCHAN"]).filter(|place| is_function(place));
        let (Some(place), Some("D"), Some(id)) = (place, self.state(), tid.or(pid)) else { return };
        let mut cells = vec![
            ("kind", Put::Text("wait")),
            ("tid", Put::Number(Some(id as f64))),
            ("pid", Put::Number(pid.map(|pid| pid as f64))),
            ("kernel_stack", Put::Text(place)),
            ("samples", Put::Number(Some(1.0))),
        ];
        if let Some(name) = self.names().name {
            cells.push(("name", Put::Text(name)));
        }
        put(document, StackRow::DEF, self.listed.when, &format!("wait {id}"), &cells);
    }

    fn names(&self) -> Names<'_> {
        let mut names = Names::default();
        let columns = self.headings.names().zip(self.cells);
        let commands: Vec<&str> = columns
            .filter(|(heading, _)| matches!(*heading, "CMD" | "COMMAND" | "ARGS" | "CMDLINE"))
            .map(|(_, cell)| without_branches(cell))
            .filter(|text| !text.is_empty())
            .collect();
        let is_line = |text: &str| {
            self.listed.has_lines
                || text.starts_with('/')
                || (text.len() > LONGEST_NAME && text.contains(' ') && !text.starts_with("kworker/"))
        };
        for text in commands {
            let text = text.strip_suffix(" <defunct>").unwrap_or(text);
            let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(bare) = bare {
                names.is_bracketed = true;
                names.name = Some(bare);
                names.line = Some(text);
            } else if is_line(text) || (names.name.is_some() && names.line.is_none()) {
                names.line = Some(text);
            } else if names.name.is_none() {
                names.name = Some(text);
            }
        }
        names
    }

    /// When a process began: as `lstart` prints it, or how long ago, where the time of the listing is told.
    fn start_ms(&self, document: &mut Document) -> Option<i64> {
        if let Some(started) = self.cell("STARTED") {
            let words: Vec<&str> = started.split_whitespace().collect();
            if let Some(told) = clock_line::parse(&words, document.times.dates.order) {
                return Some(document.instant_ms(told.day, told.seconds, told.zone_s));
            }
        }
        let ago_s = self.cell("ELAPSED").and_then(elapsed_s).filter(|_| !self.listed.when.floats)?;
        Some(self.listed.when.ms - (ago_s * 1000.0) as i64)
    }
}

/// What a row says of its task's name.
#[derive(Default)]
struct Names<'r> {
    name: Option<&'r str>,
    line: Option<&'r str>,
    is_bracketed: bool,
}

/// The program of a command line: `java` of `/usr/bin/java -jar a.jar`.
fn program(line: &str) -> Option<&str> {
    let first = line.split_whitespace().next()?.trim_end_matches(':');
    Some(first.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(first))
}

/// A command without the branches of a tree that `ps f` draws before it: ` |   \_ sh`.
fn without_branches(text: &str) -> &str {
    text.trim_start_matches([' ', '|']).strip_prefix("\\_ ").unwrap_or(text).trim()
}

/// The control group of version 2 (`0::/a/b`), else the longest of version 1; none where it was cut off.
fn group(told: &str) -> Option<&str> {
    if told.ends_with('+') {
        return None;
    }
    let paths = told.split(',').filter_map(|one| Some((one.split_once(':')?.0, &one[one.find(":/")? + 1..])));
    let paths: Vec<(&str, &str)> = paths.collect();
    let of_v2 = paths.iter().find(|(number, path)| *number == "0" && path.len() > 1);
    of_v2.or_else(|| paths.iter().max_by_key(|(_, path)| path.len())).map(|(_, path)| *path)
}

/// The name of a function of the kernel: no number, and not cut off.
fn is_function(word: &str) -> bool {
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    is_word && word.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_address(word)
}

/// `ffffffff`, or without what is the same in all (`119706`).
fn is_address(word: &str) -> bool {
    word.len() >= 6
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|b| b.is_ascii_digit())
}

/// CPU time: `[days-]hours:minutes:seconds`, or minutes, seconds and hundredths (`1234:05.67`).
fn cpu_time_s(word: &str) -> Option<f64> {
    if let Some((minutes, seconds)) = word.split_once(':').filter(|(_, rest)| !rest.contains(':')) {
        let seconds = cell(seconds).value().filter(|seconds| *seconds < 60.0)?;
        return Some(minutes.parse::<u64>().ok()? as f64 * 60.0 + seconds);
    }
    elapsed_s(word)
}

/// `[[days-]hours:]minutes:seconds`, or seconds.
fn elapsed_s(word: &str) -> Option<f64> {
    let (days, rest) = word.split_once('-').unwrap_or(("0", word));
    let mut seconds = 0.0;
    for part in rest.split(':') {
        let Cell::Value(value) = cell(part) else { return None };
        seconds = seconds * 60.0 + value;
    }
    Some(days.parse::<u64>().ok()? as f64 * 86_400.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heading_has_a_column() {
        for (def, known) in [
            (ProcessRow::DEF, &OF_PROCESS[..]),
            (ThreadRow::DEF, &OF_THREAD[..]),
            (ThreadRow::DEF, &OF_THREAD_ALONE[..]),
        ] {
            for (heading, column, _) in known {
                assert!(def.position(column).is_some(), "{heading} → {}.{column}", def.name);
            }
        }
    }

    #[test]
    fn times_and_groups_and_functions() {
        assert_eq!(cpu_time_s("00:01:02"), Some(62.0));
        assert_eq!(cpu_time_s("2-03:04:05"), Some(183_845.0));
        assert_eq!(cpu_time_s("1234:05.67"), Some(74_045.67));
        assert_eq!(cpu_time_s("0:00,02"), Some(0.02));
        assert_eq!(cpu_time_s("12,3h"), None);
        assert_eq!(elapsed_s("01:02"), Some(62.0));
        assert_eq!(elapsed_s("4711"), Some(4711.0));
        assert_eq!(program("/usr/bin/java -jar a.jar"), Some("java"));
        assert_eq!(program("postgres: checkpointer"), Some("postgres"));
        assert_eq!(program("/"), Some("/"));
        assert_eq!(group("0::/system.slice/ssh.service"), Some("/system.slice/ssh.service"));
        assert_eq!(group("12:memory:/a,1:name=systemd:/a/b,0::/"), Some("/a/b"));
        assert_eq!(group("12:memory:/user.slice+"), None);
        for (word, expect) in [
            ("ep_poll", true),
            ("do_wait", true),
            ("-", false),
            ("0", false),
            ("119706", false),
            ("ffffffff8100", false),
            ("worker_th+", false),
        ] {
            assert_eq!(is_function(word), expect, "{word}");
        }
    }
}
