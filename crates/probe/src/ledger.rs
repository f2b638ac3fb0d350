//! The ledger: where the time of every task went, counted at every switch.
//!
//! The BPF half (`bpf/ledger.bpf.c`) keeps one account for each task in the kernel;
//! this half reads all of them in one pass, differences them, lets late stacks and
//! objects decide where the kernel's marks do not, and makes rows. It does not judge.

mod account;
mod cgroup;
mod hand_over;
mod kind;
mod labeller;
mod late;
mod object;
mod object_rows;
mod process_io;
mod record;
mod roll;
mod rows;
mod run_tracker;
mod runtime;
mod sheet;
mod stack_rows;
mod start;
mod task_table;

use std::collections::HashSet;

use aya::maps::{Array, MapData, MapError, PerCpuArray, RingBuf};
use heldup_hostfs::{Host, KeptFiles, monotonic_ns};
use heldup_model::tables::TaskTimeRow;
use heldup_model::{Missing, Record, RowChanges, RowSet};

use crate::error::ProbeError;
use crate::loader::{Constant, Object};
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;
use crate::pid_namespace::{numbers_differ, processes};
use cgroup::{Groups, Trees};
use hand_over::HandOver;
pub(crate) use kind::class_of_kind;
use labeller::Labeller;
use late::LateBook;
use record::{Cpu, each_record, each_task};
use rows::{Rows, close_cpu, cpu_time};
pub use run_tracker::WhoRan;
use sheet::Sheet;
use task_table::{Beginning, TaskTable};

const OBJECT: &str = "ledger.bpf.o";
/// Entries of the map `late` in the object.
const LATE_ENTRIES: usize = 8_192;
/// Words of 64 CPUs in the object.
const IDLE_WORDS: usize = 16;
/// Room for records of ended tasks that is kept from one reading to the next: some five hundred of them. A crowd
/// may leave as many as the buffer in the kernel holds, 4 MiB.
const ENDS_KEPT_BYTES: usize = 256 << 10;
/// Times that a byte goes to and fro in a burst by which it is learnt what a run costs: some 200 µs.
const HANDED_OVER: usize = 32;

/// What can be chosen about the ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerOptions {
    /// A stack is taken once this much wait of one kind has gathered without, in nanoseconds.
    pub late_ns: u64,
    /// Whether the tasks that this program starts from now on are to be marked as the
    /// command under examination (`in_command`), with all that they start.
    /// It costs a look at every birth of a task and nothing at a switch.
    pub with_command: bool,
}

impl Default for LedgerOptions {
    /// 5 ms: at most 200 stacks a second and waiting task, at 0.7 µs each.
    fn default() -> LedgerOptions {
        LedgerOptions { late_ns: 5_000_000, with_command: false }
    }
}

/// Events that the BPF half missed and what it did about them; zero on most machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerGaps {
    /// Switches to a task that were not seen; its time was repaired.
    pub missed_in: u64,
    /// Switches from a task that were not seen; its time was repaired.
    pub missed_out: u64,
    /// Switches at which no account could be had.
    pub no_account: u64,
    /// Tasks whose end did not fit into the buffer.
    pub exits_dropped: u64,
    /// Late records that did not fit into their map.
    pub late_dropped: u64,
    /// Stacks that did not fit into their map.
    pub stacks_dropped: u64,
    /// Accounts that changed all the while they were read.
    pub torn: u64,
}

/// What one reading brought.
#[derive(Clone, Debug)]
pub struct LedgerReading {
    /// `task_time` (unless it is in `changes`), `cpu_time` and, where somebody waited for something, `object_time`, where
    /// somebody read or wrote, `process_io` (increases), and, where they were asked for, `thread` (totals); where somebody
    /// ended in a group of version 1, `ended_process`.
    pub rows: Vec<RowSet>,
    /// `task_time` by what changed since the reading before.
    pub changes: Option<RowChanges>,
    /// Who lives and who ran.
    pub who: WhoRan,
    /// Share of the time of all tasks since the window began that was seen as it happened, 0 to 1.
    pub coverage: f64,
    /// What was missed since the start.
    pub gaps: LedgerGaps,
}

