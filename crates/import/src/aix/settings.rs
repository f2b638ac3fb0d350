//! Settings of AIX: `vmo`, `ioo`, `schedo`, `no`, `nfso` and `raso` with `-a` (`name = value`) and `-L` (a table), and
//! the attributes of a device (`lsattr -El`).
//!
//! They are rows of `setting` by the names that AIX has for them; of a device's `hdisk0/queue_depth`.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const TUNABLES: &str = "tunables";
const LSATTR: &str = "lsattr";

/// Names by which a listing without a heading is known: no other system has settings of these names.
const OWN: [&str; 62] = [
    "aio_active",
    "aio_maxreqs",
    "aio_maxservers",
    "aio_minservers",
    "ame_cpus_per_pool",
    "big_tick_size",
    "cpu_scale_memp",
    "data_stagger_interval",
    "defps",
    "extendednetstats",
    "fasttimo",
    "fixed_pri_global",
    "force_relalias_lite",
    "framesets",
    "hotlocks_enable",
    "idle_migration_barrier",
    "j2_atimeUpdateSymlink",
    "j2_dynamicBufferPreallocation",
    "j2_inodeCacheSize",
    "j2_maxPageReadAhead",
    "j2_maxRandomWrite",
    "j2_minPageReadAhead",
    "j2_nBufferPerPagerDevice",
    "j2_nPagesPerWriteBehindCluster",
    "j2_nRandomCluster",
    "kernel_heap_psize",
    "krlock_enable",
    "lgpg_regions",
    "lgpg_size",
    "lltracepathid",
    "low_ps_handling",
    "lru_file_repage",
    "lru_poll_interval",
    "lvm_bufcnt",
    "maxclient%",
    "maxfree",
    "maxperm%",
    "maxpgahead",
    "maxpin%",
    "maxrandwrt",
    "minfree",
    "minperm%",
    "minpgahead",
    "nokilluid",
    "npskill",
    "npswarn",
    "numclust",
    "numfsbufs",
    "numpsblks",
    "page_steal_method",
    "pd_npages",
    "pv_min_pbuf",
    "rfc1323",
    "rpgclean",
    "sched_D",
    "strict_maxclient",
    "strict_maxperm",
    "sync_release_ilock",
    "thewall",
    "udp_recvspace",
    "v_pinshm",
    "vpm_xvcpus",
];

/// Attributes by which a listing of a device is known.
const ATTRIBUTES: [&str; 14] = [
    "aio_maxservers",
    "algorithm",
    "hcheck_interval",
    "lg_term_dma",
    "max_coalesce",
    "max_transfer",
    "max_xfer_size",
    "maxreqs",
    "maxservers",
    "maxuproc",
    "minservers",
    "num_cmd_elems",
    "queue_depth",
    "reserve_policy",
];

/// Reads settings of AIX.
#[derive(Default)]
pub struct AixSettings {
    listing: Option<Listing>,
    /// The device that a command line named, and its line.
    device: Option<(String, u64)>,
    last_line: u64,
}

struct Listing {
    kind: Kind,
    when: When,
    rows: u64,
}

#[derive(Clone, PartialEq)]
enum Kind {
    /// `name = value`.
    Assignments,
    /// `NAME CUR DEF BOOT …`.
    Table,
    /// Attributes of a device.
    Attributes(String),
}

