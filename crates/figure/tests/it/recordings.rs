//! Real recordings: those of the importers' tests.

use std::path::{Path, PathBuf};

use heldup_import::{Limits, Merged, merge, read_paths};
use heldup_model::Capture;

/// Every recording that is of one host.
pub fn all() -> Vec<(String, Capture)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/fixtures");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.into_iter().filter_map(|path| Some((path.display().to_string(), read(&path)?))).collect()
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
