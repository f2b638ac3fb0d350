//! `/proc/interrupts`: interrupts by line (table `irq`) and by line and CPU (`irq_cpu`).
//!
//! The kernel writes a number for each line and CPU. Rows of `irq_cpu` are only those that
//! grew: the increases are made here and not by the sampler, which keeps every row that it
//! is given. Where the file would be too large to ask for, sums come from `/proc/stat`
//! ([`crate::irq_sums`]).

use std::collections::HashMap;

use heldup_hostfs::{Host, KeptFiles};
use heldup_model::tables::{IrqCpuRow, IrqRow};
use heldup_model::{Flaw, Missing, Record, RowSet, TableDef, Text};

use crate::cpu_numbers;
use crate::interrupts_text::{Interrupts, Line, parse};
use crate::irq_sums;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::wrapping::growth;

const PATH: &str = "/proc/interrupts";
/// Where lines times CPUs are more, the file is not read: it would have more than 11 MB, and
/// writing it takes the kernel some 50 ms.
const MAX_CELLS: usize = 1_000_000;
/// Lines whose CPUs are looked up (two files each).
const MAX_AFFINITIES: usize = 256;

/// The source.
#[derive(Debug, Default)]
pub struct ProcInterrupts {
    files: KeptFiles,
    buffer: Vec<u8>,
    bytes: usize,
    before: Option<Interrupts>,
    affinities: HashMap<Text, Affinity>,
    /// Whether the file is too large to be read; found out once.
    too_large: Option<bool>,
}

/// CPUs that may serve a line, and those that do.
#[derive(Clone, Debug, Default)]
struct Affinity {
    allowed: Option<Text>,
    effective: Option<Text>,
}

impl Source for ProcInterrupts {
    fn name(&self) -> &'static str {
        "proc_interrupts"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[IrqRow::DEF, IrqCpuRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A row for each line and CPU; how interrupts are spread does not change by the second.
        let schedule = match self.too_large {
            Some(true) => Schedule::ends(),
            _ => Schedule::from_file_size(self.bytes),
        };
        schedule.pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let cells = cells(host);
        let Some(now) = (match *self.too_large.get_or_insert(cells > MAX_CELLS) {
            true => sums(host, &mut reading, cells),
            false => self.file(host, &mut reading),
        }) else {
            return reading;
        };
        let before = self.before.take();
        self.rows(host, &mut reading, before.as_ref(), &now);
        self.before = Some(now);
        reading
    }
}

/// How many numbers the file has at most.
fn cells(host: &Host) -> usize {
    let cpus = cpu_numbers::online(host).map_or(1, |cpus| cpus.len());
    let lines = host.list_numbers("/proc/irq").map_or(1, |lines| lines.len());
    cpus.saturating_mul(lines)
}

fn sums(host: &Host, reading: &mut Reading, cells: usize) -> Option<Interrupts> {
    reading.missing.push(Missing {
        what: "irq_cpu".to_owned(),
        why: format!("{PATH} would have {cells} numbers; only the sums of /proc/stat were read"),
        how: "fewer CPUs or interrupts".to_owned(),
    });
    let now = irq_sums::read(host, reading);
    if now.is_none() {
        reading.missing.push(Missing {
            what: "irq".to_owned(),
            why: "/proc/stat has no line intr".to_owned(),
            how: "mount proc on /proc".to_owned(),
        });
    }
    now
}

impl ProcInterrupts {
    fn file(&mut self, host: &Host, reading: &mut Reading) -> Option<Interrupts> {
        if let Err(error) = self.files.read_into(host, PATH, &mut self.buffer) {
            for table in ["irq", "irq_cpu"] {
                reading.lacks(table, &error, "mount proc on /proc, outside a container");
            }
            return None;
        }
        self.bytes = self.buffer.len();
        Some(reading.take(PATH, parse(&self.buffer)))
    }

    /// The first time totals, then what was added.
    fn rows(&mut self, host: &Host, reading: &mut Reading, before: Option<&Interrupts>, now: &Interrupts) {
        let (mut irqs, mut cpus) = (Vec::new(), Vec::new());
        let mut again = 0;
        let matching = before.map(|before| Matching::new(before, now));
        for (at, line) in now.lines.iter().enumerate().filter(|(_, line)| line.ever_fired()) {
            let grown = match &matching {
                Some(matching) => matching.grown(line, at),
                None => Some(Grown::since_boot(line)),
            };
            again += usize::from(grown.is_none());
            let grown = grown.unwrap_or_default();
            let affinity = self.affinity(host, &line.irq);
            irqs.push(IrqRow {
                irq: Some(line.irq.clone()),
                name: line.name.clone(),
                chip: line.chip.clone(),
                interrupts: grown.sum,
                allowed_cpus: affinity.allowed,
                effective_cpus: affinity.effective,
            });
            cpus.extend(grown.cells.into_iter().filter(|(_, grown)| *grown > 0).map(|(column, grown)| {
                IrqCpuRow {
                    irq: Some(line.irq.clone()),
                    cpu_idx: Some(now.cpus[column]),
                    name: line.name.clone(),
                    interrupts: Some(i64::from(grown)),
                }
            }));
        }
        if again > 0 {
            reading.flaws.push(Flaw {
                place: "irq.interrupts".to_owned(),
                what: format!("ran backwards in {again} row(s); left out"),
            });
        }
        if before.is_none() {
            reading.rows.extend([RowSet::totals(irqs), RowSet::totals(cpus)]);
        } else {
            reading.rows.extend([RowSet::increases(irqs), RowSet::increases(cpus)]);
        }
    }

