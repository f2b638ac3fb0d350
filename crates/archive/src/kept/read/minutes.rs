//! What each minute of a long window cost: so that only its worst stretches need be looked at.
//!
//! Of a window of hours the rollups by minute are read, but for the seconds at its ends. Of the
//! ledger five columns are read, by the hour, so that memory does not grow with the window.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use heldup_model::{Flaw, Group, Span};

use super::minute_signs::{self, Running, Sign};
use crate::kept::ArchiveFolder;
use crate::kept::batch_columns::{ints, texts};
use crate::store::StoreError;

/// Length of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// Rows are read so much at a time.
const PIECE_MS: i64 = 60 * MINUTE_MS;
/// Of so many minutes the rollups by minute are read: of fewer a journal, which has no such tables,
/// may be most, and to make them takes longer than to read it.
const LONG_MS: i64 = 60 * MINUTE_MS;
/// Rows by minute are read so much at a time.
const LONG_PIECE_MS: i64 = 6 * 60 * MINUTE_MS;
/// Tables that say what a minute cost; the first is by itself.
const SAMPLES: &str = "system";
const LEDGER: &str = "task_time";
/// Levels of the kernel's log that are errors.
const ERRORS: [&str; 4] = ["emerg", "alert", "crit", "err"];

/// A minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Minute {
    /// Seconds of it that were recorded.
    pub recorded_s: f64,
    /// Task time of user tasks that ran.
    pub running_s: f64,
    /// Task time of user tasks that waited.
    pub waiting_s: f64,
    /// Errors that the kernel wrote to its log.
    pub errors: u32,
    /// Signs of trouble that need hold nobody up, in the order of [`Sign::ALL`].
    pub signs: [f64; Sign::ALL.len()],
}

impl Minute {
    /// The number of a sign.
    pub fn sign(&self, sign: Sign) -> f64 {
        self.signs[sign as usize]
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, more: &Minute) -> Minute {
        self.recorded_s += more.recorded_s;
        self.running_s += more.running_s;
        self.waiting_s += more.waiting_s;
        self.errors += more.errors;
        for sign in Sign::ALL {
            self.note(sign, more.sign(sign));
        }
        self
    }

    /// Adds to a sign; of tasks the busiest counts.
    fn note(&mut self, sign: Sign, amount: f64) {
        let number = &mut self.signs[sign as usize];
        *number = if sign == Sign::BusyTask { number.max(amount) } else { *number + amount };
    }
}

/// The minutes of a window.
#[derive(Clone, Debug, Default)]
pub struct Minutes {
    /// Beginning of the first, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// One after the other, also those of which nothing was recorded.
    pub minutes: Vec<Minute>,
    /// Online CPUs, where the window says it.
    pub cpus: Option<i64>,
    /// What could not be read.
    pub flaws: Vec<Flaw>,
}

impl ArchiveFolder {
    /// The minutes of a window; the first and the last are cut to it.
    pub fn minutes(&self, span: Span) -> Result<Minutes, StoreError> {
        let since_ms = span.since_ms.div_euclid(MINUTE_MS) * MINUTE_MS;
        let count = ((span.until_ms - since_ms).max(0) + MINUTE_MS - 1) / MINUTE_MS;
        let mut minutes = Minutes { since_ms, ..Minutes::default() };
        minutes.minutes.resize(usize::try_from(count).unwrap_or(0), Minute::default());
        let mut messages = BTreeSet::new();
        for (part, by_the_minute) in parts(span) {
            let mut begin_ms = part.since_ms;
            let piece_ms = if by_the_minute { LONG_PIECE_MS } else { PIECE_MS };
            while begin_ms <= part.until_ms {
                // Pieces end before a full minute, as rows by minute do.
                let end_ms = (begin_ms + piece_ms).div_euclid(MINUTE_MS) * MINUTE_MS - 1;
                let piece = Span { since_ms: begin_ms, until_ms: end_ms.min(part.until_ms) };
                self.add_piece(piece, by_the_minute, &mut minutes, &mut messages)?;
                begin_ms = piece.until_ms + 1;
            }
        }
        Ok(minutes)
    }

