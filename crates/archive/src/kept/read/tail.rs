//! What is written to an archive since somebody looked last: of its journals only new frames are read.
//!
//! Who draws a machine every second would else read an hour's journal every second.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use heldup_model::tables::TaskTimeRow;
use heldup_model::{Record, Span};

use super::folder::list;
use crate::journal::{JournalReader, SegmentName, TableRows};
use crate::kept::ArchiveFolder;
use crate::kept::seal::by_class::ClassTimes;
use crate::store::StoreError;

/// Rows of the ledger that are added up at a time.
const BATCH_ROWS: usize = 1 << 16;

/// The journal that is written to.
pub struct NewestRows {
    folder: ArchiveFolder,
    open: Option<(SegmentName, JournalReader)>,
}

impl NewestRows {
    /// Of an archive; nothing is read yet.
    pub fn of(folder: ArchiveFolder) -> NewestRows {
        NewestRows { folder, open: None }
    }

    /// The rows of some tables that were written since the last call; at first those from a time on. The tables are to be
    /// the same in every call. None where there is no journal.
    pub fn read(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
        since_ms: i64,
    ) -> Result<Option<BTreeMap<String, Vec<RecordBatch>>>, StoreError> {
        let Some(newest) = journals(&self.folder)?.pop() else {
            self.open = None;
            return Ok(None);
        };
        match &mut self.open {
            Some((name, journal)) if *name == newest => journal.tables(wanted, None).map(Some),
            open => {
                let path = self.folder.journals().join(newest.journal());
                let mut journal = match JournalReader::open(&path) {
                    Ok(journal) => journal,
                    // One that begins right now has no header yet.
                    Err(StoreError::Corrupt { .. })
                        if JournalReader::is_cut_short(&path).unwrap_or(false) =>
                    {
                        return Ok(Some(BTreeMap::new()));
                    }
                    Err(error) => return Err(error),
                };
                let rows = journal.tables(wanted, Some(Span { since_ms, until_ms: i64::MAX }));
                *open = Some((newest, journal));
                rows.map(Some)
            }
        }
    }
}

/// The classes of time in all journals, so that a long time can be drawn to its end without the ledger's rows.
pub struct UnsealedClasses {
    folder: ArchiveFolder,
    journals: Vec<Classes>,
}

struct Classes {
    name: SegmentName,
    journal: JournalReader,
    rows: Vec<RecordBatch>,
}

impl UnsealedClasses {
    /// Of an archive; nothing is read yet.
    pub fn of(folder: ArchiveFolder) -> UnsealedClasses {
        UnsealedClasses { folder, journals: Vec::new() }
    }

    /// Rows of `class_time`, and the names of the journals that they are of: what is sealed has them in files.
    pub fn read(&mut self) -> Result<(Vec<RecordBatch>, Vec<SegmentName>), StoreError> {
        let names = journals(&self.folder)?;
        self.journals.retain(|known| names.contains(&known.name));
        for name in &names {
            if !self.journals.iter().any(|known| known.name == *name) {
                // One that was sealed meanwhile, or that begins right now, is there the next time.
                let Ok(journal) = JournalReader::open(&self.folder.journals().join(name.journal())) else {
                    continue;
                };
                self.journals.push(Classes { name: name.clone(), journal, rows: Vec::new() });
            }
        }
        for one in &mut self.journals {
            one.read_on()?;
        }
        let rows = self.journals.iter().flat_map(|one| one.rows.iter().cloned()).collect();
        Ok((rows, self.journals.iter().map(|one| one.name.clone()).collect()))
    }
}

impl Classes {
    fn read_on(&mut self) -> Result<(), StoreError> {
        let ledger = TaskTimeRow::DEF;
        let (mut rows, mut classes) = (TableRows::new(ledger), ClassTimes::default());
        let mut is_new = false;
        while let Some(sample) = self.journal.next_sample(&|table| table == ledger.name)? {
            self.journal.fresh_rows(&mut |def, push| {
                if def.name == ledger.name {
                    push(&mut rows, sample.time_ms);
                }
            });
            if rows.len() >= BATCH_ROWS {
                classes.add(&self.journal.batch(&mut rows)?);
            }
            is_new = true;
        }
        if !is_new {
            return Ok(());
        }
        if rows.len() > 0 {
            classes.add(&self.journal.batch(&mut rows)?);
        }
        let made = classes.take().map_err(StoreError::corrupt(self.journal.path()))?;
        self.rows.extend(made);
        Ok(())
    }
}

/// Names of the journals of an archive's host, the oldest first.
fn journals(folder: &ArchiveFolder) -> Result<Vec<SegmentName>, StoreError> {
    let files = list(&folder.journals())?;
    let mut names: Vec<SegmentName> = files
        .iter()
        .filter_map(|file| SegmentName::of_journal(file))
        .filter(|name| folder.has(name))
        .collect();
    names.sort_by_key(SegmentName::begun_ms);
    Ok(names)
}
