//! Pages of the golden examinations, of a comparison, an experiment, a breakdown and a timeline: as before, well-formed,
//! with every fact of the text, and safe whatever a machine calls itself.
//!
//! `UPDATE_GOLDEN=1 cargo test -p heldup-report` writes them anew; check them before committing.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use heldup_model::{
    Breakdown, BreakdownDifference, Comparison, Examination, Experiment, ExplainedRule, Finding,
    NarrowedPair, Plotted, ReportFigure, ReportParts, Timeline,
};
use heldup_report::{TextOptions, html, text};
use jiff::tz::{Offset, TimeZone};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

const CASES: [&str; 13] = [
    "idle",
    "sync-bound",
    "command",
    "compile",
    "unprivileged",
    "hostile",
    "at-rest",
    "healthy",
    "throttled",
    "three",
    "no-root",
    "sar",
    "awr",
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn value(case: &str) -> Value {
    let path = golden().join(format!("{case}.json"));
    serde_json::from_slice(&std::fs::read(path).expect("input")).expect("JSON")
}

fn examination(case: &str) -> Examination {
    serde_json::from_value(value(case)).expect("an examination")
}

fn options() -> TextOptions {
    TextOptions { time_zone: TimeZone::fixed(Offset::constant(1)), ..TextOptions::default() }
}

/// The figures of a real run as evidence of the first finding, and a rule.
fn parts(examination: &Examination) -> ReportParts {
    let plotted: Plotted =
        serde_json::from_slice(&std::fs::read(golden().join("figures.json")).expect("input"))
            .expect("figures");
    let first: Vec<String> = examination.findings.iter().take(1).map(|finding| finding.key.clone()).collect();
    let figure =
        |(at, frame)| ReportFigure { frame, findings: if at < 2 { first.clone() } else { Vec::new() } };
    let rule = |finding: &Finding| ExplainedRule {
        id: finding.id.clone(),
        area: None,
        summary: "what it finds".to_owned(),
        meaning: "What it means.".to_owned(),
        decided: "How it is decided.".to_owned(),
        when_wrong: "When not to believe it.".to_owned(),
        references: vec!["https://docs.kernel.org/accounting/psi.html".to_owned(), "proc(5)".to_owned()],
        sql: "select 1".to_owned(),
    };
    ReportParts {
        figures: plotted.figures.into_iter().enumerate().map(figure).collect(),
        more_figures: 12,
        rules: examination.findings.iter().map(rule).collect(),
        boots_ms: Vec::new(),
        redacted: false,
        page: None,
    }
}

fn same(name: &str, got: &str) {
    let path = golden().join("pages").join(format!("{name}.html"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(golden().join("pages")).expect("a folder");
        std::fs::write(&path, got).expect("written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(got == expected, "{} differs; UPDATE_GOLDEN=1 writes it anew", path.display());
}

/// What a page says to who reads it, and to who hears it: its texts, one behind the other.
fn said(page: &str) -> String {
    let body = page.split_once("<body>").and_then(|(_, rest)| rest.split_once("</body>")).expect("a body").0;
    let mut reader = Reader::from_str(body);
    reader.config_mut().check_end_names = true;
    let mut texts = String::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return texts.replace('\u{a0}', " "),
            Event::Text(text) => texts.push_str(&text.decode().expect("UTF-8")),
            Event::GeneralRef(reference) => {
                let name = reference.decode().expect("UTF-8");
                texts.push_str(match &*name {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    _ => "'",
                });
            }
            Event::End(_) => texts.push(' '),
            _ => {}
        }
    }
}

/// Headings in order, one of the first level; ids that differ; links that lead somewhere; captions and scopes.
fn is_sound(name: &str, page: &str) {
    let mut levels = Vec::new();
    for (at, _) in page.match_indices("<h") {
        if let Some(level) = page[at + 2..].chars().next().and_then(|c| c.to_digit(10)) {
            levels.push(level);
        }
    }
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{name}: {levels:?}");
    assert_eq!(levels.first(), Some(&1), "{name}");
    let jumps: Vec<_> = levels.windows(2).filter(|pair| pair[1] > pair[0] + 1).collect();
    assert!(jumps.is_empty(), "{name}: headings jump: {jumps:?}");
    let values = |attribute: &str| -> Vec<String> {
        let begin = format!(" {attribute}=\"");
        page.match_indices(&begin)
            .map(|(at, _)| page[at + begin.len()..].split('"').next().unwrap_or_default().to_owned())
            .collect()
    };
    let ids = values("id");
    let distinct: HashSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{name}: an id twice");
    let targets = values("href").into_iter().filter_map(|href| href.strip_prefix('#').map(str::to_owned));
    for target in targets.chain(values("aria-labelledby")) {
        assert!(distinct.contains(&target), "{name}: #{target} is nowhere");
    }
    assert_eq!(page.matches("<table").count(), page.matches("<caption>").count(), "{name}");
    assert_eq!(
        page.matches("<th").count() - page.matches("<thead").count(),
        page.matches(" scope=\"").count(),
        "{name}"
    );
    for part in ["<html lang=\"en\">", "<main>", "<header>", "default-src 'none'"] {
        assert_eq!(page.matches(part).count(), 1, "{name}: {part}");
    }
    for never in ["<script", "<iframe", "<link", "<img", "@import", "url("] {
        assert!(!page.to_lowercase().contains(never), "{name}: {never}");
    }
    for href in values("href") {
        assert!(href.starts_with('#') || href.starts_with("https://"), "{name}: {href}");
    }
    let fetched: Vec<String> = values("src").into_iter().chain(values("srcset")).collect();
    assert!(fetched.is_empty(), "{name}: fetches {fetched:?}");
    said(page);
}

#[test]
fn examinations_as_before() {
    for case in ["sync-bound", "three", "sar", "awr", "healthy", "command", "hostile"] {
        let examination = examination(case);
        let page = html::examination(&examination, &parts(&examination), &options());
        is_sound(case, &page);
        assert!(page.len() < 1_500_000, "{case}: {} bytes", page.len());
        // Figures are golden by themselves; here they would only be repeated.
        let bare = html::examination(
            &examination,
            &ReportParts { figures: Vec::new(), ..parts(&examination) },
            &options(),
        );
        same(case, &bare);
    }
}

/// Words and numbers of the text, by which a fact is known again. What the others make together depends on how many
/// are named.
fn facts(text: &str) -> Vec<String> {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = joined
        .split("others ")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once(' ').map_or("", |(_, rest)| rest) })
        .collect::<Vec<_>>()
        .join(" ");
    let is_fact = |word: &str| word.chars().any(|c| c.is_ascii_digit()) && word.len() > 1;
    let clean = |word: &str| word.trim_matches(|c: char| "()[],;:.·".contains(c)).to_owned();
    text.split_whitespace().map(clean).filter(|word| is_fact(word)).collect()
}

