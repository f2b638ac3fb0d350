//! `/proc/PID`: what each process is, used and did (table `process`), and its limits
//! (`user_limit`).
//!
//! Read at both ends of the window only: some ten small files a process. A process that
//! ends between two of its files is left out; what the rights do not allow is NULL, and
//! said once for all processes. The `start_ms` of a process equals that of its first
//! thread in `thread` and `task_time`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use heldup_hostfs::{BootTime, Host, HostError, KeptRecord, SmallFiles};
use heldup_model::tables::{ProcessRow, UserLimitRow};
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::kernel_text::{Parsed, fields, lines, signed};
use crate::namespaces::{SEEN_KINDS, Seen, parse_namespace};
use crate::proc_pid_cgroup::{self, TaskCgroups};
use crate::proc_pid_stat::{self, TaskStat};
use crate::proc_pid_status::{self, TaskStatus};
use crate::ran_processes::RanProcesses;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::user_limits::{LimitUses, UserLimits};

/// Files of processes are found from here: a folder of a process that is opened for itself costs as
/// much as the way through it to eight files, and most processes are kernel threads, with two or three.
const PROC: &str = "/proc";
/// At most so many bytes of a command line are kept: some Java ones exceed 100 kB.
const MAX_COMMAND_BYTES: usize = 4096;
/// At most so many damaged files are named: a damaged recording has one for each process.
const MAX_FLAWS: usize = 20;

/// Bytes and calls of `/proc/PID/io`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskIo {
    /// `rchar`.
    pub read_chars: Option<i64>,
    /// `wchar`.
    pub write_chars: Option<i64>,
    /// `syscr`.
    pub read_calls: Option<i64>,
    /// `syscw`.
    pub write_calls: Option<i64>,
    /// `read_bytes`.
    pub read_bytes: Option<i64>,
    /// `write_bytes`.
    pub write_bytes: Option<i64>,
    /// `cancelled_write_bytes`.
    pub cancelled_write_bytes: Option<i64>,
}

/// Reads `/proc/PID/io`.
pub fn parse_io(text: &[u8]) -> Parsed<TaskIo> {
    let mut parsed = Parsed::<TaskIo>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut parts = fields(content);
        let name = parts.next();
        let mut number = |item| parsed.count(line, item, parts.next());
        match name {
            Some(b"rchar:") => parsed.value.read_chars = number("rchar"),
            Some(b"wchar:") => parsed.value.write_chars = number("wchar"),
            Some(b"syscr:") => parsed.value.read_calls = number("syscr"),
            Some(b"syscw:") => parsed.value.write_calls = number("syscw"),
            Some(b"read_bytes:") => parsed.value.read_bytes = number("read_bytes"),
            Some(b"write_bytes:") => parsed.value.write_bytes = number("write_bytes"),
            Some(b"cancelled_write_bytes:") => {
                parsed.value.cancelled_write_bytes = number("cancelled_write_bytes");
            }
            _ => {}
        }
    }
    parsed
}

/// The command line of `/proc/PID/cmdline`: arguments separated by blanks. Without one (a
/// kernel thread, a zombie) it is the name in brackets, as ps shows it.
pub fn parse_cmdline(text: &[u8], name: &str) -> String {
    let text = &text[..text.len().min(MAX_COMMAND_BYTES)];
    let arguments = text.split(|b| *b == 0).map(String::from_utf8_lossy);
    let command = arguments.collect::<Vec<_>>().join(" ");
    let command = command.trim_end();
    if command.is_empty() { format!("[{name}]") } else { command.to_owned() }
}

/// A file of a process between two readings.
#[derive(Debug, Default)]
pub(crate) enum RecordSlot {
    /// Opened for each reading.
    #[default]
    Closed,
    /// To be kept open from the next reading on.
    Wanted,
    /// Kept open.
    Open(KeptRecord),
}

