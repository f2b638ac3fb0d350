//! What is derived from declarations and committed, in `docs/` and for the page.
//!
//! The program writes its own man pages, completions and references (it has the
//! declarations); this gathers them, and draws the pictures.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::program::{command, heldup, output};
use crate::svg::svg;
use crate::table_checks;
use crate::tree::Tree;

/// Folders that hold nothing but generated files.
const FOLDERS: [&str; 3] = ["docs/man/", "docs/completions/", "docs/reference/"];

/// Generated files: path from the root, and text.
pub struct Expected {
    /// What there should be.
    pub files: BTreeMap<String, String>,
}

impl Expected {
    /// Files of the generated folders that nothing generates any more.
    pub fn leftovers<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = &'a str> {
        tree.files()
            .filter(|file| FOLDERS.iter().any(|folder| file.starts_with(folder)))
            .filter(|file| !self.files.contains_key(*file))
    }
}

/// What the declarations give now.
pub fn expected(tree: &Tree) -> Result<Expected> {
    let scratch = std::env::temp_dir().join(format!("heldup-generate-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let program = heldup(tree, "dev")?;
    let outcome = output(&mut command(tree, program, &["generate", &scratch.to_string_lossy()]));
    let mut files = BTreeMap::new();
    let gathered = outcome.and_then(|_| gather(&scratch, "docs", &mut files));
    fs::remove_dir_all(&scratch)?;
    gathered?;
    // What the page takes lies with its sources.
    let of_page: Vec<String> = files.keys().filter(|path| path.starts_with("docs/page/")).cloned().collect();
    for path in of_page {
        if let Some(text) = files.remove(&path) {
            files.insert(path.replace("docs/page/", "web/src/generated/"), text);
        }
    }
    for terminal in tree.below("docs/picture/", ".ansi") {
        files.insert(terminal.replace(".ansi", ".svg"), svg(&tree.read(terminal)?));
    }
    files.insert(table_checks::DOCUMENT.to_owned(), table_checks::document(tree)?);
    Ok(Expected { files })
}

fn gather(folder: &Path, name: &str, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let inside = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            gather(&entry.path(), &inside, files)?;
        } else {
            let text = fs::read_to_string(entry.path()).with_context(|| inside.clone())?;
            files.insert(inside, text);
        }
    }
    Ok(())
}