    fn add_piece(
        &self,
        piece: Span,
        by_the_minute: bool,
        minutes: &mut Minutes,
        messages: &mut BTreeSet<(i64, i64)>,
    ) -> Result<(), StoreError> {
        const TABLES: [&str; 3] = ["event", "host", minute_signs::FILE_SYSTEMS];
        const COLUMNS: [&str; 8] =
            ["secs", "group_name", "kernel_thread", "seconds", "event_ms", "sequence", "level", "cpus"];
        let suffix = if by_the_minute { "_minute" } else { "" };
        let name = |base: &str| format!("{base}{suffix}");
        let counted: Vec<String> =
            [SAMPLES, LEDGER].into_iter().chain(minute_signs::TABLES).map(name).collect();
        let read = self.columns(
            piece,
            &|table| TABLES.contains(&table) || counted.iter().any(|name| name == table),
            &|_, column| COLUMNS.contains(&column) || minute_signs::needs(column),
        )?;
        for flaw in read.flaws {
            if !minutes.flaws.contains(&flaw) {
                minutes.flaws.push(flaw);
            }
        }
        let of = |table: &str| read.tables.get(table).map(Vec::as_slice).unwrap_or_default();
        let (samples, ledger) = (of(&name(SAMPLES)), of(&name(LEDGER)));
        for (time, secs) in minute_signs::lengths(samples, ledger) {
            minutes.at(time, |minute| minute.recorded_s += secs);
        }
        let mut running = Running::default();
        for batch in ledger {
            add_task_time(batch, minutes, &mut running);
        }
        for (at, seconds) in running.each() {
            minutes.minutes[at].note(Sign::BusyTask, seconds);
        }
        let mut note = |sign, time, amount| minutes.at(time, |minute| minute.note(sign, amount));
        for table in minute_signs::TABLES {
            of(&name(table)).iter().for_each(|batch| minute_signs::count(table, batch, &mut note));
        }
        of(minute_signs::FILE_SYSTEMS).iter().for_each(|batch| minute_signs::full(batch, &mut note));
        add_errors(of("event"), minutes, messages);
        let cpus = of("host").iter().flat_map(|batch| ints(batch, "cpus")).flatten().max();
        minutes.cpus = minutes.cpus.max(cpus);
        Ok(())
    }
}

/// The parts of a window (after its beginning, until its end) as spans with both ends included, and
/// whether each is read by minute.
fn parts(span: Span) -> Vec<(Span, bool)> {
    let since_ms = span.since_ms + 1;
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    // A row by minute is of the samples from a full minute on, until before the next.
    let (first_ms, end_ms) = (full(since_ms + MINUTE_MS - 1), full(span.until_ms + 1));
    if end_ms - first_ms <= LONG_MS {
        return vec![(Span { since_ms, until_ms: span.until_ms }, false)];
    }
    let parts = [
        (Span { since_ms, until_ms: first_ms - 1 }, false),
        (Span { since_ms: first_ms, until_ms: end_ms - 1 }, true),
        (Span { since_ms: end_ms, until_ms: span.until_ms }, false),
    ];
    parts.into_iter().filter(|(part, _)| part.since_ms <= part.until_ms).collect()
}

/// Adds errors of the kernel's log, each once.
fn add_errors(events: &[RecordBatch], minutes: &mut Minutes, messages: &mut BTreeSet<(i64, i64)>) {
    for batch in events {
        let keys = ints(batch, "event_ms").into_iter().zip(ints(batch, "sequence"));
        for ((at, sequence), level) in keys.zip(texts(batch, "level")) {
            if let (Some(at), Some(sequence), Some(level)) = (at, sequence, level)
                && ERRORS.contains(&level)
                && messages.insert((at, sequence))
            {
                minutes.at(at, |minute| minute.errors += 1);
            }
        }
    }
}

impl Minutes {
    /// Changes the minute that an interval belongs to that ends at a time.
    fn at(&mut self, time_ms: i64, change: impl FnOnce(&mut Minute)) {
        if let Some(at) = self.place(time_ms) {
            change(&mut self.minutes[at]);
        }
    }

    /// Position of that minute; none where it is not in the window.
    fn place(&self, time_ms: i64) -> Option<usize> {
        // An interval that ends at a full minute lies before it.
        let at = (time_ms - 1 - self.since_ms).div_euclid(MINUTE_MS);
        usize::try_from(at).ok().filter(|at| *at < self.minutes.len())
    }

