//! Nothing names the machine that it was written on.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "machine-paths",
    policy: "no path or host of a developer's machine, no other source of crates than crates.io",
    look,
};

/// Paths that exist on one machine only.
const PATHS: [&str; 6] = ["/work/", "/root/", "/home/", "/Users/", "/tmp/t-", "/.cargo/registry"];
/// Files about home folders as such: what a capture for others must not hold, and the test of that.
const OF_HOMES: [&str; 2] = ["crates/archive/src/redact/", "tests/it/capture.rs"];
/// The registry that everybody has.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.files() {
        // What was recorded is as it was; and this file has to name what it forbids.
        if file.contains("/fixtures/")
            || file.contains("/recorded/")
            || file == "xtask/src/checks/machine_paths.rs"
        {
            continue;
        }
        // Binaries (BPF objects, Parquet) are not text; their sources are checked.
        let Ok(text) = tree.read(file) else { continue };
        for (at, line) in text.lines().enumerate() {
            let of_homes = OF_HOMES.iter().any(|place| file.starts_with(place));
            if let Some(path) = named(line).filter(|path| !(of_homes && matches!(*path, "/home/" | "/root/")))
            {
                complaints.push(format!("{file}:{}: {path} is a path of one machine", at + 1));
            }
            if file == "Cargo.lock" && line.starts_with("source = ") && !line.contains(REGISTRY) {
                complaints.push(format!("{file}:{}: {line}; expected crates.io", at + 1));
            }
            if file.starts_with(".cargo/") && (line.starts_with("[source") || line.contains("registry")) {
                complaints.push(format!("{file}:{}: the registry is each machine's own choice", at + 1));
            }
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// The path in a line, unless it is part of a longer one (`sysroot/root/`).
fn named(line: &str) -> Option<&'static str> {
    PATHS.into_iter().find(|path| {
        line.match_indices(path).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            path.starts_with("/.")
                || !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '}' | '.' | '_' | '-' | '*'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn paths_of_one_machine_are_found() {
        assert_eq!(named("see /work/main"), Some("/work/"));
        assert_eq!(named("\"/root/.cargo\""), Some("/root/"));
        assert_eq!(named("tests/work/main"), None);
        assert_eq!(named("/proc/self/root"), None);
    }
}
