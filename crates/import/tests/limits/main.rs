//! What an importer may cost, and that nothing that a file holds can stop it. A binary of its own, since it
//! counts every allocation.

// A test that cannot read its recording has nothing to test.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod allocator;
mod damage;
mod fuzz;
#[path = "../handed_over/mod.rs"]
mod handed_over;
mod hostile;
mod memory;
// What benchmarks need of it, tests do not.
#[allow(dead_code)]
#[path = "../../benches/recordings/mod.rs"]
mod recordings;

use std::io::Write;

/// Says something that belongs into the record of a soak, which names the file for it.
fn say(line: &str) {
    println!("{line}");
    if let Some(path) = std::env::var_os("HELDUP_IT_SAYS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.expect("the file of the record"), "- {line}").expect("the file of the record");
    }
}
