//! `prstat` of Solaris: processes (and threads, `-L`) with what they have in memory, and with `-m` what share of
//! the time each was in which state.
//!
//! `CPU` is a mean that fades over a time nobody tells and of all CPUs (`listed_cpu`), `TIME` the sum of a process' life:
//! neither is of the interval. Shares of `-m` are; of a process of several threads they are means over its threads.

use heldup_model::tables::{ProcessRow, SystemRow, ThreadRow};
use heldup_model::{Record, TableDef};

use crate::document::listed_cpu::{Covers, ListedTask, PercentOf, put_task};
use crate::document::listed_wait::{WaitingTask, put_waits};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::number::cell;

const NAME: &str = "prstat";
const PROCESS: &TableDef = ProcessRow::DEF;
const THREAD: &TableDef = ThreadRow::DEF;

/// Reads `prstat`.
#[derive(Default)]
pub struct Prstat {
    report: Option<Report>,
    is_later: bool,
    last_ms: Option<i64>,
}

struct Report {
    headings: Vec<String>,
    when: When,
    rows: u64,
    last_line: u64,
    /// Sums by user, zone, project or task (`-a`, `-t`, `-Z`, `-J`, `-T`) stand below the processes.
    has_sums: bool,
}

impl Importer for Prstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return Ok(false);
        }
        if self.report.is_none() {
            document.begin(NAME);
            self.is_later = false;
            self.last_ms = None;
        }
        self.end_report(document)?;
        let is_first = !std::mem::replace(&mut self.is_later, true);
        let stamp = document.stamp_above(line.number);
        let when = match stamp {
            Some(ms) => {
                let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
                When { ms, secs: since.filter(|secs| *secs > 0.0), floats: false }
            }
            None => {
                let interval = (!is_first).then(|| document.interval_s(NAME));
                document.floating(interval)
            }
        };
        if is_first {
            document
                .note("the first report of prstat covers the life of each process: its shares are not used");
        }
        let headings: Vec<String> = line.words.iter().map(|word| (*word).to_owned()).collect();
        let unkept: Vec<String> =
            headings.iter().filter(|word| UNKEPT.contains(&word.as_str())).cloned().collect();
        document.leave_out(NAME, &unkept);
        self.report = Some(Report { headings, when, rows: 0, last_line: line.number, has_sums: false });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        let Some(report) = self.report.as_mut().filter(|report| line.number <= report.last_line + 3) else {
            return Ok(false);
        };
        if let ["Total:", _, "processes,", _, "lwps,", "load", "averages:", loads @ ..] = line.words {
            let columns = ["load1", "load5", "load15"];
            let loads = loads.iter().map(|word| Put::Number(cell(word.trim_end_matches(',')).value()));
            let cells: Vec<(&str, Put<'_>)> = columns.into_iter().zip(loads).collect();
            put(document, SystemRow::DEF, report.when, "", &cells);
            report.last_line = line.number;
            return Ok(true);
        }
        let is_sum = matches!(line.words, ["NPROC" | "NLWP" | "ZONEID" | "TASKID" | "PROJID", ..]);
        if is_sum || report.has_sums {
            report.has_sums = true;
            report.last_line = line.number;
            return Ok(is_sum || line.words.first().is_some_and(|word| word.parse::<u64>().is_ok()));
        }
        let Some(pid) = line.words.first().and_then(|word| word.parse::<i64>().ok()) else {
            return Ok(false);
        };
        if line.words.len() != report.headings.len() {
            let what = format!("prstat: {} words; expected {}", line.words.len(), report.headings.join(" "));
            document.flaw(line.number, what);
            report.last_line = line.number;
            return Ok(true);
        }
        report.last_line = line.number;
        report.rows += 1;
        report.write(pid, line.words, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_report(document)
    }
}

/// Headings that no column takes: see above.
const UNKEPT: [&str; 5] = ["TIME", "TRP", "SLP", "SCL", "SIG"];