#[derive(Debug)]
struct Command {
    /// A process that has called exec has another one.
    name: Text,
    text: Text,
}

/// A process as a pass over all of them tells it.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) row: ProcessRow,
    /// What it uses of its limits; none where that was not looked at.
    pub(crate) limits: Option<Arc<LimitUses>>,
}

/// What is known of a process that has rested since all of its files were read.
#[derive(Debug)]
pub(crate) struct Rest<'a> {
    pub(crate) row: ProcessRow,
    pub(crate) limits: &'a LimitUses,
}

/// Processes whose I/O counters and namespaces the rights do not allow to read: those of
/// other users and, without CAP_SYS_PTRACE, those with more capabilities than ours.
#[derive(Debug, Default)]
struct Denied {
    processes: usize,
    /// The first of them.
    first: Option<String>,
}

/// The source; remembers command lines and memory from the first reading to the last.
#[derive(Debug, Default)]
pub struct ProcPid {
    commands: HashMap<(i64, i64), Command>,
    /// By content of the file, because most processes of a unit have the same.
    cgroups: HashMap<Vec<u8>, TaskCgroups>,
    /// Of the kernel's threads that nobody can move: all have the same, two of three threads of an
    /// idle machine.
    cgroups_of_bound: Option<TaskCgroups>,
    limits: UserLimits,
    ran: RanProcesses,
    /// Those that were on a CPU since the last reading, where that is known.
    who_ran: Option<BTreeSet<i64>>,
    /// I/O of each process as it was read last; only where it may be known who ran.
    io_before: Option<HashMap<(i64, i64), TaskIo>>,
    /// Private memory of each process at the window's start; none before that was read.
    anon_before: Option<HashMap<(i64, i64), Option<i64>>>,
    /// This reading is the one that the window begins with.
    is_base: bool,
    text: Vec<u8>,
    path: String,
}

impl Source for ProcPid {
    fn name(&self) -> &'static str {
        "proc_pid"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ProcessRow::DEF, UserLimitRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // The recorder has processes at every sample in another way: process_table.rs.
        Schedule::ends().pace(Pace::COSTLY).leads()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        self.is_base = context.base_only;
        if self.is_base {
            self.anon_before = Some(HashMap::new());
        }
        self.who_ran = self.ran.take().map(|ran| ran.ran);
        let (all, mut reading) = self.all(context.host, |_, _| None);
        self.who_ran = None;
        if let Some(all) = all {
            context.namespaces.note(all.iter().filter_map(|whole| seen(&whole.row)).collect());
            reading.rows.insert(0, RowSet::totals(all.into_iter().map(|whole| whole.row)));
        }
        reading
    }
}

impl ProcPid {
    /// One that is told through `ran` who was on a CPU between two readings: who was not has
    /// read and written nothing, and a file less is read of it.
    pub fn knowing(ran: RanProcesses) -> ProcPid {
        ProcPid { ran, io_before: Some(HashMap::new()), ..ProcPid::default() }
    }

