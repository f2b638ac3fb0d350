//! PostgreSQL under pgbench, well within the machine: a few transactions a second of two clients.

use anyhow::Result;

use crate::postgres::{NEEDS, Postgres};
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase { name: "postgres", needs: NEEDS, seconds: SHORT_SECONDS, make };

fn make() -> Result<Load> {
    let scratch = Scratch::new("data")?;
    let server = Postgres::start(&scratch.path().join("data"), &[])?;
    server.fill(1)?;
    let load = server.pgbench(&["--client=2", "--rate=20"])?;
    Ok(vec![Box::new(load), Box::new(server), Box::new(scratch)])
}
