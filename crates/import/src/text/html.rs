//! Listings inside a page of the web, where a line ends with a tag: `<br />`, `<p>`. Only lines that
//! have such tags are looked at; the rest of a page is prose, which no format takes.

use std::borrow::Cow;

/// Tags that end a line.
const ENDS: [&str; 14] = [
    "br",
    "p",
    "/p",
    "pre",
    "/pre",
    "tr",
    "/tr",
    "li",
    "div",
    "/div",
    "code",
    "/code",
    "blockquote",
    "/blockquote",
];
/// Tags between two words.
const GAPS: [&str; 2] = ["td", "th"];
/// A blank at which no line breaks, in UTF-8.
pub const HARD_BLANK: [u8; 2] = [0xc2, 0xa0];
/// Letters of the longest of these tags, with what ends it.
const LONGEST_TAG: usize = 13;
/// Letters that a page writes as words. A long dash is what editors make of a row of short ones.
const LETTERS: [(&str, &str); 13] = [
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&#8212;", "--"),
    ("&#8211;", "-"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#8217;", "'"),
    // What editors make of the x between two figures: of 0x800000 too.
    ("&#215;", "x"),
    ("&#038;", "&"),
    ("&amp;", "&"),
];

/// The lines of a line of a page; none where it is no such line.
pub fn pieces(text: &str) -> Option<Vec<String>> {
    if !has_end(text.as_bytes()) {
        return None;
    }
    let mut lines = vec![String::new()];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        push(&mut lines, before);
        let Some((tag, behind)) = after.split_once('>') else {
            rest = after;
            break;
        };
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or("");
        let name = if tag.starts_with('/') { format!("/{name}") } else { name.to_owned() };
        if ENDS.contains(&name.to_ascii_lowercase().as_str()) {
            lines.push(String::new());
        } else if GAPS.contains(&name.as_str()) {
            push(&mut lines, " ");
        }
        rest = behind;
    }
    push(&mut lines, rest);
    Some(lines.into_iter().map(letters).collect())
}

/// A line without letters that a page writes as words, and with blanks where it has hard ones.
pub fn plain(text: Cow<'_, str>) -> Cow<'_, str> {
    let has_hard = memchr::memmem::find(text.as_bytes(), &HARD_BLANK).is_some();
    let has_words = memchr::memchr_iter(b'&', text.as_bytes())
        .any(|at| text.get(at..).is_some_and(|rest| LETTERS.iter().any(|(word, _)| rest.starts_with(word))));
    match (has_hard, has_words) {
        (false, false) => text,
        (true, false) => Cow::Owned(text.replace('\u{a0}', " ")),
        (_, true) => Cow::Owned(letters(text.replace('\u{a0}', " "))),
    }
}

/// A text with letters in the place of the words that stand for them.
pub fn letters(text: String) -> String {
    if !text.contains('&') {
        return text;
    }
    LETTERS.iter().fold(text, |text, (word, letter)| text.replace(word, letter))
}

/// Whether there is `<br>`, `<p>` or another of these, which `<BROADCAST,UP>` of a link is not: looked for in every line of
/// every recording, of which hardly any has as much as the first sign.
fn has_end(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text).any(|at| {
        let tag = text.get(at + 1..).unwrap_or_default();
        let tag = tag.get(..LONGEST_TAG.min(tag.len())).unwrap_or_default();
        let length = tag.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count() + 1;
        let is_tag = matches!(tag.get(length), Some(b'>' | b'/' | b' '));
        is_tag
            && tag.get(..length).is_some_and(|name| {
                ENDS.iter().any(|end| end.as_bytes().eq_ignore_ascii_case(name))
                    || name.eq_ignore_ascii_case(b"td")
            })
    })
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn lines_of_a_page() {
        let page = "<p>Count Caller<br />&#8212;&#8212;-<br />40 a &gt; b<BR>7 <b>c</b></p>";
        assert_eq!(pieces(page).unwrap(), ["", "Count Caller", "-----", "40 a > b", "7 c", ""]);
        assert_eq!(pieces("a < b and b > c"), None);
        assert_eq!(pieces("x<br y").unwrap(), ["xbr y"]);
    }
}
