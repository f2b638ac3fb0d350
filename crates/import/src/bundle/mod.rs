//! What people send when a machine is slow: files, folders, archives of them, pressed once or
//! several times; reports of sos and supportconfig; `/proc` saved once or twice.
//!
//! Everything is read twice: first what tells of which machine and time zone the rest is, then the rest.
//! Nothing is unpacked to a disk. A file is taken by one reader only: by its place in a tree of `/proc` and
//! `/sys`, else as a file of `/proc` that its content tells, else by the importers of listings.

mod beginning;
mod facts;
mod fenced;
mod held;
mod kernel_file;
mod limits;
mod marks;
mod packed;
mod sections;
mod series;
mod snapshots;
mod unpack;

use std::io::{Cursor, Read};
use std::path::PathBuf;

use heldup_model::Flaw;

use crate::document::Hints;
use crate::{FileRead, Import, read};
use beginning::Begun;
use facts::{FactsTaker, Known, Surroundings};
use held::{Held, LARGEST_KERNEL_FILE};
pub use limits::Limits;
use snapshots::Snapshots;
use unpack::{Place, Taker, unpack};

/// Longer than this nobody gathers: what was written before that is no part of the gathering.
const LONGEST_GATHERING_MS: i64 = 7 * 86_400_000;
/// Tools whose output says its interval, its unit, its interface or its disk only in the command that made it.
const TOLD_BY_COMMAND: [&str; 5] = ["ethtool", "free", "iostat", "smartctl", "vmstat"];

/// The given files, read.
#[derive(Default)]
pub struct Bundle {
    /// Files that were known, each as what it became.
    pub imports: Vec<Import>,
    /// Files of unknown format.
    pub unknown: Vec<FileRead>,
    /// What could not be read.
    pub flaws: Vec<Flaw>,
    /// What is to be known of the whole.
    pub notes: Vec<String>,
}

/// Reads files and folders. Never an error: what cannot be read is a flaw, and the rest is read.
pub fn read_paths(paths: &[PathBuf], limits: &Limits) -> Bundle {
    let mut facts = FactsTaker::default();
    let mut flaws = Vec::new();
    for path in paths {
        let looked = unpack(path, limits, &mut facts);
        flaws.extend(
            looked.err().map(|error| Flaw { place: path.display().to_string(), what: error.to_string() }),
        );
    }
    let mut reading = Reading {
        surroundings: facts.surroundings,
        snapshots: Snapshots::default(),
        bundle: Bundle { flaws, ..Bundle::default() },
        held: Held::of(limits),
        most_listings: limits.listings,
        listings_left_out: 0,
        links: 0,
    };
    for path in paths {
        // That it cannot be opened was said above.
        let _ = unpack(path, limits, &mut reading);
    }
    reading.finish()
}

struct Reading {
    surroundings: Surroundings,
    snapshots: Snapshots,
    bundle: Bundle,
    held: Held,
    most_listings: usize,
    listings_left_out: u64,
    links: u64,
}

impl Taker for Reading {
    fn wants(&self, _: &Place) -> bool {
        true
    }

    fn file(&mut self, place: &Place, input: Begun<'_>) {
        let titled = place.title.as_deref().and_then(kernel_file_of_title);
        let in_tree = kernel_file::in_tree(&place.label).filter(|_| place.title.is_none());
        if let Some(path) = titled {
            let folder = place.file_label().rsplit_once('/').map_or("", |(folder, _)| folder);
            self.of_tree(place, folder, path, input);
        } else if let Some((folder, path)) = in_tree {
            self.of_tree(place, folder, path, input);
        } else if self.is_series(place, &input) {
            self.series(place, input);
        } else if let Some(path) = kernel_file::recognise(input.beginning(), &place.label) {
            if let Some(bytes) = self.hold(place, input) {
                self.loose(place, path, place.modified_ms, bytes);
            }
        } else if self.bundle.imports.len() >= self.most_listings {
            self.listings_left_out += 1;
        } else {
            self.listing(place, input);
        }
    }

