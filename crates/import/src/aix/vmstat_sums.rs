//! `vmstat -v` and `vmstat -s` of AIX: memory as it is, and sums since boot, a line each. Of several listings the
//! sums are what came between.
//!
//! Left out: shares that decide what is paged (`minperm`), which are settings and what follows of them, I/O that
//! waited for buffers, which no column takes, and page-ins of all kinds, of which some are of files.

use heldup_model::tables::{MemoryRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::first_line::{FirstLine, replay};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const NAME: &str = "vmstat of AIX";
/// What is called a page has 4 KB, whatever the pages' own size.
const PAGE_BYTES: f64 = 4096.0;
const FIRST_LEVEL: &str = "memory pages";
const FIRST_SUM: &str = "total address trans. faults";

const LEVELS: [(&str, &str); 3] =
    [(FIRST_LEVEL, "total_bytes"), ("free pages", "free_bytes"), ("file pages", "cached_bytes")];

const SUMS: [(&str, &TableDef, &str); 7] = [
    (FIRST_SUM, VmstatRow::DEF, "faults"),
    ("paging space page ins", VmstatRow::DEF, "swap_in_pages"),
    ("paging space page outs", VmstatRow::DEF, "swap_out_pages"),
    ("pages examined by clock", VmstatRow::DEF, "scan_kswapd_pages"),
    ("pages freed by the clock", VmstatRow::DEF, "steal_kswapd_pages"),
    ("cpu context switches", SystemRow::DEF, "context_switches"),
    ("device interrupts", SystemRow::DEF, "interrupts"),
];

/// What has no column.
const LEFT_OUT: [&str; 43] = [
    "lruable pages",
    "memory pools",
    "pinned pages",
    "maxpin percentage",
    "minperm percentage",
    "maxperm percentage",
    "numperm percentage",
    "compressed percentage",
    "compressed pages",
    "numclient percentage",
    "maxclient percentage",
    "client pages",
    "remote pageouts scheduled",
    "pending disk I/Os blocked with no pbuf",
    "paging space I/Os blocked with no psbuf",
    "filesystem I/Os blocked with no fsbuf",
    "client filesystem I/Os blocked with no fsbuf",
    "external pager filesystem I/Os blocked with no fsbuf",
    "Virtualized Partition Memory Page Faults",
    "percentage of memory used for computational pages",
    "page ins",
    "page outs",
    "total reclaims",
    "zero filled pages faults",
    "executable filled pages faults",
    "revolutions of the clock hand",
    "backtracks",
    "free frame waits",
    "extend XPT waits",
    "pending I/O waits",
    "start I/Os",
    "iodones",
    "software interrupts",
    "decrementer interrupts",
    "mpc-sent interrupts",
    "mpc-receive interrupts",
    "mpc-received interrupts",
    "phantom interrupts",
    "traps",
    "syscalls",
    "lock misses",
    "Time resolving virtualized partition memory page faults",
    "Number of 4k page frames loaned",
];

/// Reads both.
#[derive(Default)]
pub struct AixVmstatSums {
    when: Option<When>,
    totals: Totals,
    last_line: u64,
    first: FirstLine,
}

impl Importer for AixVmstatSums {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(first) = self.first.before(line)
            && told(line.words).is_some_and(|(_, label)| is_known(&label))
        {
            replay(&first, document, |first, document| self.start(first, document))?;
            return self.goes_on(line, document);
        }
        if told(line.words).is_some_and(|(_, label)| label == FIRST_LEVEL || label == FIRST_SUM) {
            self.first.hold(line);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if told(line.words).is_some_and(|(_, label)| label == FIRST_LEVEL || label == FIRST_SUM) {
            return self.start(line, document);
        }
        Ok(line.number <= self.last_line + 2 && self.take(line, document))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.last_line = 0;
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

/// Whether a line's words are those of one of them.
fn is_known(label: &str) -> bool {
    LEVELS.iter().any(|(words, _)| *words == label)
        || SUMS.iter().any(|(words, ..)| *words == label)
        || LEFT_OUT.contains(&label)
}

impl AixVmstatSums {
    fn start(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        document.note("vmstat -s counts since boot: of the first listing only levels are used");
        self.when = Some(self.totals.sample(document.moment(NAME)));
        self.last_line = line.number;
        Ok(self.take(line, document))
    }

    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let (Some(when), Some((number, label))) = (self.when, told(line.words)) else { return false };
        let label = label.as_str();
        if let Some((_, column)) = LEVELS.iter().find(|(words, _)| *words == label) {
            let bytes = Put::Number(Some(number * PAGE_BYTES));
            put_row(document, MemoryRow::DEF, when, Key::Host, &[(column, bytes)]);
        } else if let Some((_, def, column)) = SUMS.iter().find(|(words, ..)| *words == label) {
            let growth = Put::Number(self.totals.growth(label, number));
            put_row(document, def, when, Key::Host, &[(column, growth)]);
        } else if !LEFT_OUT.contains(&label) {
            return false;
        }
        self.last_line = line.number;
        true
    }
}

/// A number and what it is of.
fn told(words: &[&str]) -> Option<(f64, String)> {
    let (number, label) = words.split_first()?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_number && !label.is_empty()).then_some(())?;
    Some((number.parse().ok()?, label.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_column() {
        for (label, column) in LEVELS {
            assert!(MemoryRow::DEF.position(column).is_some(), "{label}");
        }
        for (label, def, column) in SUMS {
            assert!(def.position(column).is_some(), "{label}");
        }
    }
}
