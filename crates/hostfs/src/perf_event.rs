//! Counters of the CPUs, as `perf_event_open(2)` hands them out: one event on one CPU, of
//! whatever runs there.
//!
//! Counting changes nothing but that a hardware counter is in use; where there are fewer
//! counters than events the kernel lets them take turns, which is why a count comes with its
//! times.

use std::fs::File;
use std::io::{Error, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::error::HostError;
use crate::files::Host;

/// What stands for the calls in errors.
pub(crate) const PLACE: &str = "perf_event_open";
/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING` of linux/perf_event.h.
const WITH_TIMES: u64 = 1 | 2;
/// The bits `disabled` and `freq` of `struct perf_event_attr`.
pub(crate) const DISABLED: u64 = 1;
const FREQUENCY: u64 = 1 << 10;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 8;
/// `PERF_EVENT_IOC_ENABLE` and `PERF_EVENT_IOC_SET_BPF`.
pub(crate) const ENABLE: libc::Ioctl = 0x2400;
const SET_PROGRAM: libc::Ioctl = 0x4004_2408;

/// What is counted: type and number of an event, as linux/perf_event.h numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuEvent {
    /// `PERF_TYPE_…`.
    pub kind: u32,
    /// `PERF_COUNT_…`.
    pub config: u64,
}

/// `struct perf_event_attr` up to version 3, of 96 bytes (Linux 3.7).
#[repr(C)]
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) kind: u32,
    pub(crate) size: u32,
    pub(crate) config: u64,
    /// A frequency in Hz where the flags say so.
    pub(crate) sample_period: u64,
    pub(crate) sample_type: u64,
    pub(crate) read_format: u64,
    pub(crate) flags: u64,
    pub(crate) wakeup_events: u32,
    pub(crate) breakpoint: u32,
    pub(crate) breakpoint_address: u64,
    pub(crate) breakpoint_length: u64,
    pub(crate) branch_sample_type: u64,
    pub(crate) sample_regs_user: u64,
    pub(crate) sample_stack_user: u32,
    pub(crate) clock: i32,
}

const _: () = assert!(size_of::<Attributes>() == 96);

/// Opens an event on a CPU, of whatever runs there.
pub(crate) fn open_event(attributes: &Attributes, cpu: u32) -> Result<File, HostError> {
    let (every_task, no_leader) = (-1_i32, -1_i32);
    // SAFETY: `attributes` outlives the call and says its own size; the other arguments are numbers.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const *attributes,
            every_task,
            cpu,
            no_leader,
            CLOSE_ON_EXEC,
        )
    };
    if fd < 0 {
        return Err(HostError::from_io(PLACE, Error::last_os_error()));
    }
    // SAFETY: the kernel has just made this descriptor, and nobody else has it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd as i32) }))
}

/// An event that is counted on a CPU until this is dropped.
#[derive(Debug)]
pub struct EventCounter {
    file: File,
}

/// What was counted since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCount {
    /// Events while it had a hardware counter.
    pub events: u64,
    /// Nanoseconds for which it was to count.
    pub enabled_ns: u64,
    /// Nanoseconds for which it had a counter.
    pub running_ns: u64,
}

impl Host {
    /// Makes a counter of an event on a CPU, for all tasks, that is not counting yet; takes
    /// CAP_PERFMON. It overflows about `hertz` times a second. An event that this machine does
    /// not have is [`HostError::NotFound`], a CPU that is offline [`HostError::Io`] with ENODEV.
    pub fn event_counter(&self, event: CpuEvent, cpu: u32, hertz: u64) -> Result<EventCounter, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "hardware counters" });
        }
        let attributes = Attributes {
            kind: event.kind,
            size: size_of::<Attributes>() as u32,
            config: event.config,
            sample_period: hertz,
            read_format: WITH_TIMES,
            flags: DISABLED | FREQUENCY,
            ..Attributes::default()
        };
        Ok(EventCounter { file: open_event(&attributes, cpu)? })
    }
}

impl EventCounter {
    /// Has a BPF program (of type `perf_event`) run at each overflow, and begins to count.
    pub fn begin_with(&self, program: BorrowedFd<'_>) -> Result<(), HostError> {
        let fd = self.file.as_raw_fd();
        // SAFETY: both requests take a number, no pointer.
        let answers =
            unsafe { [libc::ioctl(fd, SET_PROGRAM, program.as_raw_fd()), libc::ioctl(fd, ENABLE, 0)] };
        match answers {
            [0, 0] => Ok(()),
            _ => Err(HostError::from_io(PLACE, Error::last_os_error())),
        }
    }

    /// What was counted since it began.
    pub fn read(&self) -> Result<EventCount, HostError> {
        let mut words = [[0_u8; 8]; 3];
        let mut file = &self.file;
        file.read_exact(words.as_flattened_mut()).map_err(|error| HostError::from_io(PLACE, error))?;
        let [events, enabled_ns, running_ns] = words.map(u64::from_ne_bytes);
        Ok(EventCount { events, enabled_ns, running_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_SUCH_EVENT: CpuEvent = CpuEvent { kind: 1, config: 4_000_000 };

    #[test]
    fn an_event_that_is_not_there_says_so() {
        if !crate::own::is_root() {
            return heldup_skip::skipped("counting on a CPU needs root");
        }
        let error = Host::live().event_counter(NO_SUCH_EVENT, 0, 100).expect_err("no such event");
        assert!(error.is_absent(), "{error}");
    }

    #[test]
    fn a_recorded_host_has_no_counters() {
        let answer = Host::recorded("/nowhere").event_counter(NO_SUCH_EVENT, 0, 100);
        assert!(matches!(answer, Err(HostError::NotLive { .. })));
    }
}
