//! Brings what was written to the disk, beside the one who writes.
//!
//! On a machine whose disk is the trouble a flush may take seconds; samples are not to wait for it.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A thread that flushes one file when it is asked to.
pub(super) struct Flusher {
    asks: SyncSender<()>,
    failed: Arc<Mutex<Option<io::Error>>>,
}

impl Flusher {
    /// Begins it. It ends when this value is dropped, after the flush that it may be in.
    pub(super) fn start(file: File) -> io::Result<Flusher> {
        let (asks, asked) = sync_channel(1);
        let failed = Arc::new(Mutex::new(None));
        let failure = failed.clone();
        let flush = move || {
            while asked.recv().is_ok() {
                if let Err(error) = file.sync_data() {
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        };
        thread::Builder::new().name("journal-flush".into()).spawn(flush)?;
        Ok(Flusher { asks, failed })
    }

    /// Asks for a flush; false where one is still to be made for the time before.
    pub(super) fn ask(&self) -> bool {
        !matches!(self.asks.try_send(()), Err(TrySendError::Full(())))
    }

    /// What went wrong since this was asked last.
    pub(super) fn take_error(&self) -> Option<io::Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
