//! `numactl --hardware`: CPUs, memory and distances of each node; and `numactl --show`, which is about the shell that it
//! was called from and leaves nothing.
//!
//! Sizes are whole megabytes of 2^20 bytes.

use heldup_model::Record;
use heldup_model::tables::NumaRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::cpu_list;

const NAME: &str = "numactl";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
const MIB: f64 = 1_048_576.0;
/// Lines of `--show`.
const SHOWN: [&str; 8] = [
    "policy:",
    "physcpubind:",
    "cpubind:",
    "nodebind:",
    "membind:",
    "preferred:",
    "interleavemask:",
    "interleavenode:",
];

/// Reads `numactl`.
#[derive(Default)]
pub struct Numactl {
    listing: Option<Listing>,
    /// Line of a policy: with the preferred node below it is `--show`.
    policy_line: Option<u64>,
    last_line: u64,
}

struct Listing {
    when: When,
    is_hardware: bool,
    /// Below `node distances:`: the nodes that its columns are of.
    columns: Vec<i64>,
    has_distances: bool,
}

impl Importer for Numactl {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["policy:", _] = line.words {
            self.policy_line = Some(line.number);
            return Ok(false);
        }
        let is_below = self.policy_line.is_some_and(|at| at + 1 == line.number);
        let is_hardware = match line.words {
            ["available:", count, "nodes" | "node", range]
                if count.parse::<u32>().is_ok() && range.starts_with('(') =>
            {
                true
            }
            ["preferred", "node:", _] if is_below => false,
            _ => return Ok(false),
        };
        self.ends(document)?;
        document.begin(NAME);
        if is_hardware {
            let count = line.words.get(1).and_then(|count| count.parse().ok());
            document.facts.row.nodes = document.facts.row.nodes.or(count);
        } else {
            document.note("numactl --show is about the shell that it was called from: it is not used");
        }
        let when = document.moment(NAME);
        self.listing = Some(Listing { when, is_hardware, columns: Vec::new(), has_distances: false });
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
        let is_taken = match listing.is_hardware {
            true => listing.hardware(line, document),
            false => line.words.first().is_some_and(|word| SHOWN.contains(word)),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn hardware(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        match line.words {
            ["node", "distances:"] => {
                self.has_distances = true;
                return true;
            }
            ["No", "distance", "information", "available."] => return true,
            ["node", nodes @ ..] if self.has_distances && self.columns.is_empty() => {
                let columns: Option<Vec<i64>> = nodes.iter().map(|word| word.parse().ok()).collect();
                self.columns = columns.unwrap_or_default();
                return !self.columns.is_empty();
            }
            ["node", node, "cpus:", cpus @ ..] => {
                let Ok(node) = node.parse::<i64>() else { return false };
                let numbers: Option<Vec<u32>> = cpus.iter().map(|word| word.parse().ok()).collect();
                let Some(numbers) = numbers else {
                    document.flaw(line.number, format!("numactl: expected numbers of CPUs of node {node}"));
                    return true;
                };
                self.put(node, ("cpus", Put::Text(&cpu_list::text(&numbers))), document);
                return true;
            }
            ["node", node, kind @ ("size:" | "free:"), size, "MB"] => {
                let (Ok(node), Ok(size)) = (node.parse::<i64>(), size.parse::<u64>()) else { return false };
                let column = if *kind == "size:" { "memory_bytes" } else { "free_bytes" };
                self.put(node, (column, Put::Number(Some(size as f64 * MIB))), document);
                return true;
            }
            _ => {}
        }
        let [node, distances @ ..] = line.words else { return false };
        let Some(node) = node.strip_suffix(':').and_then(|node| node.parse::<i64>().ok()) else {
            return false;
        };
        if self.columns.is_empty() {
            return false;
        }
        let are_numbers = distances.iter().all(|word| word.parse::<u32>().is_ok());
        if distances.len() != self.columns.len() || !are_numbers {
            let what = format!("numactl: {} distances; expected {}", distances.len(), self.columns.len());
            document.flaw(line.number, what);
            return true;
        }
        self.put(node, ("distances", Put::Text(&distances.join(" "))), document);
        true
    }

    fn put(&self, node: i64, cell: (&str, Put<'_>), document: &mut Document) {
        let cells = [("node_idx", Put::Number(Some(node as f64))), cell];
        put(document, NumaRow::DEF, self.when, &node.to_string(), &cells);
    }
}
