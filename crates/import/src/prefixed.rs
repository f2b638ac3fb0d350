//! What programs put before each line of a log that they pass on: the name of a container (`docker compose logs`), of a pod
//! (`kubectl logs --prefix`), of a program and its process (the journal).
//!
//! A line that nobody takes is offered without it where the one before it has the same: of containers the bars are below each
//! other, whatever their names.

use crate::document::Line;
use crate::text::words;

/// Letters of the longest prefix.
const LONGEST: usize = 120;
/// Words before the name of a program: `Apr 15 03:17:06 db1 mysqld[123]:`.
const MOST_WORDS: usize = 5;

/// What is before the lines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Prefix {
    /// `db_1         | `: the column of the bar.
    Bar(usize),
    /// `[pod/db-0/postgres] `.
    Pod,
    /// `mysqld[123]: `: the process.
    Process(u64),
}

/// The lines of a file.
#[derive(Debug, Default)]
pub struct Prefixed {
    last: Option<(Prefix, u64)>,
    /// The last line, where nobody took it and it is not known yet that its prefix is one.
    held: Option<(u64, String)>,
}

impl Prefixed {
    /// Looks at a line that nobody took; what is to be offered instead.
    pub fn look(&mut self, line: &Line<'_>) -> Vec<(u64, String)> {
        let Some((prefix, rest)) = cut(line.text) else {
            self.held = None;
            return Vec::new();
        };
        let is_again = self.last.is_some_and(|(last, at)| last == prefix && at + 1 == line.number);
        self.last = Some((prefix, line.number));
        let now = (line.number, rest.to_owned());
        if is_again {
            return self.held.take().into_iter().chain([now]).collect();
        }
        self.held = Some(now);
        Vec::new()
    }
}

/// What is before a line, and the line.
fn cut(text: &str) -> Option<(Prefix, &str)> {
    let is_name = |name: &str| {
        name.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    if let Some(rest) = text.strip_prefix("[pod/") {
        let (name, rest) = rest.split_once("] ")?;
        return (name.len() <= LONGEST && !name.contains(' ')).then_some((Prefix::Pod, rest));
    }
    if let Some(bar) = text.get(..LONGEST.min(text.len())).and_then(|begin| begin.find('|')) {
        let name = text.get(..bar)?;
        let rest = text.get(bar + 1..)?;
        let is_alone = rest.is_empty() || rest.starts_with(' ') && !rest.contains(" | ");
        return (is_name(name.trim_end()) && name.ends_with(' ') && is_alone)
            .then(|| (Prefix::Bar(bar), rest.strip_prefix(' ').unwrap_or(rest)));
    }
    let mut cut_words = Vec::new();
    words::cut(text, &mut cut_words);
    cut_words.iter().take(MOST_WORDS).find_map(|word| {
        let (name, number) = word.strip_suffix("]:")?.split_once('[')?;
        let process = number.parse().ok().filter(|_| is_name(name))?;
        let end = (word.as_ptr() as usize + word.len()) - text.as_ptr() as usize;
        let rest = text.get(end..)?;
        Some((Prefix::Process(process), rest.strip_prefix(' ').unwrap_or(rest)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_logs() {
        assert_eq!(cut("db_1         | 2016-12-12 a"), Some((Prefix::Bar(13), "2016-12-12 a")));
        assert_eq!(cut("mariadb_1    |"), Some((Prefix::Bar(13), "")));
        assert_eq!(cut("[pod/db-0/postgres] LOG:  a"), Some((Prefix::Pod, "LOG:  a")));
        assert_eq!(
            cut("Apr 15 03:17:06 db1 mysqld[123]: InnoDB: a"),
            Some((Prefix::Process(123), "InnoDB: a"))
        );
        assert_eq!(cut("postgres[77]: [1-1] LOG"), Some((Prefix::Process(77), "[1-1] LOG")));
        for text in
            ["| InnoDB |      |", "name | a | b", "12 | a", "two words | a", "a[1] = 3", "plain", "a| b"]
        {
            assert_eq!(cut(text), None, "{text}");
        }
    }

    #[test]
    fn the_second_line_shows_that_it_is_a_prefix() {
        let mut prefixed = Prefixed::default();
        let mut look = |number, text: &str| {
            prefixed
                .look(&Line { number, words: &[], text, is_cut: false })
                .into_iter()
                .map(|(_, text)| text)
                .collect::<Vec<_>>()
        };
        assert!(look(1, "db_1  | one").is_empty());
        assert_eq!(look(2, "web_1 | two"), ["one", "two"]);
        assert_eq!(look(3, "db_1  | three"), ["three"]);
        assert!(look(4, "prose").is_empty());
        assert!(look(5, "db_1  | four").is_empty());
        assert!(look(6, "longer_1 | five").is_empty());
    }
}
