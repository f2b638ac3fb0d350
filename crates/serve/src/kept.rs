//! Answers about what does not change any more: sealed files never do. The ones that were asked for last are kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;

/// Bytes of all of them at most.
const MOST_BYTES: usize = 64 << 20;
/// What one takes besides its own text.
const OVERHEAD_BYTES: usize = 200;

/// Answers, by what was asked.
pub struct Kept {
    all: Mutex<Answers>,
    most_bytes: usize,
}

#[derive(Default)]
struct Answers {
    of: HashMap<String, Answer>,
    bytes: usize,
    /// Number of the next use.
    uses: u64,
}

struct Answer {
    parts: Vec<Bytes>,
    bytes: usize,
    used: u64,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::of(MOST_BYTES)
    }
}

impl Kept {
    fn of(most_bytes: usize) -> Kept {
        Kept { all: Mutex::default(), most_bytes }
    }

    /// The answer to a question that was asked before.
    pub fn get(&self, asked: &str) -> Option<Vec<Bytes>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.uses += 1;
        let used = all.uses;
        let answer = all.of.get_mut(asked)?;
        answer.used = used;
        Some(answer.parts.clone())
    }

    /// Keeps an answer; what was not used for longest makes room for it.
    pub fn keep(&self, asked: String, parts: Vec<Bytes>) {
        let bytes = OVERHEAD_BYTES + asked.len() + parts.iter().map(Bytes::len).sum::<usize>();
        // One that takes most of the room would end all others.
        if bytes > self.most_bytes / 4 {
            return;
        }
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.uses += 1;
        let used = all.uses;
        if let Some(before) = all.of.insert(asked, Answer { parts, bytes, used }) {
            all.bytes -= before.bytes;
        }
        all.bytes += bytes;
        while all.bytes > self.most_bytes {
            let oldest = all.of.iter().min_by_key(|(_, answer)| answer.used).map(|(asked, _)| asked.clone());
            let Some(gone) = oldest.and_then(|asked| all.of.remove(&asked)) else { return };
            all.bytes -= gone.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Vec<Bytes> {
        vec![Bytes::from(vec![b'x'; bytes])]
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let kept = Kept::of(4_000);
        for asked in ["a", "b", "c"] {
            kept.keep(asked.to_owned(), answer(700));
        }
        assert!(kept.get("a").is_some());
        // Four of 901 bytes each have room, a fifth has not.
        for asked in ["d", "e"] {
            kept.keep(asked.to_owned(), answer(700));
        }
        let there = ["a", "b", "c", "d", "e"].map(|asked| kept.get(asked).is_some());
        assert_eq!(there, [true, false, true, true, true]);
        kept.keep("large".to_owned(), answer(1_001));
        assert!(kept.get("large").is_none() && kept.get("a").is_some());
        kept.keep("a".to_owned(), answer(1));
        assert_eq!(kept.get("a"), Some(answer(1)));
        let all = kept.all.lock().expect("no panic");
        assert_eq!(all.bytes, all.of.values().map(|answer| answer.bytes).sum::<usize>());
    }
}
