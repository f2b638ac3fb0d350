//! Memory does not grow with a file beyond the tables that are kept.
//!
//! `cargo xtask soak --fuzz` reads 2 GB of each kind (`HELDUP_IMPORT_MEGABYTES`), every test a little.

use heldup_import::{Hints, read};

use crate::allocator::taken_by;
use crate::recordings;

const MEGABYTES: usize = 8;
/// Beside the tables: at most this, of a file of 2 GB.
const MOST_BYTES: i64 = 200_000_000;
/// What reading a small file takes whatever its size: pieces of it, and columns that grow.
const FIXED_BYTES: i64 = 12 << 20;

#[test]
fn memory_is_bounded_beside_the_tables() {
    let told = std::env::var("HELDUP_IMPORT_MEGABYTES").ok().and_then(|told| told.parse().ok());
    let bytes = told.unwrap_or(MEGABYTES) << 20;
    for recording in recordings::all(bytes) {
        let name = recording.name;
        let (import, taken) = taken_by(|| read("recording", recording, Hints::default()).expect("read"));
        assert!(import.file.is_known && import.flaws.is_empty(), "{name}: {:?}", import.flaws.first());
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
}
