//! `df`: how full file systems are, with `-k`, `-h`, `-T`, `-i`, `-P` and blocks of any size, of Linux, the BSDs,
//! Solaris, AIX (`-g`, `-m`, `-v`, `-M` too) and HP-UX (`bdf`).
//!
//! Sizes for people (`-h`) are rounded: of these the free space is the available one alone. The free space
//! with what is kept for root is the size without what is used; AIX tells what is free, and keeps nothing. A long
//! name of a device has a line of its own. `--output` puts the columns in any order. Without the heading, as `grep` leaves
//! it out, two rows count whose share is that of their sizes.

use heldup_model::Record;
use heldup_model::tables::FilesystemRow;

use crate::document::first_line::{self, FirstLine};
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
    first: FirstLine,
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
        let Some(heading) = heading(line.words) else { return self.begins_without_heading(line, document) };
        self.begin(heading, line.number, document)?;
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
        // The sum of `--total`, and what nothing but its kind names.
        let is_unnamed =
            !listing.heading.has_mount && !line.words.first().is_some_and(|name| name.contains('/'));
        if line.words.first() == Some(&"total")
            || is_unnamed
                && listing.heading.row(&words).is_none()
                && words.len() > listing.heading.columns.len()
        {
            listing.last_line = line.number;
            document.pass_over();
            return Ok(true);
        }
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

impl Df {
    fn begin(&mut self, heading: Heading, number: u64, document: &mut Document) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        match heading.block_bytes {
            _ if !heading.columns.contains(&Column::Total) => {}
            None => document.note("df: rounded sizes, units of 1024 assumed"),
            Some(bytes) if bytes >= ROUNDED_FROM_BYTES => document.note("df: rounded sizes"),
            Some(_) => {}
        }
        let when = document.moment_of(NAME, &format!("{:?}", heading.columns));
        self.listing = Some(Listing { when, heading, begun: None, last_line: number });
        Ok(())
    }

    /// Two rows below each other.
    fn begins_without_heading(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        if !is_row_alone(line.words) {
            return Ok(false);
        }
        let Some(held) = self.first.before(line) else {
            self.first.hold(line);
            return Ok(false);
        };
        let is_rounded = line.words.iter().any(|word| is_size_with_letter(word));
        if !is_rounded {
            document.note("df: no heading: blocks of 1024 bytes assumed");
        }
        let block_bytes = (!is_rounded).then_some(1024.0);
        self.begin(Heading::usual(block_bytes), held.0, document)?;
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
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
    /// A file that was asked for.
    File,
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
            Column::File => true,
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
    /// Else the device is all that names the file system (`--output=source,pcent`).
    has_mount: bool,
    /// Somebody joined the listing with that of `mount`.
    is_joined: bool,
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
    (is_one && shares == 1 && !has_digits).then(|| Heading::usual(Some(1024.0)))
}

/// A row whose share is that of its sizes: `/dev/sda1 50G 48G 2.0G 97% /`.
fn is_row_alone(words: &[&str]) -> bool {
    // Nearly all lines that are looked at have no share.
    if !(6..=12).contains(&words.len()) || !words.iter().any(|word| word.ends_with('%')) {
        return false;
    }
    let heading = Heading::usual(None);
    let Some(row) = heading.row(words) else { return false };
    let value = |at: usize| row.cells.get(at).and_then(|word| size(word, 1.0));
    let share = row.cells.get(3).and_then(|word| word.strip_suffix('%')?.parse::<f64>().ok());
    let (Some(total), Some(used), Some(free), Some(share)) = (value(0), value(1), value(2), share) else {
        return false;
    };
    let expected = 100.0 * used / (used + free);
    // Sizes for people have two digits.
    let error = if row.cells.iter().any(|word| is_size_with_letter(word)) { 4.0 } else { 1.0 };
    let is_named =
        row.device.contains('/') || row.device.contains(':') || PSEUDO.contains(&row.device.as_str());
    is_named && total > 0.0 && used <= total * 1.1 && (share - expected).abs() <= error
}

