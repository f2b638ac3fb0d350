//! A web server with steady clients, well within the machine.

use std::fs;

use anyhow::{Result, ensure};

use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase { name: "web-server", needs: &[], seconds: SHORT_SECONDS, make };

/// Some per cent of a CPU at about 20 µs a request.
const REQUESTS_A_SECOND: &str = "1000";
/// A page of the usual size.
const PAGE_BYTES: usize = 20_000;

fn make() -> Result<Load> {
    let scratch = Scratch::new("web")?;
    let page = scratch.path().join("index.html");
    fs::write(&page, "x".repeat(PAGE_BYTES))?;
    let mut web = Running::program("steady_web", &[&page, &REQUESTS_A_SECOND])?;
    let said = web.line()?;
    ensure!(said == "steady", "steady_web said {said}");
    Ok(vec![Box::new(web), Box::new(scratch)])
}