    /// The minutes behind those of this window, which follow it.
    pub fn append(&mut self, later: Minutes) {
        let gap = (later.since_ms - self.since_ms) / MINUTE_MS;
        let at = usize::try_from(gap).unwrap_or(0);
        self.minutes.resize(self.minutes.len().max(at + later.minutes.len()), Minute::default());
        for (minute, more) in self.minutes[at..].iter_mut().zip(later.minutes) {
            *minute = minute.and(&more);
        }
        self.cpus = self.cpus.max(later.cpus);
        self.flaws.extend(later.flaws);
    }
}

/// Adds the rows of the ledger that are of user tasks. Millions of them: no vectors in between.
fn add_task_time(batch: &RecordBatch, minutes: &mut Minutes, running: &mut Running) {
    let texts = texts_by_code(batch, "group_name");
    let column = |name: &str| batch.column_by_name(name);
    let times = column("time").and_then(|column| column.as_primitive_opt::<arrow_array::types::Int64Type>());
    let seconds =
        column("seconds").and_then(|column| column.as_primitive_opt::<arrow_array::types::Float64Type>());
    let tids = column("tid").and_then(|column| column.as_primitive_opt::<arrow_array::types::Int64Type>());
    let kernel = column("kernel_thread").and_then(|column| column.as_boolean_opt());
    let (Some((codes, groups)), Some(times), Some(seconds)) = (texts, times, seconds) else { return };
    for row in 0..batch.num_rows() {
        let of_kernel = kernel.is_some_and(|kernel| kernel.is_valid(row) && kernel.value(row));
        let group = codes.key(row).and_then(|code| groups.get(code).copied().flatten());
        let Some(group) = group.filter(|_| !of_kernel && seconds.is_valid(row)) else { continue };
        let seconds = seconds.value(row);
        let Some(at) = minutes.place(times.value(row)) else { continue };
        if group != Group::Running {
            minutes.minutes[at].waiting_s += seconds;
            continue;
        }
        minutes.minutes[at].running_s += seconds;
        if let Some(tids) = tids.filter(|tids| tids.is_valid(row)) {
            running.add(at, tids.value(row), seconds);
        }
    }
}

/// The codes of a column of groups, and which of the codes are running and waiting.
fn texts_by_code<'a>(
    batch: &'a RecordBatch,
    name: &str,
) -> Option<(&'a arrow_array::DictionaryArray<arrow_array::types::Int32Type>, Vec<Option<Group>>)> {
    let column = batch.column_by_name(name)?.as_dictionary_opt::<arrow_array::types::Int32Type>()?;
    let words = column.values().as_string_opt::<i32>()?;
    let group = |word: Option<&str>| {
        [Group::Running, Group::Waiting].into_iter().find(|group| Some(group.name()) == word)
    };
    Some((column, words.iter().map(group).collect()))
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::TaskTimeRow;
    use heldup_model::{RowSet, Stamp};

    use super::*;

    #[test]
    fn an_interval_belongs_to_the_minute_in_which_it_ends() {
        let row = |group: &str, kernel_thread, seconds| TaskTimeRow {
            group_name: Some(group.into()),
            kernel_thread,
            seconds,
            ..Default::default()
        };
        let mut minutes = Minutes { minutes: vec![Minute::default(); 2], ..Minutes::default() };
        for time_ms in [60_000, 60_001] {
            let rows = [
                row("waiting", Some(false), Some(0.5)),
                row("running", None, Some(0.25)),
                row("waiting", Some(true), Some(9.0)),
                row("idle", Some(false), Some(9.0)),
                row("waiting", Some(false), None),
            ];
            let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
            let batch = RowSet::increases(rows).to_batch(&stamp).expect("a batch");
            add_task_time(&batch, &mut minutes, &mut Running::default());
        }
        let each = Minute { running_s: 0.25, waiting_s: 0.5, ..Minute::default() };
        assert_eq!(minutes.minutes, [each, each]);
    }

    #[test]
    fn minutes_of_a_following_window_are_joined() {
        let minutes = |since_ms, recorded_s: &[f64]| Minutes {
            since_ms,
            minutes: recorded_s.iter().map(|s| Minute { recorded_s: *s, ..Minute::default() }).collect(),
            ..Minutes::default()
        };
        let mut first = minutes(0, &[60.0, 30.0]);
        first.append(minutes(60_000, &[29.0, 60.0]));
        let recorded: Vec<f64> = first.minutes.iter().map(|minute| minute.recorded_s).collect();
        assert_eq!(recorded, [60.0, 59.0, 60.0]);
    }
}
