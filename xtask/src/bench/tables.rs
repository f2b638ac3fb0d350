//! What filling every table once costs, and which sources cost most of it.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Bench, Figure, Setting, median, words_of};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "tables",
    question: "what reading every table once costs on an idle machine, and each source's part",
    looks: true,
    measure,
};

/// Looks; the median of each source counts.
const TIMES: usize = 5;
/// Sources that are shown by name.
const SHOWN: usize = 12;

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let mut by_source: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..TIMES {
        for (source, ms) in look(setting)? {
            by_source.entry(source).or_default().push(ms);
        }
    }
    let mut costs: Vec<(String, f64)> =
        by_source.into_iter().map(|(source, ms)| (source, median(&ms))).collect();
    costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total = costs.iter().map(|(_, ms)| ms).sum();
    let mut figures = vec![Figure::at_most("all tables once, CPU", total, 10.0, "ms", 2)];
    let shown = costs.iter().take(SHOWN);
    figures
        .extend(shown.map(|(source, ms)| Figure::shown(format!("of that {source}"), format!("{ms:.2} ms"))));
    Ok(figures)
}

/// CPU milliseconds of one reading of each source.
fn look(setting: &Setting) -> Result<Vec<(String, f64)>> {
    let query = "select source_name, 1000.0 * cpu_s / reads from source_cost where reads > 0";
    let mut command = Command::new(&setting.heldup);
    let words = words_of(command.args(["sql", "--for", "1s", "--format", "csv", query]))?;
    let cost = |line: &str| {
        let (source, ms) = line.trim().split_once(',')?;
        Some((source.to_owned(), ms.parse().ok()?))
    };
    let costs: Vec<_> = words.lines().filter_map(cost).collect();
    ensure!(!costs.is_empty(), "no costs in {words}");
    costs.iter().any(|(source, _)| source == "proc_pid").then_some(()).context("no cost of processes")?;
    Ok(costs)
}
