//! The page in a real browser: `web/tests`, by Playwright, on the program under test; and the tests of its pure functions.

mod hostile;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

/// Lines of a run that failed.
const LAST: usize = 200;

pub fn trials() -> Vec<Trial> {
    let browser = [Need::Tool("node"), Need::Tool("chromium"), Need::NodeOfTests, Need::NodePackages];
    vec![
        crate::trial("page::functions".to_owned(), &[Need::Tool("node"), Need::NodePackages], functions),
        crate::trial("page::in-a-browser".to_owned(), &browser, in_a_browser),
    ]
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

fn functions() -> Result<()> {
    passes(Command::new("node").arg("unit.mjs"))
}

fn in_a_browser() -> Result<()> {
    let heldup = Heldup::found()?;
    let recording = heldup.home().join("hostile.heldup");
    hostile::write(&recording)?;
    passes(
        Command::new("node")
            .args(["node_modules/@playwright/test/cli.js", "test"])
            .env("HELDUP_BIN", std::path::absolute(heldup.program())?)
            .env("HELDUP_HOSTILE", &recording)
            .env("HELDUP_TEST_RESULTS", heldup.home().join("results"))
            .env_remove("FORCE_COLOR"),
    )
}

/// Runs it at the page's folder.
fn passes(command: &mut Command) -> Result<()> {
    let output = command.current_dir(web()).env("NO_COLOR", "1").output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    bail!("{}:\n{}", output.status, lines[lines.len().saturating_sub(LAST)..].join("\n"))
}
