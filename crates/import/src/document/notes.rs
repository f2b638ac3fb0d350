//! What a reader of the answer has to know of one file: what it had, what was taken for granted, what could not be read.

use std::collections::{BTreeMap, BTreeSet};

use heldup_model::Flaw;

use super::Document;
use crate::error::ImportError;

/// Flaws of one file that are said; of a damaged one there may be millions.
const MOST_FLAWS: usize = 20;

/// What one format was of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormatCounts {
    /// Listings that began.
    pub listings: u64,
    /// Samples.
    pub samples: u64,
    /// Lines that it took.
    pub lines: u64,
}

impl Notes {
    /// What a file was: its formats with what they had, those first that took most of its lines.
    pub fn what(&self) -> String {
        let mut told: Vec<_> = self.told.iter().collect();
        let has_samples = told.iter().any(|(_, told)| told.samples > 0);
        told.retain(|(_, told)| told.samples > 0 || !has_samples);
        told.sort_by_key(|(_, told)| std::cmp::Reverse(told.lines));
        let said = |(name, told): (&&str, &FormatCounts)| {
            format!("{name}, {} {}", told.samples, if told.samples == 1 { "sample" } else { "samples" })
        };
        told.into_iter().map(said).collect::<Vec<_>>().join("; ")
    }

    /// Counts lines of a format.
    pub fn count_lines(&mut self, lines: u64, format: Option<&'static str>) {
        if let Some(told) = format.and_then(|format| self.told.get_mut(format)) {
            told.lines += lines;
        }
    }

    /// The formats alone.
    pub fn formats(&self) -> String {
        self.told.keys().copied().collect::<Vec<_>>().join(", ")
    }
}

/// Notes and flaws of one file.
#[derive(Debug, Default)]
pub struct Notes {
    /// By format.
    pub told: BTreeMap<&'static str, FormatCounts>,
    /// What a reader of the answer has to know.
    pub texts: BTreeSet<String>,
    /// Headings that no column takes, by format.
    pub unkept: BTreeMap<&'static str, BTreeSet<String>>,
    /// Flaws.
    pub flaws: Vec<Flaw>,
    /// The format that began last.
    pub last: Option<&'static str>,
    /// Lines before the one that is being offered that turned out to belong to its listing.
    pub held_lines: u64,
    /// The line that is being offered belongs to a listing, but to a part of it that is not read.
    pub is_passed_over: bool,
    /// Those of the texts that are known by where they stand in the program.
    noted: Vec<&'static str>,
    unsaid_flaws: u64,
}

impl Document {
    /// Notes something; said of every row of a file, it costs a row nothing but the look.
    pub fn note(&mut self, text: &'static str) {
        if !self.notes.noted.iter().any(|noted| std::ptr::eq(*noted, text)) {
            self.notes.noted.push(text);
            self.notes.texts.insert(text.to_owned());
        }
    }

    /// Notes a text that is made for this file.
    pub fn note_text(&mut self, text: String) {
        self.notes.texts.insert(text);
    }

    /// A listing of a format begins.
    pub fn begin(&mut self, format: &'static str) {
        self.notes.told.entry(format).or_default().listings += 1;
        self.notes.last = Some(format);
    }

    /// So many lines before this one belong to its listing too.
    pub fn take_held(&mut self, lines: u64) {
        self.notes.held_lines += lines;
    }

    /// Of the line that is being offered nothing is kept: it is of a section that is not read.
    pub fn pass_over(&mut self) {
        self.notes.is_passed_over = true;
    }

    /// A sample of a format was read in one piece, and nothing before it can change any more.
    pub fn end_sample(&mut self, format: &'static str) -> Result<(), ImportError> {
        self.notes.told.entry(format).or_default().samples += 1;
        self.sheets.settle()
    }

    /// Headings that no column takes.
    pub fn leave_out(&mut self, format: &'static str, headings: &[String]) {
        if !headings.is_empty() {
            self.notes.unkept.entry(format).or_default().extend(headings.iter().cloned());
        }
    }

    /// Something that could not be read.
    pub fn flaw(&mut self, line: u64, what: String) {
        self.flaw_at(format!("{}:{line}", self.file), what);
    }

    /// The same in a file that has no lines.
    pub fn flaw_at_byte(&mut self, offset: u64, what: String) {
        self.flaw_at(format!("{}, byte {offset}", self.file), what);
    }

    /// What is left to say at the end: how many flaws were left out.
    pub(super) fn close_notes(&mut self) {
        if self.notes.unsaid_flaws > 0 {
            let what = format!("{} more lines not readable", self.notes.unsaid_flaws);
            self.notes.flaws.push(Flaw { place: self.file.clone(), what });
        }
    }

    fn flaw_at(&mut self, place: String, what: String) {
        if self.notes.flaws.len() < MOST_FLAWS {
            self.notes.flaws.push(Flaw { place, what });
        } else {
            self.notes.unsaid_flaws += 1;
        }
    }
}
