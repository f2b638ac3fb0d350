//! `/proc/meminfo`: what the machine's memory is used for.

use heldup_hostfs::KeptFiles;
use heldup_model::tables::MemoryRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/meminfo";

/// Reads the file into one buffer.
#[derive(Default)]
pub struct ProcMeminfo {
    files: KeptFiles,
    buffer: Vec<u8>,
}

impl Source for ProcMeminfo {
    fn name(&self) -> &'static str {
        "proc_meminfo"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[MemoryRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        match self.files.read_record_into(host, PATH, &mut self.buffer) {
            Ok(()) => {
                let row = reading.take(PATH, parse(&self.buffer));
                reading.rows.extend(row.map(|row| RowSet::totals([row])));
            }
            Err(error) => {
                reading.lacks("memory", &error, "run where /proc is not masked, outside a container")
            }
        }
        reading
    }
}

/// Reads `Name:  number kB` lines; none when no line is known.
pub fn parse(text: &[u8]) -> Parsed<Option<MemoryRow>> {
    let mut parsed = Parsed::<Option<MemoryRow>>::default();
    let mut row = MemoryRow::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut rest = fields(content);
        let name = rest.next().unwrap_or_default();
        let Some(cell) = cell(&mut row, name) else { continue };
        let (number, unit) = (rest.next().unwrap_or_default(), rest.next());
        *cell = match unit {
            None => count(number),
            Some(b"kB") => count(number).and_then(|kib| kib.checked_mul(1024)),
            Some(_) => None,
        };
        if cell.is_none() {
            let item = String::from_utf8_lossy(name).into_owned();
            parsed.error(ParseError::new(line, item, content, "a number, in kB where it is an amount"));
        }
    }
    // From 4.4 to 5.2 the kernel printed a constant 0 here because counting was too
    // expensive (a5ad88ce8c7f "mm: get rid of 'vmalloc_info' from /proc/meminfo"): not
    // measured, so NULL.
    row.vmalloc_used_bytes = row.vmalloc_used_bytes.filter(|bytes| *bytes > 0);
    let swap_used = row.swap_total_bytes.zip(row.swap_free_bytes).map(|(total, free)| total - free);
    row.swap_used_bytes = swap_used.filter(|used| *used >= 0);
    if row == MemoryRow::default() && parsed.errors.is_empty() {
        parsed.error(ParseError::new(0, "whole file", text, "lines such as \"MemTotal: 1000 kB\""));
    }
    parsed.value = (row != MemoryRow::default()).then_some(row);
    parsed
}

/// Where the value of a line goes; none for the lines that no column takes.
fn cell<'r>(row: &'r mut MemoryRow, name: &[u8]) -> Option<&'r mut Option<i64>> {
    Some(match name {
        b"MemTotal:" => &mut row.total_bytes,
        b"MemFree:" => &mut row.free_bytes,
        b"MemAvailable:" => &mut row.available_bytes,
        b"Buffers:" => &mut row.buffers_bytes,
        b"Cached:" => &mut row.cached_bytes,
        b"SwapCached:" => &mut row.swap_cached_bytes,
        b"Active:" => &mut row.active_bytes,
        b"Inactive:" => &mut row.inactive_bytes,
        b"Active(anon):" => &mut row.active_anon_bytes,
        b"Inactive(anon):" => &mut row.inactive_anon_bytes,
        b"Active(file):" => &mut row.active_file_bytes,
        b"Inactive(file):" => &mut row.inactive_file_bytes,
        b"Unevictable:" => &mut row.unevictable_bytes,
        b"Mlocked:" => &mut row.mlocked_bytes,
        b"SwapTotal:" => &mut row.swap_total_bytes,
        b"SwapFree:" => &mut row.swap_free_bytes,
        b"Dirty:" => &mut row.dirty_bytes,
        b"Writeback:" => &mut row.writeback_bytes,
        b"AnonPages:" => &mut row.anon_bytes,
        b"Mapped:" => &mut row.mapped_bytes,
        b"Shmem:" => &mut row.shmem_bytes,
        b"SReclaimable:" => &mut row.slab_reclaimable_bytes,
        b"SUnreclaim:" => &mut row.slab_unreclaimable_bytes,
        b"KernelStack:" => &mut row.kernel_stack_bytes,
        b"PageTables:" => &mut row.page_tables_bytes,
        b"VmallocUsed:" => &mut row.vmalloc_used_bytes,
        b"Percpu:" => &mut row.percpu_bytes,
        b"CommitLimit:" => &mut row.commit_limit_bytes,
        b"Committed_AS:" => &mut row.committed_bytes,
        b"AnonHugePages:" => &mut row.anon_huge_bytes,
        b"HugePages_Total:" => &mut row.huge_pages_total,
        b"HugePages_Free:" => &mut row.huge_pages_free,
        b"HugePages_Rsvd:" => &mut row.huge_pages_reserved,
        b"Hugepagesize:" => &mut row.huge_page_bytes,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_zero_is_not_a_measurement() {
        let row = parse(b"MemTotal: 8 kB\nVmallocUsed: 0 kB\nHugePages_Total:       0\n").value.expect("row");
        assert_eq!(
            (row.total_bytes, row.vmalloc_used_bytes, row.huge_pages_total),
            (Some(8192), None, Some(0))
        );
    }

    #[test]
    fn what_is_no_number_is_said_and_left_out() {
        let parsed = parse(b"MemTotal: -8 kB\nMemFree: 4 kB\nCached: 9223372036854775807 kB\nDirty: 1 MB\n");
        let items: Vec<_> = parsed.errors.iter().map(|e| (e.line, &*e.item)).collect();
        assert_eq!(items, [(1, "MemTotal:"), (3, "Cached:"), (4, "Dirty:")]);
        let row = parsed.value.expect("row");
        assert_eq!((row.total_bytes, row.free_bytes, row.cached_bytes), (None, Some(4096), None));
    }

    #[test]
    fn another_file_is_refused() {
        assert_eq!(parse(b"").errors.len(), 1);
        assert_eq!(parse(b"hello\n").value, None);
    }
}
