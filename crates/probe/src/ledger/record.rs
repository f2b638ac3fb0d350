//! What the BPF half passes on: the same types as `bpf/ledger.h`, and a reader of records.
//!
//! The layouts are held together by the size assertions below; nothing here interprets.

use aya::Pod;

use super::account::TaskId;
use crate::error::ProbeError;
use crate::loader::Plain;

/// Frames of a kernel stack that are kept.
pub(crate) const FRAMES: usize = 32;

/// The thing that a wait is about.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Object {
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) kind: u8,
    pub(crate) pad: [u8; 3],
}

/// What a task has read and written itself since its birth.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
    pub(crate) cancelled_write_bytes: u64,
    pub(crate) read_chars: u64,
    pub(crate) write_chars: u64,
    pub(crate) read_calls: u64,
    pub(crate) write_calls: u64,
}

/// Each number where the kernel does not count.
const IO_UNKNOWN: u64 = u64::MAX;

impl Io {
    fn parts(&self) -> [u64; 7] {
        let Io { read_bytes, write_bytes, cancelled_write_bytes, .. } = *self;
        let Io { read_chars, write_chars, read_calls, write_calls, .. } = *self;
        [read_bytes, write_bytes, cancelled_write_bytes, read_chars, write_chars, read_calls, write_calls]
    }

    fn from_parts(parts: [u64; 7]) -> Io {
        let [
            read_bytes,
            write_bytes,
            cancelled_write_bytes,
            read_chars,
            write_chars,
            read_calls,
            write_calls,
        ] = parts;
        Io {
            read_bytes,
            write_bytes,
            cancelled_write_bytes,
            read_chars,
            write_chars,
            read_calls,
            write_calls,
        }
    }

    /// What was done since `before`; none where that is nothing, or where it cannot be known: the kernel does not
    /// count, or the two are of different tasks (a thread that calls exec takes the place of the first one).
    pub(crate) fn since(&self, before: &Io) -> Option<Io> {
        let (now, before) = (self.parts(), before.parts());
        if now == before || now.contains(&IO_UNKNOWN) {
            return None;
        }
        let mut more = [0; 7];
        for ((more, now), before) in more.iter_mut().zip(now).zip(before) {
            *more = now.checked_sub(before)?;
        }
        Some(Io::from_parts(more))
    }

    /// Adds what another thread of the process did.
    pub(crate) fn add(&mut self, other: &Io) {
        let mut sum = self.parts();
        sum.iter_mut().zip(other.parts()).for_each(|(sum, more)| *sum += more);
        *self = Io::from_parts(sum);
    }
}

/// Set in the id of a task that has not moved since it was reported; ids are below 2^22.
const STILL: u32 = 0x4000_0000;
/// Set in the id of a task that was described before.
const BRIEF: u32 = 0x8000_0000;

/// A task that has not moved since it was reported.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Still {
    pub(crate) tid: u32,
    pub(crate) pad: u32,
    pub(crate) start_ns: u64,
    pub(crate) now: u64,
}

/// A task that was described before, without its times.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Brief {
    pub(crate) tid: u32,
    pub(crate) on: u8,
    pub(crate) open_kind: u8,
    pub(crate) called: u8,
    pub(crate) times: u8,
    pub(crate) start_ns: u64,
    pub(crate) now: u64,
    pub(crate) on_cpu: u64,
    pub(crate) repaired: u64,
    pub(crate) open_ns: u64,
    pub(crate) utime_ns: u64,
    pub(crate) stime_ns: u64,
    /// Another number once faults, I/O or the size of its memory have changed.
    pub(crate) deeds: u64,
    pub(crate) io: Io,
    pub(crate) comm: [u8; 16],
}

/// One task, without its times.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    pub(crate) tid: u32,
    pub(crate) tgid: u32,
    pub(crate) start_ns: u64,
    pub(crate) start_boot_ns: u64,
    /// Of the first thread.
    pub(crate) process_start_boot_ns: u64,
    pub(crate) now: u64,
    pub(crate) cgroup: u64,
    pub(crate) cgroup_memory: u64,
    pub(crate) cgroup_io: u64,
    pub(crate) cgroup_pids: u64,
    pub(crate) utime_ns: u64,
    pub(crate) stime_ns: u64,
    pub(crate) exec_ns: u64,
    pub(crate) run_delay_ns: u64,
    pub(crate) voluntary: u64,
    pub(crate) involuntary: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) io: Io,
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
    /// Process id of the parent.
    pub(crate) parent: u32,
    pub(crate) more: u32,
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
    pub(crate) told_idle: u8,
    pub(crate) pad: [u8; 2],
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
    pub(crate) late_recorded: u64,
    pub(crate) idle_from: u64,
    pub(crate) idle_until: u64,
}

