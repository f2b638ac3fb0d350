//! What passed between two samples: a clock that was set is told from time in which nobody recorded.
//!
//! Samples are named by UTC, which somebody may set. Each says beside it when the machine had booted
//! by that clock: that stays as it is while time passes, and moves when the clock is set. Archives of
//! versions that did not record it are judged by UTC alone.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use heldup_model::GapReason;

use crate::kept::batch_columns::{floats, ints, texts};

/// A clock that moved by less was not set: NTP may slew 0.5 ms a second, and two clocks are not read at once.
const LEAST_SET_MS: i64 = 1000;
/// What NTP may slew, as a share of the time that passed.
const MOST_SLEWED: f64 = 0.0005;

/// Between two samples that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BetweenSamples {
    /// Time of the one before, milliseconds since 1970-01-01 UTC by the clock as it was then.
    pub after_ms: i64,
    /// Time of the other, by the clock as it was by then.
    pub until_ms: i64,
    /// How much time passed, also while the machine slept, milliseconds.
    pub passed_ms: i64,
    /// By how much the clock was set meanwhile, milliseconds; 0 where it was not.
    pub set_ms: i64,
    /// What the sample after it says of the time before.
    pub told: Told,
}

/// What a sample says of the time before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    #[default]
    Nothing,
    /// The machine was started in between.
    Restarted,
    /// It is the first of its recorder.
    First,
    /// Since the sample that its recorder took before, written or not.
    Since {
        /// So long was it awake.
        awake_ms: i64,
        /// So many were not taken.
        missed: i64,
    },
}

impl BetweenSamples {
    /// Why there are no samples in between, of a recorder that takes one in so many milliseconds; none where
    /// the archive does not say.
    pub fn why(&self, interval_ms: i64) -> Option<GapReason> {
        let (awake_ms, missed) = match self.told {
            Told::Nothing => return None,
            Told::Restarted => return Some(GapReason::Restarted),
            Told::First => return Some(GapReason::NotRecorded),
            Told::Since { awake_ms, missed } => (awake_ms, missed),
        };
        // Missed samples are counted by the clock that goes on while the machine sleeps.
        let since_taken_ms = missed.saturating_add(1).saturating_mul(interval_ms);
        let slept_ms = since_taken_ms - awake_ms;
        let not_written_ms = self.passed_ms - since_taken_ms.max(awake_ms);
        // Missed samples are whole intervals: less than one is no sleep. Nor is a clock that was set by less than a
        // second; a sample that was not written leaves an interval of its own, however short that is.
        let slept = slept_ms > LEAST_SET_MS.max(interval_ms);
        let not_written = not_written_ms > interval_ms;
        Some(match (slept, not_written) {
            (false, false) => GapReason::Late,
            (true, true) if slept_ms < not_written_ms => GapReason::NotWritten,
            (true, _) => GapReason::Slept,
            (false, true) => GapReason::NotWritten,
        })
    }
}

/// What lies between the samples of one host, by rows of the table `recorder`, in the order in which
/// they were taken.
pub fn between_samples(recorder: &[RecordBatch]) -> Vec<BetweenSamples> {
    let mut boots: BTreeMap<&str, Vec<Taken>> = BTreeMap::new();
    for batch in recorder {
        let (boot_ids, booted) = (texts(batch, "boot_id"), ints(batch, "booted_ms"));
        let (lengths, missed) = (floats(batch, "secs"), ints(batch, "missed_samples"));
        for (row, time_ms) in ints(batch, "time").into_iter().enumerate() {
            let Some(time_ms) = time_ms else { continue };
            let known = |column: &[Option<i64>]| column.get(row).copied().flatten();
            // One without the other tells nothing.
            let boot = boot_ids.get(row).copied().flatten().zip(known(&booted));
            let taken = Taken {
                time_ms,
                booted_ms: boot.map(|(_, booted_ms)| booted_ms),
                awake_ms: lengths.get(row).copied().flatten().map(|secs| (secs * 1e3).round() as i64),
                missed: known(&missed),
            };
            boots.entry(boot.map_or("", |(id, _)| id)).or_default().push(taken);
        }
    }
    let mut boots: Vec<Vec<Taken>> = boots.into_values().collect();
    for taken in &mut boots {
        // A clock that was set back has two samples of one name.
        taken.sort_unstable_by_key(|one| (one.time_ms - one.booted_ms.unwrap_or(0), one.time_ms));
        taken.dedup();
    }
    boots.sort_by_key(|taken| taken.first().map(|first| first.time_ms));
    let all: Vec<(usize, Taken)> = boots
        .into_iter()
        .enumerate()
        .flat_map(|(boot, taken)| taken.into_iter().map(move |one| (boot, one)))
        .collect();
    all.windows(2).map(|pair| between(pair[0], pair[1])).collect()
}

/// When a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taken {
    time_ms: i64,
    booted_ms: Option<i64>,
    /// Since the sample that the recorder took before; none for its first.
    awake_ms: Option<i64>,
    missed: Option<i64>,
}

