//! Lines for the record that `cargo xtask soak` writes. Standard output is not for them: there the line of a
//! test that runs is open, and its outcome follows.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::{Context, Result};

/// Names the file, where there is a record.
const VARIABLE: &str = "HELDUP_IT_SAYS";

/// Adds a line to the record, or says it where there is none.
pub fn say(line: &str) -> Result<()> {
    let Some(path) = std::env::var_os(VARIABLE) else {
        eprintln!("{line}");
        return Ok(());
    };
    let file = OpenOptions::new().append(true).create(true).open(path);
    writeln!(file.context(VARIABLE)?, "{line}").context(VARIABLE)
}
