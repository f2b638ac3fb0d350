//! Two windows of one kind of time, held against each other per second of each.

use std::collections::{BTreeMap, HashSet};

use heldup_model::{
    BREAKDOWN_DIFFERENCE_SCHEMA, Breakdown, BreakdownDifference, BreakdownKind, Class, DifferencePer,
    DifferenceRow, DifferenceSide, DifferenceStack, FlameStack, FlameUnit,
};

use super::{BreakdownRequest, breakdown};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::progress::Progress;
use crate::request::AskedSpan;

/// Both windows, and what differs.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The first window.
    pub before: Breakdown,
    /// The second window.
    pub after: Breakdown,
    /// What differs.
    pub difference: BreakdownDifference,
}

/// Breaks down a baseline, then the source of the request, and compares.
pub fn breakdown_difference(
    request: &BreakdownRequest,
    baseline: &str,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Compared> {
    let span = AskedSpan { since: None, until: None, ..request.span.clone() };
    // A host is that of the source: the baseline names its own.
    let span = AskedSpan { host: span.host.filter(|_| !baseline.contains('#')), ..span };
    let of_baseline = BreakdownRequest {
        source: Some(baseline.to_owned()),
        window: None,
        span,
        flame: true,
        stacks: false,
        ..request.clone()
    };
    let before = breakdown(&of_baseline, progress, cancel)?;
    let asked = BreakdownRequest { flame: true, stacks: false, ..request.clone() };
    let after = breakdown(&asked, progress, cancel)?;
    let difference = difference(&before, &after);
    Ok(Compared { before, after, difference })
}

/// What differs between two windows of the same kind.
pub fn difference(before: &Breakdown, after: &Breakdown) -> BreakdownDifference {
    let (total_before, total_after) = (amount(before), amount(after));
    let has_times = before.length_s > 0.0 && after.length_s > 0.0;
    // Of threads at one moment, and of shares, there is no rate.
    let has_rates = unit(before) == unit(after) && !matches!(unit(after), "share" | "threads");
    let per = match has_times && has_rates {
        true => DifferencePer::Second,
        false => DifferencePer::Total,
    };
    let divisor = |side: &Breakdown, total: f64| match per {
        DifferencePer::Second => side.length_s,
        DifferencePer::Total => total,
    };
    let divisors = [divisor(before, total_before), divisor(after, total_after)];
    let mut errors = before.errors.clone();
    errors.extend(after.errors.iter().cloned());
    let of_class = |_: &Option<String>, class: &Option<String>| (None, class.clone());
    let of_program = |program: &Option<String>, class: &Option<String>| (program.clone(), class.clone());
    BreakdownDifference {
        schema: BREAKDOWN_DIFFERENCE_SCHEMA.to_owned(),
        kind: after.kind,
        unit: unit(after).to_owned(),
        per,
        before: side(before, total_before),
        after: side(after, total_after),
        classes: rows([before, after], divisors, of_class),
        programs: rows([before, after], divisors, of_program),
        stacks: stacks([before, after], divisors),
        errors,
        overhead: after.overhead,
    }
}

fn unit(side: &Breakdown) -> &'static str {
    match side.flame.as_ref().map(|flame| flame.unit) {
        Some(FlameUnit::Samples) => "samples",
        Some(FlameUnit::Threads) => "threads",
        Some(FlameUnit::Share) => "share",
        _ => side.kind.unit(),
    }
}

/// What a program waited in a class: of the ledger, or where there is none of the stacks.
fn amounts(side: &Breakdown) -> Vec<(Option<String>, Option<String>, f64)> {
    let stacks = side.flame.iter().flat_map(|flame| &flame.stacks);
    match side.programs.is_empty() {
        false => {
            let of = side.programs.iter();
            of.map(|one| (one.program.clone(), Some(one.class.clone()), one.amount)).collect()
        }
        true => stacks.map(|one| (one.program.clone(), one.class.clone(), one.amount)).collect(),
    }
}

fn amount(side: &Breakdown) -> f64 {
    amounts(side).iter().map(|(_, _, amount)| amount).sum()
}

fn side(of: &Breakdown, amount: f64) -> DifferenceSide {
    DifferenceSide {
        source: of.source.clone(),
        host: of.host.clone(),
        from: of.from.clone(),
        to: of.to.clone(),
        length_s: of.length_s,
        amount,
    }
}

