//! Lists of Oracle's sessions as SQL*Plus prints them: v$session, v$session_wait, dba_waiters and joins of them, with any columns. Cells
//! are below the dashes under the headings.

use crate::database::session_columns::{Product, is_oracle};
use crate::database::session_rows::SessionRows;
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::ruler::{Dashes, Ruler, dashes};
use crate::table::sheets::When;

const FORMAT: &str = "Oracle sessions";

/// Reads such lists.
#[derive(Default)]
pub struct SessionListing {
    /// The line of headings, whose dashes are next.
    heads: Option<(String, u64)>,
    listing: Option<Listing>,
    last_line: u64,
}

struct Listing {
    ruler: Ruler,
    headings: Vec<String>,
    sessions: SessionRows,
    when: When,
}

impl Importer for SessionListing {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_heading = |word: &&str| {
            word.bytes().any(|byte| byte.is_ascii_uppercase())
                && word.bytes().all(|byte| {
                    byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_#$(),/".contains(&byte)
                })
        };
        if line.words.len() < 2 || !line.words.iter().all(is_heading) {
            return Ok(false);
        }
        let names: Vec<String> = line.words.iter().map(|word| plain(word)).collect();
        if !is_oracle(&names) {
            return Ok(false);
        }
        // The same headings come again on each page.
        let is_again = self.listing.as_ref().is_some_and(|listing| listing.headings == names);
        if !is_again {
            self.end(document)?;
        }
        self.heads = Some((line.text.to_owned(), line.number));
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        if let Some((heads, number)) = self.heads.take() {
            if let (Some(Dashes::Ruler(ruler)), true) = (dashes(line.text), line.number == number + 1) {
                self.last_line = line.number;
                let headings: Vec<String> = ruler.cells(&heads).iter().map(|cell| plain(cell)).collect();
                if let Some(listing) = self.listing.as_mut() {
                    listing.ruler = ruler;
                } else if is_oracle(&headings) {
                    document.begin(FORMAT);
                    let when = document.moment(FORMAT);
                    let sessions = SessionRows::new(Product::Oracle);
                    self.listing = Some(Listing { ruler, headings, sessions, when });
                }
                return Ok(true);
            }
            self.end(document)?;
            return Ok(false);
        }
        let is_near = line.number == self.last_line + 1;
        let Some(listing) = self.listing.as_mut() else { return Ok(false) };
        if line.words.is_empty() {
            // Pages and rows of `set pagesize` are apart by empty lines.
            self.last_line = line.number;
            return Ok(true);
        }
        let is_row = is_near && listing.sessions.push(&listing.headings, &listing.ruler.cells(line.text));
        if is_row {
            self.last_line = line.number;
            return Ok(true);
        }
        self.end(document)?;
        Ok(matches!(line.words, [_, "row" | "rows", "selected."] | ["no", "rows", "selected"]))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl SessionListing {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        listing.sessions.write(listing.when, document);
        document.end_sample(FORMAT)
    }
}

/// A heading in small letters, without the alias of its table.
fn plain(heading: &str) -> String {
    let name = heading.trim().to_ascii_lowercase();
    // `SID,SERIAL#`, `SID/SERIAL#`
    match name.split_once([',', '/']) {
        Some((first, "serial#")) => first.to_owned(),
        _ => name,
    }
}
