//! What summarises MySQL's log of slow queries: `mysqldumpslow`, and the profile of `pt-query-digest`.

use crate::database::statements::{Execution, Statements};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::stamped;
use crate::table::sheets::When;
use heldup_model::Record;
use heldup_model::tables::DbSqlRow;

const FORMAT: &str = "MySQL slow log summary";
/// Letters of a statement.
const LONGEST_STATEMENT: usize = 1 << 14;

/// Reads such summaries.
#[derive(Default)]
pub struct QueryDigest {
    is_begun: bool,
    /// Of mysqldumpslow.
    statements: Statements,
    open: Option<(Execution, String)>,
    /// In the profile of pt-query-digest.
    is_profile: bool,
    rows: Vec<Row>,
    span: Option<(i64, i64)>,
}

struct Row {
    id: String,
    item: String,
    calls: f64,
    elapsed_s: f64,
}

impl Importer for QueryDigest {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_taken = match line.words {
            ["#", "Rank", "Query", "ID", "Response", "time", "Calls", ..] => {
                self.is_profile = true;
                true
            }
            ["Count:", count, rest @ ..] if rest.iter().any(|word| word.starts_with("Time=")) => {
                self.end_statement();
                self.open = dumped(count, line.words).map(|execution| (execution, String::new()));
                self.open.is_some()
            }
            ["#", "Time", "range:", from, from_clock, "to", rest @ ..] => {
                let from = [*from, *from_clock];
                self.span = self.span.or_else(|| span(&from, rest, document));
                false
            }
            _ => false,
        };
        if is_taken && !self.is_begun {
            document.begin(FORMAT);
            self.is_begun = true;
        }
        Ok(is_taken)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        if let Some((_, statement)) = self.open.as_mut() {
            if !line.words.is_empty() && line.text.starts_with(' ') {
                if statement.len() < LONGEST_STATEMENT {
                    statement.push_str(line.text.trim());
                    statement.push(' ');
                }
                return Ok(true);
            }
            self.end_statement();
            return Ok(false);
        }
        if !self.is_profile {
            return Ok(false);
        }
        match line.words {
            ["#", rule, ..] if rule.starts_with("====") => Ok(true),
            ["#", "MISC" | "TOTAL", ..] => Ok(true),
            ["#", rank, id, time, share, calls, each, rest @ ..]
                if rank.parse::<u32>().is_ok() && id.starts_with("0x") && share.ends_with('%') =>
            {
                let number = |word: &str| word.parse::<f64>().ok();
                let (Some(elapsed_s), Some(calls), Some(_)) = (number(time), number(calls), number(each))
                else {
                    document.flaw(
                        line.number,
                        format!("{FORMAT}: {:?}; expected times and calls", line.text.trim()),
                    );
                    return Ok(true);
                };
                // Behind it Apdex and the ratio of variance to mean, which are numbers.
                let item = rest.iter().position(|word| number(word).is_none());
                let item = item.map_or(String::new(), |at| rest[at..].join(" "));
                self.rows.push(Row { id: (*id).to_owned(), item, calls, elapsed_s });
                Ok(true)
            }
            [] => Ok(false),
            _ => {
                self.is_profile = false;
                Ok(false)
            }
        }
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_statement();
        if self.statements.is_empty() && self.rows.is_empty() {
            return Ok(());
        }
        let when = match self.span {
            Some((from, to)) => {
                let secs = Some((to - from) as f64 / 1000.0).filter(|secs| *secs > 0.0);
                When { ms: to, secs, floats: false }
            }
            None => document.moment(FORMAT),
        };
        self.statements.write(when, document);
        for row in self.rows.drain(..) {
            let cells = [
                ("statement_id", Put::Text(&row.id)),
                ("statement", Put::Text(&row.item)),
                ("executions", Put::Number(Some(row.calls))),
                ("elapsed_s", Put::Number(Some(row.elapsed_s))),
            ];
            put(document, DbSqlRow::DEF, when, &row.id, &cells);
        }
        document.end_sample(FORMAT)
    }
}

impl QueryDigest {
    fn end_statement(&mut self) {
        if let Some((execution, statement)) = self.open.take() {
            self.statements.add_plain("", statement.trim().to_owned(), execution);
        }
    }
}

/// `Count: 3  Time=118.89s (356s)  Lock=0.00s (0s)  Rows=1.0 (3), root[root]@localhost`
fn dumped(count: &str, words: &[&str]) -> Option<Execution> {
    let executions: f64 = count.parse().ok()?;
    let both = |name: &str| {
        let at = words.iter().position(|word| word.starts_with(name))?;
        let each = words[at].get(name.len()..)?.trim_end_matches([',', 's']).parse::<f64>().ok()?;
        let all = words.get(at + 1)?.trim_matches(['(', ')', ',', 's']);
        // `(356s)`
        Some((each, all.trim_end_matches([')', 's']).parse::<f64>().ok()))
    };
    let (each, all) = both("Time=")?;
    // Whole seconds are printed of the sum, hundredths of the mean.
    let sum = |(each, all): (f64, Option<f64>)| all.filter(|all| *all >= 100.0).unwrap_or(each * executions);
    Some(Execution {
        executions,
        elapsed_s: sum((each, all)),
        max_s: None,
        lock_s: both("Lock=").map(sum),
        examined: both("Rows_examined=").map(|(each, all)| all.unwrap_or(each * executions)),
        rows: both("Rows=")
            .or_else(|| both("Rows_sent="))
            .map(|(each, all)| all.unwrap_or(each * executions)),
    })
}

/// From when until when: `2026-11-26 18:50:21 to 18:56:20`.
fn span(from: &[&str], to: &[&str], document: &mut Document) -> Option<(i64, i64)> {
    let (order, latest) = (document.times.dates.order, document.hints.latest_ms());
    let (first, _) = stamped::before(from, order, latest)?;
    let (last, _) = match to {
        [clock] => stamped::before(&[from[0], clock], order, latest)?,
        to => stamped::before(to, order, latest)?,
    };
    let first = document.instant_ms(first.day, first.seconds, first.zone_s);
    let last = document.instant_ms(last.day, last.seconds, last.zone_s);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_of_mysqldumpslow() {
        let text = "Count: 3  Time=118.89s (356s)  Lock=0.01s (0s)  Rows=1.0 (3), root[root]@localhost";
        let words: Vec<&str> = text.split_whitespace().collect();
        let all = dumped("3", &words).expect("an execution");
        assert_eq!((all.executions, all.elapsed_s, all.rows), (3.0, 356.0, Some(3.0)));
        assert!(all.lock_s.is_some_and(|lock_s| (lock_s - 0.03).abs() < 1e-9), "{all:?}");
    }
}
