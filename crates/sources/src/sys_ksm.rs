//! `/sys/kernel/mm/ksm`: merging of equal pages (table `ksm`).

use heldup_hostfs::{Host, SmallFiles};
use heldup_model::tables::KsmRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, count, fields, lines, signed};
use crate::source::{ReadContext, Reading, Schedule, Source};

const FOLDER: &str = "/sys/kernel/mm/ksm";

/// The source.
#[derive(Debug, Default)]
pub struct SysKsm {
    /// What was read last, where nothing was merged and nothing looked for, and how many readings ago.
    rest: Option<(KsmRow, u32)>,
}

/// A recorder reads one file only of a merger that is stopped and has merged nothing, but for each reading after so many.
const REST_READINGS: u32 = 5;

impl Source for SysKsm {
    fn name(&self) -> &'static str {
        "sys_ksm"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[KsmRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Some((row, readings)) = self.rest.take_if(|(_, readings)| *readings < REST_READINGS)
            && host.read(format!("{FOLDER}/run")).is_ok_and(|run| run.trim_ascii() == b"0")
        {
            self.rest = Some((row.clone(), readings + 1));
            reading.rows.push(RowSet::totals([row]));
            return reading;
        }
        if let Err(error) = host.list(FOLDER) {
            reading.lacks("ksm", &error, "a kernel with CONFIG_KSM, and sysfs mounted on /sys");
            return reading;
        }
        let (mut files, mut text) = (host.values_in(FOLDER), Vec::new());
        let mut number = |file: &str| number(&mut files, &mut text, &mut reading, file);
        let run = number("run");
        let row = KsmRow {
            run: run
                .and_then(|run| ["stopped", "running", "unmerging"].get(usize::try_from(run).ok()?).copied())
                .map(Into::into),
            shared_pages: number("pages_shared"),
            sharing_pages: number("pages_sharing"),
            unshared_pages: number("pages_unshared"),
            volatile_pages: number("pages_volatile"),
            scanned_pages: number("pages_scanned"),
            skipped_pages: number("pages_skipped"),
            full_scans: number("full_scans"),
            zero_pages: number("ksm_zero_pages"),
            profit_bytes: number("general_profit"),
            unmerged_pages: unmerged(host),
            scan_pages: number("pages_to_scan"),
            sleep_s: number("sleep_millisecs").map(|ms| ms as f64 / 1000.0),
            merge_across_nodes: number("merge_across_nodes").map(|on| on != 0),
        };
        let rests = context.continuous && run == Some(0) && row.sharing_pages == Some(0);
        self.rest = rests.then(|| (row.clone(), 0));
        reading.rows.push(RowSet::totals([row]));
        reading
    }
}

/// What a file says; NULL where this kernel does not have it. Only the profit may be negative.
fn number(files: &mut SmallFiles, text: &mut Vec<u8>, reading: &mut Reading, file: &str) -> Option<i64> {
    files.read_into(file, text).ok()?;
    let number = signed(text.trim_ascii()).filter(|number| *number >= 0 || file == "general_profit");
    if number.is_none() {
        let error = ParseError::new(1, file.to_owned(), text, "a number");
        reading.flaws.push(error.in_file(&format!("{FOLDER}/{file}")));
    }
    number
}

/// `cow_ksm` of `/proc/vmstat`. That the file is not there says the source of `vmstat`.
fn unmerged(host: &Host) -> Option<i64> {
    let text = host.read("/proc/vmstat").ok()?;
    lines(&text).find_map(|(_, line)| {
        let mut words = fields(line);
        words.next().filter(|name| *name == b"cow_ksm")?;
        count(words.next()?)
    })
}
