//! `numastat` without options: where the nodes of a machine gave pages since it was started. Of one listing these are
//! sums since boot, of several it is what came between.

use heldup_model::Record;
use heldup_model::tables::NumaRow;

use crate::document::put::{Put, put, put_since_boot};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::table::totals::Totals;

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
    totals: Totals,
    last_line: u64,
}

impl Importer for Numastat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let nodes: Option<Vec<i64>> =
            line.words.iter().map(|word| word.strip_prefix("node")?.parse().ok()).collect();
        let Some(nodes) = nodes.filter(|nodes| !nodes.is_empty()) else { return Ok(false) };
        self.ends(document)?;
        document.begin(NAME);
        document.note("numastat counts since boot: the first listing has no increases");
        self.listing = Some((self.totals.sample(document.moment(NAME)), nodes));
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
            let (node, key) = (node.to_string(), format!("{node} {column}"));
            let growth = self.totals.growth(&key, value);
            if self.totals.is_new(&key) {
                put_since_boot(document, *when, ("numa", column), Some(&node), value);
            }
            let cells = [("node_idx", Put::Number(node.parse().ok())), (column, Put::Number(growth))];
            put(document, NumaRow::DEF, *when, &node, &cells);
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
