//! `lsblk`, with its own columns, with `-b`, `-t`, `-O` or any others: block devices and what they stand on.
//!
//! Sizes with a letter are rounded. Devices made by device mapper are printed under its names: the kernel's
//! follows from their number. Left out: labels and identities of file systems, vendors, limits of discards.

use heldup_model::tables::{DiskRow, PartitionRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::aligned::{Headings, Kind};
use crate::text::number::size;

const NAME: &str = "lsblk";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
const PARTITION: &TableDef = PartitionRow::DEF;
const DISK: &TableDef = DiskRow::DEF;

/// Headings below which numbers stand.
const NUMBERS: [&str; 21] = [
    "ALIGNMENT",
    "DAX",
    "DISC-ALN",
    "DISC-GRAN",
    "DISC-MAX",
    "DISC-ZERO",
    "FSAVAIL",
    "FSSIZE",
    "FSUSED",
    "HOTPLUG",
    "LOG-SEC",
    "MIN-IO",
    "OPT-IO",
    "PHY-SEC",
    "RA",
    "RAND",
    "RM",
    "RO",
    "ROTA",
    "RQ-SIZE",
    "SIZE",
];
/// Headings of numbers, their tables and columns, and bytes of their units.
const COLUMNS: [(&str, &TableDef, &str, f64); 11] = [
    ("ALIGNMENT", PARTITION, "alignment_offset_bytes", 1.0),
    ("LOG-SEC", DISK, "logical_block_bytes", 1.0),
    ("LOG-SEC", PARTITION, "logical_block_bytes", 1.0),
    ("MIN-IO", PARTITION, "minimum_io_bytes", 1.0),
    ("OPT-IO", PARTITION, "optimal_io_bytes", 1.0),
    ("PHY-SEC", DISK, "physical_block_bytes", 1.0),
    ("PHY-SEC", PARTITION, "physical_block_bytes", 1.0),
    ("RA", DISK, "read_ahead_bytes", 1024.0),
    ("RQ-SIZE", DISK, "nr_requests", 1.0),
    ("SIZE", DISK, "size_bytes", 1.0),
    ("SIZE", PARTITION, "size_bytes", 1.0),
];

/// Reads `lsblk`.
#[derive(Default)]
pub struct Lsblk {
    listing: Option<Listing>,
}

struct Listing {
    headings: Headings,
    when: When,
    /// Devices above the one that is being read, each with the place of its name.
    above: Vec<(usize, String)>,
    last_line: u64,
}

impl Importer for Lsblk {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        let kind = |name: &str| match name {
            name if NUMBERS.contains(&name) => Kind::Number,
            "MODEL" | "LABEL" | "PARTLABEL" | "VENDOR" => Kind::Text,
            name if name.starts_with("MOUNTPOINT") => Kind::Text,
            _ => Kind::Word,
        };
        let headings = Headings::of(line.words, line.text, kind);
        let (when, last_line) = (document.moment(NAME), line.number);
        self.listing = Some(Listing { headings, when, above: Vec::new(), last_line });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let Some(cells) = listing.cells(line) else {
            let is_row = line.words.get(1).is_some_and(|word| number_of_device(word).is_some());
            if is_row {
                let expected: Vec<&str> = listing.headings.names().collect();
                document.flaw(
                    line.number,
                    format!("lsblk: {} words; expected {}", line.words.len(), expected.join(" ")),
                );
                listing.last_line = line.number;
            }
            return Ok(is_row);
        };
        listing.last_line = line.number;
        listing.row(&cells, line.text, document);
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
    /// The cells of a row. Empty ones at the end are no words; others in between are recognised by their places.
    fn cells(&self, line: &Line<'_>) -> Option<Vec<String>> {
        // Branches of a tree may stand before the name, with blanks between.
        let from = line.words.iter().take_while(|word| word.chars().all(is_branch)).count();
        let words = line.words.get(from..).unwrap_or_default();
        let count = self.headings.len();
        let last = self.headings.names().last().unwrap_or("");
        if words.len() + 1 == count && last.starts_with("MOUNTPOINT") && !self.headings.has("FSTYPE") {
            let mut words = words.to_vec();
            words.push("-");
            return self.headings.cells(&words, "");
        }
        let cells = if self.headings.has("FSTYPE") || self.headings.has("MODEL") || self.headings.has("SCHED")
        {
            self.headings.cells_by_places(line.text)
        } else {
            self.headings.cells(words, line.text)
        };
        let kind = self.headings.names().position(|name| name == "MAJ:MIN");
        cells.filter(|cells| {
            kind.is_none_or(|at| cells.get(at).is_some_and(|it| number_of_device(it).is_some()))
        })
    }

    fn row(&mut self, cells: &[String], text: &str, document: &mut Document) {
        let cell = |heading: &str| {
            let at = self.headings.names().position(|name| name == heading)?;
            cells.get(at).map(String::as_str).filter(|word| !matches!(*word, "" | "-"))
        };
        let Some(name) = cell("NAME").map(|name| name.trim_start_matches(is_branch).to_owned()) else {
            return;
        };
        let depth = text.chars().take_while(|sign| is_branch(*sign)).count();
        let Some(device) = device(&name, &cell) else { return };
        self.above.retain(|(there, _)| *there < depth);
        let parent = self.above.last().map(|(_, parent)| parent.clone());
        self.above.push((depth, device.clone()));
        put_device(&device, &name, parent.as_deref(), &cell, self.when, document);
    }
}

/// What a device is, by its type.
fn kind(of_type: &str) -> Option<&'static str> {
    match of_type {
        "disk" | "rom" => Some("disk"),
        "part" => Some("partition"),
        "loop" => Some("loop"),
        "lvm" | "crypt" | "mpath" | "dm" => Some("dm"),
        raid if raid.starts_with("raid") || raid == "linear" || raid == "md" => Some("md"),
        _ => None,
    }
}

