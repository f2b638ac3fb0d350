//! Files of `/proc` and `/sys` that were saved: gathered into looks at a machine, which are read by the
//! sources that read the live one. Two looks give increases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use heldup_hostfs::{Host, MemoryTree};
use heldup_model::batch::concat;
use heldup_model::{Capture, Flaw, Method, Span, Stamp, TimeSource, Timing};
use heldup_sources::{Look, LookRows, proc_uptime, read_looks};

use super::facts::Surroundings;
use crate::document::ORDER_STEP_MS;
use crate::error::ImportError;
use crate::host_name::{UNKNOWN, is_same_host};
use crate::table::impossible::{Lengths, leave_out_impossible};
use crate::text::civil::INSTANTS_MS;
use crate::{FileRead, Import, no_task_times};

/// Two readings of `btime` may differ by a second while the clock is set.
const SAME_BOOT_MS: i64 = 2_000;
const RELEASE: &str = "/proc/sys/kernel/osrelease";
const WRITTEN: &str = "when the files were last written";
/// Flaws that are said of one machine's files.
const MOST_FLAWS: usize = 20;
/// Names of files that are said.
const MOST_NAMES: usize = 4;
/// A hundred years.
const LONGEST_UPTIME_S: f64 = 3.2e9;
/// Looks whose rows become one batch.
const JOINED_LOOKS: usize = 1024;

/// Files of one tree, while they are gathered.
#[derive(Debug, Default)]
struct Gathered {
    tree: MemoryTree,
    modified_ms: i64,
    /// Beside files of `/etc`, which alone are no look at a machine.
    has_kernel_files: bool,
}

/// A file that stands in no tree.
#[derive(Debug)]
struct Loose {
    label: String,
    modified_ms: i64,
    bytes: Vec<u8>,
}

/// All that was found, by folder; of files in no tree by their place in `/proc` besides.
#[derive(Debug, Default)]
pub struct Snapshots {
    trees: BTreeMap<String, Gathered>,
    loose: ByFolder,
    /// Looks that one text has, each with its time where that is in the text.
    looks: Vec<(String, Option<i64>, Gathered)>,
}

/// One look, and whose it is.
#[derive(Clone, Debug)]
struct Taken {
    label: String,
    /// The text of which it is one of many.
    text: Option<String>,
    host: Option<String>,
    tree: Arc<MemoryTree>,
    ms: i64,
    /// What its time was taken from.
    from: &'static str,
    time: TimeSource,
    /// Time of a CPU since boot, by the ticks that the kernel counted.
    ticks_s: Option<f64>,
    uptime_s: Option<f64>,
    boot_ms: Option<i64>,
    has_kernel_files: bool,
    files: u64,
}

impl Snapshots {
    /// A file of a tree; the bytes that its paths take.
    pub fn add(&mut self, folder: &str, path: &str, modified_ms: i64, bytes: Vec<u8>) -> u64 {
        let gathered = self.trees.entry(folder.to_owned()).or_default();
        gathered.modified_ms = gathered.modified_ms.max(modified_ms);
        gathered.has_kernel_files |= path.starts_with("proc/") || path.starts_with("sys/");
        let before = gathered.tree.paths_bytes();
        gathered.tree.add_file(path, bytes);
        gathered.tree.paths_bytes() - before
    }

    /// A link of a tree; the bytes that its paths take.
    pub fn add_link(&mut self, folder: &str, path: &str, target: &str) -> u64 {
        let tree = &mut self.trees.entry(folder.to_owned()).or_default().tree;
        let before = tree.paths_bytes();
        tree.add_link(path, target);
        tree.paths_bytes() - before + target.len() as u64
    }

    /// A file that stands anywhere.
    pub fn add_loose(&mut self, label: &str, path: &'static str, modified_ms: i64, bytes: Vec<u8>) {
        let folder = label.rsplit_once('/').map_or("", |(folder, _)| folder);
        let of_folder = self.loose.entry(folder.to_owned()).or_default();
        let file = Loose { label: label.to_owned(), modified_ms, bytes };
        of_folder.entry(path).or_default().push(file);
    }

    /// One of the looks that a text has.
    pub fn add_look(&mut self, label: &str, told_ms: Option<i64>, modified_ms: i64, tree: MemoryTree) {
        self.looks.push((label.to_owned(), told_ms, Gathered { tree, modified_ms, has_kernel_files: true }));
    }

