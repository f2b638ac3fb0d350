//! `/proc/net/stat/nf_conntrack`: connection tracking by CPU, of our own network namespace
//! (table `conntrack`). Other namespaces: [`crate::other_netns`].
//!
//! The numbers are hexadecimal, and which there are is what the first line says: it has
//! changed in 4.9 (counters without use), 5.10 (`clashres`) and 5.15 (`chainlength`), see
//! `ct_cpu_seq_show` in net/netfilter/nf_conntrack_standalone.c. A CPU is told by the place
//! of its line alone.

use heldup_model::tables::ConntrackRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::network_namespaces;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::wrapping::Widened;

const PATH: &str = "/proc/net/stat/nf_conntrack";
const MAX_PATH: &str = "/proc/sys/net/netfilter/nf_conntrack_max";
/// More than any kernel writes; the rest of a garbled line is not looked at.
const MAX_COLUMNS: usize = 64;
/// The kernel's own bound on CPUs (`NR_CPUS`).
const MAX_CPUS: usize = 8192;

/// Columns that count, of all kernels.
const COUNTERS: [&[u8]; 15] = [
    b"searched",
    b"found",
    b"invalid",
    b"ignore",
    b"insert",
    b"insert_failed",
    b"drop",
    b"early_drop",
    b"clashres",
    b"chainlength",
    b"icmp_error",
    b"search_restart",
    b"expect_new",
    b"expect_create",
    b"expect_delete",
];

/// Reads our own namespace into one buffer.
#[derive(Debug, Default)]
pub struct ProcNetStatNfConntrack {
    text: Vec<u8>,
    totals: WideCounters,
}

/// Counters of connection tracking, which the kernel keeps in 32 bits, as totals that go on.
#[derive(Debug, Default)]
pub struct WideCounters {
    /// By namespace, CPU and place in [`COUNTERS`].
    totals: Widened<(Option<i64>, Option<i64>, usize)>,
}

impl WideCounters {
    /// Puts totals in the place of a row's counters.
    pub fn widen(&mut self, row: &mut ConntrackRow) {
        let (netns, cpu_idx) = (row.netns, row.cpu_idx);
        for (at, name) in COUNTERS.into_iter().enumerate() {
            if let Some(cell) = cell(row, name)
                && let Some(now) = cell.and_then(|now| u32::try_from(now).ok())
            {
                *cell = Some(self.totals.total((netns, cpu_idx, at), now));
            }
        }
    }

    /// Forgets namespaces that are gone.
    pub fn retain(&mut self, is_there: impl Fn(Option<i64>) -> bool) {
        self.totals.retain(|(netns, ..)| is_there(*netns));
    }
}

