//! What all tabs share of a machine that runs: its last judgement, and what there was when it was looked for.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use heldup_hostfs::monotonic_ns;
use heldup_model::Span;
use tokio::sync::Mutex;

/// Between two judgements.
const JUDGE_EVERY: Duration = Duration::from_secs(10);
/// Before that many seconds were recorded it is judged again sooner.
const SOON: [u64; 3] = [2, 5, 10];
/// Between two looks for a later sample.
pub const LOOK_EVERY: Duration = Duration::from_millis(990);

/// What is known of now.
#[derive(Default)]
pub struct Live {
    /// Held by who judges: others wait for what comes of it.
    pub judged: Mutex<Judged>,
    /// Held by who looks.
    pub seen: Mutex<Option<Seen>>,
    judged_ms: AtomicI64,
}

impl Live {
    /// When it was judged last; none before the first time.
    pub fn judged_ms(&self) -> Option<i64> {
        Some(self.judged_ms.load(Ordering::Relaxed)).filter(|ms| *ms > 0)
    }

    /// It was judged.
    pub fn note_judged(&self, ms: i64) {
        self.judged_ms.store(ms, Ordering::Relaxed);
    }
}

/// The last judgement.
#[derive(Default)]
pub struct Judged {
    answer: Option<Bytes>,
    at_ns: u64,
    count: usize,
}

impl Judged {
    /// The answer, as long as it is one of now.
    pub fn fresh(&self) -> Option<Bytes> {
        let every = SOON.get(self.count.saturating_sub(1)).map_or(JUDGE_EVERY, |s| Duration::from_secs(*s));
        let is_fresh = monotonic_ns().saturating_sub(self.at_ns) < every.as_nanos() as u64;
        self.answer.clone().filter(|_| is_fresh)
    }

    /// The next one.
    pub fn renew(&mut self, answer: Bytes) {
        *self = Judged { answer: Some(answer), at_ns: monotonic_ns(), count: self.count + 1 };
    }
}

/// What there was when it was looked for.
#[derive(Clone, Copy)]
pub struct Seen {
    at_ns: u64,
    all: Span,
}

impl Seen {
    /// Just now.
    pub fn new(all: Span) -> Seen {
        Seen { at_ns: monotonic_ns(), all }
    }

    /// It, unless that was longer ago than a look takes.
    pub fn fresh(self) -> Option<Span> {
        let is_fresh = monotonic_ns().saturating_sub(self.at_ns) < LOOK_EVERY.as_nanos() as u64;
        Some(self.all).filter(|_| is_fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_is_of_now_for_a_while() {
        let mut judged = Judged::default();
        assert_eq!(judged.fresh(), None);
        judged.renew(Bytes::from_static(b"{}"));
        assert_eq!(judged.fresh(), Some(Bytes::from_static(b"{}")));
        let old = |seconds: u64, count| Judged {
            answer: Some(Bytes::new()),
            at_ns: monotonic_ns() - seconds * 1_000_000_000,
            count,
        };
        // The first ones of a short recording say little.
        let fresh = [old(3, 1), old(3, 2), old(6, 2), old(6, 3), old(11, 9)].map(|one| one.fresh().is_some());
        assert_eq!(fresh, [false, true, false, true, false]);
    }
}
