//! The text of `sar` and `mpstat`: lines that begin with a time of day, in sections told by their
//! headings.
//!
//! A heading's time is that of the sample before its first row, so that every row has an interval.
//! `sar` prints all of a day section by section; each section keeps a clock of its own, which goes
//! over midnight when its times fall back by more than half a day. Rows of averages count where their
//! section has no other; what `-x` or a restart puts between is passed over.

use crate::document::first_line::{self, FirstLine};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::sar_disks;
use crate::sysstat::sar_rows::{Listing, section};
use crate::table::columns::Row;
use crate::table::sheets::When;
use crate::text::civil::{DAY_S, time_of_row, zone_of_row};
use crate::text::number::Cell;

const SAR: &str = "sar";
const MPSTAT: &str = "mpstat";
/// Below this a fall of the time of day is a clock that was set back, above it midnight.
const MIDNIGHT_FALL_S: i64 = DAY_S / 2;

/// Reads `sar` and `mpstat`.
#[derive(Default)]
pub struct Sar {
    /// Sections that were met below the banner, each with its clock.
    met: Vec<Met>,
    now: Option<usize>,
    cells: Row,
    banner_line: u64,
    format: Option<&'static str>,
    first: FirstLine,
    /// When the averages are of, where nothing but averages is there.
    averages: Option<When>,
}

/// A section's headings and how far it got.
struct Met {
    listing: Listing,
    day: i64,
    /// Second of the day of the last sample, and the one before, whose distance is the interval.
    last: Option<i64>,
    /// The machine was started anew since.
    is_anew: bool,
    secs: Option<f64>,
    samples: u64,
    /// Its rows are averages.
    is_averaged: bool,
    /// Day and second of the row that was counted last.
    told: Option<(i64, i64)>,
}

impl Importer for Sar {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(headings) = timed(line.words).map(|(_, headings)| headings).or_else(|| averages(line.words))
        else {
            return Ok(false);
        };
        if let Some(headings) = sar_disks::headings(headings) {
            return self.begins_without_heading(headings, line, document);
        }
        if !is_heading(headings) || section(headings).is_none() || is_of_unix(headings, document) {
            return Ok(false);
        }
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let (time, words) = match (timed(line.words), averages(line.words)) {
            (Some((seconds, words)), _) => (Some(seconds), words),
            (None, Some(words)) => (None, words),
            (None, None) => return Ok(false),
        };
        let has_numbers = words.iter().any(|word| is_number(word));
        if time.is_none()
            && !(self.now.is_some() && has_numbers || is_heading(words) && section(words).is_some())
        {
            return Ok(false);
        }
        if crate::sysstat::pidstat::is_heading(words) || is_of_unix(words, document) {
            return Ok(false);
        }
        if self.banner_line != document.facts.banner_line || self.format.is_none() {
            self.count(document);
            self.banner_line = document.facts.banner_line;
            let format = if is_mpstat(words) { MPSTAT } else { SAR };
            self.format = Some(format);
            document.begin(format);
        }
        if words.starts_with(&["LINUX", "RESTART"]) || words.first() == Some(&"COM") {
            self.restart(words, document);
            return Ok(true);
        }
        let Some(seconds) = time else {
            self.average(line, words, document)?;
            return Ok(true);
        };
        if is_heading(words) {
            self.heading(seconds, words, document);
            return Ok(true);
        }
        self.row(line, seconds, words, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.count(document);
        Ok(())
    }
}

