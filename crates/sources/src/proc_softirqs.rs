//! `/proc/softirqs`: soft interrupts by CPU and kind (table `softirq`).
//!
//! A row for each kind, a column for each possible CPU; those that never were online have
//! zeros only and no row in the table.

use heldup_hostfs::KeptFiles;
use heldup_model::tables::SoftirqRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::wrapping::Widened;

const PATH: &str = "/proc/softirqs";

/// The source.
#[derive(Debug, Default)]
pub struct ProcSoftirqs {
    files: KeptFiles,
    buffer: Vec<u8>,
    bytes: usize,
    totals: Widened<(i64, usize)>,
}

impl Source for ProcSoftirqs {
    fn name(&self) -> &'static str {
        "proc_softirqs"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SoftirqRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // As with interrupts.
        Schedule::from_file_size(self.bytes).pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        match self.files.read_record_into(host, PATH, &mut self.buffer) {
            Ok(()) => {
                self.bytes = self.buffer.len();
                let mut rows = reading.take(PATH, parse(&self.buffer));
                rows.iter_mut().for_each(|row| self.widen(row));
                reading.rows.push(RowSet::totals(rows));
            }
            Err(error) => reading.lacks("softirq", &error, "mount proc on /proc"),
        }
        reading
    }
}

impl ProcSoftirqs {
    /// The kernel counts in 32 bits.
    fn widen(&mut self, row: &mut SoftirqRow) {
        let Some(cpu_idx) = row.cpu_idx else { return };
        for (at, counter) in counters(row).into_iter().enumerate() {
            let now = counter.and_then(|now| u32::try_from(now).ok());
            *counter = now.map(|now| self.totals.total((cpu_idx, at), now));
        }
    }
}

/// The counters of a row, in the order of [`KINDS`].
fn counters(row: &mut SoftirqRow) -> [&mut Option<i64>; KINDS.len()] {
    [
        &mut row.hi,
        &mut row.timer,
        &mut row.net_tx,
        &mut row.net_rx,
        &mut row.block,
        &mut row.irq_poll,
        &mut row.tasklet,
        &mut row.sched,
        &mut row.hrtimer,
        &mut row.rcu,
    ]
}

const KINDS: [&[u8]; 10] = [
    b"HI:",
    b"TIMER:",
    b"NET_TX:",
    b"NET_RX:",
    b"BLOCK:",
    b"IRQ_POLL:",
    b"TASKLET:",
    b"SCHED:",
    b"HRTIMER:",
    b"RCU:",
];

/// Reads a heading of CPUs and a line for each kind.
pub fn parse(text: &[u8]) -> Parsed<Vec<SoftirqRow>> {
    let mut parsed = Parsed::<Vec<SoftirqRow>>::default();
    let mut lines = lines(parsed.whole_lines(text));
    let heading = lines.next().map(|(_, heading)| heading).unwrap_or_default();
    let cpus: Option<Vec<i64>> =
        fields(heading).map(|cpu| cpu.strip_prefix(b"CPU").and_then(count)).collect();
    let Some(cpus) = cpus.filter(|cpus| !cpus.is_empty()) else {
        parsed.error(ParseError::new(1, "heading", heading, "CPU0 CPU1 …"));
        return parsed;
    };
    let mut rows: Vec<_> =
        cpus.iter().map(|cpu| SoftirqRow { cpu_idx: Some(*cpu), ..SoftirqRow::default() }).collect();
    for (line, content) in lines {
        let mut words = fields(content);
        let name = words.next().unwrap_or_default();
        // Its name before 4.5 (511cbce2ff8b "irq_poll: make blk-iopoll available outside the
        // block context").
        let name = if name == b"BLOCK_IOPOLL:" { b"IRQ_POLL:" } else { name };
        let Some(kind) = KINDS.iter().position(|kind| *kind == name) else { continue };
        for row in &mut rows {
            *counters(row)[kind] = parsed.count(line, "soft interrupts", words.next());
        }
    }
    rows.retain_mut(|row| counters(row).iter().any(|counter| counter.is_some_and(|value| value > 0)));
    parsed.value = rows;
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_that_never_were_online_have_no_row() {
        let parsed = parse(b"  CPU0 CPU1 CPU3\n  HI: 1 0 0\nBLOCK_IOPOLL: 5 0 7\nNEW: 1 2 3\n");
        assert_eq!(parsed.errors, []);
        let rows: Vec<_> = parsed.value.iter().map(|row| (row.cpu_idx, row.hi, row.irq_poll)).collect();
        assert_eq!(rows, [(Some(0), Some(1), Some(5)), (Some(3), Some(0), Some(7))]);
        assert_eq!(parsed.value[0].rcu, None, "not in this file");
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let parsed = parse(b"CPU0 CPU1\nHI: 1 x\nRCU: 4\n");
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2, 3]);
        let rows: Vec<_> = parsed.value.iter().map(|row| (row.hi, row.rcu)).collect();
        assert_eq!(rows, [(Some(1), Some(4))]);
        assert_eq!(parse(b"HI: 1\n").errors.len(), 1);
    }
}
