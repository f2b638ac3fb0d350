//! The engine prints nothing, parses no arguments and ends no process: a page and a terminal stand on it too.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "silent-engine",
    policy: "crates/engine prints nothing, parses no arguments and ends no process",
    look,
};

/// What it must not have.
const LOUD: [&str; 8] =
    ["println!", "eprintln!", "print!", "eprint!", "io::stdout", "io::stderr", "clap", "process::exit"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.below("crates/engine/src/", ".rs") {
        let text = tree.read(file)?;
        let found = loud(&text).into_iter();
        complaints.extend(found.map(|(line, what)| {
            format!("{file}:{line}: {what} is for front ends; give it to Progress or put it into the answer")
        }));
    }
    Ok(Outcome::Looked(complaints))
}

/// Lines that are loud, tests and comments aside.
fn loud(text: &str) -> Vec<(usize, &'static str)> {
    let code =
        text.lines().enumerate().take_while(|(_, line)| !line.trim_start().starts_with("#[cfg(test)]"));
    let of_line = |(at, line): (usize, &str)| {
        let code = line.split("//").next().unwrap_or(line);
        LOUD.iter().find(|word| code.contains(**word)).map(|word| (at + 1, *word))
    };
    code.filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_is_found_and_what_tests_print_is_not() {
        let text =
            "fn a() { println!(); } // eprintln!\n// clap\nuse clap::Parser;\n#[cfg(test)]\nprintln!();\n";
        assert_eq!(loud(text), [(1, "println!"), (3, "clap")]);
    }
}
