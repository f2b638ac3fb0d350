//! postgresql.conf and postgresql.auto.conf: lines `name = value`, of which the sign may be left out.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "postgresql.conf";
/// Lines between two settings: nearly all of the file are comments.
const LONGEST_GAP: u64 = 400;

/// Settings that no other program's files have; two of them begin a file.
const BEGINS: [&str; 35] = [
    "autovacuum_max_workers",
    "autovacuum_naptime",
    "bgwriter_delay",
    "bgwriter_lru_maxpages",
    "checkpoint_completion_target",
    "checkpoint_segments",
    "checkpoint_timeout",
    "default_statistics_target",
    "dynamic_shared_memory_type",
    "effective_cache_size",
    "effective_io_concurrency",
    "full_page_writes",
    "hba_file",
    "ident_file",
    "log_line_prefix",
    "log_min_duration_statement",
    "maintenance_work_mem",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "max_prepared_transactions",
    "max_wal_senders",
    "max_wal_size",
    "max_worker_processes",
    "min_wal_size",
    "random_page_cost",
    "shared_buffers",
    "shared_preload_libraries",
    "synchronous_commit",
    "track_activity_query_size",
    "track_io_timing",
    "unix_socket_directories",
    "wal_buffers",
    "wal_level",
    "wal_sync_method",
    "work_mem",
];

/// Settings that may stand before the second of its own, and lines between two of them.
const MOST_PENDING: usize = 64;
const LONGEST_HELD_GAP: u64 = 60;

/// Units of sizes that are written as plain numbers.
const SIZES: [(&str, &str); 11] = [
    ("autovacuum_work_mem", "kB"),
    ("effective_cache_size", "8kB"),
    ("logical_decoding_work_mem", "kB"),
    ("maintenance_work_mem", "kB"),
    ("max_wal_size", "MB"),
    ("min_wal_size", "MB"),
    ("shared_buffers", "8kB"),
    ("temp_buffers", "8kB"),
    ("temp_file_limit", "kB"),
    ("wal_buffers", "8kB"),
    ("work_mem", "kB"),
];

/// Reads files of settings.
#[derive(Default)]
pub struct Settings {
    when: Option<When>,
    last_line: u64,
    /// A first one of them with what stands before it, which the next proves to be one.
    pending: Vec<(String, String)>,
    has_own: bool,
    /// Lines that are no comments, and those of them that are settings.
    lines: usize,
    settings: usize,
}

