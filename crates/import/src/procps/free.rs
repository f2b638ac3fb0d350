//! `free`: with the line `-/+ buffers/cache` (before procps-ng 3.3.10) and with `available`, with `-w`, and
//! repeated (`-s`).
//!
//! `used` follows from the others and has no column, neither have `buff/cache` and the `cache` of `-w`,
//! in which reclaimable objects of the kernel are. `shared` of the old form is always 0 and says nothing.
//! In other languages columns are where they are in English: that it is this tool, and which of its forms, is recognised by
//! what is the sum of what.
//! The unit is that of the command line, or what the numbers leave no doubt of: of sizes in kB each is
//! of whole pages; where there is doubt nothing is read.

use heldup_model::Record;
use heldup_model::tables::MemoryRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::command_line;
use crate::text::number::size;

const NAME: &str = "free";
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
/// No machine that runs these tools has less than 64 MB of memory.
const LEAST_KIB: f64 = 65_536.0;
const LEAST_BYTES: f64 = 67_108_864.0;
/// Four TB in GiB: above this a number that is no kB is MiB.
const LEAST_MIB: f64 = 4096.0;
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// What a command line of `free` says of the unit of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FreeUnit {
    /// So many bytes.
    Bytes(f64),
    /// Another one in older releases than in later ones, or letters that are powers of 1000.
    Unsure,
}

/// Reads `free`.
#[derive(Default)]
pub struct Free {
    /// What its command line said of the unit; it is about the next listing alone.
    told_unit: Option<FreeUnit>,
    listing: Option<Listing>,
    /// A line of as many words as headings of this tool in another language may be.
    candidate: Option<(u64, usize)>,
}

struct Listing {
    headings: Vec<String>,
    when: When,
    unit: Option<FreeUnit>,
    last_line: u64,
    has_rows: bool,
    is_translated: bool,
}

impl Importer for Free {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let ["total", "used", "free", rest @ ..] = line.words else {
            return self.take_translated(line, document);
        };
        let known = ["shared", "buff/cache", "available", "buffers", "cached", "cache"];
        if rest.is_empty() || !rest.iter().all(|word| known.contains(word)) {
            return Ok(false);
        }
        // Some translations have English headings and call the memory by another name.
        self.candidate = Some((line.number, line.words.len()));
        self.start(line.number, line.words, document)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words.first() == Some(&"total") {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let (name, numbers) = match line.words {
            ["-/+", "buffers/cache:", ..] | ["Total:" | "Low:" | "High:", ..] => {
                listing.last_line = line.number;
                return Ok(true);
            }
            [name @ ("Mem:" | "Swap:" | "Comm:"), numbers @ ..] => (*name, numbers),
            words => match numbers_of(words, 3).as_deref() {
                Some([total, used, free]) if listing.is_translated && *total == used + free => {
                    ("Swap:", &words[words.len() - 3..])
                }
                _ => return Ok(false),
            },
        };
        listing.last_line = line.number;
        let least = if name == "Mem:" { listing.headings.len() } else { 3 };
        let is_number = |word: &&&str| size(word, 1.0).is_some();
        if numbers.len() < least || numbers.iter().filter(is_number).count() != numbers.len() {
            let what = format!("free: {} numbers of {name}; expected {least}", numbers.len());
            document.flaw(line.number, what);
            return Ok(true);
        }
        let unit_bytes = match listing.unit {
            Some(FreeUnit::Bytes(bytes)) => Some(bytes),
            Some(FreeUnit::Unsure) => None,
            None => unit_bytes(numbers),
        };
        let Some(unit_bytes) = unit_bytes else {
            let what = "free: unknown unit (no command line); expected kB";
            document.flaw(line.number, what.to_owned());
            return Ok(true);
        };
        listing.unit = Some(FreeUnit::Bytes(unit_bytes));
        listing.has_rows = true;
        listing.row(name, numbers, unit_bytes, document);
        Ok(true)
    }

