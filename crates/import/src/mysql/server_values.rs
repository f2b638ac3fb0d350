//! `SHOW STATUS` and `SHOW VARIABLES`, also as `mysqladmin extended-status` and `variables` print them. Counters of one reading
//! count since the server started and have no interval; of a later reading in the same file it is what they grew by, over the
//! growth of `Uptime`.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::{DbMetricRow, SettingRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::mysql::client::{Form, cells, field, headings, is_count, is_record, is_rule};
use crate::table::sheets::When;

const STATUS: &str = "mysql_status";
const VARIABLES: &str = "mysql_variables";
/// Such a server has no name in its tables.
const INSTANCE: &str = "mysql";
/// Lines without a row between two rows.
const LONGEST_GAP: u64 = 2;
/// Names that such lists begin with, since they are sorted, where the client printed no headings (`-ss`).
const FIRST_NAMES: [&str; 6] = [
    "Aborted_clients",
    "activate_all_roles_on_login",
    "admin_address",
    "allow_suspicious_udfs",
    "aria_block_size",
    "auto_increment_increment",
];
/// Beginnings of the names of numbers that stand for a moment.
const LEVELS: [&str; 28] = [
    "threads_cached",
    "threads_connected",
    "threads_running",
    "open_files",
    "open_streams",
    "open_table",
    "max_used",
    "uptime",
    "innodb_buffer_pool_pages_data",
    "innodb_buffer_pool_pages_dirty",
    "innodb_buffer_pool_pages_free",
    "innodb_buffer_pool_pages_misc",
    "innodb_buffer_pool_pages_total",
    "innodb_buffer_pool_bytes",
    "innodb_row_lock_current",
    "innodb_row_lock_time_",
    "innodb_page_size",
    "innodb_num_open_files",
    "innodb_history_list_length",
    "innodb_checkpoint",
    "innodb_mem_",
    "innodb_data_pending",
    "innodb_os_log_pending",
    "prepared_stmt_count",
    "qcache_free",
    "qcache_queries_in_cache",
    "key_blocks",
    "memory_used",
];

/// Reads such lists.
#[derive(Default)]
pub struct ServerValues {
    listing: Option<Listing>,
    /// Counters of the reading before.
    before: BTreeMap<String, f64>,
    last_line: u64,
    /// Line of a rule above a row below another, of any table.
    record_line: u64,
}

/// A list while it is read.
struct Listing {
    form: Form,
    /// The time that stood above it.
    when: Option<When>,
    values: Vec<(String, String)>,
    /// The name of a row below another.
    name: Option<String>,
}

impl Importer for ServerValues {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_record(line.text) {
            self.record_line = line.number;
            return Ok(false);
        }
        let first = |names: &[&str]| matches!(field(line.text), Some((name, value)) if names.contains(&name.as_str()) && !value.is_empty());
        let is_first = self.record_line + 1 == line.number && first(&["variable_name"]);
        let bare = pair(Form::Tabs, line.text).filter(|(name, _)| FIRST_NAMES.contains(&name.as_str()));
        let form = match headings(line.text, is_ours) {
            Some((form, _)) => form,
            None if is_first => Form::Vertical,
            None if bare.is_some() => Form::Tabs,
            None => return Ok(false),
        };
        self.end(document)?;
        let when = document.clock().is_some().then(|| document.moment(STATUS));
        let mut listing = Listing { form, when, values: Vec::new(), name: None };
        listing.values.extend(bare);
        if form == Form::Vertical {
            listing.take_field(line.text);
        }
        self.listing = Some(listing);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = line.number <= self.last_line + LONGEST_GAP;
        let Some(listing) = self.listing.as_mut().filter(|_| is_near) else {
            return self.begins(line, document);
        };
        let is_taken = match listing.form {
            Form::Vertical => is_record(line.text) || listing.take_field(line.text),
            Form::Box if is_rule(line.text) => true,
            form => match pair(form, line.text).filter(|(name, _)| name != "Variable_name") {
                Some(pair) => {
                    listing.values.push(pair);
                    true
                }
                None => false,
            },
        };
        if is_taken {
            self.last_line = line.number;
            return Ok(true);
        }
        if is_count(line.words) {
            self.end(document)?;
            return Ok(true);
        }
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl ServerValues {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take().filter(|listing| !listing.values.is_empty()) else {
            return Ok(());
        };
        // Names of counters begin with a capital.
        let is_counter =
            |(name, _): &&(String, String)| name.starts_with(|sign: char| sign.is_ascii_uppercase());
        let capitals = listing.values.iter().filter(is_counter).count();
        if 2 * capitals > listing.values.len() {
            document.begin(STATUS);
            self.status(&listing, document);
            return document.end_sample(STATUS);
        }
        document.begin(VARIABLES);
        let when = listing.when.unwrap_or_else(|| document.floating(None));
        for (name, value) in &listing.values {
            let key = format!("mysql.{}", name.to_ascii_lowercase());
            let cells = [("setting_key", Put::Text(&key)), ("setting_value", Put::Text(value))];
            put(document, SettingRow::DEF, when, &key, &cells);
        }
        document.end_sample(VARIABLES)
    }