    /// Reads all of it: the looks at each machine since each of its starts together.
    pub fn read(self, surroundings: &Surroundings) -> Result<Vec<Import>, ImportError> {
        let mut looks = Vec::new();
        for (folder, gathered) in self.trees {
            looks.push(taken(folder, gathered, None, surroundings));
        }
        for (label, told_ms, gathered) in self.looks {
            let text = Some(label.clone());
            looks.push(Taken { text, ..taken(label, gathered, told_ms, surroundings) });
        }
        for (folder, files) in one_copy(self.loose, surroundings) {
            looks.extend(of_loose(&folder, files, surroundings));
        }
        looks.retain(|look| look.has_kernel_files);
        looks.sort_by_key(|look| look.ms);
        let mut series: Vec<Series> = Vec::new();
        for look in looks {
            match series.iter_mut().find(|series| series.has(&look)) {
                Some(series) => series.push(look),
                None => series.push(Series::of(look)),
            }
        }
        series.into_iter().map(|series| import(series.looks)).collect()
    }
}

/// Looks at one machine between two starts of it, of which there is at least one.
struct Series {
    looks: Vec<Taken>,
    /// The first and the last time of boot that any of them tells.
    boot_ms: Option<(i64, i64)>,
}

impl Series {
    fn of(look: Taken) -> Series {
        Series { boot_ms: look.boot_ms.map(|ms| (ms, ms)), looks: vec![look] }
    }

    fn has(&self, look: &Taken) -> bool {
        let is_near = |((first, last), ms): ((i64, i64), i64)| {
            ms.saturating_sub(first) <= SAME_BOOT_MS && last.saturating_sub(ms) <= SAME_BOOT_MS
        };
        self.looks.first().is_some_and(|first| first.host == look.host && first.text == look.text)
            && self.boot_ms.zip(look.boot_ms).is_none_or(is_near)
    }

    fn push(&mut self, look: Taken) {
        if let Some(ms) = look.boot_ms {
            let (first, last) = self.boot_ms.unwrap_or((ms, ms));
            self.boot_ms = Some((first.min(ms), last.max(ms)));
        }
        self.looks.push(look);
    }
}

/// Files that stand in no tree, by folder and by their place in `/proc`.
type ByFolder = BTreeMap<String, BTreeMap<&'static str, Vec<Loose>>>;

/// Where no file is there twice, whatever folders they are in, they are of one moment.
fn one_copy(loose: ByFolder, surroundings: &Surroundings) -> ByFolder {
    let mut seen = BTreeSet::new();
    let mut files = loose.values().flat_map(|files| files.iter());
    let is_one = files.all(|(path, several)| several.len() == 1 && seen.insert(*path));
    let hosts: BTreeSet<_> = loose.keys().map(|folder| surroundings.of(folder).host).collect();
    if !is_one || hosts.len() > 1 {
        return loose;
    }
    let folder = loose.keys().next().cloned().unwrap_or_default();
    let all: BTreeMap<_, _> = loose.into_values().flatten().collect();
    if all.is_empty() { BTreeMap::new() } else { BTreeMap::from([(folder, all)]) }
}

/// Files of a folder that stand in no tree: the first of each kind together, the second of each kind, as
/// they were written.
fn of_loose(
    folder: &str,
    files: BTreeMap<&'static str, Vec<Loose>>,
    surroundings: &Surroundings,
) -> Vec<Taken> {
    let mut looks: BTreeMap<(usize, usize), (Gathered, Vec<String>)> = BTreeMap::new();
    for (path, mut several) in files {
        several.sort_by(|a, b| (a.modified_ms, &a.label).cmp(&(b.modified_ms, &b.label)));
        let count = several.len();
        for (at, file) in several.into_iter().enumerate() {
            let (gathered, labels) = looks.entry((count, at)).or_default();
            gathered.modified_ms = gathered.modified_ms.max(file.modified_ms);
            gathered.has_kernel_files = true;
            gathered.tree.add_file(path, file.bytes);
            labels.push(file.label);
        }
    }
    let named = looks.into_values().map(|(gathered, labels)| {
        let mut look = taken(folder.to_owned(), gathered, None, surroundings);
        look.label = several(&labels);
        look
    });
    named.collect()
}

