//! `heldup trace KIND [SOURCE]`: one kind of time, drilled down to programs, objects and stacks, over
//! the time of a window.

use heldup_engine::{BreakdownRequest, Cancel, breakdown};
use heldup_report::{breakdown as report, harmless};
use jiff::tz::TimeZone;

use crate::args::{TraceArgs, TraceFormat};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Drills down.
pub fn run(args: &TraceArgs) -> anyhow::Result<Exit> {
    let request = BreakdownRequest {
        kind: args.kind.into(),
        source: args.source.clone(),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.clone(),
        method: args.method.into(),
        stacks: args.format != TraceFormat::Text,
    };
    let found = breakdown(&request, &Progress::default(), &Cancel::Signals)?;
    let said = found.errors.iter().filter(|_| args.format != TraceFormat::Json);
    said.for_each(|error| eprintln!("heldup: {}: {}", harmless(&error.place), harmless(&error.what)));
    match args.format {
        TraceFormat::Text => {
            print!("{}", report::text(&found, terminal::table_width(), &TimeZone::system()));
        }
        TraceFormat::Json => print!("{}", report::json(&found)),
        TraceFormat::Folded => {
            if found.stacks.is_empty() {
                eprintln!("heldup: {}: no stacks of this", report::heading(&found, &TimeZone::system()));
            }
            print!("{}", report::folded(&found));
        }
    }
    Ok(Exit::DONE)
}
