//! What looking costs loads that people know: hackbench, fio, sysbench, a compile.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::pairs::compare;
use super::{Bench, Figure, Setting, words_of};
use crate::program::is_here;
use crate::tree::Tree;

/// The bench.
pub const BENCH: Bench =
    Bench { name: "workloads", question: "what looking costs loads that people know", looks: true, measure };

/// A load that clocks itself.
struct Load {
    name: &'static str,
    program: &'static str,
    command: fn(&Tree, &Path) -> Command,
    /// Cost (time, or time per piece of work) in what it wrote.
    cost: fn(&str) -> Option<f64>,
}

const LOADS: [Load; 4] = [
    Load {
        name: "hackbench",
        program: "hackbench",
        command: hackbench,
        cost: |words| number_after(words, "Time:"),
    },
    Load { name: "fio random reads", program: "fio", command: fio, cost: fio_cost },
    Load {
        name: "sysbench cpu",
        program: "sysbench",
        command: sysbench,
        cost: |words| number_after(words, "events per second:").map(f64::recip),
    },
    Load { name: "a compile", program: "cc", command: compile, cost: |words| number_after(words, "took") },
];

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let scratch = std::env::temp_dir().join(format!("heldup-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let figures = LOADS.iter().map(|load| of_load(setting, load, &scratch)).collect();
    std::fs::remove_dir_all(&scratch)?;
    figures
}

fn of_load(setting: &Setting, load: &Load, scratch: &Path) -> Result<Figure> {
    if !is_here(load.program) {
        return Ok(Figure::shown(load.name, "not installed here"));
    }
    let command = || (load.command)(setting.tree, scratch);
    let cost = |mut command: Command| {
        let words = words_of(&mut command)?;
        (load.cost)(&words).with_context(|| format!("{}: no figure in: {words}", load.name))
    };
    let ratio = compare(setting.pairs, || cost(command()), || cost(setting.looked_at(&command())))?;
    if !ratio.high.is_finite() {
        bail!("{}: no ratio", load.name);
    }
    Ok(Figure {
        what: format!("{}: time with looking over time without, upper bound", load.name),
        bar: "≤ 1.03".to_owned(),
        value: format!("{:.3} (median {:.3}, from {:.3})", ratio.high, ratio.median, ratio.low),
        met: Some(ratio.high <= 1.03),
    })
}

fn hackbench(_: &Tree, _: &Path) -> Command {
    let mut command = Command::new("hackbench");
    command.args(["-g", "4", "-l", "1500"]);
    command
}

fn sysbench(_: &Tree, _: &Path) -> Command {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new("sysbench");
    command.arg("cpu").arg(format!("--threads={threads}")).args(["--time=3", "run"]);
    command
}

fn fio(_: &Tree, scratch: &Path) -> Command {
    let mut command = Command::new("fio");
    command.arg(format!("--filename={}", scratch.join("fio").display())).args([
        "--name=reads",
        "--size=128m",
        "--rw=randread",
        "--bs=4k",
        "--ioengine=psync",
        "--direct=1",
        "--time_based",
        "--runtime=3",
        "--output-format=json",
    ]);
    command
}

/// Seconds a request. The JSON of fio may stand before or behind that of heldup.
fn fio_cost(words: &str) -> Option<f64> {
    let starts = words.match_indices("{\n").map(|(at, _)| at);
    let rate = starts.filter_map(|at| {
        let value = serde_json::Deserializer::from_str(&words[at..]).into_iter::<Value>().next()?.ok()?;
        value["jobs"][0]["read"]["iops"].as_f64()
    });
    rate.filter(|rate| *rate > 0.0).map(f64::recip).next()
}

/// Compiles the C programs of the testkit several times, a job a CPU.
fn compile(tree: &Tree, scratch: &Path) -> Command {
    let sources = tree.at("crates/testkit/programs");
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let script = format!(
        "TIMEFORMAT='took %R'; time for n in 1 2 3; do ls '{}'/*.c | xargs -P {jobs} -I@ cc -std=gnu11 -O2 -c @ -o \
         '{}'/$n.o; done",
        sources.display(),
        scratch.display()
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script]);
    command
}

/// The number behind a label.
fn number_after(words: &str, label: &str) -> Option<f64> {
    words.lines().find_map(|line| line.trim().strip_prefix(label)?.split_whitespace().next()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_the_loads_write() {
        assert_eq!(number_after("x\nTime: 0.345\n", "Time:"), Some(0.345));
        assert_eq!(number_after("    events per second:  1204.50\n", "events per second:"), Some(1204.5));
        let both = "{\n \"schema\": \"x\"}\n{\n \"jobs\": [{\"read\": {\"iops\": 250.0}}]}\n";
        assert_eq!(fio_cost(both), Some(0.004));
    }
}
