//! Returns of system calls with chosen outcomes, as the kernel's trace point hands them out
//! through `perf_event_open(2)`: for machines where eBPF may not be used.
//!
//! While it is on, every return of every call on the machine passes by the trace point, so it
//! is made to be switched on and off. Takes CAP_PERFMON, and a mounted tracefs or CAP_SYS_ADMIN.
//! Changes nothing.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Error;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::HostError;
use crate::files::Host;
use crate::perf_event::{Attributes, DISABLED, ENABLE, PLACE, open_event};

/// Where the trace point tells its number.
const NUMBER: &str = "/sys/kernel/tracing/events/raw_syscalls/sys_exit/id";
/// The same within tracefs, where that is not mounted.
const NUMBER_IN_TRACEFS: &CStr = c"events/raw_syscalls/sys_exit/id";
/// `PERF_TYPE_TRACEPOINT`, and what a sample holds: TID, RAW, REGS_USER (linux/perf_event.h).
const TRACE_POINT: u32 = 2;
const SAMPLE: u64 = 1 << 1 | 1 << 10 | 1 << 12;
const DISABLE: libc::Ioctl = 0x2401;
const SET_FILTER: libc::Ioctl = 0x4008_2406;
/// DX, SI and DI of `asm/perf_regs.h`, which a call leaves as it got them.
const ARGUMENT_REGISTERS: u64 = 1 << 3 | 1 << 4 | 1 << 5;
/// `PERF_RECORD_LOST` and `PERF_RECORD_SAMPLE`.
const LOST: u32 = 2;
const SAMPLED: u32 = 9;
/// Longest part of a record that is looked at: a sample with what is asked for takes about 80
/// bytes.
const LOOKED_AT: usize = 256;
/// Pages of records: at some 80 bytes a record about 400 between two readings.
const PAGES: usize = 8;

/// A call that returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallReturn {
    /// Process id.
    pub pid: u32,
    /// Number of the call.
    pub call: i64,
    /// What it returned: a negative error number.
    pub result: i64,
    /// First three arguments; none of a 32-bit program.
    pub arguments: Option<[u64; 3]>,
}

/// Returns on one CPU, kept by the kernel until they are taken.
#[derive(Debug)]
pub struct CallReturns {
    file: File,
    /// One page about the ring, then its data.
    ring: *mut u8,
    page: usize,
}

// SAFETY: the mapping belongs to this value alone, and may be read from any thread.
unsafe impl Send for CallReturns {}

impl Host {
    /// Returns on a CPU that `filter` lets through, such as `ret == -28`; off at first.
    pub fn call_returns(&self, cpu: u32, filter: &str) -> Result<CallReturns, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "returns of system calls" });
        }
        let number = self.read_text(NUMBER).or_else(|not_mounted| {
            crate::unmounted::read_text(c"tracefs", NUMBER_IN_TRACEFS).map_err(|_| not_mounted)
        })?;
        let not_a = |_| HostError::from_io(NUMBER, Error::other(format!("{number:?} is no number")));
        let attributes = Attributes {
            kind: TRACE_POINT,
            size: size_of::<Attributes>() as u32,
            config: number.parse().map_err(not_a)?,
            sample_period: 1,
            sample_type: SAMPLE,
            flags: DISABLED,
            sample_regs_user: ARGUMENT_REGISTERS,
            ..Attributes::default()
        };
        let file = open_event(&attributes, cpu)?;
        let failed = || HostError::from_io(PLACE, Error::last_os_error());
        let filter = CString::new(filter).map_err(|error| HostError::from_io(PLACE, error.into()))?;
        // SAFETY: the filter ends in NUL and outlives the call.
        if unsafe { libc::ioctl(file.as_raw_fd(), SET_FILTER, filter.as_ptr()) } != 0 {
            return Err(failed());
        }
        // SAFETY: takes a number, cannot fail for this one.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let (length, rights) = ((1 + PAGES) * page, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping of the descriptor, of the size that perf_event_open(2) asks for.
        let ring = unsafe {
            libc::mmap(std::ptr::null_mut(), length, rights, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if ring == libc::MAP_FAILED {
            return Err(failed());
        }
        Ok(CallReturns { file, ring: ring.cast(), page })
    }
}

impl CallReturns {
    /// Lets returns pass by the trace point, or not.
    pub fn switch(&self, on: bool) -> Result<(), HostError> {
        // SAFETY: both requests take a number, no pointer.
        match unsafe { libc::ioctl(self.file.as_raw_fd(), if on { ENABLE } else { DISABLE }, 0) } {
            0 => Ok(()),
            _ => Err(HostError::from_io(PLACE, Error::last_os_error())),
        }
    }

