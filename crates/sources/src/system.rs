//! Tables `system` and `cpu`, from `/proc/stat`, `/proc/loadavg` and `/proc/uptime`.
//!
//! One source for three files, because a row of `system` is made of all of them.

use heldup_hostfs::{Host, KeptFiles};
use heldup_model::tables::{CpuRow, SystemRow};
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::Parsed;
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::{proc_loadavg, proc_stat, proc_uptime};

/// Each file, and what is missing without it.
const STAT: (&str, &[&str]) = ("/proc/stat", &["cpu", "system.context_switches"]);
const LOADAVG: (&str, &[&str]) = ("/proc/loadavg", &["system.load1"]);
const UPTIME: (&str, &[&str]) = ("/proc/uptime", &["system.uptime_s"]);
/// Containers hide these files, and lxcfs replaces them.
const UNMASK: &str = "run where /proc is not masked, outside a container";

/// Reads the three files into one buffer.
#[derive(Default)]
pub struct System {
    files: KeptFiles,
    buffer: Vec<u8>,
    ticks_per_s: Option<f64>,
}

impl System {
    /// A file's value; its default and a word on why where it could not be read.
    fn read_file<T: Default>(
        &mut self,
        host: &Host,
        reading: &mut Reading,
        (path, columns): (&str, &[&str]),
        parse: impl Fn(&[u8]) -> Parsed<T>,
    ) -> T {
        match self.files.read_record_into(host, path, &mut self.buffer) {
            Ok(()) => reading.take(path, parse(&self.buffer)),
            Err(error) => {
                for column in columns {
                    reading.lacks(column, &error, UNMASK);
                }
                T::default()
            }
        }
    }
}

impl Source for System {
    fn name(&self) -> &'static str {
        "system"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CpuRow::DEF, SystemRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let ticks_per_s = *self.ticks_per_s.get_or_insert_with(|| host.units().ticks_per_s as f64);
        let parse_stat = |text: &[u8]| proc_stat::parse(text, ticks_per_s);
        let stat = self.read_file(host, &mut reading, STAT, parse_stat);
        let load = self.read_file(host, &mut reading, LOADAVG, proc_loadavg::parse);
        let uptime_s = self.read_file(host, &mut reading, UPTIME, proc_uptime::parse);
        let system = SystemRow {
            load1: load.load1,
            load5: load.load5,
            load15: load.load15,
            runnable: stat.runnable,
            blocked: stat.blocked,
            tasks: load.tasks,
            context_switches: stat.context_switches,
            forks: stat.forks,
            interrupts: stat.interrupts,
            softirqs: stat.softirqs,
            uptime_s,
        };
        if !stat.cpus.is_empty() {
            reading.rows.push(RowSet::totals(stat.cpus));
        }
        if system != SystemRow::default() {
            reading.rows.push(RowSet::totals([system]));
        }
        reading
    }
}
