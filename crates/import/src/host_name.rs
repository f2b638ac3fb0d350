//! Names of hosts.

/// Host of a recording that does not name its own.
pub const UNKNOWN: &str = "unknown";

/// Whether two names are of one machine: one may have its domain.
pub(crate) fn is_same_host(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let rest = long.get(..short.len()).filter(|begin| begin.eq_ignore_ascii_case(short));
    rest.is_some() && matches!(long.as_bytes().get(short.len()), None | Some(b'.'))
}

/// Whether a name is one that machines have before they are given theirs.
pub(crate) fn is_placeholder(name: &str) -> bool {
    matches!(name, "localhost" | "localhost.localdomain" | "(none)" | "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_machine() {
        assert!(is_same_host("db1", "db1"));
        assert!(is_same_host("db1.example.com", "DB1"));
        assert!(!is_same_host("db1", "db10"));
        assert!(!is_same_host("db1.a", "db1.b"));
    }
}
