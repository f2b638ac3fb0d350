//! The names that a question may use, and which of them somebody may have meant.

use heldup_model::{rollup, tables};

use super::functions::sql_functions;
use super::tokens::{Token, tokens};

/// Suggestions that help; more would be a list to read.
const SUGGESTIONS: usize = 5;

/// Columns of every table and view that a database has.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Columns by table or view.
    pub(super) columns: Vec<(String, Vec<String>)>,
}

impl Names {
    /// The tables of the model; views are added once they are defined.
    pub(super) fn of_tables() -> Names {
        let by_the_minute = rollup::all().iter().map(|rollup| rollup.def);
        let columns = tables::ALL.iter().copied().chain(by_the_minute).map(|def| {
            (def.name.to_owned(), def.all_columns().map(|column| column.name.to_owned()).collect())
        });
        Names { columns: columns.collect() }
    }

    /// All tables and views.
    pub(super) fn tables(&self) -> Vec<String> {
        self.columns.iter().map(|(table, _)| table.clone()).collect()
    }

    /// Tables and views with names like this one.
    pub(super) fn tables_like(&self, name: &str) -> Vec<String> {
        // Whoever means a table does not mean the same by minute, which is so alike.
        let wanted = |table: &String| rollup::find(table).is_none() || name.contains("minute");
        let all: Vec<String> = self.tables().into_iter().filter(wanted).collect();
        nearest(name, all.iter().map(|table| (table.clone(), table.as_str())))
    }

    /// Functions of our own with names like this one.
    pub(super) fn functions_like(&self, name: &str) -> Vec<String> {
        nearest(name, sql_functions().iter().map(|f| (f.signature.to_owned(), f.name)))
    }

    /// Columns with names like this one (`table.column` or `column`): of the table that it
    /// is asked of, or of those that the question reads. Of other tables only columns with
    /// this very name, which then is asked of the wrong one.
    pub(super) fn columns_like(&self, name: &str, sql: &str) -> Vec<String> {
        let (qualifier, name) = match name.rsplit_once('.') {
            Some((qualifier, name)) => (Some(qualifier.to_ascii_lowercase()), name),
            None => (None, name),
        };
        let read = self.tables_read(sql);
        let asked: Vec<&str> = match &qualifier {
            Some(qualifier) => read.iter().filter(|(_, alias)| alias == qualifier).map(|(t, _)| *t).collect(),
            None => read.iter().map(|(table, _)| *table).collect(),
        };
        let of = |wanted: &dyn Fn(&str, &str) -> bool| {
            let columns = self.columns.iter().flat_map(|(table, columns)| {
                columns.iter().filter(|column| wanted(table, column)).map(move |column| (table, column))
            });
            nearest(name, columns.map(|(table, column)| (format!("{table}.{column}"), column.as_str())))
        };
        let near = of(&|table, _| asked.contains(&table));
        match near.is_empty() {
            true if read.is_empty() => of(&|_, _| true),
            true => of(&|_, column| column.eq_ignore_ascii_case(name)),
            false => near,
        }
    }

    /// The tables and views that a question reads, by the names it gives them.
    fn tables_read<'a>(&'a self, sql: &str) -> Vec<(&'a str, String)> {
        let tokens = tokens(sql);
        let word = |at: usize| match tokens.get(at).map(|placed| &placed.token) {
            Some(Token::Name(name)) => Some(name.to_ascii_lowercase()),
            _ => None,
        };
        let mut read = Vec::new();
        // Whether a table comes next, and whether a comma brings another one.
        let (mut expected, mut listing) = (false, false);
        let mut outside = Vec::new();
        for (at, placed) in tokens.iter().enumerate() {
            match placed.token {
                Token::Mark("(") => {
                    outside.push(listing || expected);
                    (expected, listing) = (false, false);
                }
                Token::Mark(")") => listing = outside.pop().unwrap_or(false),
                Token::Mark(",") => expected = listing,
                Token::Name(_) => {
                    let name = word(at).unwrap_or_default();
                    if name == "from" || name == "join" {
                        (expected, listing) = (true, true);
                    } else if expected {
                        expected = false;
                        let own = if word(at + 1).as_deref() == Some("as") { at + 2 } else { at + 1 };
                        let alias = word(own).filter(|word| !AFTER_A_TABLE.contains(&word.as_str()));
                        let known = self.columns.iter().find(|(table, _)| *table == name);
                        read.extend(known.map(|(table, _)| (table.as_str(), alias.unwrap_or(name))));
                    } else if ENDS_TABLES.contains(&name.as_str()) {
                        listing = false;
                    }
                }
                _ => {}
            }
        }
        read
    }
}

