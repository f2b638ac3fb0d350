//! `top` of macOS, as a screen or with `-l`: load, states of the CPUs, and what each process uses of a CPU.
//!
//! The first sample of `-l` has no use of processes, and states since boot: percentages of a listing (`listed_cpu`). Left out:
//! memory, of which the tool rounds the sum and counts for a process what is compressed too; ports, faults, messages.

use heldup_model::Record;
use heldup_model::tables::{ProcessRow, SystemRow};

use crate::document::listed_cpu::{self, Covers, ListedTask, PercentOf};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::number::cell;

const NAME: &str = "top of macOS";
/// Lines between two of one sample.
const MOST_GAP: u64 = 3;
/// Words that begin lines of the summary.
const SUMMARY: [&str; 11] = [
    "CPU",
    "Disks:",
    "Load",
    "MemRegions:",
    "Networks:",
    "PhysMem:",
    "Processes:",
    "Purgeable:",
    "SharedLibs:",
    "Swap:",
    "VM:",
];
/// What the tool calls the states of a CPU.
const STATES: [(&str, &str); 3] = [("user", "user_s"), ("sys", "system_s"), ("idle", "idle_s")];

/// Reads `top`.
#[derive(Default)]
pub struct MacosTop {
    sample: Option<Sample>,
    last_line: u64,
}

struct Sample {
    when: When,
    covers: Covers,
    headings: Vec<String>,
}

impl Importer for MacosTop {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_first = is_first(line.words);
        let headings = headings(line.words);
        if !is_first && headings.is_none() {
            return Ok(false);
        }
        let is_next = self.sample.is_some() && is_first && line.number <= self.last_line + MOST_GAP;
        self.ends(document)?;
        if !is_next {
            document.begin(NAME);
        }
        let covers = if is_next { Covers::Interval } else { Covers::First };
        let headings = headings.unwrap_or_default();
        self.sample = Some(Sample { when: document.moment(NAME), covers, headings });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(sample) = self.sample.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return self.begins(line, document);
        };
        if is_first(line.words) {
            return self.begins(line, document);
        }
        let is_taken = match headings(line.words) {
            Some(headings) => {
                sample.headings = headings;
                true
            }
            None if sample.headings.is_empty() => sample.summary(line, document),
            None => sample.row(line.words, document),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.sample.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Sample {
    /// `Load Avg: 1.33, 2.00, 1.98  CPU usage: 4.80% user, 8.7% sys, 87.11% idle`, on one line or two.
    fn summary(&self, line: &Line<'_>, document: &mut Document) -> bool {
        if let Some((_, rest)) = line.text.split_once("Load Avg:") {
            let loads = rest.split_whitespace().map(|word| cell(word.trim_end_matches(',')).value());
            let loads = ["load1", "load5", "load15"].into_iter().zip(loads);
            let cells: Vec<_> = loads.map(|(column, load)| (column, Put::Number(load))).collect();
            put_row(document, SystemRow::DEF, self.when, Key::Host, &cells);
        }
        if let Some((_, rest)) = line.text.split_once("CPU usage:") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let share = |two: &[&str]| {
                let [percent, state] = two else { return None };
                let (_, column) =
                    STATES.iter().find(|(name, _)| *name == state.trim_end_matches([',', '.']))?;
                Some((*column, cell(percent.strip_suffix('%')?).value()?))
            };
            let percents: Vec<(&str, f64)> = words.windows(2).filter_map(share).collect();
            listed_cpu::put_host(document, self.when, self.covers, &percents);
        }
        let is_date =
            line.words.len() == 2 && line.words.concat().bytes().all(|byte| !byte.is_ascii_alphabetic());
        is_date || line.words.first().is_some_and(|word| SUMMARY.contains(word))
    }

    /// A row, of which only the command may have blanks.
    fn row(&self, words: &[&str], document: &mut Document) -> bool {
        let Some(spare) = words.len().checked_sub(self.headings.len()) else { return false };
        let Some(command) = self.headings.iter().position(|heading| heading == "COMMAND") else {
            return false;
        };
        let word = |heading: &str| {
            let at = self.headings.iter().position(|there| there == heading)?;
            words.get(if at > command { at + spare } else { at }).copied()
        };
        let whole = |word: &str| word.trim_end_matches(['*', '+', '-']).parse::<i64>().ok();
        let (Some(pid), Some(percent)) =
            (word("PID").and_then(whole), word("%CPU").and_then(|word| cell(word).value()))
        else {
            return false;
        };
        let Some(name) = words.get(command..=command + spare).map(|words| words.join(" ")) else {
            return false;
        };
        let number = |word: Option<&str>| Put::Number(word.and_then(whole).map(|number| number as f64));
        let threads = word("#TH").and_then(|word| word.split('/').next());
        let mut cells = vec![
            ("name", Put::Text(&name)),
            ("threads", number(threads)),
            ("parent_pid", number(word("PPID"))),
            ("uid", number(word("UID"))),
        ];
        cells.extend(word("STATE").and_then(state).map(|state| ("state", Put::Text(state))));
        put_row(document, ProcessRow::DEF, self.when, Key::Number(pid), &cells);
        let task = ListedTask { pid: Some(pid), tid: None, name: Some(&name), percent };
        listed_cpu::put_task(document, self.when, self.covers, PercentOf::OneCpu, task);
        true
    }
}

/// `Processes: 584 total, 3 running, 581 sleeping, 2780 threads`.
fn is_first(words: &[&str]) -> bool {
    matches!(words, ["Processes:", count, "total,", ..] if count.parse::<u64>().is_ok())
}

/// Threads have a heading that no other `top` has.
fn headings(words: &[&str]) -> Option<Vec<String>> {
    let is_one = words.first() == Some(&"PID")
        && ["COMMAND", "%CPU", "TIME", "#TH"].iter().all(|heading| words.contains(heading));
    is_one.then(|| words.iter().map(|word| (*word).to_owned()).collect())
}

/// The letter that Linux has for a state.
fn state(word: &str) -> Option<&'static str> {
    match word {
        "running" => Some("R"),
        "sleeping" | "idle" => Some("S"),
        "stuck" => Some("D"),
        "stopped" => Some("T"),
        "zombie" => Some("Z"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_those_of_other_systems() {
        let check = |line: &str| headings(&line.split_whitespace().collect::<Vec<_>>()).is_some();
        assert!(check("PID    COMMAND      %CPU  TIME     #TH   #WQ  #PORT MEM    PURG   CMPRS"));
        assert!(!check("  PID USERNAME  THR PRI NICE   SIZE    RES STATE    TIME   WCPU COMMAND"));
        assert!(!check("  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"));
    }
}
