//! From samples of one thread to its seconds by class, each with its standard error.
//!
//! Between two samples the kernel's own counters (`schedstat`) say how long the thread ran, how
//! long it queued for a CPU, and whether it ran at all. A thread that has not run since the
//! last sample is still in the wait that was seen then: that stretch is known, not estimated.
//! Only the rest (the stretch less running, queueing and known waits) is divided, by what the
//! samples at its two ends saw.
//!
//! Looks come at random moments, one in each stretch of the sampling period. What a wait was
//! at such moments is therefore an unbiased sample of the thread's time, however long its
//! waits are: the variance of a share p is at most p(1-p)/n (equal without stretches). A
//! share seen in every sample is not certain for that; the error uses (k+½)/(n+1).

use heldup_model::Class;

use super::queue::QueueCheck;

/// What one sample of a thread found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    /// CLOCK_MONOTONIC.
    pub(super) ns: u64,
    /// Time on a CPU since its start.
    pub(super) run_ns: u64,
    /// Time in the queue of a CPU since its start.
    pub(super) queue_ns: u64,
    /// How often it was given a CPU; 0 where the kernel does not count.
    pub(super) slices: u64,
    /// What it waited for; none on a CPU or in the queue of one.
    pub(super) waits: Option<Class>,
}

impl Look {
    /// Whether the thread has not had a CPU since an earlier sample.
    pub(super) fn continues(&self, earlier: &Look) -> bool {
        self.slices == earlier.slices && self.slices != 0 && self.run_ns == earlier.run_ns
    }
}

/// Time in a class over an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spent {
    pub(super) class: Class,
    pub(super) seconds: f64,
    /// Variance of `seconds`; none where it was counted.
    pub(super) variance: Option<f64>,
}

/// Votes of one class over the window.
#[derive(Clone, Copy, Debug)]
struct Known {
    class: Class,
    weight: f64,
    looks: f64,
    /// Variance of intervals in which the class got no vote, owed to the next that has some.
    owed: f64,
}

/// One thread's account.
#[derive(Debug)]
pub(super) struct Estimate {
    last: Look,
    elapsed_ns: u64,
    run_ns: u64,
    queue_ns: u64,
    /// Waits that were seen at both ends of a stretch.
    exact: Vec<(Class, u64)>,
    /// Class and weight of each sample of this interval at a wait that began or ended nearby.
    votes: Vec<(Class, f64)>,
    /// Half the uncertain stretch before the last sample: the first part of its weight.
    half: f64,
    /// Queueing that was counted before the kernel did.
    queue_owed_ns: u64,
    queue_check: QueueCheck,
    known: Vec<Known>,
}

impl Estimate {
    /// Begins with the first sample.
    pub(super) fn new(first: Look) -> Estimate {
        Estimate {
            last: first,
            elapsed_ns: 0,
            run_ns: 0,
            queue_ns: 0,
            exact: Vec::new(),
            votes: Vec::new(),
            half: 0.0,
            queue_owed_ns: 0,
            queue_check: QueueCheck::default(),
            known: Vec::new(),
        }
    }

    /// The sample before.
    pub(super) fn last(&self) -> &Look {
        &self.last
    }

    /// How far a sample of a new wait is from what this thread's samples were so far: of each class
    /// that it was seen in, by how much the sample departs from its share p, and p(1-p).
    pub(super) fn surprise(&self, seen: Class) -> impl Iterator<Item = (Class, f64, f64)> {
        let all: f64 = self.known.iter().map(|known| known.looks).sum();
        self.known.iter().filter(move |_| all > 0.0).map(move |known| {
            let share = known.looks / all;
            let now = if known.class == seen { 1.0 } else { 0.0 };
            (known.class, now - share, share * (1.0 - share))
        })
    }

