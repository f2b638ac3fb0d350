//! Counters of the processor by program or machine: `perf stat` (also `-x,`) and Solaris `cpustat`.

use heldup_model::Record;
use heldup_model::tables::PmuRow;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::put::{Put, grouped, put};

const PERF: &str = "perf stat";
const CPUSTAT: &str = "cpustat";

/// Events of perf, and of UltraSPARC; what follows a colon (`:u`) says whose mode was counted.
const EVENTS: [(&str, &str); 9] = [
    ("cycles", "cycles"),
    ("cpu-cycles", "cycles"),
    ("instructions", "instructions"),
    ("branches", "branches"),
    ("branch-misses", "branch_misses"),
    ("cache-misses", "llc_misses"),
    ("dTLB-load-misses", "tlb_misses"),
    ("Cycle_cnt", "cycles"),
    ("Instr_cnt", "instructions"),
];

/// Reads counters.
#[derive(Default)]
pub struct Counters {
    /// Of perf: the program, and what was counted so far.
    run: Option<Run>,
    /// Of cpustat: what its two counters counted.
    events: Option<[&'static str; 2]>,
    was_cpustat: bool,
    last_line: u64,
}

#[derive(Default)]
struct Run {
    name: String,
    counts: Vec<(&'static str, f64)>,
    secs: Option<f64>,
}

impl Importer for Counters {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["Performance", "counter", "stats", "for", name @ ..] = line.words {
            self.end(document)?;
            document.begin(PERF);
            let name = name.join(" ");
            let name = name.trim_end_matches(':').trim_matches('\'').to_owned();
            self.run = Some(Run { name, ..Run::default() });
            self.last_line = line.number;
            return Ok(true);
        }
        if let Some(events) = line.words.iter().find_map(|word| pics(word)) {
            self.events = Some(events);
            self.was_cpustat = false;
            return Ok(true);
        }
        if self.run.is_none() && separated(line.words).is_some() {
            document.begin(PERF);
            self.run = Some(Run::default());
            self.last_line = line.number;
            return self.goes_on(line, document);
        }
        self.take_cpustat(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = line.number <= self.last_line + 6;
        let Some(run) = self.run.as_mut().filter(|_| is_near) else {
            return self.take_cpustat(line, document);
        };
        if let [seconds, "seconds", "time", "elapsed", ..] = line.words {
            run.secs = grouped(seconds);
            self.end(document)?;
            return Ok(true);
        }
        if let Some((column, count)) = separated(line.words).or_else(|| counted(line.words)) {
            if let Some(column) = column {
                run.counts.push((column, count));
            }
            self.last_line = line.number;
            return Ok(true);
        }
        Ok(false)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Counters {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(run) = self.run.take().filter(|run| !run.counts.is_empty()) else { return Ok(()) };
        let when = document.floating(run.secs.or(Some(1.0)));
        if run.secs.is_none() {
            document
                .notes
                .insert("perf stat: how long was counted is not in it: one second is assumed".to_owned());
        }
        let mut cells: Vec<(&str, Put<'_>)> =
            run.counts.iter().map(|(column, count)| (*column, Put::Number(Some(*count)))).collect();
        if !run.name.is_empty() {
            cells.push(("name", Put::Text(&run.name)));
        }
        put(document, PmuRow::DEF, when, &run.name, &cells);
        document.end_sample(PERF)
    }

    /// `[file:] 30.429 48 total 1453222115333 358247394908 [4.06 cpi]`. Which counter counted what
    /// stands in the command, or follows from what somebody divided.
    fn take_cpustat(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let (file, words) = match line.words {
            [file, rest @ ..] if file.ends_with(':') => (file.trim_end_matches(':'), rest),
            words => ("", words),
        };
        let [time, cpu, "total", first, second, rest @ ..] = words else { return Ok(false) };
        let (Ok(secs), Ok(_), Ok(first), Ok(second)) =
            (time.parse::<f64>(), cpu.parse::<u32>(), first.parse::<f64>(), second.parse::<f64>())
        else {
            return Ok(false);
        };
        let divided = match rest {
            [ratio, "cpi"] => {
                ratio.parse().is_ok_and(|ratio: f64| (first / second - ratio).abs() < 0.02 * ratio)
            }
            _ => false,
        };
        let events = self.events.or(divided.then_some(["cycles", "instructions"]));
        let Some([one, other]) = events else { return Ok(false) };
        if !std::mem::replace(&mut self.was_cpustat, true) {
            document.begin(CPUSTAT);
        }
        let when = document.floating(Some(secs));
        let cells = [
            ("name", Put::Text("all CPUs")),
            (one, Put::Number(Some(first))),
            (other, Put::Number(Some(second))),
        ];
        put(document, PmuRow::DEF, when, file, &cells);
        document.end_sample(CPUSTAT)?;
        Ok(true)
    }
}

/// `pic0=Cycle_cnt,pic1=Instr_cnt`.
fn pics(word: &str) -> Option<[&'static str; 2]> {
    let (first, second) = word.strip_prefix("pic0=")?.split_once(",pic1=")?;
    Some([column(first)?, column(second)?])
}

fn column(event: &str) -> Option<&'static str> {
    let event = event.split(':').next().unwrap_or(event);
    EVENTS.iter().find(|(name, _)| *name == event).map(|(_, column)| *column)
}

/// `30,972,629,189 cycles # 1.9 GHz`: a column and its count; no column where none takes the event.
fn counted(words: &[&str]) -> Option<(Option<&'static str>, f64)> {
    let [count, event, rest @ ..] = words else { return None };
    let is_row = rest.is_empty()
        || rest.first() == Some(&"#")
        || rest.first().is_some_and(|word| word.starts_with('('));
    // `1.23 msec task-clock # …`
    let is_timed = matches!(*event, "msec" | "task-clock-msecs" | "ns");
    if !is_row && !is_timed {
        return None;
    }
    Some((column(event), grouped(count)?))
}

/// `30972629189,,cycles,…` of `-x,`.
fn separated(words: &[&str]) -> Option<(Option<&'static str>, f64)> {
    let [word] = words else { return None };
    let mut fields = word.split([',', ';']);
    let count: f64 = fields.next()?.parse().ok()?;
    let event = fields.nth(1)?;
    column(event).map(|column| (Some(column), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_counters() {
        let row = |line: &str| counted(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(row("30,972,629,189 cycles:u # 1.996 GHz"), Some((Some("cycles"), 30_972_629_189.0)));
        assert_eq!(row("33 context-switches # 0.000 M/sec"), Some((None, 33.0)));
        assert_eq!(row("3 cycles of the moon"), None);
        assert_eq!(separated(&["512,,cache-misses,100,100.00,,"]), Some((Some("llc_misses"), 512.0)));
        assert_eq!(separated(&["1,2,3"]), None);
        assert_eq!(pics("pic0=Cycle_cnt,pic1=Instr_cnt"), Some(["cycles", "instructions"]));
    }
}
