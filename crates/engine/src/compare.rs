//! What differs between two kept captures, or two groups of them.

use std::path::PathBuf;

use heldup_diagnose::{CompareOptions, Named};
use heldup_model::{Capture, Comparison, Holds};

use crate::error::{Context, EngineError, Result};
use crate::redaction;
use crate::rules;
use crate::source::side::{self, Side};

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct CompareRequest {
    /// Two captures, or the good ones of several.
    pub sides: Vec<String>,
    /// The captures that are held against the others.
    pub against: Vec<String>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
    /// Whether ramp-up and ramp-down are part of it.
    pub no_trim: bool,
    /// Whether names are replaced by pseudonyms.
    pub redact: bool,
}

/// Compares the captures.
pub fn compare(request: &CompareRequest) -> Result<Comparison> {
    let (mut first, mut second) = sides(request)?;
    if request.redact {
        redacted(first.iter_mut().chain(&mut second).collect())?;
    }
    let ruleset = rules::ruleset(request.rules.as_deref());
    let options = CompareOptions { whole: request.no_trim, rules: Some(&ruleset) };
    let (one, other) = (named(&first), named(&second));
    let found = match (one.as_slice(), other.as_slice()) {
        ([first], [second]) => heldup_diagnose::compare(*first, *second, options).map(Some),
        (usual, asked) => heldup_diagnose::compare_groups(usual, asked, options),
    };
    let mut found = found.context("cannot compare the captures")?.context("a side without captures")?;
    found.notes.splice(0..0, first.iter().chain(&second).flat_map(|side| side.notes.clone()));
    Ok(found)
}

/// The sides without names of people and machines: one pseudonym for one name on all of them.
fn redacted(sides: Vec<&mut Side>) -> Result<()> {
    let captures: Vec<&Capture> = sides.iter().map(|side| &side.capture).collect();
    let (captures, mut redactor) = redaction::without_names(&captures)?;
    for (side, capture) in sides.into_iter().zip(captures) {
        side.capture = capture;
        side.name = redactor.text(Holds::Message, &side.name);
        side.notes.iter_mut().for_each(|note| *note = redactor.text(Holds::Message, note));
    }
    Ok(())
}

/// The captures of both sides.
fn sides(request: &CompareRequest) -> Result<(Vec<Side>, Vec<Side>)> {
    let open = |words: &[String]| words.iter().map(|word| side::open(word)).collect::<Result<_>>();
    match (request.sides.as_slice(), request.against.as_slice()) {
        ([first, second], []) => Ok((vec![side::open(first)?], vec![side::open(second)?])),
        (_, []) => Err(EngineError::usage(
            "two sources are needed: heldup compare A B, or heldup compare A B C --against D E",
        )),
        (usual, asked) => Ok((open(usual)?, open(asked)?)),
    }
}

fn named(sides: &[Side]) -> Vec<Named<'_>> {
    sides.iter().map(|side| (side.name.as_str(), &side.capture)).collect()
}
