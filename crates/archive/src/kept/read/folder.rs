//! An archive's folder, read: sealed files and journals as the tables of a window.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow_array::RecordBatch;
use heldup_model::{Flaw, Span, TableDef, rollup, tables};

use super::sealed_rows::{self, last_time, within};
use super::unsealed;
use super::visible;
use crate::date::{date, day_of};
use crate::journal::{Gap, JournalReader, SegmentName};
use crate::kept::JOURNALS;
use crate::kept::seal::{Sealed, seal};
use crate::store::StoreError;

/// A folder that a recorder fills.
#[derive(Clone, Debug)]
pub struct ArchiveFolder {
    root: PathBuf,
    /// The only host whose files count, as file names have it.
    host: Option<String>,
}

/// The rows of a window.
#[derive(Clone, Debug, Default)]
pub struct ArchiveWindow {
    /// Batches by table, as [`heldup_model::Capture`] has them. Those of sealed files are sorted
    /// by entity, then time; those of journals by time.
    pub tables: BTreeMap<String, Vec<RecordBatch>>,
    /// Samples of journals that were taken and are not there.
    pub gaps: Vec<Gap>,
    /// What could not be read; the rest was.
    pub flaws: Vec<Flaw>,
}

impl ArchiveFolder {
    /// The archive in a folder. Whether there is one shows when it is read.
    pub fn at(root: impl Into<PathBuf>) -> ArchiveFolder {
        ArchiveFolder { root: root.into(), host: None }
    }

