//! Reports of ADDM, Oracle's advisor, over two snapshots: its findings and their DB time. Recommendations are not
//! imported.

use jiff::civil::Date;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::report_state::{ReportState, instant};
use crate::oracle::row::scaled;

const FORMAT: &str = "ADDM";

/// Reads such reports.
#[derive(Default)]
pub struct Addm {
    open: Option<Open>,
}

/// A report while it is read.
struct Open {
    told: ReportState,
    begin: Option<(Date, i64)>,
    end: Option<(Date, i64)>,
    database_s: Option<f64>,
    /// A finding of which the impact, or before 11g the name, comes in one of the next lines.
    waiting: Option<Waiting>,
    found: Vec<Found>,
}

/// What is still to come of a finding.
enum Waiting {
    /// `Impact is 7.96 active sessions, 68.97% of total activity.`
    Impact(String),
    /// A sentence that says what it is.
    Name(Option<f64>, Option<f64>),
}

struct Found {
    name: String,
    impact_s: Option<f64>,
    share: Option<f64>,
}

impl Importer for Addm {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_head = match line.words {
            ["ADDM", "Report", "for", "Task", task, ..] => task.starts_with('\''),
            ["DETAILED", "ADDM", "REPORT", "FOR", "TASK", ..] => true,
            _ => false,
        };
        if is_head {
            self.end(document)?;
            self.open = Some(Open {
                told: ReportState::new(FORMAT),
                begin: None,
                end: None,
                database_s: None,
                waiting: None,
                found: Vec::new(),
            });
        }
        Ok(is_head)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        if matches!(line.words, ["End", "of", "Report", ..]) {
            self.end(document)?;
            return Ok(true);
        }
        Ok(open.line(line, document))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Addm {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if let Some((begin, end)) = open.begin.zip(open.end) {
            open.told.set_interval(begin, end);
        }
        if let Some(database_s) = open.database_s {
            // The report of the same interval says it too, and for all of several.
            open.told.metric("addm_db_time_s", database_s, document);
        }
        for Found { name, impact_s, share } in open.found {
            let impact_s = impact_s.or(share.zip(open.database_s).map(|(share, whole_s)| share * whole_s));
            open.told.finding(&name, impact_s, share);
        }
        open.told.when(document);
        open.told.finish(document);
        document.end_sample(FORMAT)
    }
}

impl Open {
    /// Takes a line; false where it is prose.
    fn line(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        match line.words {
            ["Time", "period", "starts", "at", date, time, half, ..] => self.begin = moment(date, time, half),
            ["Time", "period", "ends", "at", date, time, half, ..] => self.end = moment(date, time, half),
            ["Analysis", "Period:", date, "from", begin, "to", end, ..] => {
                (self.begin, self.end) = (instant(date, begin), instant(date, end));
            }
            ["Total", "database", "time", "was", seconds, "seconds.", ..]
            | ["Database", "Time:", seconds, "seconds", ..] => self.database_s = scaled(seconds),
            ["Database/Instance", "Names:", names, ..] => {
                self.told.instance = names.split_once('/').map(|(_, instance)| instance.to_owned());
            }
            ["Host", "Name:", host, ..] => document.host_told(host),
            ["ADDM", "performed", "an", "analysis", "of", "instance", instance, rest @ ..] => {
                self.told.instance = Some(instance.trim_end_matches(',').to_owned());
                if let Some(at) = rest.iter().position(|word| *word == "at") {
                    let host = rest.get(at + 1).map(|host| host.trim_end_matches('.'));
                    host.into_iter().for_each(|host| document.host_told(host));
                }
            }
            ["Finding", number, name @ ..] if is_number(number) && !name.is_empty() => {
                self.waiting = Some(Waiting::Impact(name.join(" ")));
            }
            ["FINDING", number, share, "impact", rest @ ..] if is_number(number) => {
                let share = percent(share);
                let impact_s = match rest {
                    [seconds, "seconds)", ..] => scaled(seconds.trim_start_matches('(')),
                    _ => None,
                };
                self.waiting = Some(Waiting::Name(impact_s, share));
            }
            _ => return self.rest_of_finding(line),
        }
        true
    }

    /// Takes what was still to come of a finding.
    fn rest_of_finding(&mut self, line: &Line<'_>) -> bool {
        let found = match (self.waiting.take(), line.words) {
            (Some(Waiting::Impact(name)), ["Impact", "is", _, "active", "sessions,", share, ..]) => {
                Found { name, impact_s: None, share: percent(share) }
            }
            (Some(Waiting::Name(impact_s, share)), words) if !line.text.trim_start().starts_with('-') => {
                Found { name: words.join(" "), impact_s, share }
            }
            (waiting, words) => {
                self.waiting = waiting;
                return words.iter().all(|word| word.bytes().all(|byte| matches!(byte, b'-' | b'~')));
            }
        };
        self.found.push(found);
        true
    }
}

/// `1:`
fn is_number(word: &str) -> bool {
    word.strip_suffix(':').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// `68.97%`
fn percent(word: &str) -> Option<f64> {
    word.trim_end_matches(',').strip_suffix('%').and_then(scaled).map(|percent| percent / 100.0)
}

/// `18-SEP-09 02.02.47 AM`
fn moment(date: &str, time: &str, half: &str) -> Option<(Date, i64)> {
    const NOON: i64 = 12 * 3600;
    let (date, seconds) = instant(date, &time.replace('.', ":"))?;
    match half {
        "AM" => Some((date, seconds % NOON)),
        "PM" => Some((date, seconds % NOON + NOON)),
        _ => Some((date, seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_halves_of_the_day() {
        let at = |time: &str, half: &str| moment("18-SEP-09", time, half).map(|(_, seconds)| seconds);
        assert_eq!(at("02.02.47", "AM"), Some(2 * 3600 + 2 * 60 + 47));
        assert_eq!(at("12.00.00", "AM"), Some(0));
        assert_eq!(at("12.30.00", "PM"), Some(12 * 3600 + 1800));
        assert_eq!(percent("68.97%"), Some(0.6897));
        assert!(is_number("1:") && !is_number("one:"));
    }
}
