//! `df`: how full file systems are, with `-k`, `-h`, `-T`, `-i`, `-P` and blocks of any size, of Linux, the BSDs,
//! Solaris, AIX (`-g`, `-m`, `-v`, `-M` too) and HP-UX (`bdf`).
//!
//! Sizes for people (`-h`) are rounded: of these the free space is the available one alone. The free space
//! with what is kept for root is the size without what is used; AIX tells what is free, and keeps nothing. A long
//! name of a device has a line of its own.

use heldup_model::Record;
use heldup_model::tables::FilesystemRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::number::size;

const NAME: &str = "df";
/// Blocks of so many bytes are hundredths and whole numbers of megabytes.
const ROUNDED_FROM_BYTES: f64 = 1e6;
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads `df`.
#[derive(Default)]
pub struct Df {
    listing: Option<Listing>,
}

struct Listing {
    when: When,
    heading: Heading,
    /// The device of a row that goes on in the next line.
    begun: Option<String>,
    last_line: u64,
}

impl Importer for Df {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(heading) = heading(line.words) else { return Ok(false) };
        self.ends(document)?;
        document.begin(NAME);
        match heading.block_bytes {
            _ if !heading.columns.contains(&Column::Total) => {}
            None => document.note("df: rounded sizes, units of 1024 assumed"),
            Some(bytes) if bytes >= ROUNDED_FROM_BYTES => document.note("df: rounded sizes"),
            Some(_) => {}
        }
        let when = document.moment_of(NAME, &format!("{:?}", heading.columns));
        self.listing = Some(Listing { when, heading, begun: None, last_line: line.number });
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
        let Some(row) = listing.heading.row(&words) else {
            let numbers = words.iter().skip(1).take(3).filter(|word| size(word, 1.0).is_some()).count();
            // With a blank in it, a share of another machine.
            let is_device = match words[..] {
                [one] => one.contains('/') || one.contains(':'),
                [first, ..] => first.len() > 2 && first.starts_with("//") && numbers < 2,
                [] => false,
            };
            if is_device {
                listing.begun = Some(words.join(" "));
                listing.last_line = line.number;
                return Ok(true);
            }
            if numbers < 2 {
                return Ok(false);
            }
            let columns = listing.heading.columns.len();
            let what = format!("df: {} words; expected a device, {columns} numbers and a mount", words.len());
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
        let Heading { block_bytes, columns, .. } = &self.heading;
        let value = |column: Column| {
            let at = columns.iter().position(|it| *it == column)?;
            let word = row.cells.get(at)?;
            match column.is_of_inodes() {
                // Beside sizes with letters macOS gives inodes letters for powers of 1000.
                true if columns.contains(&Column::Total) => {
                    word.parse::<u64>().ok().map(|inodes| inodes as f64)
                }
                true => size(word, 1.0),
                false => size(word, block_bytes.unwrap_or(1.0)),
            }
        };
        let mut cells = vec![("device", Put::Text(kernel_name(&row.device)))];
        if let Some(kind) = row.kind {
            cells.push(("fs_type", Put::Text(kind)));
        }
        let inodes_free = value(Column::InodesFree);
        let inodes = value(Column::Inodes)
            .or_else(|| value(Column::InodesUsed).zip(inodes_free).map(|(used, free)| used + free));
        if inodes_free.is_some() {
            // Some make inodes as needed.
            let has_inodes = inodes.is_some_and(|total| total > 0.0);
            cells.push(("inodes", Put::Number(inodes.filter(|_| has_inodes))));
            cells.push(("inodes_free", Put::Number(inodes_free.filter(|_| has_inodes))));
        }
        if columns.contains(&Column::Total) {
            let (total, used, free) = (value(Column::Total), value(Column::Used), value(Column::Free));
            let unused = total.zip(used).map(|(total, used)| total - used).filter(|_| block_bytes.is_some());
            cells.push(("size_bytes", Put::Number(total)));
            cells.push(("free_bytes", Put::Number(free.or(unused))));
            cells.push(("available_bytes", Put::Number(value(Column::Available).or(free))));
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

/// What stands between the device and the mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Total,
    Used,
    /// Free, with what is kept for root.
    Free,
    Available,
    Share,
    Inodes,
    InodesUsed,
    InodesFree,
    InodesShare,
}

impl Column {
    fn is_of_inodes(self) -> bool {
        matches!(self, Column::Inodes | Column::InodesUsed | Column::InodesFree)
    }

    /// What it is where the sizes are numbers of inodes (busybox: `Inodes Used Available Use%`).
    fn in_inodes(self) -> Column {
        match self {
            Column::Used => Column::InodesUsed,
            Column::Free | Column::Available => Column::InodesFree,
            Column::Share => Column::InodesShare,
            other => other,
        }
    }

    fn takes(self, word: &str) -> bool {
        match self {
            Column::Share | Column::InodesShare => {
                word.strip_suffix('%').is_some_and(|n| n.parse::<u32>().is_ok())
            }
            _ => size(word, 1.0).is_some(),
        }
    }

    /// By its heading, in small letters.
    fn of(heading: &str) -> Option<Column> {
        Some(match heading {
            "used" => Column::Used,
            "free" => Column::Free,
            "avail" | "available" => Column::Available,
            "capacity" | "%used" | "use%" | "%cap" => Column::Share,
            "inodes" => Column::Inodes,
            "iused" => Column::InodesUsed,
            "ifree" => Column::InodesFree,
            "iuse%" | "%iused" | "%iuse" => Column::InodesShare,
            _ => return None,
        })
    }
}

struct Heading {
    /// Bytes of a block; none where sizes have letters.
    block_bytes: Option<f64>,
    columns: Vec<Column>,
    has_type: bool,
    is_translated: bool,
    /// The mount stands right behind the device.
    is_mount_first: bool,
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
    (is_one && shares == 1 && !has_digits).then(|| Heading {
        block_bytes: Some(1024.0),
        columns: vec![Column::Total, Column::Used, Column::Available, Column::Share],
        has_type: false,
        is_translated: true,
        is_mount_first: false,
    })
}

/// `Filesystem [Type] 1K-blocks Used Available Use% Mounted on`, with `Size` for people; AIX `Filesystem GB blocks Free
/// %Used Iused %Iused Mounted on`; Solaris and HP-UX `Filesystem kbytes used avail capacity Mounted on`.
fn heading(words: &[&str]) -> Option<Heading> {
    let ["Filesystem", rest @ ..] = words else { return translated(words) };
    let (has_type, rest) = match rest {
        ["Type", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (is_mount_first, rest) = match rest {
        ["Mounted", "on", rest @ ..] => (true, rest),
        [rest @ .., "Mounted", "on"] => (false, rest),
        _ => return None,
    };
    let is_of_inodes = rest.first() == Some(&"Inodes");
    let (block_bytes, rest) = if is_of_inodes { (None, rest) } else { unit(rest)? };
    let told = rest.iter().map(|heading| Column::of(&heading.to_ascii_lowercase()));
    let mut columns = told.collect::<Option<Vec<Column>>>()?;
    if is_of_inodes {
        columns.iter_mut().for_each(|column| *column = column.in_inodes());
    } else {
        columns.insert(0, Column::Total);
    }
    let shares =
        columns.iter().filter(|column| matches!(column, Column::Share | Column::InodesShare)).count();
    (shares > 0 && columns.len() >= 3).then_some(Heading {
        block_bytes,
        columns,
        has_type,
        is_translated: false,
        is_mount_first,
    })
}

/// The heading of sizes: bytes of a block, none where sizes have letters; and the headings after it.
fn unit<'h, 'w>(headings: &'h [&'w str]) -> Option<(Option<f64>, &'h [&'w str])> {
    let (first, rest) = headings.split_first()?;
    let bytes = match (*first, rest) {
        ("MB", ["blocks", rest @ ..]) => return Some((Some(1_048_576.0), rest)),
        ("GB", ["blocks", rest @ ..]) => return Some((Some(1_073_741_824.0), rest)),
        ("Size" | "size", _) => None,
        ("kbytes", _) => Some(1024.0),
        (blocks, _) => {
            let of = blocks.strip_suffix("-blocks")?;
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
    Some((bytes, rest))
}

struct Row<'w> {
    device: String,
    kind: Option<&'w str>,
    cells: Vec<&'w str>,
    mount: String,
}

impl Heading {
    /// A row: names of devices and mounts may have blanks in them, so that it begins where its numbers fit.
    fn row<'w>(&self, words: &[&'w str]) -> Option<Row<'w>> {
        let width = self.columns.len();
        let names = 1 + usize::from(self.has_type) + usize::from(self.is_mount_first);
        let fits = |at: &usize| {
            let Some(cells) = words.get(*at..*at + width) else { return false };
            cells.iter().zip(&self.columns).all(|(word, column)| *word == "-" || column.takes(word))
        };
        let at = (names..words.len()).find(fits)?;
        // In another language the headings do not tell whether types are among them.
        let has_type = self.has_type || self.is_translated && at > 1 && is_type(words.get(at - 1)?);
        let kind = if has_type { Some(*words.get(at - 1)?) } else { None };
        let before = words.get(..at - usize::from(has_type))?;
        let (device, mount) = match self.is_mount_first {
            // A name may begin with a slash itself.
            true => before.split_at(before.iter().skip(1).position(|word| word.starts_with('/'))? + 1),
            false => (before, words.get(at + width..)?),
        };
        let cells = words.get(at..at + width)?.to_vec();
        let (device, mount) = (device.join(" "), mount.join(" "));
        mount.starts_with('/').then_some(Row { device, kind, cells, mount })
    }
}

