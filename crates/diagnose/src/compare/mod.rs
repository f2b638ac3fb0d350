//! Compares two captures, or two groups of them: the ledger, findings, every metric, programs
//! and settings.
//!
//! A difference is claimed only where it is more than the noise within each side, or between
//! the members of the first group, many questions at once accounted for
//! (`docs/decisions/0007-comparison.md`). Only the ledger and findings have severities: time is
//! harm, a metric is evidence.

mod baseline;
mod findings;
mod groups;
mod headlines;
mod inventory;
mod ledger;
mod metrics;
mod programs;
mod side;
mod waits;

use heldup_archive::SqlError;
use heldup_model::{
    COMPARED_SAMPLES, COMPARISON_SCHEMA, Capture, ComparedSide, Comparison, ComparisonVerdict, ErrorNote,
};
use heldup_stats::{FULL_SAMPLES, LEAST_SAMPLES};

use crate::ruleset::Ruleset;
pub use baseline::{BaselineError, add_baseline};
use findings::Evidence;
use side::Side;

pub use groups::compare as compare_groups;

/// Chance that a comparison of a load with itself claims a difference, and share of the metrics
/// that are listed by accident.
const LEVEL: f64 = 0.01;

// The number that people are told is the one that the test needs.
const _: () = assert!(COMPARED_SAMPLES == FULL_SAMPLES as u64);

/// How captures are compared.
#[derive(Clone, Copy, Default)]
pub struct CompareOptions<'a> {
    /// Compare the whole windows, ramps included.
    pub whole: bool,
    /// Rules whose findings are compared; none are without them.
    pub rules: Option<&'a Ruleset>,
}

/// A capture, and the name that the user gave it.
pub type Named<'a> = (&'a str, &'a Capture);

/// Compares two captures, each with the name that the user gave it.
pub fn compare(first: Named, second: Named, options: CompareOptions) -> Result<Comparison, SqlError> {
    let sides =
        [Side::open(first.0, first.1, options.whole)?, Side::open(second.0, second.1, options.whole)?];
    let long = sides.iter().all(|side| side.samples >= LEAST_SAMPLES);
    let mut notes: Vec<String> = sides.iter().flat_map(|side| side.notes.clone()).collect();
    let [one, other] = &sides;
    for side in &sides {
        if side.samples < LEAST_SAMPLES {
            notes.push(format!(
                "{}: {} samples, at least {LEAST_SAMPLES} needed to judge differences",
                side.source, side.samples
            ));
        }
    }
    if one.capture.method != other.capture.method {
        notes.push(
            "different methods of time accounting: classes that only one method measures differ".into(),
        );
    }
    if one.cpus != other.cpus || one.capture.host != other.capture.host {
        notes.push("two machines: names and sizes differ".into());
    }
    let mut errors: Vec<ErrorNote> = Vec::new();
    let ledger = ledger::compare(one, other)?;
    let metrics = metrics::compare(one, other, &mut errors);
    let settings = inventory::compare(one, other, &mut errors);
    let found = [one, other].map(|side| findings::of(side.capture, options.rules, &mut errors));
    let evidence = Evidence { ledger: &ledger, metrics: &metrics, settings: &settings, long };
    let mut findings = findings::compare(&found[0], &found[1], &evidence);
    waits::add([&one.database, &other.database], [&found[0], &found[1]], &mut findings)?;
    let mut comparison = Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        first: described(one),
        second: described(other),
        first_members: Vec::new(),
        second_members: Vec::new(),
        notes,
        verdict: ComparisonVerdict::Undecided,
        headlines: Vec::new(),
        settings,
        findings,
        ledger,
        programs: programs::compare(one, other)?,
        metrics: metrics.differences,
        metrics_judged: metrics.judged,
        metrics_too_short: metrics.too_short,
        errors,
    };
    comparison.verdict = headlines::verdict(&comparison);
    comparison.headlines = headlines::of(&comparison);
    Ok(comparison)
}

fn described(side: &Side) -> ComparedSide {
    ComparedSide {
        source: side.source.clone(),
        host: side.capture.host.clone(),
        kernel: side.kernel.clone(),
        cpus: side.cpus,
        method: side.capture.method,
        coverage: side.capture.coverage,
        since_ms: side.capture.span.since_ms,
        until_ms: side.capture.span.until_ms,
        compared_since_ms: side.compared.since_ms,
        compared_until_ms: side.compared.until_ms,
        samples: side.samples as u64,
    }
}

#[cfg(test)]
mod tests;