impl Sar {
    /// Two rows of disks below each other, whose heading was left out.
    fn begins_without_heading(
        &mut self,
        headings: &[&str],
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(held) = self.first.before(line).filter(|_| document.system().is_none()) else {
            self.first.hold(line);
            return Ok(false);
        };
        self.count(document);
        self.banner_line = document.facts.banner_line;
        self.format = Some(SAR);
        document.begin(SAR);
        let day_s = document.base_day_s();
        self.now = Some(self.place_of(headings, day_s, document));
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    /// What stands below one banner is over: as many samples as its longest section has.
    fn count(&mut self, document: &mut Document) {
        let samples =
            self.met.iter().map(|met| met.samples.max(u64::from(met.is_averaged))).max().unwrap_or(0);
        if let Some(told) = self.format.and_then(|format| document.notes.told.get_mut(format)) {
            told.samples += samples;
        }
        self.met.clear();
        self.now = None;
        self.averages = None;
    }

    /// A row of averages, or the headings above it: read where the section has no samples. Over which time they are is unknown.
    fn average(
        &mut self,
        line: &Line<'_>,
        words: &[&str],
        document: &mut Document,
    ) -> Result<(), ImportError> {
        if is_heading(words) {
            // Without samples no day is needed.
            self.now = Some(self.place_of(words, 0, document));
            return Ok(());
        }
        let Some(met) = self.now.and_then(|at| self.met.get_mut(at)) else { return Ok(()) };
        if met.samples > 0 || met.listing.section.is_none() {
            return Ok(());
        }
        let format = self.format.unwrap_or(SAR);
        let when = *self.averages.get_or_insert_with(|| {
            document.note("averages only: of a time whose length is not recorded");
            let secs = document.interval_s(format);
            document.floating(Some(secs))
        });
        let cells = &mut self.cells;
        if met.reads(cells, line, words, document) {
            met.is_averaged = true;
            met.write(cells, words, when, document);
        }
        Ok(())
    }

    /// Where the section of these headings is.
    fn place_of(&mut self, words: &[&str], day_s: i64, document: &mut Document) -> usize {
        let is_it = |met: &Met| met.listing.headings.iter().map(String::as_str).eq(words.iter().copied());
        if let Some(at) = self.met.iter().position(is_it) {
            return at;
        }
        self.met.push(Met::of(Listing::of(words, self.format.unwrap_or(SAR), document), day_s));
        self.met.len() - 1
    }

    fn heading(&mut self, seconds: i64, words: &[&str], document: &mut Document) {
        let day_s = document.base_day_s();
        let at = self.place_of(words, day_s, document);
        self.now = Some(at);
        // The heading of the first screenful tells when the first interval began; that of a later one
        // repeats the time of the row above it, or, behind a restart, begins anew.
        if let Some(met) = self.met.get_mut(at) {
            if met.last.is_none() {
                met.day = day_s;
            }
            met.advance(seconds);
            met.secs = None;
            if met.listing.section.is_none() {
                document.pass_over();
            }
        }
    }

    /// A restart, or a comment: the interval that it falls into is not known.
    fn restart(&mut self, words: &[&str], document: &mut Document) {
        if words.contains(&"LINUX") {
            for met in &mut self.met {
                met.is_anew = true;
            }
            let cpus = words.iter().find_map(|word| word.strip_prefix('(')?.parse::<i64>().ok());
            if let (Some(cpus), Some(banner)) = (cpus, document.facts.banner.as_mut()) {
                banner.cpus = Some(cpus);
            }
            document.note_text("the machine was rebooted during the recording".to_owned());
        }
    }

    fn row(
        &mut self,
        line: &Line<'_>,
        seconds: i64,
        words: &[&str],
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(met) = self.now.and_then(|at| self.met.get_mut(at)) else { return Ok(false) };
        if met.listing.section.is_none() {
            document.pass_over();
            return Ok(true);
        }
        if !met.reads(&mut self.cells, line, words, document) {
            return Ok(true);
        }
        if met.last != Some(seconds) {
            met.advance(seconds);
        }
        if met.told != Some((met.day, seconds)) {
            met.told = Some((met.day, seconds));
            met.samples += 1;
        }
        if met.secs.is_none() {
            document.note(
                "a sample of unknown interval (since boot, or after a restart): its rates are not used",
            );
        }
        let ms = (met.day + seconds) * 1000;
        let when = When {
            ms: ms - document.zone_at_s(zone_of_row(line.words), ms / 1000) * 1000,
            secs: met.secs,
            floats: false,
        };
        met.write(&self.cells, words, when, document);
        Ok(true)
    }
}

impl Met {
    fn of(listing: Listing, day: i64) -> Met {
        let (last, secs, told) = (None, None, None);
        Met { listing, day, last, is_anew: false, secs, samples: 0, is_averaged: false, told }
    }

    /// Reads the cells of a row; false where it is no whole one, which is said.
    fn reads(&mut self, cells: &mut Row, line: &Line<'_>, words: &[&str], document: &mut Document) -> bool {
        let width = self.listing.headings.len();
        cells.read_with_units(words, &self.listing.layout.units);
        self.listing.is_rounded = cells.has_units;
        let names = usize::from(self.listing.name_at.is_some());
        let is_whole = words.len() == width && cells.numbers + names >= width;
        if !is_whole {
            let what = format!(
                "sar: {} words, {} of them numbers; expected {}",
                words.len(),
                cells.numbers,
                self.listing.headings.join(" ")
            );
            document.flaw(line.number, what);
        }
        is_whole
    }

