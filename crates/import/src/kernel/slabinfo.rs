//! `slabinfo -AD`: how often the allocator gave and took objects on its fast path.

use heldup_model::Record;
use heldup_model::tables::SlabPathRow;

use crate::document::put::{Put, percent, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "slabinfo";

/// Reads `slabinfo -AD`.
#[derive(Default)]
pub struct Slabinfo {
    when: Option<When>,
    last_line: u64,
}

impl Importer for Slabinfo {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !matches!(line.words, ["Name", "Objects", "Alloc", "Free", "%Fast", ..]) {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        self.when = Some(document.moment(NAME));
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(when) = self.when.filter(|_| line.number <= self.last_line + 3) else { return Ok(false) };
        let [name, numbers @ ..] = line.words else { return Ok(false) };
        let count = |at: usize| numbers.get(at).and_then(|word| word.parse::<f64>().ok());
        let (Some(objects), Some(allocated), Some(freed)) = (count(0), count(1), count(2)) else {
            return Ok(false);
        };
        self.last_line = line.number;
        let share = |at: usize| numbers.get(at).and_then(|word| percent(word));
        let (Some(fast_allocated), Some(fast_freed)) = (share(3), share(4)) else {
            document.flaw(line.number, "slabinfo: expected two shares of fast calls behind Free".to_owned());
            return Ok(true);
        };
        let cells = [
            ("name", Put::Text(name)),
            ("objects", Put::Number(Some(objects))),
            ("allocated", Put::Number(Some(allocated))),
            ("freed", Put::Number(Some(freed))),
            ("fast_allocated_ratio", Put::Number(Some(fast_allocated))),
            ("fast_freed_ratio", Put::Number(Some(fast_freed))),
        ];
        put(document, SlabPathRow::DEF, when, name, &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}
