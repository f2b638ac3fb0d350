//! Values as canonical text: equal settings are equal text.

use crate::tunable::{Kind, Tunable};

/// What a file says, in the form in which it is compared and written: of choices such as
/// `always [madvise] never` the chosen one, and one blank between numbers.
pub fn canonical(tunable: &Tunable, content: &str) -> String {
    canonical_of(tunable.kind, content)
}

/// The same by the kind alone.
pub(crate) fn canonical_of(kind: Kind, content: &str) -> String {
    let words: Vec<&str> = content.split_whitespace().collect();
    let chosen = |open, close| {
        let mut marked = words.iter().filter_map(|word| word.strip_prefix(open)?.strip_suffix(close));
        marked.next().filter(|_| marked.next().is_none())
    };
    let one = match kind {
        // The scheduler's model of preemption has round brackets.
        Kind::Choice | Kind::Word => chosen('[', ']').or_else(|| chosen('(', ')')),
        _ => None,
    };
    one.map_or_else(|| words.join(" "), str::to_owned)
}
