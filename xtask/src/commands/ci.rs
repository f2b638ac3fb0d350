//! `cargo xtask ci`: every check, one line each, and what is wrong below it.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::checks::{self, Outcome};
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// Only this check; may be given several times
    #[arg(long, value_name = "CHECK")]
    only: Vec<String>,
    /// List the checks and their policies
    #[arg(long)]
    list: bool,
}

/// Runs the checks; an error when one has something to say.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    if arguments.list {
        for check in checks::ALL {
            println!("{:20} {}", check.name, check.policy);
        }
        return Ok(());
    }
    if let Some(unknown) =
        arguments.only.iter().find(|name| checks::ALL.iter().all(|check| check.name != **name))
    {
        bail!("there is no check {unknown}; `cargo xtask ci --list` names them");
    }
    let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let mut failing = Vec::new();
    for check in checks::ALL.iter().filter(|check| wanted(check.name)) {
        let started = Instant::now();
        // A check that cannot run says so, and the others still run.
        let outcome = (check.look)(tree).unwrap_or_else(|error| Outcome::Looked(vec![format!("{error:#}")]));
        let took = started.elapsed().as_secs_f64();
        match outcome {
            Outcome::Skipped(why) => println!("skipped  {:20} {why}", check.name),
            Outcome::Looked(complaints) if complaints.is_empty() => {
                println!("fine     {:20} {took:.1} s", check.name)
            }
            Outcome::Looked(complaints) => {
                println!("WRONG    {:20} {}", check.name, check.policy);
                for complaint in complaints {
                    println!("           {complaint}");
                }
                failing.push(check.name);
            }
        }
    }
    if !failing.is_empty() {
        bail!("{} of the checks found something: {}", failing.len(), failing.join(", "));
    }
    Ok(())
}
