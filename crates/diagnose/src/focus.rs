//! Cuts a capture to what is asked about before the rules see it.
//!
//! A focus on a process, control group, unit, container, name, port or command keeps the rows of the
//! processes that belong to it; a focus on a device keeps that device, what stands on
//! it and what it stands on, one on a mount also that mount alone. Tables of the whole machine stay: they are the context.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::{Capture, ErrorNote};

/// Subjects of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Focus {
    /// `pid:1234`
    Pid(i64),
    /// `cgroup:/system.slice/x.service`, with all groups below it.
    Cgroup(String),
    /// `unit:x.service`
    Unit(String),
    /// `container:4f0b0d3c9d2a`, at least the first digits of the id.
    Container(String),
    /// `comm:postgres`, all processes of this name.
    Comm(String),
    /// `device:sda`
    Device(String),
    /// `mount:/srv`, with the device below it.
    Mount(String),
    /// `port:5432`, local or the peer's.
    Port(i64),
    /// `command`: the command that was run, with all that it started.
    Command,
}

impl Focus {
    /// Kind and name of what findings about the whole of it are about. None where that is the host: the
    /// command takes over what is found of the machine, and no time is cut to a device.
    pub(crate) fn subject(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Focus::Pid(pid) => ("pid", pid.to_string()),
            Focus::Cgroup(path) => ("cgroup", path.clone()),
            Focus::Unit(name) => ("unit", name.clone()),
            Focus::Container(id) => ("container", id.clone()),
            Focus::Port(port) => ("port", port.to_string()),
            Focus::Comm(name) => ("comm", name.clone()),
            Focus::Device(_) | Focus::Mount(_) | Focus::Command => return None,
        })
    }
}

impl FromStr for Focus {
    type Err = String;

    fn from_str(text: &str) -> Result<Focus, String> {
        const FORMS: &str = "pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, \
                             port:N or command";
        if text == "command" {
            return Ok(Focus::Command);
        }
        let Some((kind, what)) = text.split_once(':').filter(|(_, what)| !what.is_empty()) else {
            return Err(format!("{text:?} is no focus; expected {FORMS}"));
        };
        let number = || {
            what.parse::<i64>().map_err(|_| format!("{what:?} in {text:?} is not a number; expected {FORMS}"))
        };
        match kind {
            "pid" => Ok(Focus::Pid(number()?)),
            "cgroup" => Ok(Focus::Cgroup(what.to_string())),
            "unit" => Ok(Focus::Unit(what.to_string())),
            "container" => Ok(Focus::Container(what.to_string())),
            "comm" => Ok(Focus::Comm(what.to_string())),
            "device" => Ok(Focus::Device(what.strip_prefix("/dev/").unwrap_or(what).to_string())),
            "mount" => Ok(Focus::Mount(what.to_string())),
            "port" => Ok(Focus::Port(number()?)),
            _ => Err(format!("{kind:?} in {text:?} is unknown; expected {FORMS}")),
        }
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Focus::Pid(pid) => write!(out, "pid:{pid}"),
            Focus::Cgroup(path) => write!(out, "cgroup:{path}"),
            Focus::Unit(name) => write!(out, "unit:{name}"),
            Focus::Container(id) => write!(out, "container:{id}"),
            Focus::Comm(name) => write!(out, "comm:{name}"),
            Focus::Device(name) => write!(out, "device:{name}"),
            Focus::Mount(path) => write!(out, "mount:{path}"),
            Focus::Port(port) => write!(out, "port:{port}"),
            Focus::Command => write!(out, "command"),
        }
    }
}

/// A capture that was cut.
#[derive(Debug)]
pub struct Cut {
    /// What is left.
    pub capture: Capture,
    /// What went wrong: a focus that nothing matches.
    pub errors: Vec<ErrorNote>,
}

