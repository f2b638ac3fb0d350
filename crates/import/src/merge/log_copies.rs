//! One log of a kernel in several files: `dmesg`, the journal and `messages` of one report, or two copies of one of them. Each
//! message and each stack counts once.
//!
//! Files with a clock are told to be of the same time by it. Seconds since boot are set against a clock by messages that
//! both have once: such files count as copies only where most of what the clock's file covers agrees.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::tables::{EventRow, KernelReportRow, StackRow};
use heldup_model::{Capture, Record, TableDef};

use crate::Import;
use crate::error::ImportError;
use crate::merge::doubled::hash_value;
use crate::table::unused::Unused;

/// Syslog writes whole seconds, and a moment later.
const SAME_MS: i64 = 2_000;
/// A daemon that starts late stamps what the kernel said before with its own start; a clock in seconds since boot drifts.
const LATE_MS: i64 = 120_000;
/// Copies of seconds since boot have the same microseconds.
const EXACT_MS: i64 = 2;
/// The tables that a log fills, and the columns by which a row of each is known.
const TABLES: [(&TableDef, &[&str]); 3] = [
    (EventRow::DEF, &["message"]),
    (StackRow::DEF, &["kind", "name", "tid", "kernel_stack", "seconds"]),
    // Of one copy the end may be missing: functions are left out.
    (KernelReportRow::DEF, &["kind", "name", "pid", "cpu", "duration_s", "device", "requester"]),
];

/// What one file tells of a table.
struct Log {
    import: usize,
    /// Its times are a clock's, not seconds since boot.
    has_clock: bool,
    /// In the order of their times.
    rows: Vec<LogRow>,
}

/// A message or a stack: of a large log there are many, and nothing of them is held but this.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LogRow {
    ms: i64,
    /// Hash of its text.
    text: u64,
    batch: u32,
    row: u32,
}

/// Takes what another file tells too out of the one that tells less of it, with a note.
pub fn leave_out_copies(imports: &mut [Import]) -> Result<(), ImportError> {
    let mut notes = BTreeSet::new();
    for (def, columns) in TABLES {
        // One log has no copies.
        if imports.iter().filter(|import| is_log(import, def)).count() < 2 {
            continue;
        }
        let logs = imports.iter().enumerate();
        let mut logs: Vec<Log> = logs.filter_map(|(at, import)| log(at, import, def, columns)).collect();
        // A clock is worth more than seconds since boot, and the longer file more than the shorter.
        logs.sort_by_key(|log| (!log.has_clock, std::cmp::Reverse(log.rows.len()), log.import));
        for at in 1..logs.len() {
            let (before, rest) = logs.split_at(at);
            let Some(log) = rest.first() else { continue };
            let mut copied = vec![false; log.rows.len()];
            for other in before {
                if take_copies(other, log, &mut copied) {
                    notes.insert((log.import, other.import));
                }
            }
            leave_out(imports, log, &copied, def)?;
        }
    }
    for (import, other) in notes {
        let other = imports.get(other).map(|import| import.file.file.clone()).unwrap_or_default();
        let note = format!("the same log is also in {other} and is used from there");
        imports.get_mut(import).into_iter().for_each(|import| import.file.notes.push(note.clone()));
    }
    Ok(())
}

fn leave_out(
    imports: &mut [Import],
    log: &Log,
    copied: &[bool],
    def: &'static TableDef,
) -> Result<(), ImportError> {
    let capture = imports.get_mut(log.import).and_then(|import| import.capture.as_mut());
    let Some(batches) = capture.and_then(|capture| capture.tables.get_mut(def.name)) else { return Ok(()) };
    let copied = log.rows.iter().zip(copied).filter(|(_, copied)| **copied);
    let mut rows: Vec<(u32, u32)> = copied.map(|(row, _)| (row.batch, row.row)).collect();
    rows.sort_unstable();
    for (at, batch) in (0..).zip(batches.iter_mut()).filter(|_| !rows.is_empty()) {
        *batch = filter_rows(batch, |row| rows.binary_search(&(at, row as u32)).is_err())
            .map_err(|source| ImportError::Table { table: def.name, source })?;
    }
    batches.retain(|batch| batch.num_rows() > 0);
    Ok(())
}

/// Stacks of profilers are no log.
fn is_log(import: &Import, def: &TableDef) -> bool {
    import
        .capture
        .as_ref()
        .is_some_and(|capture| capture.tables.contains_key(def.name) && has_clock(capture).is_some())
}

fn log(at: usize, import: &Import, def: &TableDef, columns: &[&str]) -> Option<Log> {
    let capture = import.capture.as_ref()?;
    let has_clock = has_clock(capture)?;
    let batches = capture.tables.get(def.name)?;
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for (batch_at, batch) in (0..).zip(batches) {
        let times = batch.column(0).as_primitive_opt::<Int64Type>()?;
        for (row, ms) in times.values().iter().enumerate() {
            rows.push(LogRow { ms: *ms, text: text(batch, columns, row), batch: batch_at, row: row as u32 });
        }
    }
    rows.sort_unstable();
    Some(Log { import: at, has_clock, rows })
}

