//! An experiment as one page: the verdict of each change, the interval as it narrowed pair by pair, every run in its
//! order, why, and what is in effect now.

use heldup_model::{
    Block, BlockKind, Class, Colour, Experiment, ExperimentEnd, Goal, Judgement, NarrowedPair, TriedChange,
};

use super::checked::listed;
use super::marks::n;
use super::writer::{Cell, Html, name, names, numbers, wide, words};
use super::{brand, document, entry, time};
use crate::TextOptions;
use crate::experiment::{effect, in_unit, sentence, size, verdict_word};
use crate::figure::ticks;
use crate::quantity::{number, percent};

/// Width of a drawing, and of what is right of its values.
const WIDTH: f64 = 760.0;
const RIGHT: f64 = 150.0;
const LEFT: f64 = 64.0;

/// The page. The pairs are those of all changes, in order of time.
pub fn page(found: &Experiment, pairs: &[NarrowedPair], options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let title = match (&found.changes[..], found.end) {
        ([only], _) => format!("{}: {}", word(only), what(only)),
        ([], ExperimentEnd::Done) => "No change was tested".to_owned(),
        (all, _) => format!("{} changes tested", all.len()),
    };
    let mut html = Html::default();
    html.open("header", &[]);
    let when = format!("{} – {}", time(&found.from, zone, "%F %T"), time(&found.to, zone, "%T %Z"));
    brand(&mut html, &when);
    html.put("h1", "", &name(&title));
    html.put(
        "p",
        "second",
        &format!("{} · Linux {} · {} runs", found.host, found.kernel, found.blocks.len()),
    );
    html.close("header");
    html.open("main", &[]);
    if found.end != ExperimentEnd::Done {
        ended(&mut html, found);
    }
    for (at, change) in found.changes.iter().enumerate() {
        let own: Vec<NarrowedPair> = pairs.iter().filter(|pair| pair.change == at as u64).copied().collect();
        tried(&mut html, found, change, &own);
    }
    searched(&mut html, found);
    every_run(&mut html, found);
    asked(&mut html, found);
    in_effect(&mut html, found);
    if !found.notes.is_empty() {
        html.put("h2", "", "Notes");
        listed(&mut html, &found.notes);
    }
    html.close("main");
    html.open("footer", &[]);
    html.put("p", "", &format!("heldup {} · {}", env!("CARGO_PKG_VERSION"), found.schema));
    html.close("footer");
    document(&title, html)
}

fn word(change: &TriedChange) -> &'static str {
    change.verdict.map_or("no verdict", verdict_word)
}

fn what(change: &TriedChange) -> String {
    format!("{} {} → {}", change.setting, change.before, change.asked)
}

fn ended(html: &mut Html, found: &Experiment) {
    let end = match found.end {
        ExperimentEnd::Interrupted => "Interrupted",
        ExperimentEnd::GuardBreached => "Guard exceeded",
        ExperimentEnd::Failed | ExperimentEnd::Done => "Failed",
    };
    html.open("p", &[]);
    html.put("strong", "sev", end);
    html.text(&found.reason.as_deref().map_or_else(String::new, |why| format!(": {why}")));
    html.close("p");
}

/// One change: its verdict, its pairs, and why.
fn tried(html: &mut Html, found: &Experiment, change: &TriedChange, pairs: &[NarrowedPair]) {
    match found.changes.len() {
        1 => html.put("h2", "", "Effect"),
        _ => html.put("h2", "", &format!("{}: {}", word(change), what(change))),
    }
    let said = sentence(found, change);
    if !said.is_empty() {
        html.put("p", "", &said);
    }
    if let Some(now) = change.now.as_ref().filter(|now| **now != change.asked) {
        html.put("p", "", &format!("The kernel set {now} instead."));
    }
    for moved in &change.moved {
        let line = format!("Also changed: {} {} → {}", moved.setting, moved.before, moved.now);
        html.put("p", "second", &line);
    }
    if change.now.is_some() {
        html.put("p", "second", if change.kept { "The change is kept." } else { "The change is undone." });
    }
    if !pairs.is_empty() {
        narrowed(html, found, change, pairs);
    }
    classes(html, found, change);
}