/// The running ledger; dropping it detaches the programs.
pub struct Ledger {
    host: Host,
    object: Object,
    cpus: PerCpuArray<MapData, Cpu>,
    ends: RingBuf<MapData>,
    /// CPUs that the next pass counts as idle no more, and what was last said of that.
    offline: Array<MapData, u64>,
    said_offline: [u64; IDLE_WORDS],
    /// Whether the next pass describes every task, and what was last said of that.
    whole: Array<MapData, u32>,
    said_whole: Option<bool>,
    own_pid: i64,
    table: TaskTable,
    cpus_before: Vec<Option<Cpu>>,
    /// CPUs that were online when that was asked last.
    online: Option<Vec<usize>>,
    /// Rows of the reading before: the next will need as much room.
    rows_before: usize,
    /// How many of them were reported whole, on top of the reading before that.
    told_whole_before: usize,
    /// Whether the reading before was followed, and brought rows: changes are reported on top of them.
    followed: bool,
    /// Emptied rows of `task_time` that were given back.
    used: Option<RowSet>,
    /// What the iterator wrote, and the records of tasks that ended; kept for their room.
    tasks: Vec<u8>,
    ended: Vec<u8>,
    /// Ends of tasks that were read alive just before: for the next reading.
    ended_late: Vec<u8>,
    meanwhile: Vec<u8>,
    files: KeptFiles,
    text: Vec<u8>,
}

impl Ledger {
    /// Loads and attaches the programs, makes every CPU switch once, and opens the account of
    /// every task that waits.
    pub fn start(host: &Host, options: LedgerOptions) -> Result<Ledger, ProbeError> {
        let release = host.read_text("/proc/sys/kernel/osrelease").unwrap_or_default();
        Ledger::start_with(host, options, accounts_from_pool(&release))
    }

