//! A comparison as one page: what matters most, then settings, findings, time by class with its intervals, programs and
//! metrics.

use heldup_model::{
    Class, Colour, ComparedSide, Comparison, ComparisonVerdict, FindingDifference, Judgement,
    LedgerDifference, MetricDifference, Severity,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::checked::{listed, unread};
use super::writer::{Cell, Html, names, numbers, wide, words};
use super::{brand, document, marks, severity};
use crate::TextOptions;
use crate::comparison::{metric_value, no_difference, setting_name, signed, undecided};
use crate::quantity::{count, number, percent, seconds};

/// Rows of a table; the JSON has all.
const MOST: usize = 200;
/// Classes with less time on both sides are left out, unless they differ.
const LEAST_RATE: f64 = 0.005;
/// Programs that a row names.
const MOST_PROGRAMS: usize = 4;

/// The page.
pub fn page(found: &Comparison, options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let title = match found.verdict {
        ComparisonVerdict::Differs => match found.headlines.first() {
            Some(line) => line.text.clone(),
            None => "The sides differ".to_owned(),
        },
        ComparisonVerdict::NoDifference => no_difference(found),
        ComparisonVerdict::Undecided => undecided(found),
    };
    let mut html = Html::default();
    html.open("header", &[]);
    brand(&mut html, &format!("{} against {}", found.second.source, found.first.source));
    html.put("h1", "", &title);
    html.close("header");
    html.open("main", &[]);
    headlines(&mut html, found);
    sides(&mut html, found, zone);
    if !found.notes.is_empty() {
        listed(&mut html, &found.notes);
    }
    ledger(&mut html, &found.ledger);
    settings(&mut html, found);
    findings(&mut html, found);
    programs(&mut html, found);
    metrics(&mut html, found);
    unread(&mut html, &found.errors);
    html.close("main");
    html.open("footer", &[]);
    html.put("p", "", &format!("heldup {} · {}", env!("CARGO_PKG_VERSION"), found.schema));
    html.close("footer");
    document(&title, html)
}

fn headlines(html: &mut Html, found: &Comparison) {
    if found.headlines.is_empty() {
        return;
    }
    html.put("h2", "", "What differs");
    html.open("ul", &[]);
    for line in &found.headlines {
        html.open("li", &[("class", "row")]);
        if let Some(of) = line.severity {
            severity(html, of);
        }
        html.put("strong", "", &line.text);
        if line.judgement == Judgement::NotJudged {
            html.put("span", "second", "not judged");
        }
        html.close("li");
    }
    html.close("ul");
}

fn sides(html: &mut Html, found: &Comparison, zone: &TimeZone) {
    html.put("h2", "", "Sides");
    let at = |ms: i64| {
        let time = Timestamp::from_millisecond(ms).ok();
        time.map_or_else(
            || format!("{ms} ms"),
            |time| time.to_zoned(zone.clone()).strftime("%F %T").to_string(),
        )
    };
    let row = |which: &'static str, side: &ComparedSide| -> Vec<Cell> {
        let length = (side.compared_until_ms - side.compared_since_ms) as f64 / 1000.0;
        vec![
            which.into(),
            side.source.as_str().into(),
            side.host.as_str().into(),
            format!("Linux {}, {} CPUs", side.kernel, count(side.cpus)).into(),
            at(side.compared_since_ms).into(),
            seconds((length * 10.0).round() / 10.0).into(),
            count(i64::try_from(side.samples).unwrap_or(i64::MAX)).into(),
        ]
    };
    let of = |which: &'static str, one: &ComparedSide, members: &[ComparedSide]| -> Vec<Vec<Cell>> {
        let all = if members.is_empty() { std::slice::from_ref(one) } else { members };
        all.iter().map(|side| row(which, side)).collect()
    };
    let mut rows = of("first", &found.first, &found.first_members);
    rows.extend(of("second", &found.second, &found.second_members));
    let columns = [
        words("side"),
        words("source"),
        words("host"),
        wide("system"),
        words("from"),
        numbers("length"),
        numbers("samples"),
    ];
    html.table("What is compared", &columns, rows);
}

fn settings(html: &mut Html, found: &Comparison) {
    html.put("h2", "", "Settings");
    if found.settings.is_empty() {
        return html.put("p", "", "No difference.");
    }
    let row = |one: &heldup_model::SettingDifference| -> Vec<Cell> {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "(absent)".to_owned());
        let members = one.second_members.map(|number| format!(" (in {number})")).unwrap_or_default();
        vec![
            Cell::Code(setting_name(one)),
            value(&one.first).into(),
            format!("{}{members}", value(&one.second)).into(),
        ]
    };
    let rows = found.settings.iter().take(MOST).map(row).collect();
    html.table(
        &caption("Settings that differ", found.settings.len()),
        &[words("setting"), words("first"), words("second")],
        rows,
    );
}

fn caption(what: &str, all: usize) -> String {
    match all > MOST {
        true => format!("{what}: {MOST} of {}", count(all as i64)),
        false => what.to_owned(),
    }
}

