//! Each request of the engine, from its plain data to its typed answer; none needs root.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's own helpers fail the test")]

mod answers;
mod live;
mod machine;
mod recorded;
mod refusals;
mod settings;
mod viewed;
