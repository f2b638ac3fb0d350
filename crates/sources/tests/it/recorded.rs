//! Recorded trees made from one text file each, and readings as text to compare.
//!
//! The text is what `head -v -n 1000000 FILE…` prints: `==> /proc/stat <==`, then the
//! file, an empty line between files. A link stands as `==> /path -> target <==`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use heldup_hostfs::Host;
use heldup_model::{Capture, Cells, RowSet};
use heldup_sources::{Namespaces, ReadContext, Reading, Source};

/// A single reading, which belongs to no window.
pub fn read(source: &mut dyn Source, host: &Host) -> Reading {
    source.read(&ReadContext::new(host, &Namespaces::default()))
}

/// The reading that ends a window which began in 1970.
pub fn read_window(source: &mut dyn Source, host: &Host) -> Reading {
    source.begin(host);
    source.read(&ReadContext { since_ms: Some(0), ..ReadContext::new(host, &Namespaces::default()) })
}

/// A folder that is removed when the test ends.
pub struct Tree {
    pub root: PathBuf,
}

impl Tree {
    pub fn empty() -> Tree {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("heldup-tree-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).expect("a folder for the tree");
        Tree { root }
    }

    /// The tree that a recording describes.
    pub fn of(recording: &[u8]) -> Tree {
        let tree = Tree::empty();
        for (header, content) in sections(recording) {
            match header.split_once(" -> ") {
                Some((path, target)) => tree.link(path, target),
                None => tree.write(&header, content),
            }
        }
        tree
    }

    /// A copy of a recorded tree, to be damaged.
    pub fn copy_of(source: &Path) -> Tree {
        let tree = Tree::empty();
        copy(source, &tree.root);
        tree
    }

    pub fn write(&self, path: &str, content: &[u8]) {
        fs::write(self.place(path), content).expect("a file of the tree");
    }

    pub fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.place(path)).expect("a link");
    }

    /// Files that are no links, with their content.
    pub fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let read = |path: PathBuf| {
            let content = fs::read(&path).expect("a file of the tree");
            (path, content)
        };
        files(&self.root).into_iter().map(read).collect()
    }

    /// Reading a folder as a file fails for root too, unlike rights that are taken away.
    pub fn replace_files_with_folders(&self, mut this_one: impl FnMut() -> bool) {
        for path in files(&self.root).into_iter().filter(|_| this_one()) {
            fs::remove_file(&path).expect("a file of the tree");
            fs::create_dir(&path).expect("a folder in its place");
        }
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = self.root.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        path
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Files below a folder that are no links, sorted.
fn files(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the tree").flatten() {
            let kind = entry.file_type().expect("a kind of file");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a recorded tree").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().expect("a kind of file");
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source).expect("a link"), &target).expect("a link");
        } else if kind.is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).expect("a file");
        }
    }
}

fn sections(recording: &[u8]) -> Vec<(String, &[u8])> {
    let mut sections: Vec<(String, &[u8])> = Vec::new();
    let mut content_at = 0;
    let mut at = 0;
    let mut header: Option<String> = None;
    for line in recording.split_inclusive(|b| *b == b'\n') {
        let text = String::from_utf8_lossy(line);
        if let Some(path) = text.strip_prefix("==> ").and_then(|rest| rest.trim_end().strip_suffix(" <==")) {
            if let Some(header) = header.replace(path.to_owned()) {
                // The empty line before the next header is no part of the file.
                let content = &recording[content_at..at];
                sections.push((header, content.strip_suffix(b"\n").unwrap_or(content)));
            }
            content_at = at + line.len();
        }
        at += line.len();
    }
    let header = header.expect("a recording begins with ==> PATH <==");
    sections.push((header, &recording[content_at..]));
    sections
}

/// Batches of one table as text: one line for each row, without host; lengths to the second.
pub fn show_table(capture: &Capture, table: &str) -> String {
    let mut shown = String::new();
    for batch in capture.tables.get(table).map(Vec::as_slice).unwrap_or_default() {
        for row in 0..batch.num_rows() {
            let mut cells = Vec::new();
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                if column.is_null(row) || field.name() == "host" {
                    continue;
                }
                let value = match field.name().as_str() {
                    "secs" => format!("{:.0}", column.as_primitive::<Float64Type>().value(row)),
                    _ => value(column, row),
                };
                cells.push(format!("{}={value}", field.name()));
            }
            shown.push_str(&cells.join(" "));
            shown.push('\n');
        }
    }
    shown
}

fn value(column: &ArrayRef, row: usize) -> String {
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        // Differences of hundredths: without the noise of the last binary digits.
        DataType::Float64 => {
            format!("{}", (column.as_primitive::<Float64Type>().value(row) * 1e6).round() / 1e6)
        }
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        _ => {
            let dictionary = column.as_dictionary::<Int32Type>();
            let word = dictionary.keys().value(row) as usize;
            dictionary.values().as_string::<i32>().value(word).to_owned()
        }
    }
}

/// A reading as text: one line for each row with what is not NULL, then what was missing
/// and what was wrong.
pub fn show(reading: &Reading) -> String {
    let mut shown = String::new();
    for set in &reading.rows {
        for row in 0..set.len {
            shown.push_str(set.def.name);
            show_row(&mut shown, set, row);
            shown.push('\n');
        }
    }
    for missing in &reading.missing {
        let _ = writeln!(shown, "missing {}: {}; {}", missing.what, missing.why, missing.how);
    }
    for flaw in &reading.flaws {
        let _ = writeln!(shown, "flaw {}: {}", flaw.place, flaw.what);
    }
    shown
}

fn show_row(shown: &mut String, set: &RowSet, row: usize) {
    for (column, cells) in set.def.columns.iter().zip(&set.cells) {
        let value = match cells {
            Cells::Int(values) => values[row].map(|value| value.to_string()),
            Cells::Float(values) => values[row].map(|value| value.to_string()),
            Cells::Bool(values) => values[row].map(|value| value.to_string()),
            Cells::Text(values) => values[row].as_ref().map(|value| format!("{value:?}")),
        };
        if let Some(value) = value {
            let _ = write!(shown, " {}={value}", column.name);
        }
    }
}
