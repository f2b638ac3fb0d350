//! Numbers of states that people make of `netstat` and `ss`: `… | awk '{n[$NF]++} END {…}'` (`ESTABLISHED 138`), `… | sort |
//! uniq -c` (`  710 CLOSE_WAIT`). Two lines begin such a list; words of the headings that were counted too are passed over.

use heldup_model::Record;
use heldup_model::tables::SocketCountRow;

use crate::document::first_line::{self, FirstLine, form_of};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::net::socket_line::state;
use crate::table::sheets::{Key, When};

const NAME: &str = "socket states";
/// Lines between two of one list.
const MOST_GAP: u64 = 2;
/// What headings leave in such a list.
const OF_HEADINGS: [&str; 7] = ["State", "Foreign", "Address", "established)", "Local", "servers", "Recv-Q"];

/// Reads such lists.
#[derive(Default)]
pub struct SocketCounts {
    when: Option<When>,
    states: Vec<&'static str>,
    last_line: u64,
    first: FirstLine,
}

impl Importer for SocketCounts {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((state, _)) = count(line.words) else { return Ok(false) };
        let held = self.first.before(line);
        let is_other = |text: &str| form_of(text, count).is_some_and(|(before, _)| before != state);
        let Some(held) = held.filter(|(_, text)| is_other(text)) else {
            self.first.hold(line);
            return Ok(false);
        };
        self.ends(document)?;
        document.begin(NAME);
        self.when = Some(document.moment(NAME));
        self.last_line = held.0;
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(when) = self.when.filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let Some((state, sockets)) = count(line.words) else {
            let is_of_heading = matches!(line.words, [one, other] if [one, other].iter().any(|word| OF_HEADINGS.contains(word)));
            if is_of_heading {
                self.last_line = line.number;
                document.pass_over();
            }
            return Ok(is_of_heading);
        };
        // The same state again is of the next list.
        if self.states.contains(&state) {
            self.ends(document)?;
            document.begin(NAME);
            self.when = Some(document.moment(NAME));
            return self.goes_on(line, document);
        }
        self.states.push(state);
        self.last_line = line.number;
        let cells = [("state", Put::Text(state)), ("sockets", Put::Number(Some(sockets)))];
        put_row(document, SocketCountRow::DEF, when, Key::Name(state), &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.states.clear();
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

/// A state and its number, in either order.
fn count(words: &[&str]) -> Option<(&'static str, f64)> {
    let [one, other] = words else { return None };
    let number = |word: &str| word.trim_matches([':', ',']).parse::<u32>().ok().map(f64::from);
    match (state(one.trim_end_matches([':', ','])), state(other)) {
        (Some(state), None) => Some((state, number(other)?)),
        (None, Some(state)) => Some((state, number(one)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_numbers() {
        assert_eq!(count(&["CLOSE_WAIT", "710"]), Some(("close_wait", 710.0)));
        assert_eq!(count(&["4213", "CLOSE-WAIT"]), Some(("close_wait", 4213.0)));
        assert_eq!(count(&["ESTABLISHED:", "3"]), Some(("established", 3.0)));
        assert_eq!(count(&["LISTEN", "on"]), None);
        assert_eq!(count(&["1", "established)"]), None);
    }
}
