//! One file while it is read: its times, what it says of its machine, what has to be said of it, and what it became.

pub mod banner;
mod facts;
pub mod first_line;
mod notes;
pub mod put;
mod times;

use jiff::tz::TimeZone;

use crate::table::sheets::Sheets;
pub use facts::Facts;
pub use notes::Notes;
pub use times::{Clock, Times};

/// What is known of a file from outside.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// When it was last written, milliseconds since 1970-01-01 UTC: what has no times ends then.
    pub modified_ms: i64,
    /// The machine that it is of, where the file itself does not say.
    pub host: Option<String>,
    /// The zone of that machine, and its name for people.
    pub zone: Option<(TimeZone, String)>,
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
