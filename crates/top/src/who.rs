//! Rows of who is there: processes, threads, units, containers or programs; sorted, filtered, as a tree.

use std::collections::{BTreeMap, HashMap, HashSet};

use heldup_model::{Class, Group, SeenProcess, SeenTask, View};

use crate::bar::sums;

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// A process.
    #[default]
    Processes,
    /// A thread.
    Threads,
    /// A systemd unit.
    Units,
    /// A container.
    Containers,
    /// All processes of one name.
    Programs,
}

impl Grouping {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Grouping; 5] =
        [Grouping::Processes, Grouping::Threads, Grouping::Units, Grouping::Containers, Grouping::Programs];

    /// Its name above the rows.
    pub fn name(self) -> &'static str {
        match self {
            Grouping::Processes => "processes",
            Grouping::Threads => "threads",
            Grouping::Units => "units",
            Grouping::Containers => "containers",
            Grouping::Programs => "programs",
        }
    }
}

/// What rows are sorted by, the most first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Time active: waiting and running.
    #[default]
    Active,
    /// Time waiting.
    Waiting,
    /// Time running.
    Running,
    /// Resident memory.
    Memory,
    /// Growth of its own memory.
    Growth,
    /// Bytes read.
    Read,
    /// Bytes written.
    Written,
    /// Faults that read a device.
    Faults,
    /// Threads.
    Threads,
    /// Process id, the least first.
    Pid,
    /// Name, in the order of letters.
    Name,
}

impl Sort {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Sort; 11] = [
        Sort::Active,
        Sort::Waiting,
        Sort::Running,
        Sort::Memory,
        Sort::Growth,
        Sort::Read,
        Sort::Written,
        Sort::Faults,
        Sort::Threads,
        Sort::Pid,
        Sort::Name,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Active => "active time",
            Sort::Waiting => "waiting",
            Sort::Running => "running",
            Sort::Memory => "memory",
            Sort::Growth => "memory growth",
            Sort::Read => "read",
            Sort::Written => "written",
            Sort::Faults => "major faults",
            Sort::Threads => "threads",
            Sort::Pid => "PID",
            Sort::Name => "name",
        }
    }
}

/// Which rows, and in what order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// What a row stands for.
    pub grouping: Grouping,
    /// What they are sorted by.
    pub sort: Sort,
    /// The least first.
    pub reversed: bool,
    /// Children below their parents.
    pub tree: bool,
    /// Threads of the kernel too.
    pub kernel: bool,
    /// Rows whose name, command, unit or id has this; parents stay.
    pub filter: String,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Process id, or thread id of a thread; none of a group.
    pub id: Option<i64>,
    /// Process id; none of a group.
    pub pid: Option<i64>,
    /// Name.
    pub name: String,
    /// Unit, else container, else group.
    pub unit: String,
    /// Command line.
    pub command: String,
    /// Steps below the root of a tree.
    pub depth: usize,
    /// Processes that it stands for.
    pub processes: usize,
    /// Seconds by class.
    pub times: Vec<(Class, f64)>,
    /// Its time is accounted for, be it idle.
    pub has_times: bool,
    /// Seconds of waiting.
    pub waiting_s: f64,
    /// Seconds of running; from the kernel's count where no time is accounted for.
    pub running_s: f64,
    /// CPU time by the kernel's count.
    pub cpu_s: Option<f64>,
    /// Resident memory.
    pub resident_bytes: Option<i64>,
    /// Growth of its own memory.
    pub growth_bytes: Option<i64>,
    /// Memory swapped out.
    pub swap_bytes: Option<i64>,
    /// Bytes read.
    pub read_bytes: Option<i64>,
    /// Bytes written.
    pub write_bytes: Option<i64>,
    /// Major faults.
    pub faults: Option<i64>,
    /// Threads.
    pub threads: Option<i64>,
    /// State of its first thread.
    pub state: String,
    /// It ended in the window.
    pub ended: bool,
}

