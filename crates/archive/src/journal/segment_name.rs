//! What the files of a segment are called: after the host and the time of its beginning.

use std::fmt;

/// Ends the name of a journal.
const JOURNAL: &str = ".journal";

/// A segment's name, the same for its journal and for the files that it is sealed into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentName(String);

impl SegmentName {
    /// The name of a segment of a host, begun at a time in milliseconds UTC. What a host's name
    /// may hold and a file's should not is replaced by `_`.
    pub fn new(host: &str, begun_ms: i64) -> SegmentName {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let begun_ms = begun_ms.max(0);
        let host: String = host.chars().take(64).map(plain).collect();
        SegmentName(format!("{}-{begun_ms:013}", host.trim_start_matches('.')))
    }

    /// The name of the segment whose journal a file is; none where it is another file.
    pub fn of_journal(file: &str) -> Option<SegmentName> {
        let name = file.strip_suffix(JOURNAL)?;
        let (_, begun) = name.rsplit_once('-')?;
        let digits = !begun.is_empty() && begun.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| SegmentName(name.to_owned()))
    }

    /// File name of its journal.
    pub fn journal(&self) -> String {
        format!("{}{JOURNAL}", self.0)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_come_back() {
        let name = SegmentName::new("db1.example", 1_763_700_000_000);
        assert_eq!(name.journal(), "db1.example-1763700000000.journal");
        assert_eq!(SegmentName::of_journal(&name.journal()), Some(name));
        let hostile = SegmentName::new("../a b\u{1b}/=x", 5);
        assert_eq!(hostile.journal(), "_a_b___x-0000000000005.journal");
        for other in ["x.journal", "db1-12a.journal", "db1-12.parquet", "db1-.journal"] {
            assert_eq!(SegmentName::of_journal(other), None, "{other}");
        }
    }
}
