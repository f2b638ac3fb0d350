//! Statements of a log without their values, and how long each took: those that took most become rows of `db_sql`.

use std::collections::HashMap;

use heldup_model::Record;
use heldup_model::tables::DbSqlRow;

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// Different statements that are told apart; further ones are one.
const MOST_STATEMENTS: usize = 10_000;
/// Rows that a log becomes.
const MOST_ROWS: usize = 100;
/// Letters of a statement that are kept.
const LONGEST: usize = 2000;
/// What stands for a value.
const VALUE: char = '?';

/// One execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Execution {
    /// Executions that it stands for.
    pub executions: f64,
    /// Elapsed time of all of them.
    pub elapsed_s: f64,
    /// Elapsed time of the longest.
    pub max_s: Option<f64>,
    /// Time in waits for locks.
    pub lock_s: Option<f64>,
    /// Rows read.
    pub examined: Option<f64>,
    /// Rows returned.
    pub rows: Option<f64>,
}

/// All statements of a log.
#[derive(Debug, Default)]
pub struct Statements {
    sums: HashMap<(String, String), Execution>,
}

impl Statements {
    /// Adds an execution of a statement of a database.
    pub fn add(&mut self, instance: &str, statement: &str, execution: Execution) {
        self.add_plain(instance, without_values(statement), execution);
    }

    /// The same of a statement that has no values.
    pub fn add_plain(&mut self, instance: &str, statement: String, execution: Execution) {
        if statement.is_empty() {
            return;
        }
        let mut key = (instance.to_owned(), statement);
        if self.sums.len() >= MOST_STATEMENTS && !self.sums.contains_key(&key) {
            key.1 = "(other statements)".to_owned();
        }
        let sum = self.sums.entry(key).or_default();
        let plus = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        sum.executions += execution.executions;
        sum.elapsed_s += execution.elapsed_s;
        sum.max_s = match (sum.max_s, execution.max_s) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        sum.lock_s = plus(sum.lock_s, execution.lock_s);
        sum.examined = plus(sum.examined, execution.examined);
        sum.rows = plus(sum.rows, execution.rows);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Adds those of another log of the same executions that this one does not have.
    pub fn add_missing(&mut self, other: Statements) {
        for (key, sum) in other.sums {
            self.sums.entry(key).or_insert(sum);
        }
    }

    /// Writes the statements that took most.
    pub fn write(&mut self, when: When, document: &mut Document) {
        let mut sums: Vec<_> = std::mem::take(&mut self.sums).into_iter().collect();
        sums.sort_by(|(one, a), (other, b)| b.elapsed_s.total_cmp(&a.elapsed_s).then_with(|| one.cmp(other)));
        for ((instance, statement), sum) in sums.into_iter().take(MOST_ROWS) {
            let mut cells = vec![
                ("statement", Put::Text(&statement)),
                ("executions", Put::Number(Some(sum.executions))),
                ("elapsed_s", Put::Number(Some(sum.elapsed_s))),
                ("max_elapsed_s", Put::Number(sum.max_s)),
                ("lock_s", Put::Number(sum.lock_s)),
                ("rows_examined", Put::Number(sum.examined)),
                ("rows_processed", Put::Number(sum.rows)),
            ];
            cells.extend((!instance.is_empty()).then_some(("instance", Put::Text(&instance))));
            put(document, DbSqlRow::DEF, when, &format!("{instance} {statement}"), &cells);
        }
    }
}

/// A statement without its numbers, texts and comments: executions with other values are the same.
pub fn without_values(statement: &str) -> String {
    let mut plain = String::with_capacity(statement.len().min(LONGEST));
    let mut signs = statement.trim().trim_end_matches(';').chars().peekable();
    let mut before = ' ';
    while let Some(sign) = signs.next() {
        if plain.len() >= LONGEST {
            break;
        }
        match sign {
            '/' if signs.peek() == Some(&'*') => {
                let mut last = ' ';
                for sign in signs.by_ref() {
                    if last == '*' && sign == '/' {
                        break;
                    }
                    last = sign;
                }
            }
            '\'' => {
                // A quote within is doubled, or behind a backslash.
                while let Some(sign) = signs.next() {
                    match sign {
                        '\\' => drop(signs.next()),
                        '\'' if signs.peek() == Some(&'\'') => drop(signs.next()),
                        '\'' => break,
                        _ => {}
                    }
                }
                plain.push(VALUE);
            }
            _ if sign.is_whitespace() => {
                if !plain.ends_with(' ') && !plain.is_empty() {
                    plain.push(' ');
                }
            }
            _ if sign.is_ascii_digit()
                && !(before.is_alphanumeric() || matches!(before, '_' | '$' | '"' | '`')) =>
            {
                while signs.peek().is_some_and(|sign| sign.is_ascii_alphanumeric() || *sign == '.') {
                    signs.next();
                }
                plain.push(VALUE);
            }
            _ => plain.push(sign),
        }
        before = sign;
    }
    shorter_lists(plain.trim())
}

/// Lists of values as one: `in (?, ?, ?)`, `values (?,?), (?,?)`.
fn shorter_lists(plain: &str) -> String {
    let mut text = plain.replace("?, ?", "?,?");
    loop {
        let next = text
            .replace("?,?", VALUE.encode_utf8(&mut [0; 4]))
            .replace("?, ?", "?")
            .replace("(?), (?)", "(?)")
            .replace("(?),(?)", "(?)");
        if next.len() == text.len() {
            return next;
        }
        text = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out() {
        for (statement, plain) in [
            ("select * from t1 where id = 12 and s = 'a''b';", "select * from t1 where id = ? and s = ?"),
            ("select  1.5e3,\n 'it\\'s' from `2nd`", "select ? from `2nd`"),
            ("insert into t values (1, 'a'), (2, 'b')", "insert into t values (?)"),
            (
                "select a from b where c in (1,2, 3) /* page 7 */ limit 10",
                "select a from b where c in (?) limit ?",
            ),
            ("update s set n = $1 where id = $2", "update s set n = $1 where id = $2"),
            ("", ""),
        ] {
            assert_eq!(without_values(statement), plain);
        }
    }
}
