//! The page in a real browser: `web/tests`, by Playwright, on the program under test; and the tests of its pure functions.

mod hostile;

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Runs it at the page's folder, and ends whatever it leaves: servers of a test that was given up.
fn passes(command: &mut Command) -> Result<()> {
    let command = command.current_dir(web()).env("NO_COLOR", "1").process_group(0);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let group = i32::try_from(child.id())?;
    let output = child.wait_with_output();
    // SAFETY: takes numbers; the group is that of the child, which nobody else is in.
    unsafe { libc::kill(-group, libc::SIGKILL) };
    let output = output?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    bail!("{}:\n{}", output.status, lines[lines.len().saturating_sub(LAST)..].join("\n"))
}
