//! Waiting for something to be true, with a deadline instead of a fixed sleep.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Longest wait for a condition that a healthy machine meets in well under a second.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// Waits until `holds` says yes; fails with `what` after [`PATIENCE`].
pub fn until(what: &str, holds: impl FnMut() -> Result<bool>) -> Result<()> {
    until_within(PATIENCE, what, holds)
}

/// Waits until `holds` says yes, for what takes its time; fails with `what` after `patience`.
pub fn until_within(patience: Duration, what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let started = Instant::now();
    while !holds()? {
        if started.elapsed() > patience {
            bail!("{what}: still not so after {} s", patience.as_secs());
        }
        sleep(LOOK_EVERY);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_again_until_it_holds() -> Result<()> {
        let mut looks = 0;
        until("third look", || {
            looks += 1;
            Ok(looks == 3)
        })?;
        assert_eq!(looks, 3);
        Ok(())
    }

    #[test]
    fn an_error_while_looking_ends_the_wait() {
        assert!(until("never", || bail!("cannot look")).is_err());
    }
}
