//! `struct taskstats` (linux/taskstats.h): the delays of a thread as the kernel counts them. Only
//! the parser.
//!
//! The structure grows at its end, and its version says how far it goes. Version 15 (Linux 6.14
//! and 6.15) had new fields between the old ones, which version 16 took to the end: it is
//! not read.

use crate::kernel_text::{ParseError, Parsed};
use crate::netlink_attribute::attribute;

/// `struct nlmsghdr` and `struct genlmsghdr`, then attributes.
const HEADER_BYTES: usize = 20;
/// `TASKSTATS_TYPE_AGGR_PID`, and within it `TASKSTATS_TYPE_STATS`.
const OF_THREAD: u16 = 4;
const STATS: u16 = 3;
/// The version with fields in between.
const BROKEN: u16 = 15;
/// From this version on (5.17) waits for swapped pages are part of those for block I/O.
const SWAP_WITHIN_IO: u16 = 11;

/// What the kernel counted of a thread since its start, or since counting began; nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskDelays {
    /// Waiting for block I/O, that for swapped pages included.
    pub block_io_ns: Option<i64>,
    /// Waiting for swapped pages.
    pub swap_in_ns: Option<i64>,
    /// Freeing memory before getting any, CPU time included.
    pub reclaim_ns: Option<i64>,
    /// Waiting for pages that were dropped shortly before.
    pub thrashing_ns: Option<i64>,
    /// Compacting memory before getting any, CPU time included.
    pub compaction_ns: Option<i64>,
    /// Copying pages on the first write to them.
    pub copy_ns: Option<i64>,
    /// Interrupts on its CPU while it ran.
    pub irq_ns: Option<i64>,
    /// Bytes read from devices.
    pub read_bytes: Option<i64>,
    /// Bytes made dirty, or written past the cache.
    pub write_bytes: Option<i64>,
}

/// Reads the message about a thread. Delays are none where none was ever counted: the kernel gives
/// zeros also for a thread that is older than its counting.
pub fn parse(message: &[u8]) -> Parsed<TaskDelays> {
    let mut parsed = Parsed::<TaskDelays>::default();
    let rest = message.get(HEADER_BYTES..).unwrap_or_default();
    match attribute(rest, OF_THREAD).and_then(|of| attribute(of, STATS)).and_then(Stats::new) {
        Some(stats) => parsed.value = delays(&stats),
        None => parsed.error(ParseError::new(0, "taskstats", rest, "struct taskstats of a known version")),
    }
    parsed
}

struct Stats<'s> {
    bytes: &'s [u8],
    version: u16,
}

impl<'s> Stats<'s> {
    fn new(bytes: &'s [u8]) -> Option<Stats<'s>> {
        let version = u16::from_ne_bytes(bytes.get(0..2)?.try_into().ok()?);
        (version != BROKEN).then_some(Stats { bytes, version })
    }

    /// A number that the structure has since a version.
    fn number(&self, at: usize, since: u16) -> Option<i64> {
        let bytes = self.bytes.get(at..at + 8).filter(|_| self.version >= since)?;
        i64::try_from(u64::from_ne_bytes(bytes.try_into().ok()?)).ok()
    }
}

fn delays(stats: &Stats<'_>) -> TaskDelays {
    let swap_in_ns = stats.number(56, 1);
    let block_io_ns = match (stats.number(40, 1), swap_in_ns) {
        (Some(io), Some(swap)) if stats.version < SWAP_WITHIN_IO => Some(io.saturating_add(swap)),
        (io, _) => io,
    };
    let delays = TaskDelays {
        block_io_ns,
        swap_in_ns,
        reclaim_ns: stats.number(320, 7),
        thrashing_ns: stats.number(336, 9),
        compaction_ns: stats.number(360, 11),
        copy_ns: stats.number(408, 13),
        irq_ns: stats.number(424, 14),
        read_bytes: stats.number(248, 3),
        write_bytes: stats.number(256, 3),
    };
    // Numbers of delays, each before its time.
    let counted = [(32, 1), (48, 1), (312, 7), (328, 9), (352, 11), (400, 13), (416, 14)];
    match counted.iter().any(|(at, since)| stats.number(*at, *since).is_some_and(|count| count > 0)) {
        true => delays,
        false => TaskDelays {
            read_bytes: delays.read_bytes,
            write_bytes: delays.write_bytes,
            ..TaskDelays::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message with a structure of `bytes` bytes in which each number is its own place.
    fn message(version: u16, bytes: usize, counted: bool) -> Vec<u8> {
        let mut stats = vec![0; bytes];
        stats[..2].copy_from_slice(&version.to_ne_bytes());
        for at in (16..bytes).step_by(8).filter(|at| !(80..144).contains(at)) {
            let number = if counted { at as u64 } else { 0 };
            stats[at..at + 8].copy_from_slice(&number.to_ne_bytes());
        }
        let mut within = nested(1, &7u32.to_ne_bytes());
        within.extend(nested(STATS, &stats));
        let mut message = vec![0; HEADER_BYTES];
        message.extend(nested(OF_THREAD, &within));
        message
    }

    fn nested(kind: u16, content: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + content.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn each_version_has_what_it_has() {
        let now = parse(&message(16, 560, true)).value;
        assert_eq!((now.block_io_ns, now.swap_in_ns, now.reclaim_ns), (Some(40), Some(56), Some(320)));
        assert_eq!((now.thrashing_ns, now.compaction_ns), (Some(336), Some(360)));
        assert_eq!((now.copy_ns, now.irq_ns), (Some(408), Some(424)));
        assert_eq!((now.read_bytes, now.write_bytes), (Some(248), Some(256)));
        let before = parse(&message(10, 352, true)).value;
        assert_eq!((before.block_io_ns, before.thrashing_ns), (Some(96), Some(336)));
        assert_eq!((before.compaction_ns, before.copy_ns, before.irq_ns), (None, None, None));
    }

    #[test]
    fn what_was_never_counted_is_not_zero() {
        let never = parse(&message(16, 560, false));
        assert_eq!(never.errors, []);
        assert_eq!((never.value.block_io_ns, never.value.irq_ns), (None, None));
        assert_eq!(never.value.read_bytes, Some(0));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        assert_eq!(parse(&message(15, 560, true)).errors.len(), 1);
        let whole = message(16, 560, true);
        for end in 0..whole.len() {
            let cut = parse(&whole[..end]);
            assert!(cut.errors.len() == 1 && cut.value == TaskDelays::default(), "{end}");
        }
    }
}
