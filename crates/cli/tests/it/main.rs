//! The program as it is typed, by somebody who is not root.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's own helpers fail the test")]

mod commands;
mod grammar;
mod interrupted;
mod pages;
mod served;
mod typed;
mod wrong_calls;
