//! Just enough Markdown: code in a document, line by line.

/// Lines of fenced code blocks and pieces of inline code, with their line numbers.
pub fn code(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            found.push((at + 1, line.trim()));
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(|code| (at + 1, code.trim())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn finds_blocks_and_inline_code() {
        let text = "Run `heldup doctor` or:\n\n```\n$ heldup\n```\n\n    make test\nnot `this";
        let expect = [(1, "heldup doctor"), (4, "$ heldup"), (7, "make test"), (8, "this")];
        assert_eq!(code(text), expect);
    }
}
