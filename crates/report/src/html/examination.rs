//! An examination as one page: which machine and when, what is wrong, where time went, who, the proof of each finding,
//! and what was not checked.

use heldup_model::{Examination, ReportFigure, ReportParts, WorstStretch};
use jiff::Timestamp;

use super::inside::Inside;
use super::strip::{self, Part};
use super::writer::Html;
use super::{
    answer, brand, checked, document, document_with_page, evidence, figures, ledger, severity, time, who,
};
use crate::TextOptions;
use crate::overhead;
use crate::quantity::{bytes, count, span};
use crate::text::answer::with_sudo;
use crate::text::header::{method, recording, system, window};
use crate::text::vitals;

/// The page.
pub fn page(examination: &Examination, parts: &ReportParts, options: &TextOptions) -> String {
    let title = answer::title(examination);
    let page = Inside::of(examination, parts);
    let mut html = Html::of_report(page.as_ref().map_or(0, Inside::len));
    header(&mut html, examination, parts, &title, options);
    html.open("main", &[]);
    answer::write(&mut html, examination, options);
    stretches(&mut html, examination, parts, options);
    ledger::write(&mut html, examination, parts, options);
    who::write(&mut html, examination, parts, options);
    evidence::write(&mut html, examination, parts, options);
    let above = [ledger::top(examination, parts), who::homes(examination, parts)].concat();
    let is_left = |(at, one): &(usize, &ReportFigure)| one.findings.is_empty() && !above.contains(at);
    let others: Vec<_> =
        parts.figures.iter().enumerate().filter(is_left).map(|(_, one)| &one.frame).collect();
    figures::areas(&mut html, &others, &options.time_zone);
    checked::write(&mut html, examination, options);
    html.close("main");
    footer(&mut html, examination, parts, options);
    match page {
        Some(page) => document_with_page(&title, html, &page),
        None => document(&title, html),
    }
}

fn header(
    html: &mut Html,
    examination: &Examination,
    parts: &ReportParts,
    title: &str,
    options: &TextOptions,
) {
    html.open("header", &[]);
    let recording = recording(examination);
    let samples = recording.map_or("", |(_, samples)| samples);
    brand(html, &window(examination, samples, &options.time_zone));
    html.put("h1", "", title);
    let host = &examination.host;
    let mut facts: Vec<String> = Vec::new();
    facts.extend(recording.map(|(tool, _)| tool.to_owned()));
    facts.extend(system(host));
    facts.extend(host.cpus.map(|cpus| format!("{} {}", count(cpus), if cpus == 1 { "CPU" } else { "CPUs" })));
    facts.extend(host.memory_bytes.map(|memory| bytes(memory as f64)));
    facts.extend(method(host).map(|method| format!("time accounting: {method}")));
    let is_named = host.source != "live" && !host.source.starts_with('@');
    facts.extend(is_named.then(|| host.source.clone()));
    facts.extend(examination.number.map(|number| format!("@{number}")));
    html.put("p", "second", &facts.join(" · "));
    if parts.redacted {
        html.put("p", "second", "Names of people and machines are replaced by pseudonyms.");
    }
    let lines = vitals::lines(examination);
    if !lines.is_empty() {
        html.open("ul", &[("class", "vitals"), ("aria-label", "vital signs")]);
        for part in lines.iter().flat_map(|line| line.split("\u{a0} ")).filter(|part| !part.is_empty()) {
            html.put("li", "", part);
        }
        html.close("ul");
    }
    html.close("header");
}

/// The worst stretches of a recording, on its time line and one by one.
fn stretches(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    let ms = |text: &str| text.parse::<Timestamp>().map(|time| time.as_millisecond()).ok();
    let ends = examination.from.as_deref().and_then(ms).zip(examination.to.as_deref().and_then(ms));
    let all = &examination.stretches;
    if all.is_empty() {
        return;
    }
    html.put("h2", "", "Worst stretches");
    if let Some((since_ms, until_ms)) = ends {
        let part = |stretch: &WorstStretch| {
            Some(Part {
                since_ms: ms(&stretch.from)?,
                until_ms: ms(&stretch.to)?,
                severity: stretch.findings.iter().map(|finding| finding.severity).min(),
                name: stretch.findings.first().map(|finding| finding.id.clone()).unwrap_or_default(),
            })
        };
        let strip: Vec<Part> = all.iter().filter_map(part).collect();
        let below = parts.figure("time.classes").or_else(|| parts.figure("cpu.states"));
        strip::write(html, (since_ms, until_ms), &strip, &parts.boots_ms, below, &options.time_zone);
    }
    for stretch in all {
        one_stretch(html, stretch, options);
    }
    if examination.more_stretches > 0 {
        let more = format!("{} more stretches: examine a shorter window.", examination.more_stretches);
        html.put("p", "second", &more);
    }
}

fn one_stretch(html: &mut Html, stretch: &WorstStretch, options: &TextOptions) {
    let zone = &options.time_zone;
    let when = match stretch.from_start_seconds {
        // Times that nobody recorded are not printed.
        Some(from_s) => format!("from {} on for {}", span(from_s), span(stretch.seconds)),
        None => format!(
            "{} – {} ({})",
            time(&stretch.from, zone, "%F %T"),
            time(&stretch.to, zone, "%T"),
            span(stretch.seconds)
        ),
    };
    html.open("article", &[]);
    html.put("h3", "", &when);
    html.open("ul", &[]);
    for finding in &stretch.findings {
        html.open("li", &[("class", "row")]);
        severity(html, finding.severity);
        html.put("span", "", &finding.title);
        html.put("code", "end", &finding.id);
        html.close("li");
    }
    html.close("ul");
    html.command(&with_sudo(&stretch.command, options));
    html.close("article");
}

fn footer(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    html.open("footer", &[]);
    let source = match examination.number {
        Some(number) => format!("@{number}"),
        None if examination.host.source == "live" => String::new(),
        None => examination.host.source.clone(),
    };
    if !source.is_empty() && !parts.redacted {
        html.put("p", "", "Not in this file: rows of single seconds and stacks.");
        html.command(&with_sudo(
            &format!("heldup sql -s {source} \"select * from task_time limit 20\""),
            options,
        ));
    }
    if parts.more_figures > 0 && !parts.redacted {
        let more = format!("{} more figures have numbers.", count(parts.more_figures as i64));
        html.put("p", "", &more);
        if !source.is_empty() {
            html.command(&with_sudo(&format!("heldup plot {source} -o figures"), options));
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    html.put(
        "p",
        "",
        &format!("heldup {version} · {} · {}", overhead::line(&examination.overhead), examination.schema),
    );
    html.close("footer");
}
