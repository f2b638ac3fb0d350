//! `vmstat -s`: memory as it is, and sums since boot, a line each. Of several listings the sums are what came
//! between.
//!
//! Left out: `swap cache`, which is the page cache with what of the kernel's objects can be reclaimed, and the
//! time of boot. CPU time is taken for ticks of 1/100 s, as on nearly every machine.

use heldup_model::tables::{CpuRow, MemoryRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::first_line::{FirstLine, replay};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const NAME: &str = "vmstat -s";
const KIB: f64 = 1024.0;
const TICK_S: f64 = 0.01;
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Levels, by the words behind the number and its unit.
const LEVELS: [(&str, &str); 10] = [
    ("total memory", "total_bytes"),
    ("active memory", "active_bytes"),
    ("inactive memory", "inactive_bytes"),
    ("free memory", "free_bytes"),
    ("buffer memory", "buffers_bytes"),
    ("total swap", "swap_total_bytes"),
    ("used swap", "swap_used_bytes"),
    ("free swap", "swap_free_bytes"),
    ("used memory", ""),
    ("swap cache", ""),
];

/// Sums since boot: the words, table and column, and what the number is multiplied with. What is called
/// pages that were paged in and out are kilobytes (`pgpgin`), and since procps-ng 4 it says so.
const SUMS: [(&str, &TableDef, &str, f64); 17] = [
    ("non-nice user cpu ticks", CpuRow::DEF, "user_s", TICK_S),
    ("nice user cpu ticks", CpuRow::DEF, "nice_s", TICK_S),
    ("system cpu ticks", CpuRow::DEF, "system_s", TICK_S),
    ("idle cpu ticks", CpuRow::DEF, "idle_s", TICK_S),
    ("IO-wait cpu ticks", CpuRow::DEF, "iowait_s", TICK_S),
    ("IRQ cpu ticks", CpuRow::DEF, "irq_s", TICK_S),
    ("softirq cpu ticks", CpuRow::DEF, "softirq_s", TICK_S),
    ("stolen cpu ticks", CpuRow::DEF, "steal_s", TICK_S),
    ("pages paged in", VmstatRow::DEF, "page_in_bytes", KIB),
    ("pages paged out", VmstatRow::DEF, "page_out_bytes", KIB),
    ("K paged in", VmstatRow::DEF, "page_in_bytes", KIB),
    ("K paged out", VmstatRow::DEF, "page_out_bytes", KIB),
    ("pages swapped in", VmstatRow::DEF, "swap_in_pages", 1.0),
    ("pages swapped out", VmstatRow::DEF, "swap_out_pages", 1.0),
    ("interrupts", SystemRow::DEF, "interrupts", 1.0),
    ("CPU context switches", SystemRow::DEF, "context_switches", 1.0),
    ("forks", SystemRow::DEF, "forks", 1.0),
];

/// What has no column.
const LEFT_OUT: [&str; 3] = ["boot time", "non-nice guest cpu ticks", "nice guest cpu ticks"];

/// Reads `vmstat -s`.
#[derive(Default)]
pub struct VmstatSums {
    when: Option<When>,
    totals: Totals,
    last_line: u64,
    first: FirstLine,
}

impl Importer for VmstatSums {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(first) = self.first.before(line)
            && level(line.words).is_some()
        {
            replay(&first, document, |first, document| self.start(first, document))?;
            return self.goes_on(line, document);
        }
        if let Some(("total memory", ..)) = level(line.words) {
            self.first.hold(line);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = self.last_line == 0 || line.number <= self.last_line + MOST_GAP;
        let level = level(line.words);
        let is_new = level.is_some_and(|(label, ..)| label == "total memory") && self.last_line > 0;
        if is_new && line.number > self.last_line && self.when.is_some() && self.totals.has_before() {
            self.last_line = 0;
            return self.start(line, document);
        }
        let Some(when) = self.when.filter(|_| is_near) else { return Ok(false) };
        if let Some((_, column, bytes)) = level {
            if !column.is_empty() {
                put_row(document, MemoryRow::DEF, when, Key::Host, &[(column, Put::Number(Some(bytes)))]);
            }
            self.last_line = line.number;
            return Ok(true);
        }
        let [number, label @ ..] = line.words else { return Ok(false) };
        let label = label.join(" ");
        let known = SUMS.iter().find(|(words, ..)| *words == label);
        if known.is_none() && !LEFT_OUT.contains(&label.as_str()) {
            return Ok(false);
        }
        self.last_line = line.number;
        let Ok(total) = number.parse::<u64>() else {
            document.flaw(line.number, format!("vmstat -s: expected a number of {label}"));
            return Ok(true);
        };
        if let Some((_, def, column, factor)) = known {
            let growth = self.totals.growth(column, total as f64).map(|growth| growth * factor);
            let key = if def.name == CpuRow::DEF.name { Key::All } else { Key::Host };
            put_row(document, def, when, key, &[(column, Put::Number(growth))]);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.last_line = 0;
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl VmstatSums {
    fn start(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        document.note("vmstat -s counts since boot: of the first listing only levels are used");
        self.when = Some(self.totals.sample(document.moment(NAME)));
        self.goes_on(line, document)
    }
}

/// A level: its words, its column, and bytes. The unit is a letter between, or none (old versions).
fn level(words: &[&str]) -> Option<(&'static str, &'static str, f64)> {
    let (number, unit_bytes, label) = match words {
        [number, "K", label @ ..] => (number, KIB, label),
        [number, "k", label @ ..] => (number, 1000.0, label),
        [number, "M", label @ ..] => (number, 1_048_576.0, label),
        [number, "m", label @ ..] => (number, 1e6, label),
        [number, label @ ..] => (number, KIB, label),
        [] => return None,
    };
    let label = label.join(" ");
    let (label, column) = LEVELS.iter().find(|(words, _)| *words == label)?;
    Some((label, column, number.parse::<u64>().ok()? as f64 * unit_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_column() {
        for (label, def, column, _) in SUMS {
            assert!(def.position(column).is_some(), "{label}");
        }
        for (label, column) in LEVELS.iter().filter(|(_, column)| !column.is_empty()) {
            assert!(MemoryRow::DEF.position(column).is_some(), "{label}");
        }
    }

    #[test]
    fn levels_with_and_without_a_unit() {
        let check = |line: &str| level(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(check("24684092 K total memory"), Some(("total memory", "total_bytes", 25_276_510_208.0)));
        assert_eq!(check("  8165256  total memory"), Some(("total memory", "total_bytes", 8_361_222_144.0)));
        assert_eq!(check("8 M free swap"), Some(("free swap", "swap_free_bytes", 8_388_608.0)));
        assert_eq!(check("the total memory"), None);
    }
}
