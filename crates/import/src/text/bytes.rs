//! A recording byte by byte, for formats that are not made of lines. Holds one piece of it.

use std::io::{self, Read};

use crate::error::ImportError;

const PIECE_BYTES: usize = 128 << 10;

/// Reads bytes, and knows where it is.
pub struct Bytes<R> {
    input: R,
    file: String,
    piece: Vec<u8>,
    at: usize,
    line: u64,
    before: u64,
}

impl<R: Read> Bytes<R> {
    /// Of a file that is read from here on.
    pub fn of(input: R, file: &str) -> Bytes<R> {
        Bytes { input, file: file.to_owned(), piece: Vec::new(), at: 0, line: 1, before: 0 }
    }

    /// The line that is being read, counted from one.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// How many bytes were read.
    pub fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The next byte; none at the end.
    pub fn next(&mut self) -> Result<Option<u8>, ImportError> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.at += 1;
            self.line += u64::from(byte == b'\n');
        }
        Ok(byte)
    }

    /// The byte that is next.
    pub fn peek(&mut self) -> Result<Option<u8>, ImportError> {
        if self.at >= self.piece.len() {
            self.fill()?;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// The next bytes; fewer than wanted at the end.
    pub fn take(&mut self, count: usize, into: &mut Vec<u8>) -> Result<(), ImportError> {
        into.clear();
        while into.len() < count {
            if self.peek()?.is_none() {
                return Ok(());
            }
            let there = self.piece.get(self.at..).unwrap_or_default();
            let taken = there.len().min(count - into.len());
            into.extend_from_slice(&there[..taken]);
            self.at += taken;
        }
        Ok(())
    }

    /// Passes over bytes; false where the file ends before.
    pub fn pass(&mut self, mut count: u64) -> Result<bool, ImportError> {
        while count > 0 {
            if self.peek()?.is_none() {
                return Ok(false);
            }
            let there = (self.piece.len() - self.at) as u64;
            let passed = there.min(count);
            self.at += passed as usize;
            count -= passed;
        }
        Ok(true)
    }

    fn fill(&mut self) -> Result<(), ImportError> {
        self.before += self.piece.len() as u64;
        self.at = 0;
        self.piece.resize(PIECE_BYTES, 0);
        loop {
            match self.input.read(&mut self.piece) {
                Ok(count) => {
                    self.piece.truncate(count);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    self.piece.clear();
                    return Err(ImportError::Read { file: self.file.clone(), line: self.line, source });
                }
            }
        }
    }
}
