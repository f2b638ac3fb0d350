//! When the machine booted, as the one anchor of every start time.
//!
//! A task is known by its id and its start time. The kernel tells the start since boot;
//! every table shows it in UTC, and rows of different sources are joined by it. So all of
//! them must add the same boot time: `btime` of `/proc/stat` may move by a second between
//! two reads while the clock is set, therefore it is read once.

use std::sync::OnceLock;

use crate::error::HostError;
use crate::files::Host;

/// Turns starts since boot into UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootTime {
    boot_ms: i64,
    ticks_per_s: i64,
}

impl BootTime {
    /// Time of boot, milliseconds since 1970-01-01 UTC (whole seconds).
    pub fn boot_ms(self) -> i64 {
        self.boot_ms
    }

    /// Start of a task from field 22 of `/proc/PID/stat`, in clock ticks since boot.
    pub fn start_ms_of_ticks(self, ticks: i64) -> i64 {
        self.boot_ms + ticks.saturating_mul(1000) / self.ticks_per_s
    }

    /// The same from `start_boottime` of a task, in nanoseconds since boot: cut to ticks
    /// first, so that it equals what `/proc` leads to.
    pub fn start_ms_of_ns(self, boottime_ns: u64) -> i64 {
        let ns_per_tick = 1_000_000_000 / self.ticks_per_s as u64;
        self.start_ms_of_ticks((boottime_ns / ns_per_tick) as i64)
    }
}

static LIVE: OnceLock<BootTime> = OnceLock::new();

impl Host {
    /// The boot time; of the running machine always the value that was read first.
    pub fn boot_time(&self) -> Result<BootTime, HostError> {
        if let Some(known) = LIVE.get().filter(|_| self.is_live()) {
            return Ok(*known);
        }
        let stat = self.read("/proc/stat")?;
        let ticks_per_s = self.units().ticks_per_s as i64;
        let boot_ms = btime_s(&stat).and_then(|s| s.checked_mul(1000)).ok_or_else(|| HostError::Io {
            path: "/proc/stat".into(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidData, "no line \"btime SECONDS\""),
        })?;
        let read = BootTime { boot_ms, ticks_per_s };
        Ok(if self.is_live() { *LIVE.get_or_init(|| read) } else { read })
    }
}

fn btime_s(stat: &[u8]) -> Option<i64> {
    let line = stat.split(|b| *b == b'\n').find_map(|line| line.strip_prefix(b"btime "))?;
    std::str::from_utf8(line.trim_ascii()).ok()?.parse().ok().filter(|s| *s >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_and_nanoseconds_lead_to_the_same_start() {
        let boot = BootTime { boot_ms: 1_700_000_000_000, ticks_per_s: 100 };
        assert_eq!(boot.start_ms_of_ticks(12_345), 1_700_000_123_450);
        assert_eq!(boot.start_ms_of_ns(123_459_999_999), 1_700_000_123_450);
    }

    #[test]
    fn a_file_without_a_boot_time_says_so() {
        assert_eq!(btime_s(b"cpu 1 2\nbtime 1700000000\nprocesses 3\n"), Some(1_700_000_000));
        assert_eq!(btime_s(b"cpu 1 2\nbtime x\n"), None);
        assert_eq!(btime_s(b""), None);
        assert!(Host::recorded("/no-such-tree").boot_time().is_err());
    }

    #[test]
    fn the_running_machine_has_one_boot_time() {
        let host = Host::live();
        assert_eq!(host.boot_time().expect("boot time"), host.boot_time().expect("boot time"));
    }
}