    fn status(&mut self, listing: &Listing, document: &mut Document) {
        let values: BTreeMap<String, f64> = listing
            .values
            .iter()
            .filter_map(|(name, value)| {
                let value = value.parse::<f64>().ok().filter(|value| value.is_finite())?;
                Some((name.to_ascii_lowercase(), value))
            })
            .collect();
        let uptimes = values.get("uptime").zip(self.before.get("uptime"));
        let secs = uptimes.map(|(now, before)| now - before).filter(|secs| *secs > 0.0);
        let when = match listing.when {
            Some(when) => When { secs, ..when },
            None => document.floating(secs),
        };
        for (name, value) in &values {
            let is_level = LEVELS.iter().any(|level| name.starts_with(level));
            let value = match (secs, self.before.get(name)) {
                (Some(_), Some(before)) if !is_level => Some(value - before).filter(|grown| *grown >= 0.0),
                // It was not told before: a sum among increases.
                (Some(_), None) if !is_level => None,
                _ => Some(*value),
            };
            let Some(value) = value else { continue };
            let name = format!("mysql.{name}");
            let cells = [
                ("instance", Put::Text(INSTANCE)),
                ("metric_name", Put::Text(&name)),
                ("value", Put::Number(Some(value))),
            ];
            put(document, DbMetricRow::DEF, when, &name, &cells);
        }
        self.before = values;
    }
}

impl Listing {
    /// Takes `Variable_name: Uptime` or `        Value: 12`; false where the line is none such.
    fn take_field(&mut self, text: &str) -> bool {
        match field(text) {
            Some((heading, value)) if heading == "variable_name" => {
                self.name = Some(value.to_owned());
                true
            }
            Some((heading, value)) if heading == "value" => match self.name.take() {
                Some(name) => {
                    self.values.push((name, value.to_owned()));
                    true
                }
                None => false,
            },
            _ => false,
        }
    }
}

/// A name and its value.
fn pair(form: Form, text: &str) -> Option<(String, String)> {
    let mut cells = cells(form, text)?.into_iter();
    let (name, value) = (cells.next()?, cells.next()?);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // A value may have bars in it.
    let rest: Vec<String> = cells.collect();
    let value = if rest.is_empty() { value } else { format!("{value}|{}", rest.join("|")) };
    is_name.then_some((name, value))
}

fn is_ours(headings: &[String]) -> bool {
    matches!(headings, [name, value] if name == "variable_name" && value.ends_with("value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values() {
        let pair = |form, text| pair(form, text).map(|(name, value)| format!("{name}={value}"));
        assert_eq!(pair(Form::Box, "| Uptime | 12 |").as_deref(), Some("Uptime=12"));
        assert_eq!(pair(Form::Tabs, "ssl_cipher\t").as_deref(), Some("ssl_cipher="));
        assert_eq!(
            pair(Form::Box, "| ft_boolean_syntax | + -><()~*:\"\"&| |").as_deref(),
            Some("ft_boolean_syntax=+ -><()~*:\"\"&|")
        );
        assert_eq!(pair(Form::Tabs, "not a name\t12"), None);
        assert!(is_ours(&["variable_name".to_owned(), "value".to_owned()]));
    }
}