    fn link(&mut self, place: &Place, target: &str) {
        match kernel_file::in_tree(&place.label) {
            Some(_) if self.held.largest() == 0 => self.held.left_out += 1,
            Some((folder, path)) => {
                let bytes = self.snapshots.add_link(folder, path, target);
                self.held.take(bytes);
            }
            None => self.links += 1,
        }
    }

    fn flaw(&mut self, flaw: Flaw) {
        self.bundle.flaws.push(flaw);
    }

    fn note(&mut self, note: String) {
        self.bundle.notes.push(note);
    }
}

impl Reading {
    /// A file in a tree of `/proc` and `/sys`.
    fn of_tree(&mut self, place: &Place, folder: &str, path: &str, input: Begun<'_>) {
        if let Some(bytes) = self.hold(place, input) {
            let paths = self.snapshots.add(folder, path, place.modified_ms, bytes);
            self.held.take(paths);
        }
    }

    fn is_series(&self, place: &Place, input: &Begun<'_>) -> bool {
        let zone = self.surroundings.of(&place.label).zone.map(|(zone, _)| zone);
        series::is_one(input.beginning(), &place.label, zone.as_ref())
    }

    /// Files of the kernel in one text, and what else is in it.
    fn series(&mut self, place: &Place, input: Begun<'_>) {
        let zone = self.surroundings.of(&place.label).zone.map(|(zone, _)| zone);
        let Reading { snapshots, held, .. } = self;
        let read = series::read(input, &place.label, zone.as_ref(), held, &mut |look| {
            snapshots.add_look(&place.label, look.ms, place.modified_ms, look.tree);
        });
        match read {
            Ok(rest)
                if rest.lines().any(|line| {
                    let is_fence = line.trim().starts_with("```");
                    !line.trim().is_empty() && !is_fence && marks::mark(line, None).is_none()
                }) =>
            {
                self.listing(place, Begun::of(&mut rest.as_bytes()));
            }
            Ok(_) => {}
            Err(error) => {
                self.flaw(Flaw { place: place.label.clone(), what: format!("{error}; the rest is not read") })
            }
        }
    }

    /// A file of the kernel that stands in no tree.
    fn loose(&mut self, place: &Place, path: &'static str, modified_ms: i64, bytes: Vec<u8>) {
        if self.held.take_loose() {
            self.snapshots.add_loose(&place.label, path, modified_ms, bytes);
        } else {
            self.held.left_out += 1;
        }
    }

    /// A file of the kernel, whole; none where it cannot be had, which is said.
    fn hold(&mut self, place: &Place, input: Begun<'_>) -> Option<Vec<u8>> {
        let most = self.held.largest();
        if most == 0 {
            self.held.left_out += 1;
            return None;
        }
        let mut bytes = Vec::new();
        match input.take(most + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > most => {
                self.held.left_out += 1;
                None
            }
            Ok(_) => {
                self.held.take(bytes.len() as u64);
                Some(bytes)
            }
            Err(error) => {
                let what = format!("{error}, after {} bytes; the file is left out", bytes.len());
                self.flaw(Flaw { place: place.label.clone(), what });
                None
            }
        }
    }

    /// Whatever the importers of listings make of a file.
    fn listing(&mut self, place: &Place, input: Begun<'_>) {
        let Known { host, zone, taken_ms, .. } = self.surroundings.of(&place.label);
        let modified_ms = place.modified_ms;
        // What was written long before the report is of its own time.
        let is_of_report = |taken_ms: &i64| modified_ms == 0 || modified_ms > taken_ms - LONGEST_GATHERING_MS;
        let hints = Hints { modified_ms, taken_ms: taken_ms.filter(is_of_report), host, zone };
        let title = place.title.as_deref().filter(|title| is_told_by_command(title));
        let command = title.map(str::to_owned).or_else(|| command_of_name(&place.label));
        let imported = match command {
            Some(title) => read(&place.label, Cursor::new(format!("# {title}\n")).chain(input), hints),
            None => read(&place.label, input, hints),
        };
        match imported {
            Ok(import) if import.file.is_known => self.bundle.imports.push(import),
            Ok(import) => {
                self.bundle.flaws.extend(import.flaws);
                self.bundle.unknown.push(import.file);
            }
            Err(error) => {
                self.flaw(Flaw { place: place.label.clone(), what: error.to_string() });
            }
        }
    }

