//! A capture as a folder: one Parquet file a table, and a manifest.
//!
//! The files are plain: `duckdb -c "select * from 'task_time.parquet'"` works, and so
//! do pandas, Trino and Spark. A folder is replaced as a whole, so that a reader, or
//! whoever looks after a crash, finds the old capture or the new one.
//!
//! Nothing is forced to the disk: the program is used on machines whose disks are
//! the trouble, and the last examination is not worth a stall. What a power cut tore
//! is recognized by the lengths and checksums in the manifest.

mod folder;
mod manifest;
mod one_file;
mod table_file;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use heldup_model::{Capture, tables};

pub use manifest::{MANIFEST, SCHEMA};
use manifest::{Manifest, TableFile};
pub use one_file::{Written, is_file, load_file, save_file};
pub(crate) use table_file::{conform, conform_column, conform_with};

/// Only the owner reads captures: command lines may hold secrets.
const FILE_MODE: u32 = 0o600;

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Times that a reader begins again because a writer replaced the folder meanwhile.
const REPLACED_WHILE_READ: u32 = 3;

/// Why a capture was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's own error.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path}: {what}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        what: String,
    },
}

impl StoreError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + '_ {
        move |source| StoreError::Io { path: path.into(), source }
    }

    pub(crate) fn corrupt(path: &Path) -> impl FnOnce(String) -> StoreError + '_ {
        move |what| StoreError::Corrupt { path: path.into(), what }
    }
}

/// Writes a capture to a folder, replacing what was there as a whole.
///
/// Folders are made where they are missing; only their owner may read what is in
/// them. Tables that the model does not have are left out.
pub fn save(capture: &Capture, dir: &Path) -> Result<(), StoreError> {
    let fresh = folder::fresh_beside(dir)?;
    let written = write_all(capture, &fresh).and_then(|()| folder::replace(dir, &fresh));
    if written.is_err() {
        // The error that is returned says more than a failure to tidy up after it.
        let _ = fs::remove_dir_all(&fresh);
    }
    written
}

fn write_all(capture: &Capture, dir: &Path) -> Result<(), StoreError> {
    let mut manifest = Manifest::of(capture);
    manifest.tables =
        encoded_tables(capture, dir, &mut |name, bytes| folder::write_file(&dir.join(name), bytes))?;
    let path = dir.join(MANIFEST);
    let text = manifest.to_json().map_err(StoreError::corrupt(&path))?;
    folder::write_file(&path, text.as_bytes())
}

/// Writes the bytes of a file by its name.
type WriteFile<'a> = dyn FnMut(&str, &[u8]) -> Result<(), StoreError> + 'a;
/// Reads a file by its name.
type ReadFile<'a> = dyn FnMut(&str) -> Result<Vec<u8>, StoreError> + 'a;

/// Gives the file of each table that has a row to `write`, and describes them.
fn encoded_tables(
    capture: &Capture,
    place: &Path,
    write: &mut WriteFile,
) -> Result<Vec<TableFile>, StoreError> {
    let mut files = Vec::new();
    for (name, batches) in &capture.tables {
        let Some(def) = tables::find(name) else { continue };
        let file_name = table_file::name(def);
        let (bytes, rows) =
            table_file::encode(def, batches).map_err(StoreError::corrupt(&place.join(&file_name)))?;
        if rows == 0 {
            continue;
        }
        write(&file_name, &bytes)?;
        files.push(TableFile {
            name: name.clone(),
            rows,
            bytes: bytes.len() as u64,
            checksum: manifest::checksum(&bytes),
        });
    }
    Ok(files)
}

/// Reads a capture that [`save`] wrote; a file that is damaged is an error that names it.
pub fn load(dir: &Path) -> Result<Capture, StoreError> {
    let (capture, mut damaged) = load_rest(dir)?;
    match damaged.pop() {
        Some(error) => Err(error),
        None => Ok(capture),
    }
}

/// Reads what can be read of a capture; tables whose files are damaged are left out
/// and said. Only a manifest that cannot be read is an error.
pub fn load_rest(dir: &Path) -> Result<(Capture, Vec<StoreError>), StoreError> {
    let path = dir.join(MANIFEST);
    let mut before = read(&path)?;
    for _ in 0..REPLACED_WHILE_READ {
        let (capture, damaged) = read_all(dir, &before)?;
        if damaged.is_empty() {
            return Ok((capture, damaged));
        }
        // Perhaps the folder was replaced while it was read.
        let after = read(&path)?;
        if after == before {
            return Ok((capture, damaged));
        }
        before = after;
    }
    read_all(dir, &before)
}

fn read_all(dir: &Path, manifest: &[u8]) -> Result<(Capture, Vec<StoreError>), StoreError> {
    let path = dir.join(MANIFEST);
    let manifest = Manifest::from_json(manifest).map_err(StoreError::corrupt(&path))?;
    let capture = manifest.to_capture().map_err(StoreError::corrupt(&path))?;
    Ok(read_tables(capture, &manifest, &|name| dir.join(name), &mut |name| read(&dir.join(name))))
}

/// Adds the tables that the manifest names to a capture; those that are damaged are left out and
/// said. `place` is how a file is called in messages.
fn read_tables(
    mut capture: Capture,
    manifest: &Manifest,
    place: &dyn Fn(&str) -> PathBuf,
    read: &mut ReadFile,
) -> (Capture, Vec<StoreError>) {
    let mut damaged = Vec::new();
    for file in &manifest.tables {
        // A table of a later version; also keeps file names to those that we know.
        let Some(def) = tables::find(&file.name) else { continue };
        let name = table_file::name(def);
        let batches = read(&name).and_then(|bytes| {
            manifest::check(file, &bytes)
                .and_then(|()| table_file::decode(def, bytes, file.rows))
                .map_err(StoreError::corrupt(&place(&name)))
        });
        match batches {
            Ok(batches) => {
                capture.tables.insert(file.name.clone(), batches);
            }
            Err(error) => damaged.push(error),
        }
    }
    (capture, damaged)
}

/// A file's bytes, if they are not more than [`MAX_FILE_BYTES`].
fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    let file = fs::File::open(path).map_err(StoreError::io(path))?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(StoreError::io(path))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(StoreError::corrupt(path)(format!("more than {MAX_FILE_BYTES} bytes; not read")));
    }
    Ok(bytes)
}