fn between((boot_before, before): (usize, Taken), (boot, now): (usize, Taken)) -> BetweenSamples {
    let moved = before.booted_ms.zip(now.booted_ms).filter(|_| boot_before == boot);
    let moved_ms = moved.map_or(0, |(before, now)| now - before);
    let by_the_clock_ms = now.time_ms - before.time_ms;
    let slewed_ms = ((by_the_clock_ms - moved_ms) as f64 * MOST_SLEWED) as i64;
    let set_ms = if moved_ms.abs() > LEAST_SET_MS + slewed_ms { moved_ms } else { 0 };
    BetweenSamples {
        after_ms: before.time_ms,
        until_ms: now.time_ms,
        passed_ms: by_the_clock_ms - set_ms,
        set_ms,
        told: match (now.booted_ms.zip(before.booted_ms), now.awake_ms, now.missed) {
            (None, ..) => Told::Nothing,
            _ if boot_before != boot => Told::Restarted,
            (_, None, _) => Told::First,
            (_, Some(awake_ms), Some(missed)) => Told::Since { awake_ms, missed },
            _ => Told::Nothing,
        },
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::RecorderRow;
    use heldup_model::{RowSet, Stamp};

    use super::*;

    fn sample(time_ms: i64, boot: Option<(&str, i64)>) -> RecordBatch {
        let row = RecorderRow {
            boot_id: boot.map(|(id, _)| id.into()),
            booted_ms: boot.map(|(_, booted_ms)| booted_ms),
            ..RecorderRow::default()
        };
        let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
        RowSet::increases([row]).to_batch(&stamp).expect("a batch")
    }

    fn passed_and_set(samples: &[(i64, Option<(&str, i64)>)]) -> Vec<(i64, i64)> {
        let batches: Vec<_> = samples.iter().map(|(time_ms, boot)| sample(*time_ms, *boot)).collect();
        between_samples(&batches).iter().map(|one| (one.passed_ms, one.set_ms)).collect()
    }

    #[test]
    fn a_clock_that_was_set_is_no_gap_and_a_gap_is_one() {
        let hour = 3_600_000;
        let forward = [(10_000, Some(("a", 500))), (11_000 + hour, Some(("a", 501 + hour)))];
        assert_eq!(passed_and_set(&forward), [(999, hour + 1)]);
        assert_eq!(
            passed_and_set(&[(10_000, Some(("a", 500))), (11_000 + hour, Some(("a", 502)))]),
            [(hour + 1000, 0)]
        );
        // Both: nobody recorded for a minute, and the clock was set by an hour meanwhile.
        let both = [(10_000, Some(("a", 500))), (70_000 + hour, Some(("a", 500 + hour)))];
        assert_eq!(passed_and_set(&both), [(60_000, hour)]);
    }

    #[test]
    fn samples_follow_each_other_as_they_were_taken() {
        // Set back by four seconds: the third sample is named as the first.
        let back = [
            (10_000, Some(("a", 5000))),
            (11_000, Some(("a", 5000))),
            (8000, Some(("a", 1000))),
            (9000, Some(("a", 1000))),
            (10_000, Some(("a", 1000))),
        ];
        assert_eq!(passed_and_set(&back), [(1000, 0), (1000, -4000), (1000, 0), (1000, 0)]);
    }

    /// Why nothing was recorded between two samples of a recorder that takes one a second.
    fn why(passed_ms: i64, secs: Option<f64>, missed: Option<i64>, boot: &str) -> Option<GapReason> {
        let row = |boot: &str, missed| RecorderRow {
            boot_id: Some(boot.into()),
            booted_ms: Some(500),
            missed_samples: missed,
            ..RecorderRow::default()
        };
        let batch = |time_ms, secs, row| {
            let stamp = Stamp { time_ms, secs, host: "db1".into() };
            RowSet::increases([row]).to_batch(&stamp).expect("a batch")
        };
        let samples =
            [batch(10_000, Some(1.0), row("a", Some(0))), batch(10_000 + passed_ms, secs, row(boot, missed))];
        between_samples(&samples)[0].why(1000)
    }

    #[test]
    fn a_gap_has_a_reason() {
        assert_eq!(why(60_000, None, Some(0), "b"), Some(GapReason::Restarted));
        assert_eq!(why(60_000, None, Some(0), "a"), Some(GapReason::NotRecorded));
        assert_eq!(why(60_000, Some(60.0), Some(59), "a"), Some(GapReason::Late));
        assert_eq!(why(60_000, Some(0.7), Some(59), "a"), Some(GapReason::Slept));
        assert_eq!(why(60_000, Some(1.0), Some(0), "a"), Some(GapReason::NotWritten));
        // The disk was full for a minute, and at its end the recorder was late.
        assert_eq!(why(60_000, Some(4.0), Some(3), "a"), Some(GapReason::NotWritten));
        // It slept for most of the time, and what it took first could not be written.
        assert_eq!(why(60_000, Some(1.0), Some(49), "a"), Some(GapReason::Slept));
        assert_eq!(
            why(2_000, Some(1.0), Some(0), "a"),
            Some(GapReason::Late),
            "one interval is nothing to speak of"
        );
        assert_eq!(why(60_000, Some(1.0), None, "a"), None, "a recorder that did not say so");
        let unknown = between_samples(&[sample(10_000, None), sample(70_000, None)]);
        assert_eq!(unknown[0].why(1000), None);
    }

    #[test]
    fn another_boot_and_what_does_not_say_are_judged_by_the_clock() {
        let boots =
            [(10_000, Some(("a", 500))), (70_000, Some(("b", 60_000))), (71_000, Some(("b", 60_000)))];
        assert_eq!(passed_and_set(&boots), [(60_000, 0), (1000, 0)]);
        assert_eq!(passed_and_set(&[(10_000, None), (20_000, None)]), [(10_000, 0)]);
        // Slewed by 0.5 ms a second for ten hours, in which nobody recorded.
        assert_eq!(
            passed_and_set(&[(0, Some(("a", -9))), (36_000_000, Some(("a", 17_991)))]),
            [(36_000_000, 0)]
        );
    }
}
