//! What a connection may cost.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::served::{fixture, of, shared};

#[test]
fn a_head_and_a_body_have_an_end() {
    let served = shared();
    let long = format!("X-Long: {}", "x".repeat(20 << 10));
    let answer = served.with("GET", "/", &[&served.host(), &long], "");
    assert_eq!(answer.status, 431);
    let many: Vec<String> = (0..500).map(|at| format!("X-{at}: x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain([]).collect();
    assert!(served.with("GET", "/", &many, "").status >= 400);
    let path = format!("/who/{}", "x".repeat(40 << 10));
    assert!(served.raw(format!("GET {path} HTTP/1.1\r\n").as_bytes()).is_none_or(|a| a.status >= 400));
    let body = json!({ "query": "x".repeat(70 << 10), "since_ms": 0, "until_ms": 1 });
    let answer = served.post("/api/sql", &body);
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert!(answer.json()["error"].as_str().expect("a sentence").contains("65536"));
}

#[test]
fn a_slow_head_is_cut_off_and_an_idle_connection_too() {
    let served = of(&[fixture()]);
    let begun = Instant::now();
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n").expect("sent");
    let mut idle = served.connect();
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    let _ = idle.read_to_end(&mut rest);
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(8) && waited < Duration::from_secs(25), "{waited:?}");
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
}

#[test]
fn connections_beyond_the_most_wait_for_others_to_end() {
    let served = of(&[fixture()]);
    let held: Vec<_> = (0..32).map(|_| served.connect()).collect();
    // All of them are taken.
    std::thread::sleep(Duration::from_millis(300));
    let mut one_more = served.connect();
    let request = format!("GET / HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n", served.host());
    one_more.write_all(request.as_bytes()).expect("sent");
    one_more.set_read_timeout(Some(Duration::from_millis(500))).expect("a limit");
    let mut byte = [0];
    assert!(one_more.read(&mut byte).is_err(), "it is answered beside 32 others");
    drop(held);
    one_more.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    assert_eq!(one_more.read(&mut byte).expect("an answer"), 1);
}

#[test]
fn an_end_does_not_wait_for_who_waits() {
    let served = of(&[fixture()]);
    let mut waits = served.connect();
    let path = format!("/api/live?after_ms={}", i64::MAX);
    let request = format!("GET {path} HTTP/1.1\r\n{}\r\n{}\r\n\r\n", served.host(), served.bearer());
    waits.write_all(request.as_bytes()).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    drop(served);
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
}

#[test]
fn a_query_only_reads() {
    let served = shared();
    let (_, since_ms, until_ms) = served.window();
    for query in [
        "delete from process",
        "create table x (y)",
        "attach '/etc/passwd' as p",
        "pragma writable_schema=1",
        "select load_extension('x')",
        "insert into process (pid) values (1)",
        "select 1; drop table process",
        "select readfile('/etc/passwd')",
        "",
    ] {
        let answer =
            served.post("/api/sql", &json!({ "query": query, "since_ms": since_ms, "until_ms": until_ms }));
        assert!((400..500).contains(&answer.status), "{query}: {} {}", answer.status, answer.text());
        assert!(answer.json()["error"].is_string());
    }
}