    /// Takes the next sample.
    pub(super) fn look(&mut self, next: Look) {
        let last = std::mem::replace(&mut self.last, next);
        let length = next.ns.saturating_sub(last.ns);
        let run = next.run_ns.saturating_sub(last.run_ns);
        let queued = next.queue_ns.saturating_sub(last.queue_ns);
        let paid = queued.min(self.queue_owed_ns);
        self.queue_owed_ns -= paid;
        self.elapsed_ns += length;
        self.run_ns += run;
        self.queue_ns += queued - paid;
        match (last.waits, next.waits) {
            (Some(before), Some(now)) if before == now && next.continues(&last) => {
                add(&mut self.exact, now, length);
                self.vote(last.waits, 0.0);
                self.half = 0.0;
            }
            // Still on its CPU, or pushed off it and in the queue: the kernel counts
            // queueing only when it is over.
            (None, None) if next.slices == last.slices && next.slices != 0 => {
                let queues = length.saturating_sub(run);
                self.queue_ns += queues;
                self.queue_owed_ns += queues;
                self.half = 0.0;
            }
            _ => {
                self.vote(last.waits, length as f64 / 2.0);
                self.half = length as f64 / 2.0;
                self.queue_check.stretch(length, run + queued - paid, next.waits.is_none());
                if let Some(class) = next.waits {
                    self.known(class).looks += 1.0;
                }
            }
        }
    }

    /// Ends the interval; what it went into, in no order. All running is `user` here: which
    /// part of it was the kernel's is for those to say who read the clock ticks.
    pub(super) fn close(&mut self) -> Vec<Spent> {
        self.vote(self.last.waits, 0.0);
        self.half = 0.0;
        let (run, queue) = (self.run_ns.min(self.elapsed_ns), self.queue_ns);
        let queue = queue.min(self.elapsed_ns - run);
        let rest = (self.elapsed_ns - run - queue) as f64;
        let exact: u64 = self.exact.iter().map(|(_, ns)| ns).sum();
        // A known wait may have ended in the queue of a CPU, unseen: never more than the rest.
        let scale = if exact as f64 > rest { rest / exact as f64 } else { 1.0 };
        let mut spent: Vec<Spent> = vec![counted(Class::User, run as f64)];
        if queue > 0 {
            spent
                .push(Spent { variance: self.queue_check.close(), ..counted(Class::CpuQueue, queue as f64) });
        }
        spent.extend(self.exact.iter().map(|(class, ns)| counted(*class, *ns as f64 * scale)));
        self.divide((rest - exact as f64).max(0.0), &mut spent);
        self.exact.clear();
        self.votes.clear();
        (self.elapsed_ns, self.run_ns, self.queue_ns) = (0, 0, 0);
        spent
    }

    /// Divides nanoseconds by the votes of the interval, or by all that were ever given.
    fn divide(&mut self, rest: f64, spent: &mut Vec<Spent>) {
        let weight: f64 = self.votes.iter().map(|(_, weight)| weight).sum();
        let squares: f64 = self.votes.iter().map(|(_, weight)| weight * weight).sum();
        let all: f64 = self.known.iter().map(|known| known.weight).sum();
        let all_looks: f64 = self.known.iter().map(|known| known.looks).sum();
        if rest <= 0.0 {
            return;
        }
        if all <= 0.0 {
            return add_spent(spent, Spent { class: Class::Unknown, seconds: rest / NS, variance: None });
        }
        let voted = weight > 0.0;
        let looks = if voted { weight * weight / squares } else { 1.0 };
        for known in &mut self.known {
            let votes = self.votes.iter().filter(|(class, _)| *class == known.class);
            let share = match voted {
                true => votes.fold(0.0, |sum, (_, w)| sum + w) / weight,
                false => known.weight / all,
            };
            let likely = (all_looks * known.weight / all + 0.5) / (all_looks + 1.0);
            let seconds = rest / NS;
            let variance = seconds * seconds * likely * (1.0 - likely) / looks;
            if share > 0.0 {
                let variance = Some(variance + std::mem::take(&mut known.owed));
                add_spent(spent, Spent { class: known.class, seconds: seconds * share, variance });
            } else {
                known.owed += variance;
            }
        }
    }

