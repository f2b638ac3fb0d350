//! The files of the project, by their path from its root.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders that hold nothing that anybody wrote; `.git` is a file in a second work tree.
const NOT_OURS: [&str; 3] = [".git", "target", "node_modules"];

/// The project's files.
pub struct Tree {
    root: PathBuf,
    files: Vec<String>,
}

impl Tree {
    /// The tree that this xtask was built in.
    pub fn open() -> Result<Tree> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        Tree::at_root(manifest.parent().context("xtask lies directly below the root")?)
    }

    /// The tree below a folder.
    pub fn at_root(root: &Path) -> Result<Tree> {
        let root = root.to_owned();
        let mut files = Vec::new();
        walk(&root, &root, &mut files)?;
        files.sort_unstable();
        Ok(Tree { root, files })
    }

    /// Absolute path of a file of the tree.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All files, sorted, with `/` between folders.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Files below a folder whose names end so.
    pub fn below<'a>(&'a self, folder: &'a str, ending: &'a str) -> impl Iterator<Item = &'a str> {
        self.files().filter(move |path| path.starts_with(folder) && path.ends_with(ending))
    }

    /// Names of the folders directly below a folder (given with its `/`).
    pub fn folders<'a>(&'a self, folder: &'a str) -> Vec<&'a str> {
        let mut names: Vec<&str> =
            self.files().filter_map(|path| Some(path.strip_prefix(folder)?.split_once('/')?.0)).collect();
        names.dedup();
        names
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    /// Text of a file.
    pub fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.at(path)).with_context(|| format!("read {path}"))
    }

    /// Writes a file, and the folders that it needs.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.at(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))
    }
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(root, &path, files)?;
        } else if let Ok(inside) = path.strip_prefix(root) {
            files.push(inside.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}