fn findings(html: &mut Html, found: &Comparison) {
    let all: Vec<&FindingDifference> =
        found.findings.iter().filter(|one| one.judgement != Judgement::NoDifferenceSeen).collect();
    html.put("h2", "", "Findings");
    if all.is_empty() {
        return html.put("p", "", "No difference.");
    }
    let row = |one: &&FindingDifference| -> Vec<Cell> {
        let severity = |severity: Option<Severity>| severity.map_or("none", Severity::name).to_owned();
        let side = |of: Option<Severity>, members: Option<u64>, all: usize| match members {
            Some(members) => format!("in {members} of {all}"),
            None => severity(of),
        };
        let judged = if one.judgement == Judgement::NotJudged { " (not judged)" } else { "" };
        vec![
            format!("{}{judged}", one.title).into(),
            side(one.first, one.first_members, found.first_members.len()).into(),
            side(one.second, one.second_members, found.second_members.len()).into(),
            Cell::Code(one.key.clone()),
        ]
    };
    let rows = all.iter().map(row).collect();
    html.table(
        "Findings that differ",
        &[words("finding"), words("first"), words("second"), wide("key")],
        rows,
    );
}

/// Every class: what it is on both sides, and the change with its interval.
fn ledger(html: &mut Html, all: &[LedgerDifference]) {
    html.put("h2", "", "Active time by class");
    let is_shown = |class: &&LedgerDifference| {
        let is_some = class.first.max(class.second) >= LEAST_RATE && class.group != "idle";
        class.judgement == Judgement::Differs || is_some
    };
    let shown: Vec<&LedgerDifference> = all.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return html.put("p", "", "No difference.");
    }
    let greatest = shown.iter().map(|class| class.first.max(class.second)).fold(0.0, f64::max);
    let ends = |class: &&LedgerDifference| class.change_low.into_iter().chain(class.change_high);
    let widest = shown.iter().flat_map(ends).map(f64::abs).fold(0.0, f64::max);
    let row = |class: &&LedgerDifference| -> Vec<Cell> {
        let colour = Class::from_name(&class.class_name).map_or(Colour::OTHERS, Colour::of_class);
        let interval = class.change_low.zip(class.change_high);
        let judged = match (class.judgement, interval) {
            (Judgement::Differs, Some((low, high))) => format!("{} to {}", signed(low), signed(high)),
            (Judgement::Differs, None) => "differs".to_owned(),
            (Judgement::NoDifferenceSeen, _) => "no difference seen".to_owned(),
            (Judgement::NotJudged, _) => "not judged".to_owned(),
        };
        let drawn = match (class.judgement, interval) {
            (Judgement::Differs, Some((low, high))) => Cell::Drawn(marks::interval(low, high, widest)),
            _ => Cell::Text(String::new()),
        };
        let change = |share: &heldup_model::ProgramShare| share.second - share.first;
        let programs: Vec<String> = class
            .programs
            .iter()
            .filter(|share| change(share).abs() >= LEAST_RATE)
            .take(MOST_PROGRAMS)
            .map(|share| format!("{} {}", share.name, signed(change(share))))
            .collect();
        let cost = class.severity.map(|of| format!("{}: {} of active time", of.name(), percent(class.cost)));
        vec![
            Cell::Named(colour, Class::label_of(&class.class_name).to_owned()),
            number(class.first).into(),
            number(class.second).into(),
            Cell::Drawn(marks::two(class.first, class.second, greatest, colour)),
            judged.into(),
            drawn,
            cost.into_iter().chain(programs).collect::<Vec<_>>().join(", ").into(),
        ]
    };
    let rows = shown.iter().map(row).collect();
    let columns = [
        names("class"),
        numbers("first"),
        numbers("second"),
        wide("first ○, second ●"),
        words("change, 99 % interval"),
        wide("less | more"),
        words("where it comes from"),
    ];
    html.table("Tasks in each class, on average (task-seconds per second)", &columns, rows);
}

fn programs(html: &mut Html, found: &Comparison) {
    let is_shown = |one: &&heldup_model::ProgramDifference| {
        one.first.or(one.second).is_some_and(|rate| rate >= LEAST_RATE)
    };
    let shown: Vec<_> = found.programs.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return;
    }
    html.put("h2", "", "Programs");
    let row = |one: &&heldup_model::ProgramDifference| -> Vec<Cell> {
        let side = |rate: Option<f64>| rate.map_or_else(|| "did not run".to_owned(), number);
        vec![one.name.as_str().into(), side(one.first).into(), side(one.second).into()]
    };
    let rows = shown.iter().take(MOST).map(row).collect();
    let columns = [words("program"), numbers("first"), numbers("second")];
    html.table("Programs that ran on one side only; active tasks on average", &columns, rows);
}

fn metrics(html: &mut Html, found: &Comparison) {
    html.put("h2", "", "Metrics");
    let said = format!(
        "{} of {} judged differ; {} have too few samples.",
        count(found.metrics.len() as i64),
        count(i64::try_from(found.metrics_judged).unwrap_or(i64::MAX)),
        count(i64::try_from(found.metrics_too_short).unwrap_or(i64::MAX))
    );
    html.put("p", "", &said);
    if found.metrics.is_empty() {
        return;
    }
    let row = |metric: &MetricDifference| -> Vec<Cell> {
        let change = match metric {
            metric if metric.constant => "constant on each side".to_owned(),
            metric if metric.first.abs() > 0.0 => format!("× {}", number(metric.second / metric.first)),
            _ => String::new(),
        };
        vec![
            Cell::Code(format!("{}.{} {}", metric.table, metric.column, metric.entity)),
            metric_value(metric, metric.first).into(),
            metric_value(metric, metric.second).into(),
            change.into(),
        ]
    };
    let rows = found.metrics.iter().take(MOST).map(row).collect();
    let columns = [words("metric"), numbers("first"), numbers("second"), words("change")];
    html.table(&caption("Metrics that differ", found.metrics.len()), &columns, rows);
}