    /// Counts the last sample with half of the stretch after it; one on a CPU has no say.
    fn vote(&mut self, waited: Option<Class>, half: f64) {
        let weight = self.half + half;
        if let Some(class) = waited.filter(|_| weight > 0.0) {
            self.votes.push((class, weight));
            self.known(class).weight += weight;
        }
    }

    fn known(&mut self, class: Class) -> &mut Known {
        let at = self.known.iter().position(|known| known.class == class).unwrap_or_else(|| {
            self.known.push(Known { class, weight: 0.0, looks: 0.0, owed: 0.0 });
            self.known.len() - 1
        });
        &mut self.known[at]
    }
}

const NS: f64 = 1e9;

fn counted(class: Class, ns: f64) -> Spent {
    Spent { class, seconds: ns / NS, variance: None }
}

fn add(exact: &mut Vec<(Class, u64)>, class: Class, ns: u64) {
    match exact.iter_mut().find(|(known, _)| *known == class) {
        Some((_, sum)) => *sum += ns,
        None => exact.push((class, ns)),
    }
}

/// One row a class: known and estimated parts of it are joined.
fn add_spent(spent: &mut Vec<Spent>, new: Spent) {
    match spent.iter_mut().find(|known| known.class == new.class) {
        Some(known) => {
            known.seconds += new.seconds;
            known.variance = known.variance.or(new.variance);
        }
        None => spent.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn look(ms: u64, run_ms: u64, slices: u64, waits: Option<Class>) -> Look {
        Look { ns: ms * MS, run_ns: run_ms * MS, queue_ns: 0, slices, waits }
    }

    fn seconds(spent: &[Spent], class: Class) -> f64 {
        spent.iter().filter(|one| one.class == class).map(|one| one.seconds).sum()
    }

    #[test]
    fn a_wait_seen_at_both_ends_is_known() {
        let mut estimate = Estimate::new(look(0, 0, 1, Some(Class::Timer)));
        estimate.look(look(70, 0, 1, Some(Class::Timer)));
        estimate.look(look(100, 0, 1, Some(Class::Timer)));
        let spent = estimate.close();
        assert!(spent.iter().all(|one| one.variance.is_none()), "{spent:?}");
        assert!((seconds(&spent, Class::Timer) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn the_rest_is_divided_by_what_was_seen() {
        // Runs a fifth of the time; of four samples three at reads and one at a lock.
        let mut estimate = Estimate::new(look(0, 0, 1, None));
        for (at, class) in
            [Class::DiskRead, Class::LockUser, Class::DiskRead, Class::DiskRead].into_iter().enumerate()
        {
            let at = at as u64 + 1;
            estimate.look(look(at * 100, at * 20, at * 9, Some(class)));
        }
        estimate.look(look(500, 100, 99, None));
        let spent = estimate.close();
        assert!((seconds(&spent, Class::DiskRead) - 0.3).abs() < 1e-9, "{spent:?}");
        assert!((seconds(&spent, Class::LockUser) - 0.1).abs() < 1e-9, "{spent:?}");
        let read = spent.iter().find(|one| one.class == Class::DiskRead).expect("read");
        // 0.4 s times the root of 0.7 (smoothed) * 0.3 / 4.
        assert!((read.variance.expect("sampled").sqrt() - 0.4 * (0.7 * 0.3 / 4.0_f64).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn classes_never_exceed_the_interval() {
        let mut estimate = Estimate::new(look(0, 0, 1, Some(Class::Poll)));
        estimate.look(look(100, 0, 1, Some(Class::Poll)));
        // It queued from 50 ms on, which the kernel reports only now.
        estimate.look(Look { queue_ns: 100 * MS, ..look(200, 50, 2, None) });
        let spent = estimate.close();
        let sum: f64 = spent.iter().map(|one| one.seconds).sum();
        assert!((sum - 0.2).abs() < 1e-9, "{spent:?}");
    }

    #[test]
    fn queueing_is_not_counted_twice() {
        let mut estimate = Estimate::new(look(0, 0, 5, None));
        estimate.look(look(100, 10, 5, None));
        let first = estimate.close();
        assert!((seconds(&first, Class::CpuQueue) - 0.09).abs() < 1e-9, "{first:?}");
        estimate.look(Look { queue_ns: 100 * MS, ..look(200, 100, 6, None) });
        let second = estimate.close();
        assert!((seconds(&second, Class::CpuQueue) - 0.01).abs() < 1e-9, "{second:?}");
    }

    #[test]
    fn an_interval_without_a_look_uses_earlier_ones() {
        let mut estimate = Estimate::new(look(0, 0, 1, None));
        estimate.look(look(100, 50, 2, Some(Class::DiskSync)));
        estimate.look(look(200, 100, 3, None));
        estimate.close();
        estimate.look(look(300, 190, 9, None));
        let spent = estimate.close();
        assert!((seconds(&spent, Class::DiskSync) - 0.01).abs() < 1e-9, "{spent:?}");
        let mut blind = Estimate::new(look(0, 0, 1, None));
        blind.look(look(100, 60, 2, None));
        assert!((seconds(&blind.close(), Class::Unknown) - 0.04).abs() < 1e-9);
    }

    /// The promise itself: over many runs of a thread with waits of random lengths, some longer
    /// than the period and some much shorter, the truth lies within three errors.
    #[test]
    fn errors_hold_what_they_promise() {
        let mut random = 0x1234_5678_9abc_def1_u64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut outside, mut squares) = (0, 0.0);
        const RUNS: usize = 400;
        for _ in 0..RUNS {
            let (truth, estimated, error) = one_run(&mut next);
            let off = (estimated - truth).abs() / error;
            outside += usize::from(off > 3.0);
            squares += off * off;
        }
        assert!(outside <= RUNS / 50, "{outside} of {RUNS} beyond three errors");
        let typical = (squares / RUNS as f64).sqrt();
        assert!((0.4..1.4).contains(&typical), "errors are {typical} of what is said");
    }

    /// Ten seconds of waits on a disk and a lock, cut by short runs, sampled ten times a second.
    fn one_run(next: &mut impl FnMut() -> f64) -> (f64, f64, f64) {
        let (mut at, mut slices, mut ran, mut truth) = (0_u64, 1_u64, 0_u64, 0_u64);
        let mut looks: Vec<u64> = (0..100).map(|i| ((i as f64 + next()) * 100e6) as u64).collect();
        looks.extend((1..=10).map(|s| s * 1_000_000_000));
        looks.sort_unstable();
        let mut due = looks.into_iter().peekable();
        let mut estimate = Estimate::new(Look { ns: 0, run_ns: 0, queue_ns: 0, slices: 1, waits: None });
        let (mut seconds_sum, mut variance) = (0.0, 0.0);
        while due.peek().is_some() {
            let class = if next() < 0.5 { Class::DiskRead } else { Class::LockUser };
            let long = next() < 0.05;
            let wait = (-(1.0 - next()).ln() * if long { 400e6 } else { 8e6 }) as u64 + 1;
            let run = (next() * 3e6) as u64 + 1;
            for (from, length, waits) in [(at, wait, Some(class)), (at + wait, run, None)] {
                while let Some(ns) = due.next_if(|ns| *ns < from + length) {
                    let run_ns = if waits.is_none() { ran + (ns - from) } else { ran };
                    estimate.look(Look { ns, run_ns, queue_ns: 0, slices, waits });
                    if ns % 1_000_000_000 == 0 {
                        for one in estimate.close().into_iter().filter(|one| one.class == Class::DiskRead) {
                            seconds_sum += one.seconds;
                            variance += one.variance.unwrap_or(0.0);
                        }
                    }
                }
                let end = (from + length).min(10_000_000_000);
                if waits == Some(Class::DiskRead) {
                    truth += end.saturating_sub(from);
                }
                if waits.is_none() {
                    (ran, slices) = (ran + length, slices + 1);
                }
            }
            at += wait + run;
        }
        (truth as f64 / 1e9, seconds_sum, variance.sqrt())
    }
}
