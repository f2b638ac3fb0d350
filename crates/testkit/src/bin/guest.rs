//! Boots a guest of the tests and runs shell commands in it, to see how another kernel does.
//! No part of the product.
//!
//! usage: guest SERIES COMMAND...    (`guest 6.1 'heldup doctor'`)

use std::time::Duration;

use anyhow::{Context, Result};
use heldup_testkit::guest::{Guest, test_machine};

/// Longest time for one command.
const PATIENCE: Duration = Duration::from_secs(300);

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let series = words.next().context("usage: guest SERIES COMMAND...")?;
    let mut options =
        test_machine::options(&series, std::env::var_os("GUEST_TESTS").as_deref().map(AsRef::as_ref))?;
    let more = std::env::var("GUEST_MODULES").unwrap_or_default();
    options.modules.extend(more.split(',').filter(|name| !name.is_empty()).map(str::to_owned));
    if let Ok(memory_mib) = std::env::var("GUEST_MEMORY_MIB") {
        options.memory_mib = memory_mib.parse().context("GUEST_MEMORY_MIB")?;
    }
    let mut guest = Guest::boot(&options)?;
    eprintln!("{} after {:.1} s", options.kernel.release, guest.booted_in.as_secs_f64());
    for command in words {
        let answer = guest.run(&["sh", "-c", &command], PATIENCE)?;
        print!("{}", answer.stdout);
        eprint!("{}", answer.stderr);
        if answer.code != Some(0) {
            eprintln!("{command}: {}", answer.ending());
        }
    }
    Ok(())
}
