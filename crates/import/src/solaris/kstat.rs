//! `kstat` of Solaris, as a list (`-p`: `unix:0:system_misc:ncpus 8`) and in blocks (`module: unix instance: 0`).
//!
//! Counters are since boot: of two readings in a file, distinguished by their `snaptime`, the increases are kept; of one
//! only what the machine is and its load.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::{CpuRow, DiskRow, SystemRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "kstat";
const NANOS: f64 = 1e9;
/// Fixed point of the load averages (`FSCALE`).
const LOAD_UNIT: f64 = 256.0;

/// Counters of a disk: name, column, and how many of them are one of the column's unit.
const DISK: [(&str, &str, f64); 5] = [
    ("reads", "reads", 1.0),
    ("writes", "writes", 1.0),
    ("nread", "read_bytes", 1.0),
    ("nwritten", "write_bytes", 1.0),
    ("rtime", "busy_s", 1.0),
];

/// Times of a CPU in nanoseconds.
const CPU: [(&str, &str); 4] = [
    ("cpu_nsec_user", "user_s"),
    ("cpu_nsec_kernel", "system_s"),
    ("cpu_nsec_idle", "idle_s"),
    ("cpu_nsec_intr", "irq_s"),
];

type Statistics = BTreeMap<(String, i64, String), BTreeMap<String, String>>;

/// Reads `kstat`.
#[derive(Default)]
pub struct Kstat {
    is_begun: bool,
    block: Option<(String, i64, String)>,
    now: Statistics,
    before: Statistics,
    last_line: u64,
}

impl Importer for Kstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if module(line.words).is_none() && parseable(line.words).is_none() {
            return Ok(false);
        }
        if !self.is_begun {
            document.begin(NAME);
            self.is_begun = true;
        }
        self.last_line = line.number;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !self.is_begun {
            return Ok(false);
        }
        if let Some((key, name)) = parseable(line.words) {
            self.last_line = line.number;
            let value = line.words.get(1..).unwrap_or_default().join(" ");
            self.set(key, name, &value, document)?;
            return Ok(true);
        }
        if let Some((module, instance)) = module(line.words) {
            self.last_line = line.number;
            self.block = Some((module.to_owned(), instance, String::new()));
            return Ok(true);
        }
        let Some(block) = self.block.as_mut().filter(|_| line.number <= self.last_line + 2) else {
            return Ok(false);
        };
        match line.words {
            ["name:", name, "class:", ..] => {
                (*name).clone_into(&mut block.2);
            }
            [name, value @ ..] if !value.is_empty() && !block.2.is_empty() => {
                let (key, value) = (block.clone(), value.join(" "));
                self.set(key, name, &value, document)?;
            }
            _ => return Ok(false),
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if std::mem::take(&mut self.is_begun) {
            self.end_reading(document)?;
            self.block = None;
            self.before.clear();
        }
        Ok(())
    }
}

