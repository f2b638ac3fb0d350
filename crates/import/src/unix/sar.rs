//! `sar` of Solaris, AIX and HP-UX.
//!
//! Where several sections were asked for at once their headings stand in a block, of which the first line alone
//! has the time, and below it the rows of each sample stand in the same order: so a line without a time belongs to
//! the next section that it fits. The heading's time is that of the sample before its first row.

use heldup_model::Record;
use heldup_model::tables::CpuRow;

use super::sar_sections::{FREE_PAGES, Rows, Section, section};
use crate::document::banner::System;
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::columns::{Amount, Around, Field, Layout};
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, time_of_day};
use crate::text::number::{Cell, cell};

const NAME: &str = "sar";
/// Below this a fall of the time of day is a clock that was set back, above it midnight.
const MIDNIGHT_FALL_S: i64 = DAY_S / 2;

/// Reads `sar` of systems that are not Linux.
#[derive(Default)]
pub struct UnixSar {
    block: Option<Block>,
    banner_line: u64,
    samples: u64,
    /// Line and words of headings without a time: averages may follow.
    headings: Option<(u64, Vec<String>)>,
}

/// Headings that stand together, and how far their samples got.
struct Block {
    listings: Vec<Listing>,
    /// Which listing the next line without a time may be of.
    at: usize,
    /// Nothing but headings was read yet.
    is_open: bool,
    day: i64,
    last: Option<i64>,
    when: Option<When>,
    samples: u64,
    last_line: u64,
    /// Averages, in which no line has a time.
    is_over: bool,
    /// Its rows are averages, since it has no others.
    is_averaged: bool,
}

/// The headings of one section.
struct Listing {
    headings: Vec<String>,
    section: Option<&'static Section>,
    layout: Layout,
    has_name: bool,
    /// Where its name stands: before the number of a CPU there may be that of its set.
    name_at: usize,
    /// Its values are left blank where there was no line.
    is_sparse: bool,
}

/// Words that are left of a row of lengths of lines where one of two lines was empty.
const SPARSE_WORDS: usize = 2;

impl Importer for UnixSar {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((seconds, words)) = timed(line.words) else {
            return Ok(self.begins_averages(line, document));
        };
        if is_of_linux(document) || section(words, document.system()).is_none() || !is_heading(words) {
            return Ok(false);
        }
        if self.block.is_none() || self.banner_line != document.facts.banner_line {
            self.count(document);
            document.begin(NAME);
            self.banner_line = document.facts.banner_line;
        }
        self.begin_block(seconds, words, line.number, None, document);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.block.is_none() || is_of_linux(document) {
            return Ok(false);
        }
        match timed(line.words) {
            Some((seconds, words)) => self.take_timed(seconds, words, line, document),
            None => Ok(self.take_untimed(line, document)),
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.count(document);
        Ok(())
    }
}

impl UnixSar {
    /// As many samples as the longest section has.
    fn count(&mut self, document: &mut Document) {
        let samples = self.block.take().map_or(0, |block| block.samples).max(self.samples);
        self.samples = 0;
        if let Some(told) = document.notes.told.get_mut(NAME).filter(|_| samples > 0) {
            told.samples += samples;
        }
    }

    fn begin_block(
        &mut self,
        seconds: i64,
        words: &[&str],
        line: u64,
        day_s: Option<i64>,
        document: &mut Document,
    ) {
        let day = match &self.block {
            // The heading of the next screenful goes on with the day.
            Some(block) if block.is_same(words) => {
                if let Some(block) = self.block.as_mut() {
                    block.heading(seconds, line);
                }
                return;
            }
            _ => day_s.unwrap_or_else(|| document.base_day_s()),
        };
        self.samples = self.samples.max(self.block.as_ref().map_or(0, |block| block.samples));
        self.block = Some(Block {
            listings: vec![Listing::of(words, document)],
            at: 0,
            is_open: true,
            day,
            last: Some(seconds),
            when: None,
            samples: 0,
            last_line: line,
            is_over: false,
            is_averaged: false,
        });
    }

