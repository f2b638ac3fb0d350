//! A window as a strip: what ran above the line and what waited below it, the findings over their time, where nothing
//! was recorded, and boots.

use heldup_model::{Frame, FrameSeries, FrameStep, Severity};
use jiff::tz::TimeZone;

use super::marks::{fill, n};
use super::writer::Html;
use crate::figure::ticks;

/// Width of the strip.
const WIDTH: f64 = 760.0;
/// Height of what ran and waited.
const DRAWN: f64 = 56.0;
/// Height of a row of findings.
const ROW: f64 = 16.0;
/// Rows of findings at most; more than that overlap.
const MOST_ROWS: usize = 4;
/// Columns that a letter of a name takes.
const LETTER: f64 = 6.6;
/// Highest values are cut at this share of the steps.
const CUT_AT: f64 = 0.98;
/// Gaps from this width on are marked.
const LEAST_GAP: f64 = 2.0;

/// A part of the window with what was found in it.
pub(super) struct Part {
    /// Start, milliseconds since 1970-01-01 UTC.
    pub(super) since_ms: i64,
    /// End.
    pub(super) until_ms: i64,
    /// The worst that was found; none where nothing was.
    pub(super) severity: Option<Severity>,
    /// What it is called.
    pub(super) name: String,
}

/// Draws the strip; what it shows is said in words below it.
pub(super) fn write(
    html: &mut Html,
    (since_ms, until_ms): (i64, i64),
    parts: &[Part],
    boots_ms: &[i64],
    below: Option<&Frame>,
    zone: &TimeZone,
) {
    let length = (until_ms - since_ms).max(1) as f64;
    let x = |ms: i64| ((ms - since_ms) as f64 / length).clamp(0.0, 1.0) * WIDTH;
    let placed = placed(parts, &x);
    let rows = placed.iter().map(|row| row + 1).max().unwrap_or(0);
    let top = rows as f64 * ROW + 4.0;
    let drawn = if below.is_some() { DRAWN } else { 8.0 };
    let height = top + drawn + 22.0;
    html.open(
        "div",
        &[("class", "chart"), ("tabindex", "0"), ("role", "group"), ("aria-label", "time line")],
    );
    let said = said(parts, boots_ms, below.is_some(), zone);
    let view = format!("0 0 {} {}", n(WIDTH), n(height));
    html.open(
        "svg",
        &[
            ("viewBox", &view),
            ("width", &n(WIDTH)),
            ("height", &n(height)),
            ("role", "img"),
            ("aria-label", &said),
        ],
    );
    match below {
        Some(frame) => line(html, frame, (top, drawn), &x),
        None => html.stroke("line", (0.0, top + 4.0), (WIDTH, top + 4.0)),
    }
    for (part, row) in parts.iter().zip(&placed) {
        let y = *row as f64 * ROW;
        let (from, to) = (x(part.since_ms), x(part.until_ms));
        let (shape, class) = match part.severity {
            Some(Severity::Critical) => ("▲ ", "sev"),
            Some(Severity::Warning) => ("△ ", "sev"),
            Some(Severity::Info) => ("○ ", "mark"),
            None => ("", "mark"),
        };
        html.rect(class, [from, y + 13.0, (to - from).max(2.0), 2.0]);
        let words = format!("{shape}{}", part.name);
        let is_late = from + words.chars().count() as f64 * LETTER > WIDTH;
        let (at, anchor) = if is_late { (WIDTH.min(to.max(from + 2.0)), "end") } else { (from, "start") };
        html.label("t1", (at, y + 10.0), anchor, &words);
    }
    for boot in boots_ms {
        html.stroke("line", (x(*boot), top - 2.0), (x(*boot), top + drawn));
        html.label("t2", ((x(*boot) + 4.0).min(WIDTH - 28.0), top + drawn - 2.0), "start", "boot");
    }
    let axis = Frame { since_ms, until_ms, ..frame_of_time() };
    for (ms, text) in ticks::times(&axis, zone, 7) {
        let anchor = match x(ms) {
            at if at < 24.0 => "start",
            at if at > WIDTH - 24.0 => "end",
            _ => "middle",
        };
        html.stroke("axis", (x(ms), top + drawn), (x(ms), top + drawn + 4.0));
        html.label("t3", (x(ms), top + drawn + 17.0), anchor, &text);
    }
    html.close("svg");
    html.close("div");
    html.put("p", "second", &said);
}

/// The row of each part, so that no name is above another one.
fn placed(parts: &[Part], x: &dyn Fn(i64) -> f64) -> Vec<usize> {
    let mut ends = [f64::NEG_INFINITY; MOST_ROWS];
    let mut in_order: Vec<usize> = (0..parts.len()).collect();
    in_order.sort_by_key(|at| parts[*at].since_ms);
    let mut rows = vec![0; parts.len()];
    for at in in_order {
        let part = &parts[at];
        let long = (part.name.chars().count() + 2) as f64 * LETTER;
        let begin = x(part.since_ms).min((WIDTH - long).max(0.0));
        let end = x(part.until_ms).max(begin + long) + 8.0;
        let row = ends.iter().position(|end| *end <= begin).unwrap_or(MOST_ROWS - 1);
        ends[row] = ends[row].max(end);
        rows[at] = row;
    }
    rows
}

