//! `/proc/net/softnet_stat`: packets that each CPU took from the network (table `softnet`).
//!
//! Hexadecimal numbers of 32 bits without headings; what they mean depends on how many there
//! are. The counters are of the machine, whatever network namespace the file is read in.

use heldup_hostfs::{Host, KeptFiles};
use heldup_model::tables::SoftnetRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::cpu_numbers;
use crate::kernel_text::{ParseError, Parsed, fields, lines};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::wrapping::Widened;

const PATH: &str = "/proc/net/softnet_stat";

/// What each generation of the file has. Columns 4 to 8 are always 0 (were for fast routes,
/// gone with 2.6.27), and column 9, collisions of CPUs on sending, since 4.7. Distributions
/// carry changes back: 4.18.0-348 of RHEL 8.5 has 13 columns.
const LEAST_COLUMNS: usize = 9;
/// Column 10, `received_rps`, came with 2.6.35; column 11, `flow_limit_count`, with 3.11
/// (99bbc7074190 "rps: selective flow shedding during softnet overflow").
const RECEIVED_RPS: usize = 9;
const FLOW_LIMITS: usize = 10;
/// Columns 12 and 13, length of the backlog and number of the CPU, came with 5.10
/// (7d58e6555870 "net-sysfs: add backlog len and CPU id to softnet data"). Before, lines
/// are those of the online CPUs, in order.
const BACKLOG: usize = 11;
const CPU: usize = 12;
/// Columns 14 and 15, the two parts of the backlog, came with 6.4 (59da2d7b0e99 "net-sysfs:
/// display two backlog queue len separately").
const INPUT_QUEUE: usize = 13;
const PROCESS_QUEUE: usize = 14;

/// The source.
#[derive(Debug, Default)]
pub struct ProcNetSoftnetStat {
    files: KeptFiles,
    buffer: Vec<u8>,
    bytes: usize,
    totals: Widened<(i64, usize)>,
}

impl Source for ProcNetSoftnetStat {
    fn name(&self) -> &'static str {
        "proc_net_softnet_stat"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SoftnetRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // As with interrupts.
        Schedule::from_file_size(self.bytes).pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = self.files.read_into(host, PATH, &mut self.buffer) {
            reading.lacks("softnet", &error, "a kernel with CONFIG_NET, and proc mounted on /proc");
            return reading;
        }
        self.bytes = self.buffer.len();
        let mut rows = reading.take(PATH, parse(&self.buffer));
        if rows.iter().any(|row| row.cpu_idx.is_none()) {
            number(host, &mut rows);
        }
        if rows.iter().any(|row| row.cpu_idx.is_none()) {
            let error = ParseError::new(0, "number of the CPU", b"", "a line for each online CPU");
            reading.flaws.push(error.in_file(PATH));
        }
        rows.retain(|row| row.cpu_idx.is_some());
        rows.iter_mut().for_each(|row| self.widen(row));
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl ProcNetSoftnetStat {
    fn widen(&mut self, row: &mut SoftnetRow) {
        let Some(cpu_idx) = row.cpu_idx else { return };
        let counters = [
            &mut row.processed,
            &mut row.dropped,
            &mut row.time_squeezes,
            &mut row.received_rps,
            &mut row.flow_limits,
        ];
        for (at, counter) in counters.into_iter().enumerate() {
            let now = counter.and_then(|now| u32::try_from(now).ok());
            *counter = now.map(|now| self.totals.total((cpu_idx, at), now));
        }
    }
}

/// Numbers lines as the online CPUs are, where there are as many; in a recording of this file alone, which does not
/// know them, as the lines are.
fn number(host: &Host, rows: &mut [SoftnetRow]) {
    let online = cpu_numbers::online(host).unwrap_or_else(|| (0..rows.len() as i64).collect());
    if online.len() != rows.len() {
        return;
    }
    for (row, cpu_idx) in rows.iter_mut().zip(online) {
        row.cpu_idx = Some(cpu_idx);
    }
}

/// Reads the file; the number of a CPU is `None` where the kernel does not write it.
pub fn parse(text: &[u8]) -> Parsed<Vec<SoftnetRow>> {
    let mut parsed = Parsed::<Vec<SoftnetRow>>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let columns: Vec<&[u8]> = fields(content).collect();
        if columns.len() < LEAST_COLUMNS {
            parsed.error(ParseError::new(line, "CPU", content, "at least 9 hexadecimal numbers"));
            // The lines behind it would be taken for those of other CPUs.
            parsed.value.push(SoftnetRow::default());
            continue;
        }
        let mut at = |column: usize, item| {
            let field = columns.get(column)?;
            let number = hexadecimal(field);
            if number.is_none() {
                parsed.error(ParseError::new(line, item, field, "a hexadecimal number of 8 digits"));
            }
            number
        };
        let row = SoftnetRow {
            cpu_idx: at(CPU, "number of the CPU"),
            processed: at(0, "processed"),
            dropped: at(1, "dropped"),
            time_squeezes: at(2, "time_squeeze"),
            received_rps: at(RECEIVED_RPS, "received_rps"),
            flow_limits: at(FLOW_LIMITS, "flow_limit_count"),
            backlog_packets: at(BACKLOG, "length of the backlog"),
            input_packets: at(INPUT_QUEUE, "length of the input queue"),
            process_packets: at(PROCESS_QUEUE, "length of the process queue"),
        };
        parsed.value.push(row);
    }
    if parsed.value.is_empty() && parsed.errors.is_empty() {
        parsed.error(ParseError::new(0, "whole file", text, "a line of hexadecimal numbers for each CPU"));
    }
    parsed
}

fn hexadecimal(field: &[u8]) -> Option<i64> {
    let digits = field.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(field).ok().filter(|_| digits)?;
    u32::from_str_radix(text, 16).ok().map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the first `columns` columns; column N holds N.
    fn line(columns: usize) -> String {
        (1..=columns).map(|column| format!("{column:08x} ")).collect::<String>().trim_end().to_owned() + "\n"
    }

    #[test]
    fn every_generation_of_the_file() {
        // Columns; and what columns 10, 11, 12, 13 and 15 hold.
        let cases = [
            (9, [None; 5]),
            (10, [Some(10), None, None, None, None]),
            (11, [Some(10), Some(11), None, None, None]),
            (13, [Some(10), Some(11), Some(12), Some(13), None]),
            (15, [Some(10), Some(11), Some(12), Some(13), Some(15)]),
        ];
        for (columns, expected) in cases {
            let parsed = parse(line(columns).as_bytes());
            assert_eq!(parsed.errors, [], "{columns} columns");
            let row = &parsed.value[0];
            assert_eq!((row.processed, row.dropped, row.time_squeezes), (Some(1), Some(2), Some(3)));
            let found =
                [row.received_rps, row.flow_limits, row.backlog_packets, row.cpu_idx, row.process_packets];
            assert_eq!(found, expected, "{columns} columns");
        }
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let text = line(13).replace("00000002", "0000000x") + "00000001 00000002\n" + &line(8);
        let parsed = parse(text.as_bytes());
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((parsed.value[0].processed, parsed.value[0].dropped), (Some(1), None));
        assert_eq!(parsed.value.iter().filter(|row| row.cpu_idx.is_some()).count(), 1);
    }
}