/// The rows of a window, before they are filtered.
pub fn rows(view: &View, how: &How) -> Vec<Row> {
    let mut all = match how.grouping {
        Grouping::Threads => threads(view, how),
        Grouping::Processes => by_process(view, how),
        Grouping::Units => {
            grouped(view, how, |process| process.unit.clone().or_else(|| process.cgroup.clone()))
        }
        Grouping::Containers => grouped(view, how, |process| process.container.clone()),
        Grouping::Programs => grouped(view, how, |process| Some(process.name.clone())),
    };
    sort(&mut all, how);
    if how.tree && how.grouping == Grouping::Processes {
        all = tree(view, all);
    }
    all
}

fn sort(rows: &mut [Row], how: &How) {
    let ints = |of: fn(&Row) -> Option<i64>| move |a: &Row, b: &Row| of(b).cmp(&of(a));
    match how.sort {
        Sort::Active => {
            rows.sort_by(|a, b| (b.waiting_s + b.running_s).total_cmp(&(a.waiting_s + a.running_s)))
        }
        Sort::Waiting => rows.sort_by(|a, b| b.waiting_s.total_cmp(&a.waiting_s)),
        Sort::Running => rows.sort_by(|a, b| b.running_s.total_cmp(&a.running_s)),
        Sort::Memory => rows.sort_by(ints(|row| row.resident_bytes)),
        Sort::Growth => rows.sort_by(ints(|row| row.growth_bytes)),
        Sort::Read => rows.sort_by(ints(|row| row.read_bytes)),
        Sort::Written => rows.sort_by(ints(|row| row.write_bytes)),
        Sort::Faults => rows.sort_by(ints(|row| row.faults)),
        Sort::Threads => rows.sort_by(ints(|row| row.threads)),
        Sort::Pid => rows.sort_by_key(|row| row.id),
        Sort::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
    }
    if how.reversed {
        rows.reverse();
    }
}

fn by_process(view: &View, how: &How) -> Vec<Row> {
    let mut rows: BTreeMap<i64, Row> = view
        .processes
        .iter()
        .filter(|process| how.kernel || !process.is_kernel)
        .map(|process| (process.pid, of_process(process)))
        .collect();
    for task in &view.tasks {
        if let Some(row) = task.pid.and_then(|pid| rows.get_mut(&pid)) {
            add_times(row, &task.times);
        }
    }
    rows.into_values().map(settled).collect()
}

fn threads(view: &View, how: &How) -> Vec<Row> {
    let processes: HashMap<i64, &SeenProcess> =
        view.processes.iter().map(|process| (process.pid, process)).collect();
    let of_task = |task: &SeenTask| {
        let process = task.pid.and_then(|pid| processes.get(&pid).copied());
        if process.is_some_and(|process| process.is_kernel) && !how.kernel {
            return None;
        }
        let mut row = process.map(of_process).unwrap_or_default();
        row.id = Some(task.tid);
        row.name.clone_from(&task.name);
        // Of a thread the kernel counts nothing here; what its process has is not its own.
        (row.cpu_s, row.read_bytes, row.write_bytes, row.faults, row.threads) =
            (None, None, None, None, None);
        (row.resident_bytes, row.growth_bytes, row.swap_bytes) = (None, None, None);
        add_times(&mut row, &task.times);
        Some(settled(row))
    };
    view.tasks.iter().filter_map(of_task).collect()
}

fn grouped(view: &View, how: &How, key: impl Fn(&SeenProcess) -> Option<String>) -> Vec<Row> {
    let plain = How { grouping: Grouping::Processes, tree: false, filter: String::new(), ..how.clone() };
    let keys: HashMap<i64, Option<String>> =
        view.processes.iter().map(|process| (process.pid, key(process))).collect();
    let mut groups: BTreeMap<String, Row> = BTreeMap::new();
    for row in by_process(view, &plain) {
        let name = row.pid.and_then(|pid| keys.get(&pid).cloned().flatten());
        let name = name.unwrap_or_else(|| NONE.to_owned());
        let group = groups.entry(name.clone()).or_insert_with(|| Row { name, ..Row::default() });
        join(group, row);
    }
    groups.into_values().map(settled).collect()
}

/// The row of what belongs to no group.
const NONE: &str = "(none)";

