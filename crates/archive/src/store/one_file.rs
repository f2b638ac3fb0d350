//! A capture as one file, `.heldup`: a zip of what the folder holds, for a helper elsewhere.
//!
//! Entries are stored as they are, because Parquet is compressed already, so that any program for
//! zip files takes them out. What is read comes from elsewhere and is hostile: entries are asked
//! for by the names of our own tables and never written anywhere, and their number and size have
//! bounds. Unlike the folder of the last examination the file is brought to the disk: it is sent away.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use heldup_model::Capture;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::manifest::{MANIFEST, Manifest};
use super::{FILE_MODE, MAX_FILE_BYTES, StoreError, encoded_tables, read_tables};

/// Entries that a file may have: our tables are some sixty.
const MAX_ENTRIES: usize = 1000;
/// Bytes of all entries together that are read.
const MAX_ALL_BYTES: u64 = 4 << 30;
/// How every zip file that has an entry begins.
const MAGIC: &[u8] = b"PK\x03\x04";

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Tables with a row.
    pub tables: usize,
    /// Rows of all.
    pub rows: u64,
    /// Length of the file.
    pub bytes: u64,
}

/// Whether a file is a zip file, by how it begins.
pub fn is_file(path: &Path) -> bool {
    let mut begin = [0; MAGIC.len()];
    // Asked first: opening a pipe waits for who writes to it.
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok()
        && begin == *MAGIC
}

/// Writes a capture to one file, which appears as a whole and only its owner may read.
///
/// A file that is there stays, and is an error, unless it is to be replaced.
pub fn save_file(capture: &Capture, path: &Path, replace: bool) -> Result<Written, StoreError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", heldup_hostfs::own_pid()));
    let fresh = path.with_file_name(name);
    let written = write(capture, &fresh, path).and_then(|written| {
        put(&fresh, path, replace).map_err(StoreError::io(path))?;
        Ok(written)
    });
    // What is not in its place now is of no use.
    let _ = fs::remove_file(&fresh);
    written
}

fn write(capture: &Capture, fresh: &Path, path: &Path) -> Result<Written, StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(FILE_MODE);
    let file = options.open(fresh).map_err(StoreError::io(path))?;
    let mut zip = ZipWriter::new(BufWriter::new(file));
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .unix_permissions(FILE_MODE);
    let mut entry = |name: &str, bytes: &[u8]| {
        zip.start_file(name, stored).map_err(|error| zip_error(path, name, error))?;
        zip.write_all(bytes).map_err(StoreError::io(path))
    };
    let mut manifest = Manifest::of(capture);
    manifest.tables = encoded_tables(capture, path, &mut |name, bytes| entry(name, bytes))?;
    let text = manifest.to_json().map_err(StoreError::corrupt(path))?;
    entry(MANIFEST, text.as_bytes())?;
    let file = zip.finish().map_err(|error| zip_error(path, MANIFEST, error))?;
    let file = file.into_inner().map_err(|error| StoreError::io(path)(error.into_error()))?;
    file.sync_all().map_err(StoreError::io(path))?;
    let bytes = file.metadata().map_err(StoreError::io(path))?.len();
    let rows = manifest.tables.iter().map(|table| table.rows).sum();
    Ok(Written { tables: manifest.tables.len(), rows, bytes })
}

/// Puts a finished file into its place, and has the place remembered by the disk.
fn put(fresh: &Path, path: &Path, replace: bool) -> std::io::Result<()> {
    if replace {
        fs::rename(fresh, path)?;
    } else {
        // Unlike a renaming it fails where something is there meanwhile. Some file systems have no
        // links: there it is looked for.
        match fs::hard_link(fresh, path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists && !path.exists() => {
                fs::rename(fresh, path)?
            }
            other => other?,
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Reads what can be read of a file: a table whose entry is damaged is left out and said. Only
/// a file without a manifest that can be read is an error.
pub fn load_file(path: &Path) -> Result<(Capture, Vec<StoreError>), StoreError> {
    let file = File::open(path).map_err(StoreError::io(path))?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| {
        let what = format!("not a whole capture: {error}; expected a zip file with {MANIFEST}");
        StoreError::corrupt(path)(what)
    })?;
    if zip.len() > MAX_ENTRIES {
        let what = format!("{} entries, expected at most {MAX_ENTRIES}; not read", zip.len());
        return Err(StoreError::corrupt(path)(what));
    }
    let mut left = MAX_ALL_BYTES;
    let mut entry = |name: &str| -> Result<Vec<u8>, StoreError> {
        let place = in_file(path, name);
        let mut entry = zip.by_name(name).map_err(|error| zip_error(path, name, error))?;
        let most = left.min(MAX_FILE_BYTES);
        let mut bytes = Vec::new();
        (&mut entry).take(most + 1).read_to_end(&mut bytes).map_err(StoreError::io(&place))?;
        if bytes.len() as u64 > most {
            return Err(StoreError::corrupt(&place)(format!("more than {most} bytes; not read")));
        }
        left -= bytes.len() as u64;
        Ok(bytes)
    };
    let said = entry(MANIFEST)?;
    let place = in_file(path, MANIFEST);
    let manifest = Manifest::from_json(&said).map_err(StoreError::corrupt(&place))?;
    let capture = manifest.to_capture().map_err(StoreError::corrupt(&place))?;
    Ok(read_tables(capture, &manifest, &|name| in_file(path, name), &mut |name| entry(name)))
}

/// How an entry is called in messages.
fn in_file(path: &Path, entry: &str) -> PathBuf {
    let mut place = path.as_os_str().to_owned();
    place.push(format!(", entry {entry}"));
    place.into()
}

fn zip_error(path: &Path, entry: &str, error: ZipError) -> StoreError {
    let place = in_file(path, entry);
    match error {
        ZipError::Io(source) => StoreError::Io { path: place, source },
        ZipError::FileNotFound => StoreError::corrupt(&place)("not there".to_owned()),
        other => StoreError::corrupt(&place)(other.to_string()),
    }
}