impl Prstat {
    fn end_report(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.report.take().filter(|report| report.rows > 0) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Report {
    fn word<'w>(&self, words: &[&'w str], heading: &str) -> Option<&'w str> {
        words.get(self.headings.iter().position(|there| there == heading)?).copied()
    }

    fn write(&self, pid: i64, words: &[&str], document: &mut Document) {
        let last = words.last().copied().unwrap_or("");
        let Some((name, count)) = last.rsplit_once('/') else { return };
        let count: Option<f64> = count.parse().ok();
        let is_thread = self.headings.last().is_some_and(|heading| heading.ends_with("LWPID"));
        let share = |heading: &str| {
            let percent = self.word(words, heading).and_then(|word| cell(word).value())?;
            self.when.secs.map(|secs| percent / 100.0 * secs)
        };
        self.put_states(pid, name, count.filter(|_| is_thread), words, document);
        let uid = self.word(words, "USERNAME").and_then(|word| word.parse::<f64>().ok());
        let nice = self.word(words, "NICE").and_then(|word| word.parse::<f64>().ok());
        let state =
            self.word(words, "STATE").map(|word| if word.starts_with("cpu") { "R" } else { letter(word) });
        if is_thread {
            let switches = |heading: &str| {
                // "2K" is no count any more.
                let count = self.word(words, heading).and_then(|word| word.parse::<f64>().ok());
                count.filter(|_| self.when.secs.is_some())
            };
            let mut cells = vec![
                ("tid", Put::Number(count)),
                ("pid", Put::Number(Some(pid as f64))),
                ("name", Put::Text(name)),
                ("nice", Put::Number(nice)),
                ("user_s", Put::Number(share("USR"))),
                ("system_s", Put::Number(share("SYS"))),
                ("run_delay_s", Put::Number(share("LAT"))),
                ("voluntary_switches", Put::Number(switches("VCX"))),
                ("involuntary_switches", Put::Number(switches("ICX"))),
            ];
            cells.extend(state.map(|state| ("state", Put::Text(state))));
            put(document, THREAD, self.when, &format!("{pid}/{last}"), &cells);
            return;
        }
        // The mean over one thread is its own.
        let is_single = count == Some(1.0);
        let mut cells = vec![
            ("pid", Put::Number(Some(pid as f64))),
            ("name", Put::Text(name)),
            ("uid", Put::Number(uid)),
            ("nice", Put::Number(nice)),
            ("threads", Put::Number(count)),
            ("virtual_bytes", Put::Number(self.word(words, "SIZE").and_then(size))),
            ("resident_bytes", Put::Number(self.word(words, "RSS").and_then(size))),
            ("user_s", Put::Number(share("USR").filter(|_| is_single))),
            ("system_s", Put::Number(share("SYS").filter(|_| is_single))),
        ];
        cells.extend(state.map(|state| ("state", Put::Text(state))));
        put(document, PROCESS, self.when, &pid.to_string(), &cells);
        let percent = self.word(words, "CPU").and_then(|word| cell(word.trim_end_matches('%')).value());
        if let Some(percent) = percent {
            let task = ListedTask { pid: Some(pid), tid: None, name: Some(name), percent };
            put_task(document, self.when, Covers::Recent, PercentOf::AllCpus, task);
        }
    }
}

impl Report {
    /// The microstates of `-m`. Of a process of several threads they are means over its threads, of which idle ones hide what the
    /// others do: of these only single threads are kept.
    fn put_states(&self, pid: i64, name: &str, thread: Option<f64>, words: &[&str], document: &mut Document) {
        let share =
            |heading: &str| Some(self.word(words, heading).and_then(|word| cell(word).value())? / 100.0);
        let is_single = thread.is_some() || words.last().is_some_and(|last| last.ends_with("/1"));
        let Some(running) =
            share("USR").zip(share("SYS")).map(|(user, system)| user + system).filter(|_| is_single)
        else {
            return;
        };
        let task = WaitingTask {
            pid: Some(pid),
            tid: thread.map(|thread| thread as i64),
            name: Some(name),
            running: Some(running),
            ..WaitingTask::default()
        };
        let faults = share("DFL").zip(share("TFL")).map(|(data, text)| data + text);
        put_waits(
            document,
            self.when,
            task,
            &[("cpu", share("LAT")), ("page_faults", faults), ("lock", share("LCK"))],
        );
        let task = ListedTask { pid: Some(pid), tid: task.tid, name: Some(name), percent: 100.0 * running };
        let covers = if self.when.secs.is_some() { Covers::Interval } else { Covers::First };
        put_task(document, self.when, covers, PercentOf::OneCpu, task);
    }
}

/// The letter that `ps` prints for a state.
fn letter(state: &str) -> &'static str {
    match state {
        "run" => "R",
        "stop" => "T",
        "zombie" => "Z",
        _ => "S",
    }
}

/// `4832K`, `1.5G`.
fn size(word: &str) -> Option<f64> {
    let unit = match word.bytes().next_back()? {
        b'K' => 1024.0,
        b'M' => 1_048_576.0,
        b'G' => 1_073_741_824.0,
        b'T' => 1_099_511_627_776.0,
        _ => return None,
    };
    cell(&word[..word.len() - 1]).value().map(|value| value * unit)
}

/// `PID USERNAME SIZE RSS STATE PRI NICE TIME CPU PROCESS/NLWP`, `PID USERNAME USR SYS TRP … PROCESS/LWPID`.
fn is_heading(words: &[&str]) -> bool {
    words.starts_with(&["PID", "USERNAME"]) && words.last().is_some_and(|last| last.starts_with("PROCESS/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("4832K"), Some(4_947_968.0));
        assert_eq!(size("1.5G"), Some(1_610_612_736.0));
        assert_eq!(size("12"), None);
        assert_eq!(size(""), None);
    }

    #[test]
    fn columns_exist() {
        for column in ["tid", "pid", "name", "nice", "run_delay_s", "voluntary_switches", "state"] {
            assert!(THREAD.position(column).is_some(), "{column}");
        }
        for column in ["pid", "uid", "threads", "virtual_bytes", "resident_bytes", "user_s", "state"] {
            assert!(PROCESS.position(column).is_some(), "{column}");
        }
    }
}
