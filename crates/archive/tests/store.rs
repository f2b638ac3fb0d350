//! A stored capture is the capture, for its owner only, and damage is said.

// Clippy takes the functions that several tests share for production code.
#![allow(clippy::expect_used, clippy::panic)]

mod synthetic;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use heldup_archive::Database;
use heldup_archive::store::{self, MANIFEST, StoreError};
use heldup_model::{Capture, RowSet, tables};
use synthetic::{Size, capture};

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("store-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn last(&self) -> PathBuf {
        self.0.join("state/last")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn small(samples: i64) -> Capture {
    capture(Size { samples, processes: 12, tasks: 40 })
}

fn rows(capture: &Capture, table: &str) -> Vec<Vec<heldup_archive::Value>> {
    Database::open(capture).expect("a database").query(&format!("select * from {table}")).expect("rows").rows
}

fn assert_same(one: &Capture, other: &Capture) {
    assert_eq!(
        (&one.host, one.span, one.method, one.coverage),
        (&other.host, other.span, other.method, other.coverage)
    );
    assert_eq!((&one.missing, &one.flaws), (&other.missing, &other.flaws));
    for def in tables::ALL {
        assert_eq!(rows(one, def.name), rows(other, def.name), "{}", def.name);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_capture_comes_back_as_it_was() {
    let folder = Folder::new("back");
    let before = small(5);
    store::save(&before, &folder.last()).expect("saved");
    let after = store::load(&folder.last()).expect("loaded");
    assert_same(&before, &after);
    for (name, batches) in &after.tables {
        let def = tables::find(name).expect("a table");
        assert!(batches.iter().all(|batch| batch.schema() == RowSet::schema(def)), "{name}");
    }
}

#[test]
fn only_the_owner_may_read_it() {
    let folder = Folder::new("mode");
    store::save(&small(1), &folder.last()).expect("saved");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder.0.join("state")), 0o700);
    assert_eq!(mode(&folder.last()), 0o700);
    for name in names(&folder.last()) {
        assert_eq!(mode(&folder.last().join(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_new_capture_replaces_the_old_as_a_whole() {
    let folder = Folder::new("replace");
    store::save(&small(5), &folder.last()).expect("saved");
    let mut fewer = small(2);
    fewer.tables.remove("disk");
    store::save(&fewer, &folder.last()).expect("saved");
    assert_same(&fewer, &store::load(&folder.last()).expect("loaded"));
    assert!(!folder.last().join("disk.parquet").exists());
    assert_eq!(names(&folder.0.join("state")), ["last"], "nothing is left beside it");
}

#[test]
fn a_failed_save_leaves_the_old_one() {
    let folder = Folder::new("failed");
    let good = small(3);
    store::save(&good, &folder.last()).expect("saved");
    let mut bad = small(3);
    let time = bad.tables["cpu"][0].column(0).clone();
    let wrong = arrow_array::RecordBatch::try_from_iter([("host", time)]).expect("a batch");
    bad.tables.insert("system".into(), vec![wrong]);
    let error = store::save(&bad, &folder.last()).expect_err("an error").to_string();
    assert!(error.ends_with("system.parquet: column host holds Int64, expected TEXT"), "{error}");
    assert_same(&good, &store::load(&folder.last()).expect("loaded"));
    assert_eq!(names(&folder.0.join("state")), ["last"]);
}

#[test]
fn what_is_not_a_folder_is_not_replaced() {
    let folder = Folder::new("file");
    let place = folder.0.join("last");
    fs::write(&place, "precious").expect("written");
    assert!(store::save(&small(1), &place).is_err());
    assert_eq!(fs::read_to_string(&place).expect("read"), "precious");
}

#[test]
fn a_damaged_file_is_named_and_the_rest_is_read() {
    let folder = Folder::new("damaged");
    let before = small(3);
    store::save(&before, &folder.last()).expect("saved");
    let path = folder.last().join("disk.parquet");
    let mut bytes = fs::read(&path).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("written");
    let error = store::load(&folder.last()).expect_err("an error").to_string();
    assert!(error.contains("disk.parquet") && error.contains("damaged"), "{error}");
    let (rest, damaged) = store::load_rest(&folder.last()).expect("the rest");
    assert_eq!(damaged.len(), 1);
    assert_eq!(rows(&rest, "task_time"), rows(&before, "task_time"));
    assert!(rows(&rest, "disk").is_empty());
}

#[test]
fn missing_and_cut_files_are_named() {
    let folder = Folder::new("cut");
    store::save(&small(2), &folder.last()).expect("saved");
    let cut = folder.last().join("cpu.parquet");
    let bytes = fs::read(&cut).expect("read");
    fs::write(&cut, &bytes[..bytes.len() - 9]).expect("written");
    fs::remove_file(folder.last().join("task_time.parquet")).expect("removed");
    let (_, damaged) = store::load_rest(&folder.last()).expect("the rest");
    let shown: Vec<String> = damaged.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].contains("cpu.parquet") && shown[0].contains("expected"), "{shown:?}");
    assert!(
        shown[1].contains("task_time.parquet") && matches!(damaged[1], StoreError::Io { .. }),
        "{shown:?}"
    );
}

#[test]
fn a_manifest_that_is_not_ours_is_an_error() {
    let folder = Folder::new("manifest");
    assert!(matches!(store::load(&folder.last()), Err(StoreError::Io { .. })));
    store::save(&small(1), &folder.last()).expect("saved");
    let path = folder.last().join(MANIFEST);
    let text = fs::read_to_string(&path).expect("read");
    for (from, to, expected) in [
        ("heldup/capture/1", "heldup/capture/2", "schema is"),
        ("\"coverage\": 0.998", "\"coverage\": 7.5", "coverage is 7.5"),
        ("\"since_ms\": 17", "\"since_ms\": 97", "before it begins"),
        ("\"ebpf\"", "\"magic\"", "unknown variant"),
        ("{", "", "expected"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let error = store::load(&folder.last()).expect_err("an error").to_string();
        assert!(error.contains(MANIFEST) && error.contains(expected), "{error}");
    }
}

#[test]
fn names_in_the_manifest_do_not_lead_out_of_the_folder() {
    let folder = Folder::new("escape");
    store::save(&small(1), &folder.last()).expect("saved");
    let path = folder.last().join(MANIFEST);
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, text.replace("\"name\": \"disk\"", "\"name\": \"../../secret\"")).expect("written");
    let capture = store::load(&folder.last()).expect("loaded");
    assert!(!capture.tables.contains_key("../../secret") && !capture.tables.contains_key("disk"));
}

#[test]
fn writers_at_the_same_time_leave_one_whole_capture() {
    let folder = Folder::new("writers");
    let captures: Vec<Capture> = (1..=4).map(small).collect();
    std::thread::scope(|scope| {
        for capture in &captures {
            scope.spawn(|| store::save(capture, &folder.last()).expect("saved"));
        }
    });
    let kept = store::load(&folder.last()).expect("loaded");
    let written = captures.iter().find(|capture| capture.span == kept.span).expect("one of them");
    assert_same(written, &kept);
    assert_eq!(names(&folder.0.join("state")), ["last"]);
}

/// The one file: what it is read as, and what is said of it.
fn read_file(path: &Path) -> (Capture, Vec<String>) {
    let (capture, damaged) = store::load_file(path).expect("a capture");
    (capture, damaged.iter().map(ToString::to_string).collect())
}

#[test]
fn one_file_comes_back_as_it_was_for_its_owner_only() {
    let folder = Folder::new("one-file");
    let (before, path) = (small(5), folder.0.join("box.heldup"));
    let written = store::save_file(&before, &path, false).expect("saved");
    assert!(store::is_file(&path) && !store::is_file(&folder.0));
    assert_eq!(written.bytes, fs::metadata(&path).expect("a file").len());
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    let (after, damaged) = read_file(&path);
    assert_same(&before, &after);
    assert_eq!((damaged, names(&folder.0)), (Vec::<String>::new(), vec!["box.heldup".to_owned()]));
}

#[test]
fn one_file_is_replaced_only_where_that_is_wanted() {
    let folder = Folder::new("one-file-replaced");
    let path = folder.0.join("box.heldup");
    fs::write(&path, "precious").expect("written");
    let error = store::save_file(&small(2), &path, false).expect_err("it is there");
    assert!(error.to_string().contains("exists"), "{error}");
    assert_eq!(fs::read(&path).expect("a file"), b"precious");
    store::save_file(&small(2), &path, true).expect("saved");
    assert_eq!(names(&folder.0), ["box.heldup"]);
    assert_same(&read_file(&path).0, &small(2));
}

#[test]
fn a_damaged_entry_loses_its_table_only() {
    let folder = Folder::new("one-file-damaged");
    let path = folder.0.join("box.heldup");
    store::save_file(&small(3), &path, false).expect("saved");
    let mut bytes = fs::read(&path).expect("a file");
    // The name of an entry stands before its bytes, and once more in the directory at the end.
    let at = bytes.windows(12).position(|window| window == b"disk.parquet").expect("an entry") + 40;
    bytes[at] ^= 0x55;
    fs::write(&path, &bytes).expect("written");
    let (capture, damaged) = read_file(&path);
    assert!(!capture.tables.contains_key("disk") && capture.tables.contains_key("process"));
    assert_eq!(damaged.len(), 1, "{damaged:?}");
    assert!(damaged[0].contains("box.heldup, entry disk.parquet: "), "{damaged:?}");
}

#[test]
fn what_is_no_capture_is_said() {
    let folder = Folder::new("one-file-wrong");
    let path = folder.0.join("box.heldup");
    let said = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        store::load_file(&path).map(drop).expect_err("an error").to_string()
    };
    for bytes in [&b""[..], b"PK\x03\x04", b"{}"] {
        assert!(said(bytes).contains("expected a zip file with manifest.json"), "{}", said(bytes));
    }
    let zip = |entries: &[(&str, &[u8])]| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default();
        for (name, bytes) in entries {
            zip.start_file(*name, stored).expect("an entry");
            std::io::Write::write_all(&mut zip, bytes).expect("written");
        }
        zip.finish().expect("a file").into_inner()
    };
    assert!(said(&zip(&[("../../x", b"y")])).contains("entry manifest.json: not there"));
    let other = br#"{"schema": "heldup/capture/9"}"#;
    assert!(said(&zip(&[(MANIFEST, other)])).contains("expected \"heldup/capture/1\""));
    let names: Vec<String> = (0..1001).map(|number| format!("{number}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(said(&zip(&many)).contains("1001 entries, expected at most 1000"));
}

#[test]
fn a_broken_file_is_an_error_or_a_capture_and_never_a_panic() {
    let folder = Folder::new("one-file-broken");
    let path = folder.0.join("box.heldup");
    store::save_file(&small(2), &path, false).expect("saved");
    let whole = fs::read(&path).expect("a file");
    for length in (0..whole.len()).step_by(whole.len() / 60) {
        fs::write(&path, &whole[..length]).expect("written");
        assert!(store::load_file(&path).is_err(), "cut at {length}");
    }
    // The directory at the end is what a reader trusts.
    let places = (0..whole.len()).step_by(whole.len() / 30).chain(whole.len() - 100..whole.len());
    for at in places {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xa5;
        fs::write(&path, &bytes).expect("written");
        let _ = store::load_file(&path);
    }
}
