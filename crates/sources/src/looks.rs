//! Reads sources from looks at a machine that are over: trees of its files, one after the other.
//!
//! Where the [`crate::Sampler`] looks at one host again and again, each look here has a host of its
//! own, which may have any part of the machine's files. What a file that was not handed over would have
//! said is not told: neither as a row nor as something that went wrong. A single look has levels only,
//! since what was counted since boot belongs to no span; sums of losses have a table of their own.

use heldup_hostfs::{Host, thread_cpu_ns};
use heldup_model::tables::{SinceBootRow, kept_since_boot};
use heldup_model::{Cells, ColumnKind, Flaw, Form, RowSet, increase};

use crate::namespaces::Namespaces;
use crate::reading_thread::{Due, ReadTerms, read_one};
use crate::sampler::MAY_RUN_BACKWARDS;
use crate::source::{Cadence, Reading, Source};

/// A look at a machine.
#[derive(Clone, Debug)]
pub struct Look {
    /// Its files.
    pub host: Host,
    /// When it was made, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// The same on a clock that all looks share, in seconds: the machine's uptime where it is known of
    /// all. Of two looks at one time nothing is said to have grown.
    pub clock_s: f64,
}

/// Rows of one table from one look.
#[derive(Clone, Debug)]
pub struct LookRows {
    /// The rows; their counters are increases.
    pub rows: RowSet,
    /// When they were read, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// The interval that they are about, in seconds; none for a single reading.
    pub secs: Option<f64>,
}

/// Hands on what all sources read of looks at one machine, source by source, of each the oldest first: of a month of
/// looks not all of it could be held.
pub fn read_looks(looks: &[Look], flaws: &mut Vec<Flaw>, take: &mut dyn FnMut(LookRows)) {
    for source in crate::live() {
        follow(source, looks, take, flaws);
    }
}

/// One source through all looks.
fn follow(source: Box<dyn Source>, looks: &[Look], take: &mut dyn FnMut(LookRows), flaws: &mut Vec<Flaw>) {
    let mut source = Some(source);
    let mut before: Vec<Before> = Vec::new();
    let namespaces = Namespaces::default();
    let since_ms = looks.first().map(|look| look.time_ms);
    let terms = ReadTerms { since_ms, asked: false, base_only: false, continuous: false };
    for (at, look) in looks.iter().enumerate() {
        let Some(mut reader) = source.take() else { return };
        if at == 0 {
            reader.begin(&look.host);
        }
        if reader.schedule().cadence == Cadence::Once && at + 1 < looks.len() {
            source = Some(reader);
            continue;
        }
        let name = reader.name();
        let due = Due { at: 0, source: reader, terms };
        let one = read_one(due, &look.host, &namespaces, &mut thread_cpu_ns());
        flaws.extend(one.failed.clone().map(|what| Flaw { place: format!("source {name}"), what }));
        source = one.source.filter(|_| one.failed.is_none());
        let Reading { rows, flaws: said, .. } = one.reading;
        // What was not handed over is missing, which is not told here, and no flaw ([`Reading::lacks`]).
        flaws.extend(said);
        for set in rows {
            if looks.len() == 1 {
                since_boot(&set, look.time_ms).into_iter().for_each(&mut *take);
            }
            increased(&set, &before, at, looks, flaws).into_iter().for_each(&mut *take);
            if has_counted(&set) {
                before.retain(|old| old.set.def.name != set.def.name);
                before.push(Before { at, set });
            }
        }
    }
}

/// The totals of a table, and the look at which they were there last.
struct Before {
    at: usize,
    set: RowSet,
}

/// The rows with increases in place of totals; none where nothing of them is known then.
fn increased(
    set: &RowSet,
    before: &[Before],
    at: usize,
    looks: &[Look],
    flaws: &mut Vec<Flaw>,
) -> Option<LookRows> {
    let look = looks.get(at)?;
    let old = before.iter().find(|old| old.set.def.name == set.def.name);
    let since = |before: usize| looks.get(before).map(|before| look.clock_s - before.clock_s);
    let secs = old.and_then(|old| since(old.at)).filter(|secs| *secs > 0.0);
    let old = old.filter(|_| secs.is_some()).map(|old| &old.set);
    let mut said = Vec::new();
    let rows = increase(old, set.clone(), &mut said);
    flaws.extend(said.into_iter().filter(|flaw| !MAY_RUN_BACKWARDS.contains(&flaw.place.as_str())));
    // Rows that a source made increases of itself are of the time since the look before.
    let secs = match at.checked_sub(1) {
        Some(before) if set.form == Form::Increases && counts(set) => since(before),
        _ => secs,
    };
    is_telling(&rows).then_some(LookRows { rows, time_ms: look.time_ms, secs })
}

