//! `df`: how full file systems are, with `-k`, `-h`, `-T`, `-i`, `-P` and blocks of any size.
//!
//! Sizes for people (`-h`) are rounded: of these the free space is the available one alone. The free space
//! with what is kept for root is the size without what is used. A long name of a device has a line of its own.

use heldup_model::Record;
use heldup_model::tables::FilesystemRow;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::number::size;
use crate::put::{Put, put_row};
use crate::sheets::{Key, When};

const NAME: &str = "df";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads `df`.
#[derive(Default)]
pub struct Df {
    listing: Option<Listing>,
}

struct Listing {
    when: When,
    /// Bytes of a block; none where sizes have letters.
    block_bytes: Option<f64>,
    has_type: bool,
    is_translated: bool,
    is_of_inodes: bool,
    /// The device of a row that goes on in the next line.
    begun: Option<String>,
    last_line: u64,
}

impl Importer for Df {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(heading) = heading(line.words) else { return Ok(false) };
        self.ends(document)?;
        document.begin(NAME);
        if heading.block_bytes.is_none() && !heading.is_of_inodes {
            document.note("df: sizes are rounded, and their letters are taken for powers of 1024");
        }
        let when = document.moment(NAME);
        let (block_bytes, has_type) = (heading.block_bytes, heading.has_type);
        let Heading { is_of_inodes, is_translated, .. } = heading;
        let last_line = line.number;
        self.listing = Some(Listing {
            when,
            block_bytes,
            has_type,
            is_translated,
            is_of_inodes,
            begun: None,
            last_line,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if heading(line.words).is_some() {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let mut words: Vec<&str> = Vec::new();
        let begun = listing.begun.take();
        words.extend(begun.as_deref());
        words.extend(line.words);
        // In another language the headings do not tell whether types are among them.
        let has_type = listing.has_type
            || listing.is_translated && words.get(1).is_some_and(|word| size(word, 1.0).is_none());
        let Some(row) = row(&words, has_type) else {
            let is_device = words.len() == 1 && (words[0].contains('/') || words[0].contains(':'));
            if is_device {
                listing.begun = words.first().map(|word| (*word).to_owned());
                listing.last_line = line.number;
                return Ok(true);
            }
            let numbers = words.iter().skip(1).take(3).filter(|word| size(word, 1.0).is_some()).count();
            if numbers < 2 {
                return Ok(false);
            }
            let what =
                format!("df: {} words; expected a device, three numbers, a share and a mount", words.len());
            document.flaw(line.number, what);
            listing.last_line = line.number;
            return Ok(true);
        };
        listing.last_line = line.number;
        listing.write(&row, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn write(&self, row: &Row<'_>, document: &mut Document) {
        let unit = self.block_bytes.unwrap_or(1.0);
        let [total, used, free] =
            row.numbers.map(|word| size(word, if self.is_of_inodes { 1.0 } else { unit }));
        let device = kernel_name(row.device);
        let mut cells = vec![("device", Put::Text(device))];
        if let Some(kind) = row.kind {
            cells.push(("fs_type", Put::Text(kind)));
        }
        if self.is_of_inodes {
            // Some make inodes as needed.
            let has_inodes = total.is_some_and(|total| total > 0.0);
            cells.push(("inodes", Put::Number(total.filter(|_| has_inodes))));
            cells.push(("inodes_free", Put::Number(free.filter(|_| has_inodes))));
        } else {
            let exact =
                total.zip(used).map(|(total, used)| total - used).filter(|_| self.block_bytes.is_some());
            cells.push(("size_bytes", Put::Number(total)));
            cells.push(("free_bytes", Put::Number(exact)));
            cells.push(("available_bytes", Put::Number(free)));
        }
        put_row(document, FilesystemRow::DEF, self.when, Key::Name(&row.mount), &cells);
    }
}

/// The kernel's name of a device; of what is mapped it is not told, and what is no device stands for itself.
pub fn kernel_name(device: &str) -> &str {
    match device.strip_prefix("/dev/") {
        Some(name) if !name.contains('/') => name,
        _ => device,
    }
}

struct Heading {
    block_bytes: Option<f64>,
    has_type: bool,
    is_of_inodes: bool,
    is_translated: bool,
}

/// `Dateisystem 1K-Blöcke Benutzt Verfügbar Verw% Eingehängt auf`, `S.ficheros bloques de 1K Usados …`: the blocks and the share are told.
fn translated(words: &[&str]) -> Option<Heading> {
    let is_block =
        |word: &&&str| **word == "1K" || word.strip_prefix("1K-").is_some_and(|rest| !rest.is_empty());
    let shares = words.iter().filter(|word| word.len() > 1 && word.ends_with('%')).count();
    let blocks = words.iter().position(|word| is_block(&word))?;
    let share = words.iter().position(|word| word.ends_with('%'))?;
    let has_digits =
        words.iter().any(|word| word.starts_with(|sign: char| sign.is_ascii_digit()) && !is_block(&word));
    let is_one =
        (6..=12).contains(&words.len()) && blocks > 0 && share > blocks + 1 && share + 1 < words.len();
    (is_one && shares == 1 && !has_digits).then_some(Heading {
        block_bytes: Some(1024.0),
        has_type: false,
        is_of_inodes: false,
        is_translated: true,
    })
}

/// `Filesystem [Type] 1K-blocks Used Available Use% Mounted on`, with `Size` for people.
fn heading(words: &[&str]) -> Option<Heading> {
    let ["Filesystem", rest @ ..] = words else { return translated(words) };
    let (has_type, rest) = match rest {
        ["Type", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let [unit, _, _, share, "Mounted", "on"] = rest else { return None };
    if !share.ends_with('%') && *share != "Capacity" {
        return None;
    }
    if *unit == "Inodes" {
        return Some(Heading { block_bytes: None, has_type, is_of_inodes: true, is_translated: false });
    }
    let block_bytes = match *unit {
        "Size" => None,
        unit => {
            let of = unit.strip_suffix("-blocks")?;
            // In powers of 1000 where a B follows: `1MB-blocks`.
            let decimal = of.strip_suffix('B').and_then(|of| {
                let (number, factor) = match of.char_indices().next_back()? {
                    (at, 'k' | 'K') => (&of[..at], 1e3),
                    (at, 'M') => (&of[..at], 1e6),
                    (at, 'G') => (&of[..at], 1e9),
                    _ => (of, 1.0),
                };
                Some(number.parse::<f64>().ok()? * factor)
            });
            Some(decimal.or_else(|| size(of, 1.0))?)
        }
    };
    Some(Heading { block_bytes, has_type, is_of_inodes: false, is_translated: false })
}

struct Row<'w> {
    device: &'w str,
    kind: Option<&'w str>,
    numbers: [&'w str; 3],
    mount: String,
}

/// A row: names of devices and mounts may have blanks in them, so that it is read from its share on.
fn row<'w>(words: &[&'w str], has_type: bool) -> Option<Row<'w>> {
    let is_share =
        |word: &&str| *word == "-" || word.strip_suffix('%').is_some_and(|n| n.parse::<u32>().is_ok());
    let names = 1 + usize::from(has_type);
    let share = words.iter().enumerate().skip(names + 3).find(|(at, word)| {
        let before = words.get(at - 3..*at).unwrap_or_default();
        is_share(word) && before.iter().all(|word| *word == "-" || size(word, 1.0).is_some())
    })?;
    let at = share.0;
    let [total, used, free] = words.get(at - 3..at)? else { return None };
    let kind = if has_type { Some(*words.get(at - 4)?) } else { None };
    let mount = words.get(at + 1..)?.join(" ");
    let device = words.first()?;
    (mount.starts_with('/')).then_some(Row { device, kind, numbers: [total, used, free], mount })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn blocks_of_any_size() {
        let block = |unit: &str| {
            heading(&words(&format!("Filesystem {unit} Used Available Use% Mounted on")))
                .map(|it| it.block_bytes)
        };
        assert_eq!(block("1K-blocks"), Some(Some(1024.0)));
        assert_eq!(block("1024-blocks"), Some(Some(1024.0)));
        assert_eq!(block("512-blocks"), Some(Some(512.0)));
        assert_eq!(block("1M-blocks"), Some(Some(1_048_576.0)));
        assert_eq!(block("1MB-blocks"), Some(Some(1e6)));
        assert_eq!(block("1B-blocks"), Some(Some(1.0)));
        assert_eq!(block("Size"), Some(None));
        assert_eq!(block("of"), None);
    }

    #[test]
    fn rows_with_blanks_in_their_names() {
        let row = row(&words("//nas/My Files 100 40 60 40% /mnt/My Files"), false).expect("a row");
        assert_eq!((row.device, row.mount.as_str()), ("//nas/My", "/mnt/My Files"));
        assert_eq!(row.numbers, ["100", "40", "60"]);
        assert_eq!(kernel_name("/dev/sda1"), "sda1");
        assert_eq!(kernel_name("/dev/mapper/vg-root"), "/dev/mapper/vg-root");
    }
}
