//! The lines of a recording, one at a time, however large or damaged it is.
//!
//! Holds one line at most, of bounded length: what is longer is no listing of any tool and is
//! passed over. Knows nothing of formats.

use std::io::{self, Read};

/// Longest line that is looked at: a listing of 4,096 CPUs with a column each has 60 KB.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// How much is read at once, and what a file is recognised by.
const CHUNK_BYTES: usize = 128 << 10;

/// Reads lines.
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    number: u64,
    is_over: bool,
}

/// One line as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RawLine<'a> {
    /// A line without its end.
    Whole {
        /// Counted from one.
        number: u64,
        /// Its bytes.
        bytes: &'a [u8],
        /// The file ends within it.
        is_cut: bool,
    },
    /// A line beyond [`MAX_LINE_BYTES`], passed over.
    TooLong {
        /// Counted from one.
        number: u64,
        /// Its length.
        length: u64,
    },
}

impl<R: Read> Lines<R> {
    /// Of a file that is read from its beginning.
    pub fn of(input: R) -> Lines<R> {
        Lines { input, buffer: Vec::new(), begin: 0, end: 0, number: 0, is_over: false }
    }

    /// The first bytes of the file, of which nothing is taken.
    pub fn beginning(&mut self) -> io::Result<&[u8]> {
        self.look_ahead(CHUNK_BYTES / 2)
    }

    /// The next bytes, at least so many where there are as many, of which nothing is taken.
    pub fn look_ahead(&mut self, least: usize) -> io::Result<&[u8]> {
        while !self.is_over && self.end - self.begin < least {
            self.fill()?;
        }
        Ok(&self.buffer[self.begin..self.end])
    }

    /// The file as bytes, from where its lines were not read yet.
    pub fn into_rest(self) -> impl Read {
        let there = self.buffer.get(self.begin..self.end).unwrap_or_default().to_vec();
        io::Cursor::new(there).chain(self.input)
    }

    /// How many lines were read so far.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line; none at the end.
    pub fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut looked = 0;
        loop {
            let there = &self.buffer[self.begin..self.end];
            if let Some(at) = there.get(looked..).and_then(|rest| memchr::memchr(b'\n', rest)) {
                let (from, length) = (self.begin, looked + at);
                self.begin += length + 1;
                self.number += 1;
                let bytes = self.buffer.get(from..from + length).unwrap_or_default();
                return Ok(Some(RawLine::Whole { number: self.number, bytes, is_cut: false }));
            }
            looked = there.len();
            if looked > MAX_LINE_BYTES {
                return self.pass_over().map(Some);
            }
            if self.is_over {
                if looked == 0 {
                    return Ok(None);
                }
                let from = self.begin;
                self.begin = self.end;
                self.number += 1;
                let bytes = self.buffer.get(from..self.end).unwrap_or_default();
                return Ok(Some(RawLine::Whole { number: self.number, bytes, is_cut: true }));
            }
            self.fill()?;
        }
    }

    /// Leaves a line that is too long behind, holding no more of it than a piece.
    fn pass_over(&mut self) -> io::Result<RawLine<'_>> {
        let mut length = 0;
        self.number += 1;
        loop {
            let there = &self.buffer[self.begin..self.end];
            if let Some(at) = memchr::memchr(b'\n', there) {
                self.begin += at + 1;
                length += at as u64;
                break;
            }
            length += there.len() as u64;
            (self.begin, self.end) = (0, 0);
            if self.is_over {
                break;
            }
            self.fill()?;
        }
        Ok(RawLine::TooLong { number: self.number, length })
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.begin > 0 {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if self.buffer.len() < self.end + CHUNK_BYTES {
            self.buffer.resize(self.end + CHUNK_BYTES, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.is_over = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out its bytes in small pieces, as a slow disk may.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn check(text: &[u8], expect: &[(&str, bool)]) {
        for piece in [1, 3, 17, 1 << 20] {
            let mut lines = Lines::of(Pieces(text, piece));
            for (at, (words, cut)) in expect.iter().enumerate() {
                let line = lines.next_line().unwrap();
                let number = at as u64 + 1;
                let whole = RawLine::Whole { number, bytes: words.as_bytes(), is_cut: *cut };
                assert_eq!(line, Some(whole), "{piece} bytes at a time");
            }
            assert_eq!(lines.next_line().unwrap(), None);
        }
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        check(b"", &[]);
        check(b"\n", &[("", false)]);
        check(b"one\ntwo", &[("one", false), ("two", true)]);
        check(
            b"a line of some length, beyond a block\n\nx\n",
            &[("a line of some length, beyond a block", false), ("", false), ("x", false)],
        );
    }

    #[test]
    fn a_line_without_end_is_passed_over_in_little_memory() {
        let length = 40 * MAX_LINE_BYTES as u64;
        let text = io::repeat(b'x').take(length).chain(&b"\nr b\n"[..]);
        let mut lines = Lines::of(text);
        assert_eq!(lines.next_line().unwrap(), Some(RawLine::TooLong { number: 1, length }));
        assert_eq!(
            lines.next_line().unwrap(),
            Some(RawLine::Whole { number: 2, bytes: b"r b", is_cut: false })
        );
        assert!(lines.buffer.len() <= MAX_LINE_BYTES + 4 * CHUNK_BYTES, "{}", lines.buffer.len());
    }
}
