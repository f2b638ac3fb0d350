//! What `heldup status` says: schema `heldup/status/1`, and a few lines for people.

use heldup_model::{GapReason, LastExamination, RecorderCost, RecorderStatus, STATUS_SCHEMA, StatusGap};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;

use crate::harmless;
use crate::json::escaped;
use crate::overhead::known_by;
use crate::quantity::{bytes, count, percent, span};

/// Findings of the last examination that are shown.
const SHOWN_FINDINGS: usize = 5;
/// Gaps that are shown.
const SHOWN_GAPS: usize = 5;

/// The status as pretty JSON, with a newline at its end.
pub fn json(status: &RecorderStatus) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(status).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<RecorderStatus>();
    schema.insert("$id".to_owned(), format!("urn:{}", STATUS_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup status --json` answers".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The status in lines, with times in a zone, which is named once.
pub fn text(status: &RecorderStatus, zone: &TimeZone) -> String {
    let status = &in_zone(status, zone);
    let mut lines = Lines::default();
    lines.add("recorder", Some(who(status)));
    lines.add("archive", status.pid.map(|_| archive(status)));
    lines.add("what", what(status));
    lines.add("overhead", cost(status));
    lines.add("a day", a_day(status));
    lines.add("kept", kept(status));
    lines.add("thinned", status.thinned.as_ref().map(|what| format!("sampled less often: {what}")));
    let lost = status.lost_samples.filter(|lost| *lost > 0);
    lines.add("lost", lost.map(|lost| format!("{} samples not written", count(lost))));
    for line in gaps(status) {
        lines.add("gap", Some(line));
    }
    for step in status.clock_steps.iter().skip(status.clock_steps.len().saturating_sub(SHOWN_GAPS)) {
        let way = if step.seconds < 0.0 { "back" } else { "forward" };
        let by = span(step.seconds.abs());
        lines.add("clock set", Some(format!("{way} by {by}, between {} and {}", step.after, step.until)));
    }
    let error = status.last_error.as_ref().zip(status.last_error_at.as_ref());
    lines.add("last error", error.map(|(what, at)| format!("{at}: {what}")));
    lines.add("changes", changes(status));
    lines.add("findings", Some(last(status)));
    status.last_examination.iter().for_each(|last| findings(&mut lines, last));
    lines.add("times", Some(zone_name(zone)));
    lines.0
}

/// The status with its times as the zone's clocks show them.
fn in_zone(status: &RecorderStatus, zone: &TimeZone) -> RecorderStatus {
    let local = |time: &String| clock(time, zone);
    let maybe = |time: &Option<String>| time.as_ref().map(local);
    let mut shown = status.clone();
    for time in
        [&mut shown.since, &mut shown.until, &mut shown.first, &mut shown.last, &mut shown.last_error_at]
    {
        *time = maybe(time);
    }
    for gap in &mut shown.gaps {
        (gap.after, gap.until) = (local(&gap.after), local(&gap.until));
    }
    for step in &mut shown.clock_steps {
        (step.after, step.until) = (local(&step.after), local(&step.until));
    }
    if let Some(last) = &mut shown.last_examination {
        last.to = maybe(&last.to);
    }
    shown
}

fn clock(time: &str, zone: &TimeZone) -> String {
    let shown = |time: Timestamp| time.to_zoned(zone.clone()).strftime("%F %T").to_string();
    time.parse::<Timestamp>().map_or_else(|_| time.to_owned(), shown)
}

fn zone_name(zone: &TimeZone) -> String {
    zone.iana_name().map_or_else(|| "local".to_owned(), str::to_owned)
}

fn changes(status: &RecorderStatus) -> Option<String> {
    let number = status.changes?;
    if number == 0 {
        return Some("no change of settings in effect".to_owned());
    }
    let waiting = status.changes_waiting.filter(|waiting| *waiting > 0);
    let waiting = waiting.map(|waiting| format!(", {waiting} wait for `heldup tune confirm`"));
    Some(format!("{number} of settings in effect{} (heldup tune status)", waiting.unwrap_or_default()))
}

fn last(status: &RecorderStatus) -> String {
    match &status.last_examination {
        None => "no saved examination (heldup examine)".to_owned(),
        Some(last) => {
            let number = match last.findings.len() {
                0 => "none".to_owned(),
                some => some.to_string(),
            };
            format!("{number} in @{}, {}", last.number, last.to.as_deref().unwrap_or("time not recorded"))
        }
    }
}

fn findings(lines: &mut Lines, last: &LastExamination) {
    for one in last.findings.iter().take(SHOWN_FINDINGS) {
        lines.add("", Some(format!("{} {}: {}", one.number, one.severity.name(), one.title.trim())));
    }
}

/// Lines of a name and what it is.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, what: Option<String>) {
        if let Some(what) = what {
            // Numbers and units are joined so that no line ends between them.
            let what = harmless(&what.replace('\u{a0}', " "));
            self.0.push_str(&format!("{name:<11} {what}\n"));
        }
    }
}

fn who(status: &RecorderStatus) -> String {
    let pid = status.pid.map_or("unknown".to_owned(), |pid| pid.to_string());
    let since = status.since.as_deref().unwrap_or("unknown time");
    match (status.running, &status.until) {
        _ if status.pid.is_none() => {
            "not running; start it: sudo systemctl enable --now heldup-record".to_owned()
        }
        (true, _) => format!("running, process {pid}, since {since}"),
        (false, Some(until)) => format!("not running; last process {pid} ended {until}"),
        (false, None) => format!("not running; last process {pid} was killed, or a power failure"),
    }
}

fn archive(status: &RecorderStatus) -> String {
    let limit = status.max_bytes.map(|most| format!(" of {}", bytes(most as f64))).unwrap_or_default();
    format!("{}, {}{limit}", status.archive, bytes(status.archive_bytes as f64))
}

fn what(status: &RecorderStatus) -> Option<String> {
    let host = status.host.as_deref()?;
    let many = |number: Option<i64>, name: &str| number.map(|number| format!(", {} {name}", count(number)));
    let every = status.interval_s.map(|s| format!(" every {}", span(s))).unwrap_or_default();
    let method = status.method.as_deref().unwrap_or("unknown method");
    let processes = many(status.processes, "processes").unwrap_or_default();
    let tasks = many(status.tasks, "tasks").unwrap_or_default();
    Some(format!("{host}{every}, time by {method}{processes}{tasks}"))
}

fn cost(status: &RecorderStatus) -> Option<String> {
    let of = |cost: &RecorderCost| {
        let bpf = cost.bpf_ratio.map(|bpf| format!(" + eBPF{} {}", known_by(cost.bpf_time), share(bpf)));
        format!("{}{}", share(cost.cpu_ratio), bpf.unwrap_or_default())
    };
    let all = status.cost.as_ref()?;
    let minute = status
        .overhead_last_minute
        .as_ref()
        .map(|minute| format!("{} of one CPU in the last minute, ", of(minute)));
    let memory = status.resident_bytes.map(|memory| format!("; {} of memory", bytes(memory as f64)));
    let budget = status.cpu_budget.map(|budget| format!("; budget {}", share(budget)));
    Some(format!(
        "{}{} in {}{}{}",
        minute.unwrap_or_default(),
        of(all),
        span(all.seconds),
        memory.unwrap_or_default(),
        budget.unwrap_or_default()
    ))
}

/// Two digits behind the point: what a recorder costs is less than a percent.
fn share(ratio: f64) -> String {
    if ratio < 0.1 { format!("{:.2} %", 100.0 * ratio) } else { percent(ratio) }
}

fn a_day(status: &RecorderStatus) -> Option<String> {
    let sealed = status.bytes_per_day.map(|sealed| format!("{} sealed", bytes(sealed)));
    let journal = status.journal_bytes_per_day.map(|journal| format!("{} in the journal", bytes(journal)));
    let both: Vec<String> = sealed.into_iter().chain(journal).collect();
    (!both.is_empty()).then(|| both.join(", "))
}

fn kept(status: &RecorderStatus) -> Option<String> {
    let (first, last) = (status.first.as_ref()?, status.last.as_ref()?);
    let age = status.last_age_s.map(|age| format!(" ({} ago)", span(age.max(0.0)))).unwrap_or_default();
    let limit = status.retention_s.map(|keep| format!("; retention {}", days(keep))).unwrap_or_default();
    Some(format!("{first} to {last}{age}{limit}"))
}

fn days(seconds: i64) -> String {
    if seconds % 86_400 == 0 { format!("{} days", seconds / 86_400) } else { span(seconds as f64) }
}

fn gaps(status: &RecorderStatus) -> Vec<String> {
    let all = &status.gaps;
    let shown = all.iter().skip(all.len().saturating_sub(SHOWN_GAPS));
    let line = |gap: &StatusGap| {
        let why = gap.why.map(|why| format!(": {}", reason(why))).unwrap_or_default();
        format!("{} to {}, {}{why}", gap.after, gap.until, span(gap.seconds))
    };
    let mut lines: Vec<String> = shown.map(line).collect();
    if all.len() > SHOWN_GAPS {
        lines.push(format!("and {} earlier in the last day", all.len() - SHOWN_GAPS));
    }
    lines
}

fn reason(why: GapReason) -> &'static str {
    match why {
        GapReason::Restarted => "the machine was rebooted",
        GapReason::Slept => "the machine slept",
        GapReason::NotRecorded => "no recorder ran",
        GapReason::NotWritten => "samples not written",
        GapReason::Late => "the recorder had no CPU, was stopped, or waited in a read",
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{BpfTime, ClockStep};

    use super::*;

    fn status() -> RecorderStatus {
        RecorderStatus {
            schema: STATUS_SCHEMA.to_owned(),
            archive: "/var/lib/heldup/archive".to_owned(),
            running: true,
            pid: Some(77),
            host: Some("db1".to_owned()),
            since: Some("2026-11-22T01:00:00Z".to_owned()),
            interval_s: Some(1.0),
            method: Some("ebpf".to_owned()),
            cpu_budget: Some(0.01),
            overhead_last_minute: Some(RecorderCost {
                cpu_ratio: 0.0018,
                seconds: 60.0,
                ..RecorderCost::default()
            }),
            cost: Some(RecorderCost {
                cpu_ratio: 0.002,
                bpf_ratio: Some(0.0001),
                bpf_time: Some(BpfTime::Estimated),
                seconds: 3600.0,
            }),
            archive_bytes: 1_500_000,
            ..RecorderStatus::default()
        }
    }

    #[test]
    fn it_is_told_in_lines() {
        let text = text(&status(), &TimeZone::UTC);
        assert!(
            text.contains("running, process 77, since 2026-11-22 01:00:00")
                && text.ends_with("times       UTC\n"),
            "{text}"
        );
        assert!(text.contains("0.18 % of one CPU in the last minute, 0.20 % + eBPF about 0.01 %"), "{text}");
        assert!(!text.contains("last error") && !text.contains("lost"), "{text}");
    }

    #[test]
    fn hostile_names_do_not_reach_the_terminal() {
        let hostile = RecorderStatus { host: Some("db\u{1b}[2J".to_owned()), ..status() };
        assert!(!text(&hostile, &TimeZone::UTC).contains('\u{1b}'));
        assert!(!json(&hostile).contains('\u{1b}'));
    }

    #[test]
    fn a_clock_that_was_set_is_named_as_such() {
        let step = ClockStep { after: "a".to_owned(), until: "b".to_owned(), seconds: -3600.0 };
        let text = text(&RecorderStatus { clock_steps: vec![step], ..status() }, &TimeZone::UTC);
        assert!(text.contains("clock set   back by 60 min, between a and b"), "{text}");
    }

    #[test]
    fn the_last_gaps_are_told() {
        let gap = StatusGap { after: "a".to_owned(), until: "b".to_owned(), seconds: 5.0, why: None };
        let many = RecorderStatus { gaps: vec![gap; 7], running: false, ..status() };
        let text = text(&many, &TimeZone::UTC);
        assert_eq!(text.matches("a to b").count(), 5, "{text}");
        assert!(text.contains("and 2 earlier") && text.contains("was killed, or a power failure"), "{text}");
    }

    #[test]
    fn a_gap_is_told_with_its_reason() {
        let gap = StatusGap {
            after: "a".to_owned(),
            until: "b".to_owned(),
            seconds: 5.0,
            why: Some(GapReason::Slept),
        };
        let slept = RecorderStatus { gaps: vec![gap], ..status() };
        assert!(
            text(&slept, &TimeZone::UTC).contains("a to b, 5 s: the machine slept"),
            "{}",
            text(&slept, &TimeZone::UTC)
        );
        assert!(json(&slept).contains("\"why\": \"slept\""));
    }
}
