//! `cargo xtask bench`: what looking costs, written to `docs/measured/bench-<date>.md`.

use anyhow::{Result, bail};
use clap::Args;

use crate::bench::{ALL, Bench, Figure, Setting};
use crate::machine;
use crate::program::heldup;
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// Only this bench; may be given several times
    #[arg(long, value_name = "BENCH")]
    only: Vec<String>,
    /// Pairs of each comparison
    #[arg(long, default_value_t = 15, value_name = "N")]
    pairs: usize,
    /// List the benches
    #[arg(long)]
    list: bool,
}

/// Measures and writes; an error when a bar is not met.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    if arguments.list {
        for bench in ALL {
            println!("{:12} {}", bench.name, bench.question);
        }
        return Ok(());
    }
    let wanted: Vec<&Bench> = ALL
        .iter()
        .filter(|bench| arguments.only.is_empty() || arguments.only.iter().any(|only| only == bench.name))
        .collect();
    if wanted.is_empty() {
        bail!("no such bench; `cargo xtask bench --list` names them");
    }
    let setting = Setting { tree, heldup: heldup(tree, "release")?, pairs: arguments.pairs };
    let mut report = format!(
        "# What looking costs\n\n{}- {} interleaved pairs a comparison; bounds are 95 % of a bootstrap of the median\n\n\
         `cargo xtask bench`\n",
        machine::description(tree)?,
        arguments.pairs
    );
    let mut missed = Vec::new();
    let looks = wanted.iter().any(|bench| bench.looks);
    let no_probe = if looks { setting.probe_not_loaded()? } else { None };
    missed.extend(no_probe.clone());
    for bench in wanted {
        println!("{}: {}", bench.name, bench.question);
        report += &format!("\n## {}\n\n| what | bar | measured | met |\n|---|---|---|---|\n", bench.question);
        // One bench that cannot run must not cost the figures of the others.
        let figures = (bench.measure)(&setting).unwrap_or_else(|error| {
            vec![Figure { met: Some(false), ..Figure::shown(bench.name, format!("{error:#}")) }]
        });
        for figure in figures {
            let figure = match &no_probe {
                Some(why) if bench.looks => figure.without_probe(why),
                _ => figure,
            };
            let met = figure.met.map_or("", |met| if met { "yes" } else { "**no**" });
            println!("  {}: {} {} {met}", figure.what, figure.value, figure.bar);
            report += &format!(
                "| {} | {} | {} | {met} |\n",
                figure.what,
                figure.bar,
                figure.value.replace('\n', " ")
            );
            if figure.met == Some(false) {
                missed.push(figure.what);
            }
        }
    }
    let file = format!("docs/measured/bench-{}.md", machine::today());
    // A part of the benches does not take the place of a record of all.
    if arguments.only.is_empty() {
        tree.write(&file, &report)?;
        println!("wrote {file}");
    }
    if !missed.is_empty() {
        bail!("not met, or not known: {}", missed.join("; "));
    }
    Ok(())
}
