//! JSON read as a stream: groups of values are handed on as they close, so that a file of any size
//! takes the memory of its largest group.

use std::io::Read;

use crate::document::Document;
use crate::error::ImportError;
use crate::text::bytes::Bytes;
use crate::text::json_text::unescaped;
use crate::tree::Member;
use crate::tree::TakesGroups;

/// Deeper than any tool nests; what is deeper would only fill memory.
const MOST_DEPTH: usize = 64;
/// Values in one group: interrupts of 8,192 CPUs.
const MOST_MEMBERS: usize = 1 << 16;

/// Letters of the values of one group.
const MOST_GROUP_BYTES: usize = 16 << 20;

/// A group that is open.
struct Frame {
    name: String,
    is_array: bool,
    members: Vec<Member>,
    bytes: usize,
}

/// Reads all of a file.
pub fn read<R: Read>(
    bytes: &mut Bytes<R>,
    groups: &mut impl TakesGroups,
    document: &mut Document,
) -> Result<(), ImportError> {
    let mut open: Vec<Frame> = Vec::new();
    let mut name = String::new();
    // Behind a name and its colon.
    let mut is_value = false;
    while let Some(byte) = bytes.next()? {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b',' | 0xef | 0xbb | 0xbf => {}
            b':' => is_value = true,
            b'{' | b'[' => {
                if open.len() >= MOST_DEPTH {
                    return stop(bytes, "groups more than 64 deep; expected what sadf prints", document);
                }
                let own = match open.last() {
                    Some(outer) if outer.is_array => outer.name.clone(),
                    _ => std::mem::take(&mut name),
                };
                open.push(Frame { name: own, is_array: byte == b'[', members: Vec::new(), bytes: 0 });
                is_value = false;
            }
            b'}' | b']' => {
                let Some(frame) = open.pop().filter(|frame| frame.is_array == (byte == b']')) else {
                    return stop(bytes, "a closing sign without its opening one", document);
                };
                close(&frame, open.last(), bytes.line(), groups, document)?;
                is_value = false;
            }
            _ => {
                let text = match scalar(byte, bytes)? {
                    Ok(text) => text,
                    Err(what) => return stop(bytes, what, document),
                };
                let Some(frame) = open.last_mut() else {
                    return stop(bytes, "a value outside of all groups; expected {", document);
                };
                if frame.is_array || is_value {
                    is_value = false;
                    groups.fact(&frame.name, &name, &text, document);
                    frame.bytes += name.len() + text.len();
                    if frame.members.len() >= MOST_MEMBERS || frame.bytes > MOST_GROUP_BYTES {
                        return stop(bytes, "more than 65536 values or 16 MiB in one group", document);
                    }
                    if !frame.is_array && text != "null" {
                        frame.members.push(Member { name: std::mem::take(&mut name), value: text });
                    }
                } else {
                    name = text;
                }
            }
        }
    }
    if !open.is_empty() {
        return stop(bytes, "the file ends within a group; expected }", document);
    }
    Ok(())
}

fn close(
    frame: &Frame,
    outer: Option<&Frame>,
    line: u64,
    groups: &mut impl TakesGroups,
    document: &mut Document,
) -> Result<(), ImportError> {
    if frame.is_array {
        return Ok(());
    }
    if !frame.members.is_empty() {
        let within = outer.map_or("", |outer| outer.name.as_str());
        groups.group(&frame.name, within, &frame.members, line, document);
    }
    groups.ends(&frame.name, document)
}

/// Says where the reading stops: behind a damaged place nobody knows what belongs to what.
fn stop<R: Read>(bytes: &Bytes<R>, what: &str, document: &mut Document) -> Result<(), ImportError> {
    document.flaw(bytes.line(), format!("JSON: {what}; the rest is not read"));
    Ok(())
}

/// A text, a number or a word.
fn scalar<R: Read>(first: u8, bytes: &mut Bytes<R>) -> Result<Result<String, &'static str>, ImportError> {
    if first == b'"' {
        return string(bytes);
    }
    if !(first.is_ascii_alphanumeric() || first == b'-') {
        return Ok(Err("a sign that JSON does not have"));
    }
    let mut text = vec![first];
    while let Some(byte) = bytes.peek()? {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+')) {
            break;
        }
        text.push(byte);
        bytes.next()?;
        if text.len() > 64 {
            return Ok(Err("a number of more than 64 digits"));
        }
    }
    Ok(Ok(String::from_utf8_lossy(&text).into_owned()))
}

fn string<R: Read>(bytes: &mut Bytes<R>) -> Result<Result<String, &'static str>, ImportError> {
    let mut text = Vec::new();
    let mut is_escaped = false;
    while let Some(byte) = bytes.next()? {
        match byte {
            b'"' => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let read = if is_escaped { unescaped(&text) } else { None };
                return Ok(Ok(read.unwrap_or(text)));
            }
            b'\\' => {
                is_escaped = true;
                text.push(byte);
                let Some(escaped) = bytes.next()? else { break };
                text.push(escaped);
            }
            // No tool breaks a line within a text: the quotation mark is missing.
            b'\n' => return Ok(Err("a text without its closing quotation mark")),
            _ => text.push(byte),
        }
        if text.len() > crate::text::lines::MAX_LINE_BYTES {
            return Ok(Err("a text of more than 1 MiB"));
        }
    }
    Ok(Err("the file ends within a text"))
}
