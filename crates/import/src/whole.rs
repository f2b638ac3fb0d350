//! Formats that are not made of lines: told by how the file begins, and read to its end by one reader.

use std::io::Read;

use crate::document::Document;
use crate::error::ImportError;
use crate::oracle;
use crate::sysstat::sa;
use crate::sysstat::sadf_groups::Groups;
use crate::sysstat::sysstat_json::{Reports, Tool};
use crate::text::bytes::Bytes;
use crate::tree::{tree_json, tree_xml};

/// How much of a file is looked at for the word that tells it.
const LOOKED_AT_BYTES: usize = 4096;

/// What a whole file is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Whole {
    /// A report of Oracle's workload repository as a page.
    AwrPage,
    /// `sadc`.
    Sa,
    /// `sadf -j`.
    SadfJson,
    /// `sadf -x`.
    SadfXml,
    /// `iostat -o JSON` or `mpstat -o JSON`.
    Reports(Tool),
}

impl Whole {
    /// Whether it is text, whose dates may have two orders.
    pub fn is_text(self) -> bool {
        self != Whole::Sa
    }
}

/// What a file is by its beginning; none where it is text, or of no known kind.
pub fn look(beginning: &[u8]) -> Option<Whole> {
    if sa::is_one(beginning) {
        return Some(Whole::Sa);
    }
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let text = text.get(..LOOKED_AT_BYTES.min(text.len()))?.trim_ascii_start();
    let has = |word: &[u8]| text.windows(word.len()).any(|there| there == word);
    let tool = if has(b"\"cpu-load\"") || has(b"-interrupts\"") { Tool::Mpstat } else { Tool::Iostat };
    match text.first()? {
        // Of a binary file sadf tells when that was begun.
        b'{' if has(b"\"sysstat\"") && !has(b"\"file-date\"") && has(b"\"date\"") => {
            Some(Whole::Reports(tool))
        }
        b'{' if has(b"\"sysstat\"") => Some(Whole::SadfJson),
        b'<' if has(b"<sysstat") => Some(Whole::SadfXml),
        b'<' if oracle::is_page(text) => Some(Whole::AwrPage),
        _ => None,
    }
}

/// Reads a file; how many lines or records it had.
pub fn read(whole: Whole, input: impl Read, document: &mut Document) -> Result<u64, ImportError> {
    let name = document.file.clone();
    let mut bytes = Bytes::of(input, &name);
    match whole {
        Whole::AwrPage => oracle::read_page(&mut bytes, document)?,
        Whole::Sa => return sa::read(&mut bytes, document),
        Whole::SadfJson => tree_json::read(&mut bytes, &mut Groups::of(document), document)?,
        Whole::Reports(tool) => {
            let mut reports = Reports::of(tool, document);
            tree_json::read(&mut bytes, &mut reports, document)?;
            reports.finish(document)?;
        }
        Whole::SadfXml => tree_xml::read(&mut bytes, &mut Groups::of(document), document)?,
    }
    Ok(bytes.line())
}
