//! The worst stretches of a recording of other tools: each is examined as a recording of its own.

use std::num::NonZero;
use std::thread;

use heldup_diagnose::{BadStretch, Focus, Options, Ruleset, bad_stretches, diagnose_with, window};
use heldup_model::{Capture, ErrorNote, Examination, ImpactKind, Severity, TimeSource, WorstStretch};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Result;
use crate::examine::timeline::{brief, in_threads};
use crate::ignored::Ignored;
use crate::source::Source;
use crate::source::archive::quoted;
use crate::times::rfc3339;

/// Stretches that are examined.
const MOST: usize = 10;
const MOST_THREADS: usize = 4;
/// Names of files in a command; more are called by the number of the examination.
const MOST_NAMES: usize = 3;
/// A shorter end of a command is a time of day: the first one behind its start.
const DAY_MS: i64 = 24 * 3_600_000;

/// By what they are judged.
pub struct Judge<'a> {
    /// The rules.
    pub ruleset: &'a Ruleset,
    /// Findings that are not told.
    pub ignored: &'a Ignored,
    /// Look only at this.
    pub focus: Option<&'a Focus>,
}

/// Adds the worst stretches of a recording to what was found in all of it.
pub fn add(examination: &mut Examination, capture: &Capture, judge: &Judge) -> Result<()> {
    // Nobody could say how long they are.
    if !capture.timing.has_intervals {
        return Ok(());
    }
    let is_timeless = capture.timing.time == TimeSource::Unknown;
    let mut found = match bad_stretches(capture) {
        Ok(found) => found,
        Err(error) => {
            let place = "stretches".to_owned();
            examination.errors.push(ErrorNote { place, what: error.to_string() });
            return Ok(());
        }
    };
    examination.more_stretches = found.len().saturating_sub(MOST) as u64;
    found.truncate(MOST);
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let known = &*examination;
    let examined = in_threads(&found, threads, |stretch| examine(capture, stretch, judge, known))?;
    let mut stretches = Vec::new();
    for (stretch, found) in examined.into_iter().zip(&found) {
        let from_start_ms = (found.span.since_ms - capture.span.since_ms).max(0);
        let from_start_seconds = is_timeless.then(|| (from_start_ms as f64 / 1000.0).round());
        stretches.push((found.weight, WorstStretch { from_start_seconds, ..stretch? }));
    }
    stretches.retain(|(_, stretch)| !stretch.findings.is_empty());
    // Of one severity the one that weighs most is first.
    let severity = |stretch: &WorstStretch| stretch.findings.first().map(|finding| finding.severity);
    stretches.sort_by(|(a, one), (b, other)| severity(one).cmp(&severity(other)).then(b.total_cmp(a)));
    let stretches: Vec<WorstStretch> = stretches.into_iter().map(|(_, stretch)| stretch).collect();
    examination.stretches = stretches;
    Ok(())
}

fn examine(
    capture: &Capture,
    stretch: &BadStretch,
    judge: &Judge,
    whole: &Examination,
) -> Result<WorstStretch> {
    let part = window(capture, stretch.span);
    let options = Options { own_pid: None, focus: judge.focus.cloned(), clock: None };
    let mut diagnosis = diagnose_with(&part, judge.ruleset, &options);
    judge.ignored.leave_out(&mut diagnosis.findings);
    // A setting or a size is what it is throughout.
    let is_of_all = |finding: &heldup_model::Finding| {
        matches!(finding.impact.kind, ImpactKind::Risk | ImpactKind::Waste)
            && whole.findings.iter().any(|one| one.key == finding.key && one.title == finding.title)
    };
    let findings = diagnosis.findings.into_iter().filter(|finding| {
        finding.severity <= Severity::Warning && finding.because.is_empty() && !is_of_all(finding)
    });
    Ok(WorstStretch {
        from: rfc3339(stretch.span.since_ms)?,
        to: rfc3339(stretch.span.until_ms)?,
        seconds: stretch.span.secs(),
        findings: findings.map(brief).collect(),
        from_start_seconds: None,
        command: String::new(),
    })
}

/// Writes the command of each stretch: it names the files, or the examination where there are many.
pub fn name_commands(examination: &mut Examination, source: &Source, host: Option<&str>) {
    let name = match source {
        Source::Recordings { files, .. } => {
            let words: Vec<String> = files.iter().map(|file| quoted(&file.display().to_string())).collect();
            let number = examination.number.filter(|_| words.len() > MOST_NAMES);
            number.map_or_else(|| words.join(" "), |number| format!("@{number}"))
        }
        Source::Kept { name, .. } => quoted(name),
        Source::Live | Source::Archive(_) => return,
    };
    let host = host.map_or_else(String::new, |host| format!(" --host {}", quoted(host)));
    // Times without a zone are in that of the files; what is saved does not know it.
    let is_local = !name.starts_with('@');
    let zone = examination.time_zone.as_deref().and_then(zone_named).filter(|_| is_local);
    for stretch in &mut examination.stretches {
        if let Some(from_s) = stretch.from_start_seconds.filter(|_| is_local) {
            let ends = format!("--since +{from_s}s --until +{}s", stretch.seconds.ceil());
            stretch.command = format!("heldup examine {name}{host} {ends}");
            continue;
        }
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let Some((from, to)) = time(&stretch.from).zip(time(&stretch.to)) else { continue };
        let is_short = to.as_millisecond() - from.as_millisecond() < DAY_MS;
        let until =
            if is_short { clock_time(to, zone.as_ref(), "") } else { clock_time(to, zone.as_ref(), "%FT") };
        let since = clock_time(from, zone.as_ref(), "%FT");
        stretch.command = format!("heldup examine {name}{host} --since {since} --until {until}");
    }
}

/// A time as an option takes it; seconds where it has some.
fn clock_time(time: Timestamp, zone: Option<&TimeZone>, day: &str) -> String {
    let zoned = time.to_zoned(zone.cloned().unwrap_or(TimeZone::UTC));
    let seconds = if zoned.second() == 0 { "" } else { ":%S" };
    zoned.strftime(&format!("{day}%H:%M{seconds}{}", if zone.is_some() { "" } else { "Z" })).to_string()
}

/// The name of a zone for answers: `UTC`, `+02:00`, `Europe/Berlin`.
pub fn zone_name(zone: &TimeZone) -> Option<String> {
    if let Some(name) = zone.iana_name() {
        return Some(name.to_owned());
    }
    let offset = zone.to_fixed_offset().ok()?;
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    Some(format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
}

/// The zone of such a name.
pub fn zone_named(name: &str) -> Option<TimeZone> {
    let Some((hours, minutes)) = name.strip_prefix(['+', '-']).and_then(|rest| rest.split_once(':')) else {
        return TimeZone::get(name).ok();
    };
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    let seconds = if name.starts_with('-') { -seconds } else { seconds };
    jiff::tz::Offset::from_seconds(seconds).ok().map(TimeZone::fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_has_a_name_that_is_read_again() {
        for name in ["UTC", "+02:00", "-03:30"] {
            let zone = zone_named(name).expect("a zone");
            assert_eq!(zone_name(&zone).as_deref(), Some(name));
        }
        assert!(zone_named("Nowhere/Else").is_none());
    }
}