    fn command(&mut self, words: &[&str]) {
        // Without options it may be the last word of a sentence; the numbers tell the unit then.
        let is_option = |word: &&str| word.starts_with('-') || word.parse::<f64>().is_ok();
        let options = command_line::arguments(words, "free");
        if let Some(options) = options.filter(|words| !words.is_empty() && words.iter().all(is_option)) {
            self.told_unit = Some(free_unit(options));
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take().filter(|listing| listing.has_rows) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Free {
    fn start(&mut self, number: u64, headings: &[&str], document: &mut Document) -> Result<(), ImportError> {
        let is_next = self.listing.as_ref().is_some_and(|before| number <= before.last_line + 2);
        // Those that -s repeats have the unit of the first.
        let before = self.listing.as_ref().filter(|_| is_next).and_then(|before| before.unit);
        self.ends(document)?;
        if !is_next {
            document.begin(NAME);
        }
        self.listing = Some(Listing {
            headings: headings.iter().map(|word| (*word).to_owned()).collect(),
            when: document.moment(NAME),
            unit: self.told_unit.take().or(before),
            last_line: number,
            has_rows: false,
            is_translated: false,
        });
        Ok(())
    }

    /// The line of memory below headings in another language.
    fn take_translated(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
        if matches!(line.words.len(), 6 | 7) && !line.words.iter().any(has_digit) {
            self.candidate = Some((line.number, line.words.len()));
            return Ok(false);
        }
        let Some((number, count)) = self.candidate.filter(|(above, _)| line.number == above + 1) else {
            return Ok(false);
        };
        let Some(headings) = numbers_of(line.words, count).and_then(|numbers| headings_of(&numbers)) else {
            return Ok(false);
        };
        self.start(number, headings, document)?;
        if let Some(listing) = self.listing.as_mut() {
            listing.is_translated = true;
        }
        let words: Vec<&str> =
            ["Mem:"].into_iter().chain(line.words[line.words.len() - count..].iter().copied()).collect();
        self.goes_on(
            &Line { number: line.number, words: &words, text: line.text, is_cut: line.is_cut },
            document,
        )
    }
}

/// The last words of a row, which are whole numbers, behind a name with a colon.
fn numbers_of(words: &[&str], count: usize) -> Option<Vec<f64>> {
    let (name, numbers) = words.split_at_checked(words.len().checked_sub(count)?)?;
    let is_named = name.len() <= 2 && name.last().is_some_and(|last| last.ends_with([':', '：']));
    let numbers = numbers.iter().map(|word| word.parse::<u64>().ok().map(|number| number as f64));
    numbers.collect::<Option<Vec<f64>>>().filter(|_| is_named)
}

/// Which form a row of memory is of: what is used is what is neither free nor cached, or not available; before
/// procps-ng 3.3.10 all that is not free.
fn headings_of(numbers: &[f64]) -> Option<&'static [&'static str]> {
    // Each number of MiB is rounded.
    let is = |one: f64, other: f64| (one - other).abs() <= 3.0;
    let (total, used, free) = (*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?);
    let rest = numbers.get(3..)?;
    let is_new = match rest {
        [_, cached, available] => is(used, total - available) || is(used, total - free - cached),
        [_, buffers, cached, available] => {
            is(used, total - available) || is(used, total - free - buffers - cached)
        }
        _ => false,
    };
    match (is_new, is(used, total - free), rest.len()) {
        (true, false, 3) => Some(&["total", "used", "free", "shared", "buff/cache", "available"]),
        (true, false, 4) => Some(&["total", "used", "free", "shared", "buffers", "cache", "available"]),
        (false, true, 3) => Some(&["total", "used", "free", "shared", "buffers", "cached"]),
        _ => None,
    }
}

impl Listing {
    fn row(&self, name: &str, numbers: &[&str], unit_bytes: f64, document: &mut Document) {
        let is_old = self.headings.iter().any(|heading| heading == "cached");
        let of = |heading: &str| {
            let at = self.headings.iter().position(|there| there == heading)?;
            numbers.get(at).and_then(|word| size(word, unit_bytes))
        };
        let number = |heading: &str| Put::Number(of(heading));
        let cells: Vec<(&str, Put<'_>)> = match name {
            "Mem:" => vec![
                ("total_bytes", number("total")),
                ("free_bytes", number("free")),
                ("shmem_bytes", Put::Number(of("shared").filter(|_| !is_old))),
                ("buffers_bytes", number("buffers")),
                ("cached_bytes", number("cached")),
                ("available_bytes", number("available")),
            ],
            "Swap:" => vec![
                ("swap_total_bytes", number("total")),
                ("swap_used_bytes", number("used")),
                ("swap_free_bytes", number("free")),
            ],
            _ => vec![("commit_limit_bytes", number("total")), ("committed_bytes", number("used"))],
        };
        put_row(document, MemoryRow::DEF, self.when, Key::Host, &cells);
    }
}

/// Bytes of the unit of numbers without a letter. Sizes in kB are of whole pages, all of them, and in
/// bytes too; a size that is none of these is of MiB, where it is too large for GiB.
fn unit_bytes(numbers: &[&str]) -> Option<f64> {
    let values: Vec<f64> = numbers.iter().filter_map(|word| word.parse::<f64>().ok()).collect();
    if values.is_empty() {
        // All have letters.
        return Some(1.0);
    }
    let total = *values.first()?;
    let are_all = |of: f64| values.iter().all(|value| value % of == 0.0);
    if total >= LEAST_BYTES && are_all(4096.0) {
        return Some(1.0);
    }
    if total >= LEAST_KIB && are_all(4.0) {
        return Some(KIB);
    }
    ((LEAST_MIB..LEAST_KIB * 64.0).contains(&total) && !are_all(4.0)).then_some(MIB)
}

/// What the options of `free` say of its unit. Powers of 1000 have names of their own since procps 3.3.10, which
/// were the long forms of powers of 1024 before (`--mega` of `-m`).
fn free_unit(options: &[&str]) -> FreeUnit {
    const POWERS: [(char, [&str; 2]); 6] = [
        ('b', ["--bytes", "--bytes"]),
        ('k', ["--kibi", "--kilo"]),
        ('m', ["--mebi", "--mega"]),
        ('g', ["--gibi", "--giga"]),
        ('t', ["--tebi", "--tera"]),
        ('p', ["--pebi", "--peta"]),
    ];
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let has = |letter: char| options.iter().any(|word| is_short(word) && word.contains(letter));
    let is_human = has('h') || options.contains(&"--human");
    let base: f64 = if options.contains(&"--si") { 1000.0 } else { 1024.0 };
    for (power, (letter, [of_1024, of_either])) in POWERS.into_iter().enumerate() {
        // -t and -p are other options.
        if power < 4 && has(letter) {
            return FreeUnit::Bytes(base.powi(power as i32));
        }
        if options.contains(&of_1024) {
            return FreeUnit::Bytes(1024_f64.powi(power as i32));
        }
        if options.contains(&of_either) {
            return FreeUnit::Unsure;
        }
    }
    match (is_human, base == 1024.0) {
        // The numbers have letters, which are powers of 1000 with --si.
        (true, false) => FreeUnit::Unsure,
        (true, true) => FreeUnit::Bytes(1.0),
        (false, _) => FreeUnit::Bytes(base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_what_is_the_sum_of_what() {
        let check = |row: &str, count: usize, expect: Option<&str>| {
            let words: Vec<&str> = row.split_whitespace().collect();
            let headings = numbers_of(&words, count).and_then(|numbers| headings_of(&numbers));
            assert_eq!(headings.and_then(|headings| headings.last().copied()), expect, "{row}");
        };
        check(
            "Speicher:   24684092      534380    23525860       19416      971236    24149712",
            6,
            Some("available"),
        );
        check(
            "内存：      24684092      534748    23525120       19416      971976    24149344",
            6,
            Some("available"),
        );
        check(
            "Mem:          7982        6113        1869           0         221        4101",
            6,
            Some("cached"),
        );
        check("Mem:  7982  1791  1869  0  221  4101  6000", 7, Some("available"));
        // It is the sum of nothing.
        check("Mem:  7982  1000  1869  0  221  4101", 6, None);
        check("Speicher  24684092  534380  23525860  19416  971236  24149712", 6, None);
        check("Mem:  23Gi  510Mi  22Gi  18Mi  948Mi  23Gi", 6, None);
    }

    #[test]
    fn units_that_leave_no_doubt() {
        let check = |numbers: &str, expect| {
            assert_eq!(unit_bytes(&numbers.split_whitespace().collect::<Vec<_>>()), expect, "{numbers}");
        };
        check("8053804 1262704 5830864 60576", Some(KIB));
        check("7865 1233 5694 59 860 6332", Some(MIB));
        check("8247095296 1293008896 5970804736 62029824", Some(1.0));
        check("128613 1233 5694 59 860 6332", Some(MIB));
        check("7.7Gi 1.2Gi", Some(1.0));
        // 503 may be of GiB or of MiB.
        check("503 120 30 1 2 3", None);
        check("7 1 5 0 0 6", None);
    }
}
