//! A closed journal becomes Parquet files, one for each table and day, and is removed.
//!
//! The files are written beside their places, brought to the disk, put into their places, and
//! only when all of them are there for good is the journal removed. Whoever is stopped at any
//! step is followed by one who does all of it again: names depend on the segment alone.

pub(in crate::kept) mod binary_seconds;
pub(in crate::kept) mod by_class;
pub(in crate::kept) mod entity_order;
pub(in crate::kept) mod roll;
pub(in crate::kept) mod row_groups;
pub(in crate::kept) mod sealed_file;
pub(in crate::kept) mod without_owners;

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use arrow_array::{ArrayRef, RecordBatch};
use heldup_model::tables::{ClassTimeRow, TaskTimeRow};
use heldup_model::{Record, TableDef, rollup};

use crate::date::date;
use crate::journal::{Gap, JournalReader, SegmentName, Tail};
use crate::kept::durable;
use crate::store::StoreError;
use by_class::ClassTimes;
use roll::{Rolling, Stamps};
use row_groups::Part;
use sealed_file::{TableWriter, said};

/// What was sealed, and what could not be.
#[derive(Clone, Debug, PartialEq)]
pub struct Sealed {
    /// The files, in their places.
    pub files: Vec<PathBuf>,
    /// Samples.
    pub samples: u64,
    /// Samples that the recorder could not write.
    pub gaps: Vec<Gap>,
    /// What could not be read of the journal's end. Where whole samples stand behind the damage,
    /// the journal was not removed but kept, as `<segment>.damaged`.
    pub lost: Option<Tail>,
}

/// A step of sealing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealStep {
    /// Rows are written to a file beside its place.
    Write,
    /// The file is completed and brought to the disk.
    Sync,
    /// The file is put into its place.
    Rename,
    /// Its folder is brought to the disk.
    SyncFolder,
    /// The journal is removed.
    Remove,
}

/// Seals a journal that nobody writes to any more into an archive. One that somebody writes to,
/// or seals, is an error of kind [`io::ErrorKind::WouldBlock`].
pub fn seal(journal: &Path, archive: &Path) -> Result<Sealed, StoreError> {
    seal_with(journal, archive, &mut |_| Ok(()))
}

/// Seals a journal; `before` is called before each step, and where it fails the sealing ends
/// there and then, as if the machine had stopped. It can be done again.
pub fn seal_with(
    journal: &Path,
    archive: &Path,
    before: &mut dyn FnMut(SealStep) -> io::Result<()>,
) -> Result<Sealed, StoreError> {
    let name = journal.file_name().and_then(|name| SegmentName::of_journal(name.to_str()?));
    let name = name.ok_or_else(|| {
        StoreError::corrupt(journal)(
            "not named as a journal, <host>-<milliseconds>-<eight digits>.journal".into(),
        )
    })?;
    let _lock = lock(journal)?;
    let mut reader = JournalReader::open(journal)?;
    let header = reader.header().clone();
    let mut parts: BTreeMap<Part, Unfinished> = BTreeMap::new();
    let mut write = |def: &'static TableDef, part: Part, rows: &RecordBatch| {
        step(journal, before, SealStep::Write)?;
        if let Some(unfinished) = parts.get_mut(&part) {
            return unfinished.write(rows);
        }
        let folder = day_folder(archive, part);
        let unfinished = Unfinished::begin(&folder, &name.parquet(), |file| {
            sealed_file::writer(def, sealed_file::of_segment(&header), rows, file)
        })?;
        parts.entry(part).or_insert(unfinished).write(rows)
    };
    let mut minutes = Minutes::default();
    let mut classes: BTreeMap<i64, ClassTimes> = BTreeMap::new();
    let (samples, stamps) = row_groups::for_each(&mut reader, &mut |def, part, rows, stamps| {
        write(def, part, rows)?;
        if def.name == TaskTimeRow::DEF.name {
            classes.entry(part.1).or_default().add(rows);
        }
        match minutes.add(def, part, rows, stamps).map_err(StoreError::corrupt(journal))? {
            Some((def, part, rows)) => write(def, part, &rows),
            None => Ok(()),
        }
    })?;
    for (def, part, rows) in minutes.rest(&stamps).map_err(StoreError::corrupt(journal))? {
        write(def, part, &rows)?;
    }
    for (day, times) in classes {
        let made = times.take().map_err(StoreError::corrupt(journal))?;
        let def = ClassTimeRow::DEF;
        made.map_or(Ok(()), |rows| write(def, (def.name, day), &rows))?;
    }
    let lost = reader.tail()?;
    let mut files = Vec::new();
    for unfinished in parts.into_values() {
        step(journal, before, SealStep::Sync)?;
        let finished = unfinished.finish(reader.gaps())?;
        step(journal, before, SealStep::Rename)?;
        files.push(finished.put()?);
    }
    for file in &files {
        step(journal, before, SealStep::SyncFolder)?;
        sync_above(file, archive)?;
    }
    step(journal, before, SealStep::Remove)?;
    retire(journal, lost).map_err(StoreError::io(journal))?;
    Ok(Sealed { files, samples, gaps: reader.gaps().to_vec(), lost })
}

