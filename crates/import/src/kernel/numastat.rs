//! `numastat` without options: where the nodes of a machine gave pages since it was started. How long
//! that is nobody tells, so these are sums without an interval.

use heldup_model::Record;
use heldup_model::tables::NumaRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "numastat";
/// Rows, each also with a blank for the line between its words, which readers of scanned pages lose.
const ROWS: [(&str, &str); 6] = [
    ("numa_hit", "numa_hit"),
    ("numa_miss", "numa_miss"),
    ("numa_foreign", "numa_foreign"),
    ("interleave_hit", "interleave_hit"),
    ("local_node", "local_node"),
    ("other_node", "other_node"),
];

/// Reads `numastat`.
#[derive(Default)]
pub struct Numastat {
    listing: Option<(When, Vec<i64>)>,
    last_line: u64,
}

impl Importer for Numastat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let nodes: Option<Vec<i64>> =
            line.words.iter().map(|word| word.strip_prefix("node")?.parse().ok()).collect();
        let Some(nodes) = nodes.filter(|nodes| !nodes.is_empty()) else { return Ok(false) };
        self.ends(document)?;
        document.begin(NAME);
        self.listing = Some((document.moment(NAME), nodes));
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((when, nodes)) = &self.listing else { return Ok(false) };
        if line.number > self.last_line + 4 {
            return Ok(false);
        }
        let (column, numbers) = match line.words {
            [first, second, rest @ ..] if column(&format!("{first}_{second}")).is_some() => {
                (column(&format!("{first}_{second}")), rest)
            }
            [first, rest @ ..] => (column(first), rest),
            [] => (None, line.words),
        };
        let Some(column) = column else { return Ok(false) };
        self.last_line = line.number;
        let values: Vec<f64> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
        if values.len() != nodes.len() || numbers.len() != nodes.len() {
            let what = format!("numastat: {} numbers; expected {}, one a node", values.len(), nodes.len());
            document.flaw(line.number, what);
            return Ok(true);
        }
        for (node, value) in nodes.iter().zip(values) {
            let cells = [("node_idx", Put::Number(Some(*node as f64))), (column, Put::Number(Some(value)))];
            put(document, NumaRow::DEF, *when, &node.to_string(), &cells);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

fn column(name: &str) -> Option<&'static str> {
    ROWS.iter().find(|(row, _)| *row == name).map(|(_, column)| *column)
}
