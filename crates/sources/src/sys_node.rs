//! `/sys/devices/system/node`: CPUs, memory and locality of each NUMA node (table `numa`).
//!
//! Read at both ends: to answer, the kernel gathers the counters of every CPU
//! (`fold_vm_numa_events`, 5.14), once for each node.

use heldup_hostfs::Host;
use heldup_model::tables::NumaRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};

const FOLDER: &str = "/sys/devices/system/node";

/// Reads a file of a node into its row.
type Parse = fn(&[u8], &mut NumaRow) -> Parsed<()>;

/// The source.
#[derive(Debug, Default)]
pub struct SysNode {
    buffer: Vec<u8>,
}

impl Source for SysNode {
    fn name(&self) -> &'static str {
        "sys_node"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NumaRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let nodes = match nodes(host) {
            Ok(nodes) => nodes,
            Err(error) => {
                reading.lacks("numa", &error, "a kernel with CONFIG_NUMA, and sysfs mounted on /sys");
                return reading;
            }
        };
        let rows: Vec<_> = nodes.into_iter().map(|node| self.node(host, &mut reading, node)).collect();
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

/// Numbers of the nodes that are online, sorted.
pub(crate) fn nodes(host: &Host) -> Result<Vec<i64>, heldup_hostfs::HostError> {
    let names = host.list(FOLDER)?;
    let mut nodes: Vec<i64> =
        names.iter().filter_map(|name| count(name.strip_prefix("node")?.as_bytes())).collect();
    nodes.sort_unstable();
    Ok(nodes)
}

impl SysNode {
    fn node(&mut self, host: &Host, reading: &mut Reading, node: i64) -> NumaRow {
        let folder = format!("{FOLDER}/node{node}");
        let mut row = NumaRow { node_idx: Some(node), ..NumaRow::default() };
        let files: [(&str, &str, Parse); 3] = [
            ("numastat", "numa.numa_hit", parse_numastat),
            ("meminfo", "numa.memory_bytes", parse_meminfo),
            ("vmstat", "numa.promoted_pages", parse_vmstat),
        ];
        for (file, what, parse) in files {
            let path = format!("{folder}/{file}");
            match host.read_into(&path, &mut self.buffer) {
                Ok(()) => reading.take(&path, parse(&self.buffer, &mut row)),
                Err(error) => reading.lacks(what, &error, "a kernel with CONFIG_NUMA"),
            }
        }
        let mut label = |file: &str, what: &str| -> Option<Text> {
            let text = host.read_text(format!("{folder}/{file}"));
            text.map(Into::into).map_err(|error| reading.lacks(what, &error, "a newer kernel")).ok()
        };
        row.cpus = label("cpulist", "numa.cpus");
        row.distances = label("distance", "numa.distances");
        row
    }
}

/// Reads `name number` lines into the cells that `cell` finds; of several lines for one the sum.
fn named_counts(
    text: &[u8],
    row: &mut NumaRow,
    cell: for<'r> fn(&'r mut NumaRow, &[u8]) -> Option<&'r mut Option<i64>>,
) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut words = fields(content);
        let name = words.next().unwrap_or_default();
        let Some(cell) = cell(row, name) else { continue };
        let number = parsed.count(line, "counter", words.next());
        *cell = number.and_then(|number| cell.unwrap_or(0).checked_add(number));
    }
    parsed
}

/// Reads `numastat` of a node.
pub fn parse_numastat(text: &[u8], row: &mut NumaRow) -> Parsed<()> {
    named_counts(text, row, |row, name| {
        Some(match name {
            b"numa_hit" => &mut row.numa_hit,
            b"numa_miss" => &mut row.numa_miss,
            b"numa_foreign" => &mut row.numa_foreign,
            b"interleave_hit" => &mut row.interleave_hit,
            b"local_node" => &mut row.local_node,
            b"other_node" => &mut row.other_node,
            _ => return None,
        })
    })
}

/// Reads `vmstat` of a node: what was moved between fast and slow memory.
pub fn parse_vmstat(text: &[u8], row: &mut NumaRow) -> Parsed<()> {
    named_counts(text, row, |row, name| {
        Some(match name {
            b"pgpromote_success" => &mut row.promoted_pages,
            _ if name.starts_with(b"pgdemote_") => &mut row.demoted_pages,
            _ => return None,
        })
    })
}

/// Reads `meminfo` of a node: `Node 0 MemTotal:  1000 kB`.
pub fn parse_meminfo(text: &[u8], row: &mut NumaRow) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut words = fields(content).skip(2);
        let name = words.next().unwrap_or_default();
        let Some(cell) = amount(row, name) else { continue };
        *cell = match (words.next().and_then(count), words.next()) {
            (Some(kib), Some(b"kB")) => kib.checked_mul(1024),
            _ => None,
        };
        if cell.is_none() {
            let item = String::from_utf8_lossy(name).into_owned();
            parsed.error(ParseError::new(line, item, content, "a number of kB"));
        }
    }
    parsed
}

fn amount<'r>(row: &'r mut NumaRow, name: &[u8]) -> Option<&'r mut Option<i64>> {
    Some(match name {
        b"MemTotal:" => &mut row.memory_bytes,
        b"MemFree:" => &mut row.free_bytes,
        b"Active(anon):" => &mut row.active_anon_bytes,
        b"Inactive(anon):" => &mut row.inactive_anon_bytes,
        b"Active(file):" => &mut row.active_file_bytes,
        b"Inactive(file):" => &mut row.inactive_file_bytes,
        b"Unevictable:" => &mut row.unevictable_bytes,
        b"Dirty:" => &mut row.dirty_bytes,
        b"Writeback:" => &mut row.writeback_bytes,
        b"Mapped:" => &mut row.mapped_bytes,
        b"AnonPages:" => &mut row.anon_bytes,
        b"Shmem:" => &mut row.shmem_bytes,
        b"SReclaimable:" => &mut row.slab_reclaimable_bytes,
        b"SUnreclaim:" => &mut row.slab_unreclaimable_bytes,
        b"KernelStack:" => &mut row.kernel_stack_bytes,
        b"PageTables:" => &mut row.page_tables_bytes,
        b"AnonHugePages:" => &mut row.anon_huge_bytes,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let mut row = NumaRow::default();
        let stat = parse_numastat(b"numa_hit 5\nnuma_miss -1\nlocal_node 4\n", &mut row);
        assert_eq!(stat.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2]);
        let meminfo = b"Node 0 MemTotal: 8 kB\nNode 0 MemFree: 4\nNode 0 HugePages_Total: 0\n";
        assert_eq!(parse_meminfo(meminfo, &mut row).errors.len(), 1);
        assert_eq!((row.numa_hit, row.numa_miss, row.local_node), (Some(5), None, Some(4)));
        assert_eq!((row.memory_bytes, row.free_bytes), (Some(8192), None));
    }

    #[test]
    fn demotions_of_all_kinds_are_one_number() {
        let mut row = NumaRow::default();
        parse_vmstat(b"pgdemote_kswapd 1\npgdemote_direct 2\nnr_dirty 9\n", &mut row);
        assert_eq!((row.promoted_pages, row.demoted_pages), (None, Some(3)));
    }
}