    /// Takes what has come since the call before; gives how many did not fit.
    pub fn take(&mut self, mut each: impl FnMut(CallReturn)) -> u64 {
        // SAFETY: `data_head` and `data_tail` lie at 1024 and 1032 of the first page, which is
        // mapped for as long as this value lives; the kernel reads and writes them whole.
        let (head, tail) =
            unsafe { (&*self.ring.add(1024).cast::<AtomicU64>(), &*self.ring.add(1032).cast::<AtomicU64>()) };
        let (end, mut at, mut lost) = (head.load(Ordering::Acquire), tail.load(Ordering::Relaxed), 0);
        let mut record = [0; LOOKED_AT];
        while at < end {
            let header = self.copy(at, &mut record[..8]);
            let length = usize::from(u16::from_ne_bytes([header[6], header[7]]));
            if length < 8 {
                break;
            }
            let record = self.copy(at, &mut record[..length.min(LOOKED_AT)]);
            match word(record, 0) {
                Some(SAMPLED) => {
                    if let Some(call) = parse(record) {
                        each(call);
                    }
                }
                Some(LOST) => lost += long(record, 16).unwrap_or(0),
                _ => {}
            }
            at += length as u64;
        }
        tail.store(end, Ordering::Release);
        lost
    }

    /// Copies bytes of the ring, which may go round its end.
    fn copy<'a>(&self, at: u64, bytes: &'a mut [u8]) -> &'a [u8] {
        let size = PAGES * self.page;
        for (offset, byte) in bytes.iter_mut().enumerate() {
            let place = (at as usize + offset) % size;
            // SAFETY: within the pages of data, which follow the first page.
            *byte = unsafe { self.ring.add(self.page + place).read_volatile() };
        }
        bytes
    }
}

impl Drop for CallReturns {
    fn drop(&mut self) {
        // SAFETY: the mapping made for this value; nothing refers to it after this.
        unsafe { libc::munmap(self.ring.cast(), (1 + PAGES) * self.page) };
    }
}

/// A sample: header, process and thread, length and bytes of the trace point's own record
/// (common fields of 8 bytes, number, result), and the registers.
fn parse(record: &[u8]) -> Option<CallReturn> {
    let raw = word(record, 16)? as usize;
    let result = CallReturn {
        pid: word(record, 8)?,
        call: long(record, 28)?.cast_signed(),
        result: long(record, 36)?.cast_signed(),
        arguments: None,
    };
    let registers = 20 + raw;
    // PERF_SAMPLE_REGS_ABI_64 is 2.
    let arguments = (long(record, registers) == Some(2)).then(|| {
        Some([long(record, registers + 24)?, long(record, registers + 16)?, long(record, registers + 8)?])
    });
    Some(CallReturn { arguments: arguments.flatten(), ..result })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_the_kernel() {
        let mut record = Vec::new();
        record.extend(SAMPLED.to_ne_bytes());
        record.extend([0, 0, 80, 0]);
        record.extend(7_u32.to_ne_bytes());
        record.extend(8_u32.to_ne_bytes());
        record.extend(28_u32.to_ne_bytes());
        record.extend([0; 8]);
        record.extend(29_i64.to_ne_bytes());
        record.extend((-28_i64).to_ne_bytes());
        record.extend([0; 4]);
        for register in [2_u64, 0o1600, 1 << 30, 0] {
            record.extend(register.to_ne_bytes());
        }
        let call = CallReturn { pid: 7, call: 29, result: -28, arguments: Some([0, 1 << 30, 0o1600]) };
        assert_eq!(parse(&record), Some(call));
        assert_eq!(parse(&record[..40]), None);
    }

    #[test]
    fn our_own_failing_call_is_seen() {
        let host = Host::live();
        if !crate::own::is_root() {
            return heldup_skip::skipped("needs root");
        }
        let names = host.list("/sys/devices/system/cpu").expect("CPUs");
        let numbers = names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok());
        let mut cpus: Vec<CallReturns> =
            numbers.filter_map(|cpu| host.call_returns(cpu, "ret == -9").ok()).collect();
        cpus.iter().for_each(|cpu| cpu.switch(true).expect("on"));
        // SAFETY: closes a descriptor that cannot be open.
        unsafe { libc::close(-77) };
        cpus.iter().for_each(|cpu| cpu.switch(false).expect("off"));
        let mut seen = Vec::new();
        cpus.iter_mut().for_each(|cpu| assert_eq!(cpu.take(|call| seen.push(call)), 0));
        let own =
            seen.iter().find(|call| call.call == libc::SYS_close && i64::from(call.pid) == crate::own_pid());
        let own = own.expect("the call of this test");
        assert_eq!(own.result, -9);
        assert_eq!(own.arguments.expect("registers")[0] as i32, -77);
    }
}
