//! Joins findings into causes and symptoms, and puts them in order.
//!
//! What needs attention stands above what is only worth knowing; then failure, time,
//! risk, waste; of these what is critical before what is a warning; then the amount of harm; a crowd of one id stands behind other ids. Of what is only worth knowing comes first what is
//! nearest to needing attention. A symptom stands below its cause, however large it is: the
//! cause is what can be acted on. A cause that only says more about its symptom (`detail`) stands right below that.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use heldup_model::{Finding, Severity};

use crate::document::SymptomOf;
use crate::finding::Draft;
use crate::severity::{HOURS, OF_RECORDING};

/// Subjects of one id that may stand before what else needs attention.
const MOST_OF_AN_ID: usize = 3;

/// Drafts in rank order, joined.
pub fn rank(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut drafts = in_order(drafts);
    for (symptom, causes) in causes_of(&drafts).into_iter().enumerate() {
        for cause in causes {
            let (symptom_key, cause_key) =
                (drafts[symptom].finding.key.clone(), drafts[cause].finding.key.clone());
            if is_detail(&drafts[symptom], &drafts[cause]) {
                drafts[cause].finding.detail_of.get_or_insert_with(|| symptom_key.clone());
            }
            drafts[symptom].finding.because.push(cause_key);
            drafts[cause].finding.explains.push(symptom_key);
        }
    }
    drafts
}

/// Drafts in rank order, each behind its causes; not joined yet.
pub fn in_order(mut drafts: Vec<Draft>) -> Vec<Draft> {
    sort(&mut drafts);
    let mut causes = causes_of(&drafts);
    for symptom in 0..drafts.len() {
        let of = std::mem::take(&mut causes[symptom]);
        causes[symptom] =
            of.into_iter().filter(|cause| !is_detail(&drafts[symptom], &drafts[*cause])).collect();
    }
    let order = causes_first(&causes);
    let order = details_below(order, &drafts);
    let mut drafts: Vec<Option<Draft>> = drafts.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| drafts[at].take()).collect()
}

/// Two processes may have one name: from the second on, the key carries the process id.
pub fn name_apart(drafts: &mut [Draft]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for draft in drafts {
        let finding = &mut draft.finding;
        let count = seen.entry(finding.key.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            let tail =
                finding.subject.tid.or(finding.subject.pid).map_or(count.to_string(), |id| id.to_string());
            finding.key = format!("{}[{tail}]", finding.key);
        }
    }
}

/// By harm; but what needs attention of one id beyond the third subject stands below all other ids, so that a
/// crowd of sixteen killed processes hides nobody's trouble.
fn sort(drafts: &mut [Draft]) {
    drafts.sort_by(harm_order);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut crowd: HashSet<String> = HashSet::new();
    for draft in drafts.iter().filter(|draft| draft.finding.severity != Severity::Info) {
        let count = seen.entry(&draft.rule.id).or_insert(0);
        *count += 1;
        if *count > MOST_OF_AN_ID {
            crowd.insert(draft.finding.key.clone());
        }
    }
    drafts
        .sort_by_key(|draft| (draft.finding.severity == Severity::Info, crowd.contains(&draft.finding.key)));
}

fn harm_order(a: &Draft, b: &Draft) -> Ordering {
    let info = |draft: &Draft| draft.finding.severity == Severity::Info;
    let near = |draft: &Draft| if info(draft) { draft.nearness } else { 0.0 };
    let nearest = near(b).total_cmp(&near(a));
    let by_kind = info(a).cmp(&info(b)).then(nearest);
    let (a, b) = (&a.finding, &b.finding);
    by_kind
        .then(a.impact.kind.cmp(&b.impact.kind))
        .then(a.severity.cmp(&b.severity))
        .then_with(|| weight(b).total_cmp(&weight(a)))
        .then_with(|| b.impact.amount.total_cmp(&a.impact.amount))
        .then_with(|| a.key.cmp(&b.key))
}

/// Larger is worse, within one kind of impact.
fn weight(finding: &Finding) -> f64 {
    match (finding.cost, finding.impact.unit.as_str()) {
        (Some(cost), _) => cost,
        (None, HOURS) => 1.0 / finding.impact.amount.max(1e-6),
        // Findings with a cost have a known loss; a duration alone says less.
        (None, "s" | OF_RECORDING) => 0.0,
        // Of what was counted since boot nobody knows whether it is over.
        (None, unit) if unit.contains(" since ") => 0.0,
        (None, _) => finding.impact.amount,
    }
}

/// For each draft, the indices of those that explain it.
fn causes_of(drafts: &[Draft]) -> Vec<Vec<usize>> {
    drafts
        .iter()
        .map(|symptom| {
            let explains =
                |cause: &Draft| symptom.rule.symptom_of.iter().any(|link| joined(link, symptom, cause));
            (0..drafts.len()).filter(|&at| explains(&drafts[at])).collect()
        })
        .collect()
}

/// What is only worth knowing is no cause of what needs attention.
fn joined(link: &SymptomOf, symptom: &Draft, cause: &Draft) -> bool {
    let is_info = |draft: &Draft| draft.finding.severity == Severity::Info;
    if cause.rule.id != link.id || is_info(cause) && !is_info(symptom) {
        return false;
    }
    let Some(column) = link.same.as_deref() else { return true };
    let words = cause.row.words(column);
    symptom.row.words(column).iter().any(|word| words.contains(word))
}

/// Whether a cause only says more about its symptom. One that is worse is a trouble of its own.
fn is_detail(symptom: &Draft, cause: &Draft) -> bool {
    let links = symptom.rule.symptom_of.iter();
    let is_worse = cause.finding.severity < symptom.finding.severity;
    !is_worse && links.into_iter().any(|link| link.detail && joined(link, symptom, cause))
}

/// Keeps the order, but puts each detail right behind the first finding that it is one of.
fn details_below(order: Vec<usize>, drafts: &[Draft]) -> Vec<usize> {
    let of = |cause: usize| {
        order.iter().copied().find(|&at| at != cause && is_detail(&drafts[at], &drafts[cause]))
    };
    let above: Vec<Option<usize>> = (0..drafts.len()).map(of).collect();
    let mut below = Vec::with_capacity(order.len());
    for &at in order.iter().filter(|&&at| above[at].is_none()) {
        below.push(at);
        below.extend(order.iter().filter(|&&other| above[other] == Some(at)));
    }
    // A detail of a detail, which no rule has yet.
    below.extend(order.iter().filter(|&&at| above[at].is_some_and(|of| above[of].is_some())));
    below
}

/// Keeps the order, but puts each finding behind its causes. Rules may not explain each
/// other in a circle; should they, the circle is broken where it is met.
fn causes_first(causes: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(causes.len());
    let mut visited = vec![false; causes.len()];
    for at in 0..causes.len() {
        visit(at, causes, &mut visited, &mut order);
    }
    order
}

fn visit(at: usize, causes: &[Vec<usize>], visited: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut visited[at], true) {
        return;
    }
    for &cause in &causes[at] {
        visit(cause, causes, visited, order);
    }
    order.push(at);
}
