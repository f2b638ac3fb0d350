//! What a test says that cannot run on this machine, for the tests of the crates.
//!
//! The harness of Rust knows no test that is skipped while it runs, and shows nothing of what one prints that
//! passes. So the line goes past it, in one form, which `scripts/said-again.sh` reads: `make test` names who was
//! skipped and counts him as skipped, not as passed. The tests of `tests/it` are known to be skipped before
//! they run, and have no need of this.

use std::io::Write;
use std::{env, thread};

/// Names the programs that somebody promised to have installed, with blanks between: where one of them is
/// missing, nobody would hear that what needs it is skipped. Continuous integration sets it (`.ci/run`).
pub const PROMISED: &str = "HELDUP_PROMISED";

/// Whether a program has to be here.
pub fn is_promised(program: &str) -> bool {
    env::var(PROMISED).is_ok_and(|programs| programs.split_whitespace().any(|one| one == program))
}

/// Says that the test which calls this tests nothing here, and why.
pub fn skipped(why: &str) {
    say("SKIPPED", why);
}

/// Says what of the test that calls this could not be tested here; the rest of it counts.
pub fn partly_skipped(why: &str) {
    say("PARTLY SKIPPED", why);
}

/// Says that what needs a program could not be tested; fails where that program is promised.
pub fn without_program(program: &str) {
    assert!(!is_promised(program), "{program} is not here, and {PROMISED} names it");
    partly_skipped(&format!("needs the program {program}"));
}

/// One write: other tests write at the same time.
fn say(what: &str, why: &str) {
    // With one test at a time it runs in the main thread, and its name is on the line already.
    let thread = thread::current();
    let name = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let line = format!("{what} {name}: {}\n", why.replace('\n', " "));
    // Not by a macro: what these print is captured.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
