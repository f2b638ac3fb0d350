//! What the recorder may cost: over its budget the costliest sources are read less often, and as
//! declared again when there is room.
//!
//! What its eBPF programs take counts, and is saved by no reading that is left out: it comes with the load. So
//! readings have what the programs leave of the budget, and half of it where they leave less: to see nothing of a machine
//! that switches 100,000 times a second would save a fifth of what that costs.

use std::time::Duration;

use heldup_sources::{ProcessTable, SourcePace};

use super::sampling::LEDGER;

/// Time over which the cost is judged, and between two decisions.
const JUDGED: Duration = Duration::from_secs(10);
/// The most seldom that a source is read, in times of what is declared.
const MOST_TIMES: u32 = 64;
/// The same of what a recording is for, and what costs most just when much is going on: the account
/// of time, the processes and the control groups. A recorder that keeps its budget by seeing
/// nothing of a crowd has kept nothing.
const MOST_TIMES_OF_TASKS: u32 = 8;
const OF_TASKS: [&str; 3] = [LEDGER, ProcessTable::NAME, "cgroup"];
/// A source that takes a smaller part of the budget is not worth its rows.
const WORTH: f64 = 0.01;
/// Below this part of the budget something may be read more often again, if it then stays below the second.
const ROOM: f64 = 0.6;
const FULL: f64 = 0.85;
/// Part of the budget that eBPF programs leave to readings at the least.
const LEAST_FOR_READINGS: f64 = 0.5;

/// What was used up to a moment, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// CPU time of the program, iterators included.
    pub cpu_ns: u64,
    /// Run time of eBPF programs in what others do.
    pub bpf_ns: u64,
}

/// The budget, and what was done to keep it.
#[derive(Debug)]
pub struct Budget {
    /// Share of one CPU.
    share: f64,
    /// When the cost was judged last, and what it was by then.
    since: Option<(u64, Spent)>,
    /// Sources that are read less often, in the order in which they came to that.
    thinned: Vec<(&'static str, u32)>,
}

impl Budget {
    /// A share of one CPU.
    pub fn new(share: f64) -> Budget {
        Budget { share, since: None, thinned: Vec::new() }
    }

    /// How many times less often a source is to be read.
    pub fn times(&self, name: &str) -> u32 {
        self.thinned.iter().find(|(thinned, _)| *thinned == name).map_or(1, |(_, times)| *times)
    }

