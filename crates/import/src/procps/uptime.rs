//! `uptime`, and the first line of `w`: ` 14:15:10 up 12 days,  3:04,  2 users,  load average: 3.15, 2.50, 1.70`.
//!
//! Of old versions the time of day has no seconds (`2:15pm`): the listing is of the time that stood above it, else of that minute.
//! What `w` tells of people is not read.

use heldup_model::Record;
use heldup_model::tables::SystemRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::procps::top_summary;
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, minute_of_day, time_of_day};

const NAME: &str = "uptime";
const LAST_OF_MINUTE_S: i64 = 59;

/// Reads `uptime`.
#[derive(Default)]
pub struct Uptime {
    /// When the last line was written: second of its day, and that day in seconds since 1970-01-01.
    last: Option<(i64, i64)>,
}

impl Importer for Uptime {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let [time, rest @ ..] = line.words else { return Ok(false) };
        if is_bare(line) {
            return self.bare(line, document);
        }
        let is_time = time.contains(':') && time.starts_with(|sign: char| sign.is_ascii_digit());
        let up = rest.iter().take(2).any(|word| *word == "up");
        let Some(loads) = top_summary::loads(line.text).filter(|_| is_time && up) else { return Ok(false) };
        document.begin(NAME);
        let exact = time_of_day(line.words).map(|time| time.seconds);
        let minute = minute_of_day(time).filter(|_| exact.is_none() && document.clock().is_none());
        let when = match exact.or(minute.map(|minute| self.within(minute))) {
            Some(seconds) => self.when(seconds, document),
            None => document.moment(NAME),
        };
        document.times.is_uptime_exact = minute.is_none();
        let cells = [
            ("load1", Put::Number(Some(loads[0]))),
            ("load5", Put::Number(Some(loads[1]))),
            ("load15", Put::Number(Some(loads[2]))),
            ("uptime_s", Put::Number(top_summary::uptime_s(line.words))),
        ];
        put_row(document, SystemRow::DEF, when, Key::Host, &cells);
        document.took_uptime(line.number, when);
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begins(line, document)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        Ok(())
    }
}

impl Uptime {
    /// A line that was cut before the time that the machine is up.
    fn bare(&self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(loads) = top_summary::loads(line.text) else { return Ok(false) };
        document.begin(NAME);
        let when = document.moment(NAME);
        let load = |at: usize| Put::Number(loads.get(at).copied());
        let cells = [("load1", load(0)), ("load5", load(1)), ("load15", load(2))];
        put_row(document, SystemRow::DEF, when, Key::Host, &cells);
        document.end_sample(NAME)?;
        Ok(true)
    }

    /// A second of this minute: of several lines of one minute each is a second behind the one before.
    fn within(&self, minute: i64) -> i64 {
        match self.last {
            Some((last, _)) if (minute..minute + LAST_OF_MINUTE_S).contains(&last) => last + 1,
            _ => minute,
        }
    }

    /// A time that is earlier than the one before it is of the next day.
    fn when(&mut self, seconds: i64, document: &mut Document) -> When {
        let told_day_s = document.base_day_s();
        let day_s = match self.last {
            Some((last, day)) if seconds < last => told_day_s.max(day + DAY_S),
            Some((_, day)) => told_day_s.max(day),
            None => told_day_s,
        };
        self.last = Some((seconds, day_s));
        let local_s = day_s + seconds;
        When { ms: (local_s - document.zone_at_s(None, local_s)) * 1000, secs: None, floats: false }
    }
}

/// `1 day, 15:14,  5 users,  load average: 0.00, 0.06, 0.07`: without the time of day and `up`.
fn is_bare(line: &Line<'_>) -> bool {
    let has_users = line
        .words
        .windows(2)
        .any(|two| matches!(two, [count, "user," | "users,"] if count.parse::<u32>().is_ok()));
    let begins = line.words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    has_users && begins && !line.words.contains(&"up")
}
