//! What a hundred rules cost on a window of 15 s: the bench of the diagnose crate.

use std::process::Stdio;

use anyhow::Result;

use super::{Bench, Figure, Setting};
use crate::program::{cargo, output};

/// The bench.
pub const BENCH: Bench =
    Bench { name: "rules", question: "what 100 rules cost on a window of 15 s", looks: false, measure };

/// What the bench of the diagnose crate prints before its figure.
const LABEL: &str = "100 rules, 15 s window:";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let arguments = ["bench", "--quiet", "--package", "heldup-diagnose"];
    let words = output(cargo(setting.tree, &arguments).stderr(Stdio::inherit()))?;
    let what = "100 rules on a window of 15 s, CPU";
    let number = words
        .lines()
        .find_map(|line| line.trim().strip_prefix(LABEL)?.trim().strip_suffix("ms")?.trim().parse().ok());
    Ok(vec![match number {
        Some(ms) => Figure::at_most(what, ms, 10.0, "ms", 1),
        None => {
            Figure::shown(what, format!("no line `{LABEL} … ms` from cargo bench --package heldup-diagnose"))
        }
    }])
}
