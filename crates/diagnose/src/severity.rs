//! How bad a finding is: the levels, all of them, in this one place.
//!
//! A failure hurts now; by how much, its rule says with a weight: an error that was corrected hurts nobody. A time finding has a **score**, one continuous function without gates: its cost
//! (share of active time), reduced where the loss did not last and where there was little of it. A quarter
//! is what a user feels as "slow"; a twentieth is worth a person's time. A rule supplies amounts and never a
//! severity, so that a level can be moved here and nowhere else, and so that 2 % more or less of a loss move
//! its severity by one step at most. The constants were chosen by quiet machines, troubles and servers
//! together: docs/decisions/0018-severity.md.
//!
//! A recording of a tool without waits has the duration of a state, but not the
//! victims. Such a finding is a warning if the state lasted, and never critical.

use heldup_model::{ImpactKind, Severity};

/// Score from which a time finding is critical: the share of active time that is felt as "slow".
pub const CRITICAL_COST: f64 = 0.25;
/// Score from which a time finding is a warning.
pub const WARNING_COST: f64 = 0.05;
/// Tasks that wait on average from which a loss counts fully: one client in five waits at any moment.
pub const FULL_VOLUME_TASKS: f64 = 0.2;
/// Tasks that wait on average up to which a loss does not count: on a machine with little to do, half a
/// second of waits in ten seconds is most of its active time and no trouble.
pub const LEAST_VOLUME_TASKS: f64 = 0.05;
/// Seconds that a loss must have lasted to count at all. A burst of a second gives two at most, wherever the
/// samples cut it ([`heldup_stats::lasted`]), and a program that starts for two seconds little more.
pub const BURST_SECONDS: f64 = 2.5;
/// Seconds from which a loss has lasted.
pub const FULL_SECONDS: f64 = 3.5;
/// Seconds of the window in which a state must have been going on: twice a burst of a second.
pub const LEAST_ACTIVE_SECONDS: f64 = 2.0;
/// Hours until exhaustion from which a risk is critical.
pub const CRITICAL_HOURS: f64 = 1.0;
/// Hours until exhaustion from which a risk is a warning.
pub const WARNING_HOURS: f64 = 24.0;
/// Share of a resource from which its waste is a warning.
pub const WARNING_WASTE: f64 = 0.10;

/// Seconds from which a state that a recording shows has lasted, however long the recording is: an
/// hour of a day's `sar` is 4 % of it, and whoever worked in it knows of nothing else.
pub const LASTING_SECONDS: f64 = 60.0;

/// Unit of a risk's amount when it is the time that is left.
pub const HOURS: &str = "h";
/// Unit of a time's amount when it is the duration of a state, in a recording that does not have
/// what tasks lost by it.
pub const OF_RECORDING: &str = "s of the recording";
/// The same in a recording whose intervals are not known.
pub const OF_SAMPLES: &str = "samples of the recording";

/// Ends of the units of what a listing of one moment shows: a state at that moment, or what was counted since boot or since
/// something began. How long the state was there, and when the failures were, nobody knows.
pub const OF_A_MOMENT: [&str; 4] = [" at one moment", " since boot", " since mount", " since start"];
/// Weight from which such a finding is a warning; the rule gives it by how full or how frequent something is.
pub const WARNING_WEIGHT: f64 = 0.5;

/// What a rule measured of the harm.
#[derive(Clone, Copy, Debug)]
pub struct Harm<'a> {
    /// Kind.
    pub kind: ImpactKind,
    /// Amount in `unit`: task-seconds, failures, hours left, share wasted.
    pub amount: f64,
    /// Unit of the amount.
    pub unit: &'a str,
    /// Share of active time, 0 to 1.
    pub cost: Option<f64>,
    /// The part of the cost that is felt, 0 to 1: a rule's own measure if time alone is not enough.
    pub weight: f64,
    /// For how long the harm went on, as [`heldup_stats::lasted`] measures it.
    pub lasting_s: f64,
    /// Length of the window, in seconds.
    pub window_s: f64,
}

