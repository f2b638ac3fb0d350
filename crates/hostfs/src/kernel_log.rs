//! The kernel's log: its records as `/dev/kmsg` hands them out, one a read.
//!
//! Reading never waits for the next message and takes nothing away from other readers.
//! In a recorded tree the records stand one after the other in `dev/kmsg`, as
//! `dd if=/dev/kmsg iflag=nonblock bs=8192` writes them.

use std::fs::OpenOptions;
use std::io::Read;
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

impl Host {
    /// All records that the kernel still holds.
    pub fn kernel_log(&self) -> Result<KernelLog, HostError> {
        if !self.is_live() {
            let records = self.read(PATH)?;
            // Without a boot time the log's own clock is all there is.
            let zero_ms = self.boot_time().map_or(0, |boot| boot.boot_ms());
            return Ok(KernelLog { records, zero_ms });
        }
        let records = read_live()?;
        Ok(KernelLog { records, zero_ms: realtime_ms() - (monotonic_ns() / 1_000_000) as i64 })
    }
}

fn read_live() -> Result<Vec<u8>, HostError> {
    let fail = |e| HostError::from_io(PATH, e);
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(PATH)
        .map_err(fail)?;
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
                _ => return Err(fail(error)),
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

    #[test]
    fn the_running_machine_answers_at_once() {
        match Host::live().kernel_log() {
            Ok(log) => assert!(log.records.is_empty() || log.records.ends_with(b"\n")),
            Err(error) => assert!(error.is_absent() || error.is_denied(), "{error}"),
        }
    }
}
