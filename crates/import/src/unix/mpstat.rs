//! `mpstat` of Solaris and of AIX: a table of CPUs for each interval, the first of the time since boot.
//!
//! What a CPU did is a row of `cpu`; switches, interrupts and faults are counted by the CPU too, and their
//! sums over all of them are rows of the machine.

use heldup_model::tables::{CpuRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::columns::Amount::Share;
use crate::table::columns::{Around, Field, Layout, field};
use crate::table::sheets::{Key, When};
use crate::text::number::{Cell, cell};

const NAME: &str = "mpstat";
const CPU: &TableDef = CpuRow::DEF;

const FIELDS: [Field; 9] = [
    field("usr", CPU, "user_s", Share),
    field("us", CPU, "user_s", Share),
    field("sys", CPU, "system_s", Share),
    field("sy", CPU, "system_s", Share),
    field("wt", CPU, "iowait_s", Share),
    field("wa", CPU, "iowait_s", Share),
    field("idl", CPU, "idle_s", Share),
    field("id", CPU, "idle_s", Share),
    field("st", CPU, "steal_s", Share),
];

/// Headings whose sums over all CPUs are the machine's: table and column.
const SUMS: [(&str, &TableDef, &str); 8] = [
    ("csw", SystemRow::DEF, "context_switches"),
    ("cs", SystemRow::DEF, "context_switches"),
    ("intr", SystemRow::DEF, "interrupts"),
    ("int", SystemRow::DEF, "interrupts"),
    ("minf", VmstatRow::DEF, "faults"),
    ("mjf", VmstatRow::DEF, "major_faults"),
    ("min", VmstatRow::DEF, "faults"),
    ("maj", VmstatRow::DEF, "major_faults"),
];

/// Reads tables of CPUs.
#[derive(Default)]
pub struct UnixMpstat {
    run: Option<Run>,
}

struct Run {
    headings: Vec<String>,
    layout: Layout,
    /// Where the numbers to be summed up stand.
    sums: Vec<(usize, &'static TableDef, &'static str)>,
    table: Option<Table>,
    is_first: bool,
    last_line: u64,
    last_ms: Option<i64>,
}

/// One interval.
struct Table {
    when: When,
    cpus: Vec<i64>,
    sums: Vec<f64>,
}

impl Importer for UnixMpstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return Ok(false);
        }
        let is_same = self.run.as_ref().is_some_and(|run| {
            run.headings.iter().map(String::as_str).eq(line.words.iter().copied())
                && line.number <= run.last_line + 5
        });
        if let Some(run) = self.run.as_mut().filter(|_| is_same) {
            run.end_table(document)?;
            run.last_line = line.number;
            run.begin_table(line.number, document);
            return Ok(true);
        }
        self.ends(document)?;
        document.begin(NAME);
        let layout = Layout::of(line.words, &FIELDS);
        let sums: Vec<_> = SUMS
            .iter()
            .filter_map(|(heading, def, column)| {
                Some((line.words.iter().position(|word| word == heading)?, *def, *column))
            })
            .collect();
        let is_kept = |word: &&String| {
            !matches!(word.to_ascii_lowercase().as_str(), "cpu")
                && !SUMS.iter().any(|(heading, ..)| heading == word)
        };
        let unkept: Vec<String> = layout.unkept.iter().filter(is_kept).cloned().collect();
        document.leave_out(NAME, &unkept);
        // Threads of one core share it, by `pc`: the line of all has what they had together.
        if line.words.contains(&"pc") {
            document.sheets.totals_count(CpuRow::DEF);
        }
        let mut run = Run {
            headings: line.words.iter().map(|word| (*word).to_owned()).collect(),
            layout,
            sums,
            table: None,
            is_first: true,
            last_line: line.number,
            last_ms: None,
        };
        run.begin_table(line.number, document);
        self.run = Some(run);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + 3) else {
            return Ok(false);
        };
        // AIX puts lines of dashes between tables; Solaris says when CPUs come and go.
        let first = line.words.first().copied().unwrap_or("");
        if first.len() >= 8 && first.bytes().all(|byte| byte == b'-') || first.starts_with("<<") {
            run.last_line = line.number;
            return Ok(true);
        }
        let key = match first.parse::<i64>() {
            Ok(number) => Key::Number(number),
            Err(_) if first == "ALL" => Key::All,
            // What the others left of the partition's share.
            Err(_) if first == "U" => {
                run.last_line = line.number;
                return Ok(true);
            }
            Err(_) => return Ok(false),
        };
        let cells: Vec<Cell> = line.words.iter().map(|word| cell(word)).collect();
        let numbers = cells.iter().skip(1).filter(|cell| **cell != Cell::Words).count();
        if numbers + 1 < run.layout.width || cells.len() != run.layout.width {
            if numbers * 2 < run.layout.width {
                return Ok(false);
            }
            let what = format!("mpstat: {numbers} numbers; expected {}", run.headings.join(" "));
            document.flaw(line.number, what);
            run.last_line = line.number;
            return Ok(true);
        }
        run.last_line = line.number;
        run.take(key, &cells, document)?;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take() {
            Some(mut run) => run.end_table(document),
            None => Ok(()),
        }
    }
}

