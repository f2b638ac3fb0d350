//! What memory is paged to: `/proc/swaps` and `swapon` of Linux, `lsps -a` and `-s` of AIX, `swap -l` and `-s` of Solaris,
//! `swapinfo` of HP-UX.
//!
//! Of several devices the sum is told. Where a tool counts memory and devices together (`swap -s`, the line `total` of
//! `swapinfo`), that is what the system can promise and has promised, not what lies on a disk.

use heldup_model::Record;
use heldup_model::tables::MemoryRow;

use crate::document::put::{Put, percent, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::number::size;

/// Blocks of Solaris' `swap -l`.
const BLOCK_BYTES: f64 = 512.0;
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads what lies on disks and what is promised.
#[derive(Default)]
pub struct PagingSpace {
    /// Unit of `swapinfo`, which stands a line above its headings.
    unit: Option<(u64, f64)>,
    listing: Option<Listing>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tool {
    LspsEach,
    LspsSum,
    SwapList,
    SwapInfo {
        unit_bytes: f64,
    },
    /// `/proc/swaps`, `swapon -s`, and `swapon --show`, which rounds.
    Swapon {
        unit_bytes: f64,
    },
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Tool::LspsEach | Tool::LspsSum => "lsps",
            Tool::SwapList => "swap",
            Tool::SwapInfo { .. } => "swapinfo",
            Tool::Swapon { .. } => "swapon",
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Tool::LspsEach => "page space, volume, group, size, %used, active",
            Tool::LspsSum => "size and percent",
            Tool::SwapList => "swapfile, dev, swaplo, blocks, free",
            Tool::SwapInfo { .. } => "type, avail, used, free",
            Tool::Swapon { .. } => "file, type, size, used, priority",
        }
    }
}

struct Listing {
    tool: Tool,
    when: When,
    last_line: u64,
    /// Size and use of what lies on disks, in bytes.
    paged: Option<[f64; 2]>,
    /// What can be promised, and what is.
    promised: Option<[f64; 2]>,
}

/// A row of a listing.
enum Row {
    Device([f64; 2]),
    Promised([f64; 2]),
    /// One that says nothing of devices: memory itself, a reserve, what is not active.
    Other,
}

impl Importer for PagingSpace {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let tool = match line.words {
            ["Page", "Space", "Physical", "Volume", "Volume", "Group", "Size", "%Used", "Active", ..] => {
                Tool::LspsEach
            }
            ["Total", "Paging", "Space", "Percent", "Used"] => Tool::LspsSum,
            ["swapfile", "dev", "swaplo", "blocks", "free", ..] => Tool::SwapList,
            ["Filename", "Type", "Size", "Used", "Priority"] => Tool::Swapon { unit_bytes: 1024.0 },
            ["NAME", "TYPE", "SIZE", "USED", "PRIO"] => {
                document.note("swapon --show without --bytes: rounded sizes");
                Tool::Swapon { unit_bytes: 1.0 }
            }
            ["TYPE", "AVAIL", "USED", "FREE", "USED", ..] => {
                let unit = self.unit.filter(|(number, _)| line.number <= number + MOST_GAP);
                let Some((_, unit_bytes)) = unit else { return Ok(false) };
                Tool::SwapInfo { unit_bytes }
            }
            [unit @ ("Kb" | "Mb" | "Gb"), second, third, "PCT", ..] if unit == second && unit == third => {
                let letter = unit.trim_end_matches('b');
                self.unit = size(&format!("1{letter}"), 1.0).map(|bytes| (line.number, bytes));
                return Ok(false);
            }
            ["total:", ..] => return self.take_sum(line, document),
            _ => return Ok(false),
        };
        self.ends(document)?;
        document.begin(tool.name());
        let when = document.moment(tool.name());
        self.listing = Some(Listing { tool, when, last_line: line.number, paged: None, promised: None });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let Some(is_read) = listing.take(line.words) else { return Ok(false) };
        listing.last_line = line.number;
        if !is_read {
            let tool = listing.tool;
            document
                .flaw(line.number, format!("{}: a damaged row; expected {}", tool.name(), tool.expected()));
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        if matches!(listing.tool, Tool::LspsEach | Tool::LspsSum) {
            document.note("lsps reports use in whole percents of a paging space");
        }
        listing.write(document)
    }
}