    /// Headings without a time, and below them averages: all that was kept of a day.
    fn begins_averages(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        if is_of_linux(document) {
            return false;
        }
        let words = line.words;
        if !is_average(words) {
            let is_one = words.len() > 2 && section(words, document.system()).is_some() && is_heading(words);
            let words = || words.iter().map(|word| (*word).to_owned()).collect();
            self.headings = is_one.then(|| (line.number, words()));
            return false;
        }
        let Some((above, headings)) = self.headings.take().filter(|(above, _)| line.number <= above + 2)
        else {
            return false;
        };
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        if !Listing::of(&headings, document).fits(&words[1..]) {
            return false;
        }
        self.count(document);
        document.begin(NAME);
        document.take_held(1);
        self.banner_line = document.facts.banner_line;
        // Without samples no day is needed.
        self.begin_block(0, &headings, above, Some(0), document);
        if let Some(block) = self.block.as_mut() {
            (block.last, block.last_line) = (None, line.number);
            block.average(words, line, document);
        }
        true
    }

    fn take_timed(
        &mut self,
        seconds: i64,
        words: &[&str],
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        if is_heading(words) {
            if section(words, document.system()).is_none() {
                let first: Vec<&str> = words.iter().take(3).copied().collect();
                document.leave_out(NAME, &[format!("the section \"{} …\"", first.join(" "))]);
            }
            self.begin_block(seconds, words, line.number, None, document);
            return Ok(true);
        }
        let Some(block) = self.block.as_mut() else { return Ok(false) };
        // "unix restarts", "System Restarted": the interval that it falls into is not known.
        if words.iter().any(|word| word.to_ascii_lowercase().starts_with("restart")) {
            block.last = None;
            document.note("the machine was rebooted during the recording");
            return Ok(true);
        }
        block.is_open = false;
        block.is_over = false;
        block.begin_sample(seconds, document);
        block.last_line = line.number;
        block.take(words, line, document);
        Ok(true)
    }

    fn take_untimed(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(block) = self.block.as_mut().filter(|block| line.number <= block.last_line + 2) else {
            return false;
        };
        let words = line.words;
        if is_average(words) {
            block.last_line = line.number;
            block.average(words, line, document);
            return true;
        }
        if block.is_open && is_heading(words) && section(words, document.system()).is_some() {
            block.listings.push(Listing::of(words, document));
            block.last_line = line.number;
            return true;
        }
        let has_numbers = words.iter().any(|word| is_number(word));
        if !has_numbers {
            return false;
        }
        block.last_line = line.number;
        if !block.is_over {
            block.take(words, line, document);
        }
        true
    }
}

impl Block {
    fn is_same(&self, words: &[&str]) -> bool {
        self.listings
            .first()
            .is_some_and(|first| first.headings.iter().map(String::as_str).eq(words.iter().copied()))
    }

    /// The same headings again: behind a restart they begin anew.
    fn heading(&mut self, seconds: i64, line: u64) {
        if self.last.is_none() {
            self.last = Some(seconds);
        }
        self.is_over = false;
        self.last_line = line;
    }

    fn begin_sample(&mut self, seconds: i64, document: &mut Document) {
        let passed = self.last.replace(seconds).map(|last| {
            let passed = seconds - last;
            if passed < -MIDNIGHT_FALL_S {
                self.day += DAY_S;
                passed + DAY_S
            } else {
                passed
            }
        });
        let secs = passed.filter(|passed| *passed > 0).map(|passed| passed as f64);
        if secs.is_none() {
            document.note("a sample of unknown interval (after a restart): its rates are not used");
        }
        let ms = (self.day + seconds - document.zone_s(None)) * 1000;
        self.when = Some(When { ms, secs, floats: false });
        self.at = 0;
        self.samples += 1;
    }

