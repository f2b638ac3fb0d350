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

/// The exit code of its kind.
pub fn exit(error: &anyhow::Error) -> Exit {
    let kind = error.downcast_ref::<EngineError>().map(EngineError::kind);
    if error.is::<WrongUsage>() || kind == Some(ErrorKind::Usage) {
        Exit::WRONG_USAGE
    } else {
        Exit::COULD_NOT
    }
}
