//! XML read as a stream, as far as tools print it: elements, attributes, text. Elements are handed on
//! as they close; the text of an element without children is a value of the one around it.

use std::io::Read;

use crate::document::Document;
use crate::error::ImportError;
use crate::text::bytes::Bytes;
use crate::tree::{Member, TakesGroups};

const MOST_DEPTH: usize = 64;
const MOST_MEMBERS: usize = 1 << 16;
/// Letters of the values of one element.
const MOST_GROUP_BYTES: usize = 16 << 20;
/// A tag with all its attributes.
const MOST_TAG_BYTES: usize = 1 << 20;

/// An element that is open.
struct Frame {
    name: String,
    members: Vec<Member>,
    bytes: usize,
    has_children: bool,
}

/// Reads all of a file.
pub fn read<R: Read>(
    bytes: &mut Bytes<R>,
    groups: &mut impl TakesGroups,
    document: &mut Document,
) -> Result<(), ImportError> {
    let mut open: Vec<Frame> = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    let mut tag: Vec<u8> = Vec::new();
    while let Some(byte) = bytes.next()? {
        if byte != b'<' {
            if text.len() < MOST_TAG_BYTES {
                text.push(byte);
            }
            continue;
        }
        if let Err(what) = read_tag(bytes, &mut tag)? {
            stop(bytes, what, document);
            return Ok(());
        }
        match tag.first() {
            Some(b'?' | b'!') => continue,
            Some(b'/') => {
                let name = String::from_utf8_lossy(&tag[1..]).trim().to_owned();
                let Some(frame) = open.pop().filter(|frame| frame.name == name) else {
                    stop(bytes, &format!("</{name}> without its beginning"), document);
                    return Ok(());
                };
                let value = String::from_utf8_lossy(&text);
                close(frame, &mut open, value.trim(), bytes.line(), groups, document)?;
            }
            _ => {
                let told = String::from_utf8_lossy(&tag).into_owned();
                let is_closed = told.ends_with('/');
                let Some((name, members)) = parts(told.trim_end_matches('/')) else {
                    stop(bytes, "a tag whose attributes cannot be read", document);
                    return Ok(());
                };
                if open.len() >= MOST_DEPTH {
                    stop(bytes, "elements more than 64 deep", document);
                    return Ok(());
                }
                if let Some(outer) = open.last_mut() {
                    outer.has_children = true;
                }
                for member in &members {
                    groups.fact(&name, &member.name, &member.value, document);
                }
                groups.begins(&name, &members, bytes.line(), document);
                let frame = Frame { name, members, bytes: 0, has_children: false };
                if is_closed {
                    close(frame, &mut open, "", bytes.line(), groups, document)?;
                } else {
                    open.push(frame);
                }
            }
        }
        text.clear();
    }
    if !open.is_empty() {
        stop(bytes, "the file ends within an element", document);
    }
    Ok(())
}

/// An element is over: a value of the one around it, or a group.
fn close(
    frame: Frame,
    open: &mut [Frame],
    text: &str,
    line: u64,
    groups: &mut impl TakesGroups,
    document: &mut Document,
) -> Result<(), ImportError> {
    let is_value = !frame.has_children && frame.members.is_empty() && !text.is_empty();
    if let Some(outer) = open.last_mut().filter(|_| is_value) {
        let value = unescaped(text);
        groups.fact(&outer.name, &frame.name, &value, document);
        outer.bytes += frame.name.len() + value.len();
        if outer.members.len() < MOST_MEMBERS && outer.bytes <= MOST_GROUP_BYTES {
            outer.members.push(Member { name: frame.name, value });
        } else {
            let what =
                "XML: more than 65536 values or 16 MiB in one element; expected fewer, this one is left out";
            document.flaw(line, what.to_owned());
        }
        return Ok(());
    }
    if !frame.members.is_empty() {
        let within = open.last().map_or("", |outer| outer.name.as_str());
        groups.group(&frame.name, within, &frame.members, line, document);
    }
    groups.ends(&frame.name, document)
}

fn stop<R: Read>(bytes: &Bytes<R>, what: &str, document: &mut Document) {
    document.flaw(bytes.line(), format!("XML: {what}; the rest is not read"));
}

/// What stands between `<` and `>`; of a comment nothing.
fn read_tag<R: Read>(
    bytes: &mut Bytes<R>,
    tag: &mut Vec<u8>,
) -> Result<Result<(), &'static str>, ImportError> {
    tag.clear();
    let mut quote = None;
    while let Some(byte) = bytes.next()? {
        let is_comment = tag.starts_with(b"!--");
        if byte == b'>' && quote.is_none() && (!is_comment || tag.ends_with(b"--")) {
            return Ok(Ok(()));
        }
        if !is_comment && matches!(byte, b'"' | b'\'') {
            quote = match quote {
                None => Some(byte),
                Some(open) if open == byte => None,
                other => other,
            };
        }
        if byte == b'<' && !is_comment {
            return Ok(Err("a tag within a tag"));
        }
        if tag.len() >= MOST_TAG_BYTES {
            return Ok(Err("a tag of more than 1 MiB"));
        }
        tag.push(byte);
    }
    Ok(Err("the file ends within a tag"))
}

/// A tag's name and attributes.
fn parts(tag: &str) -> Option<(String, Vec<Member>)> {
    let tag = tag.trim();
    let end = tag.find(char::is_whitespace).unwrap_or(tag.len());
    let (name, mut rest) = (tag.get(..end)?, tag.get(end..)?.trim_start());
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (key, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = behind.get(1..)?.split_once(quote)?;
        members.push(Member { name: key.trim().to_owned(), value: unescaped(value) });
        rest = after.trim_start();
    }
    Some((name.to_owned(), members))
}

/// Letters that XML spells out.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    const SPELT: [(&str, &str); 5] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    SPELT.iter().fold(text.to_owned(), |text, (spelt, letter)| text.replace(spelt, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_apart() {
        let member = |name: &str, value: &str| Member { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(
            parts("irq intr=\"a &lt; b\" cpu='0'"),
            Some(("irq".to_owned(), vec![member("intr", "a < b"), member("cpu", "0")]))
        );
        assert_eq!(parts("queue"), Some(("queue".to_owned(), Vec::new())));
        assert_eq!(parts("queue runq-sz"), None);
        assert_eq!(parts("queue runq-sz=3"), None);
    }
}
