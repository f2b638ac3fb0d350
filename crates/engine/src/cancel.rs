//! What may stop a request that takes time.

use heldup_hostfs::{Interrupts, Stopper};

use crate::error::Result;

/// What is listened to while the machine is looked at. What only reads files goes on to its end: a process that reads
/// them for a person ends by the signal itself.
#[derive(Clone, Debug)]
pub enum Cancel {
    /// SIGINT and SIGTERM of this process, from when the look begins.
    Signals,
    /// The same, and the end of the terminal: for who has something to undo.
    SignalsAndHangup,
    /// Somebody in this process: a page whose reader has gone.
    By(Stopper),
}

impl Cancel {
    /// Begins to listen.
    pub(crate) fn begin(&self) -> Result<Interrupts> {
        Ok(match self {
            Cancel::Signals => Interrupts::watch()?,
            Cancel::SignalsAndHangup => Interrupts::watch_with_hangup()?,
            Cancel::By(stopper) => Interrupts::by(stopper)?,
        })
    }
}
