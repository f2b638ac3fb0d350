//! `heldup compare`: what differs between two kept captures, or two groups of them.

use anyhow::Context;
use heldup_diagnose::{CompareOptions, Named};
use heldup_model::{Comparison, Severity};
use heldup_report::{TextOptions, comparison};
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::args::{CompareArgs, Format};
use crate::exit::Exit;
use crate::side::{self, Side};
use crate::terminal;

use super::rules;

/// Compares the captures.
pub fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let (first, second) = sides(args)?;
    let found = compared(args, &first, &second)?;
    let rendered = match args.answer.format {
        Format::Json => comparison::json(&found),
        Format::Text => {
            let options = TextOptions {
                width: terminal::width(),
                color: terminal::color(args.answer.color),
                bars: false,
                ascii: !terminal::unicode(),
                details: args.answer.details,
                time_zone: TimeZone::system(),
            };
            comparison::text(&found, &options)
        }
    };
    println!("{}", rendered.trim_end());
    let worst = found.ledger.iter().filter_map(|class| class.severity).min();
    let differs = worst.is_some_and(|worst| worst <= Severity::Warning);
    Ok(if args.answer.check && differs { Exit::FOUND } else { Exit::DONE })
}

/// The captures of both sides.
fn sides(args: &CompareArgs) -> anyhow::Result<(Vec<Side>, Vec<Side>)> {
    let open = |words: &[String]| words.iter().map(|word| side::open(word)).collect::<anyhow::Result<_>>();
    match (args.sides.as_slice(), args.against.as_slice()) {
        ([first, second], []) => Ok((vec![side::open(first)?], vec![side::open(second)?])),
        (_, []) => Err(WrongUsage("two captures are compared, or several --against others".into()).into()),
        (usual, asked) => Ok((open(usual)?, open(asked)?)),
    }
}

fn compared(args: &CompareArgs, first: &[Side], second: &[Side]) -> anyhow::Result<Comparison> {
    let ruleset = rules::ruleset(args.rules.as_deref());
    let options = CompareOptions { whole: args.whole, rules: Some(&ruleset) };
    let (one, other) = (named(first), named(second));
    let found = match (one.as_slice(), other.as_slice()) {
        ([first], [second]) => heldup_diagnose::compare(*first, *second, options).map(Some),
        (usual, asked) => heldup_diagnose::compare_groups(usual, asked, options),
    };
    let mut found = found.context("the captures cannot be compared")?.context("a side without captures")?;
    found.notes.splice(0..0, first.iter().chain(second).flat_map(|side| side.notes.clone()));
    Ok(found)
}

fn named(sides: &[Side]) -> Vec<Named<'_>> {
    sides.iter().map(|side| (side.name.as_str(), &side.capture)).collect()
}
