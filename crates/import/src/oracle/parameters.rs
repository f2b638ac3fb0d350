//! Parameters of Oracle: init.ora, what `strings` shows of an spfile, and `show parameter` of SQL*Plus.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::report_state::ReportState;
use crate::oracle::ruler::{Dashes, Ruler, dashes};

const NAME: &str = "Oracle parameters";
/// Lines between two parameters: comments.
const LONGEST_GAP: u64 = 40;
/// Lines of a value in parentheses.
const MOST_PARTS: usize = 32;

/// Parameters that no other program's settings have; each begins a file of them.
const BEGINS: [&str; 30] = [
    "aq_tm_processes",
    "background_dump_dest",
    "control_files",
    "core_dump_dest",
    "cursor_sharing",
    "db_block_buffers",
    "db_block_size",
    "db_cache_size",
    "db_file_multiblock_read_count",
    "db_writer_processes",
    "dbwr_io_slaves",
    "disk_asynch_io",
    "filesystemio_options",
    "java_pool_size",
    "job_queue_processes",
    "log_checkpoint_interval",
    "log_checkpoint_timeout",
    "memory_target",
    "open_cursors",
    "optimizer_features_enable",
    "pga_aggregate_target",
    "remote_login_passwordfile",
    "session_cached_cursors",
    "sga_max_size",
    "sga_target",
    "shared_pool_reserved_size",
    "shared_pool_size",
    "timed_statistics",
    "undo_management",
    "undo_tablespace",
];

/// Reads parameters.
#[derive(Default)]
pub struct Parameters {
    told: Option<ReportState>,
    /// Of `show parameter`: headings were read, and the row of dashes below them.
    listing: Option<Option<Ruler>>,
    /// A value whose parenthesis is still open.
    open: Option<(String, String, usize)>,
    last_line: u64,
}

impl Importer for Parameters {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words == ["NAME", "TYPE", "VALUE"] {
            self.listing = Some(None);
            self.last_line = line.number;
            return Ok(true);
        }
        let Some((name, value)) = assignment(line.text).filter(|(name, _)| BEGINS.contains(&name.as_str()))
        else {
            return Ok(false);
        };
        self.take(name, value, line.number, document);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words == ["NAME", "TYPE", "VALUE"] || line.number > self.last_line + LONGEST_GAP {
            return self.begins(line, document);
        }
        if let Some(ruler) = self.listing.take() {
            return Ok(self.take_listing(ruler, line, document));
        }
        if let Some((name, mut value, parts)) = self.open.take() {
            value.push_str(line.text.trim());
            if value.contains(')') || parts >= MOST_PARTS {
                self.set(&name, &value, document);
            } else {
                self.open = Some((name, value, parts + 1));
            }
            self.last_line = line.number;
            return Ok(true);
        }
        if self.told.is_none() {
            return self.begins(line, document);
        }
        if line.text.trim_start().starts_with('#') {
            return Ok(true);
        }
        let Some((name, value)) = assignment(line.text) else { return Ok(false) };
        self.take(name, value, line.number, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some((name, _, _)) = self.open.take() {
            let what = format!("{NAME}: the file ends within the value of {name}; expected )");
            document.flaw(self.last_line, what);
        }
        match self.told.take().filter(ReportState::is_begun) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Parameters {
    fn take(&mut self, name: String, value: &str, line: u64, document: &mut Document) {
        self.last_line = line;
        if value.starts_with('(') && !value.contains(')') {
            self.open = Some((name, value.to_owned(), 0));
            self.told.get_or_insert_with(|| ReportState::new(NAME));
        } else {
            self.set(&name, value, document);
        }
    }

    fn set(&mut self, name: &str, value: &str, document: &mut Document) {
        let value = value.trim().trim_matches(['\'', '"']);
        self.told.get_or_insert_with(|| ReportState::new(NAME)).setting(name, value, document);
    }

    /// A row of `show parameter`, or the dashes above the first.
    fn take_listing(&mut self, ruler: Option<Ruler>, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(ruler) = ruler else {
            let Some(Dashes::Ruler(ruler)) = dashes(line.text).filter(is_of_three) else {
                return false;
            };
            self.listing = Some(Some(ruler));
            self.last_line = line.number;
            return true;
        };
        let cells = ruler.cells(line.text);
        let [name, kind, value] = cells.as_slice() else { return false };
        // What goes on in a second line has no type; a value may.
        let is_continued = kind.is_empty() && name.is_empty();
        if !is_continued && (!is_name(name) || kind.is_empty()) {
            return false;
        }
        if !is_continued {
            self.set(name, value, document);
        }
        self.listing = Some(Some(ruler));
        self.last_line = line.number;
        true
    }
}

fn is_of_three(found: &Dashes) -> bool {
    matches!(found, Dashes::Ruler(ruler) if ruler.width() == 3)
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#'))
        && !word.starts_with(|first: char| first.is_ascii_digit())
}

/// `*.db_block_size=8192`, `processes = 150  # small`: the name without the instance, and the value without the comment.
fn assignment(text: &str) -> Option<(String, &str)> {
    let (name, value) = text.trim().split_once('=')?;
    let name = name.trim_end();
    let name = match name.split_once('.') {
        Some((instance, name)) if instance == "*" || is_name(instance) => name,
        _ => name,
    };
    let value = value.trim_start();
    let end = match value.chars().next() {
        Some(quote @ ('\'' | '"')) => value[1..].find(quote).map(|at| at + 2),
        Some('(') => None,
        _ => value.find('#'),
    };
    let value = end.map_or(value, |end| &value[..end]).trim_end();
    is_name(name).then(|| (name.to_ascii_lowercase(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_files() {
        let read = |text: &str| assignment(text).map(|(name, value)| format!("{name}={value}"));
        assert_eq!(read("*.db_block_size=8192").as_deref(), Some("db_block_size=8192"));
        assert_eq!(read("ORCL.__db_cache_size=33554432").as_deref(), Some("__db_cache_size=33554432"));
        assert_eq!(read("processes = 150   # SMALL").as_deref(), Some("processes=150"));
        assert_eq!(read("nls_format='DD#MM' # x").as_deref(), Some("nls_format='DD#MM'"));
        assert_eq!(read("control_files = ('/u1/a.ctl',").as_deref(), Some("control_files=('/u1/a.ctl',"));
        assert_eq!(read("a and b = c"), None);
        assert!(BEGINS.is_sorted());
    }
}
