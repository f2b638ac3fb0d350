//! What looking costs, measured: one file per question.
//!
//! Cost is told from noise by interleaved pairs: the same load with and without `heldup`,
//! in alternating order, and the median of the ratios with its bounds. A machine that
//! drifts drifts in both halves of a pair.

mod answer_time;
mod archive;
mod build;
mod crowd;
mod idle;
mod overhead;
mod page;
mod pairs;
mod pty;
mod record;
mod resources;
mod rules;
mod sampling;
mod show;
mod switches;
mod tables;
mod top;
mod watch;
mod workloads;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tree::Tree;

/// How examinations call the method that bars are about.
const EBPF: &str = "ebpf";

/// A question and how it is answered.
pub struct Bench {
    /// Name, for `--only`.
    pub name: &'static str,
    /// What is measured, in one line.
    pub question: &'static str,
    /// Whether the cost is that of looking, which is another where the probe does not load.
    pub looks: bool,
    /// Measures it.
    pub measure: fn(&Setting) -> Result<Vec<Figure>>,
}

/// Every bench. Builds come last, because they heat the machine.
pub const ALL: &[Bench] = &[
    idle::BENCH,
    watch::BENCH,
    overhead::BENCH,
    record::BENCH,
    archive::BENCH,
    show::BENCH,
    top::BENCH,
    page::BENCH,
    sampling::BENCH,
    tables::BENCH,
    switches::BENCH,
    workloads::BENCH,
    answer_time::BENCH,
    rules::BENCH,
    build::BENCH,
];

/// What every bench is given.
pub struct Setting<'a> {
    /// The tree, for what is built.
    pub tree: &'a Tree,
    /// The program that looks, built for release.
    pub heldup: PathBuf,
    /// Pairs of a comparison.
    pub pairs: usize,
}

/// One measured figure.
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// The bar that it is held against; empty for a figure that stands for itself.
    pub bar: String,
    /// The value with its unit.
    pub value: String,
    /// Whether the bar is met; none where it could not be measured or has no bar.
    pub met: Option<bool>,
}

impl Figure {
    /// A figure held against a limit.
    pub fn at_most(what: impl Into<String>, value: f64, limit: f64, unit: &str, decimals: usize) -> Figure {
        Figure {
            what: what.into(),
            bar: format!("≤ {limit} {unit}"),
            value: format!("{value:.decimals$} {unit}"),
            met: Some(value <= limit),
        }
    }

    /// The figure of a look without the probe: it says so, and meets no bar.
    pub fn without_probe(self, why: &str) -> Figure {
        match self.met {
            Some(_) => Figure { value: format!("{} ({why})", self.value), met: None, ..self },
            None => self,
        }
    }

    /// A figure without a bar.
    pub fn shown(what: impl Into<String>, value: impl Into<String>) -> Figure {
        Figure { what: what.into(), bar: String::new(), value: value.into(), met: None }
    }
}

impl Setting<'_> {
    /// Why looking here is not looking by eBPF; none where it is.
    pub fn probe_not_loaded(&self) -> Result<Option<String>> {
        let examination = examination(&words_of(&mut self.examine("1s"))?)?;
        let method = examination["host"]["method"].as_str().context("the examination says no method")?;
        let why = format!("the probe did not load, the method was {method}: see `heldup doctor`");
        Ok((method != EBPF).then_some(why))
    }

    /// `heldup examine` with its answer as JSON, kept nowhere.
    fn examine(&self, window: &str) -> Command {
        let mut command = Command::new(&self.heldup);
        command.args(["examine", "--format", "json", "--no-save", "--for", window]);
        command
    }

    /// The command with `heldup` looking on from its start to its end.
    fn looked_at(&self, command: &Command) -> Command {
        let mut looked_at = Command::new(&self.heldup);
        looked_at
            .args(["--format", "json", "--no-save", "--"])
            .arg(command.get_program())
            .args(command.get_args());
        looked_at
    }
}

/// What a command wrote on both outputs; an error when it fails.
fn words_of(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("run {name}"))?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{name}: {}\n{text}", output.status);
    }
    Ok(text)
}

/// The examination in what `heldup` wrote, also behind what an examined command printed.
fn examination(text: &str) -> Result<Value> {
    let start = text.find("{\n  \"schema\"").context("no examination in the answer")?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    values.next().context("no examination in the answer")?.context("the examination is no JSON")
}

/// The value that one in twenty is beyond.
fn p95(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() * 95).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// The middle value.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}