fn join(group: &mut Row, row: Row) {
    let sum = |a: Option<i64>, b: Option<i64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
    };
    group.processes += 1;
    add_times(group, &row.times);
    group.has_times |= row.has_times;
    group.cpu_s = match (group.cpu_s, row.cpu_s) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
    };
    group.resident_bytes = sum(group.resident_bytes, row.resident_bytes);
    group.growth_bytes = sum(group.growth_bytes, row.growth_bytes);
    group.swap_bytes = sum(group.swap_bytes, row.swap_bytes);
    group.read_bytes = sum(group.read_bytes, row.read_bytes);
    group.write_bytes = sum(group.write_bytes, row.write_bytes);
    group.faults = sum(group.faults, row.faults);
    group.threads = sum(group.threads, row.threads);
    if group.command.is_empty() {
        group.command = row.name;
    }
}

fn of_process(process: &SeenProcess) -> Row {
    let unit = process.unit.as_deref().map(|unit| unit.strip_suffix(".service").unwrap_or(unit));
    // Of a control group its own name: what it stands in is the same for many.
    let group = process.cgroup.as_deref().and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let unit = unit.or(process.container.as_deref()).or(group);
    Row {
        id: Some(process.pid),
        pid: Some(process.pid),
        name: process.name.clone(),
        unit: unit.unwrap_or_default().to_owned(),
        command: process.command.clone().unwrap_or_default(),
        processes: 1,
        cpu_s: process.cpu_s,
        resident_bytes: process.resident_bytes,
        growth_bytes: process.growth_bytes,
        swap_bytes: process.swap_bytes,
        read_bytes: process.read_bytes,
        write_bytes: process.write_bytes,
        faults: process.major_faults,
        threads: process.threads,
        state: process.state.clone().unwrap_or_default(),
        ended: process.ended,
        ..Row::default()
    }
}

fn add_times(row: &mut Row, times: &[(Class, f64)]) {
    row.has_times |= !times.is_empty();
    let counted = times.iter().filter(|(class, _)| matches!(class.group(), Group::Waiting | Group::Running));
    for (class, seconds) in counted {
        match row.times.iter_mut().find(|(known, _)| known == class) {
            Some((_, sum)) => *sum += seconds,
            None => row.times.push((*class, *seconds)),
        }
    }
}

/// Sums, once all times are there.
fn settled(mut row: Row) -> Row {
    (row.waiting_s, row.running_s) = sums(&row.times);
    if !row.has_times {
        row.running_s = row.cpu_s.unwrap_or(0.0);
    }
    row
}

/// Children behind their parents, siblings in the order that they have.
fn tree(view: &View, rows: Vec<Row>) -> Vec<Row> {
    let there: HashSet<i64> = rows.iter().filter_map(|row| row.pid).collect();
    let parents: HashMap<i64, i64> =
        view.processes.iter().filter_map(|process| Some((process.pid, process.parent?))).collect();
    let mut children: HashMap<Option<i64>, Vec<Row>> = HashMap::new();
    for row in rows {
        let parent = row.pid.and_then(|pid| parents.get(&pid).copied());
        let parent = parent.filter(|parent| there.contains(parent) && Some(*parent) != row.pid);
        children.entry(parent).or_default().push(row);
    }
    let mut out = Vec::new();
    // Who began is above; the last one pushed is the next.
    let mut open: Vec<Row> = children.remove(&None).unwrap_or_default();
    open.reverse();
    while let Some(row) = open.pop() {
        let depth = row.depth + 1;
        let below = children.remove(&row.pid).unwrap_or_default();
        open.extend(below.into_iter().rev().map(|child| Row { depth, ..child }));
        out.push(row);
    }
    // What names its parent in a circle is shown all the same.
    out.extend(children.into_values().flatten());
    out
}

/// Rows that have the text of the filter; in a tree their parents too.
pub fn filtered(rows: Vec<Row>, how: &How) -> Vec<Row> {
    let (filter, keeps_parents) = (how.filter.trim().to_lowercase(), how.tree);
    if filter.is_empty() {
        return rows;
    }
    let has = |row: &Row| {
        [&row.name, &row.unit, &row.command].iter().any(|text| text.to_lowercase().contains(&filter))
            || row.id.is_some_and(|id| id.to_string() == filter)
            || row.times.iter().any(|(class, _)| class.label() == filter)
    };
    let mut kept = vec![false; rows.len()];
    for at in 0..rows.len() {
        if !has(&rows[at]) {
            continue;
        }
        kept[at] = true;
        let mut depth = rows[at].depth;
        for above in (0..at).rev().take_while(|_| keeps_parents) {
            if rows[above].depth < depth {
                depth = rows[above].depth;
                kept[above] = true;
            }
        }
    }
    rows.into_iter().zip(kept).filter_map(|(row, kept)| kept.then_some(row)).collect()
}

