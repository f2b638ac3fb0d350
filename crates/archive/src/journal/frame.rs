//! Frames: what a journal consists of after its header, one a sample.
//!
//! ```text
//!  0  marker          4 bytes
//!  4  CRC-32 (IEEE)   of all bytes from 8 on
//!  8  length          of the payload
//! 12  sequence        one more with every sample, also with one that could not be written
//! 16  time_ms         i64, UTC, the sample's place on the grid
//! 24  monotonic_ns    u64, since boot: tells a clock that was set from time that passed
//! 32  kind            1 the sample's rows stand for themselves, 0 they build on those before
//! 33  payload
//! ```
//!
//! All numbers are little-endian. A frame is whole or it is not there: nothing of it is believed
//! before its checksum is right.

use super::bytes::Bytes;

/// Begins every frame; no UTF-8, and nothing that numbers begin with.
pub(super) const MARKER: [u8; 4] = [0xF5, b'h', b'u', 0xFA];
/// Length of what comes before the payload.
pub(super) const HEAD_BYTES: usize = 33;
/// Longest payload: 10,000 processes with all their texts take 4 MB.
pub(super) const MAX_PAYLOAD_BYTES: usize = 64 << 20;

/// What a frame says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) sequence: u32,
    pub(super) time_ms: i64,
    pub(super) monotonic_ns: u64,
    pub(super) keyframe: bool,
}

/// What stands at a place of a journal.
pub(super) enum Found {
    /// A frame and its length in all.
    Frame(FrameHead, usize),
    /// Not enough bytes: so many are wanted, as far as can be told.
    Short(usize),
    /// Something else.
    Bad,
}

/// Begins a frame in an empty buffer: the payload is appended by the caller.
pub(super) fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEAD_BYTES, 0);
}

/// Ends a frame: fills in what stands before the payload. `None` where it has grown too long.
pub(super) fn end(out: &mut [u8], head: FrameHead) -> Option<()> {
    let payload = out.len().checked_sub(HEAD_BYTES).filter(|length| *length <= MAX_PAYLOAD_BYTES)?;
    out[0..4].copy_from_slice(&MARKER);
    out[8..12].copy_from_slice(&(payload as u32).to_le_bytes());
    out[12..16].copy_from_slice(&head.sequence.to_le_bytes());
    out[16..24].copy_from_slice(&head.time_ms.to_le_bytes());
    out[24..32].copy_from_slice(&head.monotonic_ns.to_le_bytes());
    out[32] = u8::from(head.keyframe);
    let checksum = crc32fast::hash(&out[8..]);
    out[4..8].copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

/// What the bytes begin with.
pub(super) fn find(bytes: &[u8]) -> Found {
    let present = bytes.len().min(MARKER.len());
    if bytes[..present] != MARKER[..present] {
        return Found::Bad;
    }
    let mut fields = Bytes(bytes);
    let Some(_) = fields.take(MARKER.len()) else { return Found::Short(HEAD_BYTES) };
    let (Some(checksum), Some(length)) = (fields.u32(), fields.u32()) else {
        return Found::Short(HEAD_BYTES);
    };
    if length as usize > MAX_PAYLOAD_BYTES {
        return Found::Bad;
    }
    let whole = HEAD_BYTES + length as usize;
    let Some(frame) = bytes.get(..whole) else { return Found::Short(whole) };
    if crc32fast::hash(&frame[8..]) != checksum {
        return Found::Bad;
    }
    let head = (fields.u32(), fields.u64(), fields.u64(), fields.byte());
    let (Some(sequence), Some(time), Some(monotonic_ns), Some(kind @ 0..=1)) = head else {
        return Found::Bad;
    };
    let head = FrameHead { sequence, time_ms: time as i64, monotonic_ns, keyframe: kind == 1 };
    Found::Frame(head, whole)
}
