//! ARCHITECTURE.md shows the tree as it is.

use anyhow::Result;

use super::{Check, Outcome};
use crate::crate_edges::ALLOWED;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "architecture-map",
    policy: "ARCHITECTURE.md has every crate and folder, no other, and at most 300 lines",
    look,
};

/// The document.
const MAP: &str = "ARCHITECTURE.md";
/// Beyond this nobody reads it.
const MOST_LINES: usize = 300;

fn look(tree: &Tree) -> Result<Outcome> {
    let text = tree.read(MAP)?;
    let mut complaints = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        complaints.push(format!("{MAP}: {lines} lines; at most {MOST_LINES}"));
    }
    let on_map = rows(&text);
    let in_tree = tree.folders("crates/");
    for name in &in_tree {
        match on_map.iter().find(|(crate_name, _)| crate_name == name) {
            None => complaints.push(format!("{MAP}: crate {name} is not on the map")),
            Some((_, edges)) => complaints.extend(other_edges(name, edges)),
        }
    }
    let gone = on_map.iter().filter(|(name, _)| !in_tree.contains(name));
    complaints.extend(gone.map(|(name, _)| format!("{MAP}: there is no crate {name}")));
    for folder in tree.folders("") {
        let hidden = folder.starts_with('.') && folder != ".ci";
        if !hidden && !text.contains(&format!("`{folder}/")) {
            complaints.push(format!("{MAP}: folder `{folder}/` is not on the map"));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// Crates of the table: name and what it may use.
fn rows(text: &str) -> Vec<(&str, Vec<&str>)> {
    let table = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    table
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let name = cells.first()?.trim_matches('`');
            let edges = cells.last()?.split(',').map(str::trim).filter(|edge| *edge != "–").collect();
            Some((name, edges))
        })
        .collect()
}

/// A complaint when the map's third column is not what is enforced.
fn other_edges(name: &str, edges: &[&str]) -> Option<String> {
    let (_, enforced) = ALLOWED.iter().find(|(crate_name, _)| *crate_name == name)?;
    let mut sorted: Vec<&str> = edges.to_vec();
    sorted.sort_unstable();
    let all = edges == ["all"] && enforced.len() + 2 == ALLOWED.len();
    (!all && sorted != *enforced).then(|| {
        let enforced = if enforced.is_empty() { "–".to_owned() } else { enforced.join(", ") };
        format!("{MAP}: {name} may use {}; the check enforces {enforced}", edges.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let text = "x\n| crate | job | may use |\n|---|---|---|\n| model | words | – |\n| `cli` | all of it | all |\n\n| y |";
        assert_eq!(rows(text), [("model", vec![]), ("cli", vec!["all"])]);
    }

    #[test]
    fn the_map_and_the_check_agree() {
        assert!(other_edges("model", &[]).is_none());
        assert!(other_edges("cli", &["all"]).is_none());
        assert!(other_edges("report", &["model", "archive"]).is_some());
    }
}