#[cfg(test)]
mod tests {
    use heldup_model::{Examination, Span};

    use super::*;

    fn process(pid: i64, parent: i64, name: &str, unit: Option<&str>) -> SeenProcess {
        SeenProcess {
            pid,
            parent: Some(parent),
            name: name.to_owned(),
            unit: unit.map(str::to_owned),
            resident_bytes: Some(pid * 1000),
            ..SeenProcess::default()
        }
    }

    fn task(tid: i64, pid: i64, times: &[(Class, f64)]) -> SeenTask {
        SeenTask { tid, pid: Some(pid), name: format!("t{tid}"), times: times.to_vec() }
    }

    fn view() -> View {
        let kernel = SeenProcess { is_kernel: true, ..process(2, 0, "kthreadd", None) };
        View {
            span: Span { since_ms: 0, until_ms: 60_000 },
            examination: Examination::default(),
            tasks: vec![
                task(10, 10, &[(Class::User, 1.0), (Class::Timer, 50.0)]),
                task(11, 10, &[(Class::DiskSync, 30.0)]),
                task(20, 20, &[(Class::User, 40.0)]),
            ],
            processes: vec![
                process(1, 0, "init", None),
                process(10, 1, "db", Some("db.service")),
                process(20, 10, "worker", Some("db.service")),
                kernel,
            ],
        }
    }

    fn names(how: &How) -> Vec<String> {
        filtered(rows(&view(), how), how)
            .into_iter()
            .map(|row| format!("{}{}", "-".repeat(row.depth), row.name))
            .collect()
    }

    #[test]
    fn a_process_has_the_time_of_its_threads() {
        let all = rows(&view(), &How::default());
        assert_eq!(all.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["worker", "db", "init"]);
        assert_eq!((all[1].waiting_s, all[1].running_s), (30.0, 1.0));
        assert_eq!(all[1].unit, "db");
        // Idle time is nobody's work.
        assert_eq!(all[1].times.len(), 2);
    }

    #[test]
    fn what_is_sorted_by_can_be_chosen() {
        let by = |sort| names(&How { sort, ..How::default() });
        assert_eq!(by(Sort::Waiting)[0], "db");
        assert_eq!(by(Sort::Memory), ["worker", "db", "init"]);
        assert_eq!(by(Sort::Pid), ["init", "db", "worker"]);
        assert_eq!(names(&How { sort: Sort::Pid, reversed: true, ..How::default() })[0], "worker");
        assert!(names(&How { kernel: true, ..How::default() }).contains(&"kthreadd".to_owned()));
    }

    #[test]
    fn a_tree_keeps_the_parents_of_what_is_looked_for() {
        let how = How { tree: true, filter: "WORKER".to_owned(), ..How::default() };
        assert_eq!(names(&how), ["init", "-db", "--worker"]);
        assert_eq!(names(&How { tree: false, ..how }), ["worker"]);
        assert_eq!(names(&How { filter: "sync".to_owned(), ..How::default() }), ["db"]);
    }

    #[test]
    fn groups_add_up() {
        let units = rows(&view(), &How { grouping: Grouping::Units, ..How::default() });
        assert_eq!((units[0].name.as_str(), units[0].processes), ("db.service", 2));
        assert_eq!((units[0].waiting_s, units[0].resident_bytes), (30.0, Some(30_000)));
        assert_eq!(units[1].name, NONE);
        let threads = rows(&view(), &How { grouping: Grouping::Threads, ..How::default() });
        assert_eq!(threads.len(), 3);
        assert!(threads.iter().all(|row| row.resident_bytes.is_none()));
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let mut view = view();
        view.processes = vec![process(5, 6, "a", None), process(6, 5, "b", None)];
        view.tasks.clear();
        let all = rows(&view, &How { tree: true, ..How::default() });
        assert_eq!(all.len(), 2);
    }
}
