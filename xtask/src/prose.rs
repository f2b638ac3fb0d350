//! The text that people read in a document, a rule or a source file, with the line of each character.

use std::iter::once;

/// Ends a passage: nothing matches across it.
const END: char = '\u{1}';
/// Stands for a value in a format string.
const VALUE: char = '\u{2}';
/// Keys of rules whose text is SQL: people read its literals only.
const SQL_KEYS: [&str; 6] = ["accounts", "considered", "culprits", "first_look", "sql", "victims"];

/// Text in small letters with single blanks, and the line of each byte.
#[derive(Default)]
pub struct Prose {
    text: String,
    lines: Vec<usize>,
}

impl Prose {
    fn push(&mut self, c: char, line: usize) {
        let c = if c.is_whitespace() { ' ' } else { c };
        if c == ' ' && self.text.ends_with([' ', END]) {
            return;
        }
        for small in c.to_lowercase() {
            self.text.push(small);
            self.lines.extend(std::iter::repeat_n(line, small.len_utf8()));
        }
    }

    fn extend(&mut self, passage: &[(char, usize)]) {
        passage.iter().for_each(|(c, line)| self.push(*c, *line));
        self.push(END, passage.last().map_or(0, |(_, line)| *line));
    }

    /// Line of a place.
    pub fn line(&self, at: usize) -> usize {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Places of whole words; not of an identifier, which is alone between backticks.
    pub fn places(&self, words: &str) -> Vec<usize> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_whole = |at: usize| {
            let before = self.text[..at].chars().next_back().unwrap_or(END);
            let after = self.text[at + words.len()..].chars().next().unwrap_or(END);
            let is_identifier = before == '`' && after == '`' && !words.contains(' ');
            !is_part(before) && !is_part(after) && !is_identifier
        };
        self.text.match_indices(words).map(|(at, _)| at).filter(|at| is_whole(*at)).collect()
    }
}

/// All of a Markdown document; an empty line ends a passage.
pub fn of_markdown(text: &str) -> Prose {
    let mut prose = Prose::default();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            prose.push(END, at + 1);
        }
        line.chars().chain(once('\n')).for_each(|c| prose.push(c, at + 1));
    }
    prose
}

/// Values of a TOML document without its comments; of SQL the literals.
pub fn of_toml(text: &str) -> Prose {
    let mut prose = Prose::default();
    let mut open: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let (line_no, trimmed) = (at + 1, line.trim());
        if open.is_none() && trimmed.starts_with('#') {
            continue;
        }
        let key = trimmed.split_once('=').map_or("", |(key, _)| key.trim());
        let key = open.unwrap_or(key);
        if SQL_KEYS.contains(&key) {
            let code = line.split("-- ").next().unwrap_or(line);
            for literal in code.split('\'').skip(1).step_by(2) {
                prose.extend(&literal.chars().map(|c| (c, line_no)).collect::<Vec<_>>());
            }
        } else {
            line.chars()
                .chain(once(if open.is_some() { '\n' } else { END }))
                .for_each(|c| prose.push(c, line_no));
        }
        if line.matches("\"\"\"").count() % 2 == 1 {
            open = if open.is_some() { None } else { Some(key) };
        }
    }
    prose
}

/// String literals of Rust that are more than a word, up to the tests, and doc comments where people read those.
pub fn of_rust(text: &str, with_comments: bool) -> Prose {
    let mut prose = Prose::default();
    let code: Vec<char> = before_tests(text).chars().collect();
    let (mut at, mut line) = (0, 1);
    while let Some(c) = code.get(at).copied() {
        let next = code.get(at + 1).copied();
        let from = at;
        match (c, next) {
            ('/', Some('/')) => {
                at = ends(&code, at, |rest| rest.first() == Some(&'\n'));
                let comment = code.get(from..at).unwrap_or_default();
                if with_comments && comment.starts_with(&['/', '/', '/']) {
                    comment.iter().skip(3).chain(once(&'\n')).for_each(|c| prose.push(*c, line));
                }
                continue;
            }
            ('/', Some('*')) => at = ends(&code, at + 2, |rest| rest.starts_with(&['*', '/'])) + 2,
            ('r', Some('"' | '#'))
                if !from.checked_sub(1).and_then(|before| code.get(before)).is_some_and(is_name) =>
            {
                let hashes = code.iter().skip(at + 1).take_while(|c| **c == '#').count();
                let start = at + 1 + hashes;
                if code.get(start) == Some(&'"') {
                    let close: Vec<char> = once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                    at = ends(&code, start + 1, |rest| rest.starts_with(&close));
                    literal(&mut prose, code.get(start + 1..at).unwrap_or_default(), line);
                    at += close.len();
                } else {
                    at = start.max(at + 1);
                }
            }
            ('"', _) => {
                at += 1;
                while let Some(c) = code.get(at).copied().filter(|c| *c != '"') {
                    at += if c == '\\' { 2 } else { 1 };
                }
                literal(&mut prose, code.get(from + 1..at).unwrap_or_default(), line);
                at += 1;
            }
            ('\'', Some('\\')) => at = ends(&code, at + 3, |rest| rest.first() == Some(&'\'')) + 1,
            ('\'', Some(_)) if code.get(at + 2) == Some(&'\'') => at += 3,
            _ => {
                if !c.is_whitespace() && !prose.text.ends_with(END) && with_comments {
                    prose.push(END, line);
                }
                at += 1;
            }
        }
        line += code.get(from..at.min(code.len())).unwrap_or_default().iter().filter(|c| **c == '\n').count();
    }
    prose
}

