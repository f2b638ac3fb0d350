//! The kernel's log: its records as `/dev/kmsg` hands them out, one a read.
//!
//! Reading never waits for the next message and takes nothing away from other readers. A record
//! costs a call of 1.3 µs, and a log holds thousands: who wants only what comes from now on
//! keeps a place in it ([`KernelLogPlace`]).
//! In a recorded tree the records stand one after the other in `dev/kmsg`, as
//! `dd if=/dev/kmsg iflag=nonblock bs=8192` writes them.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

use crate::clock::{monotonic_ns, realtime_ms};
use crate::error::HostError;
use crate::files::{Host, MAX_FILE_BYTES};

const PATH: &str = "/dev/kmsg";
/// A read with less room than the record needs fails; the kernel makes none longer
/// (CONSOLE_EXT_LOG_MAX, 8192; in later kernels PRINTK_MESSAGE_MAX, 2048).
const RECORD_BYTES: usize = 8192;

/// Records of the kernel's log, oldest first.
#[derive(Clone, Debug)]
pub struct KernelLog {
    /// The records, one after the other.
    pub records: Vec<u8>,
    /// UTC in milliseconds when the log's clock stood at zero. The log runs on the
    /// scheduler's clock, which NTP does not correct: after weeks it may be a second off.
    pub zero_ms: i64,
}

/// A place in the log of the running machine.
#[derive(Debug)]
pub struct KernelLogPlace {
    file: File,
}

impl KernelLogPlace {
    /// Records written since the place was taken or last read from; the place moves behind them.
    pub fn read(&mut self) -> Result<KernelLog, HostError> {
        Ok(KernelLog { records: read_on(&mut self.file)?, zero_ms: zero_ms() })
    }
}

impl Host {
    /// A place behind the last record; only on the running machine.
    pub fn kernel_log_from_now(&self) -> Result<KernelLogPlace, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "a place in the kernel's log" });
        }
        let mut file = open_live()?;
        file.seek(SeekFrom::End(0)).map_err(|error| HostError::from_io(PATH, error))?;
        Ok(KernelLogPlace { file })
    }

    /// All records that the kernel still holds.
    pub fn kernel_log(&self) -> Result<KernelLog, HostError> {
        if !self.is_live() {
            let records = self.read(PATH)?;
            // Without a boot time the log's own clock is all there is.
            let zero_ms = self.boot_time().map_or(0, |boot| boot.boot_ms());
            return Ok(KernelLog { records, zero_ms });
        }
        Ok(KernelLog { records: read_on(&mut open_live()?)?, zero_ms: zero_ms() })
    }
}

fn zero_ms() -> i64 {
    realtime_ms() - (monotonic_ns() / 1_000_000) as i64
}

fn open_live() -> Result<File, HostError> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
    options.open(PATH).map_err(|error| HostError::from_io(PATH, error))
}

/// What stands behind the file's place.
fn read_on(file: &mut File) -> Result<Vec<u8>, HostError> {
    let mut records = Vec::new();
    let mut record = [0u8; RECORD_BYTES];
    // A machine that logs faster than we read must not hold us here.
    while records.len() < MAX_FILE_BYTES {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => records.extend_from_slice(&record[..length]),
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN) => break,
                // Records were overwritten under the reader: it goes on at the oldest one.
                Some(libc::EPIPE | libc::EINTR) => {}
                _ => return Err(HostError::from_io(PATH, error)),
            },
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_without_a_log_is_absent() {
        let error = Host::recorded("/no-such-tree").kernel_log().expect_err("no log");
        assert!(error.is_absent(), "{error}");
    }

    /// Writing into the log of the machine would be no test of reading it: nothing comes, mostly.
    #[test]
    fn a_place_has_only_what_came_since() {
        assert!(Host::recorded("/no-such-tree").kernel_log_from_now().is_err());
        let host = Host::live();
        let (Ok(whole), Ok(mut place)) = (host.kernel_log(), host.kernel_log_from_now()) else {
            return heldup_skip::skipped("/dev/kmsg cannot be read here");
        };
        let since = place.read().expect("what came since");
        assert!(since.records.len() < whole.records.len().max(1), "the place is not at the end");
        assert!((since.zero_ms - whole.zero_ms).abs() <= 1000);
    }

    #[test]
    fn the_running_machine_answers_at_once() {
        match Host::live().kernel_log() {
            Ok(log) => assert!(log.records.is_empty() || log.records.ends_with(b"\n")),
            Err(error) => assert!(error.is_absent() || error.is_denied(), "{error}"),
        }
    }
}
