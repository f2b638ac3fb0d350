//! Lines of `heldup watch`: one for each thing that happens, as text or as JSON.

use heldup_model::{
    Cell, EvidenceValue, Finding, WATCH_SCHEMA, WatchChange, WatchEvent, WatchLine, WatchSummary,
};
use jiff::{Timestamp, tz::TimeZone};
use schemars::generate::SchemaSettings;

use crate::json::escaped;
use crate::layout::{Ink, Page, Span};
use crate::overhead::known_by;
use crate::quantity::{bytes, count, number, percent, span};
use crate::text::{TextOptions, finding, severity};

/// The line as JSON, schema `heldup/watch/1`, with a newline at its end.
pub fn json_line(line: &WatchLine) -> String {
    // Only maps with keys that are no strings can be refused, and there are none.
    escaped(&serde_json::to_string(line).unwrap_or_default()) + "\n"
}

/// Columns of [`csv_line`].
const COLUMNS: [&str; 8] = ["time", "host", "event", "key", "severity", "cost", "since", "title"];

/// The names of the columns of [`csv_line`], with a newline at their end.
pub fn csv_head() -> String {
    COLUMNS.join(",") + "\n"
}

/// The line as CSV, with a newline at its end.
pub fn csv_line(line: &WatchLine) -> String {
    let finding = line.finding.as_ref();
    let text = |text: Option<&String>| text.map_or(Cell::Null, |text| Cell::Text(text.clone()));
    let title = finding.map(|finding| &finding.title).or(line.error.as_ref().map(|error| &error.what));
    let cells = [
        text(Some(&line.time)),
        text(Some(&line.host)),
        Cell::Text(line.event.name().to_owned()),
        text(line.key.as_ref()),
        finding.map_or(Cell::Null, |finding| Cell::Text(finding.severity.name().to_owned())),
        finding.and_then(|finding| finding.cost).map_or(Cell::Null, Cell::Float),
        text(line.since.as_ref()),
        text(title),
    ];
    let rows = crate::answer::csv(&COLUMNS.map(str::to_owned), &[cells.to_vec()]).unwrap_or_default();
    rows.split_once('\n').map(|(_, row)| row.to_owned()).unwrap_or_default()
}

