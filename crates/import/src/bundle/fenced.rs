//! An archive of tar that may not make its reader hold much: the names and attributes that stand before a file are
//! held whole by the library, and an archive of a few bytes may claim gigabytes of them.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// The longest description of one file. Names have 4 KB at most, access lists and attributes some more.
const MOST_BYTES: u64 = 1 << 20;

/// How far the archive may be read until the next file of it is described.
#[derive(Clone, Debug)]
pub struct Fence(Rc<Bounds>);

#[derive(Debug)]
struct Bounds {
    read: Cell<u64>,
    until: Cell<u64>,
}

impl Fence {
    /// Around the first file of an archive that is read from its beginning.
    pub fn first() -> Fence {
        Fence(Rc::new(Bounds { read: Cell::new(0), until: Cell::new(MOST_BYTES) }))
    }

    /// A file is described: it has so many bytes, which may be read, and behind them stands the next.
    pub fn describes(&self, bytes: u64) {
        let end = self.0.read.get().saturating_add(bytes);
        self.0.until.set(end.saturating_add(MOST_BYTES));
    }

    /// The archive.
    pub fn around<R: Read>(&self, input: R) -> Fenced<R> {
        Fenced { input, fence: self.clone() }
    }
}

/// Reads up to the fence, and fails there.
pub struct Fenced<R> {
    input: R,
    fence: Fence,
}

impl<R: Read> Read for Fenced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Bounds { read, until } = &*self.fence.0;
        let left = usize::try_from(until.get().saturating_sub(read.get())).unwrap_or(usize::MAX);
        if left == 0 {
            let what = format!("more than {MOST_BYTES} bytes that describe the next file");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let most = left.min(buffer.len());
        let count = self.input.read(buffer.get_mut(..most).unwrap_or_default())?;
        read.set(read.get() + count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_a_file_is_bounded_and_the_file_is_not() {
        let fence = Fence::first();
        let mut archive = fence.around(io::repeat(0));
        let copied = |bytes: u64, archive: &mut Fenced<io::Repeat>| {
            io::copy(&mut archive.take(bytes), &mut io::sink()).is_ok()
        };
        assert!(copied(512, &mut archive));
        fence.describes(10 << 20);
        assert!(copied((10 << 20) + 1024, &mut archive), "a file and the next header");
        fence.describes(0);
        assert!(copied(MOST_BYTES, &mut archive));
        assert!(!copied(1, &mut archive), "behind the fence");
    }
}
