//! A machine that does nothing but be looked at.

use std::time::Duration;

use anyhow::Result;

use crate::condition::until;
use crate::host_figures::idle_share;
use crate::quiet::{Load, QuietCase, SECONDS};

pub(super) const CASE: QuietCase = QuietCase { name: "idle", needs: &[], seconds: SECONDS, make };

fn make() -> Result<Load> {
    // What the test before this one left to be written must not be this one's trouble.
    until("the machine is idle", || Ok(idle_share(Duration::from_millis(500))? > 0.9))?;
    Ok(Vec::new())
}
