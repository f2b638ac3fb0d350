//! `heldup compare`: what differs between two kept captures, or two groups of them.

use heldup_engine::{CompareRequest, compare};
use heldup_model::Severity;
use heldup_report::{TextOptions, comparison};

use crate::args::{CompareArgs, Format};
use crate::exit::Exit;
use crate::terminal;

/// Compares the captures.
pub fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let found = compare(&CompareRequest {
        sides: args.sides.clone(),
        against: args.against.clone(),
        rules: args.rules.clone(),
        whole: args.whole,
    })?;
    let rendered = match args.answer.format {
        Format::Json => comparison::json(&found),
        Format::Text => {
            let options = terminal::text_options(terminal::color(args.answer.color));
            comparison::text(&found, &TextOptions { details: args.answer.details, ..options })
        }
    };
    println!("{}", rendered.trim_end());
    let worst = found.ledger.iter().filter_map(|class| class.severity).min();
    let differs = worst.is_some_and(|worst| worst <= Severity::Warning);
    Ok(if args.answer.check && differs { Exit::FOUND } else { Exit::DONE })
}
