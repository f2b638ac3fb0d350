//! `atopsar`: sections with headings like those of `sar`, each of which ends with its name between underscores (`_cpu_`). Rows of
//! one sample after the first have no time. Percent are of one CPU, of all together a hundred for each.

use heldup_model::Record;
use heldup_model::tables::{CpuRow, DiskRow, MemoryRow, SystemRow};
use jiff::civil::Date;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, DateOrder, date, midnight_s, time_of_day};
use crate::text::number::size;

const NAME: &str = "atopsar";
const MIB: f64 = 1_048_576.0;
/// An interval is not longer than so many of the first.
const MOST_LATE: f64 = 1.5;

/// Reads `atopsar`.
#[derive(Default)]
pub struct Atopsar {
    section: Option<Section>,
    date: Option<Date>,
    samples: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Cpu,
    Load,
    Memory,
    Disk,
    /// No table has it.
    Other,
}

struct Section {
    kind: Kind,
    headings: Vec<String>,
    date: Option<Date>,
    day_s: i64,
    last_s: i64,
    /// The length of the first interval: each sample is of its own, whatever somebody left out before it.
    first_secs: Option<f64>,
    when: Option<When>,
    samples: u64,
}

impl Importer for Atopsar {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["--------------------------" | "-", "analysis", "date:", day, ..]
        | ["analysis", "date:", day, ..] = line.words
            && let Some(day) = date(day, DateOrder::MonthFirst)
        {
            self.date = Some(day);
            return Ok(self.section.is_some());
        }
        let [time, headings @ .., name] = line.words else { return Ok(false) };
        let Some(time) = time_of_day(&[time]) else { return Ok(false) };
        let kind = match *name {
            "_cpu_" => Kind::Cpu,
            "_load_" => Kind::Load,
            "_mem_" => Kind::Memory,
            "_dsk_" => Kind::Disk,
            name if name.len() > 2 && name.starts_with('_') && name.ends_with('_') => Kind::Other,
            _ => return Ok(false),
        };
        let headings: Vec<String> = headings.iter().map(|word| (*word).to_owned()).collect();
        // The headings of the next screen; below another date they begin another day.
        let is_same = |section: &Section| section.headings == headings && section.date == self.date;
        if self.section.as_ref().is_some_and(is_same) {
            return Ok(true);
        }
        if self.section.is_none() {
            document.begin(NAME);
        }
        self.count();
        if kind == Kind::Other {
            document.leave_out(NAME, &[format!("the section {}", name.trim_matches('_'))]);
            document.pass_over();
        }
        let day_s = match self.date {
            Some(day) => midnight_s(day),
            None => document.base_day_s(),
        };
        self.section = Some(Section {
            kind,
            headings,
            date: self.date,
            day_s,
            last_s: time.seconds,
            first_secs: None,
            when: None,
            samples: 0,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(section) = self.section.as_mut() else { return Ok(false) };
        let timed =
            line.words.split_first().and_then(|(time, rest)| Some((time_of_day(&[time])?.seconds, rest)));
        let words = match timed {
            Some((seconds, rest)) => {
                section.begin_sample(seconds, document);
                rest
            }
            None if section.when.is_some() && line.text.starts_with([' ', '\t']) => line.words,
            None => return Ok(false),
        };
        if words.len() < section.headings.len().min(2) {
            return Ok(false);
        }
        section.write(words, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.count();
        self.section = None;
        if let Some(told) = document.notes.told.get_mut(NAME) {
            told.samples += std::mem::take(&mut self.samples);
        }
        Ok(())
    }
}

impl Atopsar {
    /// As many samples as the longest section has.
    fn count(&mut self) {
        self.samples = self.samples.max(self.section.as_ref().map_or(0, |section| section.samples));
    }
}

impl Section {
    fn begin_sample(&mut self, seconds: i64, document: &mut Document) {
        let mut passed = seconds - self.last_s;
        if passed < -DAY_S / 2 {
            self.day_s += DAY_S;
            passed += DAY_S;
        }
        self.last_s = seconds;
        self.samples += 1;
        let local_s = self.day_s + seconds;
        let ms = (local_s - document.zone_at_s(None, local_s)) * 1000;
        let passed = Some(passed as f64).filter(|passed| *passed > 0.0);
        let first = self.first_secs;
        let secs = passed.map(|passed| first.filter(|first| passed > first * MOST_LATE).unwrap_or(passed));
        if secs != passed {
            document.note("samples are left out: the length of the first interval is used");
        }
        self.first_secs = first.or(secs);
        self.when = Some(When { ms, secs, floats: false });
    }

    fn value(&self, heading: &str, words: &[&str]) -> Option<f64> {
        let at = self.headings.iter().position(|word| word == heading)?;
        words.get(at)?.trim_end_matches('%').parse().ok()
    }

    fn write(&self, words: &[&str], document: &mut Document) {
        let Some(when) = self.when else { return };
        match self.kind {
            Kind::Cpu => self.write_cpu(words, when, document),
            Kind::Load => {
                let count = |heading: &str| {
                    Put::Number(self.value(heading, words).zip(when.secs).map(|(rate, secs)| rate * secs))
                };
                let level = |heading: &str| Put::Number(self.value(heading, words));
                let cells = [
                    ("context_switches", count("pswch/s")),
                    ("interrupts", count("devintr/s")),
                    ("forks", count("clones/s")),
                    ("load1", level("loadavg1")),
                    ("load5", level("loadavg5")),
                    ("load15", level("loadavg15")),
                ];
                put_row(document, SystemRow::DEF, when, Key::Host, &cells);
            }
            Kind::Memory => {
                let bytes = |heading: &str| {
                    let at = self.headings.iter().position(|word| word == heading);
                    Put::Number(at.and_then(|at| size(words.get(at)?, MIB)))
                };
                let cells = [
                    ("total_bytes", bytes("memtotal")),
                    ("free_bytes", bytes("memfree")),
                    ("buffers_bytes", bytes("buffers")),
                    ("cached_bytes", bytes("cached")),
                    ("dirty_bytes", bytes("dirty")),
                    ("swap_total_bytes", bytes("swptotal")),
                    ("swap_free_bytes", bytes("swpfree")),
                ];
                put_row(document, MemoryRow::DEF, when, Key::Host, &cells);
            }
            Kind::Disk => self.write_disk(words, when, document),
            Kind::Other => document.pass_over(),
        }
    }

    fn write_cpu(&self, words: &[&str], when: When, document: &mut Document) {
        let key = match words.first().map(|name| name.parse::<i64>()) {
            Some(Ok(number)) => Key::Number(number),
            Some(Err(_)) if words.first() == Some(&"all") => Key::All,
            _ => return,
        };
        let seconds = |heading: &str| {
            Put::Number(self.value(heading, words).zip(when.secs).map(|(share, secs)| share / 100.0 * secs))
        };
        let cells = [
            ("user_s", seconds("%usr")),
            ("nice_s", seconds("%nice")),
            ("system_s", seconds("%sys")),
            ("irq_s", seconds("%irq")),
            ("softirq_s", seconds("%softirq")),
            ("steal_s", seconds("%steal")),
            ("iowait_s", seconds("%wait")),
            ("idle_s", seconds("%idle")),
        ];
        if key == Key::All {
            let shown = words.iter().skip(1).filter_map(|word| word.parse::<f64>().ok()).sum::<f64>();
            // What guests take is in the user's share too.
            let all = shown - self.value("%guest", words).unwrap_or(0.0);
            document.facts.row.cpus.get_or_insert((all / 100.0).round().max(1.0) as i64);
        }
        put_row(document, CpuRow::DEF, when, key, &cells);
    }

    fn write_disk(&self, words: &[&str], when: When, document: &mut Document) {
        let (Some(secs), Some(name)) = (when.secs, words.first()) else { return };
        let count = |heading: &str| self.value(heading, words).map(|rate| rate * secs);
        let bytes = |rate: &str, each: &str| {
            Some(self.value(rate, words)? * self.value(each, words)? * 1024.0 * secs)
        };
        let busy = self.value("busy", words).map(|percent| percent / 100.0 * secs);
        let cells = [
            ("reads", Put::Number(count("read/s"))),
            ("writes", Put::Number(count("writ/s"))),
            ("read_bytes", Put::Number(bytes("read/s", "KB/read"))),
            ("write_bytes", Put::Number(bytes("writ/s", "KB/writ"))),
            ("busy_s", Put::Number(busy)),
        ];
        put_row(document, DiskRow::DEF, when, Key::Name(name), &cells);
    }
}
