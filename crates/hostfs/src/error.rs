//! Errors of reading the host, with their remedy.

use std::path::PathBuf;

/// Why something could not be read from the host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The file or folder is not there: an older kernel, a missing controller, an ended process.
    #[error("{path}: not there")]
    NotFound {
        /// Path as the host names it.
        path: PathBuf,
    },
    /// The rights do not suffice.
    #[error("{path}: permission denied{}", remedy())]
    Denied {
        /// Path as the host names it.
        path: PathBuf,
    },
    /// The file is larger than any known kernel file.
    #[error("{path}: more than {limit} bytes; not read")]
    TooLarge {
        /// Path as the host names it.
        path: PathBuf,
        /// Bytes that are read at most.
        limit: usize,
    },
    /// The file is not among those that were imported, which says nothing of the machine.
    #[error("{path}: not among the imported files")]
    NotRecorded {
        /// Path as the host names it.
        path: PathBuf,
    },
    /// The thing exists only on the running machine, and this is a recorded tree.
    #[error("{what}: only on the running machine, not in a recorded tree")]
    NotLive {
        /// What was asked for.
        what: &'static str,
    },
    /// Anything else that the system said.
    #[error("{path}: {source}")]
    Io {
        /// Path or call.
        path: PathBuf,
        /// The system's own error.
        source: std::io::Error,
    },
}

/// What helps where the rights do not suffice.
fn remedy() -> &'static str {
    if crate::own::is_root() { "" } else { " (run as root)" }
}

impl HostError {
    /// Sorts a system error by what the caller can do about it.
    pub fn from_io(path: impl Into<PathBuf>, source: std::io::Error) -> HostError {
        let path = path.into();
        match source.kind() {
            std::io::ErrorKind::NotFound => HostError::NotFound { path },
            std::io::ErrorKind::PermissionDenied => HostError::Denied { path },
            // A process that ended between open and read.
            _ if source.raw_os_error() == Some(libc::ESRCH) => HostError::NotFound { path },
            _ => HostError::Io { path, source },
        }
    }

    /// Whether the thing is simply not there, or switched off: pressure stall information
    /// that was built in and not asked for at boot has files that answer EOPNOTSUPP.
    pub fn is_absent(&self) -> bool {
        match self {
            HostError::NotFound { .. } | HostError::NotLive { .. } => true,
            HostError::Io { source, .. } => source.raw_os_error() == Some(libc::EOPNOTSUPP),
            _ => false,
        }
    }

    /// Whether more rights would help.
    pub fn is_denied(&self) -> bool {
        matches!(self, HostError::Denied { .. })
    }
}
