//! Refuses comparisons of a column with a literal of another type.
//!
//! SQLite compares anything with anything: a text is greater than every number, so
//! `time > '2026-01-01'` is silently false for every row. The tables' columns have
//! types, so such a comparison is a mistake.
//!
//! What it cannot see: comparisons of expressions, of two columns, and of columns
//! of views and subqueries. Those that reach a table's key columns or its time are
//! refused when the question runs.

use std::collections::{HashMap, HashSet};

use heldup_model::{ColumnType, tables};

use super::error::{SqlError, type_words};
use super::shape::tables_by_alias;
use super::tokens::{Placed, Token, tokens};

/// Operators that want both sides to be of one type.
const COMPARISONS: [&str; 8] = ["=", "==", "!=", "<>", "<", "<=", ">", ">="];

/// A column of a question, as far as its table is known.
struct Typed {
    place: String,
    name: String,
    ty: ColumnType,
}

/// Judges all comparisons of columns with literals.
pub(super) fn check(sql: &str) -> Result<(), SqlError> {
    let tokens = tokens(sql);
    let columns = Columns::of(&tokens);
    for at in 0..tokens.len() {
        let Some((column, end)) = columns.at(&tokens, at) else { continue };
        for literal in compared_with(&tokens, at, end) {
            if !fits(column.ty, literal) {
                return Err(SqlError::Type {
                    expected: type_words(&column.name, column.ty).into(),
                    column: column.place,
                    found: shown(literal),
                });
            }
        }
    }
    Ok(())
}

/// Where names of columns lead.
struct Columns {
    tables: HashMap<String, String>,
    /// Names that the question gives to its own columns and tables.
    own: HashSet<String>,
}

impl Columns {
    fn of(tokens: &[Placed<'_>]) -> Columns {
        let own = tokens.windows(2).filter_map(|pair| match (&pair[0].token, &pair[1].token) {
            (Token::Name(before), Token::Name(name)) if before.eq_ignore_ascii_case("as") => {
                Some(name.to_ascii_lowercase())
            }
            _ => None,
        });
        Columns { tables: tables_by_alias(tokens), own: own.collect() }
    }

    /// The column that is named at a token, and the position after it.
    fn at(&self, tokens: &[Placed<'_>], at: usize) -> Option<(Typed, usize)> {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        if before.is_some_and(|placed| placed.token == Token::Mark(".")) {
            return None;
        }
        let Token::Name(first) = tokens.get(at)?.token else { return None };
        let dot = tokens.get(at + 1).is_some_and(|placed| placed.token == Token::Mark("."));
        if let Some(Token::Name(column)) = tokens.get(at + 2).map(|placed| &placed.token).filter(|_| dot) {
            let table = self.tables.get(&first.to_ascii_lowercase())?;
            return Some((typed(table, column)?, at + 3));
        }
        let name = first.to_ascii_lowercase();
        if dot || self.own.contains(&name) {
            return None;
        }
        // A table of the question that is none of ours may have a column of this name.
        let mut found = None;
        for table in self.tables.values() {
            tables::find(table)?;
            if let Some(column) = typed(table, &name) {
                found = Some(column);
            }
        }
        Some((found?, at + 1))
    }
}

fn typed(table: &str, column: &str) -> Option<Typed> {
    let name = column.to_ascii_lowercase();
    let found = tables::find(table)?.all_columns().find(|declared| declared.name == name)?;
    Some(Typed { place: format!("{table}.{name}"), ty: found.ty, name })
}

/// The literals that the column at `start..end` is compared with.
fn compared_with<'a, 'b>(tokens: &'b [Placed<'a>], start: usize, end: usize) -> Vec<&'b Token<'a>> {
    let get = |at: usize| tokens.get(at).map(|placed| &placed.token);
    let is_word =
        |at: usize, word: &str| matches!(get(at), Some(Token::Name(name)) if name.eq_ignore_ascii_case(word));
    let is_comparison = |at: usize| matches!(get(at), Some(Token::Mark(mark)) if COMPARISONS.contains(mark));
    let mut literals = Vec::new();
    // Only a literal that stands alone: in `x > 'a' || y` it is part of an expression.
    let alone = |at: usize| {
        get(at)
            .filter(|token| matches!(token, Token::Text(_) | Token::Number(_)))
            .filter(|_| !matches!(get(at + 1), Some(Token::Mark("||" | "+" | "-" | "*" | "/" | "%" | "->"))))
    };
    let negated = usize::from(is_word(end, "not"));
    if is_comparison(end) {
        literals.extend(alone(end + 1));
    } else if is_word(end, "is") {
        literals.extend(alone(end + 1 + usize::from(is_word(end + 1, "not"))));
    } else if is_word(end + negated, "between") {
        literals.extend(alone(end + negated + 1));
        if is_word(end + negated + 2, "and") {
            literals.extend(alone(end + negated + 3));
        }
    } else if is_word(end + negated, "in") && get(end + negated + 1) == Some(&Token::Mark("(")) {
        let list = tokens.get(end + negated + 2..).unwrap_or(&[]).iter().map(|placed| &placed.token);
        let question = is_word(end + negated + 2, "select") || is_word(end + negated + 2, "with");
        literals.extend(
            list.take_while(|_| !question)
                .take_while(|token| !matches!(token, Token::Mark(")" | "(")))
                .filter(|token| matches!(token, Token::Text(_) | Token::Number(_))),
        );
    }
    // `literal op column`, where the literal begins an expression.
    if start >= 2 && is_comparison(start - 1) {
        let begins = matches!(
            start.checked_sub(3).and_then(get),
            None | Some(Token::Mark("(" | ",") | Token::Name(_))
        );
        literals.extend(
            get(start - 2).filter(|token| begins && matches!(token, Token::Text(_) | Token::Number(_))),
        );
    }
    literals
}

