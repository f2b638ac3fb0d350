//! `/proc/zoneinfo` and `/proc/buddyinfo`: how far each zone's free memory is from the
//! watermarks (table `zone`), and in blocks of which size it is left (table `buddy`).
//!
//! Zones without memory have no row. The lists of free pages that each CPU keeps
//! (`pagesets`) make most of the file on a large machine and are not read into anything.

use heldup_hostfs::KeptFiles;
use heldup_model::tables::{BuddyRow, ZoneRow};
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

const ZONEINFO: &str = "/proc/zoneinfo";
const BUDDYINFO: &str = "/proc/buddyinfo";
/// More orders than any kernel has (s390 and arm64 with pages of 64 KiB: 14).
const MAX_ORDERS: usize = 32;

/// Reads the files into one buffer.
#[derive(Debug, Default)]
pub struct ProcZoneinfo {
    files: KeptFiles,
    buffer: Vec<u8>,
    bytes: usize,
}

impl Source for ProcZoneinfo {
    fn name(&self) -> &'static str {
        "proc_zoneinfo"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ZoneRow::DEF, BuddyRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // The shares of memory that are free change with what `memory` has every second.
        Schedule::from_file_size(self.bytes).pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        match self.files.read_into(host, ZONEINFO, &mut self.buffer) {
            Ok(()) => {
                self.bytes = self.buffer.len();
                let rows = reading.take(ZONEINFO, parse(&self.buffer));
                reading.rows.push(RowSet::totals(rows));
            }
            Err(error) => reading.lacks("zone", &error, "mount proc on /proc"),
        }
        match self.files.read_into(host, BUDDYINFO, &mut self.buffer) {
            Ok(()) => {
                let page_bytes = host.units().page_bytes as i64;
                let rows = reading.take(BUDDYINFO, parse_buddyinfo(&self.buffer, page_bytes));
                reading.rows.push(RowSet::totals(rows));
            }
            Err(error) => reading.lacks("buddy", &error, "run as root, outside a container"),
        }
        reading
    }
}

/// Reads `/proc/zoneinfo`: a heading for each zone, then lines of a name and a number.
pub fn parse(text: &[u8]) -> Parsed<Vec<ZoneRow>> {
    let mut parsed = Parsed::<Vec<ZoneRow>>::default();
    let mut zone: Option<ZoneRow> = None;
    let mut in_pagesets = false;
    for (line, content) in lines(parsed.whole_lines(text)) {
        if content.starts_with(b"Node ") {
            parsed.value.extend(zone.take().filter(has_memory));
            zone = heading(&mut parsed, line, content).map(|(row, _)| row);
            in_pagesets = false;
            continue;
        }
        // Indented by two since 2.6; what follows it repeats for each CPU.
        in_pagesets |= content.starts_with(b"  pagesets");
        let Some(row) = zone.as_mut().filter(|_| !in_pagesets) else { continue };
        let mut words = fields(content);
        let mut name = words.next().unwrap_or_default();
        if name == b"pages" {
            // `pages free 3840`, the first line of the block of watermarks.
            name = words.next().unwrap_or_default();
        }
        if name == b"protection:" {
            row.protection = protection(content).map(Into::into);
        } else if let Some(cell) = cell(row, name) {
            let number = words.next().unwrap_or_default();
            *cell = count(number);
            if cell.is_none() {
                let item = String::from_utf8_lossy(name).into_owned();
                parsed.error(ParseError::new(line, item, number, "a number from 0 to 2^63-1"));
            }
        }
    }
    parsed.value.extend(zone.filter(has_memory));
    if parsed.value.is_empty() && parsed.errors.is_empty() {
        parsed.error(ParseError::new(0, "whole file", text, "lines such as \"Node 0, zone Normal\""));
    }
    parsed
}

/// `Node 0, zone   Normal`: a row with its keys, and what stands behind them.
fn heading<'t, T>(
    parsed: &mut Parsed<T>,
    line: usize,
    content: &'t [u8],
) -> Option<(ZoneRow, impl Iterator<Item = &'t [u8]> + use<'t, T>)> {
    let mut words = fields(content).skip(1);
    let node = words.next().and_then(|node| count(node.strip_suffix(b",")?));
    let (word, name) = (words.next(), words.next());
    let (Some(node), Some(b"zone"), Some(name)) = (node, word, name) else {
        parsed.error(ParseError::new(line, "zone", content, "\"Node 0, zone Normal\""));
        return None;
    };
    let zone = String::from_utf8_lossy(name).into();
    Some((ZoneRow { node_idx: Some(node), zone: Some(zone), ..ZoneRow::default() }, words))
}

fn has_memory(row: &ZoneRow) -> bool {
    row.present_pages != Some(0)
}

/// `protection: (0, 3019, 15435)`, without brackets and commas.
fn protection(content: &[u8]) -> Option<String> {
    let inner = content.split(|b| *b == b'(').nth(1)?.split(|b| *b == b')').next()?;
    let words: Vec<_> = inner
        .split(|b| *b == b',')
        .map(|word| count(word.trim_ascii()).map(|pages| pages.to_string()))
        .collect::<Option<_>>()?;
    Some(words.join(" "))
}