fn frame_of_time() -> Frame {
    Frame {
        id: String::new(),
        subject: None,
        title: String::new(),
        question: String::new(),
        kind: heldup_model::FrameKind::Lines,
        unit: String::new(),
        scale: heldup_model::Scale::Linear,
        since_ms: 0,
        until_ms: 0,
        steps: Vec::new(),
        series: Vec::new(),
        peaks: None,
        limit: None,
        sql: String::new(),
    }
}

/// What ran above the line, what waited below it; where nothing was recorded a hatched place.
fn line(html: &mut Html, frame: &Frame, (top, height): (f64, f64), x: &dyn Fn(i64) -> f64) {
    let is_idle = |series: &FrameSeries| series.colour.role == heldup_model::Role::Idle;
    let shown: Vec<&FrameSeries> = frame.series.iter().filter(|series| !is_idle(series)).collect();
    let side = |below: bool| {
        let at = |step: usize| -> f64 {
            shown
                .iter()
                .filter(|series| series.below == below)
                .filter_map(|series| series.mean.get(step).copied().flatten())
                .sum()
        };
        let mut all: Vec<f64> = (0..frame.steps.len()).map(at).collect();
        all.sort_by(f64::total_cmp);
        let cut = ((all.len() as f64 * CUT_AT) as usize).min(all.len().saturating_sub(1));
        all.get(cut).copied().unwrap_or(0.0)
    };
    let (above, below) = (side(false), side(true));
    let unit = height / (above + below).max(f64::MIN_POSITIVE);
    let middle = top + above * unit;
    let mut up = vec![0.0_f64; frame.steps.len()];
    let mut down = vec![0.0_f64; frame.steps.len()];
    for series in &shown {
        let (base, most, sign) = if series.below { (&mut down, below, 1.0) } else { (&mut up, above, -1.0) };
        let mut d = String::new();
        for (at, step) in frame.steps.iter().enumerate() {
            let Some(mean) = series.mean.get(at).copied().flatten().filter(|mean| *mean > 0.0) else {
                continue;
            };
            let (from, to) = (base[at].min(most), (base[at] + mean).min(most));
            base[at] += mean;
            if to > from {
                let (left, right) = (n(x(step.since_ms)), n(x(step.until_ms)));
                let (near, far) = (n(middle + sign * from * unit), n(middle + sign * to * unit));
                d += &format!("M{left} {near}V{far}H{right}V{near}Z");
            }
        }
        if !d.is_empty() {
            html.empty("path", &[("class", &fill(series.colour)), ("d", &d)]);
        }
    }
    html.stroke("line", (0.0, middle), (WIDTH, middle));
    gaps(html, frame, (top, height), x);
}

fn gaps(html: &mut Html, frame: &Frame, (top, height): (f64, f64), x: &dyn Fn(i64) -> f64) {
    let has = |at: usize| frame.series.iter().any(|series| series.mean.get(at).copied().flatten().is_some());
    let mut edge = frame.since_ms;
    let measured = frame.steps.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, step)| *step);
    let end = FrameStep { since_ms: frame.until_ms, until_ms: frame.until_ms };
    for step in measured.chain([end]) {
        if x(step.since_ms) - x(edge) >= LEAST_GAP {
            let (from, to) = (x(edge), x(step.since_ms));
            let mut d = String::new();
            let mut at = from;
            while at < to + height {
                let (left, right) = ((at - height).max(from), at.min(to));
                if right > left {
                    d += &format!("M{} {}L{} {}", n(left), n(top + at - left), n(right), n(top + at - right));
                }
                at += 8.0;
            }
            html.empty("path", &[("class", "hatch"), ("d", &d)]);
        }
        edge = edge.max(step.until_ms);
    }
}

/// The strip in words.
fn said(parts: &[Part], boots_ms: &[i64], is_drawn: bool, zone: &TimeZone) -> String {
    let at = |ms: i64| {
        let time = jiff::Timestamp::from_millisecond(ms).ok();
        time.map(|time| time.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()).unwrap_or_default()
    };
    let part = |part: &Part| format!("{} {}–{}", part.name, at(part.since_ms), at(part.until_ms));
    let mut all: Vec<String> = parts.iter().map(part).collect();
    all.extend(boots_ms.iter().map(|boot| format!("boot {}", at(*boot))));
    let mut said = all.join("; ");
    if !said.is_empty() {
        said += ". ";
    }
    said + if is_drawn { "Above the line what ran, below it what waited." } else { "" }
}
