//! An experiment as text and JSON: the verdict of each change first, then what it rests on.

use heldup_model::{
    Class, ClassChange, EXPERIMENT_SCHEMA, Experiment, ExperimentEnd, Goal, Judgement, SearchedValue,
    TriedChange, Verdict,
};
use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::TextOptions;
use crate::json::escaped;
use crate::layout::{Ink, Page};
use crate::quantity::{number, percent, with_unit};

/// Classes of time that are written without `-v`.
const MOST_CLASSES: usize = 6;
/// Settings that are written.
const MOST_SETTINGS: usize = 12;

/// The experiment as pretty JSON, with a newline at its end.
pub fn json(experiment: &Experiment) -> String {
    // Only maps with keys that are no strings can be refused, and there are none.
    let json = serde_json::to_string_pretty(experiment).unwrap_or_else(|error| {
        json!({ "schema": EXPERIMENT_SCHEMA, "notes": [error.to_string()] }).to_string()
    });
    escaped(&json) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Experiment>();
    schema.insert("$id".to_owned(), format!("urn:{}", EXPERIMENT_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup try --json` answers".into());
    // A schema is made of maps with keys that are strings: writing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The experiment as text.
pub fn text(experiment: &Experiment, options: &TextOptions) -> String {
    let mut page = Page::new(options.width.clamp(80, 160), options.color, options.ascii);
    for change in &experiment.changes {
        tried(&mut page, experiment, change, options.details);
    }
    if experiment.end != ExperimentEnd::Done {
        let end = match experiment.end {
            ExperimentEnd::Interrupted => "Interrupted",
            ExperimentEnd::GuardBreached => "Guard exceeded",
            _ => "Failed",
        };
        let why = experiment.reason.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        page.gap();
        page.paragraph(&[(Ink::Red, end.to_owned()), (Ink::Plain, why)], 2);
    }
    page.gap();
    if let Some(finding) = &experiment.proposed_by {
        page.paragraph(&[(Ink::Plain, format!("proposed by {}: {}", finding.key, finding.title))], 2);
    }
    searched(&mut page, experiment);
    asked(&mut page, experiment);
    settings(&mut page, experiment);
    for note in &experiment.notes {
        page.paragraph(&[(Ink::Yellow, format!("  {note}"))], 2);
    }
    page.finish()
}

/// The verdict of each change, alone.
pub fn conclusion(experiment: &Experiment, options: &TextOptions) -> String {
    let mut page = Page::new(options.width.clamp(80, 160), options.color, options.ascii);
    for change in &experiment.changes {
        let word = change.verdict.map_or("no verdict", verdict_word);
        let what = format!("{word}: {} {} → {}", change.setting, change.before, change.asked);
        page.paragraph(&[(Ink::Plain, what)], 2);
    }
    page.finish()
}

pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Helped => "helped",
        Verdict::Harmed => "harmed",
        Verdict::NoEffect => "no effect",
        Verdict::Undecided => "undecided",
    }
}

/// The values that were searched, each with its figure.
fn searched(page: &mut Page, experiment: &Experiment) {
    if experiment.searched.is_empty() {
        return;
    }
    let value = |one: &SearchedValue| {
        let figure =
            one.figure.map_or_else(|| "not measured".to_owned(), |figure| in_unit(experiment, figure));
        let out = if one.beyond_guard { ", guard exceeded" } else { "" };
        format!("{}: {figure} in {}{out}", one.value, one.blocks)
    };
    let all: Vec<String> = experiment.searched.iter().map(value).collect();
    page.paragraph(&[(Ink::Dim, format!("search (median, runs): {}", all.join("; ")))], 2);
}

/// An effect as people read it: −18 %, or −0.3 s where figures may be zero.
pub fn effect(experiment: &Experiment, effect: f64) -> String {
    let sign = if effect >= 0.0 { "+" } else { "−" };
    if experiment.asked.is_ratio {
        return format!("{sign}{}", percent(effect.abs()));
    }
    format!("{sign}{}", in_unit(experiment, effect.abs()))
}

pub(crate) fn in_unit(experiment: &Experiment, value: f64) -> String {
    experiment.asked.unit.as_deref().map_or_else(|| number(value), |unit| with_unit(value, unit))
}

/// An amount without a sign.
pub(crate) fn size(experiment: &Experiment, value: f64) -> String {
    if experiment.asked.is_ratio { percent(value) } else { in_unit(experiment, value) }
}

fn tried(page: &mut Page, experiment: &Experiment, change: &TriedChange, details: bool) {
    let (sign, ink, word) = match change.verdict {
        Some(Verdict::Helped) => ("✓", Ink::Green, "helped"),
        Some(Verdict::Harmed) => ("▲", Ink::Red, "harmed"),
        Some(Verdict::NoEffect) => ("·", Ink::Plain, "no effect"),
        Some(Verdict::Undecided) => ("?", Ink::Yellow, "undecided"),
        None => ("·", Ink::Dim, "no verdict"),
    };
    let what = format!(" {} {} → {}", change.setting, change.before, change.asked);
    page.paragraph(&[(ink, format!("{sign} {word}:")), (Ink::Bold, what)], 2);
    let line = sentence(experiment, change);
    if !line.is_empty() {
        page.paragraph(&[(Ink::Plain, format!("  {line}"))], 2);
    }
    if let Some(now) = change.now.as_ref().filter(|now| **now != change.asked) {
        page.paragraph(&[(Ink::Yellow, format!("  the kernel set {now} instead"))], 2);
    }
    for moved in &change.moved {
        let line = format!("  also changed: {} {} → {}", moved.setting, moved.before, moved.now);
        page.paragraph(&[(Ink::Dim, line)], 2);
    }
    classes(page, experiment, change, details);
    let state = if change.kept { "  kept" } else { "  undone" };
    if change.now.is_some() {
        page.paragraph(&[(Ink::Dim, state.to_owned())], 2);
    }
    page.gap();
}

/// The effect with its interval, or what could have been seen.
pub(crate) fn sentence(experiment: &Experiment, change: &TriedChange) -> String {
    let figure = match experiment.asked.figure.as_str() {
        "wall" => "run time",
        _ => "measure",
    };
    let pairs = format!("{} pairs", change.pairs);
    let sure = percent(1.0 - experiment.asked.error);
    match (change.verdict, change.effect, change.detection_limit) {
        (Some(Verdict::Helped | Verdict::Harmed), Some(found), _) => {
            let end = |end: Option<f64>| end.map_or_else(|| "∞".to_owned(), |end| effect(experiment, end));
            let (low, high) = (end(change.ci_low), end(change.ci_high));
            format!("{figure} {} ({low} to {high}, {sure} confidence, {pairs})", effect(experiment, found))
        }
        (Some(Verdict::NoEffect), _, Some(seen)) => {
            format!("less than ±{} ({sure} confidence, {pairs})", size(experiment, seen))
        }
        (Some(Verdict::Undecided), ..) => {
            let seen = match change.ci_low.zip(change.ci_high) {
                Some((low, high)) => format!(
                    "effect between {} and {} ({sure} confidence, {pairs})",
                    effect(experiment, low),
                    effect(experiment, high)
                ),
                None => format!("{pairs} are too few to detect an effect"),
            };
            [Some(seen), to_decide(experiment, change)].into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
        _ => String::new(),
    }
}

/// What would detect an effect of interest.
fn to_decide(experiment: &Experiment, change: &TriedChange) -> Option<String> {
    let asked = &experiment.asked;
    let figure = experiment.noise.map_or(0.0, |noise| noise.figure.abs());
    let worth = if asked.is_ratio { asked.worth } else { asked.worth * figure };
    let pairs = change.pairs_needed.map(|pairs| format!("about {} pairs", number(about(pairs) as f64)));
    let noise = change.noise_needed.map(|part| format!("{} of the noise", percent(part)));
    let means: Vec<String> = pairs.into_iter().chain(noise).collect();
    (!means.is_empty())
        .then(|| format!("detecting ±{} needs {}", size(experiment, worth), means.join(", or ")))
}

/// A number in two digits, rounded up: what it is made of is known no better.
fn about(number: u64) -> u64 {
    let digits = number.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(1));
    number.div_ceil(unit) * unit
}

fn classes(page: &mut Page, experiment: &Experiment, change: &TriedChange, details: bool) {
    let differ = |class: &&ClassChange| details || class.judgement == Judgement::Differs;
    let all: Vec<&ClassChange> =
        change.why.iter().filter(differ).take(if details { usize::MAX } else { MOST_CLASSES }).collect();
    if all.is_empty() {
        return;
    }
    let of = if experiment.asked.workload.is_some() { "run" } else { "second" };
    page.paragraph(&[(Ink::Plain, format!("  task-seconds per {of}, baseline → change:"))], 2);
    for class in all {
        let sign = if class.second >= class.first { "+" } else { "−" };
        let change = number((class.second - class.first).abs());
        let mut line = format!(" {} → {} ({sign}{change})", number(class.first), number(class.second));
        if class.judgement != Judgement::Differs {
            line += " noise";
        }
        page.paragraph(
            &[(Ink::Bold, format!("    {}", Class::label_of(&class.class_name))), (Ink::Plain, line)],
            6,
        );
    }
}

fn asked(page: &mut Page, experiment: &Experiment) {
    let asked = &experiment.asked;
    let mut line = match &asked.workload {
        Some(workload) => format!("{workload} · measure {}", asked.figure),
        None => format!("live traffic · measure {}", asked.figure),
    };
    line += if asked.goal == Goal::Lower { ", lower is better" } else { ", higher is better" };
    page.paragraph(&[(Ink::Dim, line)], 2);
    if let Some(noise) = &experiment.noise {
        let mut line = format!(
            "baseline {}; two runs differ by {} (standard deviation)",
            in_unit(experiment, noise.figure),
            size(experiment, noise.spread)
        );
        if let Some(detectable) = noise.detectable {
            line += &format!("; {} pairs detect {} or more", asked.most_pairs, size(experiment, detectable));
        }
        page.paragraph(&[(Ink::Dim, line)], 2);
    }
    let line = format!(
        "chance of any wrong answer at most {}; seed {}, {} runs",
        percent(asked.error),
        asked.seed,
        experiment.blocks.len()
    );
    page.paragraph(&[(Ink::Dim, line)], 2);
}

/// Settings that differ at the end.
fn settings(page: &mut Page, experiment: &Experiment) {
    for (key, now) in experiment.changed_after.iter().take(MOST_SETTINGS) {
        let before = experiment.before.get(key).map_or("(absent)", String::as_str);
        page.paragraph(&[(Ink::Yellow, format!("{key} is {now}, was {before}"))], 2);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heldup_model::{Noise, ProposingFinding, Question};

    use super::*;

    fn experiment(change: TriedChange) -> Experiment {
        Experiment {
            schema: EXPERIMENT_SCHEMA.into(),
            host: "db1".into(),
            kernel: "6.18".into(),
            from: "2026-11-22T12:00:00Z".into(),
            to: "2026-11-22T12:05:00Z".into(),
            asked: Question {
                workload: Some("./load \u{1b}[2J".into()),
                prepare: None,
                figure: "wall".into(),
                unit: Some("s".into()),
                goal: Goal::Lower,
                guards: Vec::new(),
                error: 0.01,
                worth: 0.02,
                is_ratio: true,
                seed: 7,
                most_pairs: 40,
            },
            proposed_by: None,
            end: ExperimentEnd::Done,
            reason: None,
            noise: Some(Noise { pairs: 4, figure: 0.62, spread: 0.03, detectable: Some(0.017) }),
            searched: Vec::new(),
            changes: vec![change],
            blocks: Vec::new(),
            before: BTreeMap::new(),
            changed_after: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    fn change() -> TriedChange {
        TriedChange {
            setting: "block.loop0.queue.read_ahead_kb".into(),
            before: "0".into(),
            asked: "128".into(),
            now: Some("128".into()),
            moved: Vec::new(),
            verdict: Some(Verdict::Helped),
            effect: Some(-0.52),
            ci_low: Some(-0.55),
            ci_high: Some(-0.49),
            detection_limit: None,
            pairs_needed: None,
            noise_needed: None,
            pairs: 9,
            why: vec![ClassChange {
                class_name: "disk_read".into(),
                first: 0.5,
                second: 0.2,
                judgement: Judgement::Differs,
            }],
            kept: false,
        }
    }

    fn shown(experiment: &Experiment) -> String {
        let options = TextOptions { width: 160, ..TextOptions::default() };
        text(experiment, &options)
    }

    #[test]
    fn the_verdict_stands_first_with_its_effect() {
        let found = shown(&experiment(change()));
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines[0], "✓ helped: block.loop0.queue.read_ahead_kb 0 → 128");
        assert_eq!(lines[1], "  run time −52 % (−55 % to −49 %, 99 % confidence, 9 pairs)");
        assert!(found.contains("    disk read 0.5 → 0.2 (−0.3)") && found.contains("undone"), "{found}");
        assert!(found.contains("40 pairs detect 1.7 % or more") && found.contains("seed 7"), "{found}");
        assert!(!found.contains('\u{1b}'), "{found:?}");
    }

    #[test]
    fn no_effect_says_how_small_it_is_and_undecided_what_would_decide() {
        let none = TriedChange {
            verdict: Some(Verdict::NoEffect),
            detection_limit: Some(0.016),
            why: Vec::new(),
            ..change()
        };
        let lines = |change: TriedChange| {
            let found = shown(&experiment(change));
            found.lines().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let found = lines(none.clone());
        assert!(found[0].starts_with("· no effect:"), "{found:?}");
        assert_eq!(found[1], "  less than ±1.6 % (99 % confidence, 9 pairs)");
        let open = TriedChange {
            verdict: Some(Verdict::Undecided),
            ci_low: Some(-0.95),
            ci_high: Some(18.1),
            detection_limit: Some(18.1),
            pairs_needed: Some(87_654),
            noise_needed: Some(0.031),
            ..none
        };
        let found = lines(open.clone());
        assert!(found[0].starts_with("? undecided:"), "{found:?}");
        assert_eq!(
            found[1],
            "  effect between −95 % and +1,810 % (99 % confidence, 9 pairs); \
             detecting ±2 % needs about 88,000 pairs, or 3.1 % of the noise"
        );
        let few = TriedChange { ci_low: None, pairs_needed: Some(13), noise_needed: None, ..open };
        assert_eq!(
            lines(few)[1],
            "  9 pairs are too few to detect an effect; detecting ±2 % needs about 13 pairs"
        );
    }

    #[test]
    fn what_has_proposed_it_is_said() {
        let mut found = experiment(change());
        assert!(!shown(&found).contains("proposed by"));
        let (key, title) = ("disk.readahead-off/device:loop0".into(), "loop0 reads nothing ahead".into());
        found.proposed_by = Some(ProposingFinding { key, title });
        let text = shown(&found);
        assert!(
            text.contains("proposed by disk.readahead-off/device:loop0: loop0 reads nothing ahead"),
            "{text}"
        );
    }

    #[test]
    fn an_end_before_the_end_says_why() {
        let mut cut = experiment(TriedChange { verdict: None, ..change() });
        cut.end = ExperimentEnd::GuardBreached;
        cut.reason = Some("guard wall<=1: 3 with the change, limit 1".into());
        let found = shown(&cut);
        assert!(found.contains("no verdict") && found.contains("Guard exceeded: guard wall<=1"), "{found}");
    }
}