impl Source for ProcNetStatNfConntrack {
    fn name(&self) -> &'static str {
        "proc_net_stat_nf_conntrack"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ConntrackRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A table that fills does so over many seconds.
        Schedule::every_sample().pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = host.read_into(PATH, &mut self.text) {
            let how = "nothing tracks connections unless the module nf_conntrack is loaded; where it is, \
                       build the kernel with CONFIG_NF_CONNTRACK_PROCFS";
            reading.lacks("conntrack", &error, how);
            return reading;
        }
        let mut rows = reading.take(PATH, parse(&self.text));
        let netns = network_namespaces::own(host);
        let entries_max = match host.read_into(MAX_PATH, &mut self.text) {
            Ok(()) => count(self.text.trim_ascii()),
            Err(error) => {
                reading.lacks("conntrack.entries_max", &error, "mount proc on /proc, with /proc/sys");
                None
            }
        };
        for row in &mut rows {
            row.netns = netns;
            self.totals.widen(row);
            row.entries_max = entries_max;
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

/// Reads the file into rows without namespace and limit.
pub fn parse(text: &[u8]) -> Parsed<Vec<ConntrackRow>> {
    let mut parsed: Parsed<Vec<ConntrackRow>> = Parsed::default();
    let mut all = lines(parsed.whole_lines(text));
    let Some((first, heading)) = all.next() else {
        parsed.error(ParseError::new(1, "heading", text, "names of the columns"));
        return parsed;
    };
    let names: Vec<&[u8]> = fields(heading).take(MAX_COLUMNS).collect();
    if names.first() != Some(&b"entries".as_slice()) {
        parsed.error(ParseError::new(first, "heading", heading, "names of the columns, entries first"));
        return parsed;
    }
    for (cpu_idx, (line, content)) in (0i64..).zip(all.take(MAX_CPUS)) {
        let mut row = ConntrackRow { cpu_idx: Some(cpu_idx), ..ConntrackRow::default() };
        let mut numbers = fields(content);
        for name in &names {
            let Some(cell) = cell(&mut row, name) else {
                numbers.next();
                continue;
            };
            let found = numbers.next().unwrap_or_default();
            *cell = hexadecimal(found);
            if cell.is_none() {
                let item = String::from_utf8_lossy(name).into_owned();
                parsed.error(ParseError::new(line, item, found, "a hexadecimal number of 32 bits"));
            }
        }
        // Still printed, and always zero, since the same change that brought `clashres`.
        row.ignored = row.ignored.filter(|_| row.clashes_resolved.is_none());
        parsed.value.push(row);
    }
    parsed
}

/// Where a column of the file belongs. `new`, `delete` and `delete_list` have stood at zero
/// since 4.9 and counted what `insert` counts before.
fn cell<'r>(row: &'r mut ConntrackRow, name: &[u8]) -> Option<&'r mut Option<i64>> {
    Some(match name {
        b"entries" => &mut row.entries,
        b"searched" => &mut row.searched,
        b"found" => &mut row.found,
        b"invalid" => &mut row.invalid,
        b"ignore" => &mut row.ignored,
        b"insert" => &mut row.insertions,
        b"insert_failed" => &mut row.insert_failures,
        b"drop" => &mut row.drops,
        b"early_drop" => &mut row.early_drops,
        b"clashres" => &mut row.clashes_resolved,
        b"chainlength" => &mut row.chains_too_long,
        b"icmp_error" => &mut row.icmp_errors,
        b"search_restart" => &mut row.search_restarts,
        b"expect_new" => &mut row.expectations_new,
        b"expect_create" => &mut row.expectations_created,
        b"expect_delete" => &mut row.expectations_deleted,
        _ => return None,
    })
}

/// At most eight digits: the kernel's counters have 32 bits.
fn hexadecimal(field: &[u8]) -> Option<i64> {
    let digits = std::str::from_utf8(field).ok().filter(|text| text.len() <= 8 && !text.starts_with('+'))?;
    i64::from_str_radix(digits, 16).ok().filter(|number| *number >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_says_which_columns_there_are() {
        let text = b"entries  clashres found drop future\n0000000a  00000001 00000002 000000ff 00000009\n\
            0000000a 00000000 00000000 00000001 00000000\n";
        let parsed = parse(text);
        assert_eq!(parsed.errors, []);
        let shown: Vec<_> =
            parsed.value.iter().map(|row| (row.cpu_idx, row.entries, row.drops, row.searched)).collect();
        assert_eq!(
            shown,
            [(Some(0), Some(10), Some(255), None), (Some(1), Some(10), Some(1), None)],
            "a column that the kernel does not have is NULL"
        );
    }

    #[test]
    fn a_malformed_number_is_named_and_the_rest_is_read() {
        let parsed = parse(b"entries found drop\n00000001 zz 00000002\n00000001 00000001\n");
        assert_eq!((parsed.value[0].found, parsed.value[0].drops), (None, Some(2)));
        assert_eq!((parsed.value[1].found, parsed.value[1].drops), (Some(1), None));
        let said: Vec<_> = parsed.errors.iter().map(|error| (error.line, error.item.as_ref())).collect();
        assert_eq!(said, [(2, "found"), (3, "drop")]);
    }

    #[test]
    fn numbers_that_the_kernel_does_not_write() {
        for field in ["", "-1", "+1", "100000000", "0x1"] {
            assert_eq!(hexadecimal(field.as_bytes()), None, "{field}");
        }
        assert_eq!(hexadecimal(b"ffffffff"), Some(0xffff_ffff));
    }

    #[test]
    fn another_file_is_refused_whole() {
        let parsed = parse(b"cpu 1 2\n1 2 3\n");
        assert_eq!((parsed.value.len(), parsed.errors.len()), (0, 1));
    }
}
