//! What recording costs: prints bytes and CPU time of journals, sealing and reading, asserts nothing.
//!
//! `cargo bench -p heldup-archive --bench journal [-- FOLDER]`; a folder that is named is kept.
//! CPU time is that of this thread, `write(2)` included; flushes are another thread's. The
//! machine is made up: `tests/machine`.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::path::{Path, PathBuf};

use heldup_archive::journal::{JournalReader, JournalSettings, JournalWriter, Sample};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_hostfs::thread_cpu_ns;
use heldup_model::Span;
use machine::{Machine, SINCE_MS};

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let scratch = std::env::temp_dir().join(format!("heldup-bench-journal-{}", std::process::id()));
    let root = named.as_ref().map_or(scratch, PathBuf::from);
    for (processes, samples) in [(100, 3600), (2_000, 300)] {
        println!("{processes} processes, {samples} samples");
        let archive = root.join(processes.to_string());
        let journal = write(&archive, processes, samples);
        read(&journal, samples);
        sealed(&archive, &journal, samples);
        window(&archive);
    }
    if named.is_none() {
        // The folder is this program's own.
        let _ = std::fs::remove_dir_all(&root);
    }
}

fn write(archive: &Path, processes: usize, samples: usize) -> PathBuf {
    let mut machine = Machine::new(processes);
    let folder = ArchiveFolder::at(archive).journals();
    let settings = JournalSettings::default();
    let mut writer = JournalWriter::create(&folder, &machine.header(), settings).expect("a journal");
    let mut costs: Vec<u64> = Vec::new();
    let mut keyframes = 0;
    for number in 0..samples {
        let sample: Sample = machine.sample();
        let before = thread_cpu_ns();
        let length = writer.append(sample).expect("appended");
        costs.push(thread_cpu_ns() - before);
        keyframes += if number % 60 == 0 { length } else { 0 };
    }
    let mean = costs.iter().sum::<u64>() as f64 / samples as f64;
    costs.sort_unstable();
    println!(
        "  journal: {} bytes a sample ({} of them for keyframes); {:.1} µs a sample (median {:.1}, longest {:.1})",
        writer.length() as usize / samples,
        keyframes / samples,
        mean / 1e3,
        costs[samples / 2] as f64 / 1e3,
        costs[samples - 1] as f64 / 1e3,
    );
    writer.close().expect("closed")
}

fn read(journal: &Path, samples: usize) {
    let before = thread_cpu_ns();
    let mut reader = JournalReader::open(journal).expect("a journal");
    let tables = reader.tables(&|_| true, None).expect("tables");
    let took = (thread_cpu_ns() - before) as f64;
    let rows: usize = tables.values().flatten().map(|batch| batch.num_rows()).sum();
    println!("  read: {:.1} µs a sample, {:.0} ns a row", took / 1e3 / samples as f64, took / rows as f64);
}

fn sealed(archive: &Path, journal: &Path, samples: usize) {
    let before = thread_cpu_ns();
    let sealed = seal(journal, archive).expect("sealed");
    let took = (thread_cpu_ns() - before) as f64;
    let mut all = 0;
    for file in &sealed.files {
        let bytes = file.metadata().expect("a file").len();
        all += bytes;
        let table = file.ancestors().nth(2).and_then(Path::file_name).unwrap_or_default();
        println!("    {} {} bytes, {:.1} a sample", table.display(), bytes, bytes as f64 / samples as f64);
    }
    println!(
        "  sealed: {:.0} bytes a sample, {:.1} MB a day; {:.1} ms in all, {:.1} µs a sample",
        all as f64 / samples as f64,
        all as f64 / samples as f64 * 86_400.0 / 1e6,
        took / 1e6,
        took / 1e3 / samples as f64
    );
}

fn window(archive: &Path) {
    let folder = ArchiveFolder::at(archive);
    for (what, length_ms) in [("a minute", 60_000), ("all", 3_600_000)] {
        let span = Span { since_ms: SINCE_MS + 120_000, until_ms: SINCE_MS + 120_000 + length_ms };
        let before = thread_cpu_ns();
        let window = folder.window(span, &|_| true).expect("a window");
        let took = (thread_cpu_ns() - before) as f64;
        let rows: usize = window.tables.values().flatten().map(|batch| batch.num_rows()).sum();
        println!("  window of {what}: {rows} rows, {:.1} ms", took / 1e6);
    }
}