fn fits(ty: ColumnType, literal: &Token<'_>) -> bool {
    match literal {
        Token::Text(_) => ty == ColumnType::Text,
        Token::Number(number) => match ty {
            ColumnType::Text => false,
            ColumnType::Bool => matches!(*number, "0" | "1"),
            ColumnType::Int | ColumnType::Float => true,
        },
        Token::Name(_) | Token::Mark(_) => true,
    }
}

fn shown(literal: &Token<'_>) -> String {
    match literal {
        Token::Text(text) => format!("the text '{text}'"),
        Token::Number(text) => format!("the number {text}"),
        Token::Name(text) | Token::Mark(text) => (*text).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sql: &str) -> Option<String> {
        check(sql).err().map(|error| error.to_string())
    }

    #[test]
    fn literals_of_another_type_are_refused() {
        for (sql, expected) in [
            (
                "select 1 from disk where time > '2026-01-01'",
                "disk.time is milliseconds since 1970-01-01 UTC as an integer, compared with the text '2026-01-01'",
            ),
            (
                "select 1 from disk d where d.reads = '5'",
                "disk.reads is an integer, compared with the text '5'",
            ),
            ("select 1 from disk where 7 = device", "disk.device is text, compared with the number 7"),
            (
                "select 1 from process p join disk d on 1 where p.user_s between 0 and 'x'",
                "process.user_s is a number, compared with the text 'x'",
            ),
            (
                "select 1 from process where pid not in (1, '2')",
                "process.pid is an integer, compared with the text '2'",
            ),
            (
                "select 1 from process where kernel_thread = 'no'",
                "process.kernel_thread is a boolean (0 or 1), compared with the text 'no'",
            ),
            (
                "select 1 from process where kernel_thread is not 2",
                "process.kernel_thread is a boolean (0 or 1), compared with the number 2",
            ),
            (
                "select 1 from \"disk\" where \"DEVICE\" = 1",
                "disk.device is text, compared with the number 1",
            ),
        ] {
            assert_eq!(refused(sql).as_deref(), Some(expected), "{sql}");
        }
    }

    #[test]
    fn what_is_right_or_not_known_passes() {
        for sql in [
            "select 1 from disk where time > 1763700000000 and device = 'vda' and read_s >= 1",
            "select 1 from process where kernel_thread = 0 and kernel_thread is not true and name like '5%'",
            "select 1 from process where name = '5' || 'x'",
            "select count(*) as device from disk having device > 5",
            "with t as (select 'x' as pid) select pid from t where pid = 'x'",
            "select 1 from active_time where name = 5",
            "select 1 from disk where device in (select name from process where pid = 5)",
            "select 'a' = 'b', 1 = 1 from disk",
            "select setting_value from setting where setting_key = 'vm.swappiness'",
        ] {
            assert_eq!(refused(sql), None, "{sql}");
        }
    }
}