/// The sums of losses in a single look; times in milliseconds.
fn since_boot(set: &RowSet, time_ms: i64) -> Option<LookRows> {
    if set.form != Form::Totals {
        return None;
    }
    let table = set.def.name;
    let things: &[&str] = match table {
        "net_if" | "net_driver" => &["name"],
        "softnet" | "conntrack" => &["cpu_idx"],
        "nfs_op" => &["operation", "mount"],
        "numa" => &["node_idx"],
        _ => &[],
    };
    let columns = || set.def.columns.iter().zip(&set.cells);
    let text = |name: &str, row: usize| {
        let cells = columns().find(|(column, _)| column.name == name)?.1;
        match cells {
            Cells::Text(values) => values.get(row)?.as_deref().map(str::to_owned),
            Cells::Int(values) => values.get(row)?.map(|value| value.to_string()),
            _ => None,
        }
    };
    let thing = |row: usize| things.iter().map(|name| text(name, row)).collect::<Option<Vec<_>>>();
    let mut rows = Vec::new();
    for (column, cells) in columns().filter(|(column, _)| column.kind == ColumnKind::Counter) {
        let total = |row: usize| match cells {
            Cells::Int(values) => *values.get(row)?,
            Cells::Float(values) => values.get(row)?.map(|seconds| (seconds * 1000.0).round() as i64),
            _ => None,
        };
        for (row, total) in (0..set.len).filter_map(|row| Some((row, total(row)?))) {
            let name = match table {
                "net_proto" => text("name", row),
                "net_driver" => text("statistic", row),
                _ => Some(column.name.to_owned()),
            };
            let Some(counter) = name.and_then(|name| kept_since_boot(table, &name, total)) else { continue };
            let thing = thing(row).filter(|words| !words.is_empty()).map(|words| words.join(" ").into());
            rows.push(SinceBootRow { counter: Some(counter.into()), thing, total: Some(total) });
        }
    }
    let rows = RowSet::increases(rows);
    (rows.len > 0).then_some(LookRows { rows, time_ms, secs: None })
}

/// Whether any of its totals is there to compare the next with.
fn has_counted(set: &RowSet) -> bool {
    let columns = set.def.columns.iter().zip(&set.cells);
    let mut totals = columns.filter(|(column, _)| column.kind == ColumnKind::Counter);
    set.form == Form::Totals && totals.any(|(_, cells)| is_known(cells))
}

fn counts(set: &RowSet) -> bool {
    set.def.columns.iter().any(|column| column.kind == ColumnKind::Counter)
}

/// Whether any value is there beside the keys. Of a table of keys alone each row tells something.
fn is_telling(rows: &RowSet) -> bool {
    let mut values =
        rows.def.columns.iter().zip(&rows.cells).filter(|(column, _)| column.kind != ColumnKind::Key);
    let has_others = rows.def.columns.iter().any(|column| column.kind != ColumnKind::Key);
    rows.len > 0 && (!has_others || values.any(|(_, cells)| is_known(cells)))
}