#[test]
fn every_fact_of_the_text_stands_in_the_page() {
    for case in CASES {
        let examination = examination(case);
        let page = said(&html::examination(&examination, &parts(&examination), &options()));
        let whole: String = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for finding in &examination.findings {
            let title =
                heldup_report::harmless(finding.title.trim().trim_end_matches('.')).replace('\u{a0}', " ");
            let is_grouped = examination
                .groups
                .iter()
                .any(|group| group.members.len() > 1 && group.members.contains(&finding.key));
            assert!(is_grouped || whole.contains(&title), "{case}: {title}");
            assert!(whole.contains(&heldup_report::harmless(&finding.id)), "{case}: {}", finding.id);
            let first = examination.groups.iter().filter_map(|group| group.members.first());
            if first.clone().any(|key| *key == finding.key) {
                for change in &finding.changes {
                    for part in [&change.command, &change.risk, &change.expect] {
                        let part = heldup_report::harmless(part.trim().trim_end_matches('.'));
                        assert!(whole.contains(&part), "{case}: {part}");
                    }
                }
            }
        }
        for rule in &examination.ruled_out {
            assert!(whole.contains(&rule.id), "{case}: {}", rule.id);
        }
        for rule in &examination.not_checked {
            let missing = heldup_report::harmless(&rule.missing);
            assert!(whole.contains(&missing), "{case}: {missing}");
        }
        // The first screen, as it is printed: its numbers.
        let printed = text::render(&examination, &TextOptions { width: 160, ..options() });
        let missing: Vec<String> =
            facts(&printed.replace('\u{a0}', " ")).into_iter().filter(|fact| !whole.contains(fact)).collect();
        assert!(missing.is_empty(), "{case}: {missing:?} of\n{printed}");
    }
}