/// Whether a log has a clock; none where the recording is no log.
fn has_clock(capture: &Capture) -> Option<bool> {
    let mut events = capture.tables.get(EventRow::DEF.name)?.iter();
    Some(events.any(|batch| {
        batch.column_by_name("event_ms").is_some_and(|column| column.null_count() < column.len())
    }))
}

fn text(batch: &RecordBatch, columns: &[&str], row: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (at, name) in columns.iter().enumerate() {
        if let Some(column) = batch.column_by_name(name).filter(|column| column.is_valid(row)) {
            at.hash(&mut hasher);
            hash_value(column, row, &mut hasher);
        }
    }
    hasher.finish()
}

/// Marks the rows of a log that another has too; whether there are any that were not marked.
fn take_copies(of: &Log, log: &Log, copied: &mut [bool]) -> bool {
    let Some(behind_ms) = behind_ms(of, log) else { return false };
    let mut there: Vec<(u64, i64)> = of.rows.iter().map(|row| (row.text, row.ms)).collect();
    there.sort_unstable();
    let mut unused = Unused::all(there.len());
    let mut found = vec![false; log.rows.len()];
    let passes: &[(i64, i64)] = match of.has_clock {
        true => &[(SAME_MS, SAME_MS), (SAME_MS, LATE_MS)],
        false => &[(EXACT_MS, EXACT_MS)],
    };
    for (before_ms, after_ms) in passes {
        for (row, found) in log.rows.iter().zip(&mut found).filter(|(_, found)| !**found) {
            let expected = row.ms.saturating_add(behind_ms);
            let at = there.partition_point(|there| *there < (row.text, expected));
            // The nearest of the same text that no other row was a copy of: before, or from then on.
            let is_near = |at: &usize| {
                there.get(*at).is_some_and(|(text, ms)| {
                    let window = expected.saturating_sub(*before_ms)..=expected.saturating_add(*after_ms);
                    *text == row.text && window.contains(ms)
                })
            };
            let nearest = [unused.below(at), unused.from(at)].into_iter().flatten().filter(is_near);
            let distance = |at: &usize| there.get(*at).map(|(_, ms)| ms.abs_diff(expected));
            if let Some(at) = nearest.min_by_key(distance) {
                unused.take(at);
                *found = true;
            }
        }
    }
    let count = found.iter().filter(|found| **found).count();
    let span = of.rows.first().zip(of.rows.last());
    let is_covered = |row: &&LogRow| {
        span.is_some_and(|(first, last)| (first.ms..=last.ms).contains(&row.ms.saturating_add(behind_ms)))
    };
    let is_same_log = log.has_clock || count * 2 >= log.rows.iter().filter(is_covered).count();
    if !is_same_log || count == 0 {
        return false;
    }
    let mut is_any = false;
    for (copied, found) in copied.iter_mut().zip(found) {
        is_any |= found && !*copied;
        *copied |= found;
    }
    is_any
}

/// How far the times of one log are behind those of another: by what each has once.
fn behind_ms(of: &Log, log: &Log) -> Option<i64> {
    let (others, own) = (once(&of.rows), once(&log.rows));
    let mut own = own.iter().peekable();
    let mut behind: Vec<i64> = Vec::new();
    // Both are in the order of their texts.
    for (text, ms) in &others {
        while own.next_if(|(before, _)| before < text).is_some() {}
        if let Some((_, own_ms)) = own.next_if(|(same, _)| same == text) {
            behind.push(ms.saturating_sub(*own_ms));
        }
    }
    behind.sort_unstable();
    if of.has_clock && log.has_clock {
        // Clocks agree; where one is worked out from seconds since boot (`dmesg -T`) it may be somewhat off.
        let middle = behind.get(behind.len() / 2).copied().unwrap_or(0);
        return (middle.abs() <= LATE_MS).then_some(if middle.abs() <= SAME_MS { 0 } else { middle });
    }
    // What is stamped late is behind further: the least that others bear out is the distance.
    let borne_out = (0..behind.len()).find(|at| {
        behind.get(at + 2).zip(behind.get(*at)).is_some_and(|(third, first)| third - first <= SAME_MS)
    });
    let distance = borne_out.and_then(|at| behind.get(at)).or(behind.first()).copied()?;
    // Whole seconds are cut off.
    Some(if of.has_clock { distance + SAME_MS / 4 } else { distance })
}

