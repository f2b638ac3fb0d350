//! Texts for people use the field's terms: `xtask/words.toml` lists wrong words and their replacement.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::{Check, Outcome};
use crate::prose::{Prose, of_markdown, of_rust, of_toml};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "words", policy: "texts for people have no wrong word of xtask/words.toml", look };

/// The list.
const LIST: &str = "xtask/words.toml";
/// Documents of the first page.
const DOCUMENTS: [&str; 4] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"];
/// Folders of documents that are shown to people.
const TOML: [&str; 3] = ["profiles/", "rules/", "tunables/"];
/// Crates whose string literals people read.
const CRATES: [&str; 12] = [
    "archive", "cli", "diagnose", "engine", "hostfs", "import", "model", "probe", "prove", "report",
    "sources", "tune",
];
/// Crates whose doc comments people read: as help, and as descriptions in JSON schemas.
const WITH_COMMENTS: [&str; 2] = ["cli", "model"];

fn look(tree: &Tree) -> Result<Outcome> {
    let list = words(&tree.read(LIST)?)?;
    let mut complaints = Vec::new();
    for (file, prose) in texts(tree)? {
        for (line, wrong, word) in found(&prose, &list) {
            complaints.push(format!("{file}:{line}: \"{wrong}\"; write: {}", word.write));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// Every text that people read, with its file.
fn texts(tree: &Tree) -> Result<Vec<(&str, Prose)>> {
    let mut texts = Vec::new();
    let manuals = tree.below("docs/", ".md").filter(|file| file.matches('/').count() == 1);
    for file in tree.files().filter(|file| DOCUMENTS.contains(file)).chain(manuals) {
        texts.push((file, of_markdown(&tree.read(file)?)));
    }
    for file in TOML.iter().flat_map(|folder| tree.below(folder, ".toml")) {
        texts.push((file, of_toml(&tree.read(file)?)));
    }
    for file in tree.below("crates/", ".rs") {
        let mut parts = file.split('/').skip(1);
        let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if folder == "src"
            && CRATES.contains(&name)
            && !file.ends_with("tests.rs")
            && !file.contains("/tests/")
        {
            texts.push((file, of_rust(&tree.read(file)?, WITH_COMMENTS.contains(&name))));
        }
    }
    Ok(texts)
}

/// An entry of the list.
struct Word {
    wrong: Vec<String>,
    write: String,
    except: Vec<String>,
}

/// Reads the list.
fn words(text: &str) -> Result<Vec<Word>> {
    let document: Table = text.parse().context(LIST)?;
    let entries = document.get("word").and_then(Value::as_array).context("xtask/words.toml: no [[word]]")?;
    let texts = |entry: &Value, key: &str| -> Vec<String> {
        let values = entry.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        values.iter().filter_map(|value| Some(value.as_str()?.to_lowercase())).collect()
    };
    let of_entry = |entry: &Value| {
        let write = entry
            .get("write")
            .and_then(Value::as_str)
            .context("xtask/words.toml: an entry without `write`")?;
        Ok(Word { wrong: texts(entry, "wrong"), write: write.to_owned(), except: texts(entry, "except") })
    };
    entries.iter().map(of_entry).collect()
}

/// Lines with a wrong word, the word as listed, and its entry, in the order of lines; each place once.
fn found<'a>(prose: &Prose, list: &'a [Word]) -> Vec<(usize, &'a str, &'a Word)> {
    let mut places: Vec<(usize, &str, &Word)> = Vec::new();
    for word in list {
        // The longest first: of "looked at" and "a look" in one place one is enough.
        let mut wrong: Vec<&str> = word.wrong.iter().map(String::as_str).collect();
        wrong.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for text in wrong {
            for at in prose.places(text) {
                let end = at + text.len();
                let is_right = word.except.iter().any(|except| {
                    prose.places(except).iter().any(|from| *from <= at && end <= from + except.len())
                });
                if !is_right && !taken.iter().any(|(from, to)| at < *to && *from < end) {
                    taken.push((at, end));
                    places.push((prose.line(at), text, word));
                }
            }
        }
    }
    places.sort_by_key(|(line, text, _)| (*line, *text));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "[[word]]\nwrong = [\"in line\", \"held up\"]\nwrite = \"x\"\nexcept = [\"in line with\"]\n";

    fn lines(prose: &Prose) -> Vec<usize> {
        let list = words(LIST).unwrap_or_default();
        found(prose, &list).iter().map(|(line, ..)| *line).collect()
    }

    #[test]
    fn wrong_words_are_found_over_line_breaks_and_exceptions_are_not() {
        assert_eq!(lines(&of_markdown("Work is Held\nup here.\n\nIn line with it; six in line.\n")), [1, 4]);
        assert_eq!(lines(&of_markdown("inline, heldup, `held up`")), [1]);
    }

    #[test]
    fn the_list_itself_is_read() {
        let list = words(include_str!("../../words.toml")).unwrap_or_default();
        assert!(list.len() > 10 && list.iter().all(|word| !word.wrong.is_empty() && !word.write.is_empty()));
    }
}