/// Puts a hostile text into every text that is no name of ours.
fn hostile(value: &mut Value, name: &str) {
    const TEXT: &str = "</pre></td></table><script>alert(1)</script><img src=x onerror=y>&\"'`\u{1b}[2J\u{202e}\u{0}\u{ffff}";
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| hostile(value, name)),
        Value::Array(items) => items.iter_mut().for_each(|item| hostile(item, name)),
        Value::String(text) if !KEPT.contains(&name) => *text = TEXT.to_owned(),
        _ => {}
    }
}

/// Names of fields whose texts are chosen from a list, or hold a page together.
const KEPT: [&str; 29] = [
    "per",
    "first",
    "second",
    "method",
    "severity",
    "kind",
    "schema",
    "class",
    "group",
    "verdict",
    "judgement",
    "goal",
    "end",
    "reason",
    "from",
    "to",
    "time",
    "key",
    "members",
    "because",
    "explains",
    "impact",
    "state",
    "bpf_time",
    "takes",
    "resource",
    "exhausts",
    "unit",
    "id",
];

fn harmless_page(name: &str, page: &str) {
    is_sound(name, page);
    for never in ["<script", "<img", "onerror=y>", "\u{1b}", "\u{202e}", "\u{0}"] {
        assert!(!page.contains(never), "{name}: {never:?}");
    }
}

#[test]
fn a_hostile_machine_writes_nothing_but_text() {
    for case in CASES {
        let mut value = value(case);
        hostile(&mut value, "");
        let examination: Examination = serde_json::from_value(value).expect("an examination");
        let mut parts = parts(&examination);
        for rule in &mut parts.rules {
            rule.references = vec!["javascript:alert(1)".to_owned(), "https://x\" onclick=\"y".to_owned()];
            rule.meaning = "<script>".to_owned();
        }
        harmless_page(case, &html::examination(&examination, &parts, &options()));
    }
    for (name, page) in others(true) {
        harmless_page(name, &page);
    }
}

#[test]
fn a_text_of_a_megabyte_breaks_nothing() {
    let mut examination = examination("three");
    let long = "x".repeat(1_000_000);
    for finding in &mut examination.findings {
        finding.title.clone_from(&long);
        finding.subject.name.clone_from(&long);
        finding.culprits.iter_mut().chain(&mut finding.victims).for_each(|task| task.name.clone_from(&long));
    }
    for class in &mut examination.ledger.classes {
        class.tasks.iter_mut().for_each(|task| task.name.clone_from(&long));
    }
    let page = html::examination(&examination, &ReportParts::default(), &options());
    is_sound("a megabyte", &page);
    assert!(page.len() < 2_000_000, "{}", page.len());
}

/// The pages that are no examinations.
fn others(is_hostile: bool) -> Vec<(&'static str, String)> {
    let of = |mut value: Value| {
        if is_hostile {
            hostile(&mut value, "");
        }
        value
    };
    let comparison: Comparison = serde_json::from_value(of(comparison())).expect("a comparison");
    let experiment: Experiment = serde_json::from_value(of(experiment())).expect("an experiment");
    let breakdown: Breakdown = serde_json::from_value(of(breakdown())).expect("a breakdown");
    let difference: BreakdownDifference = serde_json::from_value(of(difference())).expect("a difference");
    let timeline: Timeline = serde_json::from_value(of(timeline())).expect("a timeline");
    let parts = ReportParts {
        figures: parts(&examination("three"))
            .figures
            .into_iter()
            .filter(|one| one.frame.id == "cpu.states")
            .collect(),
        ..ReportParts::default()
    };
    vec![
        ("comparison", html::comparison(&comparison, &options())),
        ("experiment", html::experiment(&experiment, &pairs(), &options())),
        ("breakdown", html::breakdown(&breakdown, &options())),
        ("difference", html::difference([&breakdown, &breakdown], &difference, &options())),
        ("timeline", html::timeline(&timeline, &parts, &options())),
    ]
}

#[test]
fn other_answers_as_before() {
    for (name, page) in others(false) {
        is_sound(name, &page);
        same(name, &page);
        let said = said(&page);
        for fact in match name {
            "comparison" => {
                &["disk write", "+1.2 to +1.8", "vm.swappiness", "60", "10", "fio waits", "backup"][..]
            }
            "experiment" => &["helped", "vm.swappiness 60 → 10", "−9 %", "580 ms", "baseline first", "99 %"],
            "difference" => &["reader", "disk read", "+200 ms/s", "50 ms/s", "250 ms/s", "good"],
            "breakdown" => &["reader", "disk read", "2.5 s", "d < c < b", "vda"],
            _ => &["disk.saturated of vda", "80 % of active time", "03:01–03:09", "heldup examine A"],
        } {
            assert!(said.contains(fact), "{name}: {fact}: {said}");
        }
    }
}

