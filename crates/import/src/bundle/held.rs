//! What is held of files of the kernel until all are there, and what was left out for it.

use super::Limits;

/// The largest file of `/proc` or `/sys` that is held; `interrupts` of 1,000 CPUs has 10 MB.
pub const LARGEST_KERNEL_FILE: u64 = 16 << 20;

/// How much more may be held.
#[derive(Debug)]
pub struct Held {
    left: u64,
    /// Files that stand in no tree, and those that a text has again and again.
    loose_left: usize,
    /// Files that were left out.
    pub left_out: u64,
}

impl Held {
    /// Nothing is held yet.
    pub fn of(limits: &Limits) -> Held {
        Held { left: limits.held_bytes, loose_left: limits.loose_files, left_out: 0 }
    }

    /// Bytes that the next file may have; none where nothing more is held.
    pub fn largest(&self) -> u64 {
        LARGEST_KERNEL_FILE.min(self.left)
    }

    /// Holds so many bytes: of a file, or of what stands beside the content of files.
    pub fn take(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Whether one more file may be held that stands in no tree.
    pub fn take_loose(&mut self) -> bool {
        let left = self.loose_left.checked_sub(1);
        self.loose_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether one of the files of a text may be held.
    pub fn take_one_of_many(&mut self, bytes: u64) -> bool {
        let is_held = bytes <= self.largest() && self.take_loose();
        if is_held {
            self.take(bytes);
        }
        is_held
    }
}
