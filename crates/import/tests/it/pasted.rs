//! Recordings as people pass them on: in a block of Markdown, quoted in a mail, from a page of the web, with numbers of lines.
//! Their tables are those of the recording itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::table_text::import;

/// Larger recordings repeat themselves.
const MOST_BYTES: u64 = 20_000;

/// What somebody makes of a text.
struct Form {
    name: &'static str,
    of: fn(&str) -> String,
    /// Recordings of which the form is another text: what begins them, and why.
    but: &'static [&'static str],
}

const FORMS: [Form; 9] = [
    Form {
        name: "in a fence",
        of: |text| format!("Hi,\n\n```\n$ some-command -x\n{text}```\n\nAny idea why it is slow?\n"),
        // Most lines are comments, and the prose around is more.
        but: &["postgresql.conf/"],
    },
    Form { name: "indented by four", of: |text| each(text, |_, line| format!("    {line}")), but: &[] },
    Form { name: "indented by a tab", of: |text| each(text, |_, line| format!("\t{line}")), but: &[] },
    Form {
        name: "quoted",
        of: |text| each(text, |_, line| format!("> {line}")),
        // Tabs of a line that is quoted end elsewhere.
        but: &["process_status/"],
    },
    Form {
        name: "with letters of a page",
        of: |text| {
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            text.replace('"', "&quot;").replace("  ", "&nbsp; ")
        },
        but: &[],
    },
    Form { name: "with hard blanks", of: |text| text.replace("  ", "\u{a0} "), but: &[] },
    Form {
        name: "with ends of lines of DOS",
        of: |text| each(text, |_, line| format!("{line}\r")),
        but: &[],
    },
    Form {
        name: "with numbers of lines",
        of: |text| each(text, |at, line| format!("{:6}\t{line}", at + 1)),
        but: &NOT_NUMBERED,
    },
    Form {
        name: "with numbers and colons",
        of: |text| each(text, |at, line| format!("{}: {line}", at + 1)),
        but: &NOT_NUMBERED,
    },
];

/// Whose lines mean something alone, so that the first number is a part of them.
const NOT_NUMBERED: [&str; 8] = [
    "TNF/hand-made-requests",
    "kernel_log/",
    "lsblk/debian-12-6.18.44-util-linux-2.38.1-J",
    "mount/",
    "perf_script/",
    "swap/",
    "uptime/",
    "sysctl/",
];

fn each(text: &str, form: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(at, line)| form(at, line) + "\n").collect()
}

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folders = fs::read_dir(root).expect("fixtures").map(|entry| entry.expect("entry").path());
    let files = folders
        .filter(|path| path.is_dir() && !path.ends_with("bundles"))
        .flat_map(|folder| fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()));
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .filter(|path| fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES))
        .collect();
    files.sort();
    files
}

/// All rows by table, without the numbers of lines that they came from.
fn rows(text: &[u8]) -> BTreeMap<String, String> {
    let Some(capture) = import(text).capture else { return BTreeMap::new() };
    let text = |batches: &Vec<arrow_array::RecordBatch>| {
        let mut text = String::new();
        for batch in batches {
            let mut batch = batch.clone();
            if let Ok(at) = batch.schema().index_of("sequence") {
                batch.remove_column(at);
            }
            text += &format!("{batch:?}");
        }
        text
    };
    capture.tables.iter().map(|(table, batches)| (table.to_string(), text(batches))).collect()
}

#[test]
fn a_recording_is_the_same_however_it_was_pasted() {
    let files = recordings();
    assert!(files.len() > 100, "{} recordings", files.len());
    let mut different = Vec::new();
    for file in files {
        let text = fs::read(&file).expect("recording");
        let Ok(text) = String::from_utf8(text) else { continue };
        let (expected, name) = (rows(text.as_bytes()), file.display().to_string());
        let name = name.split("fixtures/").last().expect("a name");
        for form in FORMS.iter().filter(|form| !form.but.iter().any(|begin| name.starts_with(begin))) {
            let found = rows((form.of)(&text).as_bytes());
            let tables = expected.keys().chain(found.keys());
            let others: Vec<&String> =
                tables.filter(|table| expected.get(*table) != found.get(*table)).collect();
            if !others.is_empty() {
                different.push(format!("{name} {}: {others:?}", form.name));
            }
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}
