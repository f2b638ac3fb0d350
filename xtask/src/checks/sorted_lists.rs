//! The list of a kind is sorted and has no line twice.

use anyhow::Result;

use super::{Check, Outcome};
use crate::sorted_list::{LISTS, key};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "sorted-lists", policy: "lists of units are sorted, one line each", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for list in LISTS {
        let text = tree.read(list.file)?;
        let Some(items) = list.items(&text) else {
            complaints
                .push(format!("{}: no list at `{}`; tell xtask/src/sorted_list.rs", list.file, list.start));
            continue;
        };
        for pair in items.windows(2) {
            if key(pair[0].1) >= key(pair[1].1) {
                complaints.push(format!(
                    "{}:{}: `{}` belongs above `{}`",
                    list.file, pair[1].0, pair[1].1, pair[0].1
                ));
            }
        }
    }
    Ok(Outcome::Looked(complaints))
}
