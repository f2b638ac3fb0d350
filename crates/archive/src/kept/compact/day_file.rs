//! One file for a host's day of a table, in the place of those of its segments.
//!
//! It says of which segments it was made; as long as their files are there, they do not count. It
//! is replaced as a whole, so that a reader has the day before or after, whenever whoever makes
//! it is stopped. With age it becomes coarser, in its place.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use heldup_model::TableDef;

use super::joined_groups::JoinedGroups;
use super::source_file::SourceFile;
use crate::journal::{Gap, SegmentName};
use crate::kept::durable;
use crate::kept::seal::roll::{Rolling, Stamps};
use crate::kept::seal::row_groups::MAX_CELLS;
use crate::kept::seal::sealed_file::{said, tried, writer};
use crate::kept::seal::{SealStep, Unfinished};
use crate::store::StoreError;

/// Names the segments that a file was made of, separated by spaces.
const SOURCES: &str = "sources";
/// Says how much time a row stands for at least, in milliseconds.
const STEP_MS: &str = "step_ms";
/// Rows of a row group at most, and how long after its beginning the last row group that becomes part of it
/// begins: an hour of a hundred processes. What orders so many takes some 40 MB, and who asks for a minute of a
/// day reads no more than this.
const MAX_ROWS: usize = 400_000;
const GROUP_SPAN_MS: i64 = 3_600_000;

/// Calls before each step; where it fails, all ends there.
pub(in crate::kept) type Before<'a> = dyn FnMut(SealStep) -> io::Result<()> + 'a;

/// The files of one host in the folder of a table's day.
pub(in crate::kept) struct HostDay<'a> {
    pub(in crate::kept) def: &'static TableDef,
    pub(in crate::kept) folder: &'a Path,
    /// The day's own name, whether the file is there or not.
    pub(in crate::kept) day: SegmentName,
    /// Files that are there; of segments only those whose journals are gone.
    pub(in crate::kept) files: BTreeSet<SegmentName>,
}

/// What a file says that it was made of.
pub(in crate::kept) fn sources(file: &SourceFile) -> BTreeSet<SegmentName> {
    let names = file.says(SOURCES).unwrap_or_default().split(' ');
    names.filter_map(|name| SegmentName::of_parquet(&format!("{name}.parquet"))).collect()
}

impl HostDay<'_> {
    /// Makes one file of all, with rows for no less than `step_ms`; returns whether there was
    /// anything to do.
    pub(in crate::kept) fn make(&self, step_ms: i64, before: &mut Before) -> Result<bool, StoreError> {
        let made = self.files.contains(&self.day).then(|| self.open(&self.day)).transpose()?;
        let mut covered = made.as_ref().map(sources).unwrap_or_default();
        let step_before = made.as_ref().and_then(|file| file.says(STEP_MS)?.parse().ok()).unwrap_or(0);
        let step_ms = step_ms.max(step_before);
        let segments: BTreeSet<SegmentName> =
            self.files.iter().filter(|name| **name != self.day).cloned().collect();
        let fresh: Vec<SegmentName> = segments.difference(&covered).cloned().collect();
        let coarser = made.is_some() && step_ms > step_before;
        if segments.is_empty() && !coarser {
            return Ok(false);
        }
        if !fresh.is_empty() || coarser {
            let opened = fresh.iter().map(|name| self.open(name)).collect::<Result<Vec<_>, _>>()?;
            covered.extend(fresh);
            self.write(made.into_iter().chain(opened).collect(), &covered, step_ms, before)?;
        }
        self.step(before, SealStep::SyncFolder)?;
        durable::sync_folder(self.folder).map_err(StoreError::io(self.folder))?;
        for name in segments.intersection(&covered) {
            self.step(before, SealStep::Remove)?;
            let path = self.folder.join(name.parquet());
            durable::remove(&path).map_err(StoreError::io(&path))?;
        }
        Ok(true)
    }

    fn open(&self, name: &SegmentName) -> Result<SourceFile, StoreError> {
        let path = self.folder.join(name.parquet());
        let file = File::open(&path).map_err(StoreError::io(&path))?;
        SourceFile::open(file).map_err(StoreError::corrupt(&path))
    }

    fn step(&self, before: &mut Before, step: SealStep) -> Result<(), StoreError> {
        before(step).map_err(StoreError::io(self.folder))
    }

    fn write(
        &self,
        files: Vec<SourceFile>,
        covered: &BTreeSet<SegmentName>,
        step_ms: i64,
        before: &mut Before,
    ) -> Result<(), StoreError> {
        let names: Vec<String> = covered.iter().map(SegmentName::to_string).collect();
        let mut says = vec![said(SOURCES, names.join(" ")), said(STEP_MS, step_ms.to_string())];
        says.extend(files.iter().find_map(|file| file.says("host")).map(|host| said("host", host)));
        let mut unfinished: Option<Unfinished> = None;
        let merged = each_group(self.def, &files, step_ms, &mut |group| {
            self.step(before, SealStep::Write)?;
            let place = self.day.parquet();
            let mut file = match unfinished.take() {
                Some(file) => file,
                None => {
                    let like = group.like().map_err(StoreError::corrupt(self.folder))?;
                    Unfinished::begin(self.folder, &place, |file| {
                        writer(self.def, says.clone(), &like, file)
                    })?
                }
            };
            file.write_columns(&mut |at| group.column(at))?;
            unfinished = Some(file);
            Ok(())
        });
        match merged {
            Err(Wrong::Source(what)) => return Err(StoreError::corrupt(self.folder)(what)),
            Err(Wrong::Store(error)) => return Err(error),
            Ok(()) => {}
        }
        let Some(unfinished) = unfinished else { return Ok(()) };
        self.step(before, SealStep::Sync)?;
        let places = unfinished.finish(&gaps(&files))?;
        self.step(before, SealStep::Rename)?;
        places.put().map(drop)
    }
}

