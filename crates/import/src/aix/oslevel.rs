//! `oslevel` of AIX: its version, technology level and service pack, in one word.
//!
//! `7100-04-03-1642` (`-s`) is AIX 7.1 with technology level 4 and service pack 3 of week 42 of 2016: no other tool prints
//! such a line. `7100-04` (`-r`) and `7.1.0.0` are taken only below a command line that has `oslevel` in it.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "oslevel";
/// The name that a level has among the settings.
const KEY: &str = "oslevel";
/// Lines between the command and what it prints.
const LONGEST_GAP: u64 = 2;

/// Reads `oslevel`.
#[derive(Default)]
pub struct Oslevel {
    /// The line of the command.
    command: Option<u64>,
    /// Parts of the most exact level that was told.
    parts: usize,
}

impl Importer for Oslevel {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = self.command.is_some_and(|at| line.number <= at + LONGEST_GAP);
        if let [word] = line.words
            && let Some(level) = level(word).filter(|level| level.parts == ALL_PARTS || is_near)
        {
            // Of `-s`, `-r` and none the first tells most.
            if level.parts > self.parts {
                self.parts = level.parts;
                self.take(word, &level, document)?;
            }
            return Ok(true);
        }
        let is_command = |word: &&str| {
            let word = word.trim_start_matches(['#', '$', '>', '`', '(']);
            word.rsplit('/').next().unwrap_or(word).trim_end_matches([':', ';']) == NAME
        };
        if line.words.iter().any(is_command) {
            self.command = Some(line.number);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begins(line, document)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        Ok(())
    }
}

impl Oslevel {
    fn take(&mut self, word: &str, level: &Level, document: &mut Document) -> Result<(), ImportError> {
        document.begin(NAME);
        document.facts.row.os = Some(format!("AIX {}.{} ({word})", level.version, level.release).into());
        let when = document.moment(NAME);
        let cells = [("setting_key", Put::Text(KEY)), ("setting_value", Put::Text(word))];
        put(document, SettingRow::DEF, when, KEY, &cells);
        document.end_sample(NAME)
    }
}

/// Parts of what `-s` prints.
const ALL_PARTS: usize = 4;

/// What a word says.
#[derive(Debug, PartialEq)]
struct Level {
    version: u8,
    release: u8,
    /// How many parts it has; one where it is the version alone.
    parts: usize,
}

/// Reads `7100-04-03-1642`, `7100-04` or `7.1.0.0`: versions 4 to 7, as the first of four digits.
fn level(word: &str) -> Option<Level> {
    let digits =
        |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    let of = |version: &str, release: &str, parts| {
        let version = version.parse().ok().filter(|version| (4..=7).contains(version))?;
        Some(Level { version, release: release.parse().ok()?, parts })
    };
    let dotted: Vec<&str> = word.split('.').collect();
    if let [version, release, modification, fix] = dotted.as_slice() {
        let is_one = [version, release].iter().all(|part| digits(part, 1))
            && [modification, fix].iter().all(|part| !part.is_empty() && digits(part, part.len()));
        return if is_one { of(version, release, 1) } else { None };
    }
    let parts: Vec<&str> = word.split('-').collect();
    let base = parts.first().filter(|base| digits(base, 4))?;
    let is_one = match parts.as_slice() {
        [_, technology] => digits(technology, 2),
        [_, technology, pack, week] => {
            let is_week =
                week.get(2..).and_then(|week| week.parse::<u8>().ok()).is_some_and(|week| week <= 53);
            digits(technology, 2) && digits(pack, 2) && digits(week, 4) && is_week
        }
        _ => false,
    };
    if is_one { of(&base[..1], &base[1..2], parts.len()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_aix() {
        let check = |word: &str, expect: Option<(u8, u8, usize)>| {
            let told = level(word).map(|level| (level.version, level.release, level.parts));
            assert_eq!(told, expect, "{word}");
        };
        check("7100-04-03-1642", Some((7, 1, 4)));
        check("5370-00-00-0000", Some((5, 3, 4)));
        check("6100-02", Some((6, 1, 2)));
        check("4.3.2.0", Some((4, 3, 1)));
        // A day, an address and a version of something else.
        check("2026-11-23-0310", None);
        check("7100-04-03-1660", None);
        check("10.0.0.1", None);
        check("7.10.0.1", None);
        check("7100", None);
    }
}