    /// What is read less often, in words; none where nothing is.
    pub fn words(&self) -> Option<String> {
        let words: Vec<String> =
            self.thinned.iter().map(|(name, times)| format!("{name} \u{d7}{times}")).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Whether it is time to judge.
    pub fn is_due(&self, now_ns: u64) -> bool {
        self.since.is_none_or(|(since_ns, _)| now_ns.saturating_sub(since_ns) >= JUDGED.as_nanos() as u64)
    }

    /// Judges what was used up to a time of the monotonic clock; whether it changed something.
    pub fn judge(&mut self, now_ns: u64, spent: Spent, paces: &[SourcePace]) -> bool {
        let Some((since_ns, before)) = self.since else {
            self.since = Some((now_ns, spent));
            return false;
        };
        let elapsed_ns = now_ns.saturating_sub(since_ns);
        if !self.is_due(now_ns) {
            return false;
        }
        self.since = Some((now_ns, spent));
        let share = |now: u64, before: u64| now.saturating_sub(before) as f64 / elapsed_ns as f64;
        let left = (self.share - share(spent.bpf_ns, before.bpf_ns)).max(self.share * LEAST_FOR_READINGS);
        let used = share(spent.cpu_ns, before.cpu_ns);
        if used > left { self.thin(used, left, paces) } else { self.thicken(used, left, paces) }
    }

    /// The costliest first, until what is saved should do.
    fn thin(&mut self, mut used: f64, left: f64, paces: &[SourcePace]) -> bool {
        let mut changed = false;
        while used > left {
            let costs = paces.iter().filter(|pace| self.times(pace.name) < most_times(pace.name));
            let costs = costs.filter_map(|pace| Some((pace.name, self.share_of(pace)?)));
            let Some((name, saved)) = costs.max_by(|(_, a), (_, b)| a.total_cmp(b)) else { break };
            if saved < self.share * WORTH {
                break;
            }
            match self.thinned.iter_mut().find(|(thinned, _)| *thinned == name) {
                Some((_, times)) => *times *= 2,
                None => self.thinned.push((name, 2)),
            }
            used -= saved / 2.0;
            changed = true;
        }
        changed
    }

    /// The last that was thinned first.
    fn thicken(&mut self, used: f64, left: f64, paces: &[SourcePace]) -> bool {
        let Some((name, times)) = self.thinned.last().copied().filter(|_| used < left * ROOM) else {
            return false;
        };
        let more = paces.iter().find(|pace| pace.name == name).and_then(|pace| self.share_of(pace));
        if used + more.unwrap_or(0.0) > left * FULL {
            return false;
        }
        self.thinned.pop();
        if times > 2 {
            self.thinned.push((name, times / 2));
        }
        true
    }

    /// Share of one CPU that a source takes as often as it is read now; none where it is read once.
    fn share_of(&self, pace: &SourcePace) -> Option<f64> {
        let period_ns = pace.declared?.as_nanos() as f64 * f64::from(self.times(pace.name));
        Some(pace.reading_ns / period_ns)
    }
}

/// The most seldom that a source is read.
fn most_times(name: &str) -> u32 {
    if OF_TASKS.contains(&name) { MOST_TIMES_OF_TASKS } else { MOST_TIMES }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn pace(name: &'static str, reading_ms: f64, declared_s: u64) -> SourcePace {
        let declared = Some(Duration::from_secs(declared_s));
        SourcePace { name, reading_ns: reading_ms * 1e6, declared, times: 1 }
    }

    /// Judges a machine that costs so many milliseconds a second, beside what is saved.
    fn run(budget: &mut Budget, paces: &[SourcePace], other_ms: f64, rounds: u64) -> Vec<Option<String>> {
        run_beside(budget, paces, other_ms, 0, rounds)
    }

    /// The same beside eBPF programs that take so many milliseconds a second.
    fn run_beside(
        budget: &mut Budget,
        paces: &[SourcePace],
        other_ms: f64,
        bpf_ms: u64,
        rounds: u64,
    ) -> Vec<Option<String>> {
        let (mut now_ns, mut cpu_ns) = (0, 0.0);
        budget.since = None;
        let mut said = Vec::new();
        for _ in 0..=rounds {
            let spent = Spent { cpu_ns: cpu_ns as u64, bpf_ns: now_ns / 1000 * bpf_ms };
            budget.judge(now_ns, spent, paces);
            said.push(budget.words());
            now_ns += 10 * SECOND;
            let of_sources: f64 = paces.iter().filter_map(|pace| budget.share_of(pace)).sum();
            cpu_ns += (of_sources + other_ms / 1e3) * 10.0 * SECOND as f64;
        }
        said
    }

    #[test]
    fn the_costliest_is_thinned_and_comes_back() {
        let mut budget = Budget::new(0.01);
        let dear = [pace("cgroup", 14.0, 1), pace("slab", 60.0, 60), pace("memory", 0.1, 1)];
        let said = run(&mut budget, &dear, 1.0, 3);
        assert_eq!(said[0], None, "there is nothing to judge yet");
        assert_eq!(said[3].as_deref(), Some("cgroup \u{d7}2"), "{said:?}");
        let cheap = [pace("cgroup", 1.0, 1), pace("slab", 60.0, 60), pace("memory", 0.1, 1)];
        assert_eq!(run(&mut budget, &cheap, 1.0, 3).pop(), Some(None));
    }

    #[test]
    fn it_does_not_waver() {
        let mut budget = Budget::new(0.01);
        // Thinned once it keeps to the budget, and read as declared it would not.
        let paces = [pace("cgroup", 9.0, 1)];
        let said = run(&mut budget, &paces, 2.0, 20);
        assert!(said[2..].iter().all(|said| said.as_deref() == Some("cgroup \u{d7}2")), "{said:?}");
    }

    #[test]
    fn what_cannot_be_kept_is_not_tried_for_ever() {
        let mut budget = Budget::new(0.001);
        let setting = SourcePace { declared: None, ..pace("setting", 50.0, 1) };
        let paces = [pace("disk", 1.0, 1), setting];
        let said = run(&mut budget, &paces, 20.0, 20);
        assert_eq!(budget.times("disk"), 64, "{said:?}");
        assert_eq!(budget.times("setting"), 1, "it is read once a segment");
    }

    #[test]
    fn readings_have_what_programs_leave() {
        let paces = [pace(LEDGER, 3.0, 1), pace("disk", 1.5, 1)];
        let thinned = |bpf_ms| {
            let mut budget = Budget::new(0.01);
            run_beside(&mut budget, &paces, 1.0, bpf_ms, 20).pop().flatten()
        };
        // 5.5 ms a second of 10.
        assert_eq!(thinned(4), None, "4 ms are left over");
        assert_eq!(thinned(5).as_deref(), Some("ledger \u{d7}2"));
        // What takes more than the budget by itself does not take everything from who reads.
        assert_eq!(thinned(44).as_deref(), Some("ledger \u{d7}2"));
    }

    #[test]
    fn a_crowd_is_still_seen_every_eight_seconds() {
        let mut budget = Budget::new(0.01);
        let paces = [pace(LEDGER, 500.0, 1), pace(ProcessTable::NAME, 400.0, 1), pace("disk", 0.5, 1)];
        let said = run(&mut budget, &paces, 1.0, 20);
        assert_eq!((budget.times(LEDGER), budget.times(ProcessTable::NAME)), (8, 8), "{said:?}");
    }
}
