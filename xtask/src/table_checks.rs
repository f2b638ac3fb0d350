//! What each table is checked with: [`DECLARED`] and the recordings of the sources, and the
//! document that is made of both.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use toml::Table;

use crate::tree::Tree;

/// The declarations; the head of the file says what each key means.
pub const DECLARED: &str = "tests/it/table_checks.toml";
/// The document.
pub const DOCUMENT: &str = "docs/reference/table-checks.md";
/// Every table has a heading here.
const TABLES: &str = "docs/reference/tables.md";
/// A folder for each source.
const FIXTURES: &str = "crates/sources/fixtures/";
/// What a tree of a whole machine gave, a file for each source.
const TREES: &str = "trees/";

/// Recordings with rows of a table, by the source that reads them.
pub type Recordings = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The declarations by table.
pub fn declared(tree: &Tree) -> Result<Table> {
    tree.read(DECLARED)?.parse().with_context(|| DECLARED.to_owned())
}

/// The names of all tables: headings before the first that is none.
pub fn tables(tree: &Tree) -> Result<BTreeSet<String>> {
    let text = tree.read(TABLES)?;
    let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
    let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    Ok(headings.take_while(is_name).map(str::to_owned).collect())
}

/// Which recordings gave rows of which table: what was read of each stands beside it, a row a line
/// that begins with the table.
pub fn recordings(tree: &Tree) -> Result<Recordings> {
    let mut all = Recordings::new();
    for file in tree.below(FIXTURES, "") {
        let inside = &file[FIXTURES.len()..];
        let Some((source, recording)) = place(inside) else { continue };
        let text = tree.read(file)?;
        let named: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
        for table in named {
            let of_table = all.entry(table.to_owned()).or_default();
            of_table.entry(source.to_owned()).or_default().insert(recording.to_owned());
        }
    }
    Ok(all)
}

/// Source and recording of a file of what was read.
fn place(inside: &str) -> Option<(&str, &str)> {
    if let Some(rest) = inside.strip_prefix(TREES) {
        let (machine, source) = rest.split_once(".expect/")?;
        return Some((source.strip_suffix(".txt")?, machine));
    }
    let (source, recording) = inside.split_once('/')?;
    Some((source, recording.strip_suffix(".expect")?))
}

/// The document.
pub fn document(tree: &Tree) -> Result<String> {
    let (declared, recordings) = (declared(tree)?, recordings(tree)?);
    let mut text = format!(
        "# What each table is checked with\n\n\
         Generated from `{DECLARED}` and the files in `{FIXTURES}`; renewed by `cargo xtask generate`. Checks: each\n\
         table has an entry (`cargo xtask ci --only table-checks`); the named tests exist and the tables have\n\
         rows (`table_checks::*` and `guest::6.1::tables` of the integration tests). Recordings and trees \
         whose\nname begins with `hand-made` were written after a real format; kernels from 3.10 on, other processors \
         and\n4,096 CPUs are made by script from the recorded tree (`crates/sources/tests/it`).\n"
    );
    for (table, entry) in &declared {
        let word = |key: &str| entry.get(key).and_then(|value| value.as_str());
        text += &format!("\n## {table}\n\n");
        let tests: Vec<&str> = entry
            .get("by")
            .and_then(|by| by.as_array())
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str())
            .collect();
        let tests: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
        let by = if tests.is_empty() { String::new() } else { format!(" ({})", tests.join(", ")) };
        text += &format!("- Compared with: {}{by}\n", word("with").unwrap_or("nothing"));
        if let Some(differs) = word("differs") {
            text += &format!("- Differences: {differs}\n");
        }
        let rows = |key| word(key).map_or_else(|| "rows".to_owned(), |why| format!("none ({why})"));
        text += &format!(
            "- On the machine of the tests: {}; in the guest: {}\n",
            rows("not_here"),
            rows("not_in_guest")
        );
        match recordings.get(table) {
            Some(sources) => {
                for (source, recorded) in sources {
                    let recorded: Vec<&str> = recorded.iter().map(String::as_str).collect();
                    text += &format!("- Recorded, read by `{source}`: {}\n", recorded.join(", "));
                }
            }
            None => text += &format!("- Recorded: {}\n", word("not_recorded").unwrap_or("nothing")),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_recording_belongs_to_its_source() {
        assert_eq!(place("proc_vmstat/ubuntu.expect"), Some(("proc_vmstat", "ubuntu")));
        assert_eq!(place("trees/debian.expect/proc_vmstat.txt"), Some(("proc_vmstat", "debian")));
        assert_eq!(place("trees/debian/proc/vmstat"), None);
        assert_eq!(place("PROVENANCE.md"), None);
    }
}
