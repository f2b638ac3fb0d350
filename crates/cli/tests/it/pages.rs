//! `--format html`, `-o x.html` and `--redact`.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;

use crate::typed::{Folder, heldup};

/// A day of a made-up host, as sysstat writes it.
const SAR: &str = "Linux 6.1.0-28-amd64 (dbserver17.corp.example.net) \t11/21/25 \t_x86_64_\t(2 CPU)\n\n\
10:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
10:00:02        all     40.00      0.00     10.00      0.00      0.00     50.00\n\
10:00:03        all     60.00      0.00     10.00      0.00      0.00     30.00\n\
10:00:04        all     50.00      0.00     10.00      0.00      0.00     40.00\n";

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).expect("a page")
}

fn is_page(text: &str) {
    assert!(text.starts_with("<!doctype html>") && text.trim_end().ends_with("</html>"), "{text}");
    assert!(text.contains("default-src 'none'"), "{text}");
    // Where the page is in it, its script is the only one that may run.
    let scripts = text.matches("<script").count();
    let allowed = text.contains("script-src 'sha256-") && text.contains("id=\"heldup-data\"");
    assert!(scripts == 0 || scripts == 2 && allowed, "{scripts} scripts");
}

/// What the page in a report answers from, unpacked; empty where there is none.
fn inside(page: &str) -> String {
    let Some((_, data)) = page.split_once("id=\"heldup-data\">") else { return String::new() };
    let (data, _) = data.split_once("</script>").expect("the end of the data");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let unpacked = ["answers", "frames"].map(|name| {
        let packed = STANDARD.decode(data[name].as_str().expect("packed")).expect("base64");
        let mut bytes = Vec::new();
        ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("deflated");
        String::from_utf8_lossy(&bytes).into_owned()
    });
    unpacked.concat()
}

#[test]
fn a_page_by_its_format_and_by_the_name_of_its_file() {
    let folder = Folder::new();
    is_page(&heldup(&folder, &["sar.txt", "--format", "html"]).is(0, &["run queue", "<figure>"]).out);
    for words in
        [&["sar.txt"][..], &["examine", "@last"], &["plot", "sar.txt"], &["breakdown", "cpu", "sar.txt"]]
    {
        let said = heldup(&folder, &[words, &["-o", "x.html"]].concat());
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{words:?}: {}", said.err);
        is_page(&read(&folder, "x.html"));
        std::fs::remove_file(folder.path().join("x.html")).expect("removed");
        is_page(&heldup(&folder, &[words, &["--format", "html"]].concat()).is(0, &[]).out);
    }
    heldup(&folder, &["capture", "-o", "a.heldup", "sar.txt"]).is(0, &[]);
    heldup(&folder, &["compare", "a.heldup", "a.heldup", "-o", "x.html"]).is(0, &[]);
    is_page(&read(&folder, "x.html"));
    // What is asked for by name counts.
    heldup(&folder, &["sar.txt", "--json", "-o", "x.html"]).is(0, &[]);
    assert!(read(&folder, "x.html").starts_with('{'));
    heldup(&folder, &["compare", "a.heldup", "a.heldup", "-o", "x.txt"]).is(0, &[]);
    assert!(read(&folder, "x.txt").contains("samples"));
}

#[test]
fn other_commands_have_no_page() {
    let folder = Folder::new();
    for words in [&["tables"][..], &["doctor"], &["status"], &["rules", "list"], &["watch", "-n", "1"]] {
        heldup(&folder, &[words, &["--format", "html"]].concat()).complains(2, &["text, json, csv"]);
    }
    heldup(&folder, &["sar.txt", "--format", "htm"]).complains(2, &["text, json, csv, html"]);
}

#[test]
fn a_redacted_page_names_no_host() {
    let folder = Folder::new();
    let file = folder.path().join("dbserver17-sar.txt");
    std::fs::write(&file, SAR).expect("written");
    let name = Path::new("dbserver17-sar.txt").display().to_string();
    for command in [&["examine"][..], &["plot"], &["breakdown", "cpu"]] {
        let plain = heldup(&folder, &[command, &[&name, "--format", "html"]].concat()).is(0, &["dbserver17"]);
        is_page(&plain.out);
        if command == ["examine"] {
            assert!(inside(&plain.out).contains("dbserver17"), "{}", plain.out);
        }
        let words = [command, &[&name, "--redact", "--format", "html"]].concat();
        let page = heldup(&folder, &words).is(0, &["host-1"]).out;
        is_page(&page);
        let all = page.clone() + &inside(&page);
        assert!(!all.contains("dbserver17") && !all.contains("corp.example"), "{command:?}: {all}");
    }
    let text = heldup(&folder, &[&name, "--redact"]).is(0, &["host-1"]).out;
    assert!(!text.contains("dbserver17"), "{text}");
    // One name is one pseudonym on both sides.
    let words = ["compare", &name, &name, "--redact", "--format", "html"];
    let page = heldup(&folder, &words).is(0, &["host-1"]).out;
    assert!(!page.contains("dbserver17") && !page.contains("host-2"), "{page}");
}

#[test]
fn what_is_redacted_is_not_saved() {
    let folder = Folder::new();
    heldup(&folder, &["sar.txt", "--redact"]).is(0, &[]);
    heldup(&folder, &["@last"]).complains(3, &["no saved examination"]);
}