impl Kstat {
    /// A statistic that is told again begins the next reading.
    fn set(
        &mut self,
        key: (String, i64, String),
        name: &str,
        value: &str,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        if self.now.get(&key).is_some_and(|there| there.contains_key(name)) {
            self.end_reading(document)?;
        }
        self.now.entry(key).or_default().insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn end_reading(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.now.is_empty() {
            return Ok(());
        }
        self.take_machine(document);
        let secs = self.passed_s();
        let when = document.floating(secs);
        if let Some(told) = self.statistic("unix", "system_misc") {
            let load = |name: &str| number(told, name).map(|load| load / LOAD_UNIT);
            let cells = [
                ("load1", Put::Number(load("avenrun_1min"))),
                ("load5", Put::Number(load("avenrun_5min"))),
                ("load15", Put::Number(load("avenrun_15min"))),
            ];
            put(document, SystemRow::DEF, when, "", &cells);
        }
        for (key, told) in &self.now {
            let (module, instance, name) = key;
            let Some(before) = self.before.get(key) else { continue };
            let increase = |name: &str| {
                let (now, before) = (number(told, name)?, number(before, name)?);
                // A counter of 32 bits begins anew, or the machine does.
                (now >= before).then_some(now - before)
            };
            if module == "cpu" && name == "sys" {
                let cells =
                    CPU.map(|(name, column)| (column, Put::Number(increase(name).map(|ns| ns / NANOS))));
                let cells: Vec<(&str, Put<'_>)> =
                    [("cpu_idx", Put::Number(Some(*instance as f64)))].into_iter().chain(cells).collect();
                put(document, CpuRow::DEF, when, &instance.to_string(), &cells);
            }
            if told.contains_key("nread") && told.contains_key("rlentime") {
                let mut cells = vec![("device", Put::Text(name.as_str()))];
                cells.extend(DISK.map(|(name, column, unit)| {
                    (column, Put::Number(increase(name).map(|value| value / unit)))
                }));
                // Times the line's length, in the driver and at the device.
                let queue = increase("wlentime").zip(increase("rlentime")).map(|(one, two)| one + two);
                cells.push(("queue_s", Put::Number(queue)));
                put(document, DiskRow::DEF, when, name, &cells);
            }
        }
        if self.before.is_empty() {
            document.note(
                "kstat: counters of the first sample are since boot: only increases to the next are kept",
            );
        }
        self.before = std::mem::take(&mut self.now);
        document.end_sample(NAME)
    }

    /// How long it was since the reading before: by the clock of a statistic that both have.
    fn passed_s(&self) -> Option<f64> {
        self.now.iter().find_map(|(key, told)| {
            let (now, before) = (number(told, "snaptime")?, number(self.before.get(key)?, "snaptime")?);
            Some(now - before).filter(|secs| *secs > 0.0)
        })
    }

    fn statistic(&self, module: &str, name: &str) -> Option<&BTreeMap<String, String>> {
        self.now.iter().find(|((there, _, named), _)| there == module && named == name).map(|(_, told)| told)
    }

    /// What the machine is.
    fn take_machine(&mut self, document: &mut Document) {
        if let Some(misc) = self.statistic("unix", "system_misc") {
            document.facts.row.cpus =
                number(misc, "ncpus").map(|cpus| cpus as i64).or(document.facts.row.cpus);
            document.facts.row.boot_ms = number(misc, "boot_time").map(|secs| (secs * 1000.0) as i64);
        }
        let brand = self
            .now
            .iter()
            .find_map(|((module, ..), told)| (module == "cpu_info").then(|| told.get("brand")).flatten());
        if let Some(brand) = brand {
            document.facts.row.cpu_model = Some(brand.as_str().into());
        }
    }
}

fn number(told: &BTreeMap<String, String>, name: &str) -> Option<f64> {
    told.get(name)?.parse().ok()
}

/// `cpu_stat:0:cpu_stat0:idle 12345`.
fn parseable<'w>(words: &[&'w str]) -> Option<((String, i64, String), &'w str)> {
    let [path, _, ..] = words else { return None };
    let mut parts = path.split(':');
    let (module, instance, name, statistic) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_whole = parts.next().is_none() && ![module, name, statistic].contains(&"");
    let instance = instance.parse().ok()?;
    let is_named = module.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    (is_whole && is_named).then(|| ((module.to_owned(), instance, name.to_owned()), statistic))
}

/// `module: cpu_info instance: 0`.
fn module<'w>(words: &[&'w str]) -> Option<(&'w str, i64)> {
    match words {
        ["module:", module, "instance:", instance] => Some((module, instance.parse().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_from_others() {
        let check = |line: &str| parseable(&line.split_whitespace().collect::<Vec<_>>()).is_some();
        assert!(check("unix:0:system_misc:ncpus\t8"));
        assert!(!check("12:30:00:01 up"));
        assert!(!check("a:b:c:d 4"));
        assert!(!check("http://host:80 x"));
        for (_, column, _) in DISK {
            assert!(DiskRow::DEF.position(column).is_some(), "{column}");
        }
        for (_, column) in CPU {
            assert!(CpuRow::DEF.position(column).is_some(), "{column}");
        }
    }
}
