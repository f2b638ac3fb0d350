//! Findings of one id and kind of subject as one: eight processes that are heavy on the kernel are one thing to
//! know about a machine.
//!
//! A group stands where its first member stands. Its harm is that of its members together, and its severity follows
//! from that; it is never below that of a member.

use std::collections::BTreeMap;

use heldup_model::{Finding, FindingGroup, Impact, ImpactKind, Severity};

use crate::diagnosis::Measured;
use crate::severity::{HOURS, Harm, OF_RECORDING, severity};

/// Groups of findings in rank order. `measured` has what the rules measured besides, by the findings' keys.
pub fn group(findings: &[Finding], measured: &BTreeMap<String, Measured>) -> Vec<FindingGroup> {
    let mut groups: Vec<(FindingGroup, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let key = FindingGroup::key_of(finding);
        match groups.iter_mut().find(|(group, _)| group.key == key) {
            Some((_, members)) => members.push(finding),
            None => {
                let id = finding.id.clone();
                groups.push((FindingGroup { key, id, ..FindingGroup::default() }, vec![finding]));
            }
        }
    }
    groups.into_iter().map(|(group, members)| together(group, &members, measured)).collect()
}

/// The group with the harm of its members.
fn together(
    group: FindingGroup,
    members: &[&Finding],
    measured: &BTreeMap<String, Measured>,
) -> FindingGroup {
    let cost = members.iter().filter_map(|one| one.cost).reduce(|sum, cost| (sum + cost).min(1.0));
    let impact = impact(members);
    let worst = members.iter().map(|one| one.severity).min().unwrap_or(Severity::Info);
    let joint = joint_severity(members, measured, &impact, cost).unwrap_or(worst);
    let members = members.iter().map(|one| one.key.clone()).collect();
    // Severities are declared worst first.
    FindingGroup { severity: worst.min(joint), cost, impact, members, ..group }
}

/// The harm together: of lost time, failures and waste the sum, of a risk the nearest, of a state how long it lasted.
fn impact(members: &[&Finding]) -> Impact {
    let Some(first) = members.first() else { return Impact::default() };
    let amounts =
        || members.iter().filter(|one| same_unit(&one.impact, &first.impact)).map(|one| one.impact.amount);
    let amount = match (first.impact.kind, first.impact.unit.as_str()) {
        (ImpactKind::Risk, HOURS) => amounts().fold(f64::INFINITY, f64::min),
        (ImpactKind::Risk, _) | (_, OF_RECORDING) => amounts().fold(0.0, f64::max),
        _ => amounts().sum(),
    };
    Impact { amount, ..first.impact.clone() }
}

fn same_unit(one: &Impact, other: &Impact) -> bool {
    one.kind == other.kind && one.unit == other.unit
}

/// The severity of the joint harm of lost time: members that are each too small to matter may matter together.
fn joint_severity(
    members: &[&Finding],
    measured: &BTreeMap<String, Measured>,
    impact: &Impact,
    cost: Option<f64>,
) -> Option<Severity> {
    let cost = cost.filter(|_| impact.kind == ImpactKind::Time && members.len() > 1)?;
    let known: Vec<(&Measured, f64)> =
        members.iter().filter_map(|one| Some((measured.get(&one.key)?, one.cost?))).collect();
    let costs: f64 = known.iter().map(|(_, cost)| cost).sum();
    let felt: f64 = known.iter().map(|(one, cost)| one.weight * cost).sum();
    let longest = |of: fn(&Measured) -> f64| known.iter().map(|(one, _)| of(one)).fold(0.0, f64::max);
    Some(severity(&Harm {
        kind: impact.kind,
        amount: impact.amount,
        unit: &impact.unit,
        cost: Some(cost),
        weight: if costs > 0.0 { felt / costs } else { 0.0 },
        lasting_s: longest(|one| one.lasting_s),
        window_s: longest(|one| one.window_s),
    }))
}

#[cfg(test)]
mod tests {
    use heldup_model::Subject;

    use super::*;

    fn finding(id: &str, kind: &str, name: &str, cost: f64, severity: Severity) -> Finding {
        Finding {
            key: format!("{id}/{kind}:{name}"),
            id: id.to_owned(),
            severity,
            cost: Some(cost),
            impact: Impact { kind: ImpactKind::Time, amount: 100.0 * cost, unit: "s".to_owned() },
            subject: Subject { kind: kind.to_owned(), name: name.to_owned(), ..Subject::default() },
            ..Finding::default()
        }
    }

    fn measured(findings: &[Finding]) -> BTreeMap<String, Measured> {
        let one = Measured { is_near_a_step: false, weight: 1.0, lasting_s: 10.0, window_s: 10.0 };
        findings.iter().map(|finding| (finding.key.clone(), one)).collect()
    }

    #[test]
    fn one_id_and_kind_is_one_group_in_the_place_of_its_first() {
        let findings = [
            finding("cpu.kernel-heavy", "process", "fifo", 0.04, Severity::Info),
            finding("disk.slow", "device", "vda", 0.03, Severity::Info),
            finding("cpu.kernel-heavy", "process", "pipe", 0.03, Severity::Info),
            finding("cpu.kernel-heavy", "thread", "pipe/1", 0.01, Severity::Info),
        ];
        let groups = group(&findings, &measured(&findings));
        let keys: Vec<&str> = groups.iter().map(|group| group.key.as_str()).collect();
        assert_eq!(keys, ["cpu.kernel-heavy@process", "disk.slow@device", "cpu.kernel-heavy@thread"]);
        assert_eq!(groups[0].members.len(), 2);
        assert!((groups[0].cost.unwrap_or(0.0) - 0.07).abs() < 1e-9, "the sum");
        assert_eq!(groups[0].severity, Severity::Warning, "4 and 3 % are 7 %");
        assert_eq!(groups[1].severity, Severity::Info);
    }

    #[test]
    fn a_group_is_never_below_a_member_and_costs_no_more_than_all() {
        let findings = [
            finding("cpu.throttled", "cgroup", "/a", 0.7, Severity::Critical),
            finding("cpu.throttled", "cgroup", "/a/b", 0.6, Severity::Critical),
        ];
        let none = group(&findings, &BTreeMap::new());
        assert_eq!((none[0].severity, none[0].cost), (Severity::Critical, Some(1.0)));
    }

    #[test]
    fn of_risks_the_nearest_counts() {
        let risk = |name: &str, amount: f64| Finding {
            cost: None,
            impact: Impact { kind: ImpactKind::Risk, amount, unit: HOURS.to_owned() },
            ..finding("fs.full", "mount", name, 0.0, Severity::Info)
        };
        let groups = group(&[risk("/a", 30.0), risk("/b", 40.0)], &BTreeMap::new());
        assert_eq!(groups[0].impact.amount, 30.0);
    }
}
