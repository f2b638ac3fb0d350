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
    let whole = match error.downcast_ref::<EngineError>() {
        // No cause is said twice.
        Some(error) => error.whole(),
        None => format!("{error:#}"),
    };
    let whole = without_numbers(&whole);
    whole.lines().map(harmless).collect::<Vec<_>>().join("\nheldup: ")
}

/// Without the ` (os error 2)` that the standard library puts behind the system's words.
fn without_numbers(text: &str) -> String {
    const BEGIN: &str = " (os error ";
    let mut parts = text.split(BEGIN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match part.get(digits..).and_then(|rest| rest.strip_prefix(')')) {
            Some(rest) if digits > 0 => out.push_str(rest),
            _ => {
                out.push_str(BEGIN);
                out.push_str(part);
            }
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_the_system_are_left_out() {
        for (text, expect) in [
            ("/a: No such file or directory (os error 2)", "/a: No such file or directory"),
            ("a (os error 13): b (os error 2)", "a: b"),
            ("a (os error x)", "a (os error x)"),
        ] {
            assert_eq!(without_numbers(text), expect);
        }
    }
}
