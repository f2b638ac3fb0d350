//! The names that a question may use, and which of them somebody may have meant.

use heldup_model::tables;

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
        let columns = tables::ALL.iter().map(|def| {
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
        let all = self.tables();
        nearest(name, all.iter().map(|table| (table.clone(), table.as_str())))
    }

    /// Functions of our own with names like this one.
    pub(super) fn functions_like(&self, name: &str) -> Vec<String> {
        nearest(name, sql_functions().iter().map(|f| (f.signature.to_owned(), f.name)))
    }

    /// Columns with names like this one (`table.column` or `column`), of the tables
    /// that the question names; of all tables where those have none.
    pub(super) fn columns_like(&self, name: &str, sql: &str) -> Vec<String> {
        let name = name.rsplit('.').next().unwrap_or(name);
        let words: Vec<String> = tokens(sql)
            .into_iter()
            .filter_map(|token| match token.token {
                Token::Name(name) => Some(name.to_ascii_lowercase()),
                _ => None,
            })
            .collect();
        let of = |wanted: &dyn Fn(&str) -> bool| {
            let columns = self.columns.iter().filter(|(table, _)| wanted(table));
            let columns = columns.flat_map(|(table, columns)| columns.iter().map(move |c| (table, c)));
            nearest(name, columns.map(|(table, column)| (format!("{table}.{column}"), column.as_str())))
        };
        let named = of(&|table| words.iter().any(|word| word == table));
        if named.is_empty() { of(&|_| true) } else { named }
    }
}

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
    fn tables_with_a_slip_or_a_part() {
        let names = Names::of_tables();
        assert_eq!(names.tables_like("proces"), ["process"]);
        assert_eq!(names.tables_like("task"), ["task_time"]);
        assert!(names.tables_like("xyzzy").is_empty());
    }
}
