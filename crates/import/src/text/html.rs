//! Listings inside a page of the web, where a line ends with a tag: `<br />`, `<p>`. Only lines that
//! have such tags are looked at; the rest of a page is prose, which no format takes.

/// Tags that end a line.
const ENDS: [&str; 8] = ["br", "p", "/p", "pre", "/pre", "tr", "/tr", "li"];
/// Letters that a page writes as words. A long dash is what editors make of a row of short ones.
const LETTERS: [(&str, &str); 11] = [
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
        }
        rest = behind;
    }
    push(&mut lines, rest);
    Some(lines.into_iter().map(letters).collect())
}

/// A text with letters in the place of the words that stand for them.
pub fn letters(text: String) -> String {
    if !text.contains('&') {
        return text;
    }
    LETTERS.iter().fold(text, |text, (word, letter)| text.replace(word, letter))
}

/// Whether there is `<br>`, `<p>` or `</p>`, which `<BROADCAST,UP>` of a link is not: looked for in every line of
/// every recording, of which hardly any has as much as the first sign.
fn has_end(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text).any(|at| {
        let behind = text.get(at + 1..).unwrap_or_default();
        matches!(behind, [b'b', b'r', b'>' | b'/' | b' ', ..] | [b'B', b'R', b'>' | b'/' | b' ', ..])
            || matches!(behind, [b'p' | b'P', b'>', ..] | [b'/', b'p' | b'P', b'>', ..])
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