fn is_known(cells: &Cells) -> bool {
    match cells {
        Cells::Int(values) => values.iter().any(Option::is_some),
        Cells::Float(values) => values.iter().any(Option::is_some),
        Cells::Bool(values) => values.iter().any(Option::is_some),
        Cells::Text(values) => values.iter().any(Option::is_some),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use heldup_hostfs::MemoryTree;

    use super::*;

    fn look(files: &[(&str, &str)], time_ms: i64) -> Look {
        let mut tree = MemoryTree::default();
        for (path, content) in files {
            assert!(tree.add_file(path, content.as_bytes().to_vec()));
        }
        Look { host: Host::in_memory(Arc::new(tree)), time_ms, clock_s: time_ms as f64 / 1000.0 }
    }

    fn read(looks: &[Look], flaws: &mut Vec<Flaw>) -> Vec<LookRows> {
        let mut read = Vec::new();
        read_looks(looks, flaws, &mut |rows| read.push(rows));
        read
    }

    fn stat(user: u32, switches: u32) -> String {
        format!("cpu0 {user} 0 0 100 0 0 0 0 0 0\nctxt {switches}\nbtime 1700000000\nprocs_running 3\n")
    }

    fn tables(read: &[LookRows]) -> Vec<(&'static str, i64, Option<f64>)> {
        read.iter().map(|rows| (rows.rows.def.name, rows.time_ms, rows.secs)).collect()
    }

    #[test]
    fn one_look_has_levels_and_no_increases() {
        let mut flaws = Vec::new();
        let read = read(&[look(&[("/proc/stat", &stat(500, 7))], 1000)], &mut flaws);
        assert_eq!(flaws, []);
        // The row of the host says when it was booted; `cpu` has counters alone.
        assert_eq!(tables(&read), [("host", 1000, None), ("system", 1000, None)]);
        let system = &read[1].rows;
        assert_eq!((system.ints("runnable"), system.ints("context_switches")), (&[Some(3)][..], &[None][..]));
    }

    #[test]
    fn one_look_has_its_losses_as_sums_since_boot() {
        let dev = "Inter-|   Receive                                                |  Transmit\n \
                   face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n  \
                   eth0: 900 90 1 7 0 0 0 0 800 80 0 0 0 0 0 0\n";
        let files = [("/proc/net/dev", dev)];
        let of = |looks: &[Look]| {
            let read = read(looks, &mut Vec::new());
            let rows = read.into_iter().find(|rows| rows.rows.def.name == "since_boot")?.rows;
            let at = rows.texts("counter").iter().position(|it| it.as_deref() == Some("net_if.rx_drops"))?;
            Some((rows.texts("thing")[at].clone(), rows.ints("total")[at]))
        };
        assert_eq!(of(&[look(&files, 1000)]), Some((Some("eth0".into()), Some(7))));
        assert_eq!(of(&[look(&files, 1000), look(&files, 2000)]), None, "increases are known");
    }

    #[test]
    fn an_nfs_mount_has_its_sums_by_operation() {
        let stats = "device nas:/x mounted on /x with fstype nfs statvers=1.1\n\tage:\t100\n\
                     \tper-op statistics\n\t       WRITE: 10 12 1 0 0 3000 200 3300\n";
        let read = read(&[look(&[("/proc/self/mountstats", stats)], 1000)], &mut Vec::new());
        let rows = read.into_iter().find(|rows| rows.rows.def.name == "since_boot").expect("sums").rows;
        let total = |name: &str| {
            let at = rows.texts("counter").iter().position(|it| it.as_deref() == Some(name))?;
            assert_eq!(rows.texts("thing")[at].as_deref(), Some("WRITE /x"));
            rows.ints("total")[at]
        };
        assert_eq!((total("nfs_op.queue_s"), total("nfs_op.operations")), (Some(3000), Some(10)));
        assert_eq!(total("nfs_op.retransmissions"), Some(2));
    }

    #[test]
    fn two_looks_have_the_increases_between_them() {
        let looks = [
            look(&[("/proc/stat", &stat(500, 7))], 1000),
            look(&[("/proc/stat", &stat(700, 57)), ("/proc/loadavg", "1.50 1 1 2/9 44\n")], 11_000),
        ];
        let mut flaws = Vec::new();
        let read = read(&looks, &mut flaws);
        assert_eq!(flaws, []);
        let of = |name: &str| read.iter().rfind(|rows| rows.rows.def.name == name).expect("a table");
        assert_eq!((of("cpu").secs, of("cpu").rows.floats("user_s")), (Some(10.0), &[Some(2.0)][..]));
        assert_eq!(of("system").rows.ints("context_switches"), [Some(50)]);
        assert_eq!(of("system").rows.floats("load1"), [Some(1.5)]);
    }

    #[test]
    fn where_nobody_tells_the_interval_nothing_is_said_to_have_grown() {
        let looks =
            [look(&[("/proc/stat", &stat(500, 7))], 1000), look(&[("/proc/stat", &stat(700, 57))], 1000)];
        let read = read(&looks, &mut Vec::new());
        assert!(read.iter().all(|rows| rows.rows.def.name != "cpu" && rows.secs.is_none()), "{read:?}");
    }

    #[test]
    fn a_look_that_lacks_a_file_is_looked_past() {
        let looks = [
            look(&[("/proc/stat", &stat(500, 7))], 1000),
            look(&[("/proc/loadavg", "1.50 1 1 2/9 44\n")], 6000),
            look(&[("/proc/stat", &stat(700, 57))], 11_000),
        ];
        let read = read(&looks, &mut Vec::new());
        let cpu: Vec<&LookRows> = read.iter().filter(|rows| rows.rows.def.name == "cpu").collect();
        assert_eq!((cpu.len(), cpu[0].secs, cpu[0].rows.floats("user_s")), (1, Some(10.0), &[Some(2.0)][..]));
    }

    #[test]
    fn a_damaged_file_is_said_and_one_that_is_not_there_is_not() {
        let mut flaws = Vec::new();
        read(&[look(&[("/proc/stat", "ctxt x\nbtime 5\n")], 0)], &mut flaws);
        let said: Vec<&str> = flaws.iter().map(|flaw| flaw.place.as_str()).collect();
        assert_eq!(said, ["/proc/stat:1"], "{flaws:?}");
    }
}
