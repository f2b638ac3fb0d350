//! One file for a host's day of a table, in the place of those of its segments.
//!
//! It says of which segments it was made; as long as their files are there, they do not count. It
//! is replaced as a whole, so that a reader has the day before or after, whenever whoever makes
//! it is stopped. With age it becomes coarser, in its place.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;

use arrow_array::RecordBatch;
use heldup_model::TableDef;

use super::durable;
use super::entity_order::joined;
use super::roll::{Rolling, Stamps};
use super::row_groups::MAX_CELLS;
use super::seal::{SealStep, Unfinished};
use super::sealed_file::{said, writer};
use super::source_file::SourceFile;
use crate::journal::{Gap, SegmentName};
use crate::store::StoreError;

/// Names the segments that a file was made of, separated by spaces.
const SOURCES: &str = "sources";
/// Says how much time a row stands for at least, in milliseconds.
const STEP_MS: &str = "step_ms";

/// Calls before each step; where it fails, all ends there.
pub(super) type Before<'a> = dyn FnMut(SealStep) -> io::Result<()> + 'a;

/// The files of one host in the folder of a table's day.
pub(super) struct HostDay<'a> {
    pub(super) def: &'static TableDef,
    pub(super) folder: &'a Path,
    /// The day's own name, whether the file is there or not.
    pub(super) day: SegmentName,
    /// Files that are there; of segments only those whose journals are gone.
    pub(super) files: BTreeSet<SegmentName>,
}

/// What a file says that it was made of.
pub(super) fn sources(file: &SourceFile) -> BTreeSet<SegmentName> {
    let names = file.says(SOURCES).unwrap_or_default().split(' ');
    names.filter_map(|name| SegmentName::of_parquet(&format!("{name}.parquet"))).collect()
}

impl HostDay<'_> {
    /// Makes one file of all, with rows for no less than `step_ms`; returns whether there was
    /// anything to do.
    pub(super) fn make(&self, step_ms: i64, before: &mut Before) -> Result<bool, StoreError> {
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
        let merged = each_group(self.def, &files, step_ms, &mut |rows| {
            self.step(before, SealStep::Write)?;
            let place = self.day.parquet();
            let file = match unfinished.take() {
                Some(file) => file,
                None => {
                    Unfinished::begin(self.folder, &place, |file| writer(self.def, says.clone(), rows, file))?
                }
            };
            unfinished.insert(file).write(rows)
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

/// Hands over row groups that follow each other in time, each by entity and time, with a bound to
/// the memory that they take.
fn each_group(
    def: &'static TableDef,
    files: &[SourceFile],
    step_ms: i64,
    write: &mut dyn FnMut(&RecordBatch) -> Result<(), StoreError>,
) -> Result<(), Wrong> {
    let mut groups: Vec<(i64, &SourceFile, usize)> = Vec::new();
    for file in files {
        groups.extend(file.begins().into_iter().enumerate().map(|(at, begun)| (begun, file, at)));
    }
    groups.sort_by_key(|(begun, ..)| *begun);
    let mut waiting: Vec<RecordBatch> = Vec::new();
    let mut cells = 0;
    let mut rolling = (step_ms > 0).then(|| Rolling::coarser(def, step_ms));
    let mut stamps = Stamps::of_steps(step_ms);
    if rolling.is_some() {
        for file in files {
            file.times()?.into_iter().for_each(|time_ms| stamps.note(time_ms));
        }
    }
    for (_, file, at) in groups {
        let rows = file.rows(def, at)?;
        if let Some(rolling) = &mut rolling {
            rolling.push(&joined(def, &[rows])?)?;
            if rolling.is_full() {
                rolling.take(false, &stamps)?.map_or(Ok(()), |rows| write(&rows)).map_err(Wrong::Store)?;
            }
            continue;
        }
        let more = rows.num_rows() * rows.num_columns();
        if cells + more > MAX_CELLS && !waiting.is_empty() {
            write(&joined(def, &std::mem::take(&mut waiting))?).map_err(Wrong::Store)?;
            cells = 0;
        }
        waiting.push(rows);
        cells += more;
    }
    if let Some(rolling) = &mut rolling {
        waiting.extend(rolling.take(true, &stamps)?);
    }
    match waiting.is_empty() {
        true => Ok(()),
        false => write(&joined(def, &waiting)?).map_err(Wrong::Store),
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