    /// A row of averages, or the first of several: read where there are no others. Over which time they are is unknown.
    fn average(&mut self, words: &[&str], line: &Line<'_>, document: &mut Document) {
        if self.samples > 0 && !self.is_averaged {
            self.is_over = true;
            return;
        }
        if !self.is_averaged {
            document.note("averages only: of a time whose length is not recorded");
            let secs = document.interval_s(NAME);
            self.when = Some(document.floating(Some(secs)));
            (self.is_averaged, self.is_open, self.samples, self.at) = (true, false, 1, 0);
        }
        self.take(words.get(1..).unwrap_or_default(), line, document);
    }

    /// A row: of the section at hand, or behind it where that may have no rows at all.
    fn take(&mut self, words: &[&str], line: &Line<'_>, document: &mut Document) {
        let Some(when) = self.when else { return };
        while let Some(listing) = self.listings.get(self.at) {
            if listing.fits(words) {
                listing.write(words, when, document);
                self.at += usize::from(!listing.has_name);
                return;
            }
            if listing.has_name || listing.is_sparse && words.len() != SPARSE_WORDS {
                self.at += 1;
                continue;
            }
            self.at += 1;
            if !listing.is_sparse {
                let what = format!("sar: {} words; expected {}", words.len(), listing.headings.join(" "));
                document.flaw(line.number, what);
            }
            return;
        }
    }
}

impl Listing {
    fn of(words: &[&str], document: &mut Document) -> Listing {
        let section = section(words, document.system());
        let page_bytes = document.facts.banner.as_ref().and_then(crate::document::banner::Banner::page_bytes);
        let fields = section.map_or(&[][..], |section| section.fields);
        let fields: Vec<Field> = fields
            .iter()
            .filter_map(|field| match (field.heading == FREE_PAGES, page_bytes) {
                (true, Some(bytes)) => Some(Field { amount: Amount::Level(bytes), ..*field }),
                (true, None) => {
                    document.note("sar: freemem is in pages of unknown size: not used");
                    None
                }
                (false, _) => Some(*field),
            })
            .collect();
        let layout = Layout::of(words, &fields);
        let unkept: Vec<String> = layout
            .unkept
            .iter()
            .filter(|word| !matches!(word.as_str(), FREE_PAGES | "ov"))
            .cloned()
            .collect();
        document.leave_out(NAME, &unkept);
        // With -P and -M sections of the machine have a row for each CPU too.
        let cpu_at = words.iter().position(|word| *word == "cpu");
        let has_name = section.is_some_and(|section| section.rows == Rows::Device) || cpu_at.is_some();
        let name_at = cpu_at.unwrap_or(0);
        // Threads of one core share it: what each had of a processor is `physc`, and the line of all has it together.
        if cpu_at.is_some() && words.contains(&"physc") {
            document.sheets.totals_count(CpuRow::DEF);
        }
        let headings = words.iter().map(|word| (*word).to_owned()).collect();
        Listing { headings, section, layout, has_name, name_at, is_sparse: words.contains(&"runq-sz") }
    }

    /// Whether a row may be of this section: as many words as headings, numbers but for a name.
    fn fits(&self, words: &[&str]) -> bool {
        let skipped = if self.has_name { self.name_at + 1 } else { 0 };
        // "45/30000 0" stands under "proc-sz ov".
        let is_value = |word: &str| is_number(word) || word == "-" || word.contains('/');
        let is_device = self.section.is_some_and(|section| section.rows == Rows::Device);
        words.len() == self.headings.len()
            && words.iter().skip(skipped).all(|word| is_value(word))
            && !(is_device && words.first().is_some_and(|name| is_number(name)))
    }

