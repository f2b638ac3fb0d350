//! Real recordings: those of the importers' tests, and one of our own.

use std::path::{Path, PathBuf};

use heldup_archive::store::load_file;
use heldup_import::{Limits, Merged, merge, read_paths};
use heldup_model::Capture;

/// Every recording that is of one host.
pub fn all() -> Vec<(String, Capture)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/fixtures");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let own = own();
    let (capture, flaws) = load_file(&own).expect("our own recording");
    assert!(flaws.is_empty(), "{flaws:?}");
    let imported = files.into_iter().filter_map(|path| Some((path.display().to_string(), read(&path)?)));
    std::iter::once((own.display().to_string(), capture)).chain(imported).collect()
}

/// Seconds of a machine that compiles.
fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/debian-12-6.18.44-live.heldup")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the recordings of the importers");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

fn read(path: &Path) -> Option<Capture> {
    let mut bundle = read_paths(&[path.to_owned()], &Limits::default());
    match merge(&mut bundle.imports).ok()? {
        Merged::One(capture) => Some(*capture),
        Merged::Nothing | Merged::Hosts(_) => None,
    }
}
