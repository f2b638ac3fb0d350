//! How disks are set and what they say of themselves: `hdparm` (`-I`, or with what it prints of settings) and
//! `sdparm`.
//!
//! Left out: everything that table `disk` has no column for.

use heldup_model::Record;
use heldup_model::tables::DiskRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const HDPARM: &str = "hdparm";
const SDPARM: &str = "sdparm";
const SECTOR_BYTES: f64 = 512.0;
/// Lines between two of one listing.
const MOST_GAP: u64 = 3;

/// Reads settings of disks.
#[derive(Default)]
pub struct DiskSettings {
    /// A device by whose name a listing may begin, its line, and whether it is as `sdparm` has it.
    named: Option<(String, u64, bool)>,
    listing: Option<Listing>,
    last_line: u64,
}

struct Listing {
    format: &'static str,
    device: String,
    when: When,
}

impl Importer for DiskSettings {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some((device, is_sdparm)) = device(line.words) {
            self.ends(document)?;
            self.last_line = line.number;
            self.named = Some((device.to_owned(), line.number, is_sdparm));
            return Ok(false);
        }
        let near = self.named.take().filter(|(_, at, _)| line.number <= at + MOST_GAP);
        let Some((device, _, has_words)) = near else { return Ok(false) };
        match has_words {
            true if is_sdparm(line.words) => self.start(SDPARM, &device, document),
            false if is_hdparm(line) => self.start(HDPARM, &device, document),
            _ => return Ok(false),
        }
        self.last_line = line.number;
        self.goes_on(line, document)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if device(line.words).is_some() {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_ref().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let cell = if listing.format == SDPARM { sdparm(line.words) } else { hdparm(line.words) };
        let is_taken = match cell {
            Some(cell) => {
                let (device, when) = (listing.device.clone(), listing.when);
                put_row(document, DiskRow::DEF, when, Key::Name(&device), &[(cell.0, cell.1.as_put())]);
                true
            }
            None if listing.format == SDPARM => is_sdparm(line.words),
            None => line.text.starts_with(['\t', ' ']) || is_hdparm(line),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(listing) => document.end_sample(listing.format),
            None => Ok(()),
        }
    }
}

impl DiskSettings {
    fn start(&mut self, format: &'static str, device: &str, document: &mut Document) {
        document.begin(format);
        let when = document.moment_of(format, device);
        put_row(document, DiskRow::DEF, when, Key::Name(device), &[]);
        // The line of the name.
        document.take_held(1);
        self.listing = Some(Listing { format, device: device.to_owned(), when });
    }
}

/// What a line tells.
#[derive(Clone, Debug, PartialEq)]
enum SettingFact {
    Number(f64),
    Text(String),
    Is(bool),
}

impl SettingFact {
    fn as_put(&self) -> Put<'_> {
        match self {
            SettingFact::Number(number) => Put::Number(Some(*number)),
            SettingFact::Text(text) => Put::Text(text),
            SettingFact::Is(truth) => Put::Is(*truth),
        }
    }
}

/// `/dev/sda:`, or `/dev/sda: ATA …` of `sdparm`: the kernel's name, and whether it is the latter.
fn device<'w>(words: &[&'w str]) -> Option<(&'w str, bool)> {
    let first = words.first()?.strip_prefix("/dev/")?.strip_suffix(':')?;
    match words.len() {
        1 => Some((first, false)),
        3.. => Some((first, true)),
        _ => None,
    }
}

/// Whether words are a page of `sdparm` or a field of one: its name in capitals, a number, and what can be set.
fn is_sdparm(words: &[&str]) -> bool {
    let is_field = |name: &str| {
        name.len() >= 2
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    match words {
        [.., "page:" | "page" | "pages:"] | [.., "[PS=0]:" | "[PS=1]:"] => {
            words.contains(&"mode") || words.contains(&"VPD")
        }
        [name, value, ..] => {
            is_field(name)
                && value.parse::<i64>().is_ok()
                && (words.len() == 2 || words[2].starts_with("[cha:"))
        }
        _ => false,
    }
}

/// Whether a line below the name of a device is one of `hdparm`.
fn is_hdparm(line: &Line<'_>) -> bool {
    let text = line.text.trim();
    text.starts_with("ATA device")
        || text.starts_with("Timing ")
        || text.starts_with("multcount")
        || text.starts_with("write-caching")
        || text.starts_with("readahead")
        || text.starts_with("IO_support")
        || text.starts_with("readonly")
        || text.starts_with("geometry")
        || text.starts_with("look-ahead")
        || text.starts_with("APM_level")
        || text.starts_with("HDIO_")
        || text.starts_with("SG_IO")
}

fn write_cache(is_on: bool) -> SettingFact {
    SettingFact::Text(if is_on { "write back" } else { "write through" }.to_owned())
}

/// A line of `hdparm`.
fn hdparm(words: &[&str]) -> Option<(&'static str, SettingFact)> {
    let number = |word: &str| word.parse::<f64>().ok();
    match words {
        ["readahead", "=", sectors, ..] => {
            Some(("read_ahead_bytes", SettingFact::Number(number(sectors)? * SECTOR_BYTES)))
        }
        ["write-caching", "=", value, ..] => Some(("write_cache", write_cache(*value == "1"))),
        ["Model", "Number:", name @ ..] => Some(("label_name", SettingFact::Text(name.join(" ")))),
        ["Logical", "Sector", "size:", bytes, "bytes", ..] => {
            Some(("logical_block_bytes", SettingFact::Number(number(bytes)?)))
        }
        ["Physical", "Sector", "size:", bytes, "bytes", ..] => {
            Some(("physical_block_bytes", SettingFact::Number(number(bytes)?)))
        }
        ["Logical/Physical", "Sector", "size:", bytes, "bytes", ..] => {
            Some(("logical_block_bytes", SettingFact::Number(number(bytes)?)))
        }
        ["Nominal", "Media", "Rotation", "Rate:", "Solid", "State", "Device"] => {
            Some(("rotational", SettingFact::Is(false)))
        }
        ["Nominal", "Media", "Rotation", "Rate:", rate] => {
            Some(("rotational", SettingFact::Is(number(rate)? > 0.0)))
        }
        // What is on has a star before it.
        ["*", "Write", "cache"] => Some(("write_cache", write_cache(true))),
        ["Write", "cache"] => Some(("write_cache", write_cache(false))),
        _ => None,
    }
}

/// `WCE  1  [cha: y, def:  1, sav:  1]` of `sdparm`.
fn sdparm(words: &[&str]) -> Option<(&'static str, SettingFact)> {
    match words {
        ["WCE", value @ ("0" | "1"), ..] => Some(("write_cache", write_cache(*value == "1"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_have_a_column() {
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        let told = hdparm(&words("readahead     = 256 (on)"));
        assert_eq!(told, Some(("read_ahead_bytes", SettingFact::Number(131_072.0))));
        assert_eq!(hdparm(&words("*    Write cache")), Some(("write_cache", write_cache(true))));
        assert_eq!(
            hdparm(&words("Nominal Media Rotation Rate: Solid State Device")),
            Some(("rotational", SettingFact::Is(false)))
        );
        assert_eq!(hdparm(&words("Write a cache")), None);
        assert_eq!(
            sdparm(&words("WCE 0 [cha: y, def: 1, sav: 1]")),
            Some(("write_cache", write_cache(false)))
        );
        for (column, _) in
            [hdparm(&words("* Write cache")), hdparm(&words("readahead = 1"))].into_iter().flatten()
        {
            assert!(DiskRow::DEF.position(column).is_some());
        }
    }
}
