//! What the files of a segment are called: after the host and the time of its beginning.

use std::fmt;

use super::header::SegmentHeader;
use crate::date::{DAY_MS, day_of_date};

/// Ends the name of a journal.
const JOURNAL: &str = ".journal";
/// Ends the name of one that is kept though it was sealed, as far as it could be.
const DAMAGED: &str = ".damaged";
/// Ends the name of what it is sealed into.
const PARQUET: &str = ".parquet";
/// Stands in the place of the beginning in the name of a whole day, which its date follows.
const DAY: &str = "day";

/// A segment's name, the same for its journal and for the files that it is sealed into:
/// host, time of its beginning in milliseconds UTC, and eight digits that tell it from another
/// that began at the same time of a clock that was set back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentName(String);

impl SegmentName {
    /// The name of a segment. What a host's name may hold and a file's should not is replaced
    /// by `_`.
    pub fn of(header: &SegmentHeader) -> SegmentName {
        let mut which = header.boot_id.as_bytes().to_vec();
        which.extend_from_slice(&header.monotonic_ns.to_le_bytes());
        let (host, begun_ms) = (SegmentName::host_in_names(&header.host), header.realtime_ms.max(0));
        SegmentName(format!("{host}-{begun_ms:013}-{:08x}", crc32fast::hash(&which)))
    }

    /// A host's name as it stands in names of segments.
    pub fn host_in_names(host: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let host: String = host.chars().take(64).map(plain).collect();
        host.trim_start_matches('.').to_owned()
    }

    /// The host, as it stands in the name.
    pub fn host(&self) -> &str {
        self.0.rsplitn(3, '-').nth(2).unwrap_or_default()
    }

    /// The name of the segment whose journal a file is; none where it is another file.
    pub fn of_journal(file: &str) -> Option<SegmentName> {
        SegmentName::before(file, JOURNAL)
    }

    /// The name of the segment that a sealed file is of; none where it is another file.
    pub fn of_parquet(file: &str) -> Option<SegmentName> {
        SegmentName::before(file, PARQUET)
    }

    /// The name of the segment of which a damaged journal was kept; none for another file.
    pub fn of_damaged(file: &str) -> Option<SegmentName> {
        SegmentName::before(file, DAMAGED)
    }

    /// The name of a host's day that was made of segments: `<host>-day-<YYYYMMDD>`.
    pub(crate) fn of_day(host: &str, date: &str) -> SegmentName {
        SegmentName(format!("{host}-{DAY}-{}", date.replace('-', "")))
    }

    /// The date of a day's name, `YYYYMMDD`; none where it is a segment's.
    pub(crate) fn day(&self) -> Option<&str> {
        let mut parts = self.0.rsplitn(3, '-');
        let date = parts.next()?;
        (parts.next() == Some(DAY)).then_some(date)
    }

    /// When it began, milliseconds UTC.
    pub fn begun_ms(&self) -> i64 {
        match self.day() {
            Some(date) => day_of_date(date).map_or(0, |day| day * DAY_MS),
            None => self.0.rsplit('-').nth(1).and_then(|begun| begun.parse().ok()).unwrap_or(0),
        }
    }

    /// When it was all over, milliseconds UTC, as far as the name tells: a day's end, a segment's
    /// beginning.
    pub fn over_ms(&self) -> i64 {
        self.begun_ms() + self.day().map_or(0, |_| DAY_MS)
    }

    fn before(file: &str, suffix: &str) -> Option<SegmentName> {
        let name = file.strip_suffix(suffix).filter(|name| !name.starts_with('.'))?;
        let mut parts = name.rsplitn(3, '-');
        let (which, begun, _host) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let day = begun == DAY && digits(which) && suffix == PARQUET;
        let ours = which.len() == 8
            && which.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (day || (begun.len() >= 13 && digits(begun)));
        ours.then(|| SegmentName(name.to_owned()))
    }

    /// File name of its journal.
    pub fn journal(&self) -> String {
        format!("{}{JOURNAL}", self.0)
    }

    /// File name of each table's file that it is sealed into.
    pub fn parquet(&self) -> String {
        format!("{}{PARQUET}", self.0)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(host: &str, realtime_ms: i64) -> SegmentHeader {
        SegmentHeader { host: host.into(), boot_id: "8f6c".into(), realtime_ms, monotonic_ns: 5 }
    }

    #[test]
    fn names_are_safe_and_come_back() {
        let name = SegmentName::of(&header("db1.example", 1_763_700_000_000));
        assert!(name.journal().starts_with("db1.example-1763700000000-"), "{name}");
        assert_eq!(SegmentName::of_journal(&name.journal()), Some(name.clone()));
        assert_eq!(SegmentName::of_parquet(&name.parquet()), Some(name.clone()));
        assert_eq!(name.begun_ms(), 1_763_700_000_000);
        assert_eq!(SegmentName::of(&header("web-1", 5)).host(), "web-1");
        let hostile = SegmentName::of(&header("../a b\u{1b}/=x", -5));
        assert!(hostile.journal().starts_with("_a_b___x-0000000000000-"), "{hostile}");
        let good = "db1-1763700000000-0123abcd";
        assert!(SegmentName::of_journal(&format!("{good}.journal")).is_some());
        for other in ["x.journal", "db1-1763700000000.journal", "db1-17637000000x0-0123abcd.journal"] {
            assert_eq!(SegmentName::of_journal(other), None, "{other}");
        }
        assert_eq!(SegmentName::of_journal(&format!(".{good}.journal")), None);
        assert_eq!(SegmentName::of_journal(&format!("{good}.parquet")), None);
    }

    #[test]
    fn a_day_has_a_name_too() {
        let name = SegmentName::of_day("web-1", "2025-11-21");
        assert_eq!(name.parquet(), "web-1-day-20251121.parquet");
        assert_eq!(SegmentName::of_parquet(&name.parquet()), Some(name.clone()));
        assert_eq!((name.begun_ms(), name.over_ms()), (1_763_683_200_000, 1_763_769_600_000));
        assert_eq!(name.day(), Some("20251121"));
        assert_eq!(SegmentName::of_journal("web-1-day-20251121.journal"), None);
        assert_eq!(SegmentName::of(&header("day", 5)).day(), None);
    }

    #[test]
    fn a_clock_that_was_set_back_leads_to_another_name() {
        let first = header("db1", 1_763_700_000_000);
        let later = SegmentHeader { monotonic_ns: 3_600_000_000_005, ..first.clone() };
        let after_boot = SegmentHeader { boot_id: "77aa".into(), ..first.clone() };
        assert_ne!(SegmentName::of(&first), SegmentName::of(&later));
        assert_ne!(SegmentName::of(&first), SegmentName::of(&after_boot));
    }
}