impl Importer for Settings {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.text.trim_start().starts_with('#') {
            return Ok(false);
        }
        self.lines += 1;
        let Some((name, value)) = setting(line.text) else { return Ok(false) };
        self.settings += 1;
        if line.number > self.last_line + LONGEST_HELD_GAP {
            self.pending.clear();
            self.has_own = false;
        }
        self.last_line = line.number;
        let is_own = BEGINS.contains(&name.as_str());
        let is_second = self.has_own && self.pending.iter().all(|(before, _)| *before != name);
        if is_own && (is_second || self.when.is_some()) {
            document.take_held(self.pending.len() as u64);
            for (name, value) in std::mem::take(&mut self.pending) {
                self.take(&name, &value, line.number, document);
            }
            self.take(&name, &value, line.number, document);
            return Ok(true);
        }
        self.has_own |= is_own;
        self.pending.push((name, value));
        if self.pending.len() > MOST_PENDING {
            self.pending.remove(0);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.when.is_none() || line.number > self.last_line + LONGEST_GAP {
            return self.begins(line, document);
        }
        if line.text.trim_start().starts_with('#') {
            return Ok(true);
        }
        let Some((name, value)) = setting(line.text) else {
            return self.begins(line, document);
        };
        self.take(&name, &value, line.number, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        // A file of nothing else may have one of its own only.
        let is_all_settings = self.settings >= 2 && self.settings * 5 >= self.lines * 4;
        if self.when.is_none() && self.has_own && is_all_settings {
            for (name, value) in std::mem::take(&mut self.pending) {
                self.take(&name, &value, self.last_line, document);
            }
        }
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Settings {
    fn take(&mut self, name: &str, value: &str, line: u64, document: &mut Document) {
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(NAME);
                *self.when.insert(document.moment(NAME))
            }
        };
        self.last_line = line;
        write(document, when, name, value, None);
    }
}

/// Writes a setting; the last of a name counts, as it does for the server. A size gets its unit, told or its own.
pub fn write(document: &mut Document, when: When, name: &str, value: &str, unit: Option<&str>) {
    let own = SIZES.iter().find(|(size, _)| *size == name).map(|(_, unit)| *unit);
    let value = &sized(value, unit.filter(|unit| unit.ends_with('B')).or(own));
    let key = format!("postgresql.{name}");
    let cells = [("setting_key", Put::Text(&key)), ("setting_value", Put::Text(value))];
    put(document, SettingRow::DEF, when, &key, &cells);
}

/// `16384` of blocks of 8kB is `131072kB`. A number that switches something off (-1, 0) has no unit.
fn sized(value: &str, unit: Option<&str>) -> String {
    let number: Option<i64> = value.parse().ok().filter(|number| *number > 0);
    let (Some(number), Some(unit)) = (number, unit) else { return value.to_owned() };
    let at = unit.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(0);
    let count: i64 = unit[..at].parse().unwrap_or(1);
    format!("{}{}", number.saturating_mul(count), &unit[at..])
}

/// `shared_buffers = 128MB   # min 128kB`, `work_mem '4MB'`: name and value; a quote in a value is written twice.
fn setting(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let end = text.find(|sign: char| !(sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.')))?;
    let (name, rest) = text.split_at(end);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let rest = rest.trim_start();
    let (has_sign, rest) = match rest.strip_prefix('=') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    // Without the sign there is one word behind the name; else it is a sentence.
    let behind = rest.split_once([' ', '\t']).map_or("", |(_, behind)| behind.trim_start());
    let is_one_word = rest.starts_with('\'') || behind.is_empty() || behind.starts_with('#');
    if !has_sign && !is_one_word {
        return None;
    }
    let value = match rest.strip_prefix('\'') {
        Some(quoted) => {
            let mut value = String::new();
            let mut signs = quoted.chars().peekable();
            while let Some(sign) = signs.next() {
                match sign {
                    '\'' if signs.peek() == Some(&'\'') => value.extend(signs.next()),
                    '\'' => break,
                    other => value.push(other),
                }
            }
            value
        }
        None => rest.split([' ', '\t', '#']).next().unwrap_or("").to_owned(),
    };
    (is_name && (!value.is_empty() || rest.starts_with('\''))).then(|| (name.to_ascii_lowercase(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_files() {
        let read = |text: &str| setting(text).map(|(name, value)| format!("{name}={value}"));
        assert_eq!(read("shared_buffers = 128MB\t\t# min 128kB").as_deref(), Some("shared_buffers=128MB"));
        assert_eq!(read("work_mem '4MB'").as_deref(), Some("work_mem=4MB"));
        assert_eq!(
            read("log_line_prefix = '%m [%p] it''s '#x").as_deref(),
            Some("log_line_prefix=%m [%p] it's ")
        );
        assert_eq!(read("archive_command = ''").as_deref(), Some("archive_command="));
        assert_eq!(read("pg_stat_statements.max=5000").as_deref(), Some("pg_stat_statements.max=5000"));
        assert_eq!(read("#fsync = on"), None);
        assert_eq!(read("fsync"), None);
        assert_eq!(read("fsync on # for safety").as_deref(), Some("fsync=on"));
        assert_eq!(read("shared_buffers is a setting"), None);
        assert!(BEGINS.is_sorted());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(sized("16384", Some("8kB")), "131072kB");
        assert_eq!(sized("128MB", Some("8kB")), "128MB");
        assert_eq!(sized("-1", Some("kB")), "-1");
        assert_eq!(sized("100", None), "100");
    }
}