    fn finish(mut self) -> Bundle {
        match self.snapshots.read(&self.surroundings) {
            Ok(imports) => self.bundle.imports.extend(imports),
            Err(error) => {
                self.bundle.flaws.push(Flaw { place: "/proc and /sys".to_owned(), what: error.to_string() });
            }
        }
        if self.held.left_out > 0 {
            self.bundle.notes.push(format!(
                "{} files of /proc and /sys were left out: larger than {LARGEST_KERNEL_FILE} bytes, or beyond the limit of all together",
                self.held.left_out
            ));
        }
        if self.listings_left_out > 0 {
            self.bundle.notes.push(format!(
                "{} files were left out: only the first {} listings and logs are read",
                self.listings_left_out, self.most_listings
            ));
        }
        if self.links > 0 {
            self.bundle.notes.push(format!(
                "{} links were not followed: their targets are read in their own place if they are among the files",
                self.links
            ));
        }
        self.bundle
    }
}

/// `/proc/meminfo`, `cat /proc/meminfo`: a file of the kernel that a section of a text has.
fn kernel_file_of_title(title: &str) -> Option<&str> {
    let mut words = title.split_whitespace();
    let first = words.next()?;
    let path = match first.rsplit('/').next() {
        Some("cat") => words.next()?,
        _ => first,
    };
    let (folder, path) = kernel_file::in_tree(path.strip_prefix('/')?)?;
    (folder.is_empty() && words.next().is_none()).then_some(path)
}

/// Whether a text has files of the kernel one behind the other.
#[cfg(test)]
pub(crate) fn is_series(beginning: &[u8]) -> bool {
    series::is_one(beginning, "", None)
}

/// The command that a report of sos names a file after: `ethtool_-S_eth0`, `free_-m`.
fn command_of_name(label: &str) -> Option<String> {
    let name = label.rsplit('/').next()?;
    let name = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".out")).unwrap_or(name);
    let command = name.replace('_', " ");
    let words: Vec<&str> = command.split(' ').collect();
    let is_number = |word: &&str| word.parse::<u32>().is_ok();
    let is_one = match &words[..] {
        // Without an option it is of an interface, or an interval and a count.
        ["ethtool", _] => true,
        [_, interval, count] if is_number(interval) && is_number(count) => true,
        [_, option, ..] => option.starts_with('-'),
        _ => false,
    };
    Some(command).filter(|command| is_one && is_told_by_command(command))
}

fn is_told_by_command(title: &str) -> bool {
    let command = title.split_whitespace().next().unwrap_or_default();
    TOLD_BY_COMMAND.contains(&command.rsplit('/').next().unwrap_or(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_commands() {
        let command = |label: &str| command_of_name(label);
        assert_eq!(command("s/networking/ethtool_-S_eth0").as_deref(), Some("ethtool -S eth0"));
        assert_eq!(command("s/memory/free_-m").as_deref(), Some("free -m"));
        assert_eq!(command("s/ata/smartctl_-a_.dev.sda").as_deref(), Some("smartctl -a .dev.sda"));
        assert_eq!(command("s/vmstat_1_5").as_deref(), Some("vmstat 1 5"));
        assert_eq!(command("s/vmstat_-S_m_5.txt").as_deref(), Some("vmstat -S m 5"));
        for label in ["free", "free_beer.txt", "s/iostat.txt", "my_vmstat_5", "vmstat_before", "vmstat_2.txt"]
        {
            assert_eq!(command(label), None, "{label}");
        }
    }

    #[test]
    fn titles_of_sections_name_files_of_the_kernel() {
        assert_eq!(kernel_file_of_title("/proc/meminfo"), Some("proc/meminfo"));
        assert_eq!(kernel_file_of_title("/bin/cat /proc/net/snmp"), Some("proc/net/snmp"));
        assert_eq!(kernel_file_of_title("/proc/meminfo - File not found"), None);
        assert_eq!(kernel_file_of_title("/usr/bin/vmstat 1 4"), None);
        assert_eq!(kernel_file_of_title("/etc/os-release"), Some("etc/os-release"));
    }
}