const _: () = assert!(size_of::<Object>() == 24);
const _: () = assert!(size_of::<Header>() == 336);
const _: () = assert!(size_of::<Still>() == 24);
const _: () = assert!(size_of::<Brief>() == 144);
const _: () = assert!(size_of::<KindTime>() == 16);
const _: () = assert!(size_of::<LateKey>() == 64);
const _: () = assert!(size_of::<Cpu>() == 112);

// SAFETY: `repr(C)` with integers only, padding declared: every bit pattern is a value.
unsafe impl Pod for Header {}
// SAFETY: as above.
unsafe impl Pod for Still {}
// SAFETY: as above.
unsafe impl Pod for Brief {}
// SAFETY: as above.
unsafe impl Pod for KindTime {}
// SAFETY: as above.
unsafe impl Pod for LateKey {}
// SAFETY: as above.
unsafe impl Pod for Late {}
// SAFETY: as above.
unsafe impl Pod for Cpu {}

/// A task as the iterator, or its last switch, reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) header: &'a Header,
    pub(crate) times: &'a [KindTime],
    /// Only the kind of the open wait is reported, the others are as they were; else a kind that is
    /// not reported has nothing.
    pub(crate) one_kind: bool,
}

/// What one record is, but for its times.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    Still(Still),
    Brief(Brief),
    Whole(Header),
}

impl Header {
    /// What is new of a task that has moved. In place: most of a header stays, and copying it
    /// to and fro is much of what a task costs at a reading.
    pub(crate) fn tell(&mut self, brief: &Brief) {
        self.now = brief.now;
        self.on_cpu = brief.on_cpu;
        self.repaired = brief.repaired;
        self.utime_ns = brief.utime_ns;
        self.stime_ns = brief.stime_ns;
        self.io = brief.io;
        self.on = brief.on;
        self.called = brief.called;
        self.comm = brief.comm;
        self.open_kind = brief.open_kind;
        self.open_ns = brief.open_ns;
        (self.open_stack, self.open_gathered) = (0, 0);
    }

    /// What is new of a task that waits on until `until_ns`; nanoseconds since it was reported before.
    pub(crate) fn wait_on(&mut self, until_ns: u64) -> u64 {
        let more = until_ns.saturating_sub(self.now);
        self.now += more;
        self.open_ns += more;
        if self.open_gathered > 0 {
            self.open_gathered += more;
        }
        more
    }
}

impl Told {
    fn from_bytes(bytes: &[u8]) -> Option<Told> {
        let id = u32::from_bytes(bytes)?;
        if id & STILL != 0 {
            let still = Still::from_bytes(bytes)?;
            return Some(Told::Still(Still { tid: id & !STILL, ..still }));
        }
        if id & BRIEF != 0 {
            let brief = Brief::from_bytes(bytes)?;
            return Some(Told::Brief(Brief { tid: id & !BRIEF, ..brief }));
        }
        Header::from_bytes(bytes).map(Told::Whole)
    }

    /// The task it is about.
    pub(crate) fn id(&self) -> TaskId {
        let (tid, start_ns) = match self {
            Told::Still(still) => (still.tid, still.start_ns),
            Told::Brief(brief) => (brief.tid, brief.start_ns),
            Told::Whole(header) => (header.tid, header.start_ns),
        };
        TaskId { tid, start_ns }
    }

    /// Bytes before the times, and the number of times.
    fn shape(&self) -> (usize, usize) {
        match self {
            Told::Still(_) => (size_of::<Still>(), 0),
            Told::Brief(brief) => (size_of::<Brief>(), brief.times.into()),
            Told::Whole(header) => (size_of::<Header>(), header.times.into()),
        }
    }
}

#[cfg(test)]
impl Record<'static> {
    /// A record with these times. It is never freed, so that a test can write it in one line.
    pub(crate) fn with(header: Header, times: &[(u8, u64, u32)]) -> Record<'static> {
        let times =
            times.iter().map(|(kind, ns, waits)| KindTime { ns: *ns, waits: *waits, kind: (*kind).into() });
        let (header, times) = (Box::leak(Box::new(header)), times.collect::<Vec<_>>().leak());
        Record { header, times, one_kind: false }
    }
}

