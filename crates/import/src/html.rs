//! Listings inside a page of the web, where a line ends with a tag: `<br />`, `<p>`. Only lines that
//! have such tags are looked at; the rest of a page is prose, which no format takes.

/// Tags that end a line.
const ENDS: [&str; 8] = ["br", "p", "/p", "pre", "/pre", "tr", "/tr", "li"];
/// Letters that a page writes as words. A long dash is what editors make of a row of short ones.
const LETTERS: [(&str, &str); 9] = [
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&#8212;", "--"),
    ("&#8211;", "-"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#8217;", "'"),
    ("&amp;", "&"),
];

/// The lines of a line of a page; none where it is no such line.
pub fn pieces(text: &str) -> Option<Vec<String>> {
    // `<BROADCAST,UP>` of a link is no tag.
    let has_end = |tag: &str| {
        let behind = text.match_indices(tag).map(|(at, _)| text.as_bytes().get(at + tag.len()));
        tag.ends_with('>') && text.contains(tag)
            || behind.into_iter().any(|sign| matches!(sign, Some(b'>' | b'/' | b' ')))
    };
    if !["<br", "<p>", "</p>", "<BR", "<P>", "</P>"].into_iter().any(has_end) {
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
