//! `heldup capture FILE`: one file with all that can be seen of a machine, for a helper elsewhere.

use std::path::PathBuf;

use heldup_engine::{Cancel, CaptureRequest, CaptureTo, CaptureWritten, capture};
use heldup_report::{harmless, overhead, quantity};

use crate::args::CaptureArgs;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal::Progress;

/// Looks at everything, or opens what was kept, and writes it.
pub fn run(args: &CaptureArgs) -> anyhow::Result<Exit> {
    let (source, to) = match (args.words.as_slice(), args.baseline) {
        (words, true) => (words.first(), CaptureTo::Baseline),
        ([file], false) => (None, CaptureTo::File(PathBuf::from(file))),
        ([source, file], false) => (Some(source), CaptureTo::File(PathBuf::from(file))),
        _ => return Err(WrongUsage("expected the file to write, or a source and the file".to_owned()).into()),
    };
    let request = CaptureRequest {
        source: source.cloned(),
        to,
        window: args.window,
        span: args.span.asked(),
        method: args.method.into(),
        redact: args.redact,
        force: args.force,
    };
    let written = capture(&request, &Progress::default(), &Cancel::Signals)?;
    print!("{}", said(args, &written));
    if let Some(cost) = written.cost {
        println!("{}", overhead::plain_line(&cost));
    }
    Ok(Exit::DONE)
}

fn said(args: &CaptureArgs, written: &CaptureWritten) -> String {
    let holds = match (args.baseline, args.redact) {
        (true, _) => "`heldup examine` says from now on which settings differ from it (config.drift).",
        (false, true) => {
            "Names, addresses and arguments are pseudonyms now; names that nothing shows to be names are not: \
             read what you publish."
        }
        (false, false) => {
            "It holds names, addresses, command lines and the kernel's log, and only its owner may read it; \
             --redact replaces what names somebody."
        }
    };
    let text = format!(
        "{}: {} s of {}, {} tables, {} rows, {}",
        written.file.display(),
        quantity::number(written.seconds),
        written.host,
        written.tables,
        quantity::count(i64::try_from(written.rows).unwrap_or(i64::MAX)),
        quantity::bytes(written.bytes as f64),
    );
    format!("{}\n{holds}\n", harmless(&text.replace('\u{a0}', " ")))
}