/// Why files did not become one.
enum Wrong {
    Source(String),
    Store(StoreError),
}

impl From<String> for Wrong {
    fn from(what: String) -> Wrong {
        Wrong::Source(what)
    }
}

/// A row group, ready to be written: rows by entity and time.
enum Group<'a> {
    Rows(RecordBatch),
    Joined(JoinedGroups<'a>),
}

impl Group<'_> {
    /// A column, by its position.
    fn column(&self, at: usize) -> Result<ArrayRef, String> {
        match self {
            Group::Rows(rows) => rows.columns().get(at).cloned().ok_or_else(|| "rows without it".into()),
            Group::Joined(joined) => joined.column(at),
        }
    }

    /// Rows that are like all.
    fn like(&self) -> Result<RecordBatch, String> {
        match self {
            Group::Rows(rows) => Ok(rows.clone()),
            Group::Joined(joined) => joined.some(tried(joined.rows())),
        }
    }
}

/// What takes the row groups.
type TakeGroup<'a> = dyn FnMut(&Group) -> Result<(), StoreError> + 'a;

/// Passes on row groups that follow each other in time, with a bound to the memory that they take.
fn each_group(
    def: &'static TableDef,
    files: &[SourceFile],
    step_ms: i64,
    write: &mut TakeGroup,
) -> Result<(), Wrong> {
    let mut parts: Vec<Part> = Vec::new();
    for file in files {
        parts.extend(file.begins().into_iter().enumerate().map(|(group, begun_ms)| Part {
            begun_ms,
            rows: file.rows_of(group),
            file,
            group,
        }));
    }
    parts.sort_by_key(|part| part.begun_ms);
    match step_ms {
        0 => each_joined(def, &parts, write),
        _ => each_rolled(def, files, &parts, step_ms, write),
    }
}

/// A row group of one of the files.
struct Part<'a> {
    begun_ms: i64,
    rows: usize,
    file: &'a SourceFile,
    group: usize,
}

/// Rows as they are.
fn each_joined(def: &'static TableDef, parts: &[Part], write: &mut TakeGroup) -> Result<(), Wrong> {
    let cells = |rows: usize| rows.saturating_mul(def.all_columns().count());
    let mut rest = parts;
    while let [first, ..] = rest {
        let mut rows = 0;
        let fits = |part: &&Part| {
            rows += part.rows;
            let in_one_span = part.begun_ms.saturating_sub(first.begun_ms) < GROUP_SPAN_MS;
            cells(rows) <= MAX_CELLS || (in_one_span && rows <= MAX_ROWS)
        };
        let together = rest.iter().take_while(fits).count().max(1);
        let (group, after) = rest.split_at(together);
        let group = group.iter().map(|part| (part.file, part.group)).collect();
        write(&Group::Joined(JoinedGroups::of(def, group)?)).map_err(Wrong::Store)?;
        rest = after;
    }
    Ok(())
}

/// Rows that become coarser.
fn each_rolled(
    def: &'static TableDef,
    files: &[SourceFile],
    parts: &[Part],
    step_ms: i64,
    write: &mut TakeGroup,
) -> Result<(), Wrong> {
    let mut stamps = Stamps::of_steps(step_ms);
    for file in files {
        file.times()?.into_iter().for_each(|time_ms| stamps.note(time_ms));
    }
    let mut rolling = Rolling::coarser(def, step_ms);
    let at_once = MAX_CELLS / def.all_columns().count();
    for part in parts {
        let group = JoinedGroups::of(def, vec![(part.file, part.group)])?;
        for begin in (0..group.rows()).step_by(at_once) {
            let some = begin..group.rows().min(begin + at_once);
            rolling.push(&group.some(some)?)?;
        }
        // Not before: within a row group rows do not follow each other in time.
        if rolling.is_full()
            && let Some(rows) = rolling.take(false, &stamps)?
        {
            write(&Group::Rows(rows)).map_err(Wrong::Store)?;
        }
    }
    match rolling.take(true, &stamps)? {
        Some(rows) => write(&Group::Rows(rows)).map_err(Wrong::Store),
        None => Ok(()),
    }
}

/// The gaps that files tell of.
fn gaps(files: &[SourceFile]) -> Vec<Gap> {
    let told = files.iter().filter_map(|file| file.says("gaps"));
    let lists = told.filter_map(|text| serde_json::from_str::<Vec<(i64, i64, u32)>>(text).ok());
    let gap = |(after_ms, until_ms, samples)| Gap { after_ms, until_ms, samples };
    let mut all: Vec<Gap> = lists.flatten().map(gap).collect();
    all.sort_by_key(|gap| gap.after_ms);
    all.dedup();
    all
}
