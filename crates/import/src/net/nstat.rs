//! `nstat`: counters of the protocols by the kernel's names.
//!
//! Whether it prints them since boot (`-a`) or since its last call is not in its output: only where no
//! counter of a second listing is lower than in the first are both taken for sums since boot.

use heldup_model::Record;
use heldup_model::tables::NetProtoRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const NAME: &str = "nstat";
/// Counters in a listing; the kernel has some four hundred.
const MOST_COUNTERS: usize = 1 << 16;
/// What is no counter among them.
const LEVELS: [&str; 1] = ["TcpCurrEstab"];

/// Reads `nstat`.
#[derive(Default)]
pub struct Nstat {
    when: Option<When>,
    counters: Vec<(String, f64)>,
    before: std::collections::HashMap<String, f64>,
    totals: Totals,
    last_line: u64,
}

impl Importer for Nstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words != ["#kernel"] {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        document.note("nstat: a single listing may be since boot or since its last call: it is not used");
        self.when = Some(self.totals.sample(document.moment(NAME)));
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        if self.when.is_none() || line.number > self.last_line + 1 {
            return Ok(false);
        }
        let [name, value, rest @ ..] = line.words else { return Ok(false) };
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && name.starts_with(|first: char| first.is_ascii_uppercase());
        if !is_name || rest.len() > 1 {
            return Ok(false);
        }
        self.last_line = line.number;
        match value.parse::<u64>() {
            Ok(value) if self.counters.len() < MOST_COUNTERS => {
                self.counters.push(((*name).to_owned(), value as f64));
            }
            Ok(_) => {}
            Err(_) => document.flaw(line.number, format!("nstat: expected a whole number behind {name}")),
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(when) = self.when.take() else { return Ok(()) };
        let counters = std::mem::take(&mut self.counters);
        let fell = counters.iter().any(|(name, value)| {
            !LEVELS.contains(&name.as_str()) && self.before.get(name).is_some_and(|before| before > value)
        });
        if fell {
            document
                .note("nstat: counters decreased between listings: they are not since boot, and not used");
            self.before.clear();
        }
        for (name, value) in counters {
            let before = self.before.insert(name.clone(), value);
            if LEVELS.contains(&name.as_str()) {
                continue;
            }
            let growth = before.filter(|_| !fell).map(|before| value - before);
            put_row(document, NetProtoRow::DEF, when, Key::Name(&name), &[("value", Put::Number(growth))]);
        }
        document.end_sample(NAME)
    }
}
