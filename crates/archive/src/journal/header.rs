//! The header of a journal: whose it is, and of which boot.

use super::bytes::{Bytes, put_bytes};

/// First bytes of a journal.
pub(super) const MAGIC: [u8; 8] = *b"heldup\x00j";
/// Version of the journal's form and columns; a journal of another version is refused.
pub const JOURNAL_VERSION: u32 = 3;
/// Longest header.
pub(super) const MAX_HEADER_BYTES: usize = 4096;

/// What a journal says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// Host that its rows are about.
    pub host: String,
    /// The kernel's random id of the boot; empty where it cannot be read.
    pub boot_id: String,
    /// The clock when it was begun, milliseconds since 1970-01-01 UTC.
    pub realtime_ms: i64,
    /// CLOCK_MONOTONIC at the same moment, nanoseconds.
    pub monotonic_ns: u64,
}

/// What a header was read as.
pub(super) struct ReadHeader {
    pub(super) header: SegmentHeader,
    pub(super) program: String,
    /// Hash of the columns that the writer knew; two journals of one hash have the same ones.
    pub(super) schema_hash: u64,
    pub(super) length: usize,
}

/// Magic, version, length of the rest, its checksum, and the rest.
pub(super) fn encode(header: &SegmentHeader, schema_hash: u64) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&schema_hash.to_le_bytes());
    body.extend_from_slice(&header.realtime_ms.to_le_bytes());
    body.extend_from_slice(&header.monotonic_ns.to_le_bytes());
    for text in [cut(&header.host), cut(&header.boot_id), env!("CARGO_PKG_VERSION")] {
        put_bytes(&mut body, text.as_bytes());
    }
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&JOURNAL_VERSION.to_le_bytes());
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    out.extend_from_slice(&body);
    out
}

/// A text short enough for a header; host names have at most 64 bytes on Linux.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(1024)]
}

/// The header that a file begins with, or what is there instead.
pub(super) fn decode(bytes: &[u8]) -> Result<ReadHeader, String> {
    let mut rest = Bytes(bytes);
    if rest.take(MAGIC.len()) != Some(&MAGIC) {
        return Err("not a journal of heldup: it begins with something else".into());
    }
    let short = || "its header is cut off".to_owned();
    let version = rest.u32().ok_or_else(short)?;
    if version != JOURNAL_VERSION {
        return Err(format!(
            "written by another build of heldup (journal of version {version}, this build reads {JOURNAL_VERSION}): \
             record it again with this build"
        ));
    }
    let (length, checksum) = (rest.u32().ok_or_else(short)? as usize, rest.u32().ok_or_else(short)?);
    let body = rest.take(length).ok_or_else(short)?;
    if crc32fast::hash(body) != checksum {
        return Err("the checksum of its header is wrong: the file is damaged".into());
    }
    let mut body = Bytes(body);
    let fields = (body.u64(), body.u64(), body.u64(), body.text(), body.text(), body.text());
    let (Some(schema_hash), Some(realtime), Some(monotonic_ns), Some(host), Some(boot_id), Some(program)) =
        fields
    else {
        return Err("its header lacks fields".into());
    };
    let header = SegmentHeader {
        host: host.to_owned(),
        boot_id: boot_id.to_owned(),
        realtime_ms: realtime as i64,
        monotonic_ns,
    };
    Ok(ReadHeader { header, program: program.to_owned(), schema_hash, length: bytes.len() - rest.0.len() })
}

/// Whether these bytes, all that a file has, are less than a header: whoever made the file was
/// ended before it was written.
pub(super) fn is_cut(bytes: &[u8]) -> bool {
    let mut begin = MAGIC.to_vec();
    begin.extend_from_slice(&JOURNAL_VERSION.to_le_bytes());
    let common = bytes.len().min(begin.len());
    let Some(length) = bytes.get(begin.len()..).and_then(|rest| Bytes(rest).u32()) else {
        return bytes[..common] == begin[..common];
    };
    let whole = begin.len() + 2 * size_of::<u32>() + length as usize;
    bytes.starts_with(&begin) && bytes.len() < whole.min(MAX_HEADER_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> SegmentHeader {
        SegmentHeader {
            host: "db1".into(),
            boot_id: "0b4f".into(),
            realtime_ms: 1_763_700_000_000,
            monotonic_ns: 5,
        }
    }

    #[test]
    fn a_header_comes_back() {
        let mut bytes = encode(&header(), 77);
        let length = bytes.len();
        bytes.extend_from_slice(b"frames");
        let read = decode(&bytes).expect("a header");
        assert_eq!((read.header, read.schema_hash, read.length), (header(), 77, length));
        assert_eq!(read.program, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn less_than_a_header_is_told_from_another_file() {
        let whole = encode(&header(), 77);
        assert!((0..whole.len()).all(|length| is_cut(&whole[..length])));
        assert!(!is_cut(&whole));
        let mut earlier = whole.clone();
        earlier[8] = 1;
        assert!(
            decode(&earlier).map(drop).expect_err("an earlier build's").contains("journal of version 1, ")
        );
        assert!(!is_cut(b"PAR1"));
        let mut later = whole.clone();
        later[8] = 9;
        assert!(!is_cut(&later[..20]), "a later version knows what its headers are");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let whole = encode(&header(), 77);
        let wrong = |bytes: &[u8]| decode(bytes).err().expect("an error");
        assert!(wrong(b"PAR1").contains("not a journal"));
        assert!(wrong(&whole[..20]).contains("cut off"));
        assert!(wrong(&whole[..whole.len() - 1]).contains("cut off"));
        let mut later = whole.clone();
        later[8] = 9;
        let expect =
            format!("another build of heldup (journal of version 9, this build reads {JOURNAL_VERSION})");
        assert!(wrong(&later).contains(&expect), "{}", wrong(&later));
        let mut flipped = whole;
        flipped[30] ^= 1;
        assert!(wrong(&flipped).contains("checksum"));
    }

    #[test]
    fn a_long_name_is_cut() {
        let long = SegmentHeader { host: "é".repeat(4000), ..header() };
        let bytes = encode(&long, 1);
        assert!(bytes.len() <= MAX_HEADER_BYTES);
        assert_eq!(decode(&bytes).expect("a header").header.host, "é".repeat(512));
    }
}
