//! Two windows of one kind of time: as text and as JSON.

use heldup_model::{
    BREAKDOWN_DIFFERENCE_SCHEMA, Breakdown, BreakdownDifference, Class, DifferencePer, DifferenceRow,
};
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;

use crate::json::escaped;
use crate::quantity::{number, percent, seconds, span};
use crate::{breakdown, grid, harmless, overhead};

/// The difference as pretty JSON, with a newline at its end.
pub fn json(found: &BreakdownDifference) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(found).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema = SchemaSettings::default()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<BreakdownDifference>();
    schema.insert("$id".to_owned(), format!("urn:{}", BREAKDOWN_DIFFERENCE_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup breakdown --baseline SOURCE --json` answers".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// An amount as it is divided: seconds a second, so many a second, or a share.
pub(crate) fn divided(is_seconds: bool, per: DifferencePer, amount: f64) -> String {
    match (per, is_seconds) {
        (DifferencePer::Total, _) => percent(amount),
        (DifferencePer::Second, true) => seconds(amount) + "/s",
        (DifferencePer::Second, false) => number(amount) + "/s",
    }
}

/// A difference with its sign.
pub(crate) fn signed(size: &str, difference: f64) -> String {
    match difference {
        _ if difference > 0.0 => format!("+{size}"),
        _ if difference < 0.0 => format!("\u{2212}{size}"),
        _ => size.to_owned(),
    }
}

/// Lists of at most `width` columns and `most` rows each.
pub fn text(
    sides: [&Breakdown; 2],
    found: &BreakdownDifference,
    width: usize,
    most: usize,
    zone: &TimeZone,
) -> String {
    let value = |amount: f64| divided(found.unit == "seconds", found.per, amount).replace('\u{a0}', " ");
    let change = |difference: f64| signed(&value(difference.abs()), difference);
    let mut out = format!("{}\n", found.kind.title());
    for (which, side) in ["before", "after "].into_iter().zip(sides) {
        let heading = breakdown::heading(side, zone);
        let of = heading.strip_prefix(side.kind.title()).unwrap_or(&heading).trim_start_matches(" · ");
        out += &format!("{which}  {} · {of}\n", harmless(&side.host));
    }
    out += &format!("\n{}\n\n", how(found).replace('\u{a0}', " "));
    let known = |amount: Option<f64>| amount.map_or_else(|| "–".to_owned(), value);
    let numbers = |row: &DifferenceRow| {
        vec![known(row.before), known(row.after), row.difference.map_or_else(|| "–".to_owned(), change)]
    };
    let class = |row: &DifferenceRow| class_label(row).to_owned();
    let by_class = found.classes.iter().map(|row| [vec![class(row)], numbers(row)].concat());
    list(
        &mut out,
        "By class",
        &["class", "before", "after", "difference"],
        by_class.collect(),
        1,
        width,
        most,
    );
    let program = |row: &DifferenceRow| row.program.clone().unwrap_or_default();
    let by_program = found.programs.iter().map(|row| [vec![program(row), class(row)], numbers(row)].concat());
    let columns = ["program", "class", "before", "after", "difference"];
    list(&mut out, "By program", &columns, by_program.collect(), 2, width, most);
    let stacks = found.stacks.iter().filter(|stack| stack.difference != 0.0).map(|stack| {
        vec![place(&stack.frames), value(stack.before), value(stack.after), change(stack.difference)]
    });
    list(&mut out, "By stack", &["stack", "before", "after", "difference"], stacks.collect(), 1, width, most);
    if found.classes.iter().any(|row| row.difference.is_none()) {
        out += "–: not measured in that window\n";
    }
    for (which, side) in ["before", "after"].into_iter().zip(sides) {
        let missing = side.flame.as_ref().and_then(|flame| flame.gaps.missing.as_deref());
        if let Some(missing) = missing {
            out += &format!("{which}: {}\n", harmless(missing));
        }
    }
    if let Some(cost) = &found.overhead {
        out += &overhead::plain_line(cost);
        out.push('\n');
    }
    out
}

/// The class of a row as people read it.
pub(crate) fn class_label(row: &DifferenceRow) -> &str {
    row.class.as_deref().map_or("not classified", Class::label_of)
}

/// How the two windows are made alike.
fn how(found: &BreakdownDifference) -> String {
    match found.per {
        DifferencePer::Second => format!(
            "Per second of each window: {} before, {} after.",
            span(found.before.length_s),
            span(found.after.length_s)
        ),
        DifferencePer::Total => {
            "As a share of each side: the recordings do not say how long they lasted, or count differently."
                .to_owned()
        }
    }
}

/// Program, class and the last functions of a stack.
fn place(frames: &str) -> String {
    let mut all: Vec<&str> = frames.split(';').collect();
    if let Some(class) = all.get_mut(1) {
        *class = Class::label_of(class);
    }
    match all.len() {
        0..=5 => all.join(" > "),
        length => format!("{} > … > {}", all[..2].join(" > "), all[length - 3..].join(" > ")),
    }
}

fn list(
    out: &mut String,
    title: &str,
    columns: &[&str],
    mut rows: Vec<Vec<String>>,
    words: usize,
    width: usize,
    most: usize,
) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(most);
    rows.truncate(most);
    let names: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let right: Vec<bool> = (0..columns.len()).map(|at| at >= words).collect();
    out.push_str(&format!("{title}\n{}", grid::render(&names, &rows, &right, width)));
    if more > 0 {
        out.push_str(&format!("… {more} more\n"));
    }
    out.push('\n');
}