/// The severity of a harm.
pub fn severity(harm: &Harm) -> Severity {
    match harm.kind {
        _ if is_of_a_moment(harm) && harm.weight >= WARNING_WEIGHT => Severity::Warning,
        _ if is_of_a_moment(harm) => Severity::Info,
        ImpactKind::Failure if harm.amount > 0.0 => match harm.weight {
            weight if weight >= CRITICAL_COST => Severity::Critical,
            weight if weight >= WARNING_COST => Severity::Warning,
            _ => Severity::Info,
        },
        ImpactKind::Failure => Severity::Info,
        ImpactKind::Time if harm.unit == OF_RECORDING && has_lasted(harm) => Severity::Warning,
        ImpactKind::Time if harm.unit == OF_RECORDING => Severity::Info,
        ImpactKind::Time => match score(harm) {
            score if score >= CRITICAL_COST => Severity::Critical,
            score if score >= WARNING_COST => Severity::Warning,
            _ => Severity::Info,
        },
        ImpactKind::Risk if harm.unit == HOURS && harm.amount <= CRITICAL_HOURS => Severity::Critical,
        ImpactKind::Risk if harm.unit == HOURS && harm.amount <= WARNING_HOURS => Severity::Warning,
        ImpactKind::Waste if harm.amount >= WARNING_WASTE => Severity::Warning,
        ImpactKind::Risk | ImpactKind::Waste => Severity::Info,
    }
}

/// Score of a time finding, 0 to 1: cost x part that is felt x how long it lasted x how many tasks it held.
///
/// In a short window there is no room for that: from three quarters of it a loss has lasted, up to half
/// of it is a burst.
pub fn score(harm: &Harm) -> f64 {
    let burst_s = BURST_SECONDS.min(0.5 * harm.window_s);
    let full_s = FULL_SECONDS.min(0.75 * harm.window_s);
    // A recording of unknown length has no bursts.
    let is_timeless = harm.window_s <= 0.0 && harm.lasting_s > 0.0;
    let lasted = if is_timeless { 1.0 } else { ramp(harm.lasting_s, burst_s, full_s) };
    let volume = ramp(harm.amount / harm.window_s, LEAST_VOLUME_TASKS, FULL_VOLUME_TASKS);
    harm.cost.unwrap_or(0.0) * harm.weight.clamp(0.0, 1.0) * lasted * volume
}

fn is_of_a_moment(harm: &Harm) -> bool {
    OF_A_MOMENT.iter().any(|end| harm.unit.ends_with(end))
}

/// 0 up to `from`, 1 from `to`, straight between.
fn ramp(value: f64, from: f64, to: f64) -> f64 {
    if value.is_nan() || to <= from { 0.0 } else { ((value - from) / (to - from)).clamp(0.0, 1.0) }
}

/// Whether a tenth more or less of what decides would change the severity: only then may a reading that is
/// a little larger or smaller be told otherwise (`robust.rs`).
pub fn is_near_a_step(harm: &Harm) -> bool {
    let near = |value: f64, step: f64| (0.9 * step..=step / 0.9).contains(&value);
    match harm.kind {
        _ if is_of_a_moment(harm) => near(harm.weight, WARNING_WEIGHT),
        ImpactKind::Time if harm.unit == OF_RECORDING => {
            let lengths =
                [LASTING_SECONDS, LEAST_ACTIVE_SECONDS, WARNING_COST * harm.window_s, 0.5 * harm.window_s];
            lengths.into_iter().any(|step| near(harm.lasting_s, step))
        }
        ImpactKind::Time => [CRITICAL_COST, WARNING_COST].into_iter().any(|step| near(score(harm), step)),
        ImpactKind::Risk if harm.unit == HOURS => {
            [CRITICAL_HOURS, WARNING_HOURS].into_iter().any(|step| near(harm.amount, step))
        }
        ImpactKind::Waste => near(harm.amount, WARNING_WASTE),
        ImpactKind::Failure => [CRITICAL_COST, WARNING_COST].into_iter().any(|step| near(harm.weight, step)),
        ImpactKind::Risk => false,
    }
}

