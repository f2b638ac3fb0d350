//! A second front end: the findings of a live window, or of an archive, a capture or recordings, one a line.
//!
//! ```text
//! cargo run --example findings                     this machine for five seconds
//! cargo run --example findings -- ARCHIVE 03:00    ten minutes of an archive
//! cargo run --example findings -- slow.heldup
//! ```

use std::process::ExitCode;
use std::time::Duration;

use heldup_engine::{
    AskedSpan, Cancel, EngineError, ErrorKind, ExamineRequest, Examined, Progress, Step, examine,
};
use heldup_model::{BriefFinding, Finding};

/// How long this machine is looked at.
const LIVE: Duration = Duration::from_secs(5);
/// How much of an archive, from a time on.
const RECORDED: Duration = Duration::from_secs(600);

/// Tells how far it is on standard error.
struct OnStandardError;

impl Progress for OnStandardError {
    fn step(&self, step: Step<'_>) {
        match step {
            Step::Looked { so_far, .. } => eprintln!("looked for {:.0} s", so_far.as_secs_f64()),
            Step::Done { count, what, .. } => eprintln!("{count} {what}"),
            Step::Block { .. } | Step::Noise { .. } | Step::Pair { .. } => {}
        }
    }

    fn note(&self, what: &str) {
        eprintln!("{what}");
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let sources: Vec<String> = words.next().into_iter().collect();
    let since = words.next();
    let window = match (sources.is_empty(), &since) {
        (true, _) => Some(LIVE),
        (false, Some(_)) => Some(RECORDED),
        (false, None) => None,
    };
    let span = AskedSpan { since, ..AskedSpan::default() };
    let request = ExamineRequest { sources, window, span, ..ExamineRequest::default() };
    match examine(&request, &OnStandardError, &Cancel::Signals) {
        Ok(Examined::Window { examination, .. }) => {
            println!("{} from {:?} to {:?}", examination.host.name, examination.from, examination.to);
            examination.findings.iter().for_each(line);
        }
        Ok(Examined::Timeline(told)) => {
            println!("{} from {} to {}", told.host, told.from, told.to);
            for stretch in &told.stretches {
                println!("{} to {}", stretch.from, stretch.to);
                stretch.findings.iter().for_each(brief);
            }
        }
        Err(error) => {
            eprintln!("{}", error.whole());
            return ExitCode::from(code(&error));
        }
    }
    ExitCode::SUCCESS
}

fn line(finding: &Finding) {
    println!("{:8}  {:28}  {}", finding.severity.name(), finding.id, harmless(&finding.title));
}

fn brief(finding: &BriefFinding) {
    println!("  {:8}  {:28}  {}", finding.severity.name(), finding.id, harmless(&finding.title));
}

/// Names of the machine must not steer a terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Each front end has codes of its own for the kinds of errors.
fn code(error: &EngineError) -> u8 {
    match error.kind() {
        ErrorKind::Usage | ErrorKind::UnknownName => 2,
        ErrorKind::CommandNotFound => 127,
        ErrorKind::NotPermitted | ErrorKind::NotFound | ErrorKind::Failed => 3,
    }
}
