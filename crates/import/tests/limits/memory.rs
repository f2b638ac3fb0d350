//! Memory does not grow with a file beyond the tables that are kept.
//!
//! `cargo xtask soak --fuzz` reads 2 GB of each kind (`HELDUP_IMPORT_MEGABYTES`), every test a little.

use std::fs;

use heldup_import::{Bundle, Hints, Limits, Merged, merge, read, read_paths};

use crate::allocator::{Taken, taken_by};
use crate::handed_over::Folder;
use crate::recordings;

const MEGABYTES: usize = 8;
/// Beside the tables: at most this, of a file of 2 GB.
const MOST_BYTES: i64 = 200_000_000;
/// What reading a small file takes whatever its size: pieces of it, and columns that grow.
const FIXED_BYTES: i64 = 12 << 20;

/// Megabytes of each recording.
fn megabytes() -> usize {
    std::env::var("HELDUP_IMPORT_MEGABYTES").ok().and_then(|told| told.parse().ok()).unwrap_or(MEGABYTES)
}

/// What was taken beside the tables that are kept, of so many bytes of a kind.
fn is_bounded(name: &str, bytes: usize, taken: Taken) {
    let beside = taken.most - taken.kept;
    let megabytes = |bytes: i64| bytes as f64 / 1e6;
    let (read, kept) = (megabytes(bytes as i64), megabytes(taken.kept));
    crate::say(&format!(
        "{name}: {read:.0} MB read, {kept:.0} MB of tables, {:.1} MB at most beside them",
        megabytes(beside)
    ));
    let most = (FIXED_BYTES + bytes as i64 / 16).min(MOST_BYTES);
    assert!(beside <= most, "{name}: {beside} bytes beside the tables, expected at most {most}");
}

#[test]
fn memory_is_bounded_beside_the_tables() {
    let bytes = megabytes() << 20;
    for recording in recordings::all(bytes) {
        let name = recording.name;
        let (tables, taken) = taken_by(|| {
            let import = read("recording", recording, Hints::default()).expect("read");
            assert!(import.file.is_known && import.flaws.is_empty(), "{name}: {:?}", import.flaws.first());
            merge(&mut [import]).expect("tables")
        });
        is_bounded(name, bytes, taken);
        assert!(matches!(tables, Merged::One(_)));
    }
}

/// A folder of many listings that somebody packed, and the log of a kernel twice.
#[test]
fn memory_of_a_bundle_is_bounded_beside_the_tables() {
    let bytes = megabytes() << 20;
    let folder = Folder::empty();
    let packed = folder.0.join("bundle.tar.gz");
    let file = fs::File::create(&packed).expect("a disk");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let each = (bytes / 64).max(64 << 10);
    for at in 0..bytes / each {
        let kinds = recordings::all(each);
        let count = kinds.len();
        // Only one of each pair of logs tells anything, which is another test's business.
        let Some(recording) = kinds.into_iter().nth(at % count).filter(|kind| kind.name != "kernel log")
        else {
            continue;
        };
        let text = recording.into_text();
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mtime(1_706_659_200 + at as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("listings/{at}"), text.as_bytes()).expect("a disk");
    }
    archive.into_inner().and_then(flate2::write::GzEncoder::finish).expect("a disk");
    let (bundle, taken) = taken_by(|| read_paths(&[packed], &Limits::default()));
    is_bounded("tar.gz of listings", bytes, taken);
    // They are of one time: of what several tell much is left out here.
    drop(joined(bundle));
    let logs = ["dmesg", "kern.log"].map(|name| folder.0.join(name));
    for log in &logs {
        let mut recording = recordings::all(bytes / 2).into_iter().find(|kind| kind.name == "kernel log");
        let mut file = fs::File::create(log).expect("a disk");
        std::io::copy(recording.as_mut().expect("a log"), &mut file).expect("a disk");
    }
    let (merged, taken) = taken_by(|| joined(read_paths(&logs, &Limits::default())));
    crate::say(&format!("a log twice: {taken:?} of {bytes} bytes"));
    drop(merged);
}

fn joined(mut bundle: Bundle) -> Merged {
    assert!(bundle.flaws.is_empty() && bundle.unknown.is_empty(), "{:?}", bundle.flaws.first());
    let merged = merge(&mut bundle.imports).expect("tables");
    assert!(matches!(merged, Merged::One(_)), "one host");
    merged
}