    /// `at_switch`: whether accounts may be created while the run queue is locked.
    fn start_with(host: &Host, options: LedgerOptions, at_switch: bool) -> Result<Ledger, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "the ledger" });
        }
        let boot = host.boot_time()?;
        let (groups, trees) = (Groups::find(host), Trees::find(host));
        let words = cpu_words(host).to_ne_bytes();
        let constants = [
            Constant { name: "late_ns", bytes: &options.late_ns.to_ne_bytes() },
            Constant { name: "create_at_switch", bytes: &[at_switch.into()] },
            Constant { name: "cpu_controller_groups", bytes: &[groups.cpu_controller.into()] },
            Constant { name: "several_trees", bytes: &[trees.is_some().into()] },
            Constant { name: "with_command", bytes: &[options.with_command.into()] },
            Constant { name: "cpu_words", bytes: &words },
            Constant { name: "attached_ns", bytes: &monotonic_ns().to_ne_bytes() },
        ];
        let mut object = Object::open(OBJECT, objects::LEDGER, Some(kernel_types()?), &constants)?;
        let cpus = object.take_map("cpus")?;
        let ends = object.take_map("ends")?;
        let offline = object.take_map("offline")?;
        let whole = object.take_map("whole")?;
        let reader: Array<MapData, u32> = object.take_map("reader")?;
        let late = DrainedMap::new(object.take_map("late")?, LATE_ENTRIES)?;
        let stacks = object.take_map("stacks")?;
        object.load_iterator("read_tasks", "task")?;
        if !at_switch || options.with_command {
            object.attach_trace_point("on_new_task", "task_newtask")?;
        }
        object.attach_trace_point("on_waking", "sched_waking")?;
        // Only the tracepoint of 5.18 and later has a fourth argument; the other kind of kernel
        // refuses the program that asks for it.
        if let Err(first) = object.attach_trace_point("on_switch", "sched_switch") {
            object.attach_trace_point("on_switch_before_5_18", "sched_switch").map_err(|_| first)?;
        }
        start::visit_every_cpu();
        if let Ok(mut pair) = HandOver::start() {
            // What went wrong there costs the burst, and makes nothing wrong.
            object.learn_untimed(|| drop(pair.times(HANDED_OVER)));
        }
        let mut tasks = Vec::new();
        object.iterate("read_tasks", &mut tasks)?;
        let own_pid = reader.get(&0, 0).map_err(|e| refused("map reader", &e))?;
        let processes = processes(host, own_pid.into());
        let late = LateBook::new(host, &processes, late, stacks)?;
        let labeller = Labeller::new(host, &processes, own_pid, boot, (groups, trees), options.with_command);
        let table = TaskTable::new(&processes, late, labeller);
        Ok(Ledger {
            host: host.clone(),
            object,
            cpus,
            ends,
            offline,
            said_offline: [0; IDLE_WORDS],
            whole,
            said_whole: None,
            own_pid: own_pid.into(),
            table,
            cpus_before: Vec::new(),
            online: None,
            rows_before: 0,
            told_whole_before: 0,
            followed: false,
            used: None,
            tasks,
            ended: Vec::new(),
            ended_late: Vec::new(),
            meanwhile: Vec::new(),
            files: KeptFiles::default(),
            text: Vec::new(),
        })
    }

    /// Reads all accounts; the rows are about the time since the reading before.
    ///
    /// The first reading is the base and has no rows of `task_time` and `cpu_time`.
    pub fn read(&mut self) -> Result<LedgerReading, ProbeError> {
        let sheet = self.whole_sheet();
        self.read_rows(sheet, true)
    }

    /// As [`Ledger::read`] without rows of `thread`, which are wanted only at the ends of a
    /// window.
    pub fn read_without_threads(&mut self) -> Result<LedgerReading, ProbeError> {
        let sheet = self.whole_sheet();
        self.read_rows(sheet, false)
    }

    /// A reading after which rows of `task_time` can be given as changes; with `changes` they
    /// are, where the reading before was such a one too and its rows were taken.
    pub fn follow(&mut self, threads: bool, changes: bool) -> Result<LedgerReading, ProbeError> {
        self.table.follow();
        let followed = std::mem::replace(&mut self.followed, false);
        let sheet = match changes && followed {
            true => Sheet::changes(self.rows_before, self.told_whole_before),
            false => Sheet::whole(None),
        };
        let reading = self.read_rows(sheet, threads)?;
        self.followed = true;
        Ok(reading)
    }

    fn whole_sheet(&mut self) -> Sheet {
        self.followed = false;
        Sheet::whole(self.used.take())
    }

    /// Takes rows that a reading brought and nobody needs any more: the next has their room.
    /// Where there are 10,000 tasks, new room for their rows takes a tenth of a reading.
    pub fn give_back(&mut self, mut rows: RowSet) {
        if rows.def.name == TaskTimeRow::DEF.name {
            rows.clear();
            self.used = Some(rows);
        }
    }

    fn read_rows(&mut self, sheet: Sheet, threads: bool) -> Result<LedgerReading, ProbeError> {
        let mut rows = Rows::new(sheet, threads);
        if let Sheet::Whole { rows, .. } = &mut rows.task_time {
            rows.reserve(self.rows_before);
        }
        let began_ns = monotonic_ns();
        // Ends first: a task must not be read as alive after its end was taken.
        empty(&mut self.ended);
        std::mem::swap(&mut self.ended, &mut self.ended_late);
        take_ends(&mut self.ends, &mut self.ended);
        // Rows of threads need what is not reported of a task twice.
        let whole = rows.thread.is_some() || self.table.is_empty();
        if self.said_whole != Some(whole) {
            self.whole.set(0, u32::from(whole), 0).map_err(|e| refused("map whole", &e))?;
            self.said_whole = Some(whole);
        }
        self.object.iterate("read_tasks", &mut self.tasks)?;
        self.ends_meanwhile()?;
        let (cpus, cpus_ns) = self.steady_cpus()?;
        let late_recorded = cpus.iter().map(|cpu| cpu.late_recorded).sum();
        let beginning = Beginning { now_ns: began_ns, late_recorded };
        self.table.begin(beginning, &self.tasks, &mut rows)?;
        each_record(&self.ended, |told, times| self.table.take(told, times, &mut rows))?;
        each_record(&self.tasks, |told, times| self.table.take(told, times, &mut rows))?;
        self.table.finish(&mut rows);

        self.rows_before = rows.task_time.len();
        let gaps = self.gaps(&cpus);
        let cpu_time = self.cpu_time(&cpus, cpus_ns)?;
        let (task_time, changes) = match rows.task_time {
            Sheet::Whole { rows, .. } => (Some(rows), None),
            Sheet::Changes { rows, .. } => {
                self.told_whole_before = rows.now.len;
                (None, Some(rows))
            }
        };
        let others = [rows.thread, rows.ended_process, rows.process_io].into_iter().flatten();
        let others = others.chain(self.table.object_times());
        let rows = task_time.into_iter().chain([cpu_time]).chain(others).collect();
        let who = self.table.who_ran();
        Ok(LedgerReading { rows, changes, who, coverage: self.table.coverage(), gaps })
    }

    /// Process id of this program in the rows of the ledger. It is the machine's number: inside
    /// a PID namespace another one than programs there, and `/proc`, know.
    pub fn own_pid(&self) -> i64 {
        self.own_pid
    }

    /// What is not visible because this program is in a PID namespace; none where it is not.
    pub fn namespace(&self) -> Option<Missing> {
        numbers_differ(self.own_pid).then(|| Missing {
            what: "task_time.pid".to_owned(),
            why: "heldup runs in a PID namespace, where eBPF and /proc number processes differently: the ledger \
                  does not match tables process, limits and socket, file paths and function names are unknown, \
                  and only tasks of the namespace are listed"
                .to_owned(),
            how: "run in the host's PID namespace (docker run --pid=host, hostPID: true)".to_owned(),
        })
    }

    /// Another window begins at the last reading: [`Ledger::stacks`] and the coverage are about what
    /// comes. Accounts, names and loaded programs stay, so that a window costs no start.
    pub fn next_window(&mut self) {
        self.table.next_window();
    }

    /// What tasks waited for since the window began: one row for each task, class, stack, object
    /// and waker of waits that a stack or an object had to report.
    pub fn stacks(&mut self) -> RowSet {
        self.table.stacks()
    }

    /// Time that user tasks waited since the window began, in nanoseconds, as far as [`Ledger::stacks`] reports.
    pub fn waiting_ns(&self) -> u64 {
        self.table.waiting_ns()
    }

    /// Time that the eBPF programs took, but for the iterator.
    pub fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }

    /// The iterator leaves out who ended since the ends were taken: their ends belong to this
    /// reading, or a command that ends the window would be missed. Those that it did read wait
    /// for the next, so that a task has one interval in a reading.
    fn ends_meanwhile(&mut self) -> Result<(), ProbeError> {
        empty(&mut self.meanwhile);
        take_ends(&mut self.ends, &mut self.meanwhile);
        if self.meanwhile.is_empty() {
            return Ok(());
        }
        let mut read = HashSet::new();
        each_task(&self.tasks, |id, _| {
            read.insert(id);
        })?;
        let (now, later) = (&mut self.ended, &mut self.ended_late);
        each_task(&self.meanwhile, |id, end| {
            let to = if read.contains(&id) { &mut *later } else { &mut *now };
            to.extend_from_slice(end);
        })
    }

    fn gaps(&self, cpus: &[Cpu]) -> LedgerGaps {
        let mut gaps = LedgerGaps {
            torn: self.table.torn,
            late_dropped: self.table.late_dropped(),
            ..LedgerGaps::default()
        };
        for cpu in cpus {
            gaps.missed_in += cpu.missed_in;
            gaps.missed_out += cpu.missed_out;
            gaps.no_account += cpu.no_account;
            gaps.exits_dropped += cpu.exits_dropped;
            gaps.late_dropped += cpu.late_dropped;
            gaps.stacks_dropped += cpu.stacks_dropped;
        }
        gaps
    }

    /// Rows of the CPUs that are online and have switched before both readings.
    fn cpu_time(&mut self, cpus: &[Cpu], now: u64) -> Result<RowSet, ProbeError> {
        let closed: Vec<Option<Cpu>> = cpus.iter().map(|cpu| close_cpu(cpu, now)).collect();
        if self.online_may_have_changed(&closed) {
            self.online = self.online_cpus();
            self.say_offline(cpus)?;
        }
        let online = &self.online;
        let pairs = self.cpus_before.iter().zip(&closed).enumerate();
        let rows = pairs.filter(|(at, _)| online.as_ref().is_none_or(|on| on.contains(at)));
        let rows = RowSet::increases(
            rows.filter_map(|(at, (before, now))| Some(cpu_time(at, before.as_ref()?, now.as_ref()?))),
        );
        self.cpus_before = closed;
        Ok(rows)
    }

    /// A CPU that went offline was idle last, and the BPF half would count it as idle for good.
    fn say_offline(&mut self, cpus: &[Cpu]) -> Result<(), ProbeError> {
        let Some(online) = &self.online else { return Ok(()) };
        let words = offline_words(cpus, online);
        for (at, (said, word)) in (0..).zip(self.said_offline.iter_mut().zip(words)) {
            if *said != word {
                self.offline.set(at, word, 0).map_err(|e| refused("map offline", &e))?;
                *said = word;
            }
        }
        Ok(())
    }

    /// Whether a CPU that was online has not switched since the last reading, or one that was not has.
    fn online_may_have_changed(&self, cpus: &[Option<Cpu>]) -> bool {
        let Some(online) = self.online.as_ref().filter(|_| self.cpus_before.len() == cpus.len()) else {
            return true;
        };
        let switches = |cpu: &Option<Cpu>| cpu.as_ref().map(|cpu| cpu.switches);
        let mut pairs = self.cpus_before.iter().zip(cpus).enumerate();
        pairs.any(|(at, (before, now))| (switches(before) != switches(now)) != online.contains(&at))
    }

    /// All CPUs' records at one time; a record that is being written is read again.
    fn steady_cpus(&self) -> Result<(Vec<Cpu>, u64), ProbeError> {
        let get = || self.cpus.get(&0, 0).map_err(|e| refused("map cpus", &e));
        let mut before = get()?;
        for _ in 0..8 {
            let again = get()?;
            let now = monotonic_ns();
            if before.iter().zip(again.iter()).all(|(a, b)| a.seq == b.seq && a.seq % 2 == 0) {
                return Ok((again.to_vec(), now));
            }
            before = again;
        }
        // A machine that switches all the time: off by one period of one CPU at most.
        Ok((before.to_vec(), monotonic_ns()))
    }

    fn online_cpus(&mut self) -> Option<Vec<usize>> {
        self.files.read_record_into(&self.host, "/sys/devices/system/cpu/online", &mut self.text).ok()?;
        cpu_list(std::str::from_utf8(&self.text).ok()?)
    }
}