/// Keeps others from sealing a journal, unless its writer or another sealer does already.
pub(in crate::kept) fn lock(journal: &Path) -> Result<File, StoreError> {
    let file = File::open(journal).map_err(StoreError::io(journal))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let source = io::Error::new(io::ErrorKind::WouldBlock, "somebody writes to it, or seals it");
            Err(StoreError::Io { path: journal.into(), source })
        }
        // A file system without locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn step(
    journal: &Path,
    before: &mut dyn FnMut(SealStep) -> io::Result<()>,
    step: SealStep,
) -> Result<(), StoreError> {
    before(step).map_err(StoreError::io(journal))
}

/// Brings the names of a file, of its day and of its table to the disk.
fn sync_above(file: &Path, archive: &Path) -> Result<(), StoreError> {
    for folder in file.ancestors().skip(1).take(3).filter(|folder| folder.starts_with(archive)) {
        durable::sync_folder(folder).map_err(StoreError::io(folder))?;
    }
    Ok(())
}

/// Removes the journal, or keeps what nobody could read of it so far.
fn retire(journal: &Path, lost: Option<Tail>) -> io::Result<()> {
    if lost.is_some_and(|tail| tail.until_ms.is_some()) {
        fs::rename(journal, journal.with_extension("damaged"))?;
    } else {
        durable::remove(journal)?;
    }
    journal.parent().map_or(Ok(()), durable::sync_folder)
}

/// Tables by minute, of what is sealed.
#[derive(Default)]
struct Minutes(BTreeMap<Part, (&'static TableDef, Rolling)>);

/// Rows of a part of a table.
type PartRows = (&'static TableDef, Part, RecordBatch);

impl Minutes {
    /// Takes in a row group of a table, and gives one by minute where enough came together.
    fn add(
        &mut self,
        base: &TableDef,
        part: Part,
        rows: &RecordBatch,
        stamps: &Stamps,
    ) -> Result<Option<PartRows>, String> {
        let Some(rollup) = rollup::of(base.name) else { return Ok(None) };
        let part = (rollup.def.name, part.1);
        let new = || (rollup.def, Rolling::by_the_minute(rollup));
        let (def, rolling) = self.0.entry(part).or_insert_with(new);
        rolling.push(rows)?;
        if !rolling.is_full() {
            return Ok(None);
        }
        Ok(rolling.take(false, stamps)?.map(|rows| (*def, part, rows)))
    }

    fn rest(self, stamps: &Stamps) -> Result<Vec<PartRows>, String> {
        let mut rest = Vec::new();
        for (part, (def, mut rolling)) in self.0 {
            rest.extend(rolling.take(true, stamps)?.map(|rows| (def, part, rows)));
        }
        Ok(rest)
    }
}

/// The folder of a table's day.
pub(in crate::kept) fn day_folder(archive: &Path, part: Part) -> PathBuf {
    archive.join(format!("table={}", part.0)).join(format!("date={}", date(part.1)))
}

/// A file that is being written beside its place.
pub(in crate::kept) struct Unfinished {
    writer: TableWriter,
    file: Places,
}

/// Where a file is written, and where it belongs. One that is given up is removed: on a full disk
/// it would take the room that the journal needs.
pub(in crate::kept) struct Places {
    beside: PathBuf,
    place: PathBuf,
    is_put: bool,
}

impl Places {
    /// Puts the file into its place, and says which that is.
    pub(in crate::kept) fn put(mut self) -> Result<PathBuf, StoreError> {
        fs::rename(&self.beside, &self.place).map_err(StoreError::io(&self.place))?;
        self.is_put = true;
        Ok(std::mem::take(&mut self.place))
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        if !self.is_put {
            // What stays is written over by the next try.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

impl Unfinished {
    pub(in crate::kept) fn begin(
        folder: &Path,
        name: &str,
        writer: impl FnOnce(File) -> Result<TableWriter, parquet::errors::ParquetError>,
    ) -> Result<Unfinished, StoreError> {
        durable::make_folder(folder).map_err(StoreError::io(folder))?;
        let place = folder.join(name);
        let beside = folder.join(format!(".{name}.new"));
        let file = durable::make_file(&beside).map_err(StoreError::io(&beside))?;
        let places = Places { beside, place, is_put: false };
        let writer = writer(file).map_err(|error| StoreError::corrupt(&places.beside)(error.to_string()))?;
        Ok(Unfinished { writer, file: places })
    }

    /// Writes a row group.
    pub(in crate::kept) fn write(&mut self, rows: &RecordBatch) -> Result<(), StoreError> {
        self.writer.write(rows).map_err(StoreError::corrupt(&self.file.beside))
    }

    /// Writes a row group, whose columns are asked for one after the other, by their position.
    pub(in crate::kept) fn write_columns(
        &mut self,
        column: &mut dyn FnMut(usize) -> Result<ArrayRef, String>,
    ) -> Result<(), StoreError> {
        self.writer.write_columns(column).map_err(StoreError::corrupt(&self.file.beside))
    }

    pub(in crate::kept) fn finish(self, gaps: &[Gap]) -> Result<Places, StoreError> {
        let told: Vec<String> =
            gaps.iter().map(|gap| format!("[{},{},{}]", gap.after_ms, gap.until_ms, gap.samples)).collect();
        let told = (!gaps.is_empty()).then(|| said("gaps", format!("[{}]", told.join(","))));
        let file = self.writer.finish(told).map_err(StoreError::corrupt(&self.file.beside))?;
        file.sync_all().map_err(StoreError::io(&self.file.beside))?;
        Ok(self.file)
    }
}
