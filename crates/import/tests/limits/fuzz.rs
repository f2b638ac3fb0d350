//! Recordings of every kind, damaged in every way: each is read to its end, soon, in bounded memory, without
//! a panic, and into the same tables when it is read again.
//!
//! `cargo xtask soak --fuzz` goes on for minutes. What is found is made again by its seed:
//! `HELDUP_FUZZ_SEED=N HELDUP_FUZZ_ONLY=GROUP cargo test -p heldup-import --test limits fuzz`.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use heldup_hostfs::{monotonic_ns, thread_cpu_ns};
use heldup_import::{Hints, Import, read};

use crate::allocator::taken_by;
use crate::damage::{Chance, damaged};

/// Inputs of each group where nobody says for how long.
const FEW: u64 = 5;
/// Larger files are damaged no differently, and take longer.
const MOST_FILE_BYTES: u64 = 128 << 10;
/// Memory that reading takes whatever is read, and for each byte: a row of a wide table for a short line.
const FIXED_BYTES: i64 = 48 << 20;
const BYTES_OF_ONE: i64 = 512;
/// CPU time that reading takes whatever is read, and for each byte, in nanoseconds; much more than it takes.
const FIXED_NS: u64 = 500_000_000;
const NS_OF_BYTE: u64 = if cfg!(debug_assertions) { 20_000 } else { 2_000 };
/// CPUs are shared: what took too long once is tried again.
const TRIES: usize = 3;
/// When all damaged recordings were last written.
const WRITTEN_MS: i64 = 1_795_325_999_000;

type Groups = BTreeMap<String, Vec<Vec<u8>>>;

/// The recordings of importers by format, and of sources by what they read.
fn groups() -> Groups {
    let mut groups = Groups::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (prefix, fixtures) in [("", root.join("fixtures")), ("source-", root.join("../sources/fixtures"))] {
        for folder in fs::read_dir(fixtures).expect("fixtures") {
            let folder = folder.expect("entry").path();
            if folder.is_dir() {
                let name = folder.file_name().expect("name").to_string_lossy();
                gather(&folder, groups.entry(format!("{prefix}{name}")).or_default());
            }
        }
    }
    groups.retain(|_, files| !files.is_empty());
    groups
}

/// Files below a folder, in the order of their names.
fn gather(folder: &Path, files: &mut Vec<Vec<u8>>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    for path in paths {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            gather(&path, files);
        } else if metadata.is_file()
            && metadata.len() <= MOST_FILE_BYTES
            && path.extension().is_none_or(|e| e != "expect")
        {
            files.push(fs::read(&path).expect("recording"));
        }
    }
}

/// The input of a seed.
fn input(groups: &Groups, group: &str, seed: u64) -> Vec<u8> {
    let mut chance = Chance::of(seed);
    let files = &groups[group];
    let file = &files[chance.below(files.len())];
    let others: Vec<&Vec<u8>> = groups.values().flatten().collect();
    let other = others[chance.below(others.len())];
    damaged(file, other, &mut chance)
}

/// What is wrong with how an input was read.
fn fault(bytes: &[u8]) -> Option<String> {
    let once = || read("input", bytes, Hints { modified_ms: WRITTEN_MS, ..Hints::default() });
    let mut quickest = u64::MAX;
    let mut first: Option<Import> = None;
    for _ in 0..TRIES {
        let begun = thread_cpu_ns();
        let (read, taken) = taken_by(|| catch_unwind(AssertUnwindSafe(once)));
        quickest = quickest.min(thread_cpu_ns() - begun);
        let import = match read {
            Ok(Ok(import)) => import,
            Ok(Err(error)) => return Some(format!("error: {error}")),
            Err(_) => return Some("panic".to_owned()),
        };
        let most = FIXED_BYTES + BYTES_OF_ONE * bytes.len() as i64;
        if taken.most > most {
            return Some(format!(
                "{} bytes of memory for {}; expected at most {most}",
                taken.most,
                bytes.len()
            ));
        }
        match &first {
            Some(first) if !is_same(first, &import) => {
                return Some("read otherwise the second time".to_owned());
            }
            Some(_) if quickest <= FIXED_NS + NS_OF_BYTE * bytes.len() as u64 => return None,
            _ => first = Some(import),
        }
    }
    Some(format!("{} ms for {} bytes", quickest / 1_000_000, bytes.len()))
}

fn is_same(one: &Import, other: &Import) -> bool {
    let tables = |import: &Import| import.capture.as_ref().map(|capture| capture.tables.clone());
    one.file == other.file && one.flaws == other.flaws && tables(one) == tables(other)
}

fn told(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|told| !told.is_empty())
}

#[test]
fn fuzz_of_every_format() {
    let groups = groups();
    assert!(groups.len() > 40, "{} groups", groups.len());
    let only = told("HELDUP_FUZZ_ONLY");
    let replayed: Option<u64> = told("HELDUP_FUZZ_SEED").and_then(|seed| seed.parse().ok());
    let seconds: Option<f64> = told("HELDUP_FUZZ_SECONDS").and_then(|seconds| seconds.parse().ok());
    // With time to spend other inputs are met each time; the few of every test are the same.
    let base = if seconds.is_some() { monotonic_ns() } else { 1 };
    let mut faults = Vec::new();
    for group in groups.keys().filter(|group| only.as_ref().is_none_or(|only| *only == **group)) {
        let begun = monotonic_ns();
        let is_over = |done: u64| match (replayed, seconds) {
            (Some(_), _) => done > 0,
            (None, Some(seconds)) => (monotonic_ns() - begun) as f64 > seconds * 1e9,
            (None, None) => done >= FEW,
        };
        let mut done = 0;
        while !is_over(done) {
            let seed = replayed.unwrap_or_else(|| Chance::of(base.wrapping_add(done)).next());
            if let Some(fault) = fault(&input(&groups, group, seed)) {
                faults.push(format!("HELDUP_FUZZ_ONLY={group} HELDUP_FUZZ_SEED={seed}: {fault}"));
                if faults.len() >= 20 {
                    break;
                }
            }
            done += 1;
        }
        crate::say(&format!("{group}: {done} inputs, the first made by {base}"));
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
