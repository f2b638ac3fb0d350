//! Every recording gives what stands beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::table_text::{import, told};

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folders = fs::read_dir(root).expect("fixtures").map(|entry| entry.expect("entry").path());
    let mut files: Vec<PathBuf> = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()))
        .filter(|path| path.extension().is_some_and(|end| end == "txt" || end == "html"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_recording_is_read_as_expected() {
    let mut different = Vec::new();
    let files = recordings();
    assert!(files.len() >= 7, "{} recordings", files.len());
    for file in files {
        let read = import(&fs::read(&file).expect("recording"));
        let folder =
            file.parent().and_then(Path::file_name).expect("folder").to_string_lossy().replace('_', " ");
        // Of a text with several, that of the most lines is told first, which need not be the one it is here for.
        let what = read.file.what.replace('_', " ");
        let is_told = what.split("; ").any(|format| format.starts_with(&folder));
        assert!(is_told, "{}: {}", file.display(), read.file.what);
        let golden = file.with_extension("expect");
        let text = told(&read);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &text).expect("golden file");
        } else if fs::read_to_string(&golden).unwrap_or_default() != text {
            different.push(file.display().to_string());
        }
    }
    assert!(different.is_empty(), "read otherwise than before: {different:?}; UPDATE_GOLDEN=1 shows how");
}

/// A recording may end anywhere, as where a disk was full; and a byte of it may be another.
#[test]
fn every_beginning_of_a_recording_is_read_without_panic() {
    for file in recordings() {
        let text = fs::read(&file).expect("recording");
        // Of the long ones fewer: they repeat themselves.
        let step = (text.len() / 60).max(1);
        for end in (0..text.len()).step_by(step) {
            let _ = import(&text[..end]);
            let mut damaged = text.clone();
            damaged[end] = b"\0 :-9x\n%"[end % 8];
            let _ = import(&damaged);
        }
    }
}