/// Whether it may be the name of a kind of file system: `ext4`, `fuse.sshfs`.
fn is_type(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
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
        let heading =
            heading(&words("Filesystem 1K-blocks Used Available Use% Mounted on")).expect("a heading");
        let names = |heading: &Heading, line: &str| {
            let words = words(line);
            let row = heading.row(&words).expect("a row");
            assert_eq!(row.cells, ["100", "40", "60", "40%"], "{line}");
            (row.device.clone(), row.kind.unwrap_or("-").to_owned(), row.mount.clone())
        };
        let told =
            |device: &str, kind: &str, mount: &str| (device.to_owned(), kind.to_owned(), mount.to_owned());
        let row = names(&heading, "//nas/My Files 100 40 60 40% /mnt/My Files");
        assert_eq!(row, told("//nas/My Files", "-", "/mnt/My Files"));
        // A number within a name is none of the sizes.
        let row = names(&heading, "//nas/Photos of 2019 100 40 60 40% /mnt/2019 too");
        assert_eq!(row, told("//nas/Photos of 2019", "-", "/mnt/2019 too"));
        let typed = super::heading(&words("Filesystem Type 1K-blocks Used Available Use% Mounted on"))
            .expect("a heading");
        let row = names(&typed, "//nas/My Files cifs 100 40 60 40% /mnt/My Files");
        assert_eq!(row, told("//nas/My Files", "cifs", "/mnt/My Files"));
        let translated = "Dateisystem 1K-Blöcke Benutzt Verfügbar Verw% Eingehängt auf";
        let translated = super::heading(&words(translated)).expect("a heading");
        let row = names(&translated, "//nas/My Files 100 40 60 40% /mnt");
        assert_eq!(row, told("//nas/My Files", "-", "/mnt"));
        let row = names(&translated, "//nas/My Files fuse.sshfs 100 40 60 40% /mnt");
        assert_eq!(row, told("//nas/My Files", "fuse.sshfs", "/mnt"));
        let first =
            super::heading(&words("Filesystem Mounted on kbytes used avail capacity")).expect("a heading");
        let row = names(&first, "//nas/My Files /mnt/My Files 100 40 60 40%");
        assert_eq!(row, told("//nas/My Files", "-", "/mnt/My Files"));
        assert_eq!(kernel_name("/dev/sda1"), "sda1");
        assert_eq!(kernel_name("/dev/mapper/vg-root"), "/dev/mapper/vg-root");
    }
}
