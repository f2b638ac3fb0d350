//! How soon figures of a day are there: of two thousand made-up processes, by the bench `busy_day` of the archive crate.
//!
//! The archive takes minutes to make, and is kept in `target/show`. An answer is the whole command, from its start to the
//! picture on the disk.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Bench, Figure, Setting, median, p95, words_of};
use crate::program::{cargo, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "show",
    question: "how soon figures of a day of 2,000 processes are drawn",
    looks: false,
    measure,
};

/// Times that each is measured.
const TIMES: usize = 20;
/// Seconds of one figure, and of all.
const ONE_S: f64 = 0.7;
const ALL_S: f64 = 3.0;
/// Single figures: of classes, of the machine, of a device each, of histograms, of all processes, of all tasks.
const FIGURES: [&str; 6] =
    ["time.classes", "cpu.states", "disk.latency", "disk.latencies", "process.cpu", "time.waiting-programs"];
/// Figures that the same is asked of by SQL.
const BY_SQL: [&str; 2] = ["time.classes", "process.cpu"];

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| setting.tree.root().join("target"), PathBuf::from);
    let place = target.join("show");
    let day = place.join("day");
    let folder = day.to_str().context("a path of text")?;
    output(&mut cargo(
        setting.tree,
        &["bench", "--quiet", "--package", "heldup-archive", "--bench", "busy_day", "--", folder],
    ))?;
    let mut figures = Vec::new();
    let mut drawn = Vec::new();
    for id in FIGURES {
        let taken = times(|| plot(setting, folder, &[id], &place.join("one")))?;
        drawn.push((id, median(&taken)));
        figures.extend(of(&format!("plot {id}"), &taken, ONE_S));
    }
    let taken = times(|| plot(setting, folder, &[], &place.join("all")))?;
    figures.extend(of("plot, all figures as SVG and a page", &taken, ALL_S));
    let pictures = std::fs::read_dir(place.join("all")).map_or(0, Iterator::count);
    figures.push(Figure::shown("pictures of all figures", pictures.to_string()));
    for id in BY_SQL {
        let seconds = by_sql(setting, folder, id)?;
        let plotted = drawn.iter().find(|(drawn, _)| *drawn == id).map_or(f64::NAN, |(_, seconds)| *seconds);
        let said = format!("{seconds:.2} s, {:.1} times as long as plot", seconds / plotted);
        figures.push(Figure::shown(format!("heldup sql, the query of {id}"), said));
    }
    Ok(figures)
}

fn of(what: &str, taken: &[f64], bar: f64) -> [Figure; 2] {
    [
        Figure::at_most(format!("{what}, median of {}", taken.len()), median(taken), bar, "s", 2),
        Figure::shown(format!("{what}, p95"), format!("{:.2} s", p95(taken))),
    ]
}

fn times(mut run: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    // The first reads the files from the disk.
    run()?;
    let mut taken = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        run()?;
        taken.push(begun.elapsed().as_secs_f64());
    }
    Ok(taken)
}

fn plot(setting: &Setting, folder: &str, figures: &[&str], to: &Path) -> Result<()> {
    let mut command = Command::new(&setting.heldup);
    command.args(["plot", folder]).args(figures).arg("-o").arg(to);
    words_of(&mut command).map(drop)
}

/// The query that the figure shows, asked once.
fn by_sql(setting: &Setting, folder: &str, id: &str) -> Result<f64> {
    let mut asked = Command::new(&setting.heldup);
    asked.args(["plot", folder, id, "--format", "json"]);
    let plotted: Value = serde_json::from_slice(&asked.output().context("heldup plot")?.stdout)?;
    let sql = plotted["figures"][0]["sql"].as_str().context("a figure with its query")?.to_owned();
    let begun = Instant::now();
    words_of(Command::new(&setting.heldup).args(["sql", folder, &sql, "--format", "csv"]))?;
    Ok(begun.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_twenty_is_beyond() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(p95(&values), 19.0);
        assert_eq!(p95(&[7.0]), 7.0);
        assert!(p95(&[]).is_nan());
    }
}
