//! What watching an idle machine costs once it has started, eBPF run time included.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Bench, Figure, Setting, words_of};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "watch",
    question: "what each further window of `heldup watch` costs on an idle machine",
    looks: true,
    measure,
};

/// Seconds watched, in windows of ten: what the longer one costs more is that of its windows.
const SHORT: u32 = 20;
const LONG: u32 = 80;

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let (short, long) = (cost_of(setting, SHORT)?, cost_of(setting, LONG)?);
    let share = |key: &str| -> Option<f64> {
        Some(100.0 * (long[key].as_f64()? - short[key].as_f64()?) / f64::from(LONG - SHORT))
    };
    let program = share("cpu_seconds").context("a summary without its cost")?;
    let bpf = share("bpf_seconds");
    let in_bpf = bpf.map_or("unknown".to_owned(), |share| format!("{share:.2} %"));
    let memory = long["peak_rss_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
    let total = program + bpf.unwrap_or(0.0);
    Ok(vec![
        Figure::at_most("CPU of the program and its eBPF programs, of one CPU", total, 1.0, "%", 2),
        Figure::shown("of that, eBPF programs", in_bpf),
        Figure::shown(format!("peak memory after {LONG} s"), format!("{memory:.0} MB")),
    ])
}

/// What the summary of a watch says that looking cost.
fn cost_of(setting: &Setting, seconds: u32) -> Result<Value> {
    let mut command = std::process::Command::new(&setting.heldup);
    let length = format!("{seconds}s");
    command.args(["watch", "--interval", "10s", "--for", &length, "--json", "--measure-overhead"]);
    let words = words_of(&mut command)?;
    let line = words.lines().find(|line| line.contains("\"event\":\"summary\""));
    let summary: Value = serde_json::from_str(line.context("watch ended without a summary")?)?;
    Ok(summary["summary"]["overhead"].clone())
}
