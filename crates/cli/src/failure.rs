//! Why a command could not do its work: what is said, and what it ends with.

use heldup_engine::{EngineError, ErrorKind};
use heldup_report::harmless;

use crate::exit::Exit;

/// Arguments that parse and still make no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// The error with all that led to it; each of several has a line of its own.
pub fn said(error: &anyhow::Error) -> String {
    let whole = format!("{error:#}");
    whole.lines().map(harmless).collect::<Vec<_>>().join("\nheldup: ")
}

/// A text of our own with names from elsewhere, whose lines stay.
pub fn harmless_lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

/// The exit code of its kind.
pub fn exit(error: &anyhow::Error) -> Exit {
    if error.is::<WrongUsage>() {
        return Exit::WRONG_USAGE;
    }
    match error.downcast_ref::<EngineError>().map(EngineError::kind) {
        Some(ErrorKind::Usage | ErrorKind::UnknownName) => Exit::WRONG_USAGE,
        Some(ErrorKind::CommandNotFound) => Exit::COMMAND_NOT_FOUND,
        _ => Exit::COULD_NOT,
    }
}