fn refused(place: &'static str, error: &MapError) -> ProbeError {
    ProbeError::Record { place, what: error.to_string() }
}

/// Empties a buffer of ends, whose room is kept only where it is no more than most readings need.
fn empty(ends: &mut Vec<u8>) {
    ends.clear();
    ends.shrink_to(ENDS_KEPT_BYTES);
}

/// Appends the records of tasks that have ended since the last call.
fn take_ends(ends: &mut RingBuf<MapData>, to: &mut Vec<u8>) {
    while let Some(end) = ends.next() {
        to.extend_from_slice(&end);
    }
}

/// Whether task storage comes from a pool, since 6.4: before, its allocation may wake a kernel
/// thread and take the run-queue lock that is already held at a switch. An unknown release
/// counts as old.
pub(crate) fn accounts_from_pool(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().ok());
    let (major, minor) = (numbers.next().flatten(), numbers.next().flatten());
    major.zip(minor).is_some_and(|version| version >= (6, 4))
}

/// Words of 64 CPUs that hold all that may ever be there, of which no kernel has fewer in a set of CPUs.
/// Where that is not said, of the first.
fn cpu_words(host: &Host) -> u32 {
    let possible = host.read_text("/sys/devices/system/cpu/possible").ok();
    let last = possible.as_deref().and_then(cpu_list).and_then(|cpus| cpus.into_iter().max());
    u32::try_from(last.unwrap_or(0) / 64 + 1).unwrap_or(1)
}

