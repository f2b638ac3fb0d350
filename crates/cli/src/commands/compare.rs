//! `heldup compare FIRST SECOND`: what differs between two kept captures.

use anyhow::Context;
use heldup_diagnose::CompareOptions;
use heldup_model::Severity;
use heldup_report::{TextOptions, comparison};
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::args::{CompareArgs, Format};
use crate::exit::Exit;
use crate::source::{Source, load};
use crate::terminal;

/// Compares two captures.
pub fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let opened = |word: &str| match Source::parse(Some(word))? {
        Source::Kept { name, folder } => Ok((name, load(&folder)?)),
        Source::Live => Err(anyhow::Error::from(WrongUsage(format!("`{word}` is no kept capture")))),
    };
    let (first, second) = (opened(&args.first)?, opened(&args.second)?);
    let options = CompareOptions { whole: args.whole };
    let found = heldup_diagnose::compare((&first.0, &first.1), (&second.0, &second.1), options)
        .context("the captures cannot be compared")?;
    let rendered = match args.format {
        Format::Json => comparison::json(&found),
        Format::Text => {
            let options = TextOptions {
                width: terminal::width(),
                color: terminal::color(args.color),
                bars: false,
                ascii: !terminal::unicode(),
                details: args.details,
                time_zone: TimeZone::system(),
            };
            comparison::text(&found, &options)
        }
    };
    println!("{}", rendered.trim_end());
    let worst = found.ledger.iter().filter_map(|class| class.severity).min();
    let differs = worst.is_some_and(|worst| worst <= Severity::Warning);
    Ok(if args.check && differs { Exit::FOUND } else { Exit::DONE })
}
