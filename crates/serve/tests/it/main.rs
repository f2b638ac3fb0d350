//! The server as whoever connects meets it: bytes to a port, and what comes back.

// A test without its server has nothing to test.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod answers;
mod archive;
mod fuzz;
mod hostile;
mod limits;
mod refused;
mod served;
mod socket;