/// The first names of many, each once.
fn several(names: &[String]) -> String {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.dedup();
    let first: Vec<&str> = names.iter().take(MOST_NAMES).copied().collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn taken(label: String, mut gathered: Gathered, told_ms: Option<i64>, surroundings: &Surroundings) -> Taken {
    let known = surroundings.of(&label);
    let files = gathered.tree.files();
    let is_there = gathered.tree.file(RELEASE).is_some();
    if let Some(kernel) = known.kernel.as_ref().filter(|_| !is_there && gathered.has_kernel_files) {
        // What `uname` prints is what the file says.
        gathered.tree.add_file(RELEASE, format!("{kernel}\n").into_bytes());
    }
    let tree = Arc::new(gathered.tree);
    let host = Host::in_memory(Arc::clone(&tree));
    let name = host.read_text("/proc/sys/kernel/hostname").ok().filter(|name| !name.is_empty());
    let boot_ms = host.boot_time().ok().map(|boot| boot.boot_ms()).filter(|ms| INSTANTS_MS.contains(ms));
    let uptime_s = tree.file("/proc/uptime").and_then(|file| proc_uptime::parse(file).value);
    let uptime_s = uptime_s.filter(|uptime_s| (0.0..LONGEST_UPTIME_S).contains(uptime_s));
    let uptime = boot_ms.zip(uptime_s).map(|(boot_ms, uptime_s)| boot_ms + (uptime_s * 1000.0) as i64);
    let recorded = [
        (uptime, "the time of boot and the uptime"),
        (told_ms, "the times between the files"),
        (known.taken_ms, "what `date` printed"),
    ];
    let recorded = recorded.into_iter().find_map(|(ms, from)| Some((ms?, from, TimeSource::Recorded)));
    let (ms, from, time) = recorded.unwrap_or((gathered.modified_ms, WRITTEN, TimeSource::Assumed));
    let ticks_s = tree.file("/proc/stat").and_then(ticks_s);
    let has_kernel_files = gathered.has_kernel_files;
    // The names that a report has for its host: its files of commands tell it, and so does the kernel.
    let host = known.host.filter(|known| name.as_ref().is_none_or(|name| is_same_host(name, known))).or(name);
    Taken {
        label,
        text: None,
        host,
        tree,
        ms,
        from,
        time,
        ticks_s,
        uptime_s,
        boot_ms,
        has_kernel_files,
        files,
    }
}

/// Seconds of one CPU since boot, by the first line of `/proc/stat` and the number of those that follow: the kernel gives
/// hundredths.
fn ticks_s(stat: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(stat).ok()?;
    let mut lines = text.lines();
    let all = lines.next()?.strip_prefix("cpu ")?;
    let cpus = lines.take_while(|line| line.starts_with("cpu")).count();
    // Guests are in the first two too.
    let ticks = all.split_whitespace().take(8).map(|word| word.parse::<f64>().ok()).sum::<Option<f64>>()?;
    (cpus > 0).then(|| ticks / 100.0 / cpus as f64)
}

/// What the time between two looks is from.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    Uptime,
    Times,
    Ticks,
}

/// The clock of looks, and each on it; in their order, each with a time of its own.
fn clocked(series: &mut [Taken]) -> (Clock, Vec<f64>) {
    let all = |has: &dyn Fn(&Taken) -> bool| series.iter().all(has);
    let clock = match series {
        _ if all(&|taken| taken.uptime_s.is_some()) => Clock::Uptime,
        _ if all(&|taken| taken.time == TimeSource::Recorded) => Clock::Times,
        _ if all(&|taken| taken.ticks_s.is_some()) && series.len() > 1 => Clock::Ticks,
        _ => Clock::Times,
    };
    if clock == Clock::Ticks {
        series.sort_by(|a, b| a.ticks_s.unwrap_or(0.0).total_cmp(&b.ticks_s.unwrap_or(0.0)));
        let last = series.last().map(|last| (last.ms, last.ticks_s.unwrap_or(0.0)));
        for taken in series.iter_mut() {
            let (Some((ms, last_s)), Some(ticks_s)) = (last, taken.ticks_s) else { continue };
            taken.ms = ms - ((last_s - ticks_s) * 1000.0) as i64;
        }
    }
    let of = |taken: &Taken| match clock {
        Clock::Uptime => taken.uptime_s,
        Clock::Ticks => taken.ticks_s,
        Clock::Times => None,
    };
    let seconds = series.iter().map(|taken| of(taken).unwrap_or(taken.ms as f64 / 1000.0)).collect();
    let mut before_ms = i64::MIN;
    for taken in series {
        taken.ms = taken.ms.max(before_ms.saturating_add(ORDER_STEP_MS));
        before_ms = taken.ms;
    }
    (clock, seconds)
}

