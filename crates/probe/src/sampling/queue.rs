//! How far the kernel's count of the time in the run queue is confirmed by samples.
//!
//! The count begins when a thread is put into the queue, and its wait when it is woken: where it
//! takes an interrupt to wake an idle CPU, which on virtual machines is slow, 6 to 14 % are
//! missing of loads that sleep and wake; on others nothing is, and nothing that `/proc` shows
//! reports which. But each sample sees whether a thread is on a CPU or in the queue of one. The
//! share of such samples, less the time on a CPU, is a second measure of the same time, and what
//! that one can be wrong by is the error that is given: less cannot be confirmed. Stretches in
//! which a thread did not get a CPU leave nothing open.
//!
//! By how much the two are apart is not used. Under load it says more of the samples (who samples
//! takes a CPU from those it samples) than of the count.

const NS: f64 = 1e9;

/// The samples of one thread, in stretches in which it got a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueueCheck {
    /// Looks at the ends of such stretches, those that saw it on a CPU or in a queue, and the
    /// time that the kernel counted of the stretches, all since the thread's start.
    looks: f64,
    ready: f64,
    stretches_ns: f64,
    counted_ns: f64,
    /// Squares of the stretches of intervals without any queueing, or still open.
    squares: f64,
}

impl QueueCheck {
    /// A stretch in which the thread got a CPU: what the kernel counted in it (on a CPU and in the
    /// queue), and whether the sample at its end saw it ready.
    pub(super) fn stretch(&mut self, length_ns: u64, counted_ns: u64, ready: bool) {
        let length = length_ns as f64;
        self.looks += 1.0;
        self.ready += f64::from(u8::from(ready));
        self.stretches_ns += length;
        self.counted_ns += counted_ns as f64;
        self.squares += length * length;
    }

    /// Ends an interval with some queueing: the variance of that, square seconds.
    pub(super) fn close(&mut self) -> Option<f64> {
        if self.stretches_ns <= 0.0 {
            return None;
        }
        let counted = (self.counted_ns / self.stretches_ns).min(1.0);
        // How likely a sample sees the thread ready; the count is as good as one sample.
        let likely = (self.ready + counted) / (self.looks + 1.0);
        let squares = std::mem::take(&mut self.squares);
        Some(squares * likely * (1.0 - likely) / (NS * NS)).filter(|variance| *variance > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn looks_leave_chance_open() {
        let mut check = QueueCheck::default();
        assert_eq!(check.close(), None);
        for at in 0..4 {
            check.stretch(50 * MS, 25 * MS, at % 2 == 0);
        }
        let variance = check.close().expect("looked at");
        assert!((variance - 4.0 * 0.05 * 0.05 * 0.25).abs() < 1e-12, "{variance}");
        assert_eq!(check.close(), None);
    }

    /// Of a thread that hardly ran, hardly anything is open.
    #[test]
    fn a_sleeper_leaves_nothing_open() {
        let mut check = QueueCheck::default();
        for _ in 0..10 {
            check.stretch(50 * MS, MS / 20, false);
        }
        let error = check.close().expect("looked at").sqrt();
        assert!(error < 0.002, "{error}");
    }

    #[test]
    fn who_is_always_ready_leaves_nothing_open() {
        let mut check = QueueCheck::default();
        for _ in 0..200 {
            check.stretch(50 * MS, 50 * MS, true);
        }
        assert_eq!(check.close(), None);
    }

    /// The promise: with a count that misses what it was seen to miss, the truth is within three errors.
    #[test]
    fn a_count_that_is_too_low_is_within_the_error() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1_u64 << 53) as f64
        };
        for missed in [0.0, 0.06, 0.14] {
            let (off, error) = off_and_error(missed, &mut next);
            assert!(off <= 3.0 * error, "{missed} missed: off by {off} s, error {error} s");
            assert!(off >= missed, "the test misses nothing");
            assert!(error < 0.1 * 16.0, "an error of {error} s says nothing");
        }
    }

    /// Eight threads for ten seconds, sampled twenty times in each; a fifth of their time on a
    /// CPU, a fifth (16 s of all) in the queue.
    fn off_and_error(missed: f64, next: &mut impl FnMut() -> f64) -> (f64, f64) {
        let (mut off, mut variance) = (0.0, 0.0);
        for _ in 0..8 {
            let mut check = QueueCheck::default();
            for look in 1..=200 {
                let queue = 20.0 * next();
                let seen = queue * (1.0 - missed);
                check.stretch(50 * MS, ((10.0 + seen) * MS as f64) as u64, next() < (10.0 + queue) / 50.0);
                off += (queue - seen) / 1e3;
                if look % 20 == 0 {
                    variance += check.close().unwrap_or(0.0);
                }
            }
        }
        (off, variance.sqrt())
    }
}
