//! Nobody is skipped in silence.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "skipped-aloud",
    policy: "a test that cannot run here says so by heldup_skip or its needs, so that it is heard and counted",
    look,
};

/// Macros whose output the harness of Rust keeps to itself when a test passes.
const CAPTURED: [&str; 4] = ["println!(\"", "eprintln!(\"", "print!(\"", "eprint!(\""];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.files().filter(|file| file.ends_with(".rs") && !file.starts_with("xtask/")) {
        for (at, line) in tree.read(file)?.lines().enumerate().filter(|(_, line)| is_in_silence(line)) {
            let line = line.trim();
            complaints.push(format!("{file}:{}: {line}; expected heldup_skip::skipped", at + 1));
        }
    }
    Ok(Outcome::Looked(complaints))
}

fn is_in_silence(line: &str) -> bool {
    let said = CAPTURED.iter().find_map(|begin| line.split_once(begin)).map(|(_, said)| said);
    said.is_some_and(|said| said.to_ascii_lowercase().starts_with("skipped"))
}

#[cfg(test)]
mod tests {
    use super::is_in_silence;

    #[test]
    fn what_the_harness_would_keep_is_found() {
        assert!(is_in_silence("        println!(\"SKIPPED: needs root\");"));
        assert!(is_in_silence("Err(error) => return eprintln!(\"skipped: {error}\"),"));
        assert!(!is_in_silence("return heldup_skip::skipped(\"needs root\");"));
        assert!(!is_in_silence("println!(\"one was skipped\");"));
    }
}