    fn write(&self, cells: &Row, words: &[&str], when: When, document: &mut Document) {
        let name = self.listing.name_at.and_then(|at| words.get(at)).copied().unwrap_or("");
        self.listing.write(&cells.cells, name, when, document);
    }

    /// Takes the time of a row or a heading: how long ago the last one was, and whether a day began.
    fn advance(&mut self, seconds: i64) {
        let Some(last) = self.last.replace(seconds) else {
            self.secs = None;
            return;
        };
        let mut passed = seconds - last;
        if passed < -MIDNIGHT_FALL_S {
            self.day += DAY_S;
            passed += DAY_S;
        }
        let is_anew = std::mem::replace(&mut self.is_anew, false);
        self.secs = (passed > 0 && !is_anew).then_some(passed as f64);
    }
}

/// Of the two tools that print CPUs below a time: mpstat has interrupts before what was stolen, and
/// sections that sar has not.
fn is_mpstat(words: &[&str]) -> bool {
    let at = |name: &str| words.iter().position(|word| *word == name);
    let is_before = at("%irq").is_some_and(|irq| at("%steal").is_none_or(|steal| irq < steal));
    is_before || (words.contains(&"CPU") && words.contains(&"intr/s"))
}

/// What stands behind `Average:`, in any language.
fn averages<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let (label, rest) = words.split_first()?;
    let is_label = label.ends_with([':', '：']) && !label.starts_with(|sign: char| sign.is_ascii_digit());
    (is_label && !rest.is_empty()).then_some(rest)
}

/// A time of day, and the words behind it.
fn timed<'w>(words: &'w [&'w str]) -> Option<(i64, &'w [&'w str])> {
    let (time, _) = time_of_row(words)?;
    let rest = words.get(time.words..).filter(|rest| !rest.is_empty())?;
    Some((time.seconds, rest))
}

/// Whether a file is of `sar` of Solaris, AIX or HP-UX, which has sizes of tables under a heading that Linux' has too.
fn is_of_unix(words: &[&str], document: &Document) -> bool {
    document.system().is_some() || words.contains(&"proc-sz")
}

/// Headings: no number among them, and what these tools print as such: rates, shares, amounts; or
/// words in small letters, of sections that nobody reads.
fn is_heading(words: &[&str]) -> bool {
    // The last word of a row is a number in nearly every section.
    if words.last().is_some_and(|last| is_number(last)) || words.iter().any(|word| is_number(word)) {
        return false;
    }
    let looks = words.iter().any(|word| looks_like_heading(word));
    let is_small = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
    };
    looks || (words.len() >= 3 && words.iter().all(is_small))
}

fn looks_like_heading(word: &str) -> bool {
    const WORDS: [&str; 9] = ["CPU", "DEV", "IFACE", "INTR", "NODE", "all", "TTY", "PID", "MHz"];
    const BEGINNINGS: [&str; 5] = ["%", "kb", "MB", "ldavg", "CPU"];
    const ENDS: [&str; 4] = ["/s", "-nr", "-sz", "sck"];
    WORDS.contains(&word)
        || BEGINNINGS.iter().any(|begin| word.starts_with(begin))
        || ENDS.iter().any(|end| word.ends_with(end))
}

fn is_number(word: &str) -> bool {
    matches!(crate::text::number::with_unit(word, 1.0), Cell::Value(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sysstat::sar_fields::{Rows, SECTIONS};

    #[test]
    fn sections_are_told_by_their_headings() {
        let check = |line: &str, expect: Option<Rows>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (_, headings) = timed(&words).unwrap();
            assert!(is_heading(headings), "{line}");
            assert_eq!(section(headings).map(|section| section.rows), expect, "{line}");
        };
        check("12:00:01 AM CPU %user %nice %system %iowait %steal %idle", Some(Rows::Cpu));
        check("12:00:01 AM runq-sz plist-sz ldavg-1 ldavg-5 ldavg-15 blocked", Some(Rows::Machine));
        check(
            "00:00:01 DEV tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util",
            Some(Rows::Named(&["DEV"])),
        );
        check("03:16:17 PM UID PID %usr %system %guest %CPU CPU Command", None);
        check("00:00:01 call/s retrans/s read/s write/s access/s getatt/s", None);
    }

    #[test]
    fn no_two_sections_take_the_same_heading() {
        for one in SECTIONS {
            let taken =
                SECTIONS.iter().filter(|other| other.told_by.iter().all(|word| one.told_by.contains(word)));
            assert_eq!(taken.count(), 1, "{:?}", one.told_by);
        }
    }
}