    /// Every process, apart from the rest of the reading; none where they cannot be listed. Of whom `rest`
    /// knows, no file but `stat` is read.
    pub(crate) fn all<'a>(
        &mut self,
        host: &Host,
        rest: impl Fn(&TaskStat, BootTime) -> Option<Rest<'a>>,
    ) -> (Option<Vec<Whole>>, Reading) {
        let mut reading = Reading::default();
        let (pids, boot) = match host.list_numbers("/proc").and_then(|pids| Ok((pids, host.boot_time()?))) {
            Ok(read) => read,
            Err(error) => {
                reading.lacks("process", &error, "mount proc on /proc");
                reading.lacks("user_limit", &error, "mount proc on /proc");
                return (None, reading);
            }
        };
        let units = host.units();
        let mut files = host.records_in(PROC);
        let mut denied = Denied::default();
        let mut all = Vec::with_capacity(pids.len());
        for &pid in &pids {
            let Some(stat) = self.stat(&mut files, pid, &mut reading) else { continue };
            if let Some(Rest { row, limits }) = rest(&stat, boot) {
                self.limits.add_known(&row, limits);
                all.push(Whole { row, limits: None });
                continue;
            }
            let ticks_per_s = units.ticks_per_s as f64;
            all.extend(self.process(&mut files, &stat, boot, ticks_per_s, &mut reading, &mut denied));
        }
        self.forget_ended(&all);
        self.cgroups.clear();
        self.cgroups_of_bound = None;
        reading.flaws.truncate(MAX_FLAWS);
        let hidden = hidden(host, &pids);
        let (limits, uncounted) = self.limits.finish(hidden.is_some());
        reading.missing.extend(hidden.or_else(|| denied.missing(all.len())).into_iter().chain(uncounted));
        reading.rows.push(RowSet::totals(limits));
        (Some(all), reading)
    }

    /// One process, by all of its files; none when it has ended meanwhile.
    pub(crate) fn one(&mut self, host: &Host, stat: &TaskStat, boot: BootTime) -> Option<ProcessRow> {
        let (mut reading, mut denied) = (Reading::default(), Denied::default());
        let ticks_per_s = host.units().ticks_per_s as f64;
        let mut files = host.records_in(PROC);
        let whole = self.process(&mut files, stat, boot, ticks_per_s, &mut reading, &mut denied);
        // Limits are counted over all processes, with the next reading of all.
        self.limits = UserLimits::default();
        self.cgroups.clear();
        self.cgroups_of_bound = None;
        whole.map(|whole| whole.row)
    }

    /// What the file `stat` of a process says.
    pub(crate) fn stat_of(&mut self, host: &Host, pid: i64, kept: &mut RecordSlot) -> Option<TaskStat> {
        self.read_record(host, pid, "stat", kept).ok()?;
        parse_stat(&self.text, &self.path, pid, &mut Reading::default())
    }

    /// What the file `io` of a process says; nothing where the rights do not allow it.
    pub(crate) fn io_of(&mut self, host: &Host, pid: i64, kept: &mut RecordSlot) -> TaskIo {
        match self.read_record(host, pid, "io", kept) {
            Ok(()) => parse_io(&self.text).value,
            Err(_) => TaskIo::default(),
        }
    }

    /// What the file `status` of a process says.
    pub(crate) fn status_of(&mut self, host: &Host, stat: &TaskStat) -> Option<TaskStatus> {
        self.status(&mut host.records_in(PROC), stat, &mut Reading::default())
    }

    fn read_record(
        &mut self,
        host: &Host,
        pid: i64,
        file: &str,
        slot: &mut RecordSlot,
    ) -> Result<(), HostError> {
        self.set_path(pid, file);
        match slot {
            RecordSlot::Open(record) => match record.read_into(&self.path, &mut self.text) {
                Ok(()) => return Ok(()),
                // Another process may have the number by now.
                Err(_) => *slot = RecordSlot::Closed,
            },
            RecordSlot::Wanted if host.is_live() => {
                let record = KeptRecord::open(&self.path)?;
                record.read_into(&self.path, &mut self.text)?;
                *slot = RecordSlot::Open(record);
                return Ok(());
            }
            RecordSlot::Wanted | RecordSlot::Closed => {}
        }
        host.read_record_into(&self.path, &mut self.text)
    }

    fn set_path(&mut self, pid: i64, file: &str) {
        self.path.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.path, "{PROC}/{pid}/{file}");
    }

    fn stat(&mut self, files: &mut SmallFiles, pid: i64, reading: &mut Reading) -> Option<TaskStat> {
        self.read_file(files, pid, "stat").ok()?;
        parse_stat(&self.text, &self.path, pid, reading)
    }

    fn read_file(&mut self, files: &mut SmallFiles, pid: i64, file: &str) -> Result<(), HostError> {
        self.set_path(pid, file);
        files.read_into(&self.path[PROC.len() + 1..], &mut self.text)
    }

    /// The other files of a process; none when it has ended meanwhile.
    fn process(
        &mut self,
        files: &mut SmallFiles,
        stat: &TaskStat,
        boot: BootTime,
        ticks_per_s: f64,
        reading: &mut Reading,
        denied: &mut Denied,
    ) -> Option<Whole> {
        let pid = stat.id;
        let name: Text = stat.name.as_str().into();
        let status = self.status(files, stat, reading)?;
        let io = self.io(files, stat, reading, denied);
        // Labels of a row that only counters are used of: four files of a process less. Limits of
        // user processes are said with their unit.
        let asked = !self.is_base;
        let groups = match stat.kernel_thread == Some(true) && !asked {
            true => TaskCgroups::default(),
            false => self.groups(files, stat, reading),
        };
        let [netns, ipcns, mntns] =
            SEEN_KINDS.map(|kind| asked.then(|| namespace(files, stat, kind)).flatten());
        let seconds = |ticks: Option<i64>| ticks.map(|ticks| ticks as f64 / ticks_per_s);
        let row = ProcessRow {
            pid: Some(pid),
            start_ms: Some(boot.start_ms_of_ticks(stat.start_ticks)),
            command: self.command(files, stat, &name),
            name: Some(name),
            parent_pid: stat.parent_pid,
            uid: status.uid,
            state: stat.state.map(|state| state.to_string().into()),
            kernel_thread: stat.kernel_thread,
            cgroup: groups.shown,
            cgroup_cpu: groups.cpu,
            cgroup_memory: groups.memory,
            cgroup_io: groups.io,
            cgroup_pids: groups.pids,
            unit: groups.unit,
            container: groups.container,
            netns,
            ipcns,
            mntns,
            nice: stat.nice,
            oom_score_adj: asked.then(|| self.oom_score_adj(files, stat)).flatten(),
            threads: stat.threads,
            user_s: seconds(stat.user_ticks),
            system_s: seconds(stat.system_ticks),
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
            child_minor_faults: stat.child_minor_faults,
            // A task without an address space has no VmRSS line, and no resident page.
            resident_bytes: status.resident_bytes.or(stat.resident_pages.filter(|pages| *pages == 0)),
            anon_bytes: status.anon_bytes,
            anon_growth_bytes: self.anon_growth(stat, &status),
            virtual_bytes: stat.virtual_bytes,
            swap_bytes: status.swap_bytes,
            read_bytes: io.read_bytes,
            write_bytes: io.write_bytes,
            cancelled_write_bytes: io.cancelled_write_bytes,
            read_chars: io.read_chars,
            write_chars: io.write_chars,
            read_calls: io.read_calls,
            write_calls: io.write_calls,
            // Both modes are told.
            cpu_s: None,
        };
        let limits = Some(self.limits.add(files, &row, &status, reading));
        Some(Whole { row, limits })
    }

    fn io(
        &mut self,
        files: &mut SmallFiles,
        stat: &TaskStat,
        reading: &mut Reading,
        denied: &mut Denied,
    ) -> TaskIo {
        let task = (stat.id, stat.start_ticks);
        let rested = self.who_ran.as_ref().is_some_and(|ran| !ran.contains(&stat.id));
        if let Some(known) = self.io_before.as_ref().and_then(|io| io.get(&task)).filter(|_| rested) {
            return *known;
        }
        if let Err(error) = self.read_file(files, stat.id, "io") {
            return denied.note(&error, &self.path);
        }
        let io = reading.take(&self.path, parse_io(&self.text));
        if let Some(known) = &mut self.io_before {
            known.insert(task, io);
        }
        io
    }

    /// None when the process has ended meanwhile. Half of all processes are kernel threads:
    /// those are root's and have no memory, without a look at the file.
    fn status(
        &mut self,
        files: &mut SmallFiles,
        stat: &TaskStat,
        reading: &mut Reading,
    ) -> Option<TaskStatus> {
        if stat.kernel_thread == Some(true) {
            return Some(TaskStatus { uid: Some(0), ..TaskStatus::default() });
        }
        match self.read_file(files, stat.id, "status") {
            Ok(()) => Some(reading.take(&self.path, proc_pid_status::parse(&self.text))),
            Err(error) if error.is_absent() && files.host().is_live() => None,
            Err(_) => Some(TaskStatus::default()),
        }
    }

    /// What came to the private memory of a process since the window's start.
    fn anon_growth(&mut self, stat: &TaskStat, status: &TaskStatus) -> Option<i64> {
        let known = self.anon_before.as_mut()?;
        let task = (stat.id, stat.start_ticks);
        if self.is_base {
            known.insert(task, status.anon_bytes);
            return None;
        }
        let before = known.get(&task).copied().unwrap_or(Some(0));
        Some(status.anon_bytes? - before?)
    }

    fn groups(&mut self, files: &mut SmallFiles, stat: &TaskStat, reading: &mut Reading) -> TaskCgroups {
        // A recorded tree may say anything.
        let bound = stat.bound && files.host().is_live();
        if let Some(known) = self.cgroups_of_bound.as_ref().filter(|_| bound) {
            return known.clone();
        }
        if self.read_file(files, stat.id, "cgroup").is_err() {
            return TaskCgroups::default();
        }
        let groups = match self.cgroups.get(&self.text) {
            Some(known) => known.clone(),
            None => {
                let groups = reading.take(&self.path, proc_pid_cgroup::parse(&self.text));
                self.cgroups.insert(self.text.clone(), groups.clone());
                groups
            }
        };
        if bound {
            self.cgroups_of_bound = Some(groups.clone());
        }
        groups
    }

    fn oom_score_adj(&mut self, files: &mut SmallFiles, stat: &TaskStat) -> Option<i64> {
        if stat.kernel_thread == Some(true) {
            return None;
        }
        self.read_file(files, stat.id, "oom_score_adj").ok()?;
        signed(self.text.trim_ascii())
    }

    fn command(&mut self, files: &mut SmallFiles, stat: &TaskStat, name: &Text) -> Option<Text> {
        let task = (stat.id, stat.start_ticks);
        if let Some(known) = self.commands.get(&task).filter(|known| known.name == *name) {
            return Some(known.text.clone());
        }
        if stat.kernel_thread == Some(true) {
            self.text.clear();
        } else {
            self.read_file(files, stat.id, "cmdline").ok()?;
        }
        let text: Text = parse_cmdline(&self.text, name).into();
        self.commands.insert(task, Command { name: name.clone(), text: text.clone() });
        Some(text)
    }

    fn forget_ended(&mut self, all: &[Whole]) {
        if self.commands.len() > all.len() {
            let alive: HashSet<i64> = all.iter().filter_map(|whole| whole.row.pid).collect();
            self.commands.retain(|(pid, _), _| alive.contains(pid));
            self.io_before.iter_mut().for_each(|known| known.retain(|(pid, _), _| alive.contains(pid)));
        }
    }
}