/// How near a harm that is only information is to a warning: 1 is a warning's size. 0 if unknown.
pub fn nearness(harm: &Harm) -> f64 {
    let near = match harm.kind {
        _ if is_of_a_moment(harm) => harm.weight / WARNING_WEIGHT,
        ImpactKind::Time => score(harm) / WARNING_COST,
        ImpactKind::Risk if harm.unit == HOURS => WARNING_HOURS / harm.amount.max(WARNING_HOURS),
        ImpactKind::Waste => harm.amount / WARNING_WASTE,
        // Nothing has failed yet, or what failed hurt nobody.
        ImpactKind::Failure if harm.amount > 0.0 => harm.weight / WARNING_COST,
        ImpactKind::Failure => 1.0,
        ImpactKind::Risk => 0.0,
    };
    near.clamp(0.0, 1.0)
}

/// Whether a state was there for a minute, or for a share of the recording from which a cost would be
/// a warning and for longer than a burst; of a recording of one sample, in that.
fn has_lasted(harm: &Harm) -> bool {
    let is_no_burst = harm.lasting_s >= LEAST_ACTIVE_SECONDS || harm.lasting_s >= 0.5 * harm.window_s;
    harm.lasting_s >= LASTING_SECONDS
        || (harm.lasting_s > 0.0 && is_no_burst && harm.lasting_s >= WARNING_COST * harm.window_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 20 s.
    fn harm(kind: ImpactKind, amount: f64, unit: &str, cost: Option<f64>, lasting_s: f64) -> Harm<'_> {
        Harm { kind, amount, unit, cost, weight: 1.0, lasting_s, window_s: 20.0 }
    }

    #[test]
    fn what_is_nearest_to_a_warning() {
        use ImpactKind::{Failure, Risk, Time, Waste};
        let near = |kind, amount, unit, cost| nearness(&harm(kind, amount, unit, cost, 8.0));
        assert_eq!(near(Time, 3.0, "s", None), 0.0);
        assert!((near(Time, 4.0, "s", Some(0.04)) - 0.8).abs() < 1e-9);
        assert!((near(Time, 2.5, "s", Some(0.04)) - 0.4).abs() < 1e-9, "half of the volume");
        assert_eq!(near(Time, 4.0, "s", Some(0.9)), 1.0);
        assert!((near(Risk, 48.0, HOURS, None) - 0.5).abs() < 1e-9);
        assert!((near(Waste, 0.095, "ratio", None) - 0.95).abs() < 1e-9);
        assert_eq!(near(Failure, 0.0, "connections", None), 1.0);
        assert_eq!(near(Risk, 3.0, "files", None), 0.0);
    }

    fn check(kind: ImpactKind, amount: f64, unit: &str, cost: Option<f64>, lasting_s: f64, expect: Severity) {
        let harm = harm(kind, amount, unit, cost, lasting_s);
        assert_eq!(severity(&harm), expect, "{kind:?} {amount} {cost:?} {lasting_s}");
    }

    #[test]
    fn no_step_of_two_percent_moves_a_score_by_more_than_a_tenth() {
        let at = |amount: f64, cost: f64, lasting_s: f64| {
            score(&Harm { window_s: 8.0, ..harm(ImpactKind::Time, amount, "s", Some(cost), lasting_s) })
        };
        for step in 1..200 {
            let x = f64::from(step) / 100.0;
            let (low, high) = (at(x, x / 2.0, 1.0 + x), at(1.02 * x, 1.02 * x / 2.0, 1.0 + x));
            assert!(high >= low && high - low <= 0.1 * high.max(0.5), "{x}: {low} {high}");
        }
    }

    #[test]
    fn a_short_window_has_room_for_a_short_loss() {
        let at = |lasting_s, window_s| {
            score(&Harm { window_s, ..harm(ImpactKind::Time, window_s, "s", Some(0.5), lasting_s) })
        };
        assert_eq!(at(2.0, 20.0), 0.0, "a burst");
        assert_eq!(at(2.0, 4.0), 0.0, "half of a short window");
        assert_eq!(at(3.0, 4.0), 0.5, "three quarters of it");
        assert_eq!(at(8.0, 8.0), 0.5);
        assert_eq!(at(0.0, 0.0), 0.0);
        let timeless = Harm { window_s: 0.0, ..harm(ImpactKind::Time, 300.0, "s", Some(0.5), 1.0) };
        assert_eq!(score(&timeless), 0.5, "no length is known");
    }

    #[test]
    fn a_state_of_a_recording_is_a_warning_where_it_lasted() {
        let level = |lasting_s, window_s| {
            let (kind, unit, amount) = (ImpactKind::Time, OF_RECORDING, lasting_s);
            severity(&Harm { kind, amount, unit, cost: None, weight: 1.0, lasting_s, window_s })
        };
        assert_eq!(level(10.0, 20.0), Severity::Warning);
        assert_eq!(level(1.0, 20.0), Severity::Info, "a burst");
        assert_eq!(level(1.0, 1.0), Severity::Warning, "all that there is");
        assert_eq!(level(3.0, 100.0), Severity::Info, "3 % of it");
        assert_eq!(level(1200.0, 86_400.0), Severity::Warning, "twenty minutes of a day");
        assert_eq!(level(0.0, 0.0), Severity::Info);
    }

    #[test]
    fn what_was_counted_since_boot_and_what_one_moment_shows_is_never_critical() {
        let level = |kind, unit, weight| severity(&Harm { weight, ..harm(kind, 5000.0, unit, None, 0.0) });
        for (kind, unit) in [
            (ImpactKind::Failure, "packets since boot"),
            (ImpactKind::Failure, "datagrams since start"),
            (ImpactKind::Risk, "connections at one moment"),
            (ImpactKind::Waste, "ratio at one moment"),
        ] {
            let levels = [1.0, 0.5, 0.49].map(|weight| level(kind, unit, weight));
            assert_eq!(levels, [Severity::Warning, Severity::Warning, Severity::Info], "{kind:?} {unit}");
        }
    }

    #[test]
    fn levels() {
        use ImpactKind::{Failure, Risk, Time, Waste};
        check(Failure, 1.0, "connections", None, 0.0, Severity::Critical);
        let felt = |weight| severity(&Harm { weight, ..harm(Failure, 3.0, "errors", None, 0.0) });
        assert_eq!(
            [0.25, 0.24, 0.05, 0.04].map(felt),
            [Severity::Critical, Severity::Warning, Severity::Warning, Severity::Info,]
        );
        check(Time, 4.0, "s", Some(0.25), 8.0, Severity::Critical);
        check(Time, 4.0, "s", Some(0.05), 8.0, Severity::Warning);
        check(Time, 4.0, "s", Some(0.049), 8.0, Severity::Info);
        check(Time, 2.0, "s", Some(0.25), 8.0, Severity::Warning);
        check(Time, 0.2, "s", Some(0.9), 8.0, Severity::Info);
        check(Time, 4.0, "s", Some(0.9), 1.0, Severity::Info);
        check(Time, 4.0, "s", Some(0.9), 2.0, Severity::Info);
        check(Time, 4.0, "s", None, 9.0, Severity::Info);
        check(Risk, 0.5, HOURS, None, 0.0, Severity::Critical);
        check(Risk, 5.0, HOURS, None, 0.0, Severity::Warning);
        check(Risk, 50.0, HOURS, None, 0.0, Severity::Info);
        check(Risk, 0.97, "ratio", None, 0.0, Severity::Info);
        check(Waste, 0.1, "ratio", None, 0.0, Severity::Warning);
        check(Waste, 0.09, "ratio", None, 0.0, Severity::Info);
    }
}
