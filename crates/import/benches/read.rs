//! How fast recordings are read, in MB for each second of one CPU: prints medians, asserts nothing.
//!
//! `cargo bench -p heldup-import --bench read [NAME]`. The bar is 150 MB/s, and for `perf script` inferno's library,
//! which reads the same text in turn with ours.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

mod recordings;

use heldup_hostfs::thread_cpu_ns;
use heldup_import::{Hints, read};
use inferno::collapse::Collapse;
use inferno::collapse::perf::Folder;

const ROUNDS: usize = 9;
const BYTES: usize = 32 << 20;

fn main() {
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    for recording in recordings::all(BYTES) {
        let name = recording.name;
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let text = recording.into_text();
        let is_perf = name == "perf script";
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for _ in 0..ROUNDS {
            ours.push(rate(&text, read_once));
            if is_perf {
                theirs.push(rate(&text, collapse));
            }
        }
        print!("{name:12} {:6.0} MB/s", median(&ours));
        if is_perf {
            let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
            print!("   inferno {:6.0} MB/s, ratio {:.2}", median(&theirs), median(&ratios));
        }
        println!();
    }
}

fn rate(text: &str, work: fn(&str)) -> f64 {
    let begun = thread_cpu_ns();
    work(text);
    text.len() as f64 / 1e6 / ((thread_cpu_ns() - begun) as f64 / 1e9)
}

fn read_once(text: &str) {
    let import = read("recording", text.as_bytes(), Hints::default()).expect("memory can be read");
    assert!(import.file.is_known && import.flaws.is_empty(), "{:?}", import.flaws.first());
}

fn collapse(text: &str) {
    let mut folded = Vec::new();
    Folder::default().collapse(text.as_bytes(), &mut folded).expect("memory can be read");
    assert!(!folded.is_empty());
}

fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
