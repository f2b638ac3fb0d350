//! `/proc/pressure/*`: time in which tasks were stalled, as the kernel adds it up.

use heldup_hostfs::KeptFiles;
use heldup_model::tables::PressureRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, count, decimal, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};

/// `irq` came with 6.1 and needs CONFIG_IRQ_TIME_ACCOUNTING: its absence is no news.
const RESOURCES: [(&str, bool); 4] = [("cpu", true), ("memory", true), ("io", true), ("irq", false)];
const HOW: &str = "a kernel from 4.20 on with CONFIG_PSI, booted with psi=1";

/// Reads the files into one buffer.
#[derive(Default)]
pub struct ProcPressure {
    files: KeptFiles,
    buffer: Vec<u8>,
    /// Files that this kernel does not have.
    absent: Vec<&'static str>,
}

impl Source for ProcPressure {
    fn name(&self) -> &'static str {
        "proc_pressure"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[PressureRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::with_capacity(RESOURCES.len());
        for (resource, expected) in RESOURCES {
            if self.absent.contains(&resource) {
                continue;
            }
            let path = format!("/proc/pressure/{resource}");
            match self.files.read_record_into(host, &path, &mut self.buffer) {
                Ok(()) => {
                    let row = reading.take(&path, parse(&self.buffer));
                    rows.push(of_resource(resource, row));
                }
                Err(error) if error.is_absent() && !expected => self.absent.push(resource),
                // The same reason holds for the other files: said once.
                Err(error) if reading.missing.is_empty() => reading.lacks("pressure", &error, HOW),
                Err(_) => {}
            }
        }
        if !rows.is_empty() {
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

fn of_resource(resource: &str, row: PressureRow) -> PressureRow {
    let row = PressureRow { resource: Some(Text::from(resource)), ..row };
    // For the whole machine `full` of the CPU is undefined; since 5.13 the line is there
    // all the same, with zeros (kernel: Documentation/accounting/psi.rst).
    if resource == "cpu" { PressureRow { full_s: None, full_avg10: None, ..row } } else { row }
}

/// Reads the `some` and `full` lines; the resource is the name of the file.
pub fn parse(text: &[u8]) -> Parsed<PressureRow> {
    let mut parsed = Parsed::<PressureRow>::default();
    let mut seen = 0;
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut rest = fields(content);
        let kind = rest.next().unwrap_or_default();
        let mut avg10 = None;
        let mut total_s = None;
        for field in rest {
            if let Some(percent) = field.strip_prefix(b"avg10=") {
                avg10 = decimal(percent).map(|percent| percent / 100.0);
            } else if let Some(micros) = field.strip_prefix(b"total=") {
                total_s = count(micros).map(|micros| micros as f64 / 1e6);
            }
        }
        if avg10.is_none() || total_s.is_none() {
            parsed.error(ParseError::new(line, "stall times", content, "avg10=PERCENT … total=MICROSECONDS"));
        }
        let row = &mut parsed.value;
        match kind {
            b"some" => (row.some_s, row.some_avg10) = (total_s, avg10),
            b"full" => (row.full_s, row.full_avg10) = (total_s, avg10),
            _ => parsed.error(ParseError::new(line, "kind of stall", kind, "some or full")),
        }
        seen += 1;
    }
    if seen == 0 && parsed.errors.is_empty() {
        parsed.error(ParseError::new(0, "whole file", text, "a line some and a line full"));
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_parts_are_null_and_said() {
        let parsed = parse(b"some avg10=25.00 avg60=0 avg300=0 total=1500000\nfull avg10=0.00 total=-4\nx\n");
        let lines: Vec<_> = parsed.errors.iter().map(|e| e.line).collect();
        assert_eq!(lines, [2, 3, 3]);
        assert_eq!((parsed.value.some_avg10, parsed.value.some_s), (Some(0.25), Some(1.5)));
        assert_eq!((parsed.value.full_avg10, parsed.value.full_s), (Some(0.0), None));
        assert_eq!(parse(b"").errors.len(), 1);
    }
}