/// CPUs that have switched and are not online, a bit each.
fn offline_words(cpus: &[Cpu], online: &[usize]) -> [u64; IDLE_WORDS] {
    let mut words = [0; IDLE_WORDS];
    for (at, cpu) in cpus.iter().enumerate() {
        if cpu.since != 0
            && !online.contains(&at)
            && let Some(word) = words.get_mut(at / 64)
        {
            *word |= 1 << (at % 64);
        }
    }
    words
}

/// Reads a list of CPUs as the kernel writes it: `0-3,8`.
fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_with_a_pool() {
        for (release, pool) in [("6.18.44-fc", true), ("6.4.0", true), ("6.3.9", false), ("5.15.0-91", false)]
        {
            assert_eq!(accounts_from_pool(release), pool, "{release}");
        }
        assert!(!accounts_from_pool(""));
    }

    /// The way of kernels before 6.4 works on this one too.
    #[test]
    fn new_tasks_get_their_account_when_they_are_born() {
        if !heldup_hostfs::is_root() {
            return heldup_skip::skipped("BPF needs root");
        }
        let mut ledger = Ledger::start_with(&Host::live(), LedgerOptions::default(), false).expect("start");
        ledger.read().expect("base");
        let named = std::thread::Builder::new().name("born-later".into());
        let thread = named.spawn(|| std::thread::sleep(std::time::Duration::from_millis(20)));
        thread.expect("a thread").join().expect("it ends");
        let reading = ledger.read().expect("reading");
        let rows = &reading.rows[0];
        let column = |name: &str| &rows.cells[rows.def.position(name).expect(name)];
        let (heldup_model::Cells::Text(names), heldup_model::Cells::Float(seconds)) =
            (column("name"), column("seconds"))
        else {
            panic!("text and floats");
        };
        let of_thread = names.iter().zip(seconds).filter(|(name, _)| name.as_deref() == Some("born-later"));
        let slept: f64 = of_thread.filter_map(|(_, seconds)| *seconds).sum();
        assert!(slept >= 0.02, "{slept} s of a thread that slept 0.02 s");
    }

    #[test]
    fn cpus_that_went_offline_are_said() {
        let cpu = |since| Cpu { since, ..Cpu::default() };
        let mut cpus = vec![cpu(5); 66];
        cpus[2] = cpu(0);
        let online: Vec<usize> = (0..66).filter(|at| ![1, 2, 65].contains(at)).collect();
        let words = offline_words(&cpus, &online);
        assert_eq!((words[0], words[1], words[2]), (0b10, 0b10, 0), "not the one that never was there");
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!(cpu_list("0-2,5,7-8\n"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(cpu_list("0"), Some(vec![0]));
        assert_eq!(cpu_list("all"), None);
    }
}
