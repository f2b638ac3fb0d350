//! What the BPF half hands over: the same types as `bpf/ledger.h`, and a reader of records.
//!
//! The layouts are held together by the size assertions below; nothing here interprets.

use aya::Pod;

use crate::error::ProbeError;
use crate::loader::Plain;

/// Frames of a kernel stack that are kept.
pub(crate) const FRAMES: usize = 32;

/// The thing that a wait is about.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) kind: u8,
    pub(crate) pad: [u8; 3],
}

/// One task, without its times.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    pub(crate) tid: u32,
    pub(crate) tgid: u32,
    pub(crate) start_ns: u64,
    pub(crate) start_boot_ns: u64,
    pub(crate) now: u64,
    pub(crate) cgroup: u64,
    pub(crate) utime_ns: u64,
    pub(crate) stime_ns: u64,
    pub(crate) exec_ns: u64,
    pub(crate) run_delay_ns: u64,
    pub(crate) voluntary: u64,
    pub(crate) involuntary: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) on_cpu: u64,
    pub(crate) repaired: u64,
    pub(crate) open_ns: u64,
    pub(crate) open_stack: u64,
    pub(crate) open_gathered: u64,
    pub(crate) open_object: Object,
    pub(crate) flags: u32,
    pub(crate) state: u32,
    pub(crate) cpu: u32,
    pub(crate) policy: u32,
    pub(crate) rt_priority: u32,
    pub(crate) static_prio: u32,
    pub(crate) allowed_cpus: u32,
    pub(crate) open_syscall: u16,
    pub(crate) open_kind: u8,
    pub(crate) on: u8,
    pub(crate) dead: u8,
    pub(crate) called: u8,
    pub(crate) torn: u8,
    pub(crate) times: u8,
    pub(crate) in_command: u8,
    pub(crate) pad: [u8; 3],
    pub(crate) comm: [u8; 16],
    pub(crate) process: [u8; 16],
}

/// Time of one kind, since the task's account began.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindTime {
    pub(crate) ns: u64,
    pub(crate) waits: u32,
    pub(crate) kind: u32,
}

/// What a late record is about.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LateKey {
    pub(crate) start_ns: u64,
    pub(crate) stack: u64,
    pub(crate) object: Object,
    pub(crate) tid: u32,
    pub(crate) tgid: u32,
    pub(crate) waker_tid: u32,
    pub(crate) waker_tgid: u32,
    pub(crate) syscall: u16,
    pub(crate) kind: u8,
    pub(crate) pad: [u8; 5],
}

/// Time and waits that a late record stands for.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) ns: u64,
    pub(crate) waits: u64,
}

/// One CPU since its first switch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cpu {
    pub(crate) seq: u32,
    pub(crate) idle_now: u8,
    pub(crate) pad: [u8; 3],
    pub(crate) since: u64,
    pub(crate) idle_ns: u64,
    pub(crate) busy_ns: u64,
    pub(crate) switches: u64,
    pub(crate) missed_in: u64,
    pub(crate) missed_out: u64,
    pub(crate) no_account: u64,
    pub(crate) exits_dropped: u64,
    pub(crate) late_dropped: u64,
    pub(crate) stacks_dropped: u64,
}

const _: () = assert!(size_of::<Object>() == 24);
const _: () = assert!(size_of::<Header>() == 240);
const _: () = assert!(size_of::<KindTime>() == 16);
const _: () = assert!(size_of::<LateKey>() == 64);
const _: () = assert!(size_of::<Cpu>() == 88);

// SAFETY: `repr(C)` with integers only, padding declared: every bit pattern is a value.
unsafe impl Pod for Header {}
// SAFETY: as above.
unsafe impl Pod for KindTime {}
// SAFETY: as above.
unsafe impl Pod for LateKey {}
// SAFETY: as above.
unsafe impl Pod for Late {}
// SAFETY: as above.
unsafe impl Pod for Cpu {}

/// A task as the iterator, or its last switch, reports it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) header: Header,
    pub(crate) times: Vec<KindTime>,
}

impl Record {
    /// Reads the first record of `bytes` over this one; how long it is, or none when cut short.
    pub(crate) fn read_from(&mut self, bytes: &[u8]) -> Option<usize> {
        self.header = Header::from_bytes(bytes)?;
        let mut at = size_of::<Header>();
        self.times.clear();
        for _ in 0..self.header.times {
            self.times.push(KindTime::from_bytes(bytes.get(at..)?)?);
            at += size_of::<KindTime>();
        }
        Some(at)
    }

    /// A record with these times, for tests.
    #[cfg(test)]
    pub(crate) fn with(header: Header, times: &[(u8, u64, u32)]) -> Record {
        let times =
            times.iter().map(|(kind, ns, waits)| KindTime { ns: *ns, waits: *waits, kind: (*kind).into() });
        Record { header, times: times.collect() }
    }
}

/// What is said of a record that ends too early.
pub(crate) fn cut_short(bytes: &[u8]) -> ProbeError {
    ProbeError::Record { place: "iter/task", what: format!("a record cut short after {} bytes", bytes.len()) }
}

/// Calls `each` for every record in what the iterator wrote.
pub(crate) fn each_record(mut bytes: &[u8], mut each: impl FnMut(&Record)) -> Result<(), ProbeError> {
    let mut record = Record::default();
    while !bytes.is_empty() {
        let length = record.read_from(bytes).ok_or_else(|| cut_short(bytes))?;
        each(&record);
        bytes = &bytes[length..];
    }
    Ok(())
}

/// Calls `each` for the header of every record, without its times.
pub(crate) fn each_header(mut bytes: &[u8], mut each: impl FnMut(&Header)) {
    while let Some(header) = Header::from_bytes(bytes) {
        each(&header);
        let length = size_of::<Header>() + usize::from(header.times) * size_of::<KindTime>();
        bytes = bytes.get(length..).unwrap_or_default();
    }
}

/// A name as the kernel keeps it: up to the first NUL.
pub(crate) fn name_of(comm: &[u8]) -> String {
    let end = comm.iter().position(|b| *b == 0).unwrap_or(comm.len());
    String::from_utf8_lossy(&comm[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_cut_short_is_said() {
        let whole = vec![0_u8; size_of::<Header>()];
        let mut seen = 0;
        each_record(&whole, |_| seen += 1).expect("one record without times");
        assert_eq!(seen, 1);
        let error = each_record(&whole[..100], |_| {}).expect_err("cut");
        assert!(error.to_string().contains("cut short after 100 bytes"), "{error}");
    }

    #[test]
    fn names_end_at_nul() {
        assert_eq!(name_of(b"kworker/0:1\0\0\0\0\0"), "kworker/0:1");
        assert_eq!(name_of(b"sixteen-letters!"), "sixteen-letters!");
    }
}