/// Texts that stand once, with their times, in the order of the texts.
fn once(rows: &[LogRow]) -> Vec<(u64, i64)> {
    let mut texts: Vec<(u64, i64)> = rows.iter().map(|row| (row.text, row.ms)).collect();
    texts.sort_unstable();
    let mut kept = 0;
    let mut at = 0;
    while let Some(first) = texts.get(at).copied() {
        let same = texts.iter().skip(at).take_while(|(text, _)| *text == first.0).count();
        if same == 1 {
            texts[kept] = first;
            kept += 1;
        }
        at += same;
    }
    texts.truncate(kept);
    texts
}

#[cfg(test)]
mod tests {
    use crate::merge::{Merged, merge};
    use crate::{Hints, Import, read};

    fn import(name: &str, text: &str) -> Import {
        // 2026-11-22 10:20:00 UTC.
        let hints = Hints { modified_ms: 1_795_342_800_000, ..Hints::default() };
        read(name, text.as_bytes(), hints).expect("memory can be read")
    }

    fn events(mut imports: Vec<Import>) -> (usize, Vec<Import>) {
        let Ok(Merged::One(capture)) = merge(&mut imports) else { panic!("one host") };
        let rows = capture.tables["event"].iter().map(|batch| batch.num_rows()).sum();
        (rows, imports)
    }

    /// A log since boot, as the ring of the kernel has it.
    const RING: &str = "[    0.000000] Linux version 6.1.0\n\
        [    0.800000] ata1: SATA max UDMA/133\n\
        [  100.250000] EXT4-fs (sda1): mounted filesystem\n\
        [  200.000000] eth0: Link is Down\n\
        [  205.500000] eth0: Link is Up\n\
        [  300.000000] eth0: Link is Down\n\
        [  301.125000] eth0: Link is Up\n\
        [  400.000000] sd 0:0:0:0: [sda] tag#1 timing out command\n";

    fn messages(day: &str, minutes: u32) -> String {
        // The first two were stamped when syslog began, 21 s after boot.
        let line = |seconds: u32, text: &str| {
            let (minute, second) = (minutes + seconds / 60, seconds % 60);
            format!("{day} 10:{minute:02}:{second:02} db1 kernel: {text}\n")
        };
        [
            line(21, "Linux version 6.1.0"),
            line(21, "ata1: SATA max UDMA/133"),
            line(100, "EXT4-fs (sda1): mounted filesystem"),
            line(200, "eth0: Link is Down"),
            line(205, "eth0: Link is Up"),
            line(300, "eth0: Link is Down"),
            line(301, "eth0: Link is Up"),
            line(350, "only here"),
        ]
        .concat()
    }

    #[test]
    fn a_ring_and_the_messages_made_of_it_count_once() {
        let (rows, imports) = events(vec![import("dmesg", RING), import("messages", &messages("Nov 22", 5))]);
        // Eight of the messages, and the last line of the ring.
        assert_eq!(rows, 9);
        assert!(imports[0].file.notes.iter().any(|note| note.contains("the same log is also in messages")));
        assert!(imports[1].file.notes.iter().all(|note| !note.contains("same log")));
    }

    #[test]
    fn a_report_in_two_copies_counts_once() {
        let ring = format!("{RING}[  401.000000] INFO: task dd:77 blocked for more than 120 seconds.\n");
        let mut imports = vec![import("a", &ring), import("b", &ring)];
        let Ok(Merged::One(capture)) = merge(&mut imports) else { panic!("one host") };
        assert_eq!(capture.tables["kernel_report"].iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
    }

    #[test]
    fn copies_count_once_whatever_their_clock() {
        assert_eq!(events(vec![import("a", RING), import("b", RING)]).0, 8);
        let kern = messages("Nov 22", 5);
        assert_eq!(events(vec![import("kern.log", &kern), import("syslog", &kern)]).0, 8);
    }

    /// The same message again and again in one second, as of a full table of connections.
    #[test]
    fn a_flood_of_one_message_counts_once_and_soon() {
        let flood = "Nov 22 10:05:00 db1 kernel: nf_conntrack: table full, dropping packet\n".repeat(200_000);
        let imports = vec![import("kern.log", &flood), import("syslog", &flood)];
        assert_eq!(events(imports).0, 200_000);
    }

    #[test]
    fn two_boots_and_two_days_are_kept() {
        let again = RING.replace("800000", "912345").replace("250000", "999000").replace("500000", "111000");
        let again = again.replace("] eth0: Link is Down", "] eth1: Link is Down").replace("125000", "777000");
        assert_eq!(events(vec![import("a", RING), import("b", &again)]).0, 16);
        let (one, two) = (messages("Nov 20", 5), messages("Nov 22", 5));
        assert_eq!(events(vec![import("a", &one), import("b", &two)]).0, 16);
        // The same message an hour later in another file is another one.
        let once = "Nov 22 10:05:00 db1 kernel: eth0: Link is Down\n";
        let later = "Nov 22 11:05:00 db1 kernel: eth0: Link is Down\n";
        assert_eq!(events(vec![import("a", once), import("b", later)]).0, 2);
    }
}
