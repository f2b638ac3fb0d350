//! Clocks: the only place that asks for the time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC.
pub fn realtime_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

/// CLOCK_MONOTONIC in nanoseconds: the clock of `bpf_ktime_get_ns`.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Length of an interval that is recorded, in seconds, by the microseconds in which it began and ended: intervals
/// that follow each other add up. Nanoseconds are noise here, and would take a table of one row a second 7 bytes
/// more each second.
pub fn recorded_s(since_ns: u64, until_ns: u64) -> f64 {
    (until_ns / 1000).saturating_sub(since_ns / 1000) as f64 / 1e6
}

/// CLOCK_BOOTTIME in nanoseconds: as CLOCK_MONOTONIC, with the time that the machine slept.
pub fn boottime_ns() -> u64 {
    read(libc::CLOCK_BOOTTIME)
}

/// Sleeps until a time of CLOCK_BOOTTIME; where the machine slept meanwhile it may be past it.
pub fn sleep_until_boottime(ns: u64) {
    const SECOND_NS: u64 = 1_000_000_000;
    // Without the name of its type, which is to become another one with musl.
    let until = libc::timespec { tv_sec: (ns / SECOND_NS) as _, tv_nsec: (ns % SECOND_NS) as libc::c_long };
    while boottime_ns() < ns {
        // SAFETY: `until` is valid for the call; with TIMER_ABSTIME no rest is written back.
        let ended = unsafe {
            libc::clock_nanosleep(libc::CLOCK_BOOTTIME, libc::TIMER_ABSTIME, &until, std::ptr::null_mut())
        };
        // A signal ends it early; anything else would come again and again.
        if ended != 0 && ended != libc::EINTR {
            return;
        }
    }
}

/// CPU time of this process in nanoseconds.
pub fn cpu_time_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to; the clocks used always exist on Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