/// The effect of each pair, and the interval after it.
fn narrowed(html: &mut Html, found: &Experiment, change: &TriedChange, pairs: &[NarrowedPair]) {
    html.open("figure", &[]);
    html.put("h3", "", "Effect of the change, pair by pair");
    let said = drawn_pairs(html, found, pairs);
    html.open("figcaption", &[]);
    html.text(&said);
    html.open_details("Every pair", true);
    let row = |pair: &NarrowedPair| -> Vec<Cell> {
        let interval = match (pair.low, pair.high) {
            (None, None) => "none yet".to_owned(),
            (low, high) => {
                let end = |end: Option<f64>| end.map_or_else(|| "∞".to_owned(), |end| effect(found, end));
                format!("{} to {}", end(low), end(high))
            }
        };
        vec![
            pair.pair.to_string().into(),
            if pair.with_first { "change first".into() } else { "baseline first".into() },
            in_unit(found, pair.without).into(),
            in_unit(found, pair.with).into(),
            effect(found, pair.effect).into(),
            interval.into(),
        ]
    };
    let columns = [
        numbers("pair"),
        wide("order"),
        numbers("baseline"),
        numbers("change"),
        numbers("effect"),
        words("interval after it"),
    ];
    html.table(&format!("Pairs of {}", change.setting), &columns, pairs.iter().map(row).collect());
    html.close("details");
    html.close("figcaption");
    html.close("figure");
}

/// The picture of it, and what it says.
fn drawn_pairs(html: &mut Html, found: &Experiment, pairs: &[NarrowedPair]) -> String {
    const HEIGHT: f64 = 200.0;
    const BOTTOM: f64 = 34.0;
    let worth = worth(found);
    let reach = pairs
        .iter()
        .map(|pair| pair.effect.abs())
        .chain(pairs.last().into_iter().flat_map(|pair| pair.low.into_iter().chain(pair.high)).map(f64::abs))
        .fold(worth * 1.5, f64::max)
        .max(f64::MIN_POSITIVE)
        * 1.15;
    let plot = WIDTH - LEFT - RIGHT;
    let step = plot / pairs.len().max(8) as f64;
    let middle = (HEIGHT - BOTTOM) / 2.0;
    let y = |value: f64| middle - (value / reach).clamp(-1.0, 1.0) * (middle - 6.0);
    let said = match pairs.last() {
        Some(last) => format!(
            "{} pairs; the 99 % interval after the last one: {}",
            pairs.len(),
            match (last.low, last.high) {
                (Some(low), Some(high)) => format!("{} to {}", effect(found, low), effect(found, high)),
                _ => "none yet".to_owned(),
            }
        ),
        None => String::new(),
    };
    picture(html, HEIGHT, &said, |html| {
        html.rect("nothing", [LEFT, y(worth), plot, y(-worth) - y(worth)]);
        for at in ticks::linear(reach, 2) {
            for value in if at == 0.0 { vec![0.0] } else { vec![at, -at] } {
                html.stroke(
                    if value == 0.0 { "line" } else { "hair" },
                    (LEFT, y(value)),
                    (LEFT + plot, y(value)),
                );
                let text = if value == 0.0 { "0".to_owned() } else { effect(found, value) };
                html.label("t3", (LEFT - 8.0, y(value) + 4.0), "end", &text);
            }
        }
        for (at, pair) in pairs.iter().enumerate() {
            let x = LEFT + at as f64 * step;
            if pair.low.is_some() || pair.high.is_some() {
                let (top, bottom) = (y(pair.high.unwrap_or(reach)), y(pair.low.unwrap_or(-reach)));
                html.rect("range", [x, top, step, bottom - top]);
            }
            html.dot("ring", (x + step / 2.0, y(pair.effect)), 3.5);
            let every = pairs.len().div_ceil(20);
            if at % every == 0 {
                html.label("t3", (x + step / 2.0, HEIGHT - BOTTOM + 14.0), "middle", &pair.pair.to_string());
            }
        }
        let x = LEFT + plot + 10.0;
        html.label("t2", (x, y(0.0) - 3.0), "start", "smaller than the");
        html.label("t2", (x, y(0.0) + 12.0), "start", &format!("effect asked, ±{}", size(found, worth)));
        html.label(
            "t2",
            (LEFT, HEIGHT - 4.0),
            "start",
            "pairs in order of time: ○ one pair, bar: the interval after it",
        );
    });
    said
}

