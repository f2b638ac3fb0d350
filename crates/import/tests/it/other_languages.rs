//! `vmstat`, `top` and `free` in other languages: every number of a row, found by its place, is in its column.

use std::fs;
use std::path::Path;

use heldup_import::Import;

use crate::table_text::{import, number, told};

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

/// The recordings of a tool: language with options, text, and what it became.
fn recordings(tool: &str) -> Vec<(String, String, Import)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(tool);
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".txt")?.split_once("-lang-")?.1.to_owned();
        let text = fs::read_to_string(&path).expect("a recording");
        let read = import(text.as_bytes());
        assert!(read.flaws.is_empty(), "{name}: {:?}", read.flaws);
        Some((name, text, read))
    };
    files.filter_map(read).collect()
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|word| word.parse().ok()).collect()
}

fn same(read: &Import, name: &str, row: usize, (table, column): (&str, &str), expected: Option<f64>) {
    assert_eq!(number(read, table, column, None, row), expected, "{name}: {table}.{column}\n{}", told(read));
}

#[test]
fn vmstat() {
    let recordings = recordings("vmstat");
    assert!(recordings.len() >= 7, "{}", recordings.len());
    for (name, text, read) in recordings {
        let of_activity = name.ends_with("-a");
        for (row, line) in text.lines().skip(2).enumerate() {
            let values = numbers(line);
            let level = |at: usize| Some(values[at] * KIB);
            same(&read, &name, row, ("system", "runnable"), Some(values[0]));
            same(&read, &name, row, ("memory", "swap_used_bytes"), level(2));
            same(&read, &name, row, ("memory", "free_bytes"), level(3));
            same(&read, &name, row, ("memory", "buffers_bytes"), level(4).filter(|_| !of_activity));
            same(&read, &name, row, ("memory", "inactive_bytes"), level(4).filter(|_| of_activity));
            same(&read, &name, row, ("memory", "active_bytes"), level(5).filter(|_| of_activity));
            // Which release counts the kernel's caches as `cache` nobody tells.
            same(&read, &name, row, ("memory", "cached_bytes"), None);
            // The first is of the time since boot.
            let grown = |value: f64| Some(value).filter(|_| row > 0);
            same(&read, &name, row, ("vmstat", "page_out_bytes"), grown(values[9] * KIB));
            same(&read, &name, row, ("system", "context_switches"), grown(values[11]));
            same(&read, &name, row, ("cpu", "idle_s"), grown(values[14] / 100.0));
        }
    }
}

#[test]
fn top() {
    let recordings = recordings("top");
    assert!(recordings.len() >= 8, "{}", recordings.len());
    for (name, text, read) in recordings {
        let lines: Vec<&str> = text.lines().collect();
        let samples = lines.iter().enumerate().filter(|(_, line)| line.starts_with("top - "));
        for (row, (at, _)) in samples.enumerate() {
            let (cpus, memory, swap) =
                (numbers(lines[at + 2]), numbers(lines[at + 3]), numbers(lines[at + 4]));
            same(&read, &name, row, ("memory", "total_bytes"), Some((memory[0] * MIB).round()));
            same(&read, &name, row, ("memory", "free_bytes"), Some((memory[1] * MIB).round()));
            same(&read, &name, row, ("memory", "swap_total_bytes"), Some((swap[0] * MIB).round()));
            same(&read, &name, row, ("memory", "available_bytes"), Some((swap[3] * MIB).round()));
            same(&read, &name, row, ("cpu", "idle_s"), Some(cpus[3] / 100.0).filter(|_| row > 0));
            let of_threads = name.ends_with("-h");
            let table = if of_threads { "thread" } else { "process" };
            let tasks = if of_threads { Some(1.0) } else { None };
            same(&read, &name, row, ("system", "tasks"), tasks);
            let (pid, shown) = lines[at + 7].trim().split_once(' ').expect("a task");
            let key = Some((if of_threads { "tid" } else { "pid" }, pid));
            if !of_threads {
                let expected = Some(numbers(shown)[2] * KIB);
                assert_eq!(
                    number(&read, table, "virtual_bytes", key, row),
                    expected,
                    "{name}\n{}",
                    told(&read)
                );
            }
            assert!(told(&read).contains("name=sleep"), "{name}\n{}", told(&read));
        }
    }
}

#[test]
fn free() {
    let recordings = recordings("free");
    assert!(recordings.len() >= 5, "{}", recordings.len());
    for (name, text, read) in recordings {
        let lines: Vec<Vec<f64>> = text.lines().map(numbers).collect();
        let unit = if name.ends_with("-wm") { MIB } else { KIB };
        let (memory, swap) = (&lines[1], &lines[2]);
        same(&read, &name, 0, ("memory", "total_bytes"), Some(memory[0] * unit));
        same(&read, &name, 0, ("memory", "free_bytes"), Some(memory[2] * unit));
        same(&read, &name, 0, ("memory", "shmem_bytes"), Some(memory[3] * unit));
        same(&read, &name, 0, ("memory", "available_bytes"), memory.last().map(|last| last * unit));
        same(&read, &name, 0, ("memory", "swap_total_bytes"), Some(swap[0] * unit));
        same(&read, &name, 0, ("memory", "cached_bytes"), None);
    }
}
