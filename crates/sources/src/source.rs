//! What a source is, what it is given for a reading, and what it hands over.

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
}

/// When a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Within a window.
    pub cadence: Cadence,
    /// By a recorder.
    pub pace: Pace,
    /// It is read before the others of its cadence, which use what it finds.
    pub leads: bool,
}

/// A file of a row for each CPU that is larger than this is read at both ends only: writing
/// and reading 64 KiB of such text takes about half a millisecond.
const LARGE_FILE_BYTES: usize = 64 << 10;

impl Schedule {
    /// The schedule of a cadence, with the pace that follows from it.
    pub fn new(cadence: Cadence) -> Schedule {
        let pace = match cadence {
            Cadence::EverySample => Pace::EverySample,
            Cadence::Ends => Pace::SLOW,
            Cadence::Once => Pace::Segment,
        };
        Schedule { cadence, pace, leads: false }
    }

    /// At every sample.
    pub fn every_sample() -> Schedule {
        Schedule::new(Cadence::EverySample)
    }

    /// At both ends of a window; by a recorder every ten seconds.
    pub fn ends() -> Schedule {
        Schedule::new(Cadence::Ends)
    }

    /// Once, at the end of a window; by a recorder once a segment.
    pub fn once() -> Schedule {
        Schedule::new(Cadence::Once)
    }

    /// For counters whose file grows with the number of CPUs: every sample while it is small.
    /// `bytes` is the size of the file at the last reading, 0 before the first.
    pub fn from_file_size(bytes: usize) -> Schedule {
        if bytes > LARGE_FILE_BYTES { Schedule::ends() } else { Schedule::every_sample() }
    }

    /// Another pace for a recorder: for what costs more, or would lose something.
    pub fn pace(self, pace: Pace) -> Schedule {
        Schedule { pace, ..self }
    }

    /// Before the others of its cadence.
    pub fn leads(self) -> Schedule {
        Schedule { leads: true, ..self }
    }
}

/// What a source is given for a reading. It only borrows: making one for each reading costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct ReadContext<'a> {
    /// The machine that is read.
    pub host: &'a Host,
    /// Lists of processes and namespaces, shared by all sources of one reader.
    pub namespaces: &'a Namespaces,
    /// Start of the window, milliseconds since 1970-01-01 UTC; none where the reading belongs to no window.
    pub since_ms: Option<i64>,
    /// The user wants the source's tables themselves, not only what rules use of them: a source that
    /// omits expensive rows then reads all.
    pub asked: bool,
    /// Only counters, and tables without counters, are used of this reading, as the base of the next:
    /// expensive labels need not be read.
    pub base_only: bool,
    /// Readings follow each other without end, as a recorder's do: an event belongs to one reading only.
    pub continuous: bool,
}

impl<'a> ReadContext<'a> {
    /// A single reading of a host, which belongs to no window.
    pub fn new(host: &'a Host, namespaces: &'a Namespaces) -> ReadContext<'a> {
        ReadContext { host, namespaces, since_ms: None, asked: false, base_only: false, continuous: false }
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
    /// When it is read. May depend on what the last reading found (the size of a file).
    fn schedule(&self) -> Schedule;
    /// A window begins. Only for a source that is not read at the start of a window and still has to mark
    /// it. The kernel log needs this: its clock may be a second off, so the start is known for certain only
    /// as a position in the log, taken at that moment. For all others [`ReadContext::since_ms`] is enough.
    /// It runs in the sampler's own thread: it must not read, and must not wait.
    fn begin(&mut self, host: &Host) {
        let _ = host;
    }
    /// Reads once. Where it waits for somebody else (a server, a program), it has a time limit of
    /// its own below the sampler's 2 s, after which all of its rows would be lost.
    fn read(&mut self, context: &ReadContext) -> Reading;
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn a_schedule_has_the_pace_of_its_cadence_or_its_own() {
        let paces = [Schedule::every_sample(), Schedule::ends(), Schedule::once()].map(|one| one.pace);
        assert_eq!(paces, [Pace::EverySample, Pace::SLOW, Pace::Segment]);
        let costly = Schedule::ends().pace(Pace::COSTLY).leads();
        assert_eq!(costly, Schedule { cadence: Cadence::Ends, pace: Pace::COSTLY, leads: true });
        let sizes = [0, LARGE_FILE_BYTES, LARGE_FILE_BYTES + 1].map(Schedule::from_file_size);
        assert_eq!(sizes, [Schedule::every_sample(), Schedule::every_sample(), Schedule::ends()]);
    }

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