/// The JSON Schema of [`json_line`], with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<WatchLine>();
    schema.insert("$id".to_owned(), format!("urn:{}", WATCH_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "A line of `heldup watch --json`".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The line for a person, with a newline at its end.
pub fn text_line(line: &WatchLine, options: &TextOptions) -> String {
    let mut page = Page::new(options.width, options.color, options.ascii);
    let mut spans: Vec<Span> = vec![(Ink::Dim, clock(&line.time, &options.time_zone) + "  ")];
    match (&line.finding, &line.error, &line.summary) {
        (Some(finding), _, _) => about(&mut spans, line, finding),
        (None, Some(error), _) => {
            let what = format!("{:<10}{}: {}", line.event.name(), error.place, error.what);
            spans.push((Ink::Plain, what));
        }
        (None, None, Some(summary)) => spans.push((Ink::Plain, closing(summary))),
        (None, None, None) => spans.push((Ink::Plain, line.event.name().to_owned())),
    }
    page.row(&spans);
    page.finish()
}

fn about(spans: &mut Vec<Span>, line: &WatchLine, of: &Finding) {
    let group = line.group.as_ref();
    let (word, ink) = severity(group.map_or(of.severity, |group| group.severity));
    let ended = line.event == WatchEvent::Ended;
    let ink = if ended { Ink::Dim } else { ink };
    spans.push((ink, format!("{word:<9}{:<10}", line.event.name())));
    spans.push((Ink::Bold, of.id.clone()));
    let more = group.map_or(0, |group| group.members.len().saturating_sub(1));
    let more = if more > 0 { format!(" and {} more", count(more as i64)) } else { String::new() };
    spans.push((Ink::Plain, format!(" · {}{more}", finding::subject(of))));
    if ended {
        let worst = line.worst.unwrap_or(of.severity);
        let lasted = lasted(line).map(|s| format!(" after {}", span(s.round()))).unwrap_or_default();
        return spans.push((Ink::Plain, format!(" ·{lasted}, {} at worst", worst.name())));
    }
    let together = Finding {
        cost: group.map_or(of.cost, |group| group.cost),
        impact: group.map_or_else(|| of.impact.clone(), |group| group.impact.clone()),
        ..of.clone()
    };
    spans.push((Ink::Plain, format!(" · {}", finding::impact(&together))));
    if !line.changes.is_empty() {
        let changes: Vec<String> = line.changes.iter().map(change).collect();
        spans.push((Ink::Yellow, format!(" · {}", changes.join(", "))));
    }
    spans.push((Ink::Plain, format!(" · {}", of.title.trim())));
    if let Some(task) = of.culprits.first() {
        spans.push((Ink::Plain, format!(" · by {}", task.name)));
    }
    if let Some(cause) = of.because.first() {
        spans.push((Ink::Dim, format!(" · explained by {cause}")));
    }
}

fn change(change: &WatchChange) -> String {
    let value = |value: &Option<EvidenceValue>| match value {
        None => "nobody".to_owned(),
        Some(EvidenceValue::Text(text)) => text.clone(),
        Some(EvidenceValue::Number(share)) if change.what == "cost" => percent(*share),
        Some(EvidenceValue::Number(amount)) => number(*amount),
    };
    if change.what == "joined" {
        return format!("joined by {}", value(&change.to));
    }
    format!("{} {} → {}", change.what, value(&change.from), value(&change.to))
}

/// From the first window in which it was found to the last one.
fn lasted(line: &WatchLine) -> Option<f64> {
    let time = |text: &Option<String>| text.as_deref()?.parse::<Timestamp>().ok();
    Some(time(&line.since)?.duration_until(time(&line.until)?).as_secs_f64())
}

fn clock(time: &str, zone: &TimeZone) -> String {
    match time.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string(),
        Err(_) => time.to_owned(),
    }
}

fn closing(summary: &WatchSummary) -> String {
    let many = |n: u64, one: &str| match n {
        1 => format!("1 {one}"),
        _ => format!("{} {one}s", count(n as i64)),
    };
    let mut text = format!(
        "watched {} in {}: {} appeared",
        span(summary.seconds.round()),
        many(summary.windows, "window"),
        many(summary.appeared, "finding")
    );
    if !summary.open.is_empty() {
        text += &format!(", not ended: {}", summary.open.join(", "));
    }
    if summary.commands_run + summary.commands_failed > 0 {
        let (run, failed) = (summary.commands_run, summary.commands_failed);
        text += &format!(" · command run {}, {} failed", many(run, "time"), count(failed as i64));
    }
    let cost = &summary.overhead;
    let share = |seconds: f64| percent(seconds / summary.seconds.max(1.0));
    text += &format!(" · overhead {} of one CPU", share(cost.cpu_seconds));
    if let Some(bpf) = cost.bpf_seconds {
        text += &format!(" + eBPF{} {}", known_by(cost.bpf_time), share(bpf));
    }
    text + &format!(", {}", bytes(cost.peak_rss_bytes as f64))
}

#[cfg(test)]
mod tests {
    use heldup_model::{BpfTime, ErrorNote, Overhead, Severity};

    use super::*;

    fn options() -> TextOptions {
        TextOptions::default()
    }

    fn line(event: WatchEvent) -> WatchLine {
        WatchLine {
            schema: WATCH_SCHEMA.to_owned(),
            event,
            time: "2026-11-21T14:03:20Z".to_owned(),
            host: "box".to_owned(),
            key: None,
            since: Some("2026-11-21T14:01:00Z".to_owned()),
            until: Some("2026-11-21T14:02:30Z".to_owned()),
            worst: Some(Severity::Critical),
            changes: Vec::new(),
            group: None,
            finding: None,
            error: None,
            summary: None,
        }
    }

    fn of_finding(event: WatchEvent) -> WatchLine {
        let finding = serde_json::json!({
            "key": "cpu.saturated/host:box", "id": "cpu.saturated", "severity": "warning", "confidence": 1.0,
            "impact": { "kind": "time", "amount": 3.0, "unit": "s" }, "cost": 0.125,
            "subject": { "kind": "host", "name": "box" },
            "culprits": [{ "name": "hog\u{1b}[2J", "pid": 7, "tid": 7, "cgroup": null, "unit": null, "seconds": 9.0 }],
            "victims": [], "title": "the queue is long", "because": [], "explains": [], "evidence": [],
            "query": "", "next": [], "changes": []
        });
        WatchLine { finding: serde_json::from_value(finding).unwrap(), ..line(event) }
    }

    #[test]
    fn each_event_is_one_line() {
        let text = text_line(&of_finding(WatchEvent::Appeared), &options());
        let said = "14:03:20  WARNING  appeared  cpu.saturated · this machine · 12 % of active time · the queue is long \
                    · by hog\\x1b[2J\n";
        assert_eq!(text.replace('\u{a0}', " "), said);

        let text = |event| Some(EvidenceValue::Text(event));
        let changes = vec![
            WatchChange {
                what: "severity".into(),
                from: text("critical".into()),
                to: text("warning".into()),
            },
            WatchChange {
                what: "cost".into(),
                from: Some(EvidenceValue::Number(0.5)),
                to: Some(EvidenceValue::Number(0.125)),
            },
        ];
        let text = text_line(&WatchLine { changes, ..of_finding(WatchEvent::Changed) }, &options());
        let text = text.replace('\u{a0}', " ");
        assert!(text.contains(" · severity critical → warning, cost 50 % → 12 % · "), "{text}");

        let text = text_line(&of_finding(WatchEvent::Ended), &options());
        let said =
            "14:03:20  WARNING  ended     cpu.saturated · this machine · after 90 s, critical at worst\n";
        assert_eq!(text.replace('\u{a0}', " "), said);
    }

    #[test]
    fn the_end_says_what_it_cost() {
        let overhead = Overhead {
            cpu_seconds: 3.0,
            bpf_seconds: Some(12.0),
            bpf_time: Some(BpfTime::Estimated),
            bpf_estimated_seconds: None,
            peak_rss_bytes: 40 << 20,
        };
        let summary = WatchSummary {
            seconds: 600.0,
            windows: 60,
            appeared: 1,
            open: vec!["cpu.saturated/host:box".into()],
            commands_run: 1,
            commands_failed: 0,
            overhead,
        };
        let text = text_line(&WatchLine { summary: Some(summary), ..line(WatchEvent::Summary) }, &options());
        let said = "14:03:20  watched 10 min in 60 windows: 1 finding appeared, not ended: cpu.saturated/host:box · \
                    command run 1 time, 0 failed · overhead 0.5 % of one CPU + eBPF about 2 %, 41.9 MB\n";
        assert_eq!(text.replace('\u{a0}', " "), said);
        let error = ErrorNote { place: "rule a.b".into(), what: "no such\ncolumn".into() };
        let text = text_line(&WatchLine { error: Some(error), ..line(WatchEvent::Error) }, &options());
        assert_eq!(text, "14:03:20  error     rule a.b: no such\\ncolumn\n");
    }

    #[test]
    fn json_is_one_line_and_reads_back() {
        let json = json_line(&of_finding(WatchEvent::Appeared));
        assert_eq!(json.matches('\n').count(), 1);
        let back: WatchLine = serde_json::from_str(&json).unwrap();
        assert_eq!(back.finding.map(|finding| finding.id).as_deref(), Some("cpu.saturated"));
    }
}
