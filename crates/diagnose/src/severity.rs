//! How bad a finding is: the levels, all of them, in this one place.
//!
//! The levels are the starting ones of the design: a failure hurts now; a quarter of
//! all wanted time is what a user feels as "slow"; a twentieth is worth a person's
//! time, when there is enough of it (half a task-second over two seconds of the
//! window) that it is no accident of one moment. A rule supplies amounts and never a
//! severity, so that a level can be moved here and nowhere else.
//!
//! A recording of a tool that knows no waits tells for how long a state was there, and not whom it
//! held up. Such a finding is a warning where the state lasted, and never critical.

use heldup_model::{ImpactKind, Severity};

/// Cost from which a time finding is critical.
pub const CRITICAL_COST: f64 = 0.25;
/// Cost from which a time finding is a warning.
pub const WARNING_COST: f64 = 0.05;
/// Task-seconds that a time finding needs at least to be more than information.
pub const LEAST_TASK_SECONDS: f64 = 0.5;
/// Seconds of the window in which it must have been going on: twice a burst of a second.
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
/// Unit of a time's amount when it is how long a state was there, of a recording that does not tell
/// what tasks lost by it.
pub const OF_RECORDING: &str = "s of the recording";

/// What a rule measured of the harm.
#[derive(Clone, Copy, Debug)]
pub struct Harm<'a> {
    /// Kind.
    pub kind: ImpactKind,
    /// Amount in `unit`: task-seconds, failures, hours left, share wasted.
    pub amount: f64,
    /// Unit of the amount.
    pub unit: &'a str,
    /// Share of wanted time, 0 to 1.
    pub cost: Option<f64>,
    /// Seconds of the window in which the harm was done.
    pub active_s: f64,
    /// Length of the window, in seconds.
    pub window_s: f64,
}

/// The severity of a harm.
pub fn severity(harm: &Harm) -> Severity {
    match harm.kind {
        ImpactKind::Failure if harm.amount > 0.0 => Severity::Critical,
        ImpactKind::Failure => Severity::Info,
        ImpactKind::Time if harm.unit == OF_RECORDING && has_lasted(harm) => Severity::Warning,
        ImpactKind::Time if harm.unit == OF_RECORDING => Severity::Info,
        ImpactKind::Time => {
            let enough = harm.amount >= LEAST_TASK_SECONDS && harm.active_s >= LEAST_ACTIVE_SECONDS;
            match harm.cost {
                Some(cost) if enough && cost >= CRITICAL_COST => Severity::Critical,
                Some(cost) if enough && cost >= WARNING_COST => Severity::Warning,
                _ => Severity::Info,
            }
        }
        ImpactKind::Risk if harm.unit == HOURS && harm.amount <= CRITICAL_HOURS => Severity::Critical,
        ImpactKind::Risk if harm.unit == HOURS && harm.amount <= WARNING_HOURS => Severity::Warning,
        ImpactKind::Waste if harm.amount >= WARNING_WASTE => Severity::Warning,
        ImpactKind::Risk | ImpactKind::Waste => Severity::Info,
    }
}

/// How near a harm that is only information is to a warning: 1 is a warning's size, which it
/// may have and not be one, as it was too short. 0 where nothing tells.
pub fn nearness(kind: ImpactKind, amount: f64, unit: &str, cost: Option<f64>) -> f64 {
    let near = match kind {
        ImpactKind::Time => cost.map_or(0.0, |cost| cost / WARNING_COST),
        ImpactKind::Risk if unit == HOURS => WARNING_HOURS / amount.max(WARNING_HOURS),
        ImpactKind::Waste => amount / WARNING_WASTE,
        // Nothing has failed yet, and a failure is never information.
        ImpactKind::Failure => 1.0,
        ImpactKind::Risk => 0.0,
    };
    near.clamp(0.0, 1.0)
}

/// Whether a state was there for a minute, or for a share of the recording from which a cost would be
/// a warning and for longer than a burst; of a recording of one sample, in that.
fn has_lasted(harm: &Harm) -> bool {
    let is_no_burst = harm.active_s >= LEAST_ACTIVE_SECONDS || harm.active_s >= 0.5 * harm.window_s;
    harm.active_s >= LASTING_SECONDS
        || (harm.active_s > 0.0 && is_no_burst && harm.active_s >= WARNING_COST * harm.window_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearest_to_a_warning() {
        use ImpactKind::{Failure, Risk, Time, Waste};
        let near = |kind, amount, unit, cost| nearness(kind, amount, unit, cost);
        assert_eq!(near(Time, 3.0, "s", None), 0.0);
        assert!((near(Time, 0.4, "s", Some(0.04)) - 0.8).abs() < 1e-9);
        assert_eq!(near(Time, 0.4, "s", Some(0.9)), 1.0);
        assert!((near(Risk, 48.0, HOURS, None) - 0.5).abs() < 1e-9);
        assert!((near(Waste, 0.095, "ratio", None) - 0.95).abs() < 1e-9);
        assert_eq!(near(Failure, 0.0, "connections", None), 1.0);
        assert_eq!(near(Risk, 3.0, "files", None), 0.0);
    }

    fn check(kind: ImpactKind, amount: f64, unit: &str, cost: Option<f64>, active_s: f64, expect: Severity) {
        assert_eq!(
            severity(&Harm { kind, amount, unit, cost, active_s, window_s: 20.0 }),
            expect,
            "{kind:?} {amount} {cost:?}"
        );
    }

    #[test]
    fn a_state_of_a_recording_is_a_warning_where_it_lasted() {
        let level = |active_s, window_s| {
            let (kind, unit, amount) = (ImpactKind::Time, OF_RECORDING, active_s);
            severity(&Harm { kind, amount, unit, cost: None, active_s, window_s })
        };
        assert_eq!(level(10.0, 20.0), Severity::Warning);
        assert_eq!(level(1.0, 20.0), Severity::Info, "a burst");
        assert_eq!(level(1.0, 1.0), Severity::Warning, "all that there is");
        assert_eq!(level(3.0, 100.0), Severity::Info, "3 % of it");
        assert_eq!(level(1200.0, 86_400.0), Severity::Warning, "twenty minutes of a day");
        assert_eq!(level(0.0, 0.0), Severity::Info);
    }

    #[test]
    fn levels() {
        use ImpactKind::{Failure, Risk, Time, Waste};
        check(Failure, 1.0, "connections", None, 0.0, Severity::Critical);
        check(Time, 3.0, "s", Some(0.25), 8.0, Severity::Critical);
        check(Time, 3.0, "s", Some(0.05), 8.0, Severity::Warning);
        check(Time, 3.0, "s", Some(0.049), 8.0, Severity::Info);
        check(Time, 0.4, "s", Some(0.9), 8.0, Severity::Info);
        check(Time, 4.0, "s", Some(0.9), 1.0, Severity::Info);
        check(Time, 4.0, "s", None, 9.0, Severity::Info);
        check(Risk, 0.5, HOURS, None, 0.0, Severity::Critical);
        check(Risk, 5.0, HOURS, None, 0.0, Severity::Warning);
        check(Risk, 50.0, HOURS, None, 0.0, Severity::Info);
        check(Risk, 0.97, "ratio", None, 0.0, Severity::Info);
        check(Waste, 0.1, "ratio", None, 0.0, Severity::Warning);
        check(Waste, 0.09, "ratio", None, 0.0, Severity::Info);
    }
}
