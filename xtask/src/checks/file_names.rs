//! Names say the content, not the history.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "file-names", policy: "names of files and types say what is in them", look };

/// Words that say nothing about the content, or only something about its history.
const EMPTY: [&str; 14] = [
    "common", "enhanced", "final", "generic", "helper", "helpers", "manager", "misc", "new", "old", "stuff",
    "util", "utils", "v2",
];

/// `cargo xtask new` is a command of that name; cgroup v2 is the kernel's own name of it.
const EXEMPT: [&str; 2] = ["xtask/src/commands/new.rs", "cgroup_v2"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree
        .files()
        .filter(|file| !EXEMPT.iter().any(|part| file.contains(part)) && !file.contains("/fixtures/"))
    {
        if let Some(word) = file.split('/').find_map(empty_word) {
            complaints.push(format!("{file}: `{word}` does not say what is in it"));
        }
        if file.ends_with(".rs") {
            complaints.extend(
                types(&tree.read(file)?)
                    .into_iter()
                    .map(|(line, name)| format!("{file}:{line}: the type {name} does not say what it is")),
            );
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// The empty word among the words of a file's name.
fn empty_word(name: &str) -> Option<&str> {
    let stem = name.split('.').next().unwrap_or(name);
    stem.split(['_', '-']).find(|word| EMPTY.contains(&word.to_ascii_lowercase().as_str()))
}

/// Types whose last word is empty, with their lines.
fn types(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    for (at, line) in code.lines().enumerate() {
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let declared = matches!(pair[0], "struct" | "enum" | "trait" | "type");
            let bad = ["Manager", "Helper", "Helpers", "Util", "Utils", "Misc", "V2", "Enhanced"];
            if declared
                && line.contains(&format!("{} {}", pair[0], pair[1]))
                && bad.iter().any(|b| pair[1].ends_with(b))
            {
                found.push((at + 1, pair[1]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_are_found_wherever_they_stand() {
        for (name, expect) in [
            ("utils.rs", Some("utils")),
            ("disk_helpers.rs", Some("helpers")),
            ("news.rs", None),
            ("new-disk", Some("new")),
        ] {
            assert_eq!(empty_word(name), expect, "{name}");
        }
        assert_eq!(types("pub struct DiskManager;\nstruct Disk { manager: u8 }\n"), [(1, "DiskManager")]);
    }
}
