//! `lsblk -P` (a line of `NAME="sda" …` for each device, as reports of sos have it) and `lsblk -J`: what the headings mean is said in
//! [`super::lsblk`].

use crate::disks::lsblk::{device, put_device};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::json_token::token;

const NAME: &str = "lsblk";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// Values of a device, and devices in each other.
const MOST_VALUES: usize = 256;
const DEEPEST: usize = 64;

/// Reads both.
#[derive(Default)]
pub struct LsblkPairs {
    listing: Option<Listing>,
}

struct Listing {
    when: When,
    last_line: u64,
    /// Of JSON: the devices that are being read, each in the one before.
    tree: Option<Tree>,
}

#[derive(Default)]
struct Tree {
    open: Vec<Object>,
    key: String,
    /// Brackets that are open, and braces.
    depth: usize,
}

#[derive(Default)]
struct Object {
    values: Vec<(String, String)>,
    device: Option<String>,
    is_written: bool,
}

impl Importer for LsblkPairs {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_tree = line.words.contains(&"\"blockdevices\":") || line.words == ["{\"blockdevices\":["];
        let pairs = if is_tree { None } else { pairs(line.text) };
        if !is_tree && pairs.is_none() {
            return Ok(false);
        }
        if is_tree || self.listing.is_none() {
            self.ends(document)?;
            document.begin(NAME);
            let tree = is_tree.then(Tree::default);
            self.listing = Some(Listing { when: document.moment(NAME), last_line: line.number, tree });
        }
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        if let Some(tree) = &mut listing.tree {
            listing.last_line = line.number;
            if tree.take(line.text, listing.when, document) {
                self.ends(document)?;
            }
            return Ok(true);
        }
        let Some(values) = pairs(line.text) else { return Ok(false) };
        listing.last_line = line.number;
        write(&values, None, listing.when, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        if listing.tree.is_some_and(|tree| tree.depth > 0) {
            document
                .flaw(listing.last_line, "lsblk: the list of devices ends here; expected ] and }".to_owned());
        }
        document.end_sample(NAME)
    }
}

impl Tree {
    /// Takes a line of JSON; whether the list is over.
    fn take(&mut self, text: &str, when: When, document: &mut Document) -> bool {
        let mut rest = text.trim_start();
        while let Some(sign) = rest.chars().next() {
            match sign {
                '{' => {
                    self.write_last(when, document);
                    self.depth += 1;
                    if self.open.len() < DEEPEST {
                        self.open.push(Object::default());
                    }
                    self.key.clear();
                }
                '}' => {
                    self.write_last(when, document);
                    self.depth = self.depth.saturating_sub(1);
                    self.open.pop();
                    if self.depth == 0 {
                        return true;
                    }
                }
                '[' => self.depth += 1,
                ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return true;
                    }
                }
                ':' | ',' => {}
                _ => {
                    let (word, is_quoted, behind) = token(rest);
                    if is_quoted && behind.trim_start().starts_with(':') {
                        self.key = heading(word);
                    } else if let Some(object) = self.open.last_mut()
                        && let Some(value) = value(word, is_quoted)
                        && object.values.len() < MOST_VALUES
                        // Of several mount points the first.
                        && !object.values.iter().any(|(key, _)| *key == self.key)
                    {
                        object.values.push((self.key.clone(), value));
                    }
                    rest = behind.trim_start();
                    continue;
                }
            }
            rest = rest[sign.len_utf8()..].trim_start();
        }
        false
    }

    /// Writes the innermost device, before what lies in it.
    fn write_last(&mut self, when: When, document: &mut Document) {
        let parent = self.open.iter().rev().skip(1).find_map(|object| object.device.clone());
        let Some(object) = self.open.last_mut().filter(|object| !object.is_written) else { return };
        object.is_written = true;
        object.device = write(&object.values, parent.as_deref(), when, document);
    }
}

/// Truths as the other listings print them; none of `null`.
fn value(word: &str, is_quoted: bool) -> Option<String> {
    match word {
        "null" if !is_quoted => None,
        "true" if !is_quoted => Some("1".to_owned()),
        "false" if !is_quoted => Some("0".to_owned()),
        word => Some(word.to_owned()),
    }
}

/// `maj:min`, `MAJ_MIN` and `log_sec` as headings.
fn heading(key: &str) -> String {
    let key = key.to_ascii_uppercase();
    if key == "MAJ_MIN" { "MAJ:MIN".to_owned() } else { key.replace('_', "-") }
}

/// The pairs of a line of `-P`; none where the line is something else.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (key, behind) = rest.split_once("=\"")?;
        let is_key = key
            .bytes()
            .all(|sign| sign.is_ascii_uppercase() || sign.is_ascii_digit() || b":_-%".contains(&sign));
        let (value, behind) = behind.split_once('"')?;
        if !is_key || key.is_empty() || pairs.len() >= MOST_VALUES {
            return None;
        }
        pairs.push((heading(key), value.to_owned()));
        rest = behind.trim_start();
    }
    let has = |name: &str| pairs.iter().any(|(key, _)| key == name);
    (has("NAME") && ["MAJ:MIN", "KNAME", "TYPE", "ROTA", "FSTYPE"].into_iter().any(has)).then_some(pairs)
}

/// Writes a device; its name.
fn write(
    values: &[(String, String)],
    parent: Option<&str>,
    when: When,
    document: &mut Document,
) -> Option<String> {
    let cell = |heading: &str| {
        let (_, value) = values.iter().find(|(key, _)| key == heading)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    };
    let name = cell("NAME")?;
    let device = device(name, &cell)?;
    put_device(&device, name, parent.or_else(|| cell("PKNAME")), &cell, when, document);
    Some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_line() {
        let read = pairs("NAME=\"sda1\" MAJ_MIN=\"8:1\" LABEL=\"a b\" TYPE=\"part\"").unwrap();
        assert_eq!(read[1], ("MAJ:MIN".to_owned(), "8:1".to_owned()));
        assert_eq!(read[2].1, "a b");
        assert_eq!(pairs("NAME=\"CentOS\" VERSION=\"7\" ID=\"centos\""), None);
        assert_eq!(pairs("ID=disk"), None);
        assert_eq!(token("8192, 1"), ("8192", false, ", 1"));
        assert_eq!(token("é"), ("é", false, ""));
    }
}