impl Run {
    fn begin_table(&mut self, line: u64, document: &mut Document) {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first {
            document.note("the first table of mpstat covers the time since boot: it is not used");
        }
        let when = match document.stamp_above(line) {
            Some(ms) => {
                let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
                When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
            }
            None => {
                let interval = (!is_first).then(|| document.interval_s(NAME));
                document.floating(interval)
            }
        };
        self.table = Some(Table { when, cpus: Vec::new(), sums: vec![0.0; self.sums.len()] });
    }

    fn take(&mut self, key: Key<'_>, cells: &[Cell], document: &mut Document) -> Result<(), ImportError> {
        if let (Key::Number(number), Some(table)) = (key, &self.table)
            && table.cpus.contains(&number)
        {
            // AIX does not repeat its headings: a CPU that is told again begins the next table.
            self.end_table(document)?;
            self.begin_table(self.last_line, document);
        }
        let Some(table) = self.table.as_mut() else { return Ok(()) };
        if let Key::Number(number) = key {
            table.cpus.push(number);
            for (sum, (at, ..)) in table.sums.iter_mut().zip(&self.sums) {
                *sum += cells.get(*at).and_then(|cell| cell.value()).unwrap_or(0.0);
            }
        }
        let cpus = document.cpus().unwrap_or(table.cpus.len().max(1) as i64) as f64;
        self.layout.write(cells, Around { when: table.when, key, cpus }, &mut document.sheets);
        Ok(())
    }

    fn end_table(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(table) = self.table.take().filter(|table| !table.cpus.is_empty()) else { return Ok(()) };
        document.facts.row.cpus.get_or_insert(table.cpus.len() as i64);
        if let Some(secs) = table.when.secs {
            for (sum, (_, def, column)) in table.sums.iter().zip(&self.sums) {
                put(document, def, table.when, "", &[(column, Put::Number(Some(sum * secs)))]);
            }
        }
        document.end_sample(NAME)
    }
}

/// `CPU minf mjf xcal …` of Solaris, `cpu min maj mpc …` of AIX.
fn is_heading(words: &[&str]) -> bool {
    words.starts_with(&["CPU", "minf", "mjf"]) && words.contains(&"idl")
        || words.starts_with(&["cpu", "min", "maj"]) && words.contains(&"id")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        assert_fields(&FIELDS);
        for (heading, def, column) in SUMS {
            assert!(def.position(column).is_some(), "{heading}");
        }
    }

    #[test]
    fn headings_are_told_from_others() {
        let check = |line: &str| is_heading(&line.split_whitespace().collect::<Vec<_>>());
        assert!(check("CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl"));
        assert!(check("cpu  min  maj  mpc  int   cs  ics   rq  mig lpa sysc us sy wa id   pc  %ec  lcs"));
        assert!(!check("CPU %user %system %idle"));
        assert!(!check("cpu min maj"));
    }
}
