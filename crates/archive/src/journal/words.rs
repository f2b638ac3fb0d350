//! The texts of a segment, each written once, before its first use, and numbered from 0.

use std::collections::HashMap;

use heldup_model::Text;

use super::bytes::{put_bytes, put_count};

/// What a text takes beside its bytes: its place and its number in the map, its counts and its length.
const WORD_BYTES: usize = 64;

/// The writer's side: text to number.
#[derive(Default)]
pub(super) struct Words {
    numbers: HashMap<Text, u32>,
    /// Texts that the frame being made is the first to use.
    added: Vec<Text>,
    /// Bytes that all of them take, nearly.
    bytes: usize,
}

impl Words {
    /// The number of a text; a new one is remembered for [`Words::put_added`].
    pub(super) fn number(&mut self, text: &Text) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(text.clone(), number);
        self.bytes += WORD_BYTES + text.len();
        self.added.push(text.clone());
        number
    }

    /// Appends the texts that are new in this frame.
    pub(super) fn put_added(&self, out: &mut Vec<u8>) {
        put_count(out, self.added.len() as u64);
        for text in &self.added {
            put_bytes(out, text.as_bytes());
        }
    }

    /// Memory that the texts take, in bytes, nearly.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The frame was written: its texts are known to every reader.
    pub(super) fn keep_added(&mut self) {
        self.added.clear();
    }

    /// The frame was not written: its texts are known to nobody.
    pub(super) fn forget_added(&mut self) {
        for text in self.added.drain(..) {
            self.numbers.remove(&text);
            self.bytes -= WORD_BYTES + text.len();
        }
    }
}
