//! Table `setting`: the settings that matter to performance, as canonical text.
//!
//! Canonical means that equal settings are equal text on every kernel: of choices such as
//! `always [madvise] never` the chosen one, and one blank between numbers. What is not
//! there on this kernel has no row. Files are read folder by folder: the way to a file is most of
//! what a setting costs.

use std::collections::{BTreeMap, HashMap};

use heldup_hostfs::Host;
use heldup_model::tables::SettingRow;
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::setting_paths::PATHS;
use crate::source::{ReadContext, Reading, Schedule, Source};

const BLOCK_DEVICES: &str = "/sys/block";
/// Longer values are no settings that anyone compares.
const MAX_VALUE_BYTES: usize = 1024;

/// Reads every setting of the list.
#[derive(Default)]
pub struct Setting {
    buffer: Vec<u8>,
}

impl Source for Setting {
    fn name(&self) -> &'static str {
        "setting"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SettingRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut rows = Vec::new();
        let mut denied: Vec<String> = Vec::new();
        for (folder, names) in by_folder(host) {
            let mut files = host.values_in(folder.as_str());
            for name in names {
                match files.read_into(&name, &mut self.buffer) {
                    Ok(()) => rows.extend(row(format!("{folder}/{name}"), &self.buffer)),
                    Err(error) if error.is_denied() => denied.push(format!("{folder}/{name}")),
                    // Not there on this kernel, or, for queues, not for this kind of device.
                    Err(_) => {}
                }
            }
        }
        let mut reading = Reading { missing: missing(&denied, rows.is_empty()), ..Reading::default() };
        if !rows.is_empty() {
            rows.sort_by(|a, b| a.setting_key.cmp(&b.setting_key));
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

fn missing(denied: &[String], none: bool) -> Vec<Missing> {
    let (why, how) = match denied.first() {
        None if !none => return Vec::new(),
        None => ("none of the settings is there".to_owned(), "run where /proc/sys and /sys are not masked"),
        Some(first) => (format!("{} not allowed, {first} first", denied.len()), "run as root"),
    };
    vec![Missing { what: "setting".to_owned(), why, how: how.to_owned() }]
}

/// Names of the files to read, by folder.
fn by_folder(host: &Host) -> BTreeMap<String, Vec<String>> {
    let mut folders = HashMap::new();
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in PATHS.iter().flat_map(|pattern| expand(host, pattern, &mut folders)) {
        if let Some((folder, name)) = path.rsplit_once('/') {
            files.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
    }
    files
}

/// Paths of a pattern in which one part may be `*` or begin before one.
fn expand(host: &Host, pattern: &str, folders: &mut HashMap<String, Vec<String>>) -> Vec<String> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![pattern.to_owned()] };
    let Some((folder, start)) = before.rsplit_once('/') else { return Vec::new() };
    let names = folders.entry(folder.to_owned()).or_insert_with(|| names_in(host, folder));
    let matching = names.iter().filter(|name| name.starts_with(start));
    matching.map(|name| format!("{folder}/{name}{after}")).collect()
}

/// Names in a folder; loop devices that nothing is attached to are left out.
fn names_in(host: &Host, folder: &str) -> Vec<String> {
    let mut names = host.list(folder).unwrap_or_default();
    if folder == BLOCK_DEVICES {
        let mut files = host.values_in(folder);
        names.retain(|name| files.read_text(&format!("{name}/size")).is_ok_and(|size| size != "0"));
    }
    names
}

fn row(path: String, content: &[u8]) -> Option<SettingRow> {
    let value = canonical(content)?;
    let key = key_of(&path)?;
    Some(SettingRow {
        setting_key: Some(key.into()),
        setting_value: Some(value.into()),
        path: Some(path.into()),
    })
}

/// The sysctl name, or the path below `/sys` with dots. A dot of the path itself, such as
/// that of an interface `eth0.100`, becomes a slash, as sysctl(8) writes it.
fn key_of(path: &str) -> Option<String> {
    let below = path.strip_prefix("/proc/sys/").or_else(|| path.strip_prefix("/sys/"))?;
    Some(
        below
            .chars()
            .map(|c| match c {
                '/' => '.',
                '.' => '/',
                other => other,
            })
            .collect(),
    )
}

/// The value as text to compare; none for what is too long to be one.
pub fn canonical(content: &[u8]) -> Option<String> {
    if content.len() > MAX_VALUE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(content);
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(chosen(&words, '[', ']').or_else(|| chosen(&words, '(', ')')).unwrap_or_else(|| words.join(" ")))
}

/// The one word in brackets; the scheduler's preemption model has round ones.
fn chosen(words: &[&str], open: char, close: char) -> Option<String> {
    let mut marked = words.iter().filter_map(|word| word.strip_prefix(open)?.strip_suffix(close));
    let first = marked.next()?;
    marked.next().is_none().then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_canonical() {
        let cases: [(&[u8], &str); 7] = [
            (b"60\n", "60"),
            (b"4096\t131072\t6291456\n", "4096 131072 6291456"),
            (b"always [madvise] never\n", "madvise"),
            (b"[none] mq-deadline kyber \n", "none"),
            (b"none voluntary (full) lazy\n", "full"),
            (b"[a] [b]\n", "[a] [b]"),
            (b"\n", ""),
        ];
        for (content, expected) in cases {
            assert_eq!(canonical(content).as_deref(), Some(expected));
        }
        assert_eq!(canonical(&[b'x'; MAX_VALUE_BYTES + 1]), None);
    }

    #[test]
    fn keys_are_sysctl_names() {
        assert_eq!(key_of("/proc/sys/vm/swappiness").as_deref(), Some("vm.swappiness"));
        let vlan = "/proc/sys/net/ipv4/conf/eth0.100/rp_filter";
        assert_eq!(key_of(vlan).as_deref(), Some("net.ipv4.conf.eth0/100.rp_filter"));
        assert_eq!(key_of("/sys/block/sda/queue/scheduler").as_deref(), Some("block.sda.queue.scheduler"));
        assert_eq!(key_of("/etc/passwd"), None);
    }
}
