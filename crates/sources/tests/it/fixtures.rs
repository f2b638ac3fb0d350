//! Every recording in `fixtures/<source>/` goes through its source; what comes out is
//! compared with the `.expect` file beside it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p heldup-sources` writes those files anew; read the
//! difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use heldup_hostfs::Host;
use heldup_sources::{Namespaces, ReadContext, Source, live};

use crate::recorded::{Tree, show};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Recordings of a source, sorted; none where it has no folder.
pub fn recordings(source: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder().join(source)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    paths
}

/// Whether the recording gave what it is expected to give.
fn check(source: &mut dyn Source, recording: &Path) -> Result<(), String> {
    let tree = Tree::of(&fs::read(recording).expect("the recording"));
    let host = Host::recorded(&tree.root);
    let namespaces = Namespaces::default();
    let context = ReadContext { since_ms: Some(0), asked: true, ..ReadContext::new(&host, &namespaces) };
    source.begin(&host);
    let shown = show(&source.read(&context));
    compare(&recording.with_extension("expect"), &shown)
}

/// Compares with a golden file, or writes it anew.
pub fn compare(golden: &Path, shown: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(golden, shown).expect("the golden file");
        return Ok(());
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    if shown == expected {
        return Ok(());
    }
    Err(format!("{}\n--- expected\n{expected}+++ read\n{shown}", golden.display()))
}

#[test]
fn recordings_give_what_they_gave() {
    let mut wrong = Vec::new();
    for at in 0..live().len() {
        for recording in recordings(live()[at].name()) {
            // A new source for each: some remember what they saw in the tree before.
            wrong.extend(check(live().swap_remove(at).as_mut(), &recording).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