impl Denied {
    fn note(&mut self, error: &HostError, path: &str) -> TaskIo {
        if error.is_denied() {
            self.processes += 1;
            let pid = path.split('/').find(|part| part.starts_with(|c: char| c.is_ascii_digit()));
            self.first.get_or_insert_with(|| pid.unwrap_or(path).to_owned());
        }
        TaskIo::default()
    }

    /// What could not be read, of so many processes.
    fn missing(self, all: usize) -> Option<Missing> {
        let first = self.first?;
        let processes = self.processes;
        Some(Missing {
            what: "process.read_bytes".to_owned(),
            why: format!("{processes} of {all} processes not readable (PID {first}: denied)"),
            how: "run as root, and with CAP_SYS_PTRACE".to_owned(),
        })
    }
}

/// The id in the file is another one where /proc belongs to another PID namespace.
fn parse_stat(text: &[u8], path: &str, pid: i64, reading: &mut Reading) -> Option<TaskStat> {
    reading.take(path, proc_pid_stat::parse(text)).map(|stat| TaskStat { id: pid, ..stat })
}

/// What other sources need of a process; not of the kernel's threads, and not of what has ended.
pub(crate) fn seen(row: &ProcessRow) -> Option<Seen> {
    let lives = row.kernel_thread != Some(true) && !matches!(row.state.as_deref(), Some("Z" | "X"));
    let namespaces = [row.netns, row.ipcns, row.mntns];
    lives.then_some(Seen { pid: row.pid?, namespaces })
}