/// Program and class.
type Key = (Option<String>, Option<String>);

fn rows(
    sides: [&Breakdown; 2],
    divisors: [f64; 2],
    key: fn(&Option<String>, &Option<String>) -> Key,
) -> Vec<DifferenceRow> {
    let mut sums: BTreeMap<Key, [f64; 2]> = BTreeMap::new();
    for (at, side) in sides.into_iter().enumerate() {
        for (program, class, amount) in amounts(side) {
            sums.entry(key(&program, &class)).or_default()[at] += amount;
        }
    }
    let [is_known_before, is_known_after] = sides.map(known);
    let mut rows: Vec<DifferenceRow> = sums
        .into_iter()
        .map(|((program, class), [before, after])| {
            let before_amount = is_known_before(class.as_deref()).then_some(before);
            let after_amount = is_known_after(class.as_deref()).then_some(after);
            let before = before_amount.map(|amount| divided(amount, divisors[0]));
            let after = after_amount.map(|amount| divided(amount, divisors[1]));
            let difference = before.zip(after).map(|(before, after)| after - before);
            DifferenceRow { program, class, before_amount, after_amount, before, after, difference }
        })
        .collect();
    // What was measured in one window only comes last, the largest first.
    let size = |row: &DifferenceRow| match row.difference {
        Some(difference) => (1, difference.abs()),
        None => (0, row.before.or(row.after).unwrap_or(0.0)),
    };
    rows.sort_by(|a, b| {
        let ((rank_a, size_a), (rank_b, size_b)) = (size(a), size(b));
        rank_b.cmp(&rank_a).then_with(|| size_b.total_cmp(&size_a))
    });
    rows
}

/// Which classes a side tells: those of the ledger, else those that its stacks name.
fn known(side: &Breakdown) -> impl Fn(Option<&str>) -> bool {
    let has_ledger = !side.programs.is_empty();
    let stacks = side.flame.iter().flat_map(|flame| &flame.stacks);
    let named: HashSet<Option<String>> = stacks.map(|stack| stack.class.clone()).collect();
    let untold = side.not_measured.clone();
    move |class| match class {
        Some(class) if has_ledger => !untold.iter().any(|one| one == class),
        class => named.contains(&class.map(str::to_owned)),
    }
}

fn divided(amount: f64, by: f64) -> f64 {
    if by > 0.0 { amount / by } else { 0.0 }
}

fn stacks(sides: [&Breakdown; 2], divisors: [f64; 2]) -> Vec<DifferenceStack> {
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    let [is_known_before, is_known_after] = sides.map(known);
    let is_known = |class: Option<&str>| is_known_before(class) && is_known_after(class);
    for (at, side) in sides.into_iter().enumerate() {
        let stacks = side.flame.iter().flat_map(|flame| &flame.stacks);
        for stack in stacks.filter(|stack| is_known(stack.class.as_deref())) {
            sums.entry(frames(stack)).or_default()[at] += stack.amount;
        }
        if side.kind == BreakdownKind::Calls {
            for one in &side.programs {
                let frames = format!("{};{}", one.program.as_deref().unwrap_or("?"), one.class);
                sums.entry(frames).or_default()[at] += one.amount;
            }
        }
    }
    let mut stacks: Vec<DifferenceStack> = sums
        .into_iter()
        .map(|(frames, [before, after])| {
            let [before, after] = [divided(before, divisors[0]), divided(after, divisors[1])];
            DifferenceStack { frames, before, after, difference: after - before }
        })
        .collect();
    stacks.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
    stacks
}

fn frames(stack: &FlameStack) -> String {
    // Of CPU samples the kernel's functions begin with the call already.
    let class = stack.class.as_deref();
    let is_wait = class.and_then(Class::from_name).is_none_or(|class| !BreakdownKind::Cpu.has(class));
    let call = stack.syscall.as_deref().filter(|_| is_wait);
    let parts = [
        Some(stack.program.as_deref().unwrap_or("?")),
        class,
        call,
        stack.user_stack.as_deref().filter(|stack| !stack.is_empty()),
        stack.kernel_stack.as_deref().filter(|stack| !stack.is_empty()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(";")
}
