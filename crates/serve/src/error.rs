//! Why nothing is served.

use std::path::PathBuf;

use heldup_engine::EngineError;
use heldup_hostfs::HostError;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An address that cannot be served at.
    #[error("{0}")]
    Address(String),
    /// A port that is taken.
    #[error("port {port} is taken: name another one with --port, or --port 0 for any free one")]
    Taken {
        /// Which.
        port: u16,
    },
    /// A socket at which somebody listens.
    #[error("{path}: another process serves there; name another --socket")]
    SocketTaken {
        /// Where.
        path: PathBuf,
    },
    /// What the system said of a place.
    #[error("cannot listen at {place}: {source}")]
    Listen {
        /// Where.
        place: String,
        /// What it said.
        source: std::io::Error,
    },
    /// The source.
    #[error(transparent)]
    Source(#[from] EngineError),
    /// The host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// What the system said.
    #[error("cannot serve: {0}")]
    System(#[from] std::io::Error),
}
