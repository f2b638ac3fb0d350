//! The page inside a report: the report is the same with it, only its own script may run, and its answers are read back.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use heldup_model::{
    Class, Examination, Frame, Plotted, ReportFigure, ReportPage, ReportParts, SeenProcess, SeenTask, Span,
};
use heldup_report::bundle::SCRIPT;
use heldup_report::{TextOptions, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

const HOSTILE: &str = "</script><script>alert(1)</script>\u{202e}\u{1b}";
/// Bytes of a report at most.
const BAR: usize = 1_500_000;

fn golden(name: &str) -> Vec<u8> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    std::fs::read(path).expect("input")
}

fn examination(name: &str) -> Examination {
    serde_json::from_slice(&golden(name)).expect("an examination")
}

fn frames() -> Vec<Frame> {
    serde_json::from_slice::<Plotted>(&golden("figures.json")).expect("figures").figures
}

fn parts(processes: i64) -> ReportParts {
    let figures = frames().into_iter().map(|frame| ReportFigure { frame, findings: Vec::new() }).collect();
    ReportParts { figures, page: Some(page(processes)), ..ReportParts::default() }
}

fn page(processes: i64) -> ReportPage {
    let task = |pid| SeenTask {
        tid: pid,
        pid: Some(pid),
        name: HOSTILE.to_owned(),
        times: vec![(Class::DiskSync, pid as f64), (Class::Timer, 1e6)],
    };
    let process = |pid| SeenProcess {
        pid,
        name: HOSTILE.to_owned(),
        command: Some(format!("{HOSTILE} {}", "long ".repeat(1000))),
        ..SeenProcess::default()
    };
    ReportPage {
        span: Span { since_ms: 1_763_700_000_000, until_ms: 1_763_700_010_000 },
        tasks: (1..=processes).map(task).collect(),
        processes: (1..=processes).map(process).collect(),
        figures: Vec::new(),
        breakdowns: Vec::new(),
    }
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text.split_once(from).expect("its begin");
    rest.split_once(to).expect("its end").0
}

fn unpacked(data: &Value, name: &str) -> Vec<u8> {
    let packed = STANDARD.decode(data[name].as_str().expect("a text")).expect("base64");
    let mut bytes = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("zlib");
    bytes
}

fn data(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"heldup-data\">", "</script>")).expect("JSON")
}

#[test]
fn the_report_is_the_same_with_the_page_in_it() {
    let examination = examination("sync-bound.json");
    let without = ReportParts { page: None, ..parts(3) };
    let bare = html::examination(&examination, &without, &TextOptions::default());
    let page = html::examination(&examination, &parts(3), &TextOptions::default());
    assert_eq!(
        between(&page, "<div id=\"report\">\n", "</div>\n<script type"),
        between(&bare, "<body>\n", "</body>")
    );
    assert!(page.len() < BAR, "{}", page.len());
    assert!(!bare.contains("<script"), "without the page no script");
}

#[test]
fn its_own_script_may_run_and_no_other() {
    let page = html::examination(&examination("hostile.json"), &parts(3), &TextOptions::default());
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\">");
    let script = policy.split("; ").find(|one| one.starts_with("script-src")).expect("a policy of scripts");
    assert_eq!(script, format!("script-src 'sha256-{hash}'"));
    assert_eq!(between(&page, "<script>", "</script>"), SCRIPT);
    assert_eq!(page.matches("<script").count(), 2, "data and script");
}

#[test]
fn what_it_answers_is_read_back() {
    let examination = examination("sync-bound.json");
    let page = html::examination(&examination, &parts(3), &TextOptions::default());
    let data = data(&page);
    let answers: Value = serde_json::from_slice(&unpacked(&data, "answers")).expect("JSON");
    assert_eq!(data["format"], 1);
    assert_eq!(answers["view"]["examination"], serde_json::to_value(&examination).expect("JSON"));
    assert_eq!(answers["who"]["processes"][2]["name"], HOSTILE);
    assert_eq!(answers["state"]["host"], examination.host.name);
    let bytes = unpacked(&data, "frames");
    let (mut at, mut ids) = (0, Vec::new());
    while at < bytes.len() {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
        let (head, floats) = (number(at), number(at + 4));
        let head_text = &bytes[at + 8..at + 8 + head];
        let frame: Value = serde_json::from_slice(head_text).expect("a head");
        ids.push(frame["id"].as_str().expect("an id").to_owned());
        at += 8 + head + 8 * floats;
    }
    let expected: Vec<String> = frames().into_iter().map(|frame| frame.id).collect();
    assert_eq!((at, ids), (bytes.len(), expected));
}

#[test]
fn many_processes_are_the_busiest_of_them() {
    let examination = examination("sync-bound.json");
    let page = html::examination(&examination, &parts(50_000), &TextOptions::default());
    assert!(page.len() < BAR, "{}", page.len());
    let answers: Value = serde_json::from_slice(&unpacked(&data(&page), "answers")).expect("JSON");
    let processes = answers["who"]["processes"].as_array().expect("processes");
    assert_eq!((processes.len(), &processes[0]["pid"]), (2000, &Value::from(48_001)));
}
