//! How far what is packed is followed: a small file may unpack to more than all disks hold.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

/// Bounds of reading what somebody packed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that one given file may unpack to, all that is packed in it too.
    pub unpacked_bytes: u64,
    /// How many times its size a file may unpack to. Up to [`Limits::harmless_bytes`] nobody asks.
    pub ratio: u64,
    /// See [`Limits::ratio`].
    pub harmless_bytes: u64,
    /// Packed in packed: `a.zip` with `b.tar.xz` with `c.gz` in it is four deep.
    pub depth: usize,
    /// Files in one file.
    pub entries: u64,
    /// Bytes of what has to be held whole: files of /proc and /sys, a zip file in another file.
    pub held_bytes: u64,
    /// Files of /proc that stand in no tree, and those in a text that has them again and again: of one kind every half
    /// a minute for a month.
    pub loose_files: usize,
    /// Files that are read as listings or logs, of all given files: each becomes tables of its own.
    pub listings: usize,
}

impl Default for Limits {
    /// Text of sar, of logs and of /proc packs to a tenth or a fiftieth; gzip cannot do better than a thousandth.
    fn default() -> Limits {
        Limits {
            unpacked_bytes: 64 << 30,
            ratio: 250,
            harmless_bytes: 64 << 20,
            depth: 8,
            entries: 300_000,
            held_bytes: 128 << 20,
            loose_files: 100_000,
            listings: 20_000,
        }
    }
}

/// What was unpacked of one file that was given.
#[derive(Clone, Debug)]
pub struct Budget(Rc<Spent>);

#[derive(Debug)]
struct Spent {
    limits: Limits,
    /// Bytes of the file itself, however often they are read.
    size: u64,
    /// Bytes of the file itself that were read.
    packed: Cell<u64>,
    unpacked: Cell<u64>,
    entries: Cell<u64>,
    exceeded: RefCell<Option<String>>,
}

impl Budget {
    /// Nothing is spent yet of a file that has at most so many bytes.
    pub fn of(limits: Limits, size: u64) -> Budget {
        let (packed, unpacked, entries) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Budget(Rc::new(Spent { limits, size, packed, unpacked, entries, exceeded: RefCell::new(None) }))
    }

    /// The bounds.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Whether a bound was reached, and which: nothing more of the file is unpacked.
    pub fn exceeded(&self) -> Option<String> {
        self.0.exceeded.borrow().clone()
    }

    /// Counts one more file in the file; false where that is too many.
    pub fn enter(&self) -> bool {
        self.0.entries.set(self.0.entries.get() + 1);
        if self.0.entries.get() > self.0.limits.entries {
            self.exceed(format!("more than {} files; expected at most that many", self.0.limits.entries));
        }
        self.exceeded().is_none()
    }

    /// The file itself, counted.
    pub fn packed<R: Read>(&self, input: R) -> Counted<R> {
        Counted { input, budget: self.clone(), is_unpacked: false }
    }

    /// What a decoder gives, counted and bounded.
    pub fn unpacked<R: Read>(&self, input: R) -> Counted<R> {
        Counted { input, budget: self.clone(), is_unpacked: true }
    }

    fn exceed(&self, why: String) {
        self.0.exceeded.borrow_mut().get_or_insert(why);
    }

    fn unpack(&self, bytes: u64) -> io::Result<()> {
        let spent = &self.0;
        let unpacked = spent.unpacked.get() + bytes;
        spent.unpacked.set(unpacked);
        let limits = spent.limits;
        let packed = spent.packed.get().clamp(1, spent.size.max(1));
        if unpacked > limits.unpacked_bytes {
            self.exceed(format!(
                "unpacks to more than {} bytes; expected at most that many",
                limits.unpacked_bytes
            ));
        } else if unpacked > limits.harmless_bytes && unpacked / packed >= limits.ratio {
            self.exceed(format!(
                "unpacks to more than {} times its size ({unpacked} bytes of {packed}); expected less (limit against archive bombs)",
                limits.ratio
            ));
        }
        match self.exceeded() {
            Some(why) => Err(io::Error::new(io::ErrorKind::FileTooLarge, why)),
            None => Ok(()),
        }
    }
}

/// A reader whose bytes are counted.
pub struct Counted<R> {
    input: R,
    budget: Budget,
    is_unpacked: bool,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        if self.is_unpacked {
            self.budget.unpack(count as u64)?;
        } else {
            let packed = &self.budget.0.packed;
            packed.set(packed.get() + count as u64);
        }
        Ok(count)
    }
}

impl<R: io::Seek> io::Seek for Counted<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(limits: Limits, packed: u64, bytes: u64) -> Option<String> {
        let budget = Budget::of(limits, u64::MAX);
        io::copy(&mut budget.packed(io::repeat(0).take(packed)), &mut io::sink()).expect("counted");
        let copied = io::copy(&mut budget.unpacked(io::repeat(0).take(bytes)), &mut io::sink());
        assert_eq!(copied.is_err(), budget.exceeded().is_some());
        budget.exceeded()
    }

    #[test]
    fn what_unpacks_to_too_much_is_stopped() {
        let limits = Limits { harmless_bytes: 1 << 20, unpacked_bytes: 8 << 20, ..Limits::default() };
        assert_eq!(unpack(limits, 10, 1 << 20), None, "a little is harmless");
        assert!(unpack(limits, 10, 2 << 20).is_some_and(|why| why.contains("250 times its size")));
        assert_eq!(unpack(limits, 100_000, 8 << 20), None, "84 times");
        assert!(unpack(limits, 1 << 20, 9 << 20).is_some_and(|why| why.contains("more than 8388608 bytes")));
    }

    #[test]
    fn bytes_that_are_read_again_and_again_count_once() {
        let limits = Limits { harmless_bytes: 0, ..Limits::default() };
        let budget = Budget::of(limits, 100);
        io::copy(&mut budget.packed(io::repeat(0).take(1 << 20)), &mut io::sink()).expect("counted");
        let copied = io::copy(&mut budget.unpacked(io::repeat(0).take(1 << 20)), &mut io::sink());
        assert!(copied.is_err() && budget.exceeded().is_some_and(|why| why.contains("bytes of 100)")));
    }

    #[test]
    fn files_in_a_file_are_counted() {
        let budget = Budget::of(Limits { entries: 2, ..Limits::default() }, u64::MAX);
        assert_eq!([budget.enter(), budget.enter(), budget.enter()], [true, true, false]);
    }
}
