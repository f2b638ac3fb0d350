//! What a file is before any line of it is read: text, in which encoding, or something else.

use std::borrow::Cow;

/// How a text's bytes are letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    /// UTF-8, or one of the old sets in which figures and English words are the same bytes.
    Bytes,
    /// UTF-16 with its mark, as some terminals save it: what listings are made of has a zero byte
    /// beside each letter.
    Wide,
}

/// Beginnings by which formats that are no text are told.
const SIGNS: [(&[u8], &str); 9] = [
    (b"\x1f\x8b", "a damaged gzip file"),
    (b"\x7fELF", "a program (ELF)"),
    (b"PAR1", "a Parquet file; a folder of them may be a capture"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%PDF", "a PDF document"),
    (b"PERFILE2", "a perf.data file: import the output of `perf script`"),
    (b"\x96\xd5", EARLY_SAR),
    (b"\xd5\x96", EARLY_SAR),
    (b"\x00\x05\x26", "unknown binary format"),
];

/// What a sar file is whose mark stands behind times and counts: of sysstat 5 to 8.1.2.
const EARLY_SAR: &str = "a sar file of sysstat before 8.1.3: import the output of `sar -A -f`";
/// Where its mark stands, 0x2160 to 0x216f, and where the name of the system behind it.
const EARLY_SAR_MARK: std::ops::Range<usize> = 36..38;
const EARLY_SAR_SYSTEM: &[u8] = b"Linux\0";

/// Zeros that may stand together in what is no text.
const SHORTEST_HOLE: usize = 64;

/// The encoding of a text, by its first bytes, or what the file is instead.
pub fn look(beginning: &[u8]) -> Result<Encoding, &'static str> {
    if beginning.is_empty() {
        return Err("an empty file");
    }
    if beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff") {
        return Ok(Encoding::Wide);
    }
    if let Some((_, what)) = SIGNS.iter().find(|(sign, _)| beginning.starts_with(sign)) {
        return Err(what);
    }
    if is_early_sar(beginning) {
        return Err(EARLY_SAR);
    }
    // No text has so many signs that cannot be printed. One that was damaged may have holes of zeros: of each the first
    // is one sign.
    let holes = beginning.chunk_by(|a, b| *a == 0 && *b == 0).filter(|run| run.len() > SHORTEST_HOLE);
    let hollow: usize = holes.map(|run| run.len() - 1).sum();
    let odd = beginning.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count() - hollow;
    if odd * 10 > beginning.len() - hollow {
        return Err("unknown binary format");
    }
    Ok(Encoding::Bytes)
}

fn is_early_sar(beginning: &[u8]) -> bool {
    let mark = beginning.get(EARLY_SAR_MARK).and_then(|mark| <[u8; 2]>::try_from(mark).ok());
    let is_mark = mark.is_some_and(|mark| matches!(mark, [0x60..=0x6f, 0x21] | [0x21, 0x60..=0x6f]));
    is_mark && beginning.get(..64).is_some_and(|head| memchr::memmem::find(head, EARLY_SAR_SYSTEM).is_some())
}

impl Encoding {
    /// The text of a line.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            // Looking for what is no UTF-8 is by the byte, seeing that there is none by the word.
            Encoding::Bytes => match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(bytes),
            },
            Encoding::Wide => {
                let letters: Vec<u8> =
                    bytes.iter().copied().filter(|byte| byte.is_ascii() && *byte != 0).collect();
                Cow::Owned(String::from_utf8_lossy(&letters).into_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_said() {
        assert_eq!(look(b""), Err("an empty file"));
        assert!(look(b"\x1f\x8b\x08\0").is_err_and(|what| what.contains("gzip")));
        assert!(look(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).is_err_and(|what| what.contains("binary")));
        assert!(look(&[0; 5000]).is_err_and(|what| what.contains("binary")));
        assert_eq!(look(b"procs ---"), Ok(Encoding::Bytes));
        let hole = [&b"procs ---memory---"[..], &[0; 500], b"more"].concat();
        assert_eq!(look(&hole), Ok(Encoding::Bytes));
        assert_eq!(look("Моя статистика".as_bytes()), Ok(Encoding::Bytes));
    }

    #[test]
    fn wide_letters_are_read() {
        let wide: Vec<u8> = "r b\r".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Encoding::Wide.text(&wide), "r b\r");
    }
}