/// Where the value of a line goes. The counters of the node as a whole that stand before the
/// first zone (since 4.8) have other names than these.
fn cell<'r>(row: &'r mut ZoneRow, name: &[u8]) -> Option<&'r mut Option<i64>> {
    Some(match name {
        b"free" => &mut row.free_pages,
        b"boost" => &mut row.boost_pages,
        b"min" => &mut row.min_pages,
        b"low" => &mut row.low_pages,
        b"high" => &mut row.high_pages,
        b"promo" => &mut row.promo_pages,
        b"spanned" => &mut row.spanned_pages,
        b"present" => &mut row.present_pages,
        b"managed" => &mut row.managed_pages,
        b"cma" => &mut row.cma_pages,
        b"nr_zone_inactive_anon" => &mut row.inactive_anon_pages,
        b"nr_zone_active_anon" => &mut row.active_anon_pages,
        b"nr_zone_inactive_file" => &mut row.inactive_file_pages,
        b"nr_zone_active_file" => &mut row.active_file_pages,
        b"nr_zone_unevictable" => &mut row.unevictable_pages,
        b"nr_zone_write_pending" => &mut row.write_pending_pages,
        b"nr_free_cma" => &mut row.free_cma_pages,
        b"numa_hit" => &mut row.numa_hit,
        b"numa_miss" => &mut row.numa_miss,
        b"numa_foreign" => &mut row.numa_foreign,
        _ => return None,
    })
}

/// Reads `/proc/buddyinfo`: for each zone the number of free blocks of each size.
pub fn parse_buddyinfo(text: &[u8], page_bytes: i64) -> Parsed<Vec<BuddyRow>> {
    let mut parsed = Parsed::<Vec<BuddyRow>>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let Some((zone, blocks)) = heading(&mut parsed, line, content) else { continue };
        for (page_order, blocks) in blocks.take(MAX_ORDERS).enumerate() {
            let free_blocks = parsed.count(line, "free blocks", Some(blocks));
            parsed.value.push(BuddyRow {
                node_idx: zone.node_idx,
                zone: zone.zone.clone(),
                page_order: Some(page_order as i64),
                block_bytes: page_bytes.checked_mul(1 << page_order),
                free_blocks,
            });
        }
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3.10 has no counters of the node, no `boost` and `promo`, and `scanned` besides.
    const OLD: &str = "Node 1, zone   Normal
  pages free     700
        min      16
        low      20
        high     24
        scanned  0
        spanned  1044480
        present  1044480
        managed  1020000
    nr_free_pages 700
    numa_hit     9
        protection: (0, 0)
  pagesets
    cpu: 0
              count: 1
              high:  186
  vm stats threshold: 10
  all_unreclaimable: 0
";

    #[test]
    fn what_old_kernels_do_not_have_is_null() {
        let parsed = parse(OLD.as_bytes());
        assert_eq!(parsed.errors, []);
        let [row] = &parsed.value[..] else { panic!("{parsed:?}") };
        assert_eq!((row.node_idx, row.zone.as_deref()), (Some(1), Some("Normal")));
        assert_eq!((row.free_pages, row.min_pages, row.high_pages), (Some(700), Some(16), Some(24)));
        assert_eq!((row.boost_pages, row.promo_pages, row.numa_hit), (None, None, Some(9)));
        assert_eq!(row.protection.as_deref(), Some("0 0"));
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let text = OLD.replace("min      16", "min      x").replace("protection: (0, 0)", "protection: (0");
        let parsed = parse(text.as_bytes());
        let wrong: Vec<_> = parsed.errors.iter().map(|error| (error.line, &*error.item)).collect();
        assert_eq!(wrong, [(3, "min")]);
        assert_eq!((parsed.value[0].min_pages, parsed.value[0].low_pages), (None, Some(20)));
        assert_eq!(parse(b"Node x, zone Normal\n  pages free 1\n").errors.len(), 1);
    }

    #[test]
    fn zones_without_memory_have_no_row() {
        let text = format!("{OLD}Node 1, zone  Movable\n  pages free     0\n        present  0\n");
        assert_eq!(parse(text.as_bytes()).value.len(), 1);
    }

    #[test]
    fn blocks_of_every_size() {
        let parsed = parse_buddyinfo(b"Node 0, zone      DMA      1      x      3 \nNode 0 DMA\n", 4096);
        let lines: Vec<_> = parsed.errors.iter().map(|error| error.line).collect();
        assert_eq!(lines, [1, 2]);
        let sizes: Vec<_> = parsed.value.iter().map(|row| (row.block_bytes, row.free_blocks)).collect();
        assert_eq!(sizes, [(Some(4096), Some(1)), (Some(8192), None), (Some(16384), Some(3))]);
    }
}
