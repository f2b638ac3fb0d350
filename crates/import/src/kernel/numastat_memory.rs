//! `numastat -m`: memory of each node, as `/proc/meminfo` has it of all; and `numastat -p`, what processes have on
//! which node, for which no table has a place.

use heldup_model::Record;
use heldup_model::tables::NumaRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::number::cell;

const NAME: &str = "numastat -m";
const OF_PROCESSES: &str = "numastat -p";
const MIB: f64 = 1_048_576.0;
/// Lines between two of one listing.
const MOST_GAP: u64 = 8;

/// Rows and columns.
const ROWS: [(&str, &str); 17] = [
    ("MemTotal", "memory_bytes"),
    ("MemFree", "free_bytes"),
    ("Active(anon)", "active_anon_bytes"),
    ("Inactive(anon)", "inactive_anon_bytes"),
    ("Active(file)", "active_file_bytes"),
    ("Inactive(file)", "inactive_file_bytes"),
    ("Unevictable", "unevictable_bytes"),
    ("Dirty", "dirty_bytes"),
    ("Writeback", "writeback_bytes"),
    ("Mapped", "mapped_bytes"),
    ("AnonPages", "anon_bytes"),
    ("Shmem", "shmem_bytes"),
    ("SReclaimable", "slab_reclaimable_bytes"),
    ("SUnreclaim", "slab_unreclaimable_bytes"),
    ("KernelStack", "kernel_stack_bytes"),
    ("PageTables", "page_tables_bytes"),
    ("AnonHugePages", "anon_huge_bytes"),
];
/// Rows without a column.
const LEFT_OUT: [&str; 20] = [
    "MemUsed",
    "SwapCached",
    "Active",
    "Inactive",
    "Mlocked",
    "FilePages",
    "SecPageTables",
    "NFS_Unstable",
    "Bounce",
    "WritebackTmp",
    "Slab",
    "ShmemHugePages",
    "ShmemPmdMapped",
    "FileHugePages",
    "FilePmdMapped",
    "HugePages_Total",
    "HugePages_Free",
    "HugePages_Surp",
    "KReclaimable",
    "Unaccepted",
];

/// Reads `numastat -m`.
#[derive(Default)]
pub struct NumastatMemory {
    listing: Option<Listing>,
    last_line: u64,
}

struct Listing {
    format: &'static str,
    when: When,
    nodes: Vec<i64>,
}

impl Importer for NumastatMemory {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let format = match line.words {
            ["Per-node", "system", "memory", "usage", "(in", ..] => NAME,
            ["Per-node", "process", "memory", "usage", "(in", ..] => OF_PROCESSES,
            _ => return Ok(false),
        };
        self.ends(document)?;
        document.begin(format);
        if format == OF_PROCESSES {
            document.note("numastat -p: memory of processes by node is not imported (no table for it)");
        }
        self.listing = Some(Listing { format, when: document.moment(format), nodes: Vec::new() });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_ruler = line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-'));
        let nodes = nodes(line.words);
        if !nodes.is_empty() {
            listing.nodes = nodes;
        } else if !is_ruler && !listing.row(line, document) {
            return Ok(false);
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(listing) => document.end_sample(listing.format),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn row(&self, line: &Line<'_>, document: &mut Document) -> bool {
        let [name, numbers @ ..] = line.words else { return false };
        let values: Vec<f64> = numbers.iter().map_while(|word| cell(word).value()).collect();
        if self.format == OF_PROCESSES {
            return values.len() == numbers.len() && values.len() > self.nodes.len();
        }
        let column = ROWS.iter().find(|(row, _)| row == name).map(|(_, column)| *column);
        if column.is_none() && !LEFT_OUT.contains(name) {
            return false;
        }
        if values.len() < self.nodes.len() {
            let what = format!("{NAME}: {} numbers; expected {}, one a node", values.len(), self.nodes.len());
            document.flaw(line.number, what);
            return true;
        }
        for (node, value) in self.nodes.iter().zip(values) {
            let Some(column) = column else { break };
            let cells =
                [("node_idx", Put::Number(Some(*node as f64))), (column, Put::Number(Some(value * MIB)))];
            put(document, NumaRow::DEF, self.when, &node.to_string(), &cells);
        }
        true
    }
}

/// `Node 0 Node 1 Total`: their numbers.
fn nodes(words: &[&str]) -> Vec<i64> {
    let pairs = words.windows(2).filter(|pair| pair[0] == "Node");
    pairs.filter_map(|pair| pair[1].parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_exist() {
        for (row, column) in ROWS {
            assert!(NumaRow::DEF.position(column).is_some(), "{row}");
        }
        assert_eq!(nodes(&["Node", "0", "Node", "1", "Total"]), [0, 1]);
    }
}