fn comparison() -> Value {
    let side = |source: &str| {
        json!({ "source": source, "host": "db1", "kernel": "6.18", "cpus": 2, "method": "ebpf", "coverage": 1.0,
                "since_ms": 0, "until_ms": 60_000, "compared_since_ms": 0, "compared_until_ms": 60_000, "samples": 60 })
    };
    json!({
        "schema": "heldup/comparison/1", "first": side("good"), "second": side("@last"),
        "notes": ["good: no steady phase, all of it is compared"], "verdict": "differs",
        "headlines": [{ "kind": "finding", "text": "new: fio waits for the disk", "severity": "critical",
                        "judgement": "differs", "names": ["disk.saturated/device:vda"] }],
        "settings": [{ "table": "setting", "subject": "vm.swappiness", "column": "setting_value", "first": "60", "second": "10" }],
        "findings": [{ "id": "disk.saturated", "key": "disk.saturated/device:vda", "subject": "vda",
                       "title": "fio waits for the disk", "first": null, "second": "critical", "first_cost": null,
                       "second_cost": 0.6, "culprits": ["fio"], "judgement": "differs" }],
        "ledger": [
            { "class": "disk_write", "group": "waiting", "first": 0.1, "second": 1.6, "change_low": 1.2, "change_high": 1.8,
              "p_value": 1e-9, "judgement": "differs", "cost": 0.6, "severity": "critical",
              "programs": [{ "name": "fio", "first": 0.1, "second": 1.6 }] },
            { "class": "user", "group": "running", "first": 0.5, "second": 0.3, "change_low": -0.3, "change_high": -0.1,
              "p_value": 1e-3, "judgement": "differs", "cost": 0.1, "severity": null, "programs": [] },
            { "class": "kernel", "group": "running", "first": 0.2, "second": 0.21, "change_low": null, "change_high": null,
              "p_value": null, "judgement": "no_difference_seen", "cost": 0.0, "severity": null, "programs": [] }
        ],
        "programs": [{ "name": "backup", "first": null, "second": 0.4 }],
        "metrics": [{ "table": "disk", "column": "write_bytes", "entity": "device=vda", "unit": "bytes/s", "first": 4e6,
                      "second": 1e6, "change_low": -3.1e6, "change_high": -2.9e6, "p_value": 1e-7, "constant": false }],
        "metrics_judged": 1204, "metrics_too_short": 0, "errors": []
    })
}

const MEASURED: [(f64, f64); 13] = [
    (0.64, 0.58),
    (0.63, 0.57),
    (0.65, 0.6),
    (0.62, 0.59),
    (0.64, 0.58),
    (0.66, 0.59),
    (0.63, 0.586),
    (0.64, 0.58),
    (0.65, 0.58),
    (0.63, 0.57),
    (0.64, 0.61),
    (0.62, 0.6),
    (0.66, 0.575),
];

fn experiment() -> Value {
    let block = |kind: &str, change: Option<u64>, figure: f64| json!({ "kind": kind, "change": change, "figure": figure, "seconds": figure });
    let mut blocks = vec![block("warm_up", None, 0.8)];
    blocks.extend([0.64, 0.62, 0.65, 0.63].map(|figure| block("noise", None, figure)));
    for (without, with) in MEASURED {
        blocks.extend([block("without", Some(0), without), block("with", Some(0), with)]);
    }
    json!({
        "schema": "heldup/experiment/1", "host": "db1", "kernel": "6.18", "from": "2026-11-22T12:00:00Z",
        "to": "2026-11-22T12:05:00Z",
        "asked": { "workload": "./scan.sh", "figure": "wall", "unit": "s", "goal": "lower", "guards": [], "error": 0.01,
                   "worth": 0.02, "is_ratio": true, "seed": 7, "most_pairs": 40 },
        "end": "done", "noise": { "pairs": 4, "figure": 0.64, "spread": 0.03, "detectable": 0.017 },
        "changes": [{ "setting": "vm.swappiness", "before": "60", "asked": "10", "now": "10", "moved": [],
                      "verdict": "helped", "effect": -0.09, "ci_low": -0.11, "ci_high": -0.045, "detection_limit": null,
                      "pairs": 13, "why": [{ "class": "disk_read", "first": 0.5, "second": 0.2, "judgement": "differs" }],
                      "kept": false }],
        "blocks": blocks, "before": {}, "changed_after": {}, "notes": []
    })
}