/// The smallest effect of interest, in the unit of effects.
fn worth(found: &Experiment) -> f64 {
    let figure = found.noise.map_or(0.0, |noise| noise.figure.abs());
    if found.asked.is_ratio { found.asked.worth } else { found.asked.worth * figure }
}

fn picture(html: &mut Html, height: f64, said: &str, draw: impl FnOnce(&mut Html)) {
    html.open("div", &[("class", "chart"), ("tabindex", "0"), ("role", "group"), ("aria-label", "chart")]);
    let view = format!("0 0 {} {}", n(WIDTH), n(height));
    html.open(
        "svg",
        &[
            ("viewBox", &view),
            ("width", &n(WIDTH)),
            ("height", &n(height)),
            ("role", "img"),
            ("aria-label", said),
        ],
    );
    draw(html);
    html.close("svg");
    html.close("div");
}

/// Time by class in runs without and with the change.
fn classes(html: &mut Html, found: &Experiment, change: &TriedChange) {
    if change.why.is_empty() {
        return;
    }
    let of = if found.asked.workload.is_some() { "run" } else { "second" };
    let row = |class: &heldup_model::ClassChange| -> Vec<Cell> {
        let colour = Class::from_name(&class.class_name).map_or(Colour::OTHERS, Colour::of_class);
        let sign = if class.second >= class.first { "+" } else { "−" };
        vec![
            Cell::Named(colour, Class::label_of(&class.class_name).to_owned()),
            number(class.first).into(),
            number(class.second).into(),
            format!("{sign}{}", number((class.second - class.first).abs())).into(),
            match class.judgement {
                Judgement::Differs => "differs".into(),
                Judgement::NoDifferenceSeen => "no difference seen".into(),
                Judgement::NotJudged => "not judged".into(),
            },
        ]
    };
    html.put("h3", "", "Why");
    let columns =
        [names("class"), numbers("baseline"), numbers("change"), numbers("difference"), words("judged")];
    html.table(&format!("Task-seconds of a {of} by class"), &columns, change.why.iter().map(row).collect());
}

fn searched(html: &mut Html, found: &Experiment) {
    if found.searched.is_empty() {
        return;
    }
    html.put("h2", "", "Search");
    let row = |one: &heldup_model::SearchedValue| -> Vec<Cell> {
        let figure = one.figure.map_or_else(|| "not measured".to_owned(), |figure| in_unit(found, figure));
        let guard = if one.beyond_guard { "exceeded" } else { "" };
        vec![one.value.as_str().into(), figure.into(), one.blocks.to_string().into(), guard.into()]
    };
    let columns = [words("value"), numbers("median"), numbers("runs"), words("guard")];
    html.table("Values that were searched", &columns, found.searched.iter().map(row).collect());
}

