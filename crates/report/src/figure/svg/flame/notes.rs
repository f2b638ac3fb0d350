//! What is said below a flame graph: what its width is, and what it does not show.

use heldup_model::{
    Breakdown, BreakdownDifference, BreakdownKind, DifferencePer, Flame, FlameEvent, FlameUnit,
};

use super::Amounts;
use super::draw::{Boxes, shown};
use super::tree::Tree;
use crate::breakdown_difference::class_label;
use crate::quantity::{count, percent, span};

/// The sentences, in the order of their weight.
pub(super) fn of(found: &Breakdown, tree: &Tree, boxes: &Boxes, amounts: &Amounts) -> Vec<String> {
    let mut notes = vec![width(found, tree)];
    if tree.queued > 0.0 {
        let queued = amounts.value(tree.queued);
        notes.push(format!(
            "Not drawn: {queued} in the run queue, which has no stacks; breakdown wait draws it."
        ));
    }
    if let Some(flame) = &found.flame {
        notes.extend(missing(flame, amounts));
        notes.extend(quality(tree, found.kind));
    }
    notes.extend(pruned(boxes));
    notes
}

/// The sentences below a difference.
pub(super) fn of_difference(
    sides: [&Breakdown; 2],
    difference: &BreakdownDifference,
    boxes: &Boxes,
) -> Vec<String> {
    let how = match difference.per {
        DifferencePer::Second => format!(
            "divided by the recorded time of each window ({} before, {} after)",
            span(difference.before.length_s),
            span(difference.after.length_s)
        ),
        DifferencePer::Total => {
            "as a share of its own side: the recordings do not say how long they lasted, or count differently"
                .to_owned()
        }
    };
    let mut notes = vec![format!("Width: the greater of both windows, {how}.")];
    let in_one = difference.classes.iter().filter(|row| row.difference.is_none());
    let in_one: Vec<String> = in_one.map(|row| shown(class_label(row))).collect();
    if !in_one.is_empty() {
        notes.push(format!("Not drawn, for it was measured in one window only (–): {}.", in_one.join(", ")));
    }
    for (which, side) in ["First", "Second"].into_iter().zip(sides) {
        let missing = side.flame.as_ref().and_then(|flame| flame.gaps.missing.as_deref());
        notes.extend(missing.map(|missing| format!("{which} window: {}.", shown_long(missing))));
    }
    notes.extend(pruned(boxes));
    notes
}

fn width(found: &Breakdown, tree: &Tree) -> String {
    let unit = found.flame.as_ref().map_or(FlameUnit::Seconds, |flame| flame.unit);
    let all = tree.all()[1];
    match (found.kind, unit) {
        (BreakdownKind::Calls, _) => "Width: number of calls.".to_owned(),
        (kind, FlameUnit::Seconds) if !found.programs.is_empty() && tree.of_stacks > 0.0 => {
            let share = percent((tree.of_stacks / all.max(f64::MIN_POSITIVE)).min(1.0));
            let stacks = match kind {
                BreakdownKind::Cpu => format!("samples, for {share} of it."),
                _ => format!("stacks, for {share} of it; waits for a CPU and short waits (5 ms) have none."),
            };
            format!("Width: time of tasks, by time accounting. Below the classes: {stacks}")
        }
        (_, FlameUnit::Seconds) if !found.programs.is_empty() => {
            "Width: time of tasks, by time accounting.".to_owned()
        }
        (_, FlameUnit::Seconds) => "Width: time of tasks, by the samples of the recording.".to_owned(),
        (_, FlameUnit::Samples) => format!(
            "Width: samples ({}); the recording does not say how long one stands for.",
            count(all.round() as i64)
        ),
        (_, FlameUnit::Threads) => "Width: number of threads at that moment.".to_owned(),
        (_, FlameUnit::Share) => "Width: share of all samples.".to_owned(),
        (_, FlameUnit::Calls) => "Width: number of calls.".to_owned(),
    }
}

fn missing(flame: &Flame, amounts: &Amounts) -> Vec<String> {
    let gaps = &flame.gaps;
    let mut notes: Vec<String> =
        gaps.missing.iter().map(|missing| format!("{}.", capital(&shown_long(missing)))).collect();
    if gaps.functions_only {
        notes.push("Functions without callers: the listing has no stacks.".to_owned());
    }
    if gaps.unknown_event {
        notes.push("The recording does not say what was sampled; it is taken to be time on CPUs.".to_owned());
    }
    if gaps.by_the_minute {
        notes.push(
            "An archive has stacks once a minute: those at the edges of the window may begin up to a minute before it."
                .to_owned(),
        );
    }
    if gaps.idle > 0.0 {
        notes.push(format!("Not drawn: idle {}.", amounts.value(gaps.idle)));
    }
    if gaps.untimed_samples > 0 {
        notes.push(format!("Not drawn: {} samples without a time.", count(gaps.untimed_samples)));
    }
    if !gaps.other_events.is_empty() {
        let event = |event: &FlameEvent| format!("{} of {}", count(event.samples), shown(&event.event));
        let events: Vec<String> = gaps.other_events.iter().take(5).map(event).collect();
        notes.push(format!("Not drawn: samples of other events ({}).", events.join(", ")));
    }
    notes.extend(gaps.errors.iter().take(5).map(|error| format!("{}.", capital(&shown_long(error)))));
    notes
}

/// A text of ours with words of the machine in it; a whole sentence fits.
fn shown_long(text: &str) -> String {
    crate::harmless(&text.chars().take(400).collect::<String>())
}

/// As a sentence begins.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// How much of the stacks is of what quality.
fn quality(tree: &Tree, kind: BreakdownKind) -> Vec<String> {
    if tree.of_stacks <= 0.0 {
        return Vec::new();
    }
    let share = |amount: f64| percent(amount / tree.of_stacks);
    let whose = "of what has stacks";
    let mut notes = Vec::new();
    if tree.bare > 0.0 {
        let why = match kind {
            BreakdownKind::Cpu => "the process had ended, or more stacks than fit",
            _ => "more stacks than fit, or none was readable",
        };
        notes.push(format!("Without functions: {} {whose} ({why}).", share(tree.bare)));
    }
    if tree.unnamed > 0.0 {
        notes.push(format!("Without a symbol for the innermost function: {} {whose}.", share(tree.unnamed)));
    }
    if tree.cut > 0.0 {
        notes.push(format!(
            "As deep as stacks are kept, outermost functions may be lost: {} {whose}.",
            share(tree.cut)
        ));
    }
    if tree.too_deep > 0.0 {
        notes.push(format!(
            "Deeper than is drawn, counted in their callers: {} {whose}.",
            share(tree.too_deep)
        ));
    }
    notes
}

fn pruned(boxes: &Boxes) -> Option<String> {
    (boxes.pruned > 0).then(|| {
        let many = if boxes.pruned == 1 {
            "1 box".to_owned()
        } else {
            format!("{} boxes, together", count(boxes.pruned as i64))
        };
        format!("Too narrow to be drawn: {many} {} of the width.", percent(boxes.pruned_share))
    })
}
