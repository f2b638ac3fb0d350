//! The last window of an archive that is written to, again and again: what was read is kept, and of journals only what
//! came since is read. It is the same capture as [`ArchiveFolder::capture`] gives of that window.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use heldup_model::{Capture, Flaw, Span, TableDef, rollup, tables};

use super::capture::{COVERS_MS, HOLDS_MS, SourceTables, Tables, capture_of, holds};
use super::folder::{ArchiveFolder, ArchiveWindow, flaw, list};
use super::one_row_each::last_reading;
use super::sealed_rows::{last_time, within};
use crate::date::{date, day_of};
use crate::journal::{JournalReader, SegmentName};
use crate::store::StoreError;

const DAY_MS: i64 = 24 * 3_600_000;

/// What a batch of a table becomes when it is read.
pub type Arrival<'a> = dyn Fn(&str, RecordBatch) -> RecordBatch + 'a;

/// Between two looks for what is not kept any more.
const RETAINED_MS: i64 = 60_000;

/// Follows an archive.
pub struct Following {
    folder: ArchiveFolder,
    /// Length of the longest window.
    length_ms: i64,
    sources: Vec<SourceTables>,
    kept: Option<Kept>,
}

/// What was read.
struct Kept {
    /// All that the archive has.
    all: Span,
    /// When its beginning was looked for.
    looked_ms: i64,
    /// Rows after this are in `tables`.
    since_ms: i64,
    tables: Tables,
    /// Of tables that hold until they are read again the last reading until then.
    earlier: Tables,
    /// Journals that are read on.
    journals: Vec<(SegmentName, JournalReader)>,
    /// Segments whose rows are known.
    segments: BTreeSet<SegmentName>,
    /// What is wrong with what was read at the beginning, and with what was read last.
    flaws: Vec<Flaw>,
    last_flaws: Vec<Flaw>,
}

impl Following {
    /// Begins with nothing read. Windows are so long at most.
    pub fn new(folder: ArchiveFolder, length_ms: i64, sources: Vec<SourceTables>) -> Following {
        Following { folder, length_ms, sources, kept: None }
    }

    /// Length of the longest window.
    pub fn length_ms(&self) -> i64 {
        self.length_ms
    }

    /// Reads what came since, and says what there is by now; none where nothing was recorded. `arrival` is asked of each
    /// batch once.
    pub fn read(&mut self, arrival: &Arrival<'_>) -> Result<Option<Span>, StoreError> {
        let is_known = match &mut self.kept {
            Some(kept) => kept.read_on(&self.folder, arrival)?,
            None => false,
        };
        if !is_known {
            self.kept = Kept::begin(&self.folder, self.length_ms, &self.sources, arrival)?;
        }
        let Some(kept) = &mut self.kept else { return Ok(None) };
        let since_ms = kept.window(self.length_ms).since_ms;
        kept.forget_until(since_ms, &self.sources).map_err(StoreError::corrupt(self.folder.root()))?;
        Ok(self.all())
    }

    /// All that there is, as far as was read.
    pub fn all(&self) -> Option<Span> {
        let all = self.kept.as_ref()?.all;
        Some(Span { since_ms: all.since_ms - 1, ..all })
    }

    /// The capture of the last window of what was read; none where nothing was recorded.
    pub fn capture(&self) -> Result<Option<Capture>, StoreError> {
        let Some(kept) = &self.kept else { return Ok(None) };
        let root = self.folder.root();
        let asked = kept.window(self.length_ms);
        let window = Span { since_ms: asked.since_ms + 1, until_ms: asked.until_ms + COVERS_MS };
        let read = ArchiveWindow {
            tables: cut(&kept.tables, window).map_err(StoreError::corrupt(root))?,
            gaps: Vec::new(),
            flaws: kept.flaws.iter().chain(&kept.last_flaws).cloned().collect(),
        };
        let earlier = |wanted: &dyn Fn(&TableDef) -> bool| {
            let is_wanted = |name: &String| tables::find(name).is_some_and(wanted);
            let earlier = kept.earlier.iter().filter(|(name, _)| is_wanted(name));
            Ok(earlier.map(|(name, batches)| (name.clone(), batches.clone())).collect())
        };
        capture_of(root, read, asked, &self.sources, &earlier)
    }
}

