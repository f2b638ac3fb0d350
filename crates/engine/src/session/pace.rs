//! The one loop of all that looks at the running machine: it waits, samples, and sees when it is over.

use heldup_hostfs::{Interrupts, monotonic_ns};

use crate::error::Result;

/// What is sampled at a pace of its own.
pub trait Paced {
    /// When the next sample is due, on the monotonic clock, of a loop that ends then.
    fn next_ns(&self, end_ns: u64) -> u64;
    /// When something wants to be looked after before that.
    fn wanted_ns(&self) -> u64;
    /// Looks after it.
    fn look_after(&mut self);
    /// Takes a sample.
    fn sample(&mut self) -> Result<()>;
}

/// Samples until a time of the monotonic clock, until `ended` says so, or until somebody asks to stop, which is what it
/// answers. `awake` is called at every turn, with the time.
pub fn drive(
    paced: &mut dyn Paced,
    interrupts: &Interrupts,
    end_ns: u64,
    ended: &mut dyn FnMut() -> Result<bool>,
    awake: &mut dyn FnMut(u64),
) -> Result<bool> {
    loop {
        let (next_ns, wanted_ns) = (paced.next_ns(end_ns), paced.wanted_ns());
        interrupts.wait_until(next_ns.min(wanted_ns));
        let is_over = ended()?;
        let now_ns = monotonic_ns();
        if interrupts.stopped() || is_over || now_ns >= end_ns {
            return Ok(interrupts.stopped());
        }
        awake(now_ns);
        if now_ns >= wanted_ns {
            paced.look_after();
        }
        if now_ns >= next_ns {
            paced.sample()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use heldup_hostfs::Stopper;

    use super::*;

    /// Samples every ten milliseconds, and counts.
    struct Counter {
        begun_ns: u64,
        samples: u64,
        looked_after: u64,
    }

    const STEP_NS: u64 = 10_000_000;

    impl Paced for Counter {
        fn next_ns(&self, end_ns: u64) -> u64 {
            (self.begun_ns + (self.samples + 1) * STEP_NS).min(end_ns)
        }

        fn wanted_ns(&self) -> u64 {
            if self.looked_after == 0 { self.begun_ns + STEP_NS / 2 } else { u64::MAX }
        }

        fn look_after(&mut self) {
            self.looked_after += 1;
        }

        fn sample(&mut self) -> Result<()> {
            self.samples += 1;
            Ok(())
        }
    }

    fn counter() -> Counter {
        Counter { begun_ns: monotonic_ns(), samples: 0, looked_after: 0 }
    }

    #[test]
    fn it_samples_until_its_end_and_leaves_the_last_to_the_caller() {
        let stopper = Stopper::default();
        let interrupts = Interrupts::by(&stopper).expect("a bell");
        let mut counter = counter();
        let end_ns = counter.begun_ns + 5 * STEP_NS;
        let stopped = drive(&mut counter, &interrupts, end_ns, &mut || Ok(false), &mut |_| ());
        assert!(!stopped.expect("no error"));
        assert!(monotonic_ns() >= end_ns);
        // Late ones are not made up for: at most those before the end.
        assert!((1..=4).contains(&counter.samples), "{}", counter.samples);
        assert_eq!(counter.looked_after, 1);
    }

    #[test]
    fn it_stops_when_it_is_asked_to_and_when_what_it_waits_for_has_ended() {
        let stopper = Stopper::default();
        let interrupts = Interrupts::by(&stopper).expect("a bell");
        let mut first = counter();
        let stop = &mut |_| stopper.stop();
        let stopped = drive(&mut first, &interrupts, u64::MAX, &mut || Ok(false), stop);
        assert!(stopped.expect("no error"));
        let listening = Interrupts::by(&Stopper::default()).expect("a bell");
        let stopped = drive(&mut counter(), &listening, u64::MAX, &mut || Ok(true), &mut |_| ());
        assert!(!stopped.expect("no error"));
    }

    #[test]
    fn who_waits_is_woken() {
        let stopper = Stopper::default();
        let interrupts = Interrupts::by(&stopper).expect("a bell");
        let begun_ns = monotonic_ns();
        std::thread::scope(|scope| {
            scope.spawn(|| stopper.stop());
            interrupts.wait_until(begun_ns + 60_000_000_000);
        });
        assert!(interrupts.stopped() && monotonic_ns() - begun_ns < 30_000_000_000);
    }
}