/// Leaves what the focus asks for, without the rows of heldup's own process.
pub fn cut(capture: &Capture, focus: Option<&Focus>, own_pid: Option<i64>) -> Cut {
    let mut out = Cut { capture: capture.clone(), errors: Vec::new() };
    if let Some(own) = own_pid {
        for table in BY_PROCESS.into_iter().chain(["object_time_minute", "task_time_minute"]) {
            for batch in out.capture.tables.get_mut(table).into_iter().flatten() {
                match without(batch, own) {
                    Ok(kept) => *batch = kept,
                    Err(error) => out.errors.push(ErrorNote { place: table.into(), what: error }),
                }
            }
        }
    }
    match focus {
        None => {}
        Some(Focus::Device(name)) => cut_to_device(&mut out, name),
        Some(Focus::Mount(path)) => cut_to_mount(&mut out, path),
        Some(focus) => cut_to_processes(&mut out, focus),
    }
    out
}

/// The rows of a table that are not about a process, as [`cut`] leaves them.
pub fn without_process(table: &str, batch: RecordBatch, pid: i64) -> RecordBatch {
    match BY_PROCESS.contains(&table) {
        true => without(&batch, pid).unwrap_or(batch),
        false => batch,
    }
}

fn without(batch: &RecordBatch, pid: i64) -> Result<RecordBatch, String> {
    let pids = batch.column_by_name("pid").and_then(|pids| pids.as_primitive_opt::<Int64Type>());
    let Some(pids) = pids.filter(|pids| pids.values().contains(&pid)) else { return Ok(batch.clone()) };
    filter_rows(batch, |row| !pids.is_valid(row) || pids.value(row) != pid).map_err(|error| error.to_string())
}

/// Tables whose rows belong to a process.
const BY_PROCESS: [&str; 7] =
    ["task_time", "object_time", "process", "process_io", "thread", "stack", "socket"];

fn cut_to_processes(out: &mut Cut, focus: &Focus) {
    let pids = pids(&out.capture, focus, &["process", "task_time", "socket"]);
    if pids.is_empty() {
        out.errors.push(ErrorNote {
            place: ErrorNote::FOCUS.into(),
            what: format!("no process of this capture matches {focus}"),
        });
    }
    // The ledger names tasks by one tree of groups; what ended between two readings has no other.
    let of_another_tree = matches!(focus, Focus::Cgroup(_))
        && has_rows_of(&out.capture, &pids)
        && self::pids(&out.capture, focus, &["task_time"]).is_empty();
    if of_another_tree {
        out.errors.push(ErrorNote {
            place: ErrorNote::FOCUS.into(),
            what:
                "a group of another cgroup v1 controller than cpu: processes that ended between two samples are \
                   missing; name the group of the cpu controller instead"
                    .to_owned(),
        });
    }
    for table in BY_PROCESS {
        keep(out, table, |batch, row| int(batch, "pid", row).is_some_and(|pid| pids.contains(&pid)));
    }
    if *focus == Focus::Command {
        // An id of the command may have been another task's before.
        keep(out, "task_time", |batch, row| matches(batch, row, focus));
    } else if !matches!(focus, Focus::Pid(_) | Focus::Port(_)) {
        keep(out, "cgroup", |batch, row| matches(batch, row, focus));
    }
}

/// Whether the ledger has a row of one of these processes.
fn has_rows_of(capture: &Capture, pids: &HashSet<i64>) -> bool {
    capture.tables.get("task_time").into_iter().flatten().any(|batch| {
        (0..batch.num_rows()).any(|row| int(batch, "pid", row).is_some_and(|pid| pids.contains(&pid)))
    })
}

/// Ids of the processes that a focus names in these tables.
pub(crate) fn pids(capture: &Capture, focus: &Focus, tables: &[&str]) -> HashSet<i64> {
    let mut pids = HashSet::new();
    for batch in tables.iter().filter_map(|table| capture.tables.get(*table)).flatten() {
        let matching = (0..batch.num_rows()).filter(|&row| matches(batch, row, focus));
        pids.extend(matching.filter_map(|row| int(batch, "pid", row)));
    }
    pids
}

