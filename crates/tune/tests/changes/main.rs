//! A change is undone whatever ends the program, at every step of it.
//!
//! A small kernel stands in for the machine: its dirty thresholds are coupled as the real ones
//! are, it clamps one setting and refuses values. Every call to it may be the last that the
//! program makes: before it has its effect, after it, or, of the log, in the middle of a line.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

mod kernel;
mod one;
mod plans;
