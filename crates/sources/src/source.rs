//! What a source is, and what it hands over.

use std::time::Duration;

use heldup_hostfs::{Host, HostError};
use heldup_model::{Flaw, Missing, RowChanges, RowSet, TableDef};

use crate::kernel_text::Parsed;
use crate::namespaces::Namespaces;

/// When a source is read within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// At every sample: cheap counters of the whole machine.
    EverySample,
    /// At the start and the end: what costs by the process, and what hardly changes.
    Ends,
    /// Once, at the end.
    Once,
}

/// How often a recorder reads a source, which looks for months and not for seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At every sample.
    EverySample,
    /// Once in so long.
    Every(Duration),
    /// When a segment of the archive begins, so that each says what it needs to be read by itself.
    Segment,
}

impl Pace {
    /// Counters that cost by the process, and what changes slowly: six readings a minute.
    pub const SLOW: Pace = Pace::Every(Duration::from_secs(10));
    /// What costs milliseconds.
    pub const COSTLY: Pace = Pace::Every(Duration::from_secs(60));

    /// What follows from when a source is read within a window.
    pub fn of(cadence: Cadence) -> Pace {
        match cadence {
            Cadence::EverySample => Pace::EverySample,
            Cadence::Ends => Pace::SLOW,
            Cadence::Once => Pace::Segment,
        }
    }
}

/// A file of a row for each CPU that is larger than this is read at both ends only: writing
/// and reading 64 KiB of such text takes about half a millisecond.
const LARGE_FILE_BYTES: usize = 64 << 10;

impl Cadence {
    /// For counters whose file grows with the number of CPUs: every sample while it is small.
    /// `bytes` is the size of the file at the last reading, 0 before the first.
    pub fn of_file(bytes: usize) -> Cadence {
        if bytes > LARGE_FILE_BYTES { Cadence::Ends } else { Cadence::EverySample }
    }
}

/// What one read of a source gave. A source never fails: what it could not read it says.
#[derive(Debug, Default)]
pub struct Reading {
    /// Rows by table.
    pub rows: Vec<RowSet>,
    /// Rows that are told by what changed since the reading before, increases too; to a recorder that asked.
    pub changes: Vec<RowChanges>,
    /// What was not there to be read.
    pub missing: Vec<Missing>,
    /// What went wrong; the rest is in `rows`.
    pub flaws: Vec<Flaw>,
}

impl Reading {
    /// Notes that `what` (a table, or `table.column`) could not be read. Absence and lack
    /// of rights are missing, with `how` to get an absent thing; anything else is a flaw.
    pub fn lacks(&mut self, what: &str, error: &HostError, how: &str) {
        let how = match error {
            _ if error.is_absent() => how,
            _ if error.is_denied() => "run as root",
            HostError::NotRecorded { .. } => "hand it over too",
            _ => return self.flaws.push(Flaw { place: what.to_owned(), what: error.to_string() }),
        };
        self.missing.push(Missing { what: what.to_owned(), why: error.to_string(), how: how.to_owned() });
    }

    /// Takes what a parser read; what it could not make sense of becomes flaws of the file.
    pub fn take<T>(&mut self, path: &str, parsed: Parsed<T>) -> T {
        self.flaws.extend(parsed.errors.iter().map(|error| error.in_file(path)));
        parsed.value
    }
}

/// Something that fills one or more tables from the host.
pub trait Source: Send {
    /// Name: of its file in `src/` and of its folder in `fixtures/`.
    fn name(&self) -> &'static str;
    /// Tables that it fills.
    fn tables(&self) -> &'static [&'static TableDef];
    /// When it is read.
    fn cadence(&self) -> Cadence;
    /// Whether it is read before the others of its cadence, which use what it finds. Few are.
    fn leads(&self) -> bool {
        false
    }
    /// Tells that the window begins, and when, milliseconds since 1970-01-01 UTC; few need it.
    /// Nothing is read here, and nothing may be waited for.
    fn window_begins(&mut self, host: &Host, since_ms: i64) {
        let _ = (host, since_ms);
    }
    /// Tells that somebody asks for its tables themselves, and not only for what rules need of
    /// them: a source that keeps the rest to itself because it costs something reads all. Few do.
    fn asked(&mut self) {}
    /// Tells that of the next reading only counters, and tables without counters, are used:
    /// labels that cost something need not be read. Few need it.
    fn base_follows(&mut self) {}
    /// How often a recorder reads it: as its cadence leads to, unless it costs more, or would lose
    /// something.
    fn pace(&self) -> Pace {
        Pace::of(self.cadence())
    }
    /// Tells that readings follow each other for good, as a recorder's do: what one gave that
    /// happened once, the next does not give again. Few need it.
    fn follow(&mut self) {}
    /// Gives it the lists of processes and namespaces that all sources share; few need them.
    fn share(&mut self, namespaces: &Namespaces) {
        let _ = namespaces;
    }
    /// Reads once. Where it waits for somebody else (a server, a program), it has a time limit of
    /// its own below the sampler's 2 s, after which all of its rows would be lost.
    fn read(&mut self, host: &Host) -> Reading;
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn absence_and_lack_of_rights_are_missing_and_the_rest_is_a_flaw() {
        let path = std::path::PathBuf::from("/proc/x");
        let mut reading = Reading::default();
        reading.lacks("a", &HostError::NotFound { path: path.clone() }, "a newer kernel");
        reading.lacks("b", &HostError::Denied { path: path.clone() }, "a newer kernel");
        // Pressure stall information that was not switched on at boot.
        let switched_off = Error::from_raw_os_error(libc::EOPNOTSUPP);
        reading.lacks("c", &HostError::Io { path: path.clone(), source: switched_off }, "psi=1");
        reading.lacks("d", &HostError::Io { path, source: Error::from_raw_os_error(libc::EIO) }, "luck");
        let how: Vec<_> = reading.missing.iter().map(|m| (m.what.as_str(), m.how.as_str())).collect();
        assert_eq!(how, [("a", "a newer kernel"), ("b", "run as root"), ("c", "psi=1")]);
        let flaws: Vec<_> = reading.flaws.iter().map(|flaw| flaw.place.as_str()).collect();
        assert_eq!(flaws, ["d"]);
    }
}
