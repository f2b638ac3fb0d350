//! Figures against the queries that they show, over real recordings. One binary: linking is what takes time.

// A test that cannot read its recording has nothing to test.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod as_the_query;
mod by_minute;
mod recordings;
mod reduced;
