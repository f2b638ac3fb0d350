//! What a capture says of people and machines, replaced by pseudonyms, for a helper elsewhere.
//!
//! Host names, addresses, user names, arguments of commands and what lies in home folders become
//! `host-1`, `addr-3`, `user-2`, `args-7`, `path-4`: the same text always the same pseudonym, in
//! every table, so that joins and findings still work. Which columns are looked at is declared with
//! them ([`heldup_model::Holds`]); a column that says nothing keeps nothing. What is replaced as a
//! whole in one place (the host of a remote mount) is also found as a word in all others (the
//! kernel's log), for which the capture is read twice.
//!
//! Numbers stay: ports, process ids, user ids, inodes. Nothing here is secret sharing; it takes out
//! what names somebody, and does not hide what the machine does.

mod batches;
mod cells;
mod known;
mod patterns;
mod pseudonyms;
mod words;

use std::collections::BTreeMap;

use heldup_model::{Capture, Flaw, Holds, Missing, tables};

pub use known::KnownNames;

use cells::Cells;

/// The capture without what names people and machines. `known` are names that the machine itself
/// knows, beside those that the capture shows to be names.
///
/// An error is a batch that is not in the form of its table.
pub fn redact(capture: &Capture, known: &KnownNames) -> Result<Capture, String> {
    Redactor::new(&[capture], known)?.capture(capture)
}

/// Replaces names in several captures, and in texts about them: the same text always has the same pseudonym.
pub struct Redactor {
    cells: Cells,
}

impl Redactor {
    /// Collects the names of all captures that it is going to see.
    pub fn new(captures: &[&Capture], known: &KnownNames) -> Result<Redactor, String> {
        let mut cells = Cells::new()?;
        cells.words.learn(known);
        for capture in captures {
            cells.words.host(&capture.host);
            for (column, holds) in batches::columns(capture)? {
                batches::distinct(&column).into_iter().for_each(|text| cells.collect(holds, text));
            }
        }
        cells.words.close()?;
        Ok(Redactor { cells })
    }

    /// One of the captures.
    pub fn capture(&mut self, capture: &Capture) -> Result<Capture, String> {
        let cells = &mut self.cells;
        let mut redacted = BTreeMap::new();
        for (name, batches) in &capture.tables {
            // Tables that the model does not know are not known to be harmless.
            let Some(def) = tables::find(name) else { continue };
            let batches = batches.iter().map(|batch| batches::redacted(def, batch, cells));
            redacted.insert(name.clone(), batches.collect::<Result<_, _>>()?);
        }
        let text = &mut |text: &str| cells.message(text);
        let missing = capture.missing.iter().map(|missing| Missing {
            what: missing.what.clone(),
            why: text(&missing.why),
            how: text(&missing.how),
        });
        let missing = missing.collect();
        let flaws =
            capture.flaws.iter().map(|flaw| Flaw { place: text(&flaw.place), what: text(&flaw.what) });
        let flaws = flaws.collect();
        Ok(Capture {
            host: cells.host(&capture.host),
            span: capture.span,
            method: capture.method,
            coverage: capture.coverage,
            untold: capture.untold.clone(),
            timing: capture.timing,
            tables: redacted,
            missing,
            flaws,
        })
    }

    /// A text by what it holds.
    pub fn text(&mut self, holds: Holds, text: &str) -> String {
        self.cells.redacted(holds, text)
    }
}

#[cfg(test)]
mod tests;