/// Every run in its order: filled with the change, hollow without.
fn every_run(html: &mut Html, found: &Experiment) {
    const HEIGHT: f64 = 130.0;
    const BOTTOM: f64 = 30.0;
    if found.blocks.is_empty() {
        return;
    }
    html.put("h2", "", "Every run");
    html.open("figure", &[]);
    let greatest =
        found.blocks.iter().map(|block| block.figure).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let greatest = greatest.max(f64::MIN_POSITIVE) * 1.1;
    let plot = WIDTH - LEFT - RIGHT;
    let y = |value: f64| 6.0 + (1.0 - (value / greatest).clamp(0.0, 1.0)) * (HEIGHT - BOTTOM - 6.0);
    let step = plot / found.blocks.len() as f64;
    let said = format!(
        "{} runs in order of time: ● with the change, ○ baseline, | warm-up, noise and search",
        found.blocks.len()
    );
    picture(html, HEIGHT, &said, |html| {
        for at in ticks::linear(greatest, 3) {
            html.stroke(if at == 0.0 { "axis" } else { "hair" }, (LEFT, y(at)), (LEFT + plot, y(at)));
            html.label("t3", (LEFT - 8.0, y(at) + 4.0), "end", &in_unit(found, at));
        }
        for (at, block) in found.blocks.iter().enumerate() {
            let place = (LEFT + (at as f64 + 0.5) * step, y(block.figure));
            match block.kind {
                BlockKind::With => html.dot("less", place, 3.5),
                BlockKind::Without => html.dot("ring", place, 3.0),
                BlockKind::WarmUp | BlockKind::Noise | BlockKind::Search => {
                    html.stroke("axis", (place.0, place.1 - 3.5), (place.0, place.1 + 3.5));
                }
            }
        }
        html.label("t2", (LEFT, HEIGHT - 6.0), "start", "first run");
        html.label("t2", (LEFT + plot, HEIGHT - 6.0), "end", "last run");
    });
    html.open("figcaption", &[]);
    html.text(&said);
    html.open_details("Every run as a table", false);
    let row = |(at, block): (usize, &Block)| -> Vec<Cell> {
        let kind = match block.kind {
            BlockKind::WarmUp => "warm-up",
            BlockKind::Search => "search",
            BlockKind::Noise => "noise",
            BlockKind::Without => "baseline",
            BlockKind::With => "change",
        };
        let change = block.change.map(|change| (change + 1).to_string()).unwrap_or_default();
        vec![
            (at + 1).to_string().into(),
            kind.into(),
            change.into(),
            in_unit(found, block.figure).into(),
            crate::quantity::seconds(block.seconds).into(),
        ]
    };
    let rows = found.blocks.iter().enumerate().map(row).collect();
    let columns = [numbers("run"), words("purpose"), wide("change"), numbers("measure"), numbers("elapsed")];
    html.table("Runs in order of time", &columns, rows);
    html.close("details");
    html.close("figcaption");
    html.close("figure");
}

fn asked(html: &mut Html, found: &Experiment) {
    let asked = &found.asked;
    html.put("h2", "", "How it was measured");
    html.open("dl", &[("class", "long")]);
    if let Some(finding) = &found.proposed_by {
        entry(html, "proposed by", &format!("{}: {}", finding.key, finding.title));
    }
    entry(html, "workload", asked.workload.as_deref().unwrap_or("live traffic"));
    entry(html, "before each", asked.prepare.as_deref().unwrap_or_default());
    let better = if asked.goal == Goal::Lower { "lower is better" } else { "higher is better" };
    entry(html, "measure", &format!("{}, {better}", asked.figure));
    entry(html, "guards", &asked.guards.join(", "));
    if let Some(noise) = &found.noise {
        let mut said = format!(
            "baseline {}; two runs differ by {} (standard deviation)",
            in_unit(found, noise.figure),
            size(found, noise.spread)
        );
        if let Some(detectable) = noise.detectable {
            said += &format!("; {} pairs detect {} or more", asked.most_pairs, size(found, detectable));
        }
        entry(html, "noise", &said);
    }
    let sure = format!("chance of any wrong answer at most {}; seed {}", percent(asked.error), asked.seed);
    entry(html, "confidence", &sure);
    html.close("dl");
}

fn in_effect(html: &mut Html, found: &Experiment) {
    html.put("h2", "", "In effect now");
    if found.changed_after.is_empty() {
        let kept = found.changes.iter().any(|change| change.kept);
        let said = if kept { "See the changes above." } else { "All settings are as before the experiment." };
        return html.put("p", "", said);
    }
    let row = |(key, now): (&String, &String)| -> Vec<Cell> {
        let before = found.before.get(key).map_or("(absent)", String::as_str);
        vec![Cell::Code(key.clone()), before.into(), now.as_str().into()]
    };
    let rows = found.changed_after.iter().map(row).collect();
    html.table("Settings that differ at the end", &[words("setting"), words("before"), words("now")], rows);
}