impl Kept {
    /// Reads the last window as a whole; none where nothing was recorded.
    fn begin(
        folder: &ArchiveFolder,
        length_ms: i64,
        sources: &[SourceTables],
        arrival: &Arrival<'_>,
    ) -> Result<Option<Kept>, StoreError> {
        let spans = folder.stretches()?.into_iter().map(|stretch| stretch.span);
        let both = |a: Span, b: Span| Span {
            since_ms: a.since_ms.min(b.since_ms),
            until_ms: a.until_ms.max(b.until_ms),
        };
        let Some(all) = spans.reduce(both) else { return Ok(None) };
        let since_ms = (all.since_ms - 1).max(all.until_ms - length_ms);
        let mut kept = Kept {
            all,
            looked_ms: all.until_ms,
            since_ms,
            tables: Tables::new(),
            earlier: folder.earlier(since_ms, &|def| holds(def, sources))?,
            journals: Vec::new(),
            segments: BTreeSet::new(),
            flaws: Vec::new(),
            last_flaws: Vec::new(),
        };
        // Journals first, as in `ArchiveFolder::columns`.
        kept.journals = folder.open_journals(&mut kept.flaws)?;
        let unsealed = kept.journals.iter().map(|(name, _)| name.clone()).collect();
        kept.segments = sealed_segments(folder, all)?;
        kept.segments.extend(kept.journals.iter().map(|(name, _)| name.clone()));
        let span = Span { since_ms: since_ms + 1, until_ms: all.until_ms + DAY_MS };
        for def in tables::ALL.iter().filter(|def| !rollup::is_made(def.name)) {
            let batches = folder.sealed(def, span, &|_| true, None, &unsealed, &mut kept.flaws)?;
            kept.add(def.name, batches, arrival);
        }
        kept.read_journals(folder, Some(span), arrival)?;
        kept.flaws.append(&mut kept.last_flaws);
        for batches in kept.earlier.iter_mut() {
            let (table, batches) = batches;
            *batches = batches.drain(..).map(|batch| arrival(table, batch)).collect();
        }
        kept.note_end();
        Ok(Some(kept))
    }

