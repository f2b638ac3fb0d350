//! A deadlock as rows of `deadlock`: one for each transaction or thread in it.

use heldup_model::Record;
use heldup_model::tables::DeadlockRow;

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// Letters of a statement that are kept.
pub const LONGEST_STATEMENT: usize = 4096;
/// Parties of one deadlock that are kept.
pub const MOST_PARTIES: usize = 64;

/// A transaction or thread of a deadlock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Party {
    /// Id of the session.
    pub pid: Option<f64>,
    /// User, or name of the thread.
    pub name: String,
    /// The lock that it waits for, with its mode.
    pub waits_for: String,
    /// Table or class of that lock.
    pub object_name: String,
    /// Index of that lock.
    pub index_name: String,
    /// Who holds it.
    pub held_by: String,
    /// Whether it was rolled back, where that is told.
    pub is_victim: Option<bool>,
    /// What it runs.
    pub statement: String,
    /// How long its transaction had been active.
    pub active_s: Option<f64>,
}

impl Party {
    /// Adds a line to the statement.
    pub fn add_statement(&mut self, text: &str) {
        if self.statement.len() + text.len() < LONGEST_STATEMENT {
            if !self.statement.is_empty() {
                self.statement.push('\n');
            }
            self.statement.push_str(text.trim_end());
        }
    }
}

/// A deadlock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deadlock {
    /// innodb, postgresql, oracle or java.
    pub product: &'static str,
    /// Database.
    pub instance: String,
    /// How long ago it was.
    pub ago_s: Option<f64>,
    /// Those that wait for each other; none where only the error is told.
    pub parties: Vec<Party>,
}

impl Deadlock {
    /// Writes its rows; `number` tells it from the other deadlocks of its file.
    pub fn write(&self, number: u64, when: When, document: &mut Document) {
        let nobody = [Party::default()];
        let parties = if self.parties.is_empty() { &nobody[..] } else { &self.parties[..] };
        for (at, party) in parties.iter().take(MOST_PARTIES).enumerate() {
            let mut cells = vec![
                ("product", Put::Text(self.product)),
                ("deadlock", Put::Number(Some(number as f64))),
                ("party", Put::Number((!self.parties.is_empty()).then_some(at as f64 + 1.0))),
                ("pid", Put::Number(party.pid)),
                ("active_s", Put::Number(party.active_s)),
                ("ago_s", Put::Number(self.ago_s)),
            ];
            cells.extend(party.is_victim.map(|is_victim| ("is_victim", Put::Is(is_victim))));
            let texts = [
                ("instance", &self.instance),
                ("name", &party.name),
                ("waits_for", &party.waits_for),
                ("object_name", &party.object_name),
                ("index_name", &party.index_name),
                ("held_by", &party.held_by),
                ("statement", &party.statement),
            ];
            for (column, text) in texts {
                let text = text.trim();
                cells.extend((!text.is_empty()).then_some((column, Put::Text(text))));
            }
            let identity = format!("{} {number} {at}", self.product);
            put(document, DeadlockRow::DEF, when, &identity, &cells);
        }
    }
}
