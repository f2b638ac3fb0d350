//! The page inside a report: its bundle, and what it answers from. Without scripts neither is seen, and the report is
//! complete.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use heldup_model::{
    Class, Examination, Frame, Group, Method, ReportPage, ReportParts, SeenProcess, SeenTask,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::figures::area_name;
use super::writer::cut;
use crate::bundle::{SCRIPT, STYLE};
use crate::frame_bytes;
use crate::text::machine;

/// Bytes of the figures in it at most, packed; of others the static report and its commands speak.
const MOST_FRAMES: usize = 350_000;
/// Bytes of all answers at most; a report with more is one without the page.
const MOST_ANSWERS: usize = 400_000;
/// Processes, and threads, at most: those with the most active time.
const MOST_SEEN: usize = 2000;
/// Characters of a command line.
const LONGEST_COMMAND: usize = 400;
/// Bits of a number that are kept: five digits.
const BITS: u32 = 17;

/// What stands in a document with the page.
pub(super) struct Inside {
    /// What it answers from.
    data: String,
    /// Hash of its script, as a policy names it.
    hash: String,
}

impl Inside {
    /// Of an examination; none where there is nothing to answer from.
    pub(super) fn of(examination: &Examination, parts: &ReportParts) -> Option<Inside> {
        let page = parts.page.as_ref()?;
        let all = parts.figures.iter().map(|one| &one.frame).chain(&page.figures);
        let (frames, kept) = packed_frames(all);
        let all = answers(examination, parts, page, &kept);
        let mut answers = packed(all.to_string().as_bytes());
        if answers.len() > MOST_ANSWERS {
            // Stacks have files of their own.
            let without = json!({ "breakdowns": {} });
            answers = packed(merged(all, without).to_string().as_bytes());
        }
        if answers.len() > MOST_ANSWERS {
            return None;
        }
        let data = json!({ "format": 1, "answers": answers, "frames": frames }).to_string();
        Some(Inside { data, hash: STANDARD.encode(Sha256::digest(SCRIPT)) })
    }

    /// Bytes that it adds to a document.
    pub(super) fn len(&self) -> usize {
        self.data.len() + SCRIPT.len() + STYLE.len()
    }

    /// What its policy allows, and no other script.
    pub(super) fn policy(&self) -> String {
        format!(
            "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-{}'; base-uri 'none'; \
             form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            self.hash
        )
    }

    /// Its style, which waits for the script.
    pub(super) fn style(&self) -> String {
        format!("<style id=\"heldup-page-style\" media=\"not all\">{STYLE}</style>\n")
    }

    /// Data and script, behind the report.
    pub(super) fn end(&self) -> String {
        format!(
            "<script type=\"application/json\" id=\"heldup-data\">{}</script>\n<script>{SCRIPT}</script>\n",
            self.data
        )
    }
}

/// An object with other values of some names.
fn merged(mut all: Value, others: Value) -> Value {
    if let (Value::Object(all), Value::Object(others)) = (&mut all, others) {
        all.extend(others);
    }
    all
}

/// What is no figure.
fn answers(examination: &Examination, parts: &ReportParts, page: &ReportPage, kept: &[&Frame]) -> Value {
    let host = &examination.host;
    let source = match examination.number {
        _ if parts.redacted => None,
        Some(number) => Some(format!("@{number}")),
        None => Some(host.source.clone()).filter(|source| source != "live"),
    };
    let zone = examination.time_zone.as_ref().filter(|zone| !zone.starts_with(['+', '-']));
    let method = match host.method {
        Method::Ebpf => Some("time accounting by eBPF, all switches seen"),
        Method::Sampling => Some("time accounting by samples of /proc"),
        Method::Delays => Some("the kernel's delay counters, no other waits"),
        Method::Imported => None,
    };
    let system: Vec<String> = machine(host).into_iter().chain(method.map(str::to_owned)).collect();
    let mut figures: Vec<Value> = Vec::new();
    let mut areas: Vec<Value> = Vec::new();
    let (mut ids, mut seen_areas) = (HashSet::new(), HashSet::new());
    for frame in kept {
        let area = frame.id.split('.').next().unwrap_or_default();
        if ids.insert(&frame.id) {
            figures.push(json!({
                "id": frame.id, "area": area, "title": frame.title, "question": frame.question, "kind": frame.kind,
                "unit": frame.unit, "supplied_by": null,
            }));
        }
        if seen_areas.insert(area) {
            areas.push(json!({ "id": area, "title": area_name(area) }));
        }
    }
    json!({
        "source": source,
        "state": {
            "version": env!("CARGO_PKG_VERSION"),
            "source": {
                "name": source,
                "kind": if examination.files.is_empty() { "capture" } else { "recording" },
            },
            "live": false,
            "host": host.name,
            "hosts": [host.name],
            "system": system.join(" · "),
            "cpus": host.cpus,
            "zone": zone,
            "all": page.span,
            "first": page.span,
            "note": null,
            "sudo": false,
            "figures": figures,
            "areas": areas,
            "recorder": null,
        },
        "view": { "span": page.span, "examination": examination },
        "who": { "span": page.span, "tasks": tasks(&page.tasks), "processes": processes(page) },
        "rules": parts.rules,
        "breakdowns": breakdowns(page),
    })
}

