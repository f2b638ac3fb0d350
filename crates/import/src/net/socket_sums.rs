//! `ss -s`: how many sockets there are. What the kernel has limits for (orphans, TIME_WAIT) becomes rows of `limits`, without the
//! limits themselves; other sums follow from the sockets, which only other options list.

use heldup_model::tables::LimitsRow;
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::Key;

const NAME: &str = "ss";
const LIMITS: &TableDef = LimitsRow::DEF;
/// Lines from the sums of TCP to the last of the protocols'.
const MOST_LINES: u64 = 10;
/// What is said of TCP, the name of its limit and the setting that sets it.
const COUNTED: [(&str, &str, &str); 2] = [
    ("orphaned", "orphaned_sockets", "net.ipv4.tcp_max_orphans"),
    ("timewait", "time_wait_sockets", "net.ipv4.tcp_max_tw_buckets"),
];
/// The lines below.
const PROTOCOLS: [&str; 7] = ["*", "FRAG", "INET", "RAW", "TCP", "Transport", "UDP"];

/// Reads `ss -s`.
#[derive(Default)]
pub struct SocketSums {
    line: Option<u64>,
}

impl Importer for SocketSums {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let ["TCP:", _, told @ ..] = line.words else { return Ok(false) };
        if !told.first().is_some_and(|word| word.starts_with("(estab")) {
            return Ok(false);
        }
        document.begin(NAME);
        let when = document.moment(NAME);
        for (label, limit, setting) in COUNTED {
            let number = told.windows(2).find(|pair| pair[0] == label).and_then(|pair| count(pair[1]));
            let row = [("setting_key", Put::Text(setting)), ("used", Put::Number(number))];
            if number.is_some() {
                put_row(document, LIMITS, when, Key::Name(limit), &row);
            }
        }
        self.line = Some(line.number);
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = self.line.is_some_and(|first| line.number <= first + MOST_LINES);
        if is_near && line.words.first().is_some_and(|first| PROTOCOLS.contains(first)) {
            return Ok(true);
        }
        self.begins(line, document)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        Ok(())
    }
}

/// `0,`, `234)`, `234/0),`: before 4.15 how many of them wait for memory stands behind.
fn count(word: &str) -> Option<f64> {
    word.split(['/', ')', ',']).next()?.parse::<u64>().ok().map(|count| count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(["0,", "234)", "17/0),", "x"].map(count), [Some(0.0), Some(234.0), Some(17.0), None]);
    }
}