/// Inode of a namespace of a process. Kernel threads are in the first ones, and not asked.
fn namespace(files: &mut SmallFiles, stat: &TaskStat, kind: &str) -> Option<i64> {
    let known = stat.kernel_thread == Some(true);
    let link = (!known).then(|| files.read_link(&format!("{}/ns/{kind}", stat.id)).ok())?;
    parse_namespace(&link?)
}

/// Processes of other users are invisible where /proc is mounted with `hidepid`.
fn hidden(host: &Host, pids: &[i64]) -> Option<Missing> {
    let whole = !host.is_live() || pids.first() == Some(&1);
    (!whole).then(|| Missing {
        what: "process".to_owned(),
        why: "/proc shows only processes of this user (mounted with hidepid)".to_owned(),
        how: "run as root, or as a member of the group that the mount option gid= names".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Namespaces;
    use crate::ran_processes::Ran;

    #[test]
    fn who_was_not_on_a_cpu_is_not_asked_for_its_io() {
        let (host, ran) = (Host::live(), RanProcesses::default());
        let mut source = ProcPid::knowing(ran.clone());
        let namespaces = Namespaces::default();
        let mut calls = || {
            let rows = source.read(&ReadContext::new(&host, &namespaces)).rows.remove(0);
            let own = rows.ints("pid").iter().position(|pid| *pid == Some(heldup_hostfs::own_pid()));
            rows.ints("read_calls")[own.expect("our own process")].expect("its calls")
        };
        // The reading itself reads.
        let first = calls();
        let second = calls();
        assert!(second > first, "{second} after {first}");
        ran.set(Some(Ran::default()));
        assert_eq!(calls(), second, "nobody is said to have run");
        let own = BTreeSet::from([heldup_hostfs::own_pid()]);
        ran.set(Some(Ran { ran: own, ..Ran::default() }));
        let fourth = calls();
        assert!(fourth > second, "{fourth} after {second}");
        assert!(calls() > fourth, "it is not known who ran");
    }

    #[test]
    fn growth_is_told_against_the_windows_start() {
        let mut source = ProcPid::default();
        let stat = |id| TaskStat { id, start_ticks: 5, ..TaskStat::default() };
        let holds = |bytes| TaskStatus { anon_bytes: bytes, ..TaskStatus::default() };
        assert_eq!(source.anon_growth(&stat(1), &holds(Some(100))), None, "no window has begun");
        (source.is_base, source.anon_before) = (true, Some(HashMap::new()));
        for (pid, bytes) in [(1, Some(100)), (2, Some(100)), (3, None)] {
            assert_eq!(source.anon_growth(&stat(pid), &holds(bytes)), None);
        }
        source.is_base = false;
        assert_eq!(source.anon_growth(&stat(1), &holds(Some(300))), Some(200));
        assert_eq!(source.anon_growth(&stat(2), &holds(Some(40))), Some(-60));
        assert_eq!(source.anon_growth(&stat(3), &holds(Some(40))), None, "it could not be read before");
        assert_eq!(source.anon_growth(&stat(4), &holds(Some(40))), Some(40), "born since");
    }
}