/// Breakdowns by the word of the command line.
fn breakdowns(page: &ReportPage) -> Value {
    page.breakdowns
        .iter()
        .filter_map(|one| {
            let value = serde_json::to_value(one).ok()?;
            Some((value["kind"].as_str()?.to_owned(), value))
        })
        .collect::<serde_json::Map<String, Value>>()
        .into()
}

/// Seconds that are not idle.
fn active(task: &SeenTask) -> f64 {
    let is_active = |class: &Class| matches!(class.group(), Group::Running | Group::Waiting | Group::Peer);
    task.times.iter().filter(|(class, _)| is_active(class)).map(|(_, seconds)| seconds).sum()
}

/// Those with the most, in their order.
fn most<T>(all: &[T], of: impl Fn(&T) -> f64) -> Vec<&T> {
    let mut by_most: Vec<(usize, f64)> = all.iter().map(of).enumerate().collect();
    by_most.sort_by(|a, b| b.1.total_cmp(&a.1));
    by_most.truncate(MOST_SEEN);
    by_most.sort_by_key(|(at, _)| *at);
    by_most.into_iter().filter_map(|(at, _)| all.get(at)).collect()
}

fn tasks(all: &[SeenTask]) -> Vec<SeenTask> {
    let short = |task: &SeenTask| SeenTask { name: short(&task.name), ..task.clone() };
    most(all, active).into_iter().map(short).collect()
}

fn processes(page: &ReportPage) -> Vec<SeenProcess> {
    let mut times = std::collections::HashMap::new();
    for task in &page.tasks {
        *times.entry(task.pid).or_insert(0.0) += active(task);
    }
    let time = |process: &SeenProcess| times.get(&Some(process.pid)).copied().unwrap_or_default();
    let short = |process: &SeenProcess| SeenProcess {
        name: short(&process.name),
        command: process.command.as_deref().map(short),
        ..process.clone()
    };
    most(&page.processes, time).into_iter().map(short).collect()
}

fn short(text: &str) -> String {
    cut(text, LONGEST_COMMAND).into_owned()
}

/// Figures one behind the other, as many as there is room for, and which these are.
fn packed_frames<'f>(all: impl Iterator<Item = &'f Frame>) -> (String, Vec<&'f Frame>) {
    let (mut bytes, mut kept, mut room) = (Vec::new(), Vec::new(), MOST_FRAMES);
    for frame in all {
        let encoded = frame_bytes::encode(&rounded(frame));
        let length = packed(&encoded).len();
        if length <= room {
            room -= length;
            bytes.extend(encoded);
            kept.push(frame);
        }
    }
    (packed(&bytes), kept)
}

/// A frame whose values have five digits: the others are noise, and half of the bytes.
fn rounded(frame: &Frame) -> Frame {
    let mut frame = frame.clone();
    for series in &mut frame.series {
        for column in [&mut series.mean, &mut series.least, &mut series.greatest] {
            column.iter_mut().for_each(|value| *value = value.map(round));
        }
    }
    if let Some(peaks) = &mut frame.peaks {
        for column in [&mut peaks.above, &mut peaks.below] {
            column.iter_mut().for_each(|value| *value = value.map(round));
        }
    }
    frame
}

fn round(value: f64) -> f64 {
    let dropped = f64::MANTISSA_DIGITS - 1 - BITS;
    let bits = value.to_bits();
    let rounded = f64::from_bits((bits + (1 << (dropped - 1))) >> dropped << dropped);
    if rounded.is_finite() { rounded } else { value }
}

/// Bytes deflated (zlib), as text.
fn packed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    let packed: Cow<'_, [u8]> = encoder.finish().map_or(Cow::Borrowed(&[][..]), Cow::Owned);
    STANDARD.encode(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_five_digits() {
        for value in [0.0, -0.0, 1.0, 1.5, 3.0, 123_456.0, 0.001_234_567, -7.654_321e9, 1e-300] {
            let got = round(value);
            assert!((got - value).abs() <= value.abs() * 1e-5, "{value} {got}");
        }
        assert_eq!(round(0.25), 0.25);
        assert!(round(f64::NAN).is_nan() && round(f64::MAX).is_finite());
    }

    #[test]
    fn the_busiest_are_kept_in_their_order() {
        let many: Vec<f64> = (0..3000).map(f64::from).collect();
        let kept = most(&many, |value| if *value == 7.0 { 1e9 } else { *value });
        assert_eq!((kept.len(), *kept[0], *kept[1], *kept[1999]), (MOST_SEEN, 7.0, 1001.0, 2999.0));
    }
}
