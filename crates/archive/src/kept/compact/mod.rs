//! Days that are over: the files of their segments become one a table, and coarser with age.

pub(in crate::kept) mod day_file;
pub(in crate::kept) mod joined_groups;
pub(in crate::kept) mod source_file;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use heldup_model::{Flaw, tables};

use crate::date::{DAY_MS, day_of_date};
use crate::journal::SegmentName;
use crate::kept::JOURNALS;
use crate::kept::SealStep;
use crate::kept::read::folder::{flaw, list};
use crate::store::StoreError;
use day_file::{Before, HostDay};

/// Time in which a journal of a day may still be on its way to be sealed.
const SEALED_WITHIN_MS: i64 = 3 * 3_600_000;
const TEN_SECONDS_MS: i64 = 10_000;
const MINUTE_MS: i64 = 60_000;

/// When rows become coarser, by the age of the end of their day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiers {
    /// A row for ten seconds.
    pub ten_seconds_after: Duration,
    /// A row for a minute.
    pub minutes_after: Duration,
}

impl Default for Tiers {
    /// Two days, and two weeks.
    fn default() -> Tiers {
        let days = |days: u64| Duration::from_secs(days * 86_400);
        Tiers { ten_seconds_after: days(2), minutes_after: days(14) }
    }
}

impl Tiers {
    /// Rows are never made coarser.
    pub const NEVER: Tiers = Tiers { ten_seconds_after: Duration::MAX, minutes_after: Duration::MAX };

    /// The least time that a row of a day stands for; 0 for those that were recorded.
    fn step_ms(self, age_ms: i64) -> i64 {
        let over = |age: Duration| u128::try_from(age_ms).is_ok_and(|age_ms| age_ms >= age.as_millis());
        match (over(self.minutes_after), over(self.ten_seconds_after)) {
            (true, _) => MINUTE_MS,
            (false, true) => TEN_SECONDS_MS,
            (false, false) => 0,
        }
    }
}

/// Puts together the files of each day that is over at a time in milliseconds UTC, and makes those
/// coarser that are old enough. Returns how many files were made, and what went wrong with others.
///
/// Where somebody else does so already, it is left to them.
pub fn compact(archive: &Path, tiers: Tiers, now_ms: i64) -> Result<(usize, Vec<Flaw>), StoreError> {
    compact_with(archive, tiers, now_ms, &mut |_| Ok(()))
}

/// The same; `before` is called before each step, and where it fails all ends there and then, as if
/// the machine had stopped. It can be done again.
pub fn compact_with(
    archive: &Path,
    tiers: Tiers,
    now_ms: i64,
    before: &mut dyn FnMut(SealStep) -> io::Result<()>,
) -> Result<(usize, Vec<Flaw>), StoreError> {
    let (mut made, mut flaws) = (0, Vec::new());
    let stopped = Cell::new(false);
    let mut before = |step| before(step).inspect_err(|_| stopped.set(true));
    let Some(_lock) = lock(archive) else { return Ok((made, flaws)) };
    for table in list(archive)? {
        let Some(def) = table.strip_prefix("table=").and_then(tables::find) else { continue };
        let table = archive.join(&table);
        for date in list(&table)? {
            let Some(day) = date.strip_prefix("date=").and_then(day_of_date) else { continue };
            let age_ms = now_ms - (day + 1) * DAY_MS;
            if age_ms < 0 {
                continue;
            }
            let folder = table.join(&date);
            for (day, files) in host_days(archive, &folder, &date, age_ms)? {
                let day = HostDay { def, folder: &folder, day, files };
                match day.make(tiers.step_ms(age_ms), &mut before as &mut Before) {
                    Ok(done) => made += usize::from(done),
                    Err(error) => flaws.push(flaw(&folder, error)),
                }
                if stopped.get() {
                    return Err(StoreError::io(&folder)(io::Error::other("stopped")));
                }
            }
        }
    }
    Ok((made, flaws))
}

/// Of several that do maintenance in a folder, only one does at a time.
fn lock(archive: &Path) -> Option<File> {
    let folder = File::open(archive).ok()?;
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => None,
        // A file system without locks.
        Ok(()) | Err(TryLockError::Error(_)) => Some(folder),
    }
}

/// The files of a day by host, under the day's name; none where a journal may still bring more.
fn host_days(
    archive: &Path,
    folder: &Path,
    date: &str,
    age_ms: i64,
) -> Result<BTreeMap<SegmentName, BTreeSet<SegmentName>>, StoreError> {
    let date = date.strip_prefix("date=").unwrap_or(date);
    let mut days: BTreeMap<SegmentName, BTreeSet<SegmentName>> = BTreeMap::new();
    for name in list(folder)?.iter().filter_map(|file| SegmentName::of_parquet(file)) {
        days.entry(SegmentName::of_day(name.host(), date)).or_default().insert(name);
    }
    // Journals after files: one that is not there now was removed when its files were complete.
    let journals = list(&archive.join(JOURNALS))?;
    let journals: BTreeSet<SegmentName> =
        journals.iter().filter_map(|file| SegmentName::of_journal(file)).collect();
    let open = |day: &SegmentName| {
        let of_it = |name: &SegmentName| name.host() == day.host() && name.begun_ms() < day.over_ms();
        age_ms < SEALED_WITHIN_MS && journals.iter().any(of_it)
    };
    days.retain(|day, _| !open(day));
    for (day, files) in &mut days {
        files.retain(|name| name == day || !journals.contains(name));
    }
    Ok(days)
}