/// The kernel's name of a device; none of device mapper's whose number is not told.
pub fn device<'c>(name: &str, cell: &impl Fn(&str) -> Option<&'c str>) -> Option<String> {
    let number = cell("MAJ:MIN").and_then(number_of_device);
    match (cell("KNAME"), kind(cell("TYPE").unwrap_or("")), number) {
        (Some(kernel), ..) => Some(kernel.to_owned()),
        (None, Some("dm"), Some((_, minor))) => Some(format!("dm-{minor}")),
        (None, Some("dm"), None) => None,
        _ => Some(name.to_owned()),
    }
}

/// Writes a device, of which each cell is asked for by its heading.
pub fn put_device<'c>(
    device: &str,
    name: &str,
    parent: Option<&str>,
    cell: &impl Fn(&str) -> Option<&'c str>,
    when: When,
    document: &mut Document,
) {
    let of_type = cell("TYPE").unwrap_or("");
    let kind = kind(of_type);
    for def in [DISK, PARTITION] {
        let mut row: Vec<(&str, Put<'_>)> = Vec::new();
        for (heading, table, column, unit) in &COLUMNS {
            let value = cell(heading).and_then(|word| size(word, *unit));
            // No preferred size, and no place that is known, are told as 0 and as -1.
            let value =
                value.filter(|value| *value > 0.0 || *column == "alignment_offset_bytes" && *value == 0.0);
            if table.name == def.name {
                row.push((column, Put::Number(value)));
            }
        }
        if let Some(kind) = kind {
            row.push(("kind", Put::Text(kind)));
        }
        // What lies on a partition or a disk is no partition of it: that is said of these alone.
        if let Some(parent) = parent.filter(|_| kind == Some("partition")) {
            row.push(("parent", Put::Text(parent)));
        }
        if def.name == PARTITION.name {
            if of_type.starts_with("raid") {
                row.push(("raid_level", Put::Text(of_type)));
            }
            if kind == Some("dm") {
                row.push(("dm_name", Put::Text(name)));
            }
        } else {
            if let Some(told) = cell("MAJ:MIN") {
                row.push(("dev_id", Put::Text(told)));
            }
            if let Some(rotates) = cell("ROTA") {
                row.push(("rotational", Put::Is(rotates == "1")));
            }
            if let Some(scheduler) = cell("SCHED") {
                row.push(("scheduler", Put::Text(scheduler)));
            }
            if let Some(mount) = cell("MOUNTPOINT").or_else(|| cell("MOUNTPOINTS")) {
                row.push(("mounts", Put::Text(mount)));
            }
        }
        put_row(document, def, when, Key::Name(device), &row);
    }
}

/// Signs of which the branches of a tree are drawn, and the blanks between them.
fn is_branch(sign: char) -> bool {
    matches!(sign, '├' | '└' | '─' | '│' | '`' | '|' | '-' | ' ')
}

/// `253:1`: the numbers of a device.
fn number_of_device(word: &str) -> Option<(u32, u32)> {
    let (major, minor) = word.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A line of headings: a name, numbers of devices or their sizes, and others of the tool. `swapon --show` has priorities
/// besides.
fn is_heading(words: &[&str]) -> bool {
    words.first() == Some(&"NAME")
        && words.len() >= 3
        && (words.contains(&"MAJ:MIN")
            || words.contains(&"ROTA")
            || words.contains(&"PHY-SEC")
            || words.contains(&"TYPE"))
        && words.iter().any(|word| NUMBERS.contains(word))
        && !words.contains(&"PRIO")
        && words.iter().all(|word| !word.bytes().any(|byte| byte.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_exist() {
        for (heading, table, column, _) in COLUMNS {
            assert!(table.position(column).is_some(), "{heading}");
            assert!(NUMBERS.contains(&heading));
        }
    }

    #[test]
    fn headings_are_told_from_others() {
        let is = |line: &str| is_heading(&line.split_whitespace().collect::<Vec<_>>());
        assert!(is("NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS"));
        assert!(is("NAME ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE   RA WSAME"));
        assert!(!is("NAME TYPE SIZE USED PRIO"[..10].trim()) && !is("NAME TYPE SIZE USED PRIO"));
        assert!(!is("NAME of the TYPE"));
    }
}
