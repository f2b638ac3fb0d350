//! A long window of an archive as one page: its worst stretches on the time line and one by one, and its figures.

use heldup_model::{BriefFinding, ReportParts, Timeline, TimelineStretch};
use jiff::Timestamp;

use super::answer::share_of_active;
use super::strip::{self, Part};
use super::writer::{Html, name};
use super::{brand, checked, counted, document, figures, severity, time};
use crate::TextOptions;
use crate::quantity::{count, number, percent, span};
use crate::text::answer::with_sudo;
use crate::timeline::{what, when};

/// The page.
pub fn page(timeline: &Timeline, parts: &ReportParts, options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let title = format!(
        "{}: {}",
        name(&timeline.host),
        match timeline.stretches.len() {
            0 => "nothing unusual".to_owned(),
            number => counted(number, "worst stretch", "worst stretches"),
        }
    );
    let mut html = Html::of_report(0);
    html.open("header", &[]);
    let ends = (time(&timeline.from, zone, "%F %T"), time(&timeline.to, zone, "%F %T %Z"));
    brand(&mut html, &format!("{} – {}", ends.0, ends.1));
    html.put("h1", "", &title);
    let recorded = timeline.recorded_seconds.max(1.0);
    let share = timeline.waiting_seconds / timeline.active_seconds.max(f64::MIN_POSITIVE);
    let facts = format!(
        "{} · {} recorded · {} tasks active on average, {} of that time waiting",
        timeline.source,
        span(timeline.recorded_seconds),
        number(timeline.active_seconds / recorded),
        percent(share.clamp(0.0, 1.0)),
    );
    html.put("p", "second", &facts);
    html.close("header");
    html.open("main", &[]);
    html.put("h2", "", "Time line");
    strip(&mut html, timeline, parts, options);
    html.put("h2", "", "Worst stretches");
    if timeline.stretches.is_empty() {
        html.put("p", "", "Nothing unusual in this window.");
    }
    for (at, stretch) in timeline.stretches.iter().enumerate() {
        one(&mut html, at + 1, stretch, options);
    }
    if timeline.more_stretches > 0 {
        let more = count(i64::try_from(timeline.more_stretches).unwrap_or(i64::MAX));
        let said = format!("{more} more stretches of lower cost: examine a shorter window to list them.");
        html.put("p", "second", &said);
    }
    let all: Vec<_> = parts.figures.iter().map(|one| &one.frame).collect();
    figures::areas(&mut html, &all, zone);
    checked::unread(&mut html, &timeline.errors);
    html.close("main");
    html.open("footer", &[]);
    if parts.more_figures > 0 {
        html.put("p", "", &format!("{} more figures have numbers.", count(parts.more_figures as i64)));
        let command = format!(
            "heldup plot {} --since {} --until {} -o figures",
            timeline.source, timeline.from, timeline.to
        );
        html.command(&with_sudo(&command, options));
    }
    html.put("p", "", &format!("heldup {} · {}", env!("CARGO_PKG_VERSION"), timeline.schema));
    html.close("footer");
    document(&title, html)
}

fn strip(html: &mut Html, timeline: &Timeline, parts: &ReportParts, options: &TextOptions) {
    let ms = |text: &str| text.parse::<Timestamp>().map(|time| time.as_millisecond()).ok();
    let Some(window) = ms(&timeline.from).zip(ms(&timeline.to)) else { return };
    let part = |(at, stretch): (usize, &TimelineStretch)| {
        let first = stretch.findings.first().map_or("no finding", |finding| finding.id.as_str());
        Some(Part {
            since_ms: ms(&stretch.from)?,
            until_ms: ms(&stretch.to)?,
            severity: stretch.findings.iter().map(|finding| finding.severity).min(),
            name: format!("{} {first}", at + 1),
        })
    };
    let all: Vec<Part> = timeline.stretches.iter().enumerate().filter_map(part).collect();
    let below = parts.figure("time.classes").or_else(|| parts.figure("cpu.states"));
    strip::write(html, window, &all, &parts.boots_ms, below, &options.time_zone);
}

/// When, how long, what it cost, what was found, and how to see more.
fn one(html: &mut Html, at: usize, stretch: &TimelineStretch, options: &TextOptions) {
    let id = format!("stretch-{at}");
    html.open("article", &[("aria-labelledby", &id)]);
    html.open("h3", &[("id", &id)]);
    html.text(&format!("{at} {} ({})", when(stretch, &options.time_zone), span(stretch.seconds)));
    html.close("h3");
    html.put("p", "second", &what(stretch));
    if stretch.findings.is_empty() {
        html.put("p", "", "no finding");
    }
    html.open("ul", &[]);
    stretch.findings.iter().for_each(|finding| brief(html, finding));
    html.close("ul");
    stretch
        .errors
        .iter()
        .for_each(|error| html.put("p", "second", &format!("{}: {}", error.place, error.what)));
    html.command(&with_sudo(&stretch.command, options));
    html.close("article");
}

fn brief(html: &mut Html, finding: &BriefFinding) {
    html.open("li", &[("class", "row")]);
    severity(html, finding.severity);
    let share = share_of_active(finding.cost.filter(|cost| *cost > 0.0));
    let separator = if share.is_empty() { "" } else { " · " };
    html.put("span", "", &format!("{}{separator}{share}", finding.title));
    html.put("code", "end", &finding.id);
    html.close("li");
}
