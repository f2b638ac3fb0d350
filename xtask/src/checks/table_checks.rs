//! Each table says what its values are held against.

use anyhow::Result;

use super::{Check, Outcome};
use crate::table_checks::{DECLARED, declared, recordings, tables};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "table-checks",
    policy: "each table says whom its values are compared with, and has a recording or why not",
    look,
};

fn look(tree: &Tree) -> Result<Outcome> {
    let (declared, recordings, tables) = (declared(tree)?, recordings(tree)?, tables(tree)?);
    let mut complaints = Vec::new();
    for table in &tables {
        let Some(entry) = declared.get(table) else {
            complaints.push(format!("{DECLARED}: no [{table}]; say whom its values are compared with"));
            continue;
        };
        let has =
            |key: &str| entry.get(key).and_then(|value| value.as_str()).is_some_and(|text| !text.is_empty());
        let tests = entry.get("by").and_then(|by| by.as_array()).map_or(0, Vec::len);
        if !has("with") || (tests == 0 && !(has("not_here") && has("not_in_guest"))) {
            complaints.push(format!("{DECLARED}: [{table}] is had and compared by no test"));
        }
        if recordings.contains_key(table) == has("not_recorded") {
            complaints.push(format!("{DECLARED}: [{table}] wants a recording or not_recorded, and not both"));
        }
    }
    for table in declared.keys().filter(|name| !tables.contains(*name)) {
        complaints.push(format!("{DECLARED}: [{table}] is no table"));
    }
    if tables.is_empty() {
        complaints.push("no table was found in the reference".to_owned());
    }
    Ok(Outcome::Looked(complaints))
}
