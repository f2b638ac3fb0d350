//! One file while it is read: its times, what it says of its machine, what has to be said of it, and what it became.

pub mod banner;
mod facts;
pub mod first_line;
pub mod listed_cpu;
pub mod listed_wait;
mod notes;
pub mod put;
mod times;

use jiff::tz::TimeZone;

use crate::table::sheets::Sheets;
pub use facts::Facts;
pub use notes::Notes;
pub use times::{Clock, Times, local_ms};

/// The 3rd of January 1980: no tool that is read here is as old.
const FIRST_WRITTEN_MS: i64 = 315_705_600_000;

/// The last day of 2000.
const SOME_MS: i64 = 978_220_800_000;

/// What is known of a file from outside.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// When it was last written, milliseconds since 1970-01-01 UTC; 0 where that is not known.
    pub modified_ms: i64,
    /// When the report was made that it is part of, as the report says.
    pub taken_ms: Option<i64>,
    /// The machine that it is of, where the file itself does not say.
    pub host: Option<String>,
    /// The zone of that machine, and its name for people.
    pub zone: Option<(TimeZone, String)>,
}

impl Hints {
    /// When the file was written at the latest: the moment of its report or its modification; 0 where neither is
    /// known, since archives and images set it to the first day that they can (of 1970 or 1980).
    pub fn written_ms(&self) -> i64 {
        let modified_ms = Some(self.modified_ms).filter(|ms| *ms >= FIRST_WRITTEN_MS);
        [self.taken_ms, modified_ms].into_iter().flatten().min().unwrap_or(0)
    }

    /// What times are put before that lack their day or their year; some instant where nothing is known.
    pub fn latest_ms(&self) -> i64 {
        Some(self.written_ms()).filter(|ms| *ms > 0).unwrap_or(SOME_MS)
    }
}

/// One line, cut into words.
#[derive(Debug)]
pub struct Line<'a> {
    /// Counted from one.
    pub number: u64,
    /// Its words.
    pub words: &'a [&'a str],
    /// The line itself, for formats whose blanks count.
    pub text: &'a str,
    /// The file ends within it.
    pub is_cut: bool,
}

/// One file while it is read.
pub struct Document {
    /// Its name, for places of flaws.
    pub file: String,
    /// What is known from outside.
    pub hints: Hints,
    /// What it becomes.
    pub sheets: Sheets,
    /// Its times.
    pub times: Times,
    /// Its machine.
    pub facts: Facts,
    /// What has to be said of it.
    pub notes: Notes,
}

impl Document {
    /// A file of which nothing is read yet.
    pub fn of(file: &str, hints: Hints) -> Document {
        Document {
            file: file.to_owned(),
            hints,
            sheets: Sheets::default(),
            times: Times::default(),
            facts: Facts::default(),
            notes: Notes::default(),
        }
    }
}
