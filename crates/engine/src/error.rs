//! Why a request has no answer.

use std::error::Error;
use std::fmt;

use heldup_archive::SqlError;
use heldup_archive::kept::RecorderFileError;
use heldup_archive::store::StoreError;
use heldup_diagnose::BaselineError;
use heldup_hostfs::HostError;
use heldup_import::ImportError;
use heldup_probe::ProbeError;
use heldup_prove::{AskedError, FigureError};
use heldup_tune::tuned::TunedError;
use heldup_tune::{ChangeError, LimitError, PlanError};

/// What a request ends with.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

/// What kind of error it is: a front end has a code of its own for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request makes no sense as it is put.
    Usage,
    /// A name that is looked up in a list, of rules, tables or sources, is not in it.
    UnknownName,
    /// The command that was to be run is not there.
    CommandNotFound,
    /// The machine does not let us.
    NotPermitted,
    /// What is named is not there, or has nothing of what is asked.
    NotFound,
    /// It was tried and did not work.
    Failed,
}

/// Why a request has no answer: a sentence with the place, the item and what was expected of it.
#[derive(Debug)]
pub struct EngineError {
    kind: ErrorKind,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl EngineError {
    /// The request makes no sense.
    pub fn usage(what: impl Into<String>) -> EngineError {
        EngineError::of(ErrorKind::Usage, what)
    }

    /// A name is not in the list that it is looked up in.
    pub fn unknown_name(what: impl Into<String>) -> EngineError {
        EngineError::of(ErrorKind::UnknownName, what)
    }

    /// What is named is not there.
    pub fn not_found(what: impl Into<String>) -> EngineError {
        EngineError::of(ErrorKind::NotFound, what)
    }

    /// It did not work.
    pub fn failed(what: impl Into<String>) -> EngineError {
        EngineError::of(ErrorKind::Failed, what)
    }

    pub(crate) fn of(kind: ErrorKind, what: impl Into<String>) -> EngineError {
        EngineError { kind, what: what.into(), source: None }
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence with all that led to it, as one line.
    pub fn whole(&self) -> String {
        whole(self)
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_deref()?)
    }
}

/// Says what was tried where an error only says what went wrong.
pub(crate) trait Context<T> {
    /// With a sentence.
    fn context(self, what: impl Into<String>) -> Result<T>;
    /// With a sentence that takes work.
    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T>;
}

impl<T, E: Error + Send + Sync + 'static> Context<T> for Result<T, E> {
    fn context(self, what: impl Into<String>) -> Result<T> {
        self.with_context(|| what)
    }

    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T> {
        self.map_err(|error| {
            let kind = kind_of(&error);
            EngineError { kind, what: what().into(), source: Some(Box::new(error)) }
        })
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, what: impl Into<String>) -> Result<T> {
        self.ok_or_else(|| EngineError::not_found(what))
    }

    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T> {
        self.ok_or_else(|| EngineError::not_found(what()))
    }
}

fn kind_of(error: &(dyn Error + 'static)) -> ErrorKind {
    if let Some(ours) = error.downcast_ref::<EngineError>() {
        return ours.kind;
    }
    // What somebody asks in words of their own is wrong usage where it is no question, or names what is not there.
    match error.downcast_ref::<SqlError>() {
        Some(SqlError::Syntax { .. }) => return ErrorKind::Usage,
        Some(
            SqlError::UnknownColumn { .. } | SqlError::UnknownTable { .. } | SqlError::UnknownFunction { .. },
        ) => return ErrorKind::UnknownName,
        _ => {}
    }
    let mut cause = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref::<HostError>() {
            Some(host) if host.is_denied() => return ErrorKind::NotPermitted,
            Some(host) if host.is_absent() => return ErrorKind::NotFound,
            _ => {}
        }
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return match io.kind() {
                std::io::ErrorKind::PermissionDenied => ErrorKind::NotPermitted,
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Failed,
            };
        }
        cause = error.source();
    }
    ErrorKind::Failed
}

/// Errors of the crates below say place, item and expectation themselves.
macro_rules! as_it_says {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for EngineError {
            fn from(error: $error) -> EngineError {
                let kind = kind_of(&error);
                // What it says is the sentence: its own cause, not itself, stands behind it.
                EngineError { kind, what: whole(&error), source: None }
            }
        })*
    };
}

fn whole(error: &dyn Error) -> String {
    let mut whole = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let said = error.to_string();
        // Some say their cause in their own sentence.
        if !whole.contains(&said) {
            whole.push_str(": ");
            whole.push_str(&said);
        }
        source = error.source();
    }
    whole
}

as_it_says!(
    AskedError,
    BaselineError,
    ChangeError,
    FigureError,
    HostError,
    ImportError,
    LimitError,
    PlanError,
    ProbeError,
    RecorderFileError,
    SqlError,
    StoreError,
    TunedError,
    jiff::Error,
    std::io::Error,
);

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn the_kind_is_that_of_the_cause_and_no_cause_is_told_twice() {
        let path = || std::path::PathBuf::from("/proc/x");
        let denied: Result<()> = Err(HostError::Denied { path: path() }).context("the table cannot be read");
        let denied = denied.expect_err("denied");
        assert_eq!(denied.kind(), ErrorKind::NotPermitted);
        assert!(
            denied.whole().starts_with("the table cannot be read: /proc/x: permission denied"),
            "{}",
            denied.whole()
        );
        assert_eq!(EngineError::from(HostError::NotFound { path: path() }).kind(), ErrorKind::NotFound);
        assert_eq!(EngineError::from(io::Error::other("broken")).kind(), ErrorKind::Failed);
        let named = EngineError::usage("no such word");
        let again: Result<()> = Err(named).context("the request");
        assert_eq!(again.expect_err("an error").kind(), ErrorKind::Usage);
    }
}
