//! What can end the reading of a file. Everything less is a note in its description.

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened.
    #[error(transparent)]
    Host(#[from] heldup_hostfs::HostError),
    /// The system failed in the middle of it.
    #[error("{file}, after line {line}: {source}")]
    Read {
        /// The file.
        file: String,
        /// The last line that was read.
        line: u64,
        /// The system's own error.
        source: std::io::Error,
    },
    /// Rows that do not make up a table: a mistake of an importer.
    #[error("table {table}: {source}")]
    Table {
        /// The table.
        table: &'static str,
        /// What Arrow says.
        source: arrow_schema::ArrowError,
    },
}
