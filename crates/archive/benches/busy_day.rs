//! An archive of a made-up day of two thousand processes, for `cargo xtask bench --only show`: `cargo bench -p heldup-archive
//! --bench busy_day -- FOLDER`. A folder that has one already is left as it is.
//!
//! Every table that figures take of a machine has rows, as often as a recorder has them. It takes some minutes and
//! two gigabytes; `HELDUP_BENCH_HOURS` makes the day shorter.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

#[path = "../tests/machine/mod.rs"]
mod machine;
#[path = "whole_machine/mod.rs"]
mod whole_machine;

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use heldup_archive::journal::{JournalSettings, JournalWriter, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, Tiers, compact, seal};
use heldup_model::Record;
use heldup_model::tables::ProcessRow;
use machine::{Machine, SINCE_MS};
use whole_machine::WholeMachine;

const PROCESSES: usize = 2000;
const HOUR_S: i64 = 3600;
const DAY_MS: i64 = 86_400_000;
/// Processes, and the ledger's rows of idle tasks, are there each so many seconds, as of a recorder beyond its budget: a plot
/// of a day takes the tables by the minute, whose rows are as many, and the day is made in a third of the time.
const EACH: i64 = 8;
/// Journals that wait to be sealed.
const MOST_WAITING: usize = 2;

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let Some(root) = named.map(PathBuf::from) else {
        println!("a folder is wanted: what is made takes minutes, and is for others to ask");
        return;
    };
    let done = root.join("complete");
    if done.exists() {
        return println!("{}: as it is", root.display());
    }
    // What is left of a run that was stopped is this program's own.
    let _ = std::fs::remove_dir_all(&root);
    let hours = std::env::var("HELDUP_BENCH_HOURS").ok().and_then(|hours| hours.parse().ok()).unwrap_or(24);
    record(&root, hours);
    // The machine's day begins anywhere in a day of UTC, so it is two.
    let over_ms = (SINCE_MS / DAY_MS + 2) * DAY_MS;
    let (made, flaws) = compact(&root, Tiers::NEVER, over_ms).expect("put together");
    assert!(made > 0 && flaws.is_empty(), "{flaws:?}");
    std::fs::write(done, "").expect("a mark");
}

fn record(root: &Path, hours: i64) {
    let mut machine = Machine::new(PROCESSES);
    let mut rest = WholeMachine::default();
    let journals = ArchiveFolder::at(root).journals();
    let (closed, waiting) = sync_channel::<PathBuf>(MOST_WAITING);
    thread::scope(|scope| {
        let sealer = scope.spawn(move || {
            for journal in waiting {
                seal(&journal, root).expect("sealed");
            }
        });
        let settings = JournalSettings::default();
        for hour in 0..hours {
            let header = |machine: &Machine| SegmentHeader { boot_id: "busy".into(), ..machine.header() };
            let mut writer =
                JournalWriter::create(&journals, &header(&machine), settings).expect("a journal");
            let mut begins = true;
            for second in 0..HOUR_S {
                let is_crowded = hour % 4 == 2 && (1200..1800).contains(&second);
                machine.crowd = if is_crowded { 8.0 } else { 0.02 };
                let reads_all = second % EACH == 0;
                machine.idle_rows = reads_all;
                let mut sample = machine.sample();
                sample.readings.retain_mut(|reading| {
                    let is_process = reading.rows.def.name == ProcessRow::DEF.name;
                    reading.secs = if is_process { Some(EACH as f64) } else { reading.secs };
                    reads_all || !is_process
                });
                if writer.is_full(sample.monotonic_ns) {
                    closed.send(writer.close().expect("closed")).expect("a sealer");
                    writer =
                        JournalWriter::create(&journals, &header(&machine), settings).expect("a journal");
                    begins = true;
                }
                rest.add_to(&mut sample, is_crowded, begins);
                begins = false;
                writer.append(sample).expect("appended");
            }
            closed.send(writer.close().expect("closed")).expect("a sealer");
            println!("{} of {hours} hours", hour + 1);
        }
        drop(closed);
        sealer.join().expect("all sealed");
    });
}
