//! `/proc/PID/maps` and `smaps`: how large the address space of a process is. What `smaps` says of each mapping is passed over.

use heldup_model::Record;
use heldup_model::tables::ProcessRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "process maps";
/// Addresses from here on are the kernel's: the last line of a listing is a page of its own that counts to nobody.
const KERNEL_HALF: u64 = 1 << 47;
/// Lines between two mappings, where a page was scanned: their files.
const LONGEST_GAP: u64 = 3;

/// Reads mappings.
#[derive(Default)]
pub struct ProcessMaps {
    /// Whose they are, and the line that said so.
    pid: Option<(u32, u64)>,
    listing: Option<Listing>,
}

struct Listing {
    pid: Option<u32>,
    mappings: u64,
    bytes: u64,
    last_line: u64,
}

impl Importer for ProcessMaps {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(pid) = line.words.iter().find_map(|word| pid_of(word)) {
            self.pid = Some((pid, line.number));
            return Ok(false);
        }
        if mapping(line.words).is_none() {
            return Ok(false);
        }
        if self.listing.as_ref().is_some_and(|listing| line.number <= listing.last_line + LONGEST_GAP) {
            return self.goes_on(line, document);
        }
        self.ends(document)?;
        let pid = self.pid.take().filter(|(_, at)| line.number <= at + LONGEST_GAP).map(|(pid, _)| pid);
        self.listing = Some(Listing { pid, mappings: 0, bytes: 0, last_line: line.number });
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near =
            self.listing.as_ref().is_some_and(|listing| line.number <= listing.last_line + LONGEST_GAP);
        if !is_near {
            self.ends(document)?;
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut() else { return Ok(false) };
        let Some((from, to)) = mapping(line.words) else {
            // Else a process of many mappings falls apart into as many.
            let is_detail = is_detail(line.words);
            listing.last_line = if is_detail { line.number } else { listing.last_line };
            return Ok(is_detail);
        };
        listing.last_line = line.number;
        if to < from {
            let what = format!("{NAME}: a mapping that ends before it begins; expected FROM-TO");
            document.flaw(line.number, what);
        } else if from < KERNEL_HALF {
            listing.mappings += 1;
            listing.bytes = listing.bytes.saturating_add(to - from);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        document.begin(NAME);
        let when = document.moment_of(NAME, &listing.pid.unwrap_or(0).to_string());
        document.note_text(format!("{NAME}: {} mappings", listing.mappings));
        let cells = [
            ("pid", Put::Number(listing.pid.map(f64::from))),
            ("virtual_bytes", Put::Number(Some(listing.bytes as f64))),
        ];
        put(document, ProcessRow::DEF, when, "maps", &cells);
        document.end_sample(NAME)
    }
}

/// `/proc/2345/maps` of a command line.
fn pid_of(word: &str) -> Option<u32> {
    let (pid, file) = word.trim_end_matches(':').strip_prefix("/proc/")?.split_once('/')?;
    matches!(file, "maps" | "smaps").then(|| pid.parse().ok()).flatten()
}

/// `Rss:                 216 kB`, `VmFlags: rd ex mr mw me dw sd`, `THPeligible:    0`: of one mapping.
fn is_detail(words: &[&str]) -> bool {
    let name = words.first().and_then(|word| word.strip_suffix(':'));
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match (name, words) {
        (Some("VmFlags"), _) => true,
        (Some(_), [_, number, "kB"]) => is_number(number),
        (Some("THPeligible" | "ProtectionKey"), [_, number]) => is_number(number),
        _ => false,
    }
}

/// `00400000-0100b000 r-xp 00000000 fd:00 1933328 FILE`: from and to.
fn mapping(words: &[&str]) -> Option<(u64, u64)> {
    let [range, rights, offset, device, inode, ..] = words else { return None };
    let (from, to) = range.split_once('-')?;
    let hex = |digits: &str| u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() >= 6);
    let is_rights = rights.len() == 4 && rights.bytes().all(|byte| b"rwxps-".contains(&byte));
    let is_device = device.split_once(':').is_some_and(|(major, minor)| {
        u32::from_str_radix(major, 16).is_ok() && u32::from_str_radix(minor, 16).is_ok()
    });
    let is_row = is_rights && is_device && hex(offset).is_some() && inode.parse::<u64>().is_ok();
    hex(from).zip(hex(to)).filter(|_| is_row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_told_from_other_lines() {
        let read = |line: &str| mapping(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            read("00400000-0100b000 r-xp 00000000 fd:00 1933328 /bin/x"),
            Some((0x40_0000, 0x100_b000))
        );
        assert_eq!(read("[mem 00000000-0009ffff] usable, all of it"), None);
        assert_eq!(read("2024-01-31 10:00 00000000 fd:00 17"), None);
        assert_eq!((pid_of("/proc/2345/maps"), pid_of("/proc/2345/smaps")), (Some(2345), Some(2345)));
        assert!(is_detail(&["Rss:", "216", "kB"]) && is_detail(&["VmFlags:", "rd", "ex"]));
        assert!(!is_detail(&["Note:", "216", "lines"]) && !is_detail(&["216", "kB"]));
    }
}
