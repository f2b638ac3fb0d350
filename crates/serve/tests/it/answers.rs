//! What is answered.

use serde_json::{Value, json};

use crate::served::{Answer, shared};

/// Heads of the frames of an answer.
pub fn heads(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.header("content-type"), Some("application/vnd.heldup.frames"), "{}", answer.text());
    let mut bytes = answer.body.as_slice();
    let mut heads = Vec::new();
    while !bytes.is_empty() {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
        let (head, floats) = (number(0), number(4));
        heads.push(serde_json::from_slice(&bytes[8..8 + head]).expect("JSON"));
        bytes = &bytes[8 + head + 8 * floats..];
    }
    heads
}

#[test]
fn the_source_is_described() {
    let state = shared().get("/api/state").json();
    assert_eq!(state["source"]["kind"], "capture");
    assert_eq!((&state["live"], &state["hosts"]), (&json!(false), &json!([state["host"]])));
    assert_eq!(state["areas"].as_array().expect("areas").len(), 10);
    assert!(state["system"].as_str().expect("a line").contains("time accounting by eBPF"), "{state}");
    let other = shared().get("/api/state?host=nobody");
    assert_eq!(other.status, 404);
}

#[test]
fn a_window_is_judged_and_has_its_people() {
    let served = shared();
    let (window, since_ms, until_ms) = served.window();
    let view = served.get("/api/view").json();
    assert_eq!(view["span"], json!({ "since_ms": since_ms, "until_ms": until_ms }));
    let findings = view["examination"]["findings"].as_array().expect("findings");
    assert!(!findings.is_empty() && view["judged_ms"].is_null());
    let who = served.get(&format!("/api/who?{window}")).json();
    let process = &who["processes"][0];
    let life = format!("/api/life?pid={}&start_ms={}&{window}", process["pid"], process["start_ms"]);
    assert_eq!(served.get(&life).json()["process"]["name"], process["name"]);
    assert_eq!(served.get(&format!("/api/life?pid=-1&{window}")).status, 404);
    for path in ["marks?", "breakdown?kind=wait&", "breakdown?kind=cpu&focus=pid:1&"] {
        let answer = served.get(&format!("/api/{path}{window}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}

#[test]
fn a_rule_is_told_in_words() {
    let served = shared();
    let rule = served.get("/api/rule?id=disk.sync-bound").json();
    assert_eq!(rule["id"], "disk.sync-bound");
    assert!(rule["when_wrong"].as_str().is_some_and(|words| words.len() > 20), "{rule}");
    let unknown = served.get("/api/rule?id=disk.sync-bond");
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("disk.sync-bound"), "{}", unknown.text());
}

#[test]
fn a_question_that_makes_no_sense_is_told_so() {
    let served = shared();
    for path in [
        "/api/view?since_ms=2&until_ms=1",
        "/api/view?since_ms=x&until_ms=1",
        "/api/who",
        "/api/who?since_ms=1&until_ms=9223372036854775807",
        "/api/who?since_ms=-9223372036854775808&until_ms=9223372036854775807",
        "/api/breakdown?kind=nothing&since_ms=1&until_ms=2",
        "/api/time?words=the%20day%20after",
        "/api/time",
        "/api/live",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
        assert!(answer.json()["error"].as_str().is_some_and(|error| error.len() > 10), "{path}");
    }
}

#[test]
fn figures_come_one_after_the_other_and_as_json() {
    let served = shared();
    let (_, since_ms, until_ms) = served.window();
    let ask = |figures: Value| json!({ "since_ms": since_ms, "until_ms": until_ms, "steps": 100, "figures": figures });
    let found = heads(&served.post("/api/figures", &ask(json!(["disk.queue", "time.classes", "disk"]))));
    let ids: Vec<&str> = found.iter().map(|head| head["id"].as_str().expect("an id")).collect();
    assert_eq!(ids[0], "disk.queue");
    let others = ids.iter().filter(|id| **id == "time.classes").count();
    assert!(others == 1 && ids.contains(&"disk.throughput"), "{ids:?}");
    assert!(ids.iter().rposition(|id| *id == "disk.queue") < ids.iter().position(|id| *id == "time.classes"));
    let headers = [&served.host(), &served.bearer(), "Accept: application/json"].map(ToString::to_string);
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let whole = served.with("POST", "/api/figures", &headers, &ask(json!(["time.classes"])).to_string());
    let whole: Vec<heldup_model::Frame> = serde_json::from_value(whole.json()).expect("frames");
    assert_eq!(whole.len(), 1);
    let last = &whole[0].steps[whole[0].steps.len() - 1];
    let tail = json!({
        "since_ms": since_ms, "until_ms": until_ms, "steps": 100, "figures": ["time.classes"], "tail_ms": 3000
    });
    let tail = served.with("POST", "/api/figures", &headers, &tail.to_string());
    let tail: Vec<heldup_model::Frame> = serde_json::from_value(tail.json()).expect("frames");
    assert!(tail[0].steps.len() < whole[0].steps.len() && tail[0].steps.last() == Some(last));
    assert_eq!(served.post("/api/figures", &ask(json!(["no.figure"]))).status, 404);
    assert_eq!(served.post("/api/figures", &json!({ "since_ms": 1 })).status, 400);
}

#[test]
fn rows_come_by_the_page_with_units_and_kinds() {
    let served = shared();
    let (_, since_ms, until_ms) = served.window();
    let ask = |query: &str, offset: u64| {
        let body = json!({ "query": query, "since_ms": since_ms, "until_ms": until_ms, "offset": offset });
        served.post("/api/sql", &body).json()
    };
    let rows = ask("select time, pid, read_bytes from process", 0);
    let kinds: Vec<&str> =
        rows["columns"].as_array().expect("columns").iter().filter_map(|c| c["kind"].as_str()).collect();
    assert_eq!(kinds, ["time", "pid", "number"]);
    let numbers =
        "with recursive n(x) as (select 1 union all select x + 1 from n where x < 2500) select x from n";
    let page = ask(numbers, 2000);
    assert_eq!((page["rows"].as_array().expect("rows").len(), &page["more"]), (500, &json!(false)));
    assert_eq!(page["rows"][0], json!([2001]));
    assert_eq!(ask(numbers, 0)["more"], true);
}

#[test]
fn files_are_files() {
    let served = shared();
    let (window, ..) = served.window();
    for (path, kind, begin) in [
        (format!("/api/report?{window}"), "text/html; charset=utf-8", "<!doctype html>"),
        (format!("/api/figure?id=time.classes&format=svg&{window}"), "image/svg+xml", "<?xml"),
        (format!("/api/figure?id=time.classes&format=csv&{window}"), "text/csv; charset=utf-8", "figure,"),
        (format!("/api/figure?id=time.classes&format=png&{window}"), "image/png", "\u{fffd}PNG"),
    ] {
        let answer = served.get(&path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{path}");
        assert!(answer.header("content-disposition").expect("a name").starts_with("attachment; filename=\""));
        assert!(answer.text().starts_with(begin), "{path}");
    }
}
