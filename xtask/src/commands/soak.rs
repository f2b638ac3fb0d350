//! `cargo xtask soak`: the tests on the real machine, many times in a row.
//!
//! A trouble that is found nine times of ten is not found. Writes what came out, test by
//! test, to `docs/measured/soak-<date>.md`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::machine;
use crate::program::{cargo, command, heldup, output};
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// How many times in a row
    #[arg(long, default_value_t = 10, value_name = "N")]
    times: usize,
    /// Only tests whose names contain this; may be given several times
    #[arg(long, value_name = "FILTER", default_values_t = ["trouble".to_owned(), "quiet".to_owned(), "known_waits".to_owned()])]
    only: Vec<String>,
}

/// What became of a test over all rounds.
#[derive(Default)]
struct Record {
    right: usize,
    wrong: usize,
    skipped: Option<String>,
    seconds: f64,
    words: Vec<String>,
}

/// Runs the rounds and writes the record; an error when a test was wrong once.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    let program = heldup(tree, "release")?;
    let tests = test_binary(tree)?;
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let started = Instant::now();
    for round in 1..=arguments.times {
        println!("round {round} of {}, {:.0} s so far", arguments.times, started.elapsed().as_secs_f64());
        for filter in &arguments.only {
            let mut tests = command(tree, &tests, &[filter]);
            tests.env("HELDUP_BIN", &program);
            one_run(&mut tests, round, &mut records)?;
        }
        let wrong: usize = records.values().map(|record| record.wrong).sum();
        println!("  {wrong} wrong so far");
    }
    if records.is_empty() {
        bail!("no test matches {}", arguments.only.join(", "));
    }
    let report = report(&machine::description(tree)?, arguments, &records);
    let file = format!("docs/measured/soak-{}.md", machine::today());
    tree.write(&file, &report)?;
    println!("wrote {file}");
    let wrong: Vec<&str> =
        records.iter().filter(|(_, r)| r.wrong > 0).map(|(name, _)| name.as_str()).collect();
    if !wrong.is_empty() {
        bail!("not right every time: {}", wrong.join(", "));
    }
    Ok(())
}

/// The built test binary `it`.
fn test_binary(tree: &Tree) -> Result<String> {
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "heldup-testkit",
        "--test",
        "it",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ];
    let messages = output(cargo(tree, &arguments).stderr(Stdio::inherit()))?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "it")
        .find_map(|message| message["executable"].as_str().map(str::to_owned))
        .context("cargo named no test binary `it`")
}

/// Runs the tests once and adds what their lines say, with the time from line to line.
fn one_run(
    tests: &mut std::process::Command,
    round: usize,
    records: &mut BTreeMap<String, Record>,
) -> Result<()> {
    let mut child = tests.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("run the tests")?;
    let lines = BufReader::new(child.stdout.take().context("no output of the tests")?).lines();
    let mut last = Instant::now();
    let mut failing: Option<String> = None;
    for line in lines {
        let line = line?;
        if let Some((name, kind, word)) = outcome(&line) {
            let record = records.entry(name.to_owned()).or_default();
            match word {
                "ok" => record.right += 1,
                "ignored" => record.skipped = Some(kind.unwrap_or("listed as ignored").to_owned()),
                _ => record.wrong += 1,
            }
            record.seconds += last.elapsed().as_secs_f64();
            last = Instant::now();
            if word != "ignored" {
                println!("  {word:6} {name}");
            }
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.split_whitespace().next())
        {
            failing = Some(name.to_owned());
        } else if let Some(record) = failing.as_ref().and_then(|name| records.get_mut(name)) {
            if !line.trim().is_empty() && line != "failures:" && !line.starts_with("test result") {
                record.words.push(format!("round {round}: {}", line.trim()));
            } else if line == "failures:" {
                failing = None;
            }
        }
    }
    child.wait()?;
    Ok(())
}

/// Name, kind and outcome of a line `test [kind] name ... outcome`.
fn outcome(line: &str) -> Option<(&str, Option<&str>, &str)> {
    let rest = line.strip_prefix("test ")?;
    let (name, word) = rest.rsplit_once(" ... ")?;
    let word = word.trim();
    match name.strip_prefix('[').and_then(|named| named.split_once("] ")) {
        Some((kind, name)) => Some((name.trim(), Some(kind), word)),
        None => Some((name.trim(), None, word)),
    }
}

fn report(machine: &str, arguments: &Arguments, records: &BTreeMap<String, Record>) -> String {
    let mut text = format!(
        "# Soak: {} rounds\n\n{machine}\n`cargo xtask soak --times {}`\n\n\
         | test | right | wrong | mean time |\n|---|---:|---:|---:|\n",
        arguments.times, arguments.times
    );
    for (name, record) in records.iter().filter(|(_, record)| record.skipped.is_none()) {
        let runs = (record.right + record.wrong).max(1);
        let mean = record.seconds / runs as f64;
        text += &format!("| {name} | {} | {} | {mean:.1} s |\n", record.right, record.wrong);
    }
    let skipped: Vec<String> = records
        .iter()
        .filter_map(|(name, record)| Some(format!("- {name}: {}\n", record.skipped.as_ref()?)))
        .collect();
    if !skipped.is_empty() {
        text += &format!("\nNot run here:\n\n{}", skipped.concat());
    }
    let words: Vec<String> = records
        .iter()
        .flat_map(|(name, record)| record.words.iter().map(move |word| format!("- {name}, {word}\n")))
        .collect();
    if !words.is_empty() {
        text += &format!("\nWhat was wrong:\n\n{}", words.concat());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_test_binary_are_read() {
        assert_eq!(
            outcome("test trouble::disk_saturated  ... ok"),
            Some(("trouble::disk_saturated", None, "ok"))
        );
        let skipped = "test [SKIPPED: needs root] trouble::fs_full ... ignored";
        assert_eq!(outcome(skipped), Some(("trouble::fs_full", Some("SKIPPED: needs root"), "ignored")));
        assert_eq!(outcome("test result: ok. 3 passed"), None);
    }

    #[test]
    fn the_report_shows_what_was_wrong() {
        let arguments = Arguments { times: 2, only: Vec::new() };
        let record =
            Record { right: 1, wrong: 1, seconds: 5.0, words: vec!["round 2: x".to_owned()], skipped: None };
        let text = report("- a machine\n", &arguments, &BTreeMap::from([("trouble::a".to_owned(), record)]));
        assert!(text.contains("| trouble::a | 1 | 1 | 2.5 s |"), "{text}");
        assert!(text.contains("- trouble::a, round 2: x"), "{text}");
    }
}
