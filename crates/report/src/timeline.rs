//! A timeline as text and JSON: the worst stretches of a long window, each with its cause.

use heldup_model::{BriefFinding, Severity, StretchReason, TIMELINE_SCHEMA, Timeline, TimelineStretch};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::TextOptions;
use crate::json::escaped;
use crate::layout::{Ink, Page};
use crate::quantity::{count, number, percent, span};
use crate::text::severity;

/// Findings of a stretch that are written without `-v`.
const MOST_FINDINGS: usize = 3;

/// The timeline as pretty JSON, with a newline at its end.
pub fn json(timeline: &Timeline) -> String {
    // Only maps with keys that are no strings can be refused, and there are none.
    let json = serde_json::to_string_pretty(timeline).unwrap_or_else(|error| {
        json!({ "schema": TIMELINE_SCHEMA, "errors": [{ "where": "report", "what": error.to_string() }] })
            .to_string()
    });
    escaped(&json) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Timeline>();
    schema.insert("$id".to_owned(), format!("urn:{}", TIMELINE_SCHEMA.replace('/', ":")).into());
    let title = "What `heldup examine --json` answers of a long window of an archive";
    schema.insert("title".to_owned(), title.into());
    // A schema is made of maps with keys that are strings: writing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The timeline as text.
pub fn text(timeline: &Timeline, options: &TextOptions) -> String {
    let mut page = Page::new(options.width.clamp(80, 160), options.color, options.ascii);
    header(&mut page, timeline, &options.time_zone);
    if timeline.stretches.is_empty() {
        page.gap();
        page.paragraph(&[(Ink::Bold, "Nothing unusual in this window".to_owned())], 2);
    }
    for (at, stretch) in timeline.stretches.iter().enumerate() {
        page.gap();
        one(&mut page, at + 1, stretch, options);
    }
    if timeline.more_stretches > 0 {
        page.gap();
        let more = count(i64::try_from(timeline.more_stretches).unwrap_or(i64::MAX));
        let said = format!("… {more} more stretches of lower cost: examine a shorter window to list them");
        page.paragraph(&[(Ink::Dim, said)], 2);
    }
    page.gap();
    for error in &timeline.errors {
        page.paragraph(&[(Ink::Yellow, format!("cannot read {}: {}", error.place, error.what))], 2);
    }
    page.finish()
}

fn header(page: &mut Page, timeline: &Timeline, zone: &TimeZone) {
    let head = format!(
        " · {} · {} until {} · {} recorded",
        timeline.host,
        time(&timeline.from, zone, "%F %T"),
        time(&timeline.to, zone, "%F %T %:z"),
        span(timeline.recorded_seconds),
    );
    page.paragraph(&[(Ink::Bold, timeline.source.clone()), (Ink::Plain, head)], 2);
    let recorded = timeline.recorded_seconds.max(1.0);
    let share = timeline.waiting_seconds / timeline.active_seconds.max(f64::MIN_POSITIVE);
    let said = format!(
        "{} tasks active on average, {} of that time waiting",
        number(timeline.active_seconds / recorded),
        percent(share.clamp(0.0, 1.0)),
    );
    page.paragraph(&[(Ink::Plain, said)], 2);
}

/// When, how long, what it cost, what was found, and how to see more.
fn one(page: &mut Page, at: usize, stretch: &TimelineStretch, options: &TextOptions) {
    let when = format!("{at} {}", when(stretch, &options.time_zone));
    let what = what(stretch);
    page.paragraph(&[(Ink::Bold, when), (Ink::Plain, format!(" {} · {what}", span(stretch.seconds)))], 4);
    if stretch.findings.is_empty() {
        page.paragraph(&[(Ink::Dim, "   no finding".to_owned())], 5);
    }
    let shown = if options.details { stretch.findings.len() } else { MOST_FINDINGS };
    stretch.findings.iter().take(shown).for_each(|finding| brief(page, finding));
    let more = stretch.findings.len().saturating_sub(shown);
    if more > 0 {
        page.paragraph(&[(Ink::Dim, format!("   … and {more} more"))], 5);
    }
    for error in &stretch.errors {
        page.paragraph(&[(Ink::Yellow, format!("   {}: {}", error.place, error.what))], 5);
    }
    page.paragraph(&[(Ink::Dim, format!("   {}", stretch.command))], 5);
}

/// Why it is one.
pub(crate) fn what(stretch: &TimelineStretch) -> String {
    let recorded = stretch.seconds.max(1.0);
    let tasks = number(stretch.waiting_seconds / recorded);
    match stretch.reason {
        StretchReason::Waiting => format!("{tasks} tasks waiting on average"),
        StretchReason::Usual => format!("throughout: {tasks} tasks waiting on average"),
        StretchReason::KernelErrors => "kernel log errors".to_owned(),
        StretchReason::BusyTask => "one task on CPU nearly all the time".to_owned(),
        StretchReason::Events => "more packet loss than usual".to_owned(),
        StretchReason::NearlyFull => "file system nearly full".to_owned(),
        StretchReason::End => "end of the window".to_owned(),
    }
}

/// From when to when, in a zone.
pub(crate) fn when(stretch: &TimelineStretch, zone: &TimeZone) -> String {
    let day = "%a %F";
    let until = match time(&stretch.from, zone, day) == time(&stretch.to, zone, day) {
        true => format!("–{}", time(&stretch.to, zone, "%H:%M")),
        false => format!(" – {}", time(&stretch.to, zone, "%a %F %H:%M")),
    };
    format!("{}{until}", time(&stretch.from, zone, "%a %F %H:%M"))
}

fn brief(page: &mut Page, finding: &BriefFinding) {
    let (word, ink) = severity(finding.severity);
    let title = if finding.severity == Severity::Info { Ink::Plain } else { Ink::Bold };
    let mut spans = vec![
        (ink, format!("   {word:<9}")),
        (title, finding.title.clone()),
        (Ink::Dim, format!(" {}", finding.id)),
    ];
    if let Some(cost) = finding.cost.filter(|cost| *cost > 0.0) {
        spans.push((Ink::Plain, format!(" · {}\u{a0}of active time", percent(cost))));
    }
    page.paragraph(&spans, 5);
}

/// A time of the answer, in the reader's zone.
fn time(rfc3339: &str, zone: &TimeZone, form: &str) -> String {
    match rfc3339.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(zone.clone()).strftime(form).to_string(),
        Err(_) => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::ImpactKind;

    use super::*;

    fn timeline() -> Timeline {
        let finding = |id: &str, severity, cost| BriefFinding {
            key: format!("{id}/device:vda"),
            id: id.to_owned(),
            severity,
            impact: ImpactKind::Time,
            cost,
            title: format!("{id} of vda\u{1b}[31m"),
            culprits: Vec::new(),
        };
        let stretch = TimelineStretch {
            from: "2026-11-21T02:01:00Z".to_owned(),
            to: "2026-11-21T02:09:00Z".to_owned(),
            seconds: 480.0,
            reason: StretchReason::Waiting,
            active_seconds: 1200.0,
            waiting_seconds: 960.0,
            excess_seconds: 900.0,
            examined_from: "2026-11-21T02:02:00Z".to_owned(),
            examined_to: "2026-11-21T02:07:00Z".to_owned(),
            findings: vec![
                finding("disk.saturated", Severity::Critical, Some(0.8)),
                finding("fs.full", Severity::Warning, None),
                finding("cpu.pinned", Severity::Info, None),
                finding("mem.leak", Severity::Info, None),
            ],
            command: "heldup examine A --since x --until y".to_owned(),
            errors: Vec::new(),
        };
        Timeline {
            schema: TIMELINE_SCHEMA.to_owned(),
            source: "A".to_owned(),
            host: "db1".to_owned(),
            from: "2026-11-21T00:00:00Z".to_owned(),
            to: "2026-11-22T00:00:00Z".to_owned(),
            recorded_seconds: 86_000.0,
            active_seconds: 43_000.0,
            waiting_seconds: 4300.0,
            stretches: vec![stretch],
            more_stretches: 2,
            errors: Vec::new(),
        }
    }

    #[test]
    fn a_stretch_says_when_what_it_cost_why_and_how_to_see_more() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let options = TextOptions { width: 100, time_zone: zone, ..TextOptions::default() };
        let said = text(&timeline(), &options).replace('\u{a0}', " ");
        assert!(said.contains("1 Sat 2026-11-21 03:01–03:09 8 min"), "{said}");
        assert!(said.contains("2 tasks waiting on average") || said.contains("2.00 tasks waiting"), "{said}");
        assert!(said.contains("CRITICAL disk.saturated of vda"), "{said}");
        assert!(said.contains("80 % of active time"), "{said}");
        assert!(said.contains("and 1 more") && !said.contains("mem.leak"), "{said}");
        assert!(said.contains("heldup examine A --since x --until y"), "{said}");
        assert!(said.contains("2 more stretches"), "{said}");
        assert!(!said.contains('\u{1b}'), "text from the machine is made harmless: {said}");
        let all = TextOptions { details: true, ..options };
        assert!(text(&timeline(), &all).contains("mem.leak"));
    }

    #[test]
    fn a_stretch_into_another_day_says_which() {
        let mut timeline = timeline();
        timeline.stretches[0].to = "2026-11-22T00:30:00Z".to_owned();
        let said =
            text(&timeline, &TextOptions { width: 100, ..TextOptions::default() }).replace('\u{a0}', " ");
        assert!(said.contains("1 Sat 2026-11-21 02:01 – Sun 2026-11-22 00:30"), "{said}");
    }

    #[test]
    fn json_names_its_schema() {
        let back: Timeline = serde_json::from_str(&json(&timeline())).expect("what was written");
        assert_eq!((back.schema.as_str(), back.stretches.len()), ("heldup/timeline/1", 1));
        assert!(schema().contains("heldup/timeline/1"));
    }
}
