//! Only hostfs touches the host: `/proc`, `/sys`, the clock and processes.
//!
//! Behind one door a recorded tree of another machine can stand in for the live one,
//! and a test can hold the clock. Looks at words, not at types: what it cannot see
//! (a system call through libc under another name) review has to.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "door",
    policy: "only hostfs opens files of the host, asks the clock, starts processes",
    look,
};

/// The clock and processes: for hostfs alone.
const CLOCK_AND_PROCESSES: [&str; 8] = [
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "libc::clock_gettime",
    "Command::new",
    "process::Command",
    "libc::fork",
];

/// Files: for hostfs, and for the crates that keep files of our own.
const FILES: [&str; 9] = [
    "File::open",
    "File::create",
    "OpenOptions",
    "fs::read",
    "fs::write",
    "fs::metadata",
    "fs::canonicalize",
    "read_dir(",
    "libc::open",
];

/// Crates that are not part of the product.
const OUTSIDE: [&str; 1] = ["testkit"];
/// Crates that keep files: the archive its Parquet files, diagnose and engine a user's rules, cli
/// what `generate` writes, serve where its page is. None of them is below `/proc` or `/sys`.
const KEEP_FILES: [&str; 5] = ["archive", "cli", "diagnose", "engine", "serve"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.below("crates/", ".rs") {
        let mut parts = file.split('/').skip(1);
        let (Some(name), Some("src")) = (parts.next(), parts.next()) else { continue };
        if name == "hostfs" || OUTSIDE.contains(&name) {
            continue;
        }
        let text = tree.read(file)?;
        let keeps = KEEP_FILES.contains(&name);
        complaints.extend(trespasses(&text, keeps).into_iter().map(|(line, what)| {
            format!("{file}:{line}: {what} is behind the door of hostfs; add a narrow function there")
        }));
    }
    Ok(Outcome::Looked(complaints))
}

/// Lines that go past the door, tests and comments aside.
fn trespasses(text: &str, keeps_files: bool) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        // Of a module, or of a whole file.
        if line.trim_start().starts_with("#[cfg(test)]") || line.starts_with("#![cfg(test)]") {
            break;
        }
        let code = line.split("//").next().unwrap_or(line);
        let files = FILES.iter().filter(|_| !keeps_files);
        let words = CLOCK_AND_PROCESSES.iter().chain(files);
        found.extend(words.filter(|word| code.contains(**word)).take(1).map(|word| (at + 1, *word)));
        if keeps_files && (code.contains("\"/proc/") || code.contains("\"/sys/")) && code.contains("fs::") {
            found.push((at + 1, "a file of the kernel"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_files_and_processes_are_behind_the_door() {
        let text =
            "let t = Instant::now();\n// Instant::now\nlet f = fs::read(p);\n#[cfg(test)]\nInstant::now();\n";
        assert_eq!(trespasses(text, false), [(1, "Instant::now"), (3, "fs::read")]);
        assert_eq!(trespasses(text, true), [(1, "Instant::now")]);
        assert_eq!(trespasses("fs::read(\"/proc/stat\")", true), [(1, "a file of the kernel")]);
    }
}
