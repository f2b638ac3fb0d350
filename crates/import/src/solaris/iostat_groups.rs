//! `iostat` of Solaris without `-x`: a line for each interval, in which the terminal, each device and the CPUs
//! have a group of numbers of their own.
//!
//! `serv` is how long a request was in the line and at the device: with the requests it is what was in flight.
//! The bytes are of both ways together, which no column takes. The first line is of the time since boot.

use heldup_model::Record;
use heldup_model::tables::{CpuRow, DiskRow};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "iostat";

/// Headings of the groups, by what stands above them.
const TERMINAL: [&str; 2] = ["tin", "tout"];
const DEVICE: [&str; 3] = ["kps", "tps", "serv"];
/// `wt` until Solaris 9, `st` (stolen) from 11 on; nobody waits or steals in between.
const CPUS: [[&str; 4]; 2] = [["us", "sy", "wt", "id"], ["us", "sy", "st", "id"]];

/// Reads such reports.
#[derive(Default)]
pub struct SolarisIostatGroups {
    /// The names above the groups, and their line.
    above: Option<(Vec<String>, u64)>,
    run: Option<Run>,
}

struct Run {
    devices: Vec<String>,
    has_terminal: bool,
    has_cpus: bool,
    is_first: bool,
    last_line: u64,
    last_ms: Option<i64>,
}

impl Importer for SolarisIostatGroups {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some((names, at)) = &self.above
            && line.number == at + 1
            && let Some((has_terminal, devices, has_cpus)) = groups(line.words)
        {
            let devices_from = usize::from(has_terminal);
            let wide = names.len() == devices_from + devices + usize::from(has_cpus);
            let is_named = has_terminal == (names.first().is_some_and(|name| name == "tty"))
                && has_cpus == (names.last().is_some_and(|name| name == "cpu"));
            if !wide || !is_named {
                return Ok(false);
            }
            let devices = names[devices_from..devices_from + devices].to_vec();
            // Headings come again each twenty lines.
            let is_same = self
                .run
                .as_ref()
                .is_some_and(|run| run.devices == devices && line.number <= run.last_line + 4);
            if let Some(run) = self.run.as_mut().filter(|_| is_same) {
                run.last_line = line.number;
                return Ok(true);
            }
            document.begin(NAME);
            document.note("the first report of iostat covers the time since boot: its rates are not used");
            document.leave_out(NAME, &["kps (both ways together)".to_owned()]);
            let (last_line, last_ms) = (line.number, None);
            self.run = Some(Run { devices, has_terminal, has_cpus, is_first: true, last_line, last_ms });
            return Ok(true);
        }
        // Names of devices above, which are known once the headings below them are.
        let is_above = matches!(line.words, ["tty", _, ..] | [_, .., "cpu"])
            && line.words.iter().all(|word| !word.ends_with([':', '.', ',']));
        self.above =
            is_above.then(|| (line.words.iter().map(|word| (*word).to_owned()).collect(), line.number));
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + 3) else {
            return Ok(false);
        };
        let values: Option<Vec<f64>> = line.words.iter().map(|word| word.parse().ok()).collect();
        let Some(values) = values else { return Ok(false) };
        run.last_line = line.number;
        let width =
            if run.has_terminal { 2 } else { 0 } + 3 * run.devices.len() + if run.has_cpus { 4 } else { 0 };
        if values.len() != width {
            document.flaw(line.number, format!("iostat: {} numbers; expected {width}", values.len()));
            return Ok(true);
        }
        let when = run.when(line.number, document);
        let (devices, cpus) = values[if run.has_terminal { 2 } else { 0 }..].split_at(3 * run.devices.len());
        for (name, group) in run.devices.iter().zip(devices.chunks_exact(3)) {
            let requests = when.secs.map(|secs| group[1] * secs);
            let cells = [
                ("requests", Put::Number(requests)),
                ("queue_s", Put::Number(requests.map(|requests| requests * group[2] / 1000.0))),
            ];
            put_row(document, DiskRow::DEF, when, Key::Name(name), &cells);
        }
        if let [user, system, _, idle] = cpus {
            let all = when.secs.map(|secs| secs * document.cpus().unwrap_or(1) as f64);
            let share = |percent: &f64| Put::Number(all.map(|all| all * percent / 100.0));
            let cells = [("user_s", share(user)), ("system_s", share(system)), ("idle_s", share(idle))];
            put_row(document, CpuRow::DEF, when, Key::All, &cells);
        }
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        (self.run, self.above) = (None, None);
        Ok(())
    }
}

impl Run {
    fn when(&mut self, line: u64, document: &mut Document) -> When {
        let is_first = std::mem::replace(&mut self.is_first, false);
        match document.stamp_above(line) {
            Some(ms) => {
                let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
                When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
            }
            None => {
                let secs = (!is_first).then(|| document.interval_s(NAME));
                document.floating(secs)
            }
        }
    }
}

/// Whether the terminal is there, how many devices, and whether the CPUs are; none where other words stand there.
fn groups(words: &[&str]) -> Option<(bool, usize, bool)> {
    let (has_terminal, rest) = match words.strip_prefix(&TERMINAL[..]) {
        Some(rest) => (true, rest),
        None => (false, words),
    };
    let end = CPUS.iter().find_map(|cpus| rest.strip_suffix(&cpus[..]));
    let devices = end.unwrap_or(rest);
    let is_devices = devices.len() % 3 == 0 && devices.chunks_exact(3).all(|group| group == DEVICE);
    (is_devices && !devices.is_empty()).then_some((has_terminal, devices.len() / 3, end.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_headings() {
        let check = |line: &str| groups(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(check(" tin tout kps tps serv  kps tps serv   us sy wt id"), Some((true, 2, true)));
        assert_eq!(check("kps tps serv"), Some((false, 1, false)));
        assert_eq!(check("kps tps serv us sy st id"), Some((false, 1, true)));
        for line in ["us sy wt id", "tin tout", "tps kps serv", "kps tps"] {
            assert_eq!(check(line), None, "{line}");
        }
    }
}
