//! How long requests to block devices take, in the queue and at the device: rows of `block_latency`.
//!
//! The BPF half (`bpf/block.bpf.c`) counts requests into histograms, with one hook where a
//! request is given to its device and one where it ends; this half differences and names them.

use std::collections::HashMap;

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};
use heldup_hostfs::Host;
use heldup_model::tables::BlockLatencyRow;
use heldup_model::{Form, Record, RowSet, Text};

use crate::counter::Counter;
use crate::error::ProbeError;
use crate::loader::Object;
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;

/// The sizes of bpf/block.h.
const BUCKETS: usize = 106;
const FIRST_BIT: usize = 10;
const STREAMS: usize = 4;
/// Histograms that are read at a time; a hash bucket never has as many.
const AT_A_TIME: usize = 128;

/// `enum block_operation`.
const OPERATIONS: [&str; 5] = ["read", "write", "flush", "discard", "other"];
/// Least size in bytes of `block_key.size`.
const LEAST_BYTES: [i64; 5] = [0, 8 << 10, 32 << 10, 128 << 10, 512 << 10];

/// Running histograms; dropping it detaches the programs.
pub(crate) struct BlockLatency {
    host: Host,
    object: Object,
    latencies: DrainedMap<Key, Latency>,
    totals: PerCpuArray<MapData, Totals>,
    before: HashMap<Key, Latency>,
    names: HashMap<u32, Text>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    device: u32,
    operation: u8,
    size: u8,
    zero: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Latency {
    queue: [u32; BUCKETS],
    device: [u32; BUCKETS],
    sequential: [u32; BUCKETS],
    oldest: u32,
    zero: u32,
    ends: [u64; STREAMS],
}

impl Default for Latency {
    fn default() -> Latency {
        let none = [0; BUCKETS];
        Latency { queue: none, device: none, sequential: none, oldest: 0, zero: 0, ends: [0; STREAMS] }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    dropped: u64,
}

const _: () = assert!(size_of::<Key>() == 8);
const _: () = assert!(size_of::<Latency>() == 12 * BUCKETS + 8 + 8 * STREAMS);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Key {}
// SAFETY: as above.
unsafe impl Pod for Latency {}
// SAFETY: as above.
unsafe impl Pod for Totals {}

impl BlockLatency {
    /// Loads and attaches the programs; counting begins at once.
    pub(crate) fn start(host: &Host) -> Result<BlockLatency, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "latencies of block devices" });
        }
        let mut object = Object::open("block.bpf.o", objects::BLOCK, Some(kernel_types()?), &[])?;
        let latencies = DrainedMap::new(object.take_map("latencies")?, AT_A_TIME)?;
        let totals = object.take_map("totals")?;
        object.attach_trace_point("on_complete", "block_rq_complete")?;
        // The older form first: a newer kernel refuses its second argument, while an older one
        // would take the newer form, and read a queue as if it were a request.
        if object.attach_trace_point("on_issue_before_5_11", "block_rq_issue").is_err() {
            object.attach_trace_point("on_issue", "block_rq_issue")?;
        }
        let (before, names) = (HashMap::new(), HashMap::new());
        Ok(BlockLatency { host: host.clone(), object, latencies, totals, before, names })
    }

    /// The kernel's name of a disk, or its numbers when it is gone.
    fn name(&mut self, device: u32) -> Text {
        let host = &self.host;
        let name = self.names.entry(device).or_insert_with(|| {
            let number = format!("{}:{}", device >> 20, device & 0xf_ffff);
            let link = host.read_link(format!("/sys/dev/block/{number}")).ok();
            let name = link.as_deref().and_then(|link| link.rsplit('/').next()).unwrap_or(&number);
            // A device in a folder has `!` for its slash, as in /proc/diskstats.
            name.replace('!', "/").into()
        });
        name.clone()
    }
}

impl Counter for BlockLatency {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut changed: Vec<(Key, Latency)> = Vec::new();
        let before = &mut self.before;
        self.latencies.read(|key, values| {
            let now = &values[0];
            let known = before.entry(*key).or_default();
            if known != now {
                changed.push((*key, increase(known, now)));
                *known = *now;
            }
        })?;
        changed.sort_unstable_by_key(|(key, _)| *key);
        let mut set = RowSet::empty(BlockLatencyRow::DEF, Form::Increases);
        for (key, latency) in &changed {
            let device = self.name(key.device);
            add_rows(&mut set, &device, key, "queue", &latency.queue, None);
            add_rows(&mut set, &device, key, "device", &latency.device, Some(&latency.sequential));
        }
        Ok(set)
    }

    fn dropped(&self) -> (u64, &'static str) {
        let per_cpu = self.totals.get(&0, 0);
        let dropped = per_cpu.map_or(0, |cpus| cpus.iter().map(|totals| totals.dropped).sum());
        (dropped, "too many requests in flight, or too many devices")
    }

    fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }
}