impl Importer for AixSettings {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(device) = lsattr_of(line.words) {
            self.end(document)?;
            self.device = Some((device.to_owned(), line.number));
            return Ok(false);
        }
        let device =
            self.device.as_ref().filter(|(_, at)| line.number <= at + 3).map(|(device, _)| device.clone());
        let kind = match line.words {
            [name, "=", ..] if OWN.contains(name) => Kind::Assignments,
            ["NAME", "CUR", "DEF", "BOOT", ..] => Kind::Table,
            [name, ..] if is_attribute(line.words) && (device.is_some() || ATTRIBUTES.contains(name)) => {
                Kind::Attributes(device.unwrap_or_default())
            }
            _ => return Ok(false),
        };
        let is_same = self.listing.as_ref().is_some_and(|listing| listing.kind == kind);
        if !is_same || line.number > self.last_line + 40 {
            self.end(document)?;
            let (format, device) = match &kind {
                Kind::Attributes(device) => (LSATTR, device.as_str()),
                _ => (TUNABLES, ""),
            };
            document.begin(format);
            let when = document.moment_of(format, device);
            self.listing = Some(Listing { kind: kind.clone(), when, rows: 0 });
        }
        self.last_line = line.number;
        if kind == Kind::Table {
            return Ok(true);
        }
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if lsattr_of(line.words).is_some() || line.words.starts_with(&["NAME", "CUR"]) {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + 3) else {
            return Ok(false);
        };
        let is_taken = listing.take(line, document);
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl AixSettings {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take().filter(|listing| listing.rows > 0) {
            Some(listing) => document.end_sample(if matches!(listing.kind, Kind::Attributes(_)) {
                LSATTR
            } else {
                TUNABLES
            }),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let words = line.words;
        let is_rule = words.iter().all(|word| word.bytes().all(|byte| byte == b'-'));
        let (key, value) = match (&self.kind, words) {
            (Kind::Assignments, [name, "=", value @ ..]) if is_name(name) && value.len() <= 3 => {
                ((*name).to_owned(), value.join(" "))
            }
            // What a setting depends on stands below it, each in a line.
            (Kind::Table, ["DEPENDENCIES"]) => return true,
            (Kind::Table, [name]) => return is_rule || is_name(name),
            (Kind::Table, _) if is_rule => return true,
            (Kind::Table, [name, current, rest @ ..]) if is_name(name) && rest.len() >= 2 => {
                ((*name).to_owned(), (*current).to_owned())
            }
            (Kind::Attributes(device), [name, value, ..]) if is_attribute(words) => {
                let key = if device.is_empty() { (*name).to_owned() } else { format!("{device}/{name}") };
                (key, (*value).to_owned())
            }
            _ => return false,
        };
        if value.is_empty() || value == "n/a" {
            return true;
        }
        self.rows += 1;
        let cells = [("setting_key", Put::Text(&key)), ("setting_value", Put::Text(&value))];
        put(document, SettingRow::DEF, self.when, &key, &cells);
        true
    }
}

fn is_name(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'-' | b'[' | b']'))
}

/// `queue_depth 3 Queue DEPTH True`: name, value, what it is, and whether a user may set it.
fn is_attribute(words: &[&str]) -> bool {
    words.len() >= 4
        && words.last().is_some_and(|last| matches!(*last, "True" | "False" | "True+"))
        && words
            .first()
            .is_some_and(|name| is_name(name) && name.bytes().all(|byte| !byte.is_ascii_uppercase()))
}

/// The device of a command line `lsattr -El hdisk0`.
fn lsattr_of<'w>(words: &[&'w str]) -> Option<&'w str> {
    let at = words.iter().position(|word| word.ends_with("lsattr"))?;
    let options = words.get(at + 1..)?;
    let last = options.last()?;
    match last.strip_prefix("-El").or_else(|| last.strip_prefix("-l")) {
        Some(device) if !device.is_empty() => Some(device),
        _ if !last.starts_with('-')
            && options.iter().any(|word| word.starts_with('-') && word.contains('l')) =>
        {
            Some(*last)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_no_attribute_is_prose() {
        assert!(OWN.is_sorted());
        assert!(ATTRIBUTES.is_sorted());
        let check = |line: &str| is_attribute(&line.split_whitespace().collect::<Vec<_>>());
        assert!(check("queue_depth 3 Queue DEPTH True"));
        assert!(check("pvid 00c1d8b2f2a1 Physical volume identifier False"));
        assert!(!check("This is not True"));
        assert!(!check("it is False"));
    }

    #[test]
    fn devices_of_command_lines() {
        let check = |line: &'static str| lsattr_of(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(check("# lsattr -El hdisk0"), Some("hdisk0"));
        assert_eq!(check("$ lsattr -E -l aio0"), Some("aio0"));
        assert_eq!(check("lsattr -Elsys0"), Some("sys0"));
        assert_eq!(check("see lsattr"), None);
    }
}
