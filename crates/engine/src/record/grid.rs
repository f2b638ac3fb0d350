//! When samples are taken: on whole intervals of UTC, so that hosts and segments lie on one grid.
//!
//! Lengths of intervals come from CLOCK_MONOTONIC alone. The clock only names them, and when it is set, or the machine
//! sleeps, that is told, because a segment of an archive has one relation between the two.

use std::time::Duration;

use heldup_hostfs::{boottime_ns, monotonic_ns, realtime_ms};

/// A clock that moved by more than this between two samples was set: NTP slews at most 0.5 ms a second.
const SET_MS: i64 = 1_000;

/// One moment by all clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// UTC, milliseconds.
    pub time_ms: i64,
    /// CLOCK_MONOTONIC.
    pub now_ns: u64,
    /// CLOCK_BOOTTIME, which goes on while the machine sleeps.
    pub boot_ns: u64,
}

/// What happened to the clocks between two samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The machine slept for so many milliseconds.
    Slept(i64),
    /// The clock was set by so many milliseconds.
    Set(i64),
}

/// A sample that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// What rows are stamped with: the place on the grid where the sample came in time.
    pub stamp_ms: i64,
    /// When it is.
    pub moment: Moment,
    /// Samples that should have been between the one before and this one.
    pub missed: i64,
    /// What happened to the clocks since.
    pub jump: Option<Jump>,
}

/// The grid.
#[derive(Debug)]
pub struct Grid {
    interval_ms: i64,
    last: Option<Moment>,
    /// Place of the last sample.
    slot_ms: i64,
}

impl Moment {
    /// Now.
    pub fn now() -> Moment {
        Moment { time_ms: realtime_ms(), now_ns: monotonic_ns(), boot_ns: boottime_ns() }
    }
}

impl Grid {
    /// A grid with a time between two samples.
    pub fn new(interval: Duration) -> Grid {
        Grid { interval_ms: (interval.as_millis() as i64).max(1), last: None, slot_ms: i64::MIN }
    }

    /// When to wake up for the next sample, on the monotonic clock.
    pub fn next_ns(&self, now: Moment) -> u64 {
        let mut next_ms = (now.time_ms.div_euclid(self.interval_ms) + 1) * self.interval_ms;
        // One that came a little early has had its place already.
        if next_ms == self.slot_ms {
            next_ms += self.interval_ms;
        }
        now.now_ns + (next_ms - now.time_ms) as u64 * 1_000_000
    }

    /// When so much time has passed since the last sample that rates over it are no noise, on the monotonic clock.
    pub fn worth_a_sample_ns(&self) -> u64 {
        let interval_ns = self.interval_ms as u64 * 1_000_000;
        self.last.map_or(0, |last| last.now_ns + interval_ns / 4)
    }

    /// The sample of a moment.
    pub fn tick(&mut self, moment: Moment) -> Tick {
        let near_ms = (moment.time_ms + self.interval_ms / 2).div_euclid(self.interval_ms) * self.interval_ms;
        let on_grid = (moment.time_ms - near_ms).abs() <= self.interval_ms / 10;
        self.slot_ms = if on_grid { near_ms } else { moment.time_ms };
        let last = self.last.replace(moment);
        Tick {
            stamp_ms: self.slot_ms,
            moment,
            missed: last.map_or(0, |last| self.missed(last, moment)),
            jump: last.and_then(|last| jump(last, moment)),
        }
    }

    /// Whole intervals between two samples, but for the one that ends with the second.
    fn missed(&self, last: Moment, now: Moment) -> i64 {
        let elapsed_ms = now.boot_ns.saturating_sub(last.boot_ns) as i64 / 1_000_000;
        ((elapsed_ms + self.interval_ms / 2) / self.interval_ms - 1).max(0)
    }
}

fn jump(last: Moment, now: Moment) -> Option<Jump> {
    let passed = |now: u64, last: u64| now.saturating_sub(last) as i64 / 1_000_000;
    let (awake_ms, all_ms) = (passed(now.now_ns, last.now_ns), passed(now.boot_ns, last.boot_ns));
    let set_ms = now.time_ms - last.time_ms - all_ms;
    if set_ms.abs() > SET_MS {
        return Some(Jump::Set(set_ms));
    }
    let slept_ms = all_ms - awake_ms;
    (slept_ms > SET_MS).then_some(Jump::Slept(slept_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn moment(time_ms: i64, now_ms: u64, boot_ms: u64) -> Moment {
        Moment { time_ms, now_ns: now_ms * MS, boot_ns: boot_ms * MS }
    }

    #[test]
    fn samples_lie_on_whole_seconds() {
        let mut grid = Grid::new(Duration::from_secs(1));
        assert_eq!(grid.next_ns(moment(10_400, 500, 500)), 1_100 * MS);
        let tick = grid.tick(moment(11_003, 1_103, 1_103));
        assert_eq!((tick.stamp_ms, tick.missed, tick.jump), (11_000, 0, None));
        assert_eq!(grid.next_ns(moment(11_009, 1_109, 1_109)), 2_100 * MS);
        // Woken a little early: this was the sample of 12 s, and the next is that of 13 s.
        assert_eq!(grid.tick(moment(11_998, 2_098, 2_098)).stamp_ms, 12_000);
        assert_eq!(grid.next_ns(moment(11_999, 2_099, 2_099)), 3_100 * MS);
    }

    #[test]
    fn what_came_late_has_its_own_time() {
        let mut grid = Grid::new(Duration::from_secs(1));
        grid.tick(moment(11_000, 1_000, 1_000));
        let late = grid.tick(moment(14_300, 4_300, 4_300));
        assert_eq!((late.stamp_ms, late.missed, late.jump), (14_300, 2, None));
    }

    #[test]
    fn a_clock_that_is_set_is_told_from_sleep() {
        let mut grid = Grid::new(Duration::from_secs(1));
        grid.tick(moment(100_000, 1_000, 1_000));
        let back = grid.tick(moment(41_000, 2_000, 2_000));
        assert_eq!((back.jump, back.missed), (Some(Jump::Set(-60_000)), 0));
        let slept = grid.tick(moment(72_000, 3_000, 33_000));
        assert_eq!((slept.jump, slept.missed), (Some(Jump::Slept(30_000)), 30));
        let slewed = grid.tick(moment(73_400, 4_000, 34_000));
        assert_eq!(slewed.jump, None);
    }
}