/// Names of file systems on no device that `df` shows.
const PSEUDO: [&str; 6] = ["devtmpfs", "efivarfs", "none", "overlay", "tmpfs", "udev"];

fn is_size_with_letter(word: &str) -> bool {
    word.ends_with(['K', 'M', 'G', 'T', 'P']) && size(word, 1.0).is_some()
}

/// `Filesystem [Type] 1K-blocks Used Available Use% Mounted on`, with `Size` for people; AIX `Filesystem GB blocks Free
/// %Used Iused %Iused Mounted on`; Solaris and HP-UX `Filesystem kbytes used avail capacity Mounted on`.
fn heading(words: &[&str]) -> Option<Heading> {
    let ["Filesystem", rest @ ..] = words else { return translated(words) };
    let (has_type, rest) = match rest {
        ["Type", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mounted = rest.windows(2).position(|pair| pair == ["Mounted", "on"]);
    let (before, behind) = mounted.map_or((rest, &rest[..0]), |at| (&rest[..at], &rest[at + 2..]));
    let is_mount_first = mounted == Some(0);
    let is_joined = !is_mount_first && !behind.is_empty();
    if is_joined && behind.last() != Some(&"Mountpoint") {
        return None;
    }
    let rest = if is_mount_first { behind } else { before };
    let (block_bytes, columns) = columns(rest)?;
    let has_total = columns.contains(&Column::Total);
    let shares =
        columns.iter().filter(|column| matches!(column, Column::Share | Column::InodesShare)).count();
    let is_one = shares > 0 && columns.len() >= 3 || has_total && mounted.is_some() && columns.len() >= 2;
    is_one.then_some(Heading {
        block_bytes,
        columns,
        has_type,
        is_translated: false,
        is_mount_first,
        has_mount: mounted.is_some(),
        is_joined,
    })
}

/// The columns between the names, and the bytes of a block.
fn columns(headings: &[&str]) -> Option<(Option<f64>, Vec<Column>)> {
    let (mut block_bytes, mut columns, mut rest) = (None, Vec::new(), headings);
    while let Some((first, behind)) = rest.split_first() {
        let from = rest;
        let known = match *first {
            "Inodes" => Some(Column::Inodes),
            "File" => Some(Column::File),
            other => Column::of(&other.to_ascii_lowercase()),
        };
        rest = behind;
        if let Some(column) = known {
            columns.push(column);
            continue;
        }
        (block_bytes, rest) = unit(from)?;
        columns.push(Column::Total);
    }
    if !columns.contains(&Column::Total) {
        columns.iter_mut().for_each(|column| *column = column.in_inodes());
    }
    Some((block_bytes, columns))
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
    /// `Filesystem 1K-blocks Used Available Use% Mounted on`, perhaps with types.
    fn usual(block_bytes: Option<f64>) -> Heading {
        Heading {
            block_bytes,
            columns: vec![Column::Total, Column::Used, Column::Available, Column::Share],
            has_type: false,
            is_translated: true,
            is_mount_first: false,
            has_mount: true,
            is_joined: false,
        }
    }

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
        let mount =
            mount.iter().position(|word| self.is_joined && *word == "on").map_or(mount, |at| &mount[..at]);
        let (device, mut mount) = (device.join(" "), mount.join(" "));
        let is_named = self.has_mount || device.starts_with('/') || device.contains(":/");
        if !self.has_mount && mount.is_empty() {
            mount.clone_from(&device);
        }
        (is_named && (mount.starts_with('/') || !self.has_mount)).then_some(Row {
            device,
            kind,
            cells,
            mount,
        })
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
    fn rows_without_a_heading_are_told_by_their_share() {
        for (line, expect) in [
            ("/dev/sda1 50G 48G 2.0G 97% /", true),
            ("/dev/sda1 ext4 51474912 49000000 0 100% /", true),
            ("tmpfs 7.8G 0 7.8G 0% /dev/shm", true),
            ("/dev/sda1 50G 48G 2.0G 17% /", false),
            ("a list of 5 4 1 80% /", false),
        ] {
            assert_eq!(is_row_alone(&words(line)), expect, "{line}");
        }
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
