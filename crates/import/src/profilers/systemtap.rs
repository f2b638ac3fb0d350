//! Tables of SystemTap's examples about memory: what each process did itself to get memory (`mm_pagereclaim`), and which pages it was
//! given and gave back. The second counts anonymous pages or those of files alone, which no column does: of its rows the processes are
//! kept, and its columns are named.

use heldup_model::Record;
use heldup_model::tables::{MemoryEventRow, ProcessRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "SystemTap";
const LONGEST_GAP: u64 = 3;
const HEADINGS: [&str; 7] = ["Command", "Pid", "Direct", "Activate", "Deactivate", "Reclaims", "Freed"];

/// What the tables of pages that were given begin with; behind it they have faults of one kind of page (`A_fault`, `F_fault` …).
const GIVEN: [&str; 4] = ["Command", "Pid", "Alloc", "Free"];

/// Reads both tables.
#[derive(Default)]
pub struct Systemtap {
    listing: Option<(When, u64)>,
    headings: Vec<String>,
}

impl Importer for Systemtap {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_given = line.words.starts_with(&GIVEN)
            && line.words.get(GIVEN.len()..).is_some_and(|rest| rest.iter().all(|word| word.contains('_')));
        if line.words != HEADINGS && !is_given {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        self.headings = line.words.iter().map(|word| (*word).to_owned()).collect();
        if is_given {
            document.leave_out(NAME, &self.headings[2..]);
        } else {
            document.note(
                "SystemTap: the counting interval is unknown; pages that moved between lists are left out",
            );
        }
        self.listing = Some((document.floating(None), line.number));
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some((when, last_line)) = self.listing.filter(|(_, last)| line.number <= last + LONGEST_GAP)
        else {
            return Ok(false);
        };
        if line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) {
            self.listing = Some((when, line.number));
            return Ok(true);
        }
        let numbers = line.words.iter().rev().map_while(|word| word.parse::<f64>().ok()).count();
        let expected = self.headings.len() - 1;
        if numbers != expected || line.words.len() <= expected {
            if numbers > 1 {
                let what = format!("{NAME}: {numbers} numbers; expected {}", self.headings.join(" "));
                document.flaw(line.number, what);
                self.listing = Some((when, line.number.max(last_line)));
            }
            return Ok(numbers > 1);
        }
        let (name, values) = line.words.split_at(line.words.len() - expected);
        let value = |at: usize| values.get(at).and_then(|word| word.parse::<f64>().ok());
        let name = name.join(" ");
        let name = name.trim_start_matches("<pre>").trim_end_matches("</pre>");
        if self.headings != HEADINGS {
            let cells = [("pid", Put::Number(value(0))), ("name", Put::Text(name))];
            put(document, ProcessRow::DEF, when, values[0], &cells);
            self.listing = Some((when, line.number));
            return Ok(true);
        }
        // What kswapd frees is no direct reclaim: of a process without any the pages are left out.
        let direct = value(1);
        let freed = value(5).filter(|_| direct.is_some_and(|direct| direct > 0.0));
        let cells = [
            ("pid", Put::Number(value(0))),
            ("name", Put::Text(name)),
            ("direct_reclaims", Put::Number(direct)),
            ("direct_reclaimed_pages", Put::Number(freed)),
        ];
        put(document, MemoryEventRow::DEF, when, values[0], &cells);
        self.listing = Some((when, line.number));
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}
