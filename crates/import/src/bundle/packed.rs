//! Files that hold others: told by their first bytes, never by their names.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packing {
    /// gzip, RFC 1952.
    Gzip,
    /// xz.
    Xz,
    /// Zstandard, RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
    /// Several files in one, not pressed.
    Tar,
    /// Several files in one, each pressed.
    Zip,
}

/// Length of a tar header, and where its check sum and its mark stand (POSIX.1-1988, pax(1)).
const TAR_HEADER: usize = 512;
const TAR_SUM: std::ops::Range<usize> = 148..156;
const TAR_MARK: usize = 257;
/// Memory of a decoder for what was seen before: xz -9 asks for 65 MiB, `zstd --ultra` for 128.
const XZ_MEMORY_KIB: u32 = 192 << 10;
const ZSTD_WINDOW_LOG: u32 = 27;

/// What a file is by its first bytes; none where it holds no other.
pub fn look(beginning: &[u8]) -> Option<Packing> {
    let begins = |mark: &[u8]| beginning.starts_with(mark);
    match beginning {
        // The only method that there is.
        _ if begins(b"\x1f\x8b\x08") => Some(Packing::Gzip),
        _ if begins(b"\xfd7zXZ\0") => Some(Packing::Xz),
        _ if begins(b"\x28\xb5\x2f\xfd") => Some(Packing::Zstd),
        // With the size of a block and the mark of the first (pi), or the end of an empty file.
        [b'B', b'Z', b'h', b'1'..=b'9', b'1' | 0x17, ..] => Some(Packing::Bzip2),
        _ if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") => Some(Packing::Zip),
        _ if is_tar(beginning) => Some(Packing::Tar),
        _ => None,
    }
}

/// Old archives have no mark; all have the sum of the header's bytes.
fn is_tar(beginning: &[u8]) -> bool {
    let Some(header) = beginning.get(..TAR_HEADER) else { return false };
    let octal = header[TAR_SUM].iter().filter(|byte| (b'0'..=b'7').contains(byte));
    let told = octal.fold(0_u32, |sum, digit| sum << 3 | u32::from(digit - b'0'));
    let sum = |from: &[u8]| from.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let blanks = (TAR_SUM.end - TAR_SUM.start) as u32 * u32::from(b' ');
    let is_marked = header[TAR_MARK..].starts_with(b"ustar") || header[0] != 0;
    is_marked && told > blanks && told == sum(&header[..TAR_SUM.start]) + blanks + sum(&header[TAR_SUM.end..])
}

impl Packing {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Zstd => "zstd",
            Packing::Bzip2 => "bzip2",
            Packing::Tar => "tar",
            Packing::Zip => "zip",
        }
    }

    /// What a file of it unpacks to; none where it holds several.
    pub fn decoder<'i>(self, input: impl Read + 'i) -> Option<io::Result<Box<dyn Read + 'i>>> {
        Some(match self {
            Packing::Gzip => Ok(Box::new(MultiGzDecoder::new(input))),
            Packing::Xz => Ok(Box::new(lzma_rust2::XzReader::new_mem_limit(input, true, XZ_MEMORY_KIB))),
            Packing::Bzip2 => Ok(Box::new(bzip2::read::MultiBzDecoder::new(input))),
            Packing::Zstd => zstd(input),
            Packing::Tar | Packing::Zip => return None,
        })
    }
}

fn zstd<'i>(input: impl Read + 'i) -> io::Result<Box<dyn Read + 'i>> {
    let mut decoder = zstd::stream::read::Decoder::new(input)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(Box::new(decoder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_are_told_by_their_first_bytes() {
        assert_eq!(look(b"\x1f\x8b\x08\0"), Some(Packing::Gzip));
        assert_eq!(look(b"BZh91AY&SY"), Some(Packing::Bzip2));
        assert_eq!(look(b"BZh is a word"), None);
        assert_eq!(look(b"PK\x05\x06"), Some(Packing::Zip));
        assert_eq!(look(b""), None);
        assert_eq!(look(&[0; 1024]), None, "the end of a tar file is none");
        assert_eq!(look(&[b' '; 1024]), None);
    }

    #[test]
    fn archives_without_a_mark_are_told_by_their_sum() {
        let mut header = [0_u8; TAR_HEADER];
        header[..5].copy_from_slice(b"a.txt");
        header[TAR_SUM].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[TAR_SUM][..7].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        assert_eq!(look(&header), Some(Packing::Tar));
        header[0] = b'b';
        assert_eq!(look(&header), None);
    }
}
