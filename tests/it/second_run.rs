//! A second run for a test that failed, when [`VARIABLE`] asks for it, and word of each that
//! needed one.
//!
//! Every test here judges what a whole machine did in a few seconds, and of some 160 such
//! judgements one now and then is of a moment in which the machine did something else (a
//! virtual one can not even see what its host did meanwhile). Who runs all of them once, as
//! `make test` does, would learn of that moment and of nothing else. So a failed test runs once
//! more, and what needed that is said at the end with its first failure; as soon as it is more
//! than [`MOST`], the whole run fails: then it is not the moment. `cargo xtask soak` gives no
//! second run: that is where a test that is merely usually right is found out.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

/// Asks for second runs, when it is set and not empty.
pub const VARIABLE: &str = "HELDUP_SECOND_RUN";

/// Tests that may need a second run before the whole run fails: those in guests and those on this
/// machine are a run each.
const MOST: usize = 3;

/// Each test that was right in its second run only, with its first failure.
static NEEDED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Runs a test, and once more if it fails and that is asked for.
pub fn run(name: &str, test: &dyn Fn() -> Result<()>) -> Result<()> {
    let Err(first) = test() else { return Ok(()) };
    if std::env::var_os(VARIABLE).is_none_or(|value| value.is_empty()) {
        return Err(first);
    }
    let first = format!("{first:#}");
    test().with_context(|| format!("failed twice; at first: {first}"))?;
    NEEDED.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), first));
    Ok(())
}

/// Which they are, to end a line with.
pub fn names() -> String {
    let needed = NEEDED.lock().unwrap_or_else(PoisonError::into_inner);
    let names: Vec<&str> = needed.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("; right in the second run only: {}", names.join(", "))
    }
}

/// Says which tests needed a second run. Whether they are few enough.
pub fn said() -> bool {
    let needed = NEEDED.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, first) in needed.iter() {
        // What it says may be the report of tests in a guest, which is none of ours.
        println!("right in the second run only: {name}: {}", first.trim_end().replace('\n', "\n    | "));
    }
    let few = needed.len() <= MOST;
    if !few {
        println!("{} tests needed a second run; more than {MOST} are a failure", needed.len());
    }
    few
}
