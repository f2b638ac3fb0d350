//! MySQL's and MariaDB's log of slow queries: statements without their values, with what all of their executions took.

use crate::database::statements::{Execution, Statements};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::stamped;
use crate::table::sheets::When;
use crate::text::civil::{date, time_of_day};

const FORMAT: &str = "MySQL slow log";
/// Letters of a statement.
const LONGEST_STATEMENT: usize = 1 << 16;
/// Lines of one statement.
const MOST_LINES: u64 = 2000;

/// Reads such logs.
#[derive(Default)]
pub struct SlowLog {
    is_begun: bool,
    statements: Statements,
    open: Option<Entry>,
    /// First and last time.
    span: Option<(i64, i64)>,
    database: String,
}

#[derive(Default)]
struct Entry {
    line: u64,
    query_s: Option<f64>,
    lock_s: Option<f64>,
    sent: Option<f64>,
    examined: Option<f64>,
    database: Option<String>,
    statement: String,
}

impl Importer for SlowLog {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let ["#", name, rest @ ..] = line.words else { return Ok(false) };
        match *name {
            "Time:" => {
                let Some(ms) = time(rest, line, document) else { return Ok(false) };
                self.flush();
                self.at(ms);
            }
            "User@Host:" if rest.contains(&"@") => {
                self.flush();
                self.open = Some(Entry { line: line.number, ..Entry::default() });
            }
            "Query_time:" => {
                let of = |name: &str| {
                    let at = line.words.iter().position(|word| *word == name)?;
                    line.words.get(at + 1)?.parse::<f64>().ok()
                };
                let Some(query_s) = of("Query_time:") else { return Ok(false) };
                // Without the line of its user: somebody copied a part.
                let is_open = self.open.as_ref().is_some_and(|entry| entry.query_s.is_none());
                if !is_open {
                    self.flush();
                    self.open = Some(Entry { line: line.number, ..Entry::default() });
                }
                if let Some(entry) = self.open.as_mut() {
                    entry.query_s = Some(query_s);
                    entry.lock_s = of("Lock_time:");
                    entry.sent = of("Rows_sent:");
                    entry.examined = of("Rows_examined:");
                    entry.line = line.number;
                }
            }
            _ => return Ok(false),
        }
        if !self.is_begun {
            document.begin(FORMAT);
            self.is_begun = true;
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(entry) = self.open.as_mut().filter(|entry| line.number <= entry.line + MOST_LINES) else {
            return Ok(false);
        };
        match line.words {
            ["#", "Thread_id:", rest @ ..] => {
                let at = rest.iter().position(|word| *word == "Schema:");
                entry.database = at
                    .and_then(|at| rest.get(at + 1))
                    .map(|name| (*name).to_owned())
                    .filter(|name| !name.ends_with(':'));
                Ok(true)
            }
            // Lines of other servers and of `log_slow_verbosity`.
            ["#", ..] => Ok(entry.statement.is_empty()),
            ["use", name] if entry.statement.is_empty() => {
                self.database = name.trim_matches(['`', ';']).to_owned();
                Ok(true)
            }
            ["SET", setting] if setting.starts_with("timestamp=") && entry.statement.is_empty() => {
                let seconds = setting["timestamp=".len()..].trim_end_matches(';').split('.').next();
                if let Some(ms) =
                    seconds.and_then(|seconds| seconds.parse::<i64>().ok()).filter(|s| *s > 315_532_800)
                {
                    self.at(ms * 1000);
                }
                Ok(true)
            }
            // What the server writes when it starts.
            [server, "Version:", ..] if server.ends_with(',') => Ok(true),
            ["Tcp", "port:", ..] | ["Time", "Id", "Command", "Argument"] => Ok(true),
            // A prompt, or another tool.
            _ if entry.query_s.is_none() => Ok(false),
            _ if entry.statement.trim_end().ends_with(';') => Ok(false),
            _ if entry.statement.len() < LONGEST_STATEMENT => {
                entry.statement.push_str(line.text);
                entry.statement.push('\n');
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.flush();
        if self.statements.is_empty() {
            return Ok(());
        }
        let when = match self.span {
            Some((first, last)) => {
                let secs = Some((last - first) as f64 / 1000.0).filter(|secs| *secs > 0.0);
                When { ms: last, secs, floats: false }
            }
            None => document.moment(FORMAT),
        };
        self.statements.write(when, document);
        document.end_sample(FORMAT)
    }
}

impl SlowLog {
    fn at(&mut self, ms: i64) {
        let (first, last) = self.span.unwrap_or((ms, ms));
        self.span = Some((first.min(ms), last.max(ms)));
    }

    fn flush(&mut self) {
        let Some(entry) = self.open.take() else { return };
        let Some(query_s) = entry.query_s else { return };
        let execution = Execution {
            executions: 1.0,
            elapsed_s: query_s,
            max_s: Some(query_s),
            lock_s: entry.lock_s,
            examined: entry.examined,
            rows: entry.sent,
        };
        let database = entry.database.unwrap_or_else(|| self.database.clone());
        self.statements.add(&database, &entry.statement, execution);
    }
}

/// `170130  6:59:51` and `2019-05-08T10:00:00.123456Z`.
fn time(words: &[&str], line: &Line<'_>, document: &mut Document) -> Option<i64> {
    let order = document.times.dates.order;
    if let [day, clock] = words
        && day.len() == 6
        && let Some(day) = date(&format!("20{}-{}-{}", day.get(..2)?, day.get(2..4)?, day.get(4..)?), order)
    {
        let seconds = time_of_day(&[clock])?.seconds;
        return Some(document.instant_ms(day, seconds, None));
    }
    let (told, _) = stamped::before(line.words.get(2..)?, order, document.hints.latest_ms())?;
    Some(document.instant_ms(told.day, told.seconds, told.zone_s))
}
