//! The Veritas file system: how fragmented its files and its free space are (`fsadm -E`, `df -o s` has no part in
//! it), and how it divides requests (`vxtunefs`). Of every system that it runs on.

use heldup_model::tables::{FileExtentsRow, SettingRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const FSADM: &str = "fsadm";
const VXTUNEFS: &str = "vxtunefs";
const EXTENTS: &TableDef = FileExtentsRow::DEF;
/// Extents that count as large where free space is judged.
const LARGE_BLOCKS: f64 = 64.0;
/// Lines of headings between the title and the numbers, and blank ones.
const LONGEST_HEAD: u64 = 14;

/// Reads reports of VxFS.
#[derive(Default)]
pub struct Vxfs {
    /// The file system that a command line named, and its line.
    named: Option<(String, u64)>,
    report: Option<Report>,
    settings: Option<(When, String)>,
    last_line: u64,
}

/// One report of extents.
struct Report {
    mount: String,
    when: When,
    cells: Vec<(&'static str, f64)>,
    /// Free blocks in extents of 64 blocks or more; none where no size was listed.
    free_large_blocks: Option<f64>,
}

impl Importer for Vxfs {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_command = line.words.iter().any(|word| word.ends_with("fsadm") || word.ends_with("vxtunefs"));
        if let Some(mount) = line.words.last().filter(|word| is_command && word.starts_with('/')) {
            self.named = Some(((*mount).to_owned(), line.number));
            return Ok(false);
        }
        if is_title(line.words) {
            self.ends(document)?;
            document.begin(FSADM);
            let mount = self.named.take().map_or(String::new(), |(mount, _)| mount);
            if mount.is_empty() {
                document.note("fsadm: no file system name in the file");
            }
            let when = document.moment_of(FSADM, &mount);
            self.report = Some(Report { mount, when, cells: Vec::new(), free_large_blocks: None });
            self.last_line = line.number;
            return Ok(true);
        }
        if let ["Filesystem", "i/o", "parameters", "for", mount] = line.words {
            self.ends(document)?;
            document.begin(VXTUNEFS);
            self.settings = Some((document.moment_of(VXTUNEFS, mount), (*mount).to_owned()));
            self.last_line = line.number;
            return Ok(true);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_title(line.words) {
            return self.begins(line, document);
        }
        if let Some((when, mount)) = self.settings.as_ref().filter(|_| line.number <= self.last_line + 2) {
            let [name, "=", value] = line.words else { return Ok(false) };
            self.last_line = line.number;
            let key = format!("vxfs/{name}");
            let cells = [
                ("setting_key", Put::Text(&key)),
                ("setting_value", Put::Text(value)),
                ("path", Put::Text(mount)),
            ];
            put(document, SettingRow::DEF, *when, &format!("{key} {mount}"), &cells);
            return Ok(true);
        }
        let Some(report) = self.report.as_mut().filter(|_| line.number <= self.last_line + LONGEST_HEAD)
        else {
            return Ok(false);
        };
        let is_taken = report.take(line, document);
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.settings.take().is_some() {
            document.end_sample(VXTUNEFS)?;
        }
        let Some(report) = self.report.take().filter(|report| !report.cells.is_empty()) else {
            return Ok(());
        };
        let mut cells: Vec<(&str, Put<'_>)> =
            report.cells.iter().map(|(column, value)| (*column, Put::Number(Some(*value)))).collect();
        cells.push(("free_large_blocks", Put::Number(report.free_large_blocks)));
        cells.push(("fs_type", Put::Text("vxfs")));
        if !report.mount.is_empty() {
            cells.push(("mount", Put::Text(&report.mount)));
        }
        put(document, EXTENTS, report.when, &report.mount, &cells);
        document.end_sample(FSADM)
    }
}

impl Report {
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let words = line.words;
        if self.take_index(words) || is_heading(words) {
            return true;
        }
        match words {
            ["blocks", "used", "for", "indirects:", _] => true,
            ["%", "Free", "blocks", "in", "extents", "smaller", "than", size, "blks:", share] => {
                let column = match *size {
                    "64" => "free_below_64_ratio",
                    "8" => "free_below_8_ratio",
                    _ => return true,
                };
                match share.trim_end_matches('%').parse::<f64>() {
                    Ok(percent) if (0.0..=100.0).contains(&percent) => {
                        self.cells.push((column, percent / 100.0))
                    }
                    _ => {
                        document
                            .flaw(line.number, format!("fsadm: {share}; expected percent of free blocks"));
                    }
                }
                true
            }
            ["%", "blks", "allocated", "to", "extents", "64", "blks", "or", "larger:", share] => {
                let percent = share.trim_end_matches('%').parse::<f64>().ok();
                self.cells.extend(percent.map(|percent| ("used_large_ratio", percent / 100.0)));
                true
            }
            ["Free", "Extents", "By", "Size"] => {
                self.free_large_blocks = Some(0.0);
                true
            }
            [files, blocks, extents, free] if words.iter().all(|word| word.parse::<f64>().is_ok()) => {
                let columns = ["files", "file_blocks_mean", "file_extents_mean", "free_blocks"];
                let values = [files, blocks, extents, free].map(|word| word.parse::<f64>().unwrap_or(0.0));
                self.cells.extend(columns.into_iter().zip(values));
                true
            }
            _ => self.take_sizes(words),
        }
    }

    /// `Free Space Fragmentation Index : 6`, of newer versions.
    fn take_index(&mut self, words: &[&str]) -> bool {
        let (column, value) = match words {
            ["Free", "Space", "Fragmentation", "Index", ":", value] => ("free_fragmentation_index", value),
            ["File", "Fragmentation", "Index", ":", value] => ("file_fragmentation_index", value),
            ["#", "Files", "Fragmented", "by", ..] => return true,
            _ => return false,
        };
        self.cells.extend(value.parse::<f64>().ok().map(|value| (column, value)));
        true
    }

    /// `64: 155 128: 94 256: 43`: how many extents of each size are free, each from this size to the next.
    fn take_sizes(&mut self, words: &[&str]) -> bool {
        if words.len() < 2 || !words.len().is_multiple_of(2) {
            return false;
        }
        let pairs: Option<Vec<(f64, f64)>> = words
            .chunks(2)
            .map(|pair| Some((pair.first()?.strip_suffix(':')?.parse().ok()?, pair.get(1)?.parse().ok()?)))
            .collect();
        let (Some(pairs), Some(free)) = (pairs, self.free_large_blocks.as_mut()) else { return false };
        *free += pairs
            .iter()
            .filter(|(size, _)| *size >= LARGE_BLOCKS)
            .map(|(size, count)| size * count)
            .sum::<f64>();
        true
    }
}

/// `Extent Fragmentation Report`; `File System Extent Fragmentation Report`.
fn is_title(words: &[&str]) -> bool {
    matches!(words, [.., "Extent", "Fragmentation", "Report"]) && words.len() <= 5
}

/// The two lines above the numbers.
fn is_heading(words: &[&str]) -> bool {
    matches!(
        words,
        ["Total", "Average", "Average", "Total"] | ["Files", "File", "Blks", "#", "Extents", "Free", "Blks"]
    ) || matches!(words, ["0", "1-25", "26-50", "51-75", "76-100"])
}
