//! `mount` and `lsfs -q` of AIX: what is mounted where, how, and with what a file system was made.
//!
//! What `lsfs -q` says of a file system in brackets (block size, log within it, compression, large files)
//! becomes its options, by the names that `crfs` has for them, where it is so: `agblksize=4096,log=INLINE`.

use heldup_model::Record;
use heldup_model::tables::MountRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::civil::time_of_day;

const MOUNT: &str = "mount";
const LSFS: &str = "lsfs";
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Names of `crfs` for what `lsfs -q` says.
const ATTRIBUTES: [(&str, &str); 6] = [
    ("block size", "agblksize"),
    ("frag size", "frag"),
    ("inline log", "log"),
    ("compress", "compress"),
    ("bf", "bf"),
    ("nbpi", "nbpi"),
];

/// Reads `mount` and `lsfs -q`.
#[derive(Default)]
pub struct AixMounts {
    listing: Option<Listing>,
    last_line: u64,
}

struct Listing {
    tool: &'static str,
    when: When,
    rows: u64,
}

/// One mount.
struct Mounted {
    source: String,
    mount: String,
    fs_type: String,
    options: String,
}

impl Importer for AixMounts {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let tool = match line.words {
            ["node", "mounted", "mounted", "over", "vfs", ..] => MOUNT,
            ["Name", "Nodename", "Mount", "Pt", "VFS", ..] => LSFS,
            _ => return Ok(false),
        };
        self.end(document)?;
        document.begin(tool);
        self.listing = Some(Listing { tool, when: document.moment(tool), rows: 0 });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + 2) else {
            return Ok(false);
        };
        if line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) {
            self.last_line = line.number;
            return Ok(true);
        }
        if listing.tool == LSFS && line.text.trim_start().starts_with('(') {
            listing.add_attributes(line.text, document);
            self.last_line = line.number;
            return Ok(true);
        }
        let mounted = if listing.tool == MOUNT { mounted(line.words) } else { listed(line.words) };
        let Some(mounted) = mounted else {
            let is_row = line.words.iter().any(|word| word.starts_with('/')) && line.words.len() >= 3;
            if is_row {
                document
                    .flaw(line.number, format!("{}: expected what is mounted, where, and how", listing.tool));
                self.last_line = line.number;
            }
            return Ok(is_row);
        };
        listing.write(&mounted, document);
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl AixMounts {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take().filter(|listing| listing.rows > 0) {
            Some(listing) => document.end_sample(listing.tool),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn write(&mut self, mounted: &Mounted, document: &mut Document) {
        self.rows += 1;
        let is_read_only = mounted.options.split(',').any(|option| option == "ro");
        let cells = [
            ("mount_id", Put::Number(Some(self.rows as f64))),
            ("mount", Put::Text(&mounted.mount)),
            ("fs_type", Put::Text(&mounted.fs_type)),
            ("source", Put::Text(&mounted.source)),
            ("options", Put::Text(&mounted.options)),
            ("read_only", Put::Is(is_read_only)),
        ];
        put(document, MountRow::DEF, self.when, &self.rows.to_string(), &cells);
    }

    /// `(lv size: 2097152, fs size: 2097152, block size: 4096, inline log: no, …)`, of the row above.
    fn add_attributes(&self, text: &str, document: &mut Document) {
        let text = text.trim().trim_start_matches('(').trim_end_matches(')');
        let told: Vec<String> = text
            .split(',')
            .filter_map(|pair| {
                let (name, value) = pair.split_once(':')?;
                let (_, known) = ATTRIBUTES.iter().find(|(there, _)| *there == name.trim())?;
                match (*known, value.trim()) {
                    (_, "no" | "false") => None,
                    // As `mount` says it.
                    ("log", _) => Some("log=INLINE".to_owned()),
                    (known, value) => Some(format!("{known}={value}")),
                }
            })
            .collect();
        if self.rows > 0 && !told.is_empty() {
            let options = told.join(",");
            put(
                document,
                MountRow::DEF,
                self.when,
                &self.rows.to_string(),
                &[("super_options", Put::Text(&options))],
            );
        }
    }
}

/// `[node] /dev/hd4 / jfs2 Jun 03 12:51 rw,log=/dev/hd8`.
fn mounted(words: &[&str]) -> Option<Mounted> {
    let date = words.windows(3).position(|words| {
        MONTHS.contains(&words[0])
            && words[1].parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
            && time_of_day(&[&*format!("{}:00", words[2])]).is_some()
    })?;
    let (node, [source, mount, fs_type]) = match words.get(..date)? {
        [source, mount, fs_type] => (None, [source, mount, fs_type]),
        [node, source, mount, fs_type] => (Some(node), [source, mount, fs_type]),
        _ => return None,
    };
    Some(Mounted {
        source: node.map_or((*source).to_owned(), |node| format!("{node}:{source}")),
        mount: (*mount).to_owned(),
        fs_type: (*fs_type).to_owned(),
        options: words.get(date + 3..).unwrap_or_default().join(""),
    })
}

/// `/dev/fslv00 -- /oradata jfs2 2097152 cio,rw yes no`.
fn listed(words: &[&str]) -> Option<Mounted> {
    let [source, node, mount, fs_type, _size, options, ..] = words else { return None };
    if !mount.starts_with('/') {
        return None;
    }
    Some(Mounted {
        source: if *node == "--" { (*source).to_owned() } else { format!("{node}:{source}") },
        mount: (*mount).to_owned(),
        fs_type: (*fs_type).to_owned(),
        options: if *options == "--" { String::new() } else { (*options).to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_with_and_without_a_node() {
        let check = |line: &str| {
            let told = mounted(&line.split_whitespace().collect::<Vec<_>>());
            told.map(|told| format!("{} {} {} {}", told.source, told.mount, told.fs_type, told.options))
        };
        assert_eq!(
            check("/dev/hd4 / jfs2 Jun 03 12:51 rw,log=/dev/hd8").as_deref(),
            Some("/dev/hd4 / jfs2 rw,log=/dev/hd8")
        );
        assert_eq!(
            check("nim1 /export/home /home nfs3 Jun 03 12:52 bg,hard,intr").as_deref(),
            Some("nim1:/export/home /home nfs3 bg,hard,intr")
        );
        assert_eq!(check("/proc /proc procfs Jun 03 12:51 rw").as_deref(), Some("/proc /proc procfs rw"));
        assert_eq!(check("Jun 03 12:51 the disk"), None);
    }
}