    /// Reads what was written meanwhile. False where that cannot be known: a segment came and was sealed in between.
    fn read_on(&mut self, folder: &ArchiveFolder, arrival: &Arrival<'_>) -> Result<bool, StoreError> {
        self.last_flaws.clear();
        // What is gone from the list was closed before, and is read to its end once more below.
        let listed = list(&folder.journals())?;
        let names = listed.iter().filter_map(|file| SegmentName::of_journal(file));
        let listed: BTreeSet<SegmentName> = names.filter(|name| folder.has(name)).collect();
        if !listed.is_subset(&self.segments) {
            for (name, journal) in folder.open_journals(&mut self.last_flaws)? {
                if self.segments.insert(name.clone()) {
                    self.journals.push((name, journal));
                }
            }
            self.journals.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        self.read_journals(folder, None, arrival)?;
        self.note_end();
        self.journals.retain(|(name, _)| listed.contains(name));
        if self.all.until_ms - self.looked_ms >= RETAINED_MS {
            self.looked_ms = self.all.until_ms;
            self.all.since_ms =
                folder.first_ms()?.map_or(self.all.since_ms, |first_ms| first_ms.max(self.all.since_ms));
        }
        Ok(sealed_segments(folder, self.all)?.is_subset(&self.segments))
    }

    /// Reads journals from where they were read until.
    fn read_journals(
        &mut self,
        folder: &ArchiveFolder,
        span: Option<Span>,
        arrival: &Arrival<'_>,
    ) -> Result<(), StoreError> {
        let mut journals = std::mem::take(&mut self.journals);
        for (name, journal) in &mut journals {
            match journal.tables(&|_| true, span) {
                Ok(read) => {
                    for (table, new) in read {
                        self.add(&table, new, arrival);
                    }
                }
                Err(error) => self.last_flaws.push(flaw(&folder.journals().join(name.journal()), error)),
            }
        }
        self.journals = journals;
        Ok(())
    }

    /// Keeps rows that were read.
    fn add(&mut self, table: &str, batches: Vec<RecordBatch>, arrival: &Arrival<'_>) {
        if batches.is_empty() {
            return;
        }
        let known = self.tables.entry(table.to_owned()).or_default();
        known.extend(batches.into_iter().map(|batch| arrival(table, batch)));
    }

    /// The window of so many milliseconds at the end.
    fn window(&self, length_ms: i64) -> Span {
        let until_ms = self.all.until_ms;
        Span { since_ms: (self.all.since_ms - 1).max(until_ms - length_ms), until_ms }
    }

    fn note_end(&mut self) {
        let last = self.journals.iter().filter_map(|(_, journal)| journal.last_ms()).max();
        self.all.until_ms = last.map_or(self.all.until_ms, |last_ms| last_ms.max(self.all.until_ms));
    }

    /// Drops rows until a time. What holds until it is read again is kept as what was before.
    fn forget_until(&mut self, since_ms: i64, sources: &[SourceTables]) -> Result<(), String> {
        let gone = Span { since_ms: i64::MIN, until_ms: since_ms };
        let stays = Span { since_ms: since_ms + 1, until_ms: i64::MAX };
        for (name, batches) in &mut self.tables {
            let is_kept = tables::find(name).is_some_and(|def| holds(def, sources));
            let mut left = Vec::with_capacity(batches.len());
            let mut before = Vec::new();
            for batch in batches.drain(..) {
                let rest = within(&batch, stays)?;
                if is_kept && rest.num_rows() < batch.num_rows() {
                    before.push(within(&batch, gone)?);
                }
                left.push(rest);
            }
            left.retain(|batch| batch.num_rows() > 0);
            *batches = left;
            if let Some(last_ms) = before.iter().filter_map(last_time).max() {
                let known = self.earlier.entry(name.clone()).or_default();
                let last_ms = known.iter().filter_map(last_time).fold(last_ms, i64::max);
                known.append(&mut before);
                *known = last_reading(known, last_ms)?;
            }
        }
        self.tables.retain(|_, batches| !batches.is_empty());
        let is_old = |batches: &Vec<RecordBatch>| {
            batches.iter().filter_map(last_time).max().is_none_or(|last_ms| last_ms < since_ms - HOLDS_MS)
        };
        self.earlier.retain(|_, batches| !is_old(batches));
        self.since_ms = since_ms;
        Ok(())
    }
}

/// Segments that are sealed, by one table that every segment has, of the days of a time's end and of what comes.
fn sealed_segments(folder: &ArchiveFolder, all: Span) -> Result<BTreeSet<SegmentName>, StoreError> {
    let mut segments = BTreeSet::new();
    let first = date(day_of(all.until_ms - DAY_MS / 2));
    for table in super::recorded::OF_EVERY_SAMPLE {
        let place = folder.root().join(format!("table={table}"));
        for day in list(&place)? {
            if day.strip_prefix("date=").is_none_or(|day| day < first.as_str()) {
                continue;
            }
            let names = list(&place.join(day))?;
            let names = names.iter().filter_map(|file| SegmentName::of_parquet(file));
            segments.extend(names.filter(|name| folder.has(name) && name.day().is_none()));
        }
        if !segments.is_empty() {
            break;
        }
    }
    Ok(segments)
}

fn cut(of: &Tables, span: Span) -> Result<Tables, String> {
    let mut tables = Tables::new();
    for (name, batches) in of {
        let inside = batches.iter().map(|batch| within(batch, span)).collect::<Result<Vec<_>, _>>()?;
        tables.insert(name.clone(), inside);
    }
    Ok(tables)
}
