//! Two threads of ours that wake each other, for a moment: the runs by which the ledger learns what it costs.

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::thread::{self, JoinHandle};

/// The pair. Dropping it ends the other thread.
pub(crate) struct HandOver {
    to: Option<PipeWriter>,
    from: PipeReader,
    other: Option<JoinHandle<()>>,
}

impl HandOver {
    /// Starts the other thread, which hands back what it is given.
    pub(crate) fn start() -> io::Result<HandOver> {
        let ((mut given, to), (from, mut back)) = (pipe()?, pipe()?);
        let echo = move || {
            let mut token = [0];
            while given.read_exact(&mut token).and_then(|()| back.write_all(&token)).is_ok() {}
        };
        let other = thread::Builder::new().name("heldup-token".into()).spawn(echo)?;
        Ok(HandOver { to: Some(to), from, other: Some(other) })
    }

    /// Hands a byte to and fro so many times; two switches and two wake-ups each.
    pub(crate) fn times(&mut self, times: usize) -> io::Result<()> {
        let Some(to) = &mut self.to else { return Ok(()) };
        let mut token = [0];
        (0..times).try_for_each(|_| {
            to.write_all(&token)?;
            self.from.read_exact(&mut token)
        })
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        drop(self.to.take());
        // It ends when nobody can write to it any more, and cannot panic.
        let _ = self.other.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_comes_back_and_the_thread_ends() {
        let mut pair = HandOver::start().expect("a pair");
        pair.times(3).expect("handed over");
    }
}
