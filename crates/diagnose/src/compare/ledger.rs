//! Where the time of user tasks went, on both sides.

use std::collections::{BTreeMap, BTreeSet};

use heldup_archive::SqlError;
use heldup_model::{Class, Group, ImpactKind, Judgement, LedgerDifference, ProgramShare};
use heldup_stats::{Difference, difference, holm};

use super::LEVEL;
use super::side::{Side, secs};
use crate::severity::{Harm, severity};

/// Programs named for each class.
const MOST_PROGRAMS: usize = 5;
/// Share of all CPUs that active time is taken to be at least: a wait on an idle machine is not
/// all of what it does. The same as for findings.
const LEAST_WANTED: f64 = 0.05;

const SAMPLES: &str = "
    select time from task_time where time > :since and time <= :until group by time order by time";
const BY_PROGRAM: &str = "
    select time, class_name, coalesce(process_name, name, '?') as program, max(secs) as secs, total(seconds) as seconds
    from task_time
    where time > :since and time <= :until and not kernel_thread
    group by 1, 2, 3";

/// Task-seconds per second of one class.
#[derive(Default)]
pub struct ClassTime {
    /// By sample.
    pub series: Vec<f64>,
    /// By program, seconds over the whole.
    programs: BTreeMap<String, f64>,
}

/// Task-seconds per second by program.
pub type Rates = BTreeMap<String, f64>;

impl ClassTime {
    /// The programs' parts, of a side that is so long.
    pub fn rates(&self, seconds: f64) -> Rates {
        let rate = |(name, of): (&String, &f64)| (name.clone(), of / seconds.max(f64::MIN_POSITIVE));
        self.programs.iter().map(rate).collect()
    }
}

/// The classes of both sides.
pub fn compare(first: &Side, second: &Side) -> Result<Vec<LedgerDifference>, SqlError> {
    let (one, other) = (classes(first)?, classes(second)?);
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let wanted = wanted([first, second].map(|side| (side.wanted, side.cpus)));
    let mut all: Vec<LedgerDifference> = names
        .into_iter()
        .map(|name| of_class(name, [(first, one.get(name)), (second, other.get(name))], wanted))
        .collect();
    judge(&mut all, first.seconds.min(second.seconds));
    Ok(all)
}

/// The active time that a change is a share of: that of the side that has more of it.
pub fn wanted(sides: [(f64, i64); 2]) -> f64 {
    let [(first, cpus), (second, others)] = sides;
    first.max(second).max(LEAST_WANTED * cpus.max(others).max(1) as f64)
}

/// Time by class of what is compared of a side.
pub fn classes(side: &Side) -> Result<BTreeMap<String, ClassTime>, SqlError> {
    let times: BTreeMap<i64, usize> = side
        .rows(SAMPLES)?
        .iter()
        .filter_map(|row| row.int("time"))
        .enumerate()
        .map(|(at, time)| (time, at))
        .collect();
    let mut classes: BTreeMap<String, ClassTime> = BTreeMap::new();
    for row in side.rows(BY_PROGRAM)? {
        let (Some(time), Some(name), Some(program)) =
            (row.int("time"), row.text("class_name"), row.text("program"))
        else {
            continue;
        };
        let class = classes.entry(name).or_default();
        // A class without a row in a sample took no time in it.
        class.series.resize(times.len(), 0.0);
        let seconds = row.number("seconds").unwrap_or(0.0);
        if let Some(value) = times.get(&time).and_then(|&at| class.series.get_mut(at)) {
            *value += seconds / secs(&row);
        }
        *class.programs.entry(program).or_default() += seconds;
    }
    Ok(classes)
}

fn of_class(name: &str, sides: [(&Side, Option<&ClassTime>); 2], wanted: f64) -> LedgerDifference {
    let series = sides
        .map(|(side, class)| class.map_or_else(|| vec![0.0; side.samples], |class| class.series.clone()));
    let found = difference(&series[0], &series[1]);
    let rates = sides.map(|(side, class)| class.map_or_else(Rates::new, |class| class.rates(side.seconds)));
    described(name, found, wanted, &rates)
}

/// A class and its change, not judged.
pub fn described(name: &str, found: Option<Difference>, wanted: f64, rates: &[Rates; 2]) -> LedgerDifference {
    let mean = |at: usize| found.map_or(0.0, |found| if at == 0 { found.from } else { found.to });
    let interval = found.and_then(|found| found.interval(1.0 - LEVEL));
    // Of a short side it cannot be told that there is a difference, but often that none is seen.
    let unseen = found.and_then(|found| found.optimistic).is_some_and(|p| p > LEVEL);
    let group = Class::from_name(name).map_or(Group::Other, Class::group);
    LedgerDifference {
        class_name: name.to_owned(),
        group: group.name().to_owned(),
        first: mean(0),
        second: mean(1),
        change_low: interval.map(|interval| interval.0),
        change_high: interval.map(|interval| interval.1),
        p_value: found.and_then(|found| found.p),
        judgement: if unseen { Judgement::NoDifferenceSeen } else { Judgement::NotJudged },
        cost: (mean(1) - mean(0)).abs() / wanted,
        severity: None,
        programs: programs(rates),
    }
}

fn programs(rates: &[Rates; 2]) -> Vec<ProgramShare> {
    let names: BTreeSet<&String> = rates[0].keys().chain(rates[1].keys()).collect();
    let of = |at: usize, name: &String| rates[at].get(name).copied().unwrap_or(0.0);
    let mut shares: Vec<ProgramShare> = names
        .into_iter()
        .map(|name| ProgramShare { name: name.clone(), first: of(0, name), second: of(1, name) })
        .collect();
    let change = |share: &ProgramShare| (share.second - share.first).abs();
    shares.sort_by(|a, b| change(b).total_cmp(&change(a)));
    shares.truncate(MOST_PROGRAMS);
    shares
}

/// Whether it is active time; the rest is no harm.
pub fn is_wanted(class: &LedgerDifference) -> bool {
    let groups = [Group::Running, Group::Waiting, Group::Peer];
    groups.iter().any(|group| group.name() == class.group)
}

/// Decides for each class whether it differs, differing ones first. Only active time can have a severity: that a task
/// sleeps longer is no harm; and only active time counts as one of the simultaneous tests.
pub fn judge(all: &mut [LedgerDifference], seconds: f64) {
    for asked in [true, false] {
        let at: Vec<usize> = (0..all.len()).filter(|&at| is_wanted(&all[at]) == asked).collect();
        let judged: Vec<usize> = at.into_iter().filter(|&at| all[at].p_value.is_some()).collect();
        let likeliness: Vec<f64> = judged.iter().filter_map(|&at| all[at].p_value).collect();
        for (at, differs) in judged.into_iter().zip(holm(&likeliness, LEVEL)) {
            let class = &mut all[at];
            class.judgement = if differs { Judgement::Differs } else { Judgement::NoDifferenceSeen };
            if differs && asked {
                let amount = (class.second - class.first).abs() * seconds;
                let harm = Harm {
                    kind: ImpactKind::Time,
                    amount,
                    unit: "s",
                    cost: Some(class.cost),
                    weight: 1.0,
                    lasting_s: seconds,
                    window_s: seconds,
                };
                class.severity = Some(severity(&harm));
            }
        }
    }
    let rank = |class: &LedgerDifference| {
        let unseen = class.judgement == Judgement::NoDifferenceSeen;
        (class.judgement != Judgement::Differs, unseen, !is_wanted(class))
    };
    all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.cost.total_cmp(&a.cost)));
}
