//! `perf script` of many programs, against what FlameGraph's own tests expect of it: how often each thread was
//! met, with how many functions on its stack.
//!
//! Its recordings are in `shared/corpora` beside the project, or where `HELDUP_CORPORA` says; where they are
//! not, the test says so.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use heldup_import::Import;

use crate::table_text::{import, value};

/// Samples, or the events that they stand for where their periods are told, by thread and depth.
type Depths = BTreeMap<(i64, usize), u64>;

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let root = env::var_os("HELDUP_CORPORA").map(PathBuf::from).unwrap_or(beside);
    Some(root.join("flamegraph/test")).filter(|folder| folder.is_dir())
}

/// FlameGraph's: `comm-pid/tid;function;function 12`.
fn expected(folded: &str) -> Depths {
    let mut depths = Depths::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let (who, functions) = stack.split_once(';').unwrap_or((stack, ""));
        let tid = who.rsplit_once('/').and_then(|(_, tid)| tid.parse().ok()).expect("a thread");
        let depth = functions.split(';').filter(|name| !name.is_empty()).count();
        *depths.entry((tid, depth)).or_default() += count.parse::<u64>().expect("a count");
    }
    depths
}

/// What FlameGraph folds of a recording: a sample ends with an empty line, and without one it leaves out the last.
fn finished(recording: &[u8]) -> &[u8] {
    let end = recording.windows(2).rposition(|two| two == b"\n\n").expect("samples");
    &recording[..end + 2]
}

/// Ours, of the event that the recording begins with, which is the only one that FlameGraph folds.
fn read(import: &Import) -> Depths {
    let mut depths = Depths::new();
    let batches = import.capture.iter().filter_map(|capture| capture.tables.get("stack")).flatten();
    let mut kind: Option<Option<String>> = None;
    for batch in batches {
        for row in 0..batch.num_rows() {
            let of_row = value(batch, "kind", row);
            if *kind.get_or_insert_with(|| of_row.clone()) != of_row {
                continue;
            }
            let count = |column| value(batch, column, row).map_or(0, |stack| stack.split(';').count());
            let tid = value(batch, "tid", row).and_then(|tid| tid.parse().ok()).expect("a thread");
            let events = value(batch, "events", row).or_else(|| value(batch, "samples", row));
            *depths.entry((tid, count("kernel_stack") + count("user_stack"))).or_default() +=
                events.and_then(|events| events.parse().ok()).unwrap_or(0_u64);
        }
    }
    depths
}

#[test]
fn stacks_are_those_that_flamegraph_folds() {
    let Some(folder) = folder() else {
        return heldup_skip::skipped(
            "FlameGraph's recordings are not here; HELDUP_CORPORA names the folder above them",
        );
    };
    let mut compared = 0;
    for entry in fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        let Some(name) =
            path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(".txt"))
        else {
            continue;
        };
        let folded = folder.join("results").join(name.replace(".txt", "-collapsed-tid.txt"));
        let Ok(folded) = fs::read_to_string(folded) else { continue };
        let recording = fs::read(&path).expect("recording");
        let import = import(finished(&recording));
        assert!(import.file.what.starts_with("perf script"), "{name}: {}", import.file.what);
        let (read, expected) = (read(&import), expected(&folded));
        let different: Vec<_> = expected.iter().filter(|(key, count)| read.get(key) != Some(count)).collect();
        assert!(different.is_empty() && read.len() == expected.len(), "{name}: {different:?}\n{read:?}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} recordings");
}
