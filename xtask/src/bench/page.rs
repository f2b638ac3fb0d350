//! How soon the page shows what one asks for: of the day of two thousand made-up processes, in Chromium, by
//! `web/tests/bench.mjs`. The day is that of the bench `show`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{Bench, Figure, Setting, median};
use crate::page_tools::{missing, node};
use crate::program::{cargo, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "page",
    question: "how soon the page shows a day of 2,000 processes, and what being open costs",
    looks: false,
    measure,
};

/// Times that each is measured.
const TIMES: usize = 20;

/// What the browser measured.
#[derive(Deserialize)]
struct Measured {
    what: String,
    bar: Option<f64>,
    unit: String,
    values: Vec<f64>,
    error: Option<String>,
}

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    if let Some(why) = missing(setting.tree)? {
        bail!("{why}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| setting.tree.root().join("target"), PathBuf::from);
    let day = target.join("show/day");
    let folder = day.to_str().context("a path of text")?;
    output(&mut cargo(
        setting.tree,
        &["bench", "--quiet", "--package", "heldup-archive", "--bench", "busy_day", "--", folder],
    ))?;
    let text = output(
        node(setting.tree, &["tests/bench.mjs", folder, &TIMES.to_string()])
            .env("HELDUP_BIN", &setting.heldup)
            .stderr(std::process::Stdio::inherit()),
    )?;
    let measured: Vec<Measured> = serde_json::from_str(&text).context("what the browser measured")?;
    Ok(measured.into_iter().flat_map(figures).collect())
}

fn figures(measured: Measured) -> Vec<Figure> {
    let Measured { what, bar, unit, values, error } = measured;
    if let Some(error) = error {
        return vec![Figure { met: Some(false), ..Figure::shown(what, error) }];
    }
    let decimals = if unit == "s" { 2 } else { 1 };
    let name = match values.len() {
        0 | 1 => what.clone(),
        times => format!("{what}, median of {times}"),
    };
    let middle = median(&values);
    let first = match bar {
        Some(bar) => Figure::at_most(name, middle, bar, &unit, decimals),
        None => Figure::shown(name, format!("{middle:.decimals$} {unit}")),
    };
    let tail = (values.len() > 1)
        .then(|| Figure::shown(format!("{what}, p95"), format!("{:.decimals$} {unit}", super::p95(&values))));
    std::iter::once(first).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: &[f64], bar: Option<f64>) -> Measured {
        let values = values.to_vec();
        Measured { what: "x".to_owned(), bar, unit: "ms".to_owned(), values, error: None }
    }

    #[test]
    fn the_middle_is_held_against_the_bar() {
        let figures = figures(measured(&[1.0, 2.0, 30.0], Some(2.0)));
        assert_eq!((figures.len(), figures[0].met, figures[1].met), (2, Some(true), None));
    }

    #[test]
    fn what_could_not_be_measured_is_not_met() {
        let failed = Measured { error: Some("no chart".to_owned()), ..measured(&[], Some(2.0)) };
        assert_eq!(figures(failed)[0].met, Some(false));
    }
}