fn pairs() -> Vec<NarrowedPair> {
    let pair = |(at, (without, with)): (usize, (f64, f64))| {
        let is_known = at >= 7;
        NarrowedPair {
            change: 0,
            pair: at as u64 + 1,
            with_first: false,
            without,
            with,
            effect: with / without - 1.0,
            low: is_known.then_some(-0.16 + at as f64 * 0.004),
            high: is_known.then_some(0.07 - at as f64 * 0.009),
        }
    };
    MEASURED.into_iter().enumerate().map(pair).collect()
}

fn breakdown() -> Value {
    json!({
        "schema": "heldup/breakdown/1", "kind": "io", "source": "this machine", "host": "box",
        "from": "2026-11-21T00:00:00Z", "to": "2026-11-21T00:00:10Z", "unit": "seconds",
        "programs": [{ "amount": 2.5, "program": "reader", "processes": 2, "class": "disk_read", "waits": 7 }],
        "places": [{ "amount": 2.5, "class": "disk_read", "program": "reader", "syscall": "read", "object": "vda",
                     "waker": null, "kernel_stack": "a;b;c;d" }],
        "parts": [{ "from": "2026-11-21T00:00:00Z", "to": "2026-11-21T00:00:05Z", "amount": 2.5, "top_program": "reader",
                    "top_class": "disk_read", "top_amount": 2.5 }],
        "stacks": [{ "frames": "reader;disk_read;read", "value": 2_500_000 }],
        "flame": { "unit": "seconds", "stacks": [
            { "program": "reader", "class": "disk_read", "syscall": "read", "user_stack": "main;load",
              "kernel_stack": "a;b;c;d", "object": "vda", "waker": null, "amount": 2.5 }], "gaps": serde_json::to_value(heldup_model::FlameGaps::default()).expect("gaps") },
        "errors": [], "overhead": null
    })
}

fn difference() -> Value {
    let side = |source: &str, amount: f64| {
        json!({ "source": source, "host": "box", "from": "2026-11-21T00:00:00Z", "to": "2026-11-21T00:00:10Z",
                "length_s": 10.0, "amount": amount })
    };
    let row = |program: Option<&str>| {
        json!({ "program": program, "class": "disk_read", "before_amount": 0.5, "after_amount": 2.5, "before": 0.05,
                "after": 0.25, "difference": 0.2 })
    };
    json!({
        "schema": "heldup/breakdown-difference/1", "kind": "io", "unit": "seconds", "per": "second",
        "before": side("good", 0.5), "after": side("@last", 2.5), "classes": [row(None)], "programs": [row(Some("reader"))],
        "stacks": [{ "frames": "reader;disk_read;read", "before": 0.05, "after": 0.25, "difference": 0.2 }],
        "errors": [], "overhead": null
    })
}

fn timeline() -> Value {
    let finding = |id: &str, severity: &str, cost: Option<f64>| {
        json!({ "key": format!("{id}/device:vda"), "id": id, "severity": severity, "impact": "time", "cost": cost,
                "title": format!("{id} of vda"), "culprits": [] })
    };
    let stretch = |from: &str, to: &str, findings: Vec<Value>| {
        json!({ "from": from, "to": to, "seconds": 480.0, "reason": "waiting", "active_seconds": 1200.0,
                "waiting_seconds": 960.0, "excess_seconds": 900.0, "examined_from": from, "examined_to": to,
                "findings": findings, "command": "heldup examine A --since x --until y" })
    };
    json!({
        "schema": "heldup/timeline/1", "source": "A", "host": "db1", "from": "2026-11-21T00:00:00Z",
        "to": "2026-11-22T00:00:00Z", "recorded_seconds": 86_000.0, "active_seconds": 43_000.0, "waiting_seconds": 4300.0,
        "stretches": [
            stretch("2026-11-21T02:01:00Z", "2026-11-21T02:09:00Z",
                    vec![finding("disk.saturated", "critical", Some(0.8)), finding("fs.full", "warning", None)]),
            stretch("2026-11-21T23:40:00Z", "2026-11-21T23:58:00Z", vec![finding("cpu.saturated", "warning", Some(0.3))])
        ],
        "more_stretches": 2, "errors": []
    })
}
