//! What the journal costs: prints bytes and CPU microseconds a sample, asserts nothing.
//!
//! `cargo bench -p heldup-archive --bench journal`. CPU time is that of this thread, `write(2)`
//! included; flushes are another thread's. The machine is made up: `tests/machine`.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

#[path = "../tests/machine/mod.rs"]
mod machine;

use heldup_archive::journal::{JournalReader, JournalSettings, JournalWriter, Sample};
use heldup_hostfs::thread_cpu_ns;
use machine::Machine;

const SAMPLES: usize = 180;

fn main() {
    let folder = std::env::temp_dir().join(format!("heldup-bench-journal-{}", std::process::id()));
    for processes in [100, 2_000] {
        let mut machine = Machine::new(processes);
        let header = machine.header();
        let samples: Vec<Sample> = (0..SAMPLES).map(|_| machine.sample()).collect();
        let mut writer =
            JournalWriter::create(&folder, &header, JournalSettings::default()).expect("a journal");
        let (mut costs, mut keyframes, mut bytes) = (Vec::new(), 0, 0);
        for (number, sample) in samples.into_iter().enumerate() {
            let before = thread_cpu_ns();
            let length = writer.append(sample).expect("appended");
            costs.push(thread_cpu_ns() - before);
            bytes += length;
            keyframes += if number % 60 == 0 { length } else { 0 };
        }
        let mean = costs.iter().sum::<u64>() / costs.len() as u64;
        costs.sort_unstable();
        println!(
            "{processes} processes: {} bytes a sample ({} of them for keyframes), {:.1} MB a day; {:.1} µs a \
             sample (median {:.1}, longest {:.1})",
            bytes / SAMPLES,
            keyframes / SAMPLES,
            bytes as f64 / SAMPLES as f64 * 86_400.0 / 1e6,
            mean as f64 / 1e3,
            costs[SAMPLES / 2] as f64 / 1e3,
            costs[SAMPLES - 1] as f64 / 1e3,
        );
        let path = writer.close().expect("closed");
        let before = thread_cpu_ns();
        let mut reader = JournalReader::open(&path).expect("a journal");
        let tables = reader.tables(&|_| true, None).expect("tables");
        let rows: usize = tables.values().flatten().map(|batch| batch.num_rows()).sum();
        let took = thread_cpu_ns() - before;
        println!(
            "{processes} processes: read in {:.1} µs a sample, {:.0} ns a row",
            took as f64 / 1e3 / SAMPLES as f64,
            took as f64 / rows as f64
        );
    }
    // The folder is this program's own.
    let _ = std::fs::remove_dir_all(&folder);
}