fn matches(batch: &RecordBatch, row: usize, focus: &Focus) -> bool {
    match focus {
        Focus::Pid(pid) => int(batch, "pid", row) == Some(*pid),
        Focus::Port(port) => {
            ["local_port", "peer_port"].iter().any(|column| int(batch, column, row) == Some(*port))
        }
        Focus::Unit(unit) => text(batch, "unit", row) == Some(unit),
        Focus::Container(id) => {
            text(batch, "container", row).is_some_and(|found| found.starts_with(id.as_str()))
        }
        Focus::Cgroup(path) => ["path", "cgroup", "cgroup_cpu", "cgroup_memory", "cgroup_io", "cgroup_pids"]
            .iter()
            .filter_map(|column| text(batch, column, row))
            .any(|found| is_below(found, path)),
        Focus::Comm(name) => {
            let found = text(batch, "process_name", row).or_else(|| text(batch, "name", row));
            found == Some(name)
        }
        Focus::Command => truth(batch, "in_command", row) == Some(true),
        Focus::Device(_) | Focus::Mount(_) => false,
    }
}

fn is_below(path: &str, top: &str) -> bool {
    let top = top.trim_end_matches('/');
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a capture has anything that a focus names.
pub fn is_in(capture: &Capture, focus: &Focus) -> bool {
    match focus {
        Focus::Device(name) => {
            has_text(capture, "disk", "device", name) || has_text(capture, "stack", "object_device", name)
        }
        Focus::Mount(path) => {
            ["mount", "filesystem"].iter().any(|table| has_text(capture, table, "mount", path))
        }
        focus => !pids(capture, focus, &["process", "task_time", "socket"]).is_empty(),
    }
}

fn has_text(capture: &Capture, table: &str, column: &str, wanted: &str) -> bool {
    let batches = capture.tables.get(table).into_iter().flatten();
    batches.into_iter().any(|batch| (0..batch.num_rows()).any(|row| text(batch, column, row) == Some(wanted)))
}

/// The block device below a mount point, where the capture says which.
pub fn device_of_mount(capture: &Capture, path: &str) -> Option<String> {
    ["mount", "filesystem"].iter().find_map(|table| {
        capture.tables.get(*table).into_iter().flatten().find_map(|batch| {
            let row = (0..batch.num_rows()).find(|row| text(batch, "mount", *row) == Some(path))?;
            text(batch, "device", row).map(str::to_owned)
        })
    })
}

/// The mount itself, and the device below it.
fn cut_to_mount(out: &mut Cut, path: &str) {
    if !is_in(&out.capture, &Focus::Mount(path.to_owned())) {
        out.errors.push(ErrorNote {
            place: ErrorNote::FOCUS.into(),
            what: format!("this capture has no mount {path:?}"),
        });
    }
    match device_of_mount(&out.capture, path) {
        Some(device) => cut_to_device(out, &device),
        None => keep(out, "disk", |_, _| false),
    }
    for table in ["filesystem", "mount"] {
        keep(out, table, |batch, row| text(batch, "mount", row) == Some(path));
    }
}

fn cut_to_device(out: &mut Cut, name: &str) {
    let mut names: HashSet<String> = HashSet::from([name.to_string()]);
    let mut known = false;
    for batch in out.capture.tables.get("disk").into_iter().flatten() {
        for row in 0..batch.num_rows() {
            let Some(device) = text(batch, "device", row) else { continue };
            let below: Vec<&str> = ["parent", "backing"]
                .iter()
                .filter_map(|column| text(batch, column, row))
                .flat_map(str::split_whitespace)
                .collect();
            known |= device == name;
            if device == name {
                names.extend(below.iter().map(|below| below.to_string()));
            } else if below.contains(&name) {
                names.insert(device.to_string());
            }
        }
    }
    if !known {
        out.errors.push(ErrorNote {
            place: ErrorNote::FOCUS.into(),
            what: format!("this capture has no device {name:?}"),
        });
    }
    keep(out, "disk", |batch, row| text(batch, "device", row).is_some_and(|device| names.contains(device)));
}

fn keep(out: &mut Cut, table: &str, wanted: impl Fn(&RecordBatch, usize) -> bool) {
    let Some(batches) = out.capture.tables.get_mut(table) else { return };
    for batch in batches {
        match filter_rows(batch, |row| wanted(batch, row)) {
            Ok(kept) => *batch = kept,
            Err(error) => {
                out.errors.push(ErrorNote { place: format!("--focus: {table}"), what: error.to_string() });
            }
        }
    }
}

fn truth(batch: &RecordBatch, column: &str, row: usize) -> Option<bool> {
    let array = batch.column_by_name(column)?.as_boolean_opt()?;
    array.is_valid(row).then(|| array.value(row))
}

fn int(batch: &RecordBatch, column: &str, row: usize) -> Option<i64> {
    let array = batch.column_by_name(column)?.as_primitive_opt::<Int64Type>()?;
    array.is_valid(row).then(|| array.value(row))
}

fn text<'a>(batch: &'a RecordBatch, column: &str, row: usize) -> Option<&'a str> {
    let array = batch.column_by_name(column)?;
    if let Some(plain) = array.as_string_opt::<i32>() {
        return plain.is_valid(row).then(|| plain.value(row));
    }
    let words = array.as_dictionary_opt::<Int32Type>()?;
    let code = words.key(row)?;
    Some(words.values().as_string_opt::<i32>()?.value(code))
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{DiskRow, ProcessRow, TaskTimeRow};

    use super::*;
    use crate::captures::{capture_of, rows};

    fn capture() -> Capture {
        let task = |pid: i64, cgroup: &str| TaskTimeRow {
            tid: Some(pid),
            pid: Some(pid),
            cgroup: Some(cgroup.into()),
            seconds: Some(1.0),
            in_command: Some(cgroup == "/ab"),
            ..TaskTimeRow::default()
        };
        let disk = |device: &str, parent: Option<&str>| DiskRow {
            device: Some(device.into()),
            parent: parent.map(Into::into),
            ..DiskRow::default()
        };
        capture_of([
            rows(1, [task(1, "/a"), task(2, "/a/b"), task(3, "/ab")]),
            rows(1, [disk("vda", None), disk("vda1", Some("vda")), disk("vdb", None)]),
        ])
    }

    fn left(table: &str, column: &str, focus: &str) -> (Vec<String>, usize) {
        let out = cut(&capture(), Some(&focus.parse().unwrap()), Some(1));
        let mut found = Vec::new();
        for batch in &out.capture.tables[table] {
            found.extend((0..batch.num_rows()).map(|row| {
                text(batch, column, row)
                    .map(str::to_string)
                    .unwrap_or_else(|| int(batch, column, row).unwrap().to_string())
            }));
        }
        (found, out.errors.len())
    }

    #[test]
    fn a_focus_keeps_what_belongs_to_it() {
        let of = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        assert_eq!(left("task_time", "pid", "cgroup:/a"), (of(&["2"]), 0), "own process 1 is left out");
        assert_eq!(left("task_time", "pid", "pid:3"), (of(&["3"]), 0));
        assert_eq!(left("task_time", "pid", "command"), (of(&["3"]), 0));
        assert_eq!(left("disk", "device", "device:vda"), (of(&["vda", "vda1"]), 0));
        assert_eq!(left("disk", "device", "pid:2"), (of(&["vda", "vda1", "vdb"]), 0));
        assert_eq!(left("task_time", "pid", "pid:99"), (of(&[]), 1));
    }

    #[test]
    fn a_group_of_another_controller_says_what_is_left_out() {
        let process = ProcessRow {
            pid: Some(2),
            cgroup: Some("/".into()),
            cgroup_memory: Some("/small".into()),
            ..ProcessRow::default()
        };
        let task = TaskTimeRow {
            tid: Some(2),
            pid: Some(2),
            cgroup: Some("/".into()),
            seconds: Some(1.0),
            ..TaskTimeRow::default()
        };
        let capture = capture_of([rows(1, [process]), rows(1, [task])]);
        let said = |focus: &str| cut(&capture, Some(&focus.parse().unwrap()), None).errors;
        let errors = said("cgroup:/small");
        assert!(errors.len() == 1 && errors[0].what.contains("ended between two samples"), "{errors:?}");
        assert!(said("cgroup:/").is_empty());
    }

    #[test]
    fn bad_focus_says_what_is_expected() {
        for bad in ["vda", "pid:x", "disk:sda", "pid:"] {
            assert!(bad.parse::<Focus>().unwrap_err().contains("expected pid:N"), "{bad}");
        }
    }
}