/// What is said of a record that ends too early.
fn cut_short(left: usize) -> ProbeError {
    ProbeError::Record { place: "iter/task", what: format!("a record cut short after {left} bytes") }
}

/// Calls `each` for every record in what the programs wrote, with its times.
pub(crate) fn each_record(
    mut bytes: &[u8],
    mut each: impl FnMut(&Told, &[KindTime]),
) -> Result<(), ProbeError> {
    let mut times = Vec::new();
    while !bytes.is_empty() {
        let left = bytes.len();
        bytes = next_record(bytes, &mut times, &mut each).ok_or_else(|| cut_short(left))?;
    }
    Ok(())
}

/// What follows the first record of `bytes`; none when it is cut short.
fn next_record<'a>(
    bytes: &'a [u8],
    times: &mut Vec<KindTime>,
    each: &mut impl FnMut(&Told, &[KindTime]),
) -> Option<&'a [u8]> {
    let told = Told::from_bytes(bytes)?;
    let (before, count) = told.shape();
    times.clear();
    for at in 0..count {
        times.push(KindTime::from_bytes(bytes.get(before + at * size_of::<KindTime>()..)?)?);
    }
    each(&told, times);
    bytes.get(before + count * size_of::<KindTime>()..)
}

/// Calls `each` for every record with the task it is about and its bytes, unread.
pub(crate) fn each_task(mut bytes: &[u8], mut each: impl FnMut(TaskId, &[u8])) -> Result<(), ProbeError> {
    while !bytes.is_empty() {
        let told = Told::from_bytes(bytes);
        let (before, count) = told.as_ref().map_or((0, 0), Told::shape);
        let length = before + count * size_of::<KindTime>();
        let (Some(told), Some(record)) = (told, bytes.get(..length)) else {
            return Err(cut_short(bytes.len()));
        };
        each(told.id(), record);
        bytes = &bytes[length..];
    }
    Ok(())
}

/// Calls `each` for the header of every task that is reported whole.
pub(crate) fn each_header(mut bytes: &[u8], mut each: impl FnMut(&Header)) {
    while let Some(told) = Told::from_bytes(bytes) {
        if let Told::Whole(header) = &told {
            each(header);
        }
        let (before, count) = told.shape();
        bytes = bytes.get(before + count * size_of::<KindTime>()..).unwrap_or_default();
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
        each_record(&whole, |_, _| seen += 1).expect("one record without times");
        assert_eq!(seen, 1);
        let error = each_record(&whole[..100], |_, _| {}).expect_err("cut");
        assert!(error.to_string().contains("cut short after 100 bytes"), "{error}");
    }

    #[test]
    fn short_records_are_told_by_a_bit_of_the_id() {
        let mut bytes = [(7 | STILL).to_ne_bytes().as_slice(), &[0; 20]].concat();
        bytes.extend((8 | BRIEF).to_ne_bytes());
        // One entry of times: the last of the four bytes after the id.
        bytes.extend([0, 0, 0, 1].iter().chain(&[0; 136]).chain(&[5; 16]));
        bytes.extend([0; size_of::<Header>()]);
        let mut seen = Vec::new();
        let look = |told: &Told, times: &[KindTime]| match told {
            Told::Still(still) => seen.push((still.tid, 0)),
            Told::Brief(brief) => seen.push((brief.tid, times.len())),
            Told::Whole(header) => seen.push((header.tid, 100)),
        };
        each_record(&bytes, look).expect("three records");
        assert_eq!(seen, [(7, 0), (8, 1), (0, 100)]);
        let mut whole = 0;
        each_header(&bytes, |_| whole += 1);
        assert_eq!(whole, 1);
    }

    #[test]
    fn names_end_at_nul() {
        assert_eq!(name_of(b"kworker/0:1\0\0\0\0\0"), "kworker/0:1");
        assert_eq!(name_of(b"sixteen-letters!"), "sixteen-letters!");
    }

    #[test]
    fn what_was_done_is_the_difference_where_that_is_known() {
        let before = Io { read_bytes: 4096, write_calls: 3, ..Io::default() };
        let after = Io { read_bytes: 8192, write_calls: 7, ..Io::default() };
        let did = Io { read_bytes: 4096, write_calls: 4, ..Io::default() };
        assert_eq!(after.since(&before), Some(did));
        assert_eq!(before.since(&before), None, "nothing was done");
        assert_eq!(before.since(&after), None, "another task has taken its place");
        let unknown = Io { read_bytes: u64::MAX, ..Io::default() };
        assert_eq!(unknown.since(&Io::default()), None, "this kernel does not count");
    }
}