/// The counters may have wrapped.
fn increase(before: &Latency, now: &Latency) -> Latency {
    let stage = |before: &[u32; BUCKETS], now: &[u32; BUCKETS]| {
        std::array::from_fn(|bucket| now[bucket].wrapping_sub(before[bucket]))
    };
    Latency {
        queue: stage(&before.queue, &now.queue),
        device: stage(&before.device, &now.device),
        sequential: stage(&before.sequential, &now.sequential),
        ..*now
    }
}

fn add_rows(
    set: &mut RowSet,
    device: &Text,
    key: &Key,
    stage: &str,
    requests: &[u32; BUCKETS],
    sequential: Option<&[u32; BUCKETS]>,
) {
    let stage: Text = stage.into();
    let operation: Option<Text> = OPERATIONS.get(usize::from(key.operation)).map(|name| (*name).into());
    for (bucket, requests) in requests.iter().enumerate().filter(|(_, requests)| **requests > 0) {
        BlockLatencyRow {
            device: Some(device.clone()),
            operation: operation.clone(),
            least_bytes: LEAST_BYTES.get(usize::from(key.size)).copied(),
            stage: Some(stage.clone()),
            bucket: Some(bucket as i64),
            least_s: Some(least_s(bucket)),
            below_s: (bucket + 1 < BUCKETS).then(|| least_s(bucket + 1)),
            requests: Some(i64::from(*requests)),
            sequential: sequential.and_then(|counts| counts.get(bucket)).map(|count| i64::from(*count)),
        }
        .push_to(&mut set.cells);
        set.len += 1;
    }
}

/// Where a bucket begins, in seconds.
fn least_s(bucket: usize) -> f64 {
    let Some(above) = bucket.checked_sub(1) else { return 0.0 };
    let (doubling, quarter) = (above / 4, above % 4);
    let ns = ((4 + quarter) as u64) << (FIRST_BIT - 2 + doubling);
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_where_the_one_before_ends() {
        for (bucket, seconds) in
            [(0, 0.0), (1, 1024e-9), (2, 1280e-9), (5, 2048e-9), (6, 2560e-9), (105, 68.719476736)]
        {
            assert_eq!(least_s(bucket), seconds, "bucket {bucket}");
        }
        assert!((1..BUCKETS).all(|bucket| least_s(bucket - 1) < least_s(bucket)));
        let header = include_str!("../../../bpf/block.h");
        assert!(header.contains(&format!("#define BLOCK_BUCKETS {BUCKETS}\n")));
        assert!(header.contains(&format!("#define BLOCK_FIRST_BIT {FIRST_BIT}\n")));
        assert!(header.contains(&format!("#define BLOCK_STREAMS {STREAMS} ")));
    }

    #[test]
    fn wrapped_counters_still_tell_their_increase() {
        let (mut before, mut now) = (Latency::default(), Latency::default());
        (before.device[7], now.device[7]) = (u32::MAX, 4);
        assert_eq!(increase(&before, &now).device[7], 5);
        assert_eq!(increase(&before, &now).queue, [0; BUCKETS]);
    }

    #[test]
    fn a_row_for_each_bucket_that_counted() {
        let mut set = RowSet::empty(BlockLatencyRow::DEF, Form::Increases);
        let mut requests = [0; BUCKETS];
        (requests[0], requests[BUCKETS - 1]) = (3, 1);
        add_rows(
            &mut set,
            &"sda".into(),
            &Key { size: 1, ..Key::default() },
            "queue",
            &requests,
            Some(&[2; BUCKETS]),
        );
        assert_eq!(set.len, 2);
        assert_eq!(set.ints("sequential"), [Some(2), Some(2)]);
        assert_eq!(set.ints("least_bytes"), [Some(8192), Some(8192)]);
        assert_eq!(set.ints("requests"), [Some(3), Some(1)]);
        let below = set.def.position("below_s").expect("below_s");
        assert_eq!(set.cells[below], heldup_model::Cells::Float(vec![Some(1024e-9), None]));
    }

    #[test]
    fn a_recorded_host_has_no_requests() {
        let error = BlockLatency::start(&Host::recorded("/nowhere")).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
