//! How much counting system calls may cost, and when to look whether it has.
//!
//! Pure arithmetic: times and counts come from the caller.

/// Share of one CPU that counting may cost over time.
const BUDGET: f64 = 0.005;
/// This much of the budget is there from the start, in nanoseconds of looking: a short window
/// has a burst too, and whoever makes few calls is counted without a pause.
const CREDIT_NS: u64 = 1_000_000_000;
/// Whether it costs too much is looked at no sooner: at two million calls a second such a burst
/// costs 3 ms.
pub(crate) const SHORTEST_BURST_NS: u64 = 10_000_000;
/// What a counted call is taken to cost where measuring it gives less or more than any machine
/// needs: an interrupt came between.
const PLAUSIBLE_NS: std::ops::RangeInclusive<u64> = 50..=1_500;

/// What may be spent, since counting began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallBudget {
    /// What a counted call costs, hook and slower way out of the kernel together.
    ns_a_call: u64,
}

impl CallBudget {
    /// The budget on a machine on which the same call takes `plain_ns`, and `counted_ns` while
    /// it is counted.
    pub(crate) fn measured(plain_ns: u64, counted_ns: u64) -> CallBudget {
        let cost = counted_ns.saturating_sub(plain_ns);
        CallBudget { ns_a_call: cost.clamp(*PLAUSIBLE_NS.start(), *PLAUSIBLE_NS.end()) }
    }

    /// Nanoseconds that are left of it after so many calls in so long a time; below 0 it is used up.
    fn left_ns(self, calls: u64, elapsed_ns: u64) -> f64 {
        BUDGET * (elapsed_ns + CREDIT_NS) as f64 - (calls * self.ns_a_call) as f64
    }

    /// Whether so many calls in so long a time have cost more than they may.
    pub(crate) fn is_used_up(self, calls: u64, elapsed_ns: u64) -> bool {
        self.left_ns(calls, elapsed_ns) < 0.0
    }

    /// After how many nanoseconds it will be used up, at the pace of the burst at hand; none
    /// when that pace can be kept.
    pub(crate) fn lasts_ns(self, calls: u64, elapsed_ns: u64, burst: Burst) -> Option<u64> {
        if burst.ns < SHORTEST_BURST_NS {
            return Some(SHORTEST_BURST_NS - burst.ns);
        }
        let spent_a_ns = (burst.calls * self.ns_a_call) as f64 / burst.ns as f64 - BUDGET;
        let lasts_ns = self.left_ns(calls, elapsed_ns).max(0.0) / spent_a_ns;
        (spent_a_ns > 0.0).then_some((lasts_ns as u64).max(SHORTEST_BURST_NS))
    }
}

/// Calls that were counted without a pause, and in what time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Burst {
    pub(crate) calls: u64,
    pub(crate) ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const BUDGET_OF_150: CallBudget = CallBudget { ns_a_call: 150 };

    #[test]
    fn counting_rests_until_its_share_is_made_up_for() {
        // 0.5 % of a second are 33,333 calls of 150 ns; a second's worth is there from the start.
        let used_up = |calls, elapsed| BUDGET_OF_150.is_used_up(calls, elapsed);
        assert!(!used_up(33_333, 0));
        assert!(used_up(33_334, 0));
        assert!(!used_up(66_666, SECOND));
        assert!(used_up(1_000_000, 28 * SECOND));
        assert!(!used_up(1_000_000, 30 * SECOND));
    }

    #[test]
    fn a_burst_lasts_as_long_as_its_pace_allows() {
        let lasts = |calls, ns| BUDGET_OF_150.lasts_ns(calls, ns, Burst { calls, ns });
        assert_eq!(lasts(0, 0), Some(SHORTEST_BURST_NS), "no pace is known yet");
        assert_eq!(lasts(300, 10_000_000), None, "30,000 calls a second can go on");
        // 100,000 calls a second cost 1.5 %, of which 0.5 % are made up for meanwhile.
        assert_eq!(lasts(1_000, 10_000_000), Some(490_000_000));
        assert_eq!(lasts(20_000, 10_000_000), Some(SHORTEST_BURST_NS), "2 million calls a second");
    }

    #[test]
    fn a_call_costs_what_it_was_measured_to_cost() {
        assert_eq!(CallBudget::measured(167, 317).ns_a_call, 150);
        assert_eq!(CallBudget::measured(300, 200).ns_a_call, 50, "an interrupt in the first measurement");
        assert_eq!(CallBudget::measured(200, 90_000).ns_a_call, 1_500, "an interrupt in the second");
    }
}
