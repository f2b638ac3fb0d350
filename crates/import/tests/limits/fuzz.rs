//! Recordings of every kind, damaged in every way: each is read to its end, soon, in bounded memory, without
//! a panic, and into the same tables when it is read again.
//!
//! A test without more meets the same few inputs of each format; `make test` goes over all formats in turn for a minute,
//! `cargo xtask soak --fuzz` for an hour, with other inputs each day. What is found is made again by its seed:
//! `HELDUP_FUZZ_SEED=N HELDUP_FUZZ_ONLY=GROUP cargo test -p heldup-import --test limits fuzz`.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use heldup_hostfs::{monotonic_ns, realtime_ms, thread_cpu_ns};
use heldup_import::{Bundle, Hints, Import, ImportError, merge, read};

use crate::allocator::taken_by;
use crate::damage::{Chance, damaged};
use crate::handed_over::Folder;

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
/// Faults that are enough.
const MOST_FAULTS: usize = 20;
const DAY_MS: i64 = 86_400_000;
/// When all damaged recordings were last written.
const WRITTEN_MS: i64 = 1_795_325_999_000;

type Groups = BTreeMap<String, Vec<Recording>>;

/// A recording, and the path below its folder of fixtures: some files are recognised by their place.
#[derive(Clone)]
struct Recording {
    path: String,
    bytes: Vec<u8>,
}

impl Recording {
    /// The most that is in it, unpacked.
    fn most_bytes(&self) -> usize {
        let is_packed = self.path.starts_with("packed") || self.path.starts_with("bundles");
        self.bytes.len() * if is_packed { 100 } else { 1 }
    }
}

/// What is read: a damaged recording, and one that is handed over beside it.
struct Input {
    damaged: Recording,
    beside: Option<Recording>,
}

/// The recordings of importers by format, and of sources by what they read.
fn groups() -> Groups {
    let mut groups = Groups::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (prefix, fixtures) in [("", root.join("fixtures")), ("source-", root.join("../sources/fixtures"))] {
        for folder in fs::read_dir(fixtures).expect("fixtures") {
            let folder = folder.expect("entry").path();
            if folder.is_dir() {
                let name = folder.file_name().expect("name").to_string_lossy();
                let files = groups.entry(format!("{prefix}{name}")).or_default();
                gather(&folder, &name, files);
                assert!(!files.is_empty(), "{name}: nothing small enough to be damaged");
            }
        }
    }
    groups
}

/// Files below a folder, in the order of their names.
fn gather(folder: &Path, name: &str, files: &mut Vec<Recording>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    for path in paths {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let name = format!("{name}/{}", path.file_name().expect("name").to_string_lossy());
        if metadata.is_dir() {
            gather(&path, &name, files);
        } else if metadata.is_file()
            && metadata.len() <= MOST_FILE_BYTES
            && path.extension().is_none_or(|e| e != "expect")
        {
            files.push(Recording { path: name, bytes: fs::read(&path).expect("recording") });
        }
    }
}

/// The input of a seed.
fn input(groups: &Groups, group: &str, seed: u64) -> Input {
    let mut chance = Chance::of(seed);
    let files = &groups[group];
    let file = &files[chance.below(files.len())];
    let others: Vec<&Recording> = groups.values().flatten().collect();
    let other = others[chance.below(others.len())];
    let bytes = damaged(&file.bytes, &other.bytes, &mut chance);
    let beside = (chance.below(2) == 0).then(|| other.clone());
    Input { damaged: Recording { path: file.path.clone(), bytes }, beside }
}

/// Reads an input by itself, or as it is handed over: in a folder, with another or without.
fn read_once(Input { damaged, beside }: &Input, whole_way: bool) -> Result<Bundle, ImportError> {
    let mut bundle = Bundle::default();
    if whole_way {
        let folder = Folder::empty();
        folder.write(&format!("damaged/{}", damaged.path), &damaged.bytes);
        beside.iter().for_each(|other| drop(folder.write(&format!("beside/{}", other.path), &other.bytes)));
        bundle = folder.read();
        merge(&mut bundle.imports)?;
    } else {
        let hints = Hints { modified_ms: WRITTEN_MS, ..Hints::default() };
        bundle.imports.push(read("input", &damaged.bytes[..], hints)?);
    }
    Ok(bundle)
}

/// What is wrong with how an input was read.
fn fault(input: &Input, whole_way: bool) -> Option<String> {
    let bytes = input.damaged.most_bytes() + input.beside.as_ref().map_or(0, Recording::most_bytes);
    let mut quickest = u64::MAX;
    let mut first: Option<Bundle> = None;
    for _ in 0..TRIES {
        let begun = thread_cpu_ns();
        let (read, taken) = taken_by(|| catch_unwind(AssertUnwindSafe(|| read_once(input, whole_way))));
        quickest = quickest.min(thread_cpu_ns() - begun);
        let bundle = match read {
            Ok(Ok(bundle)) => bundle,
            Ok(Err(error)) => return Some(format!("error: {error}")),
            Err(_) => return Some("panic".to_owned()),
        };
        let most = FIXED_BYTES + BYTES_OF_ONE * bytes as i64;
        if taken.most > most {
            return Some(format!("{} bytes of memory for {bytes}; expected at most {most}", taken.most));
        }
        match &first {
            // What a folder is called and when its files were written is another each time.
            Some(first) if !whole_way && !is_same(&first.imports[0], &bundle.imports[0]) => {
                return Some("read otherwise the second time".to_owned());
            }
            Some(_) if quickest <= FIXED_NS + NS_OF_BYTE * bytes as u64 => return None,
            _ => first = Some(bundle),
        }
    }
    Some(format!("{} ms for {bytes} bytes", quickest / 1_000_000))
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
    // With time to spend other inputs are met each day; the few of every test are the same.
    let base = if seconds.is_some() { (realtime_ms() / DAY_MS) as u64 * 1_000_000 } else { 1 };
    crate::say(&format!("the first input is made by {base}"));
    let names: Vec<&String> =
        groups.keys().filter(|group| only.as_ref().is_none_or(|only| *only == **group)).collect();
    let begun = monotonic_ns();
    let is_over = |round: u64| match (replayed, seconds) {
        (Some(_), _) => round > 0,
        // Each format at least once, however slow the machine is.
        (None, Some(seconds)) => round > 0 && (monotonic_ns() - begun) as f64 > seconds * 1e9,
        (None, None) => round >= FEW,
    };
    let mut faults = Vec::new();
    let mut done: BTreeMap<&str, u64> = BTreeMap::new();
    for round in 0.. {
        let mut is_last = true;
        for group in &names {
            if is_over(round) || faults.len() >= MOST_FAULTS {
                break;
            }
            is_last = false;
            let seed = replayed.unwrap_or_else(|| Chance::of(base.wrapping_add(round)).next());
            // Every other one by itself: what is found there is easier to see.
            if let Some(fault) = fault(&input(&groups, group, seed), seed.is_multiple_of(2)) {
                faults.push(format!("HELDUP_FUZZ_ONLY={group} HELDUP_FUZZ_SEED={seed}: {fault}"));
            }
            *done.entry(group).or_default() += 1;
        }
        if is_last {
            break;
        }
    }
    let (least, most) = (done.values().min().unwrap_or(&0), done.values().max().unwrap_or(&0));
    crate::say(&format!("{} groups, {least} to {most} inputs each", done.len()));
    assert_eq!(done.len(), names.len(), "a group without an input");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
