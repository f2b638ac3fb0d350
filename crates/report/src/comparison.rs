//! A comparison as text and JSON: what matters most in three lines, then the lists, settings
//! first, because what changed is mostly why.

use heldup_model::{
    COMPARED_SAMPLES, COMPARISON_SCHEMA, Class, ComparedSide, Comparison, ComparisonVerdict,
    FindingDifference, Judgement, LedgerDifference, MetricDifference, ProgramDifference, SettingDifference,
    Severity,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::TextOptions;
use crate::json::escaped;
use crate::layout::{Ink, Page, cut};
use crate::quantity::{bytes, count, number, percent, seconds};

/// Lines of a part that are written without `-v`.
const MOST_LINES: usize = 12;
/// So many packages are written one by one without `-v`; of more a line says how many, and these first.
const MOST_PACKAGES: usize = 3;
/// Columns of a setting's value: the options of a mount are long, and their end is rarely the news.
const MOST_VALUE: usize = 60;
/// Programs named behind a class.
const MOST_PROGRAMS: usize = 3;
/// Task-seconds per second below which a class or program is not worth a line of its own.
const LEAST_RATE: f64 = 0.005;

/// The comparison as pretty JSON, with a newline at its end.
pub fn json(comparison: &Comparison) -> String {
    // Only maps with keys that are no strings can be refused, and there are none.
    let json = serde_json::to_string_pretty(comparison).unwrap_or_else(|error| {
        json!({ "schema": COMPARISON_SCHEMA, "errors": [{ "where": "report", "what": error.to_string() }] })
            .to_string()
    });
    escaped(&json) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Comparison>();
    schema.insert("$id".to_owned(), format!("urn:{}", COMPARISON_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup compare --json` answers".into());
    // A schema is made of maps with keys that are strings: writing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The comparison as text.
pub fn text(comparison: &Comparison, options: &TextOptions) -> String {
    let mut page = Page::new(options.width.clamp(80, 160), options.color, options.ascii);
    headlines(&mut page, comparison);
    sides(&mut page, "first", &comparison.first, &comparison.first_members, options);
    sides(&mut page, "second", &comparison.second, &comparison.second_members, options);
    for note in &comparison.notes {
        page.paragraph(&[(Ink::Yellow, format!("  {note}"))], 2);
    }
    settings(&mut page, &comparison.settings, options.details);
    findings(&mut page, comparison, options.details);
    ledger(&mut page, &comparison.ledger, options.details);
    programs(&mut page, &comparison.programs, options.details);
    metrics(&mut page, comparison, options.details);
    for error in &comparison.errors {
        page.paragraph(&[(Ink::Yellow, format!("cannot read {}: {}", error.place, error.what))], 2);
    }
    page.finish()
}

/// What matters most, alone.
pub fn conclusion(comparison: &Comparison) -> String {
    let mut page = Page::new(160, false, false);
    headlines(&mut page, comparison);
    page.finish()
}

fn headlines(page: &mut Page, comparison: &Comparison) {
    match comparison.verdict {
        ComparisonVerdict::Differs => {}
        ComparisonVerdict::NoDifference => {
            page.paragraph(&[(Ink::Bold, no_difference(comparison))], 2);
        }
        ComparisonVerdict::Undecided => page.paragraph(&[(Ink::Bold, undecided(comparison))], 2),
    }
    for line in &comparison.headlines {
        let (sign, ink) = mark(line.severity);
        let mut text = line.text.clone();
        if line.judgement == Judgement::NotJudged {
            text += " (not judged)";
        }
        page.paragraph(&[(ink, format!("{sign} ")), (Ink::Bold, text)], 2);
    }
    page.gap();
}

/// That nothing differs, or how little was judged.
pub(crate) fn no_difference(comparison: &Comparison) -> String {
    let samples = comparison.first.samples.min(comparison.second.samples);
    let is_group = !comparison.first_members.is_empty();
    match comparison.metrics_judged {
        _ if is_group => "No difference beyond noise".to_owned(),
        0 => not_judged(samples),
        _ if samples < COMPARED_SAMPLES => {
            format!("No large difference; smaller ones {}", not_judged(samples))
        }
        _ => "No difference beyond noise".to_owned(),
    }
}

/// How many samples there are, and what it takes.
fn not_judged(samples: u64) -> String {
    format!(
        "not judged: {samples} of {COMPARED_SAMPLES} samples per side; capture for {COMPARED_SAMPLES} s or longer"
    )
}

/// That nothing was judged, and what it takes.
pub(crate) fn undecided(comparison: &Comparison) -> String {
    let members = comparison.first_members.len();
    if members > 0 {
        return format!(
            "not judged: {members} of 3 captures on the first side; add captures of healthy times"
        );
    }
    not_judged(comparison.first.samples.min(comparison.second.samples))
}

/// Sign and ink of a severity; a blank that stays where a line begins.
fn mark(severity: Option<Severity>) -> (&'static str, Ink) {
    match severity {
        Some(Severity::Critical) => ("▲", Ink::Red),
        Some(Severity::Warning) => ("▲", Ink::Yellow),
        _ => ("·", Ink::Plain),
    }
}

/// A side, or each capture of it.
fn sides(page: &mut Page, which: &str, one: &ComparedSide, members: &[ComparedSide], options: &TextOptions) {
    let all = if members.is_empty() { std::slice::from_ref(one) } else { members };
    all.iter().for_each(|one| side(page, which, one, &options.time_zone));
}

fn side(page: &mut Page, which: &str, side: &ComparedSide, zone: &TimeZone) {
    let at = |ms: i64| {
        let time = Timestamp::from_millisecond(ms).ok();
        time.map_or_else(
            || format!("{ms} ms"),
            |time| time.to_zoned(zone.clone()).strftime("%F %T").to_string(),
        )
    };
    let length = (side.compared_until_ms - side.compared_since_ms) as f64 / 1000.0;
    let rest = format!(
        " {} · {} · Linux\u{a0}{} · {}\u{a0}CPUs · {} until {} · {}\u{a0}samples",
        side.source,
        side.host,
        side.kernel,
        count(side.cpus),
        seconds((length * 10.0).round() / 10.0),
        at(side.compared_until_ms),
        side.samples
    );
    page.paragraph(&[(Ink::Bold, which.to_owned()), (Ink::Plain, rest)], 2);
}

/// A heading, so many of the lines, and how many more there are.
fn part<T>(page: &mut Page, heading: &str, all: &[T], details: bool, line: impl Fn(&mut Page, &T)) {
    page.gap();
    page.paragraph(&[(Ink::Bold, heading.to_owned())], 2);
    let shown = if details { all.len() } else { all.len().min(MOST_LINES) };
    all[..shown].iter().for_each(|one| line(page, one));
    if shown < all.len() {
        page.paragraph(&[(Ink::Dim, format!("  … {} more: -v", all.len() - shown))], 2);
    }
}

fn settings(page: &mut Page, all: &[SettingDifference], details: bool) {
    if all.is_empty() {
        page.gap();
        page.paragraph(&[(Ink::Plain, "Settings: no difference".to_owned())], 2);
        return;
    }
    let (packages, others): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.package().is_some());
    if !others.is_empty() {
        part(page, "Settings that differ", &others, details, |page, one| setting_line(page, one));
    }
    if packages.is_empty() {
        return;
    }
    let heading = match packages.len() {
        1 => "1 package changed".to_owned(),
        more => format!("{} packages changed", count(more as i64)),
    };
    if details || packages.len() <= MOST_PACKAGES {
        return part(page, &heading, &packages, details, |page, one| setting_line(page, one));
    }
    let shown = packages.iter().take(MOST_PACKAGES).map(|one| {
        let (first, second) = changed(page, one);
        format!("{} {first} → {second}", one.package().unwrap_or_default())
    });
    let line = format!(": {}, … -v", shown.collect::<Vec<_>>().join(", "));
    page.gap();
    page.paragraph(&[(Ink::Bold, heading), (Ink::Plain, line)], 2);
}

/// The values of both sides.
fn changed(page: &Page, one: &SettingDifference) -> (String, String) {
    let value = |value: &Option<String>| match value {
        Some(value) => cut(value, MOST_VALUE, page.ellipsis()),
        None => "(absent)".to_owned(),
    };
    (value(&one.first), value(&one.second))
}

fn setting_line(page: &mut Page, one: &SettingDifference) {
    let (first, second) = changed(page, one);
    let what = setting_name(one);
    let mut line = format!(": {first} → {second}");
    if let Some(members) = one.second_members {
        line += &format!(" (in {members})");
    }
    page.paragraph(&[(Ink::Plain, "  ".to_owned()), (Ink::Bold, what), (Ink::Plain, line)], 4);
}

fn findings(page: &mut Page, comparison: &Comparison, details: bool) {
    let worth = |one: &&FindingDifference| details || one.judgement != Judgement::NoDifferenceSeen;
    let all: Vec<&FindingDifference> = comparison.findings.iter().filter(worth).collect();
    if all.is_empty() {
        return;
    }
    part(page, "Findings that differ", &all, details, |page, one| {
        let severity = |severity: Option<Severity>| severity.map_or("none", Severity::name);
        let sides = match (one.first_members, one.second_members) {
            (Some(first), Some(second)) => format!(
                "in {first} of {} → {second} of {}",
                comparison.first_members.len(),
                comparison.second_members.len()
            ),
            _ => format!("{} → {}", severity(one.first), severity(one.second)),
        };
        let mut line = format!(": {sides} · {}", one.title);
        match one.judgement {
            Judgement::Differs => {}
            Judgement::NoDifferenceSeen => line += " · no difference in time or metrics",
            Judgement::NotJudged => line += " · not judged",
        }
        let (_, ink) = mark(one.first.into_iter().chain(one.second).min());
        page.paragraph(&[(Ink::Plain, "  ".to_owned()), (ink, one.key.clone()), (Ink::Plain, line)], 4);
    });
}

fn ledger(page: &mut Page, all: &[LedgerDifference], details: bool) {
    let (differ, rest): (Vec<_>, Vec<_>) =
        all.iter().partition(|class| class.judgement == Judgement::Differs);
    let unjudged: Vec<_> = rest.into_iter().filter(|class| class.judgement == Judgement::NotJudged).collect();
    // Idle classes differ each time.
    let worth = |class: &&LedgerDifference| {
        class.first.max(class.second) >= LEAST_RATE && (details || class.group != "idle")
    };
    let unjudged: Vec<_> = unjudged.into_iter().filter(worth).collect();
    if differ.is_empty() && unjudged.is_empty() {
        page.gap();
        page.paragraph(&[(Ink::Plain, "Time by class: no difference".to_owned())], 2);
        return;
    }
    let heading = "Time by class, task-seconds per second";
    if !differ.is_empty() {
        part(page, heading, &differ, details, |page, class| class_line(page, class));
    }
    if !unjudged.is_empty() {
        part(page, &format!("{heading}: not judged"), &unjudged, details, |page, class| {
            class_line(page, class)
        });
    }
}

fn class_line(page: &mut Page, class: &LedgerDifference) {
    let (sign, ink) = match class.severity {
        Some(Severity::Critical) => ("▲", Ink::Red),
        Some(Severity::Warning) => ("▲", Ink::Yellow),
        _ => (" ", Ink::Plain),
    };
    let mut line = format!(" {} → {}", number(class.first), number(class.second));
    if let (Judgement::Differs, Some(low), Some(high)) =
        (class.judgement, class.change_low, class.change_high)
    {
        line += &format!(" ({} to {})", signed(low), signed(high));
    }
    if class.severity.is_some() {
        line += &format!(" · {} of active time", percent(class.cost));
    }
    let change = |share: &heldup_model::ProgramShare| share.second - share.first;
    let named = class.programs.iter().filter(|share| change(share).abs() >= LEAST_RATE).take(MOST_PROGRAMS);
    let named: Vec<String> = named.map(|share| format!("{} {}", share.name, signed(change(share)))).collect();
    if !named.is_empty() {
        line += &format!(" · {}", named.join(", "));
    }
    page.paragraph(&[(ink, format!("{sign} {}", Class::label_of(&class.class_name))), (Ink::Plain, line)], 4);
}

pub(crate) fn signed(value: f64) -> String {
    if value >= 0.0 { format!("+{}", number(value)) } else { format!("−{}", number(-value)) }
}

fn programs(page: &mut Page, all: &[ProgramDifference], details: bool) {
    let worth = |program: &&ProgramDifference| {
        details || program.first.or(program.second).is_some_and(|rate| rate >= LEAST_RATE)
    };
    let shown: Vec<&ProgramDifference> = all.iter().filter(worth).collect();
    if shown.is_empty() {
        return;
    }
    part(page, "Programs that ran on one side only", &shown, details, |page, program| {
        let (which, rate) = match (program.first, program.second) {
            (Some(rate), _) => ("first", rate),
            (None, rate) => ("second", rate.unwrap_or(0.0)),
        };
        let line = format!("  {which} only: {} · {} task-seconds per second", program.name, number(rate));
        page.paragraph(&[(Ink::Plain, line)], 4);
    });
}

fn metrics(page: &mut Page, comparison: &Comparison, details: bool) {
    let all = &comparison.metrics;
    let heading = format!(
        "Metrics that differ: {} of {} judged; {} have too few samples",
        count(all.len() as i64),
        count(comparison.metrics_judged as i64),
        count(comparison.metrics_too_short as i64)
    );
    part(page, &heading, all, details, metric_line);
}

fn metric_line(page: &mut Page, metric: &MetricDifference) {
    let value = |value: f64| metric_value(metric, value);
    let entity = if metric.entity.is_empty() { String::new() } else { format!(" {}", metric.entity) };
    let mut line = format!(
        "  {}.{}{entity}: {} → {}",
        metric.table,
        metric.column,
        value(metric.first),
        value(metric.second)
    );
    if metric.constant {
        line += " (constant on each side)";
    } else if metric.first.abs() > 0.0 {
        line += &format!(" ({} ×)", number(metric.second / metric.first));
    }
    page.paragraph(&[(Ink::Plain, line)], 4);
}

/// A value of a metric in its unit.
pub(crate) fn metric_value(metric: &MetricDifference, value: f64) -> String {
    match metric.unit.as_str() {
        "bytes" => bytes(value),
        "bytes/s" => format!("{}/s", bytes(value)),
        "s/s" | "" | "count" => number(value),
        "count/s" => format!("{}/s", number(value)),
        unit => format!("{}\u{a0}{unit}", number(value)),
    }
}

/// What a setting is called.
pub(crate) fn setting_name(one: &SettingDifference) -> String {
    match (one.table.as_str(), one.subject.as_str()) {
        ("setting", subject) => one.package().unwrap_or(subject).to_owned(),
        (table, "") => format!("{table} {}", one.column),
        (table, subject) => format!("{table} {subject} {}", one.column),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{Headline, HeadlineKind, Method, ProgramShare};

    use super::*;

    fn side(source: &str) -> ComparedSide {
        ComparedSide {
            source: source.into(),
            host: "db1".into(),
            kernel: "6.18".into(),
            cpus: 2,
            method: Method::Ebpf,
            coverage: 1.0,
            since_ms: 0,
            until_ms: 60_000,
            compared_since_ms: 0,
            compared_until_ms: 60_000,
            samples: 60,
        }
    }

    fn comparison() -> Comparison {
        Comparison {
            schema: COMPARISON_SCHEMA.into(),
            first: side("good"),
            second: side("@last"),
            first_members: Vec::new(),
            second_members: Vec::new(),
            verdict: ComparisonVerdict::Differs,
            headlines: vec![Headline {
                kind: HeadlineKind::Finding,
                text: "new: fio waits for the disk".into(),
                severity: Some(Severity::Critical),
                judgement: Judgement::Differs,
                names: vec!["disk.saturated/device:vda".into()],
            }],
            findings: vec![FindingDifference {
                id: "disk.saturated".into(),
                key: "disk.saturated/device:vda".into(),
                subject: "vda".into(),
                title: "fio waits for the disk".into(),
                first: None,
                second: Some(Severity::Critical),
                first_cost: None,
                second_cost: Some(0.6),
                culprits: vec!["fio".into()],
                judgement: Judgement::Differs,
                first_members: None,
                second_members: None,
            }],
            notes: vec!["good: no steady phase, all of it is compared".into()],
            settings: vec![SettingDifference {
                table: "setting".into(),
                subject: "block.vda.queue.nr_requests".into(),
                column: "setting_value".into(),
                first: Some("256".into()),
                second: Some("2\u{1b}[2J".into()),
                second_members: None,
            }],
            ledger: vec![LedgerDifference {
                class_name: "disk_write".into(),
                group: "waiting".into(),
                first: 0.1,
                second: 1.6,
                change_low: Some(1.2),
                change_high: Some(1.8),
                p_value: Some(1e-9),
                judgement: Judgement::Differs,
                cost: 0.6,
                severity: Some(Severity::Critical),
                programs: vec![ProgramShare { name: "fio".into(), first: 0.1, second: 1.6 }],
            }],
            programs: vec![ProgramDifference { name: "backup".into(), first: None, second: Some(0.4) }],
            metrics: vec![MetricDifference {
                table: "disk".into(),
                column: "write_bytes".into(),
                entity: "device=vda".into(),
                unit: "bytes/s".into(),
                first: 4e6,
                second: 1e6,
                change_low: -3.1e6,
                change_high: -2.9e6,
                p_value: 1e-7,
                constant: false,
            }],
            metrics_judged: 1204,
            metrics_too_short: 0,
            errors: Vec::new(),
        }
    }

    #[test]
    fn the_page() {
        let text = text(&comparison(), &TextOptions::default()).replace('\u{a0}', " ");
        let wanted = "\
▲ new: fio waits for the disk

first good · db1 · Linux 6.18 · 2 CPUs · 60 s until 1970-01-01 00:01:00 ·
  60 samples
second @last · db1 · Linux 6.18 · 2 CPUs · 60 s until 1970-01-01 00:01:00 ·
  60 samples
  good: no steady phase, all of it is compared

Settings that differ
  block.vda.queue.nr_requests: 256 → 2\\x1b[2J

Findings that differ
  disk.saturated/device:vda: none → critical · fio waits for the disk

Time by class, task-seconds per second
▲ disk write 0.1 → 1.6 (+1.2 to +1.8) · 60 % of active time · fio +1.5

Programs that ran on one side only
  second only: backup · 0.4 task-seconds per second

Metrics that differ: 1 of 1,204 judged; 0 have too few samples
  disk.write_bytes device=vda: 4 MB/s → 1 MB/s (0.25 ×)
";
        assert_eq!(text, wanted, "{text}");
    }

    #[test]
    fn an_upgrade_is_one_line_and_hides_no_setting() {
        let package = |name: &str| SettingDifference {
            table: "setting".into(),
            subject: format!("package.{name}"),
            column: "setting_value".into(),
            first: Some("1.0".into()),
            second: Some("1.1".into()),
            second_members: None,
        };
        let mut upgraded = comparison();
        upgraded.settings.push(package("linux-image-amd64"));
        upgraded.settings.extend((0..311).map(|number| package(&format!("lib{number}"))));
        let page = |details| {
            let options = TextOptions { details, ..TextOptions::default() };
            text(&upgraded, &options).replace('\u{a0}', " ")
        };
        let short = page(false);
        let begins = "  block.vda.queue.nr_requests: 256 → 2\\x1b[2J\n\n312 packages changed: linux-image-amd64 1.0 → 1.1, lib0";
        assert!(short.contains(begins) && !short.contains("lib9"), "{short}");
        assert!(page(true).contains("\n  lib310: 1.0 → 1.1\n"), "{}", page(true));
        upgraded.settings.truncate(2);
        assert!(
            text(&upgraded, &TextOptions::default())
                .contains("1 package changed\n  linux-image-amd64: 1.0 → 1.1")
        );
    }

    #[test]
    fn groups_are_listed_and_counted() {
        let mut groups = comparison();
        groups.first_members = vec![side("web1"), side("web2"), side("web3")];
        groups.second_members = vec![side("web4"), side("web5")];
        groups.findings[0].first_members = Some(0);
        groups.findings[0].second_members = Some(2);
        groups.settings[0].second_members = Some(1);
        let text = text(&groups, &TextOptions::default()).replace('\u{a0}', " ");
        for part in ["first web3 ·", "second web5 ·", "in 0 of 3 → 2 of 2", "256 → 2\\x1b[2J (in 1)"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn json_can_be_read_back() {
        let read: Comparison = serde_json::from_str(&json(&comparison())).unwrap();
        assert_eq!(read.settings, comparison().settings);
        assert_eq!(read.ledger[0].class_name, "disk_write");
    }
}