    /// The same archive with the files of one host only.
    pub fn of_host(self, host: &str) -> ArchiveFolder {
        ArchiveFolder { host: Some(SegmentName::host_in_names(host)), ..self }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a recorder has written here.
    pub fn is_there(&self) -> bool {
        self.journals().is_dir()
            || list(&self.root).is_ok_and(|names| names.iter().any(|name| table_of(name).is_some()))
    }

    /// Whether the files of a segment count.
    pub(in crate::kept) fn has(&self, name: &SegmentName) -> bool {
        self.host.as_deref().is_none_or(|host| host == name.host())
    }

    /// Where a recorder writes its journals.
    pub fn journals(&self) -> PathBuf {
        self.root.join(JOURNALS)
    }

    /// From when on rows may be in journals, by their names; none where all is sealed.
    pub fn unsealed_since_ms(&self) -> Result<Option<i64>, StoreError> {
        let names = list(&self.journals())?;
        let journals = names.iter().filter_map(|file| SegmentName::of_journal(file));
        Ok(journals.filter(|name| self.has(name)).map(|name| name.begun_ms()).min())
    }

    /// Seals every journal that nobody writes to; what went wrong with others is said.
    pub fn seal_closed(&self) -> Result<(Vec<Sealed>, Vec<Flaw>), StoreError> {
        let (mut sealed, mut flaws) = (Vec::new(), Vec::new());
        for file in list(&self.journals())? {
            if SegmentName::of_journal(&file).is_none() {
                continue;
            }
            let path = self.journals().join(&file);
            match seal(&path, &self.root) {
                Ok(done) => sealed.push(done),
                Err(StoreError::Io { source, .. })
                    if matches!(source.kind(), ErrorKind::WouldBlock | ErrorKind::NotFound) => {}
                Err(error) => flaws.push(flaw(&path, error)),
            }
        }
        Ok((sealed, flaws))
    }

    /// The rows of a window, both ends included, of the tables that are wanted. Damaged files are
    /// named in the flaws. Only a folder that cannot be listed is an error.
    pub fn window(&self, span: Span, wanted: &dyn Fn(&str) -> bool) -> Result<ArchiveWindow, StoreError> {
        self.asked_for(span, &|name| wanted(name) && !rollup::is_made(name))
    }

    /// As [`ArchiveFolder::window`], also of the tables that sealing makes of others.
    pub fn asked_for(&self, span: Span, wanted: &dyn Fn(&str) -> bool) -> Result<ArchiveWindow, StoreError> {
        self.columns(span, wanted, &|_, _| true)
    }

    /// As [`ArchiveFolder::asked_for`], of sealed files only the columns that are wanted of a table: the others
    /// are NULL in every row, and cost nothing.
    pub fn columns(
        &self,
        span: Span,
        wanted: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
    ) -> Result<ArchiveWindow, StoreError> {
        self.columns_of(span, wanted, column, None)
    }

    /// As [`ArchiveFolder::columns`], of tables with a column of integers only the rows that have a value in it.
    pub fn columns_of(
        &self,
        span: Span,
        wanted: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
        only: Option<(&str, i64)>,
    ) -> Result<ArchiveWindow, StoreError> {
        let mut window = ArchiveWindow::default();
        // Journals first: one that is open by then is read even if it is sealed and removed
        // meanwhile, and what it was sealed into is left out.
        let journals = self.open_journals(&mut window.flaws)?;
        let unsealed: HashSet<SegmentName> = journals.iter().map(|(name, _)| name.clone()).collect();
        let by_the_minute = rollup::all().iter().map(|rollup| rollup.def);
        for def in tables::ALL.iter().copied().chain(by_the_minute).filter(|def| wanted(def.name)) {
            let of_table = |name: &str| column(def.name, name);
            let batches = self.sealed(def, span, &of_table, only, &unsealed, &mut window.flaws)?;
            if !batches.is_empty() {
                window.tables.insert(def.name.to_owned(), batches);
            }
        }
        for (name, mut journal) in journals {
            match unsealed::tables(&mut journal, wanted, span, only) {
                Ok(tables) => {
                    for (table, batches) in tables {
                        window.tables.entry(table).or_default().extend(batches);
                    }
                }
                Err(error) => window.flaws.push(flaw(&self.journals().join(name.journal()), error)),
            }
            let inside = |gap: &&Gap| gap.after_ms < span.until_ms && gap.until_ms > span.since_ms;
            window.gaps.extend(journal.gaps().iter().filter(inside));
        }
        Ok(window)
    }

    /// The rows of one table in sealed files, as [`ArchiveFolder::columns`] has them, but for what some segments were
    /// sealed into.
    pub fn sealed_rows(
        &self,
        def: &'static TableDef,
        span: Span,
        without: &[SegmentName],
    ) -> Result<ArchiveWindow, StoreError> {
        let mut window = ArchiveWindow::default();
        let without: HashSet<SegmentName> = without.iter().cloned().collect();
        let rows = self.sealed(def, span, &|_| true, None, &without, &mut window.flaws)?;
        if !rows.is_empty() {
            window.tables.insert(def.name.to_owned(), rows);
        }
        Ok(window)
    }

    /// The last reading of a table at or before a time, if it is no older than `max_age`: for what
    /// is read rarely and holds until it is read again, as settings and mounts.
    pub fn last_reading(
        &self,
        table: &str,
        at_ms: i64,
        max_age: Duration,
    ) -> Result<ArchiveWindow, StoreError> {
        let age_ms = i64::try_from(max_age.as_millis()).unwrap_or(i64::MAX);
        let span = Span { since_ms: at_ms.saturating_sub(age_ms), until_ms: at_ms };
        let mut window = self.window(span, &|name| name == table)?;
        for batches in window.tables.values_mut() {
            let Some(last_ms) = batches.iter().filter_map(last_time).max() else { continue };
            let last = Span { since_ms: last_ms, until_ms: last_ms };
            let of_last = batches.iter().map(|batch| within(batch, last)).collect::<Result<Vec<_>, _>>();
            *batches = of_last.map_err(StoreError::corrupt(&self.root))?;
            batches.retain(|batch| batch.num_rows() > 0);
        }
        Ok(window)
    }

    /// Journals that are there, opened.
    pub(in crate::kept) fn open_journals(
        &self,
        flaws: &mut Vec<Flaw>,
    ) -> Result<Vec<(SegmentName, JournalReader)>, StoreError> {
        let mut journals = Vec::new();
        for file in list(&self.journals())? {
            let Some(name) = SegmentName::of_journal(&file).filter(|name| self.has(name)) else { continue };
            let path = self.journals().join(&file);
            match JournalReader::open(&path) {
                Ok(journal) => journals.push((name, journal)),
                // Sealed meanwhile.
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                // One that begins right now has no header yet, and no rows.
                Err(StoreError::Corrupt { .. }) if JournalReader::is_cut_short(&path).unwrap_or(false) => {}
                Err(error) => flaws.push(flaw(&path, error)),
            }
        }
        Ok(journals)
    }

    pub(super) fn sealed(
        &self,
        def: &'static TableDef,
        span: Span,
        column: &dyn Fn(&str) -> bool,
        only: Option<(&str, i64)>,
        unsealed: &HashSet<SegmentName>,
        flaws: &mut Vec<Flaw>,
    ) -> Result<Vec<RecordBatch>, StoreError> {
        let table = self.root.join(format!("table={}", def.name));
        let (first, last) = (date(day_of(span.since_ms)), date(day_of(span.until_ms)));
        let mut files = Vec::new();
        for folder in list(&table)? {
            let Some(day) = folder.strip_prefix("date=") else { continue };
            if day < first.as_str() || day > last.as_str() {
                continue;
            }
            let counts = |name: &SegmentName| self.has(name) && !unsealed.contains(name);
            files.extend(visible::files(&table.join(&folder), &counts, flaws)?);
        }
        Ok(sealed_rows::read(def, files, span, column, only, flaws))
    }
}

pub(in crate::kept) fn flaw(path: &Path, error: StoreError) -> Flaw {
    let what = match error {
        StoreError::Io { source, .. } => source.to_string(),
        StoreError::Corrupt { what, .. } => what,
    };
    Flaw { place: path.display().to_string(), what }
}

/// The table whose sealed files a folder holds.
pub(in crate::kept) fn table_of(folder: &str) -> Option<&str> {
    folder.strip_prefix("table=")
}

/// Names in a folder, sorted; a folder that is not there has none.
pub(in crate::kept) fn list(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(folder)(error)),
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}
