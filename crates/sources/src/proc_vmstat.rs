//! `/proc/vmstat`: paging, reclaim, refaults, compaction and writeback.
//!
//! The file has about 200 lines, names without a promise: some moved over the years.
//! Each place where a name changed is marked with the kernel version.

use heldup_hostfs::KeptFiles;
use heldup_model::tables::VmstatRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/vmstat";
/// pgpgin and pgpgout are counted in sectors and shown in KiB.
const PAGE_IO_UNIT_BYTES: i64 = 1024;

/// Reads the file into one buffer.
#[derive(Default)]
pub struct ProcVmstat {
    files: KeptFiles,
    buffer: Vec<u8>,
}

impl Source for ProcVmstat {
    fn name(&self) -> &'static str {
        "proc_vmstat"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[VmstatRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        match self.files.read_into(host, PATH, &mut self.buffer) {
            Ok(()) => {
                let row = reading.take(PATH, parse(&self.buffer));
                reading.rows.extend(row.map(|row| RowSet::totals([row])));
            }
            Err(error) => {
                reading.lacks("vmstat", &error, "run where /proc is not masked, outside a container")
            }
        }
        reading
    }
}

/// Reads `name number` lines; none when no line is known.
pub fn parse(text: &[u8]) -> Parsed<Option<VmstatRow>> {
    let mut parsed = Parsed::<Option<VmstatRow>>::default();
    let mut row = VmstatRow::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut rest = fields(content);
        let name = rest.next().unwrap_or_default();
        let Some(cell) = cell(&mut row, name) else { continue };
        match count(rest.next().unwrap_or_default()) {
            // Several lines may go into one cell, see `cell`.
            Some(number) => *cell = cell.unwrap_or(0).checked_add(number),
            None => {
                let item = String::from_utf8_lossy(name).into_owned();
                parsed.error(ParseError::new(line, item, content, "a number from 0 to 2^63-1"));
            }
        }
    }
    for kib in [&mut row.page_in_bytes, &mut row.page_out_bytes] {
        *kib = kib.and_then(|kib| kib.checked_mul(PAGE_IO_UNIT_BYTES));
    }
    if row == VmstatRow::default() && parsed.errors.is_empty() {
        parsed.error(ParseError::new(0, "whole file", text, "lines such as \"pgfault 1000\""));
    }
    parsed.value = (row != VmstatRow::default()).then_some(row);
    parsed
}

/// Where the value of a line goes; lines that go to the same cell are added up.
fn cell<'r>(row: &'r mut VmstatRow, name: &[u8]) -> Option<&'r mut Option<i64>> {
    Some(match name {
        b"pgpgin" => &mut row.page_in_bytes,
        b"pgpgout" => &mut row.page_out_bytes,
        b"pswpin" => &mut row.swap_in_pages,
        b"pswpout" => &mut row.swap_out_pages,
        b"pgfault" => &mut row.faults,
        b"pgmajfault" => &mut row.major_faults,
        b"compact_stall" => &mut row.compaction_stalls,
        b"compact_fail" => &mut row.compaction_failures,
        b"workingset_refault_anon" => &mut row.refault_anon_pages,
        // Split into _anon and _file by 5.9; before, only files refaulted.
        b"workingset_refault_file" | b"workingset_refault" => &mut row.refault_file_pages,
        b"workingset_activate_file" | b"workingset_activate" => &mut row.activate_file_pages,
        b"nr_dirty" => &mut row.dirty_pages,
        b"nr_writeback" => &mut row.writeback_pages,
        b"nr_dirty_threshold" => &mut row.dirty_threshold_pages,
        b"nr_dirty_background_threshold" => &mut row.dirty_background_threshold_pages,
        b"nr_dirtied" => &mut row.dirtied_pages,
        b"nr_written" => &mut row.written_pages,
        b"oom_kill" => &mut row.oom_kills,
        b"numa_miss" => &mut row.numa_miss,
        b"numa_foreign" => &mut row.numa_foreign,
        b"thp_fault_alloc" => &mut row.thp_fault_allocations,
        b"thp_fault_fallback" => &mut row.thp_fault_fallbacks,
        // Counts waits of a reserve, not pages.
        b"pgscan_direct_throttle" => return None,
        // By zone (_dma, _normal …) before 4.8, when the lists of pages moved to the node.
        _ if name.starts_with(b"pgscan_kswapd") => &mut row.scan_kswapd_pages,
        _ if name.starts_with(b"pgscan_direct") => &mut row.scan_direct_pages,
        _ if name.starts_with(b"pgsteal_kswapd") => &mut row.steal_kswapd_pages,
        _ if name.starts_with(b"pgsteal_direct") => &mut row.steal_direct_pages,
        // One number before 4.8, by zone (_normal, _movable …) since.
        _ if name.starts_with(b"allocstall") => &mut row.allocation_stalls,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_moved_mean_the_same() {
        let old = parse(b"allocstall 7\nworkingset_refault 5\npgscan_kswapd_dma 1\npgscan_kswapd_normal 2\n");
        let new = parse(
            b"allocstall_normal 3\nallocstall_movable 4\nworkingset_refault_file 5\n\
              pgscan_kswapd 3\npgscan_direct_throttle 9\n",
        );
        assert_eq!(old, new);
        let row = new.value.expect("row");
        assert_eq!((row.allocation_stalls, row.refault_file_pages), (Some(7), Some(5)));
        assert_eq!((row.scan_kswapd_pages, row.scan_direct_pages), (Some(3), None));
    }

    #[test]
    fn sums_that_no_table_holds_are_null() {
        let parsed = parse(b"allocstall_normal 9223372036854775807\nallocstall_movable 1\npgfault x\n");
        assert_eq!(parsed.errors.len(), 1);
        assert_eq!(parsed.value, None);
    }
}
