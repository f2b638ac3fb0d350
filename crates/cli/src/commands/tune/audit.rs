//! `heldup tune audit FILE…`: settings that somebody brings along, each line judged against a release.

use std::io::Read;

use heldup_engine::tune::{self, AuditRequest, AuditedInput, MOST_AUDITED_BYTES};
use heldup_model::AuditedLine;
use heldup_report::{audit as report, csv};

use super::args::{AuditSeverity, TuneAuditArgs};
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// The verdict of a line without remarks.
const FINE: &str = "fine";

/// Judges files. One that cannot be read is said, and costs the others nothing.
pub fn run(args: &TuneAuditArgs) -> anyhow::Result<Exit> {
    let inputs = args.files.iter().map(|file| input(file)).collect();
    let judged = tune::audit(AuditRequest { inputs, release: args.release.clone() })?;
    match args.output.format() {
        Format::Text => print!("{}", report::text(&judged, terminal::width(), args.all)),
        Format::Json => print!("{}", report::json(&judged)),
        Format::Csv => print!("{}", csv::list(&judged, "lines")),
    }
    Progress::notes().all(&judged.unread);
    let fails = |line: &AuditedLine| match args.fail_on {
        None => false,
        Some(AuditSeverity::Warning) => line.is_warning,
        Some(AuditSeverity::Info) => line.is_warning || line.verdict != FINE,
    };
    let found = judged.lines.iter().any(fails);
    Ok(match (judged.unread.is_empty(), found) {
        (false, _) => Exit::COULD_NOT,
        (true, true) => Exit::FOUND,
        (true, false) => Exit::DONE,
    })
}

/// `-` is standard input.
fn input(file: &str) -> AuditedInput {
    if file != "-" {
        return AuditedInput::File(file.to_owned());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(MOST_AUDITED_BYTES + 1).read_to_end(&mut bytes);
    AuditedInput::Read { name: file.to_owned(), bytes: read.map(|_| bytes) }
}
