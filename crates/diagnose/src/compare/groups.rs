//! Several captures against several: what sets the second group apart from the first.
//!
//! A member is one mean for each class and metric, of its steady part, and what counts is how much
//! the members of the first group differ among themselves (`stats::between`). A setting counts
//! where all of the first group agree on it; findings and programs are counted by member.

use std::collections::{BTreeMap, BTreeSet};

use heldup_archive::SqlError;
use heldup_model::{
    COMPARISON_SCHEMA, ComparedSide, Comparison, ComparisonVerdict, ErrorNote, Finding, FindingDifference,
    Judgement, LedgerDifference, ProgramDifference, SettingDifference,
};
use heldup_stats::{LEAST_MEMBERS, between, binomial};

use super::inventory::Values;
use super::ledger::Rates;
use super::metrics::Metrics;
use super::side::Side;
use super::{CompareOptions, LEVEL, Named, findings, headlines, inventory, ledger, metrics, programs};

/// What is taken of one capture.
struct Member {
    described: ComparedSide,
    wanted: f64,
    seconds: f64,
    /// Task-seconds per second by class, and of each by program.
    classes: BTreeMap<String, (f64, Rates)>,
    /// Means by table, row and column.
    metrics: BTreeMap<(&'static str, String, usize), f64>,
    inventory: Vec<Values>,
    programs: Rates,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

/// Compares two groups; the first one says what is usual.
pub fn compare(
    usual: &[Named],
    asked: &[Named],
    options: CompareOptions,
) -> Result<Option<Comparison>, SqlError> {
    let mut errors = Vec::new();
    let mut read = |group: &[Named]| -> Result<Vec<Member>, SqlError> {
        group.iter().map(|named| Member::read(*named, options, &mut errors)).collect()
    };
    let (usual, asked) = (read(usual)?, read(asked)?);
    let (Some(first), Some(second)) = (usual.first(), asked.first()) else { return Ok(None) };
    let mut notes: Vec<String> = usual.iter().chain(&asked).flat_map(|one| one.notes.clone()).collect();
    if usual.len() < LEAST_MEMBERS {
        notes.push(format!(
            "first side: {} of {LEAST_MEMBERS} captures needed to know their variation; differences are shown, not judged",
            usual.len()
        ));
    }
    let (settings, varying) = settings(&usual, &asked);
    if varying > 0 {
        notes.push(format!("{varying} settings vary within the first side and are left out"));
    }
    let metrics = metrics_of(&usual, &asked);
    let described = |group: &[Member]| group.iter().map(|one| one.described.clone()).collect();
    let mut comparison = Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        first: first.described.clone(),
        second: second.described.clone(),
        first_members: described(&usual),
        second_members: described(&asked),
        notes,
        verdict: ComparisonVerdict::Undecided,
        headlines: Vec::new(),
        settings,
        findings: findings_of(&usual, &asked),
        ledger: ledger_of(&usual, &asked),
        programs: programs_of(&usual, &asked),
        metrics: metrics.differences,
        metrics_judged: metrics.judged,
        metrics_too_short: metrics.too_short,
        errors,
    };
    comparison.verdict = headlines::verdict(&comparison);
    comparison.headlines = headlines::of(&comparison);
    Ok(Some(comparison))
}

impl Member {
    fn read(
        (name, capture): Named,
        options: CompareOptions,
        errors: &mut Vec<ErrorNote>,
    ) -> Result<Member, SqlError> {
        let side = Side::open(name, capture, options.whole)?;
        let class = |time: &ledger::ClassTime| {
            let sum: f64 = time.series.iter().sum();
            (sum / side.samples.max(1) as f64, time.rates(side.seconds))
        };
        let mut means = BTreeMap::new();
        for def in metrics::compared() {
            for ((entity, at), values) in metrics::series(&side, def)? {
                let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
                means.insert((def.name, entity, at), mean);
            }
        }
        Ok(Member {
            described: super::described(&side),
            wanted: side.wanted,
            seconds: side.seconds,
            classes: ledger::classes(&side)?.iter().map(|(name, time)| (name.clone(), class(time))).collect(),
            metrics: means,
            inventory: inventory::inventory(&side, errors),
            programs: programs::programs(&side)?,
            findings: findings::of(capture, options.rules, errors),
            notes: side.notes.clone(),
        })
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn ledger_of(usual: &[Member], asked: &[Member]) -> Vec<LedgerDifference> {
    let names: BTreeSet<&String> = usual.iter().chain(asked).flat_map(|one| one.classes.keys()).collect();
    let size = |group: &[Member]| {
        let cpus = group.iter().map(|one| one.described.cpus).max().unwrap_or(1);
        (mean(group.iter().map(|one| one.wanted)), cpus)
    };
    let wanted = ledger::wanted([size(usual), size(asked)]);
    let rates = |group: &[Member], name: &str| {
        let mut sums = Rates::new();
        for (_, programs) in group.iter().filter_map(|one| one.classes.get(name)) {
            for (program, rate) in programs {
                *sums.entry(program.clone()).or_default() += rate / group.len() as f64;
            }
        }
        sums
    };
    let mut all: Vec<LedgerDifference> = names
        .into_iter()
        .map(|name| {
            // A class without a row took no time.
            let values = |group: &[Member]| -> Vec<f64> {
                group.iter().map(|one| one.classes.get(name).map_or(0.0, |class| class.0)).collect()
            };
            let found = between(&values(usual), &values(asked));
            ledger::described(name, found, wanted, &[rates(usual, name), rates(asked, name)])
        })
        .collect();
    let seconds = usual.iter().chain(asked).map(|one| one.seconds).fold(f64::INFINITY, f64::min);
    ledger::judge(&mut all, seconds);
    all
}

/// Only what every member has is compared: hosts have disks and interfaces of their own.
fn metrics_of(usual: &[Member], asked: &[Member]) -> Metrics {
    let mut metrics = Metrics::default();
    let mut questions = Vec::new();
    let Some(first) = usual.first() else { return metrics };
    let defs: BTreeMap<&str, _> = metrics::compared().map(|def| (def.name, def)).collect();
    for key in first.metrics.keys() {
        let values = |group: &[Member]| -> Option<Vec<f64>> {
            group.iter().map(|one| one.metrics.get(key).copied()).collect()
        };
        let (Some(before), Some(after)) = (values(usual), values(asked)) else { continue };
        let Some(def) = defs.get(key.0) else { continue };
        let (Some(found), Some(column)) = (between(&before, &after), def.columns.get(key.2)) else {
            continue;
        };
        metrics::ask(def, column, &key.1, &found, &mut metrics, &mut questions);
    }
    metrics::judge(&mut metrics, questions);
    metrics
}

/// Settings that all of the first group agree on and some of the second have otherwise, those
/// of most members first; and how many the first group does not agree on.
fn settings(usual: &[Member], asked: &[Member]) -> (Vec<SettingDifference>, usize) {
    let Some((reference, others)) = usual.split_first() else { return (Vec::new(), 0) };
    type Name = (String, String, String);
    let name =
        |one: &SettingDifference| -> Name { (one.table.clone(), one.subject.clone(), one.column.clone()) };
    let from_reference = |one: &Member| inventory::between(&reference.inventory, &one.inventory);
    let varying: BTreeSet<Name> = others.iter().flat_map(from_reference).map(|one| name(&one)).collect();
    let mut found: BTreeMap<Name, Vec<SettingDifference>> = BTreeMap::new();
    for one in asked.iter().flat_map(from_reference).filter(|one| !varying.contains(&name(one))) {
        found.entry(name(&one)).or_default().push(one);
    }
    let mut all: Vec<SettingDifference> = found.into_values().filter_map(most_frequent).collect();
    all.sort_by_key(|one| (inventory::package_rank(one), std::cmp::Reverse(one.second_members)));
    (all, varying.len())
}

/// The value that most of the members have, with the number of those that differ at all.
fn most_frequent(values: Vec<SettingDifference>) -> Option<SettingDifference> {
    let count = |one: &SettingDifference| values.iter().filter(|other| other.second == one.second).count();
    let mut most = values.iter().rev().max_by_key(|one| count(one))?.clone();
    most.second_members = Some(values.len() as u64);
    Some(most)
}

/// Programs that all of one group run and none of the other.
fn programs_of(usual: &[Member], asked: &[Member]) -> Vec<ProgramDifference> {
    let common = |group: &[Member]| -> Rates {
        let Some((first, rest)) = group.split_first() else { return Rates::new() };
        let everywhere = |name: &&String| rest.iter().all(|one| one.programs.contains_key(*name));
        let rate = |name: &String| mean(group.iter().filter_map(|one| one.programs.get(name).copied()));
        first.programs.keys().filter(everywhere).map(|name| (name.clone(), rate(name))).collect()
    };
    let nowhere = |name: &str, group: &[Member]| group.iter().all(|one| !one.programs.contains_key(name));
    let mut one = common(usual);
    one.retain(|name, _| nowhere(name, asked));
    let mut other = common(asked);
    other.retain(|name, _| nowhere(name, usual));
    programs::on_one_side(&one, &other)
}

/// Findings, by id: each host has subjects of its own.
fn findings_of(usual: &[Member], asked: &[Member]) -> Vec<FindingDifference> {
    let ids: BTreeSet<&String> =
        usual.iter().chain(asked).flat_map(|one| &one.findings).map(|finding| &finding.id).collect();
    let all = ids.into_iter().filter_map(|id| {
        let of = |group: &'_ [Member]| -> Vec<Finding> {
            group
                .iter()
                .filter_map(|one| one.findings.iter().find(|found| &found.id == id).cloned())
                .collect()
        };
        counted(&of(usual), usual.len(), &of(asked), asked.len())
    });
    findings::sorted(all.collect())
}

/// A finding that one group has more often; judged by Fisher's exact test.
fn counted(first: &[Finding], of: usize, second: &[Finding], of_second: usize) -> Option<FindingDifference> {
    let more_in_second = second.len() * of > first.len() * of_second;
    if second.len() * of == first.len() * of_second {
        return None;
    }
    let shown = if more_in_second { second } else { first }.iter().min_by_key(|found| found.severity)?;
    let worst = |group: &[Finding]| group.iter().map(|found| found.severity).min();
    let cost = |group: &[Finding], of: usize| {
        let costs: Vec<f64> = group.iter().filter_map(|found| found.cost).collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / of as f64)
    };
    let p = fisher(first.len() as u64, of as u64, second.len() as u64, of_second as u64);
    Some(FindingDifference {
        id: shown.id.clone(),
        key: shown.key.clone(),
        subject: shown.subject.name.clone(),
        title: shown.title.clone(),
        first: worst(first),
        second: worst(second),
        first_cost: cost(first, of),
        second_cost: cost(second, of_second),
        culprits: shown.culprits.iter().map(|task| task.name.clone()).collect(),
        judgement: if p <= LEVEL { Judgement::Differs } else { Judgement::NotJudged },
        first_members: Some(first.len() as u64),
        second_members: Some(second.len() as u64),
    })
}

/// Probability that chance alone puts `hits` of the members with the thing into the groups as
/// unevenly or more so, either way.
fn fisher(hits: u64, of: u64, more_hits: u64, of_more: u64) -> f64 {
    let all = hits + more_hits;
    let ways = |first: u64| binomial(of, first) * binomial(of_more, all.saturating_sub(first));
    let seen = ways(hits);
    let possible = (0..=all.min(of)).filter(|first| all - first <= of_more);
    let likely: f64 = possible.map(ways).filter(|ways| *ways <= seen * (1.0 + 1e-9)).sum();
    likely / binomial(of + of_more, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fishers_exact_test() {
        // All of five against none of five: two of 252 ways.
        assert!((fisher(0, 5, 5, 5) - 2.0 / 252.0).abs() < 1e-9);
        // The lady who tastes tea: three of four right, 0.4857 on both sides.
        assert!((fisher(3, 4, 1, 4) - 0.485_714).abs() < 1e-5);
        assert!((fisher(0, 3, 2, 2) - 0.1).abs() < 1e-9);
    }
}