    /// Of a device's line; looked up once, when it is first met.
    fn affinity(&mut self, host: &Host, irq: &Text) -> Affinity {
        if let Some(known) = self.affinities.get(irq) {
            return known.clone();
        }
        let is_device = irq.bytes().all(|b| b.is_ascii_digit());
        if !is_device || self.affinities.len() >= MAX_AFFINITIES {
            return Affinity::default();
        }
        let list = |file: &str| {
            let text = host.read_text(format!("/proc/irq/{irq}/{file}")).ok()?;
            (!text.is_empty()).then(|| Text::from(text))
        };
        let affinity =
            Affinity { allowed: list("smp_affinity_list"), effective: list("effective_affinity_list") };
        self.affinities.insert(irq.clone(), affinity.clone());
        affinity
    }
}

/// What a line grew by.
#[derive(Debug, Default)]
struct Grown {
    sum: Option<i64>,
    /// Column and growth.
    cells: Vec<(usize, u32)>,
}

impl Grown {
    fn since_boot(line: &Line) -> Grown {
        let cells = line.counts.iter().copied().enumerate().filter_map(|(at, count)| Some((at, count?)));
        Grown { sum: line.total(), cells: cells.collect() }
    }
}

/// Which lines and columns of the reading before are those of this one.
struct Matching<'t> {
    before: &'t Interrupts,
    lines: HashMap<&'t str, usize>,
    columns: Vec<Option<usize>>,
}

impl<'t> Matching<'t> {
    fn new(before: &'t Interrupts, now: &Interrupts) -> Matching<'t> {
        let lines = before.lines.iter().enumerate().map(|(at, line)| (&*line.irq, at)).collect();
        let columns: HashMap<i64, usize> =
            before.cpus.iter().enumerate().map(|(at, cpu_idx)| (*cpu_idx, at)).collect();
        let columns = now.cpus.iter().map(|cpu_idx| columns.get(cpu_idx).copied()).collect();
        Matching { before, lines, columns }
    }

    /// None where a counter began anew: the driver gave the line back and took it again.
    fn grown(&self, line: &Line, at: usize) -> Option<Grown> {
        let before = self.before;
        let same = before.lines.get(at).filter(|old| old.irq == line.irq);
        let old = same.or_else(|| before.lines.get(*self.lines.get(&*line.irq)?));
        let Some(old) = old else {
            // A line begins at zero when a driver asks for it.
            return Some(Grown::since_boot(line));
        };
        if let (Some(old), Some(now)) = (old.single, line.single) {
            return Some(Grown { sum: Some(i64::from(growth(old, now)?)), cells: Vec::new() });
        }
        let mut cells = Vec::with_capacity(line.counts.len());
        for (column, now) in line.counts.iter().enumerate() {
            // A CPU that came back has served interrupts before: what it adds is not known.
            let was = self.columns.get(column).copied().flatten();
            let was = was.and_then(|column| old.counts.get(column).copied().flatten());
            if let (Some(was), Some(now)) = (was, now) {
                cells.push((column, growth(was, *now)?));
            }
        }
        let sum = (!cells.is_empty()).then(|| cells.iter().map(|(_, grown)| i64::from(*grown)).sum());
        Some(Grown { sum, cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line, sum and cells.
    type Shown = (String, Option<i64>, Vec<(usize, u32)>);

    fn grown(before: &str, now: &str) -> Vec<Shown> {
        let (before, now) = (parse(before.as_bytes()).value, parse(now.as_bytes()).value);
        let matching = Matching::new(&before, &now);
        let lines = now.lines.iter().enumerate();
        lines
            .map(|(at, line)| {
                let grown = matching.grown(line, at).unwrap_or_default();
                (line.irq.to_string(), grown.sum, grown.cells)
            })
            .collect()
    }

    #[test]
    fn lines_and_cpus_that_moved_are_matched() {
        let before = "  CPU0 CPU1\n 1: 10 20 a b-edge x\n 2: 5 5 a b-edge y\nERR: 7\n";
        let now = "  CPU1 CPU2\n 2: 6 9 a b-edge y\n 3: 1 2 a b-edge z\nERR: 9\n";
        let expected = [
            ("2".to_owned(), Some(1), vec![(0, 1)]),
            ("3".to_owned(), Some(3), vec![(0, 1), (1, 2)]),
            ("ERR".to_owned(), Some(2), Vec::new()),
        ];
        assert_eq!(grown(before, now), expected);
    }

    #[test]
    fn counters_wrap_and_begin_anew() {
        let before = "  CPU0 CPU1\n 1: 4294967295 0 a b-edge x\n 2: 500 0 a b-edge y\n";
        let now = "  CPU0 CPU1\n 1: 4 0 a b-edge x\n 2: 3 0 a b-edge y\n";
        let grown = grown(before, now);
        assert_eq!(grown[0].1, Some(5));
        assert_eq!(grown[1].1, None);
    }
}