impl PagingSpace {
    /// `swap -s`: one line.
    fn take_sum(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let [_, _, "bytes", "allocated", "+", _, "reserved", "=", used, "used,", available, "available"] =
            line.words
        else {
            return Ok(false);
        };
        let Some((used, available)) = size(used, 1.0).zip(size(available, 1.0)) else { return Ok(false) };
        self.ends(document)?;
        document.begin(Tool::SwapList.name());
        let when = document.moment(Tool::SwapList.name());
        let promised = Some([used + available, used]);
        let listing = Listing { tool: Tool::SwapList, when, last_line: line.number, paged: None, promised };
        listing.write(document)?;
        Ok(true)
    }
}

impl Listing {
    /// Whether a line that belongs to the listing was read; none of one that does not.
    fn take(&mut self, words: &[&str]) -> Option<bool> {
        let row = match (self.tool, words) {
            (Tool::LspsEach, [_, _, _, bytes, used, active, ..]) if bytes.ends_with('B') => {
                let device = size(bytes, 1.0).zip(percent(used)).map(|(bytes, used)| [bytes, bytes * used]);
                device.map(|device| if *active == "yes" { Row::Device(device) } else { Row::Other })
            }
            (Tool::LspsSum, [bytes, used]) if bytes.ends_with('B') => {
                let device = size(bytes, 1.0).zip(percent(used));
                device.map(|(bytes, used)| Row::Device([bytes, bytes * used]))
            }
            (Tool::SwapList, [file, _, _, rest @ ..]) if file.starts_with('/') => match rest {
                [blocks, free, ..] => {
                    let sizes = size(blocks, BLOCK_BYTES).zip(size(free, BLOCK_BYTES));
                    sizes.filter(|(all, free)| free <= all).map(|(all, free)| Row::Device([all, all - free]))
                }
                _ => None,
            },
            (Tool::Swapon { unit_bytes }, [_, "partition" | "file", rest @ ..]) => match rest {
                [all, used, _] => {
                    let sizes = size(all, unit_bytes).zip(size(used, unit_bytes));
                    sizes.map(|(all, used)| Row::Device([all, used]))
                }
                _ => None,
            },
            (Tool::SwapInfo { unit_bytes }, [kind, rest @ ..]) => {
                let sizes = match rest {
                    [all, used, ..] => size(all, unit_bytes).zip(size(used, unit_bytes)),
                    _ => None,
                };
                match *kind {
                    "dev" | "fs" | "localfs" | "network" => sizes.map(|(all, used)| Row::Device([all, used])),
                    "total" => sizes.map(|(all, used)| Row::Promised([all, used])),
                    "reserve" | "memory" | "hold" => Some(Row::Other),
                    _ => return None,
                }
            }
            _ => return None,
        };
        match row {
            Some(Row::Device([bytes, used])) => {
                let [all, all_used] = self.paged.unwrap_or_default();
                self.paged = Some([all + bytes, all_used + used]);
            }
            Some(Row::Promised(promised)) => self.promised = Some(promised),
            Some(Row::Other) => {}
            None => return Some(false),
        }
        Some(true)
    }

    fn write(&self, document: &mut Document) -> Result<(), ImportError> {
        let mut cells = Vec::new();
        let number = |bytes: f64| Put::Number(Some(bytes));
        if let Some([bytes, used]) = self.paged {
            cells.extend([("swap_total_bytes", number(bytes)), ("swap_used_bytes", number(used))]);
            cells.push(("swap_free_bytes", number(bytes - used)));
        }
        if let Some([bytes, used]) = self.promised {
            cells.extend([("commit_limit_bytes", number(bytes)), ("committed_bytes", number(used))]);
        }
        if cells.is_empty() {
            return Ok(());
        }
        put_row(document, MemoryRow::DEF, self.when, Key::Host, &cells);
        document.end_sample(self.tool.name())
    }
}
