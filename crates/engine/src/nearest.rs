//! The names that a misspelt one may mean.

use strsim::osa_distance;

use crate::error::EngineError;

/// Names that are suggested.
const MOST: usize = 3;
/// The least length of a word of which others are told as containing it.
const LEAST_PART: usize = 3;

/// The names that are nearest to a word, best first; none where all are other words.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = word.to_lowercase();
    // A third of the letters wrong is still a slip.
    let slip = (lower.chars().count() / 3).max(1);
    let scored = names.into_iter().filter_map(|name| {
        let distance = osa_distance(&lower, &name.to_lowercase());
        let is_part = lower.len() >= LEAST_PART && name.contains(lower.as_str());
        (distance <= slip || is_part).then_some((distance > slip, distance, name))
    });
    let mut scored: Vec<(bool, usize, &str)> = scored.collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().map(|(_, _, name)| name).take(MOST).collect()
}

/// The error of a name that is not in its list: what kind it is, which are near, and what lists all.
pub fn unknown<'a>(
    kind: &str,
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
    list: &str,
) -> EngineError {
    let near = nearest(word, names);
    let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
    EngineError::unknown_name(format!("unknown {kind} `{word}`{hint} (see `{list}`)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let names = ["watch", "examine", "breakdown", "baseline", "disk.saturated", "disk.slow"];
        assert_eq!(nearest("wacth", names), ["watch"]);
        assert_eq!(nearest("disk.saturate", names), ["disk.saturated"]);
        assert_eq!(nearest("slow", names), ["disk.slow"]);
        assert_eq!(nearest("xyzzy", names), [""; 0]);
        let error = unknown("rule", "disk.slw", names, "heldup rules list").to_string();
        assert_eq!(error, "unknown rule `disk.slw`; did you mean disk.slow? (see `heldup rules list`)");
    }
}
