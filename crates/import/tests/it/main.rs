//! Importers against recordings. One binary: linking is what takes time.

// A test that cannot read its recording has nothing to test.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod damaged;
mod fixtures;
mod listings;
mod table_text;