/// Words that end a list of tables.
const ENDS_TABLES: [&str; 9] =
    ["where", "group", "order", "limit", "having", "window", "union", "except", "intersect"];
/// Words that may follow a table and are no other name of it.
const AFTER_A_TABLE: [&str; 19] = [
    "where",
    "group",
    "order",
    "limit",
    "having",
    "window",
    "union",
    "except",
    "intersect",
    "on",
    "using",
    "join",
    "left",
    "right",
    "full",
    "inner",
    "cross",
    "natural",
    "outer",
];

/// The shown forms of the names that are nearest to a wanted one, best first.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = (String, &'a str)>) -> Vec<String> {
    let wanted = wanted.to_ascii_lowercase();
    let mut scored: Vec<(usize, String)> = names
        .filter_map(|(shown, name)| {
            let name = name.to_ascii_lowercase();
            let distance = distance(&wanted, &name);
            // A third of the letters wrong is still a slip; more is another word,
            // unless one name is part of the other.
            let slip = distance <= (wanted.chars().count() / 3).max(1);
            let part = wanted.len() >= 3 && (name.contains(&wanted) || wanted.contains(&name));
            (slip || part).then_some((if slip { distance } else { 100 + distance }, shown))
        })
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, shown)| shown).take(SUGGESTIONS).collect()
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let cost = (diagonal + usize::from(from != *to)).min(*cell + 1).min(left + 1);
            diagonal = std::mem::replace(cell, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in
            [("", "", 0), ("tid", "tid", 0), ("tid", "pid", 1), ("", "abc", 3), ("sceonds", "seconds", 2)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn columns_of_the_tables_in_question_come_first() {
        let names = Names::of_tables();
        assert_eq!(
            names.columns_like("t.secnds", "select t.secnds from task_time t"),
            ["task_time.seconds", "task_time.secs"]
        );
        assert!(
            names
                .columns_like("reed_bytes", "select reed_bytes from disk")
                .contains(&"disk.read_bytes".to_owned())
        );
    }

    #[test]
    fn only_tables_that_are_read_are_suggested_from() {
        let names = Names::of_tables();
        // `host` is a column of all tables and the name of one; `process` stands in a text.
        let sql = "select host, cpu_ix from task_time where name <> 'process' and pid = process";
        assert_eq!(names.columns_like("cpu_ix", sql), Vec::<String>::new());
        let sql =
            "select d.sek from disk d, (select max(tid) from thread) t join cpu as c on c.time = d.time";
        let read: Vec<_> = names.tables_read(sql);
        assert_eq!(
            read,
            [("disk", "d".to_owned()), ("thread", "thread".to_owned()), ("cpu", "c".to_owned())]
        );
        assert!(names.columns_like("c.usr_s", sql).contains(&"cpu.user_s".to_owned()));
        assert!(names.columns_like("d.usr_s", sql).is_empty(), "a disk has nothing like it");
        let elsewhere = names.columns_like("queue_s", "select queue_s from cpu");
        assert!(
            elsewhere.contains(&"disk.queue_s".to_owned())
                && elsewhere.iter().all(|c| c.ends_with(".queue_s"))
        );
    }

    #[test]
    fn tables_with_a_slip_or_a_part() {
        let names = Names::of_tables();
        assert_eq!(names.tables_like("proces"), ["process", "process_io", "ended_process"]);
        assert_eq!(names.tables_like("task"), ["task_time"]);
        assert!(names.tables_like("xyzzy").is_empty());
    }
}