/// What the times of looks are worth.
fn timing(series: &[Taken], clock: Clock, seconds: &[f64]) -> Timing {
    let is_recorded = series.iter().all(|taken| taken.time == TimeSource::Recorded);
    let time = match (is_recorded, clock) {
        (true, _) => TimeSource::Recorded,
        (false, Clock::Times) if seconds.first() < seconds.last() && seconds.first() > Some(&0.0) => {
            TimeSource::Assumed
        }
        _ => TimeSource::Unknown,
    };
    let has_intervals = series.len() < 2 || seconds.windows(2).any(|pair| pair[0] < pair[1]);
    Timing { time, has_intervals }
}

fn import(mut series: Vec<Taken>) -> Result<Import, ImportError> {
    let (clock, seconds) = clocked(&mut series);
    let timing = timing(&series, clock, &seconds);
    let series = &series[..];
    let look = |(taken, clock_s): (&Taken, &f64)| Look {
        host: Host::in_memory(Arc::clone(&taken.tree)),
        time_ms: taken.ms,
        clock_s: *clock_s,
    };
    let looks: Vec<Look> = series.iter().zip(&seconds).map(look).collect();
    let name = series.iter().find_map(|taken| taken.host.clone()).unwrap_or_else(|| UNKNOWN.to_owned());
    let mut flaws = Vec::new();
    let mut joined = Joined::default();
    read_looks(&looks, &mut flaws, &mut |rows| joined.take(rows, &name));
    let (mut tables, counts) = joined.finish()?;
    leave_out_impossible(&mut tables, &name, Lengths::ToASecond, &BTreeMap::new())?;
    let mut capture = Capture {
        host: name.clone(),
        span: span(series),
        method: Method::Imported,
        coverage: 0.0,
        untold: Vec::new(),
        timing,
        tables,
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    let mut file = describe(series, timing, clock, &seconds);
    if capture.tables.is_empty() && series.len() == 1 {
        file.what += ", with counts since boot only: a second snapshot, \
                      taken later, would give increases";
    }
    file.rows = counts.into_iter().collect();
    file.is_known = !capture.tables.is_empty();
    let flaws = said(series, flaws);
    capture.missing.push(no_task_times(&file));
    capture.flaws.clone_from(&flaws);
    let capture = file.is_known.then_some(capture);
    Ok(Import { file, capture, flaws })
}

/// Batches by table, and rows by table.
type Tables = (BTreeMap<String, Vec<RecordBatch>>, BTreeMap<&'static str, u64>);

/// Tables of many looks: a batch of each look would take more for its columns than for what is in them.
#[derive(Default)]
struct Joined {
    tables: BTreeMap<String, Vec<RecordBatch>>,
    counts: BTreeMap<&'static str, u64>,
    /// Batches of one table that follow each other, and the time of the last.
    open: Vec<RecordBatch>,
    last: Option<(&'static str, i64)>,
    failed: Option<ImportError>,
}

impl Joined {
    fn take(&mut self, rows: LookRows, host: &str) {
        let table = rows.rows.def.name;
        let goes_on = self.last.is_some_and(|(of, ms)| of == table && ms <= rows.time_ms);
        if !goes_on || self.open.len() >= JOINED_LOOKS {
            self.close();
        }
        self.last = Some((table, rows.time_ms));
        *self.counts.entry(table).or_default() += rows.rows.len as u64;
        let stamp = Stamp { time_ms: rows.time_ms, secs: rows.secs, host: host.into() };
        match rows.rows.to_batch(&stamp) {
            Ok(batch) => self.open.push(batch),
            Err(source) => self.fail(table, source),
        }
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        let Some((schema, (table, _))) = open.first().map(RecordBatch::schema).zip(self.last) else { return };
        match concat(&schema, &open) {
            Ok(batch) => self.tables.entry(table.to_owned()).or_default().push(batch),
            Err(source) => self.fail(table, source),
        }
    }

    fn fail(&mut self, table: &'static str, source: ArrowError) {
        self.failed.get_or_insert(ImportError::Table { table, source });
    }

    fn finish(mut self) -> Result<Tables, ImportError> {
        self.close();
        match self.failed {
            Some(error) => Err(error),
            None => Ok((self.tables, self.counts)),
        }
    }
}

fn span(series: &[Taken]) -> Span {
    let times = || series.iter().map(|taken| taken.ms);
    Span { since_ms: times().min().unwrap_or(0), until_ms: times().max().unwrap_or(0) }
}

/// Flaws with the place of the file among the given files.
fn said(series: &[Taken], flaws: Vec<Flaw>) -> Vec<Flaw> {
    let labels: Vec<String> = series.iter().map(|taken| taken.label.clone()).collect();
    let label = several(&labels);
    let all = flaws.len();
    let at = |flaw: Flaw| Flaw { place: format!("{label}: {}", flaw.place), ..flaw };
    let mut said: Vec<Flaw> = flaws.into_iter().take(MOST_FLAWS).map(at).collect();
    if all > MOST_FLAWS {
        let what = format!("{} more lines or files not readable", all - MOST_FLAWS);
        said.push(Flaw { place: label, what });
    }
    said
}

fn describe(series: &[Taken], timing: Timing, clock: Clock, seconds: &[f64]) -> FileRead {
    let labels: Vec<String> = series.iter().map(|taken| taken.label.clone()).collect();
    let files: u64 = series.iter().map(|taken| taken.files).sum();
    let files_are = if files == 1 { "file" } else { "files" };
    let mut what = format!("{files} {files_are} of /proc and /sys");
    let mut notes = Vec::new();
    if let [first, .., last] = seconds {
        let within = last - first;
        what += &format!(", {} snapshots", series.len());
        if within > 0.0 {
            what += &format!(" within {within:.1} s");
        }
        let from = match clock {
            Clock::Uptime => "from /proc/uptime",
            Clock::Ticks => "from the ticks in /proc/stat",
            Clock::Times if within > 0.0 => "from the times of the snapshots",
            Clock::Times => "unknown: no increases",
        };
        notes.push(format!("the time between two snapshots is {from}"));
    } else {
        what += ", 1 snapshot";
        notes.push("one snapshot: levels only (a second snapshot would give rates)".to_owned());
    }
    let mut sources: Vec<&str> = series.iter().map(|taken| taken.from).collect();
    sources.dedup();
    notes.push(match timing.time {
        // The time of a file is no time of the machine.
        TimeSource::Unknown => "it is unknown when the snapshots were made".to_owned(),
        _ => format!("time of the snapshots: from {}", sources.join(", or ")),
    });
    FileRead { file: several(&labels), what, span: Some(span(series)), timing, notes, ..FileRead::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(user: u32) -> Vec<u8> {
        // The second look is ten seconds later.
        let idle = if user == 700 { 900 } else { 100 };
        format!("cpu  {user} 0 0 {idle}\ncpu0 {user} 0 0 {idle}\nctxt 5\nbtime 1700000000\n").into_bytes()
    }

    fn value(import: &Import, table: &str, column: &str) -> Option<String> {
        let batch = import.capture.as_ref()?.tables.get(table)?.last()?;
        let column = batch.column_by_name(column)?;
        use arrow_array::Array;
        use arrow_array::cast::AsArray;
        if column.is_null(0) {
            return None;
        }
        Some(column.as_primitive::<arrow_array::types::Float64Type>().value(0).to_string())
    }

    #[test]
    fn two_trees_are_one_series_whose_times_are_the_machines_own() {
        let mut snapshots = Snapshots::default();
        for (folder, user, uptime) in [("b/before", 500, "100.00 1.00\n"), ("b/after", 900, "108.00 1.00\n")]
        {
            snapshots.add(folder, "proc/stat", 0, stat(user));
            snapshots.add(folder, "proc/uptime", 0, uptime.into());
            snapshots.add(folder, "proc/sys/kernel/hostname", 0, b"db1\n".to_vec());
        }
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        let [import] = &imports[..] else { panic!("one machine") };
        assert_eq!(import.file.file, "b/before, b/after");
        assert_eq!(import.file.what, "6 files of /proc and /sys, 2 snapshots within 8.0 s");
        assert_eq!(import.file.span, Some(Span { since_ms: 1_700_000_100_000, until_ms: 1_700_000_108_000 }));
        assert_eq!(
            (value(import, "cpu", "user_s"), value(import, "cpu", "secs")),
            (Some("4".into()), Some("8".into()))
        );
        assert_eq!(import.capture.as_ref().map(|capture| capture.host.as_str()), Some("db1"));
        assert_eq!(import.flaws, []);
    }

    #[test]
    fn snapshots_of_two_machines_and_of_two_starts_are_not_compared() {
        let mut snapshots = Snapshots::default();
        for (folder, host, boot) in
            [("a", "db1", 1_700_000_000), ("b", "db2", 1_700_000_000), ("c", "db1", 1_700_009_999)]
        {
            let stat = format!("cpu  5 0 0 100\ncpu0 5 0 0 100\nbtime {boot}\n");
            snapshots.add(folder, "proc/stat", 0, stat.into_bytes());
            snapshots.add(folder, "proc/sys/kernel/hostname", 0, format!("{host}\n").into_bytes());
        }
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        assert_eq!(imports.len(), 3);
        assert!(imports.iter().all(|import| import.file.what.ends_with("1 snapshot")));
        assert!(imports.iter().all(|import| import.file.notes[0].contains("levels only")));
    }

    #[test]
    fn single_files_are_taken_in_the_order_in_which_they_were_written() {
        let mut snapshots = Snapshots::default();
        snapshots.add_loose("d/stat.2", "/proc/stat", 30_000, stat(700));
        snapshots.add_loose("d/stat.1", "/proc/stat", 20_000, stat(500));
        snapshots.add_loose("d/meminfo", "/proc/meminfo", 30_000, b"MemTotal: 4 kB\n".to_vec());
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        let [import] = &imports[..] else { panic!("one machine") };
        assert_eq!(
            (value(import, "cpu", "user_s"), value(import, "cpu", "secs")),
            (Some("2".into()), Some("10".into()))
        );
        assert!(import.file.notes.iter().any(|note| note.contains("the times of the snapshots")));
    }

    #[test]
    fn files_of_which_none_is_there_twice_are_of_one_moment() {
        let mut snapshots = Snapshots::default();
        snapshots.add_loose("d/a/meminfo", "/proc/meminfo", 20_000, b"MemTotal: 4 kB\n".to_vec());
        snapshots.add_loose(
            "d/b/loadavg",
            "/proc/loadavg",
            90_000_000,
            b"0.25 0.10 0.05 1/123 4567\n".to_vec(),
        );
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        assert_eq!(imports[0].file.what, "2 files of /proc and /sys, 1 snapshot");
    }

    #[test]
    fn files_of_one_time_give_no_increases() {
        let mut snapshots = Snapshots::default();
        for (name, free) in [("d/meminfo.1", 5), ("d/meminfo.2", 7)] {
            let text = format!("MemTotal: 9 kB\nMemFree: {free} kB\n").into_bytes();
            snapshots.add_loose(name, "/proc/meminfo", 20_000, text);
        }
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        let timing = imports[0].capture.as_ref().map(|capture| capture.timing.has_intervals);
        assert_eq!(timing, Some(false));
        assert!(imports[0].file.notes.iter().any(|note| note.contains("no increases")));
    }

    #[test]
    fn the_kernel_counts_the_time_between_files_of_one_time() {
        let mut snapshots = Snapshots::default();
        snapshots.add_loose("d/stat.1", "/proc/stat", 20_000, stat(500));
        snapshots.add_loose("d/stat.2", "/proc/stat", 20_000, stat(700));
        let imports = snapshots.read(&Surroundings::default()).expect("read");
        let of = |column: &str| value(&imports[0], "cpu", column);
        assert_eq!((of("user_s"), of("secs")), (Some("2".into()), Some("10".into())));
        assert_eq!(imports[0].file.timing.time, TimeSource::Unknown);
    }

    #[test]
    fn settings_alone_are_no_look_at_a_machine() {
        let mut snapshots = Snapshots::default();
        snapshots.add("d", "etc/sysctl.conf", 0, b"vm.swappiness = 10\n".to_vec());
        assert!(snapshots.read(&Surroundings::default()).expect("read").is_empty());
    }
}
