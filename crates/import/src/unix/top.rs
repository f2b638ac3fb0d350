//! `top` of the BSDs and of Solaris, with its summary or without: load, swap, and what each process holds and does.
//!
//! CPU use fades, or is since boot on the first screen: percentages of a listing (`listed_cpu`), on Solaris of all CPUs. Left
//! out: times, users, and memory by the system's own kinds, of which no sum is printed. A state is a word here; what it
//! waits for is `S`.

use heldup_model::Record;
use heldup_model::tables::{MemoryRow, ProcessRow, SystemRow};

use crate::document::listed_cpu::{self, Covers, ListedTask, PercentOf};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::procps::top_summary;
use crate::table::sheets::{Key, When};
use crate::text::number::{cell as number_of, size};

const NAME: &str = "top of Unix";
/// Lines between two of one sample.
const MOST_GAP: u64 = 3;
/// Words that begin lines of the summary.
const SUMMARY: [&str; 8] = ["ARC:", "CPU", "CPU:", "Mem:", "Memory:", "Swap:", "kernel:", "processes:"];

/// Reads `top`.
#[derive(Default)]
pub struct UnixTop {
    sample: Option<Sample>,
    last_line: u64,
}

struct Sample {
    when: When,
    headings: Vec<String>,
    /// States of single CPUs, in percent, until the tasks begin.
    single_cpus: Vec<Vec<(&'static str, f64)>>,
}

impl Importer for UnixTop {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_first = matches!(line.words, ["last", "pid:", pid, ..] if pid.ends_with(';'));
        let headings = headings(line.words);
        if !is_first && headings.is_none() {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        let when = document.moment(NAME);
        if let Some(loads) = top_summary::loads(line.text).filter(|_| is_first) {
            let cells = ["load1", "load5", "load15"].into_iter().zip(loads);
            let cells: Vec<_> = cells.map(|(column, load)| (column, Put::Number(Some(load)))).collect();
            put_row(document, SystemRow::DEF, when, Key::Host, &cells);
        }
        let headings = headings.unwrap_or_default();
        self.sample = Some(Sample { when, headings, single_cpus: Vec::new() });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(sample) = self.sample.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return self.begins(line, document);
        };
        let is_taken = match headings(line.words) {
            Some(headings) if sample.headings.is_empty() => {
                sample.put_single_cpus(document);
                sample.headings = headings;
                true
            }
            Some(_) => return self.begins(line, document),
            None if sample.headings.is_empty() => sample.summary(line, document),
            None => sample.row(line.words, document),
        };
        if is_taken {
            self.last_line = line.number;
            return Ok(true);
        }
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.sample.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Sample {
    fn put_single_cpus(&mut self, document: &mut Document) {
        let cpus = std::mem::take(&mut self.single_cpus);
        let count = cpus.len() as f64;
        let percents: Vec<(&'static str, f64)> =
            cpus.into_iter().flatten().map(|(column, percent)| (column, percent / count)).collect();
        listed_cpu::put_host(document, self.when, Covers::First, &percents);
    }

    /// `Swap: 4096M Total, 3073M Used, 1023M Free, 75% Inuse`; the states of the CPUs.
    fn summary(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let is_count = matches!(line.words, [count, "processes:", ..] if count.parse::<u64>().is_ok());
        let is_known = line.words.first().is_some_and(|word| SUMMARY.contains(word));
        for one in top_summary::cpus(line.text) {
            match one.cpu {
                None => listed_cpu::put_host(document, self.when, Covers::First, &one.shares),
                Some(_) => self.single_cpus.push(one.shares),
            }
        }
        if line.words.first() == Some(&"Swap:") {
            let told = |label: &str| {
                let at = line.words.iter().position(|word| word.trim_end_matches(',') == label)?;
                size(line.words.get(at.checked_sub(1)?)?, 1.0)
            };
            let (total, free) = (told("Total"), told("Free"));
            let used = told("Used").or_else(|| total.zip(free).map(|(total, free)| total - free));
            let cells = [
                ("swap_total_bytes", Put::Number(total)),
                ("swap_free_bytes", Put::Number(free)),
                ("swap_used_bytes", Put::Number(used)),
            ];
            put_row(document, MemoryRow::DEF, self.when, Key::Host, &cells);
        }
        is_count
            || is_known
            || line.words.iter().all(|word| !word.contains("PID")) && line.text.starts_with(' ')
    }

    /// The BSDs print percent of one CPU, and a column of their own each; Solaris of all CPUs.
    fn percent_of(&self) -> PercentOf {
        let is_bsd = self.headings.iter().any(|heading| matches!(heading.as_str(), "WCPU" | "WAIT"));
        if is_bsd { PercentOf::OneCpu } else { PercentOf::AllCpus }
    }

    fn row(&self, words: &[&str], document: &mut Document) -> bool {
        let last = self.headings.len() - 1;
        if words.len() <= last {
            return false;
        }
        let cell = |heading: &str| {
            let at = self.headings.iter().position(|there| there == heading)?;
            words.get(at).copied()
        };
        let Some(pid) = cell("PID").and_then(|word| word.parse::<i64>().ok()) else { return false };
        let (Some(virtual_bytes), Some(resident_bytes)) =
            (cell("SIZE").and_then(|word| size(word, 1.0)), cell("RES").and_then(|word| size(word, 1.0)))
        else {
            return false;
        };
        let name = words[last];
        let mut cells = vec![
            ("virtual_bytes", Put::Number(Some(virtual_bytes))),
            ("resident_bytes", Put::Number(Some(resident_bytes))),
            ("nice", Put::Number(cell("NICE").and_then(|word| word.parse().ok()))),
            ("threads", Put::Number(cell("THR").or(cell("LWP")).and_then(|word| word.parse().ok()))),
            ("name", Put::Text(name)),
        ];
        cells.extend(cell("STATE").map(|word| ("state", Put::Text(state(word)))));
        put_row(document, ProcessRow::DEF, self.when, Key::Number(pid), &cells);
        let percent = cell("WCPU")
            .or_else(|| cell("CPU"))
            .and_then(|word| number_of(word.trim_end_matches('%')).value());
        if let Some(percent) = percent {
            let task = ListedTask { pid: Some(pid), tid: None, name: Some(name), percent };
            listed_cpu::put_task(document, self.when, Covers::Recent, self.percent_of(), task);
        }
        true
    }
}

/// The headings of processes; those of Linux have no `SIZE` beside `STATE`.
fn headings(words: &[&str]) -> Option<Vec<String>> {
    let is_one = words.first() == Some(&"PID")
        && ["SIZE", "RES", "STATE", "TIME"].iter().all(|heading| words.contains(heading))
        && words.last() == Some(&"COMMAND");
    is_one.then(|| words.iter().map(|word| (*word).to_owned()).collect())
}

/// The letter that Linux has for a state: `CPU3`, `RUN`, `run/0`, `onproc/1`, `cpu/3`; everything else waits.
fn state(word: &str) -> &'static str {
    let word = word.to_ascii_lowercase();
    match word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '/') {
        "cpu" | "run" | "onproc" => "R",
        "zomb" | "zombie" => "Z",
        "stop" => "T",
        _ => "S",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_headings() {
        for (word, letter) in
            [("CPU3", "R"), ("RUN", "R"), ("run/0", "R"), ("onproc/1", "R"), ("select", "S"), ("zomb", "Z")]
        {
            assert_eq!(state(word), letter, "{word}");
        }
        let check = |line: &str| headings(&line.split_whitespace().collect::<Vec<_>>()).is_some();
        assert!(check("  PID USERNAME  THR PRI NICE   SIZE    RES STATE    TIME   WCPU COMMAND"));
        assert!(!check("  PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND"));
        assert!(!check("  PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP"));
    }
}
