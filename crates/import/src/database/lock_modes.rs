//! Which modes of PostgreSQL's table locks exclude each other. Pure. Source: PostgreSQL documentation, Explicit Locking, Table 13.2.

/// Modes from the weakest on, each with those that it excludes by their place.
const MODES: [(&str, &[usize]); 8] = [
    ("AccessShareLock", &[7]),
    ("RowShareLock", &[6, 7]),
    ("RowExclusiveLock", &[4, 5, 6, 7]),
    ("ShareUpdateExclusiveLock", &[3, 4, 5, 6, 7]),
    ("ShareLock", &[2, 3, 5, 6, 7]),
    ("ShareRowExclusiveLock", &[2, 3, 4, 5, 6, 7]),
    ("ExclusiveLock", &[1, 2, 3, 4, 5, 6, 7]),
    ("AccessExclusiveLock", &[0, 1, 2, 3, 4, 5, 6, 7]),
];

/// Whether a lock in one mode keeps another from being granted.
pub fn are_in_conflict(one: &str, other: &str) -> bool {
    let place = |mode: &str| MODES.iter().position(|(name, _)| *name == mode);
    match (place(one), place(other)) {
        (Some(one), Some(other)) => MODES[one].1.contains(&other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_mutual() {
        for (one, _) in MODES {
            for (other, _) in MODES {
                assert_eq!(are_in_conflict(one, other), are_in_conflict(other, one), "{one} {other}");
            }
        }
        assert!(are_in_conflict("RowExclusiveLock", "AccessExclusiveLock"));
        assert!(!are_in_conflict("RowExclusiveLock", "RowExclusiveLock"));
    }
}