fn is_name(c: &char) -> bool {
    c.is_alphanumeric() || *c == '_'
}

/// Where the code from a place on ends so; the end of the code without that.
fn ends(code: &[char], from: usize, is_end: impl Fn(&[char]) -> bool) -> usize {
    (from..code.len()).find(|at| code.get(*at..).is_some_and(&is_end)).unwrap_or(code.len())
}

/// Adds a literal of more than one word; in it `\n` and a line that continues are blanks.
fn literal(prose: &mut Prose, text: &[char], line: usize) {
    let mut passage = Vec::new();
    let (mut at, mut line) = (0, line);
    while let Some(c) = text.get(at).copied() {
        match (c, text.get(at + 1)) {
            ('\\', Some('n' | 't' | '\n')) => {
                passage.push((' ', line));
                line += usize::from(text.get(at + 1) == Some(&'\n'));
                at += 2;
            }
            ('\\', Some(escaped)) => {
                passage.push((*escaped, line));
                at += 2;
            }
            ('{', Some('{')) => {
                passage.push((c, line));
                at += 2;
            }
            // The name of a value is none of the text.
            ('{', Some(_)) => {
                at = ends(text, at, |rest| rest.first() == Some(&'}')) + 1;
                passage.push((VALUE, line));
            }
            _ => {
                passage.push((c, line));
                line += usize::from(c == '\n');
                at += 1;
            }
        }
    }
    let is_text = passage.iter().skip_while(|(c, _)| c.is_whitespace()).any(|(c, _)| c.is_whitespace());
    if is_text {
        prose.push(END, line);
        prose.extend(&passage);
    }
}

/// The code before the tests of the file; a declaration of their module does not end it.
fn before_tests(text: &str) -> &str {
    let tests = text.match_indices("#[cfg(test)]\nmod ").find(|(at, _)| {
        let declared = text[*at..].lines().nth(1).unwrap_or_default();
        !declared.trim_end().ends_with(';')
    });
    tests.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_doc_comments_of_rust_are_read_with_their_lines() {
        let code = "/// Told\n/// apart.\nfn a<'a>() {\n    let x = \"one told \\\n        apart\"; // told\n    let y = 'x'; let z = r#\"told\n apart\"#;\n    let w = \"told\";\n}\n#[cfg(test)]\nmod tests {\n    \"is told apart\";\n}\n";
        let lines = |with_comments| {
            let prose = of_rust(code, with_comments);
            prose.places("told apart").iter().map(|at| prose.line(*at)).collect::<Vec<_>>()
        };
        assert_eq!(lines(true), [1, 4, 6]);
        assert_eq!(lines(false), [4, 6]);
        assert_eq!(of_rust(code, false).places("told").len(), 2, "one word is an identifier");
    }

    #[test]
    fn of_sql_in_a_rule_the_literals_are_read() {
        let rule = "# told\ntitle = \"is told\"\nsql = \"\"\"\nselect told, 'who told' as x -- it's told\n\"\"\"\nmeaning = \"\"\"\nThey told\nus.\"\"\"\n";
        let prose = of_toml(rule);
        assert_eq!(prose.places("told").iter().map(|at| prose.line(*at)).collect::<Vec<_>>(), [2, 4, 7]);
    }
}
