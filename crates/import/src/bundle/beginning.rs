//! A file whose first bytes were looked at, and which is read from its beginning nevertheless.

use std::io::{self, Read};

/// How much is looked at: the mark of a tar file stands behind 257 bytes, and what tells a file of `/proc`
/// in its first lines.
const LOOKED_AT_BYTES: usize = 16 << 10;

/// Reads what was looked at, then the rest.
pub struct Begun<'i> {
    bytes: Vec<u8>,
    at: usize,
    failed: Option<io::Error>,
    rest: &'i mut dyn Read,
}

impl<'i> Begun<'i> {
    /// Looks at the beginning of a file. What fails there fails again when it is read.
    pub fn of(rest: &'i mut dyn Read) -> Begun<'i> {
        let mut bytes = Vec::new();
        let failed = (&mut *rest).take(LOOKED_AT_BYTES as u64).read_to_end(&mut bytes).err();
        Begun { bytes, at: 0, failed, rest }
    }

    /// The first bytes: all of them, or so many as there are.
    pub fn beginning(&self) -> &[u8] {
        &self.bytes
    }
}

impl Read for Begun<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let there = self.bytes.get(self.at..).unwrap_or_default();
        if !there.is_empty() {
            let count = there.len().min(buffer.len());
            buffer[..count].copy_from_slice(&there[..count]);
            self.at += count;
            return Ok(count);
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.rest.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives some bytes and fails then.
    struct Broken(usize);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.min(buffer.len()).min(7);
            self.0 -= count;
            buffer[..count].fill(b'x');
            if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(count) }
        }
    }

    #[test]
    fn what_was_looked_at_is_read_again_and_so_is_what_failed() {
        let mut text: &[u8] = &[b'a'; 40_000];
        let mut begun = Begun::of(&mut text);
        assert_eq!(begun.beginning().len(), LOOKED_AT_BYTES);
        let mut all = Vec::new();
        assert_eq!(begun.read_to_end(&mut all).expect("read"), 40_000);
        let mut broken = Broken(100);
        let mut begun = Begun::of(&mut broken);
        assert_eq!(begun.beginning().len(), 100);
        let mut all = Vec::new();
        assert!(begun.read_to_end(&mut all).is_err());
        assert_eq!(all.len(), 100);
    }
}