    fn write(&self, words: &[&str], when: When, document: &mut Document) {
        let Some(section) = self.section else { return };
        let mut cells: Vec<Cell> = words.iter().map(|word| cell(word)).collect();
        let cpus = document.cpus().unwrap_or(1) as f64;
        // An asterisk stands before CPUs of a workload partition's resource set.
        let name = words.get(self.name_at).map_or("", |name| name.trim_start_matches('*'));
        let is_all = matches!(name, "-" | "system");
        let key = match section.rows {
            Rows::Machine if self.has_name && !is_all => return,
            Rows::Machine => Key::Host,
            // A slice of a disk of Solaris (`sd1,a`) is in the disk's own row.
            Rows::Device if is_slice(name) => return,
            Rows::Device => Key::Name(name),
            Rows::Cpu if self.has_name => match name.parse() {
                Ok(number) => Key::Number(number),
                Err(_) if is_all => Key::All,
                // "U" of AIX is what was left of the partition's share, "R" a resource set.
                Err(_) => return,
            },
            Rows::Cpu => Key::All,
        };
        if section.rows == Rows::Device {
            self.leave_out_unmeasured(&mut cells, document);
        }
        self.layout.write(&cells, Around { when, key, cpus }, &mut document.sheets);
    }

    /// Requests that took no time at all: old AIX prints zeros for what it does not measure.
    fn leave_out_unmeasured(&self, cells: &mut [Cell], document: &mut Document) {
        let at = |name: &str| self.headings.iter().position(|heading| heading == name);
        let value = |name: &str, cells: &[Cell]| cells.get(at(name)?).and_then(|cell| cell.value());
        let is_busy = value("r+w/s", cells).is_some_and(|rate| rate > 0.0);
        let is_zero = ["avwait", "avserv"].iter().all(|name| value(name, cells) == Some(0.0));
        if is_busy && is_zero && document.system() == Some(System::Aix) {
            for name in ["avwait", "avserv"] {
                if let Some(cell) = at(name).and_then(|at| cells.get_mut(at)) {
                    *cell = Cell::Absent;
                }
            }
        }
    }
}

/// `sd1,a`, `ssd12,g`.
fn is_slice(name: &str) -> bool {
    name.rsplit_once(',').is_some_and(|(disk, slice)| {
        disk.ends_with(|last: char| last.is_ascii_digit()) && matches!(slice.as_bytes(), [b'a'..=b'p'])
    })
}

/// Whether a banner of sysstat stands above: those files are read elsewhere.
fn is_of_linux(document: &Document) -> bool {
    document.facts.banner.as_ref().is_some_and(|banner| banner.system.is_none() && !banner.kernel.is_empty())
}

/// A time of day, and the words behind it.
fn timed<'w>(words: &'w [&'w str]) -> Option<(i64, &'w [&'w str])> {
    let time = time_of_day(words)?;
    let rest = words.get(time.words..).filter(|rest| !rest.is_empty())?;
    Some((time.seconds, rest))
}

/// Headings: no number among them, and what these tools print as such.
fn is_heading(words: &[&str]) -> bool {
    let looks = |word: &&str| {
        word.starts_with('%') || word.ends_with("/s") || word.ends_with("-sz") || word.ends_with("mem")
    };
    // `atopsar` ends its headings with the name of the section: `_cpu_`.
    let is_of_atop = words.last().is_some_and(|word| word.starts_with('_') && word.ends_with('_'));
    !is_of_atop && words.iter().any(looks) && !words.iter().any(|word| is_number(word))
}

fn is_number(word: &str) -> bool {
    matches!(cell(word), Cell::Value(_))
}

fn is_average(words: &[&str]) -> bool {
    words.first().is_some_and(|word| word.trim_end_matches(':') == "Average")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_rows() {
        let check = |line: &str| is_heading(&line.split_whitespace().collect::<Vec<_>>());
        assert!(check("%usr %sys %wio %idle physc %entc"));
        assert!(check("device %busy avque r+w/s blks/s avwait avserv"));
        assert!(check("proc-sz ov inod-sz ov file-sz ov lock-sz"));
        assert!(check("freemem freeswap"));
        assert!(!check("dad1 15 0.7 26 399 18.1 10.0"));
        assert!(!check("unix restarts"));
    }
}
