//! Java programs that start, one after the other.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::needs::Need;
use crate::programs;
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;

pub(super) const CASE: QuietCase = QuietCase {
    name: "java-start",
    needs: &[Need::Tool("java"), Need::Tool("javac")],
    seconds: SHORT_SECONDS,
    make,
};

fn make() -> Result<Load> {
    let classes = programs::built_java("StartsUp")?;
    // One is enough to be seen anywhere in the window, and the machine rests in between.
    let mut command = Command::new("sh");
    command.args(["-c", "while java -cp \"$0\" StartsUp; do sleep 2; done"]).arg(classes);
    let mut starts = Running::start(command)?;
    let said = starts.line()?;
    ensure!(said.starts_with("ready"), "StartsUp said {said}");
    Ok(vec![Box::new(starts)])
}
