//! Reports of a whole cluster as text: titles, headings of one or two levels, a row of dashes, rows. Cells are distinguished by the
//! dashes; some have bars between them. Everything up to the end of the report belongs to it.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::cluster::{Cluster, Taken, bare};
use crate::oracle::row::{Row, scaled, squash};
use crate::oracle::ruler::{Dashes, Ruler, dashes};

const FORMAT: &str = "AWR";
/// Lines above a row of dashes that may be headings.
const MOST_HEADS: usize = 8;
/// Numbers in a row that begins with a word.
const LEAST_NUMBERS: usize = 3;

/// Reads such reports.
#[derive(Default)]
pub struct ClusterReport {
    open: Option<Open>,
}

/// A report while it is read.
struct Open {
    cluster: Cluster,
    title: String,
    /// Lines since the last empty one, or since the last row.
    heads: Vec<String>,
    table: Option<(Ruler, Vec<String>)>,
    last_line: u64,
}

impl Importer for ClusterReport {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !matches!(line.words, ["WORKLOAD", "REPOSITORY", "REPORT", "(RAC)", ..]) {
            return Ok(false);
        }
        self.end(document)?;
        self.open = Some(Open {
            cluster: Cluster::new(),
            title: String::new(),
            heads: Vec::new(),
            table: None,
            last_line: line.number,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        if matches!(line.words, ["End", "of", "Report", ..]) {
            self.end(document)?;
        } else {
            open.line(line, document);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(open) = &self.open {
            let what = format!("the report ends within {}; expected \"End of Report\"", bare(&open.title));
            document.flaw(open.last_line, what);
        }
        self.end(document)
    }
}

impl ClusterReport {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if open.cluster.finish(document) { document.end_sample(FORMAT) } else { Ok(()) }
    }
}

impl Open {
    fn line(&mut self, line: &Line<'_>, document: &mut Document) {
        // Empty lines are not offered.
        if line.number > self.last_line + 1 {
            self.take_title();
            self.heads.clear();
            // What begins at the margin is another table's title, where it is no statement with its numbers.
            let numbers = line.words.iter().filter(|word| scaled(word).is_some()).count();
            if line.text.starts_with(|sign: char| sign.is_ascii_alphabetic()) && numbers < LEAST_NUMBERS {
                self.table = None;
            }
        }
        self.last_line = line.number;
        let text = line.text.replace('|', " ");
        match dashes(&text.replace('+', " ")) {
            Some(Dashes::Ruler(ruler)) => return self.begin_rows(ruler),
            Some(Dashes::End) if self.heads.is_empty() => {
                self.table = None;
                self.title.clear();
                return;
            }
            // A line below the heading of a group.
            Some(Dashes::End) => return,
            None => {}
        }
        if text.trim_start().starts_with("->") {
            return;
        }
        if let Some((ruler, headings)) = &self.table {
            let row = Row::of(headings, ruler.cells(&text));
            match self.cluster.row(&self.title, &row, document) {
                Taken::Yes => return self.heads.clear(),
                Taken::Damaged(expected) if is_row(line.words) => {
                    let what = format!("{FORMAT}: {:?}; expected {expected}", line.words.join(" "));
                    return document.flaw(line.number, what);
                }
                Taken::No | Taken::Unread | Taken::Damaged(_) => {}
            }
        }
        if self.heads.len() < MOST_HEADS {
            self.heads.push(text);
        }
    }

    /// A line at the margin, above an empty one, is a title.
    fn take_title(&mut self) {
        if let Some(first) = self.heads.first()
            && first.starts_with(|sign: char| sign.is_ascii_alphabetic())
        {
            self.title.clone_from(first);
            self.table = None;
            self.cluster.begin_table();
        }
    }

    /// A row of dashes: what stands above it are headings. Those of groups stand over the middle of several columns, and which
    /// they are cannot be told: they are left out.
    fn begin_rows(&mut self, ruler: Ruler) {
        let mut headings = vec![String::new(); ruler.width()];
        for head in &self.heads {
            for (heading, cell) in headings.iter_mut().zip(ruler.aligned(head)) {
                heading.push_str(&squash(&cell));
            }
        }
        self.table = Some((ruler, headings));
        self.cluster.begin_table();
    }
}

/// A row begins with the number of an instance.
fn is_row(words: &[&str]) -> bool {
    words.first().is_some_and(|word| word.parse::<u32>().is_ok())
}
