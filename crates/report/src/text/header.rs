//! The first line: which machine, which seconds, and how they were measured.

use heldup_model::{Examination, FileSummary, HostSummary, Method, TimeSource};
use jiff::{Timestamp, tz::TimeZone};
use unicode_width::UnicodeWidthStr;

use crate::layout::{Ink, Page};
use crate::quantity::{bytes, count, seconds};

/// Columns from which a part of the line is too long for the rest of it.
const LONG_PART: usize = 60;

/// Writes the line.
pub(crate) fn write(page: &mut Page, examination: &Examination, zone: &TimeZone) {
    let host = &examination.host;
    let recording = recording(examination);
    let mut parts: Vec<String> = Vec::new();
    let name = if host.name == "unknown" { "host unknown" } else { host.name.as_str() };
    parts.extend(recording.map(|_| name.to_owned()));
    parts.extend(machine(host));
    let is_number = host.source.starts_with('@') && examination.number.is_some();
    if host.source != "live" && !is_number && recording.is_none() {
        parts.push(host.source.clone());
    }
    // Of a part of a file nobody counted the samples.
    let is_whole = |file: &FileSummary| file.from == examination.from && file.to == examination.to;
    let samples = recording.filter(|_| examination.files.first().is_some_and(is_whole));
    parts.push(window(examination, samples.map_or("", |(_, samples)| samples), zone));
    parts.extend(method(host));
    // What does not fit on a line may be broken at its blanks.
    let unbroken = |part: &String| match part.width() {
        LONG_PART.. => part.clone(),
        _ => part.replace(' ', "\u{a0}"),
    };
    let text = parts.iter().map(unbroken).collect::<Vec<_>>().join("\u{a0} ");
    let number = examination.number.map(|number| format!("@{number}")).unwrap_or_default();
    let first = recording.map_or(name, |(tool, _)| tool).to_owned();
    let used = page.safe(&first).width() + 2 + page.safe(&text).width() + number.width();
    let gap = match page.width().checked_sub(used) {
        Some(room) if room >= 2 && !number.is_empty() => "\u{a0}".repeat(room),
        _ if number.is_empty() => String::new(),
        _ => "\u{a0} ".to_owned(),
    };
    page.paragraph(&[(Ink::Bold, first), (Ink::Plain, format!("\u{a0} {text}{gap}")), (Ink::Dim, number)], 2);
}

/// `Linux 6.18`, `2 CPUs`, `25.3 GB`: what is known of them.
pub fn machine(host: &HostSummary) -> Vec<String> {
    let cpus = |cpus| format!("{} {}", count(cpus), if cpus == 1 { "CPU" } else { "CPUs" });
    let memory = host.memory_bytes.map(|memory_bytes| bytes(memory_bytes as f64));
    // A recording may not say how many there are.
    system(host).into_iter().chain(host.cpus.map(cpus)).chain(memory).collect()
}

/// Where one recording was read, the tool that wrote it, and how much: `sar`, `5 samples`.
pub(crate) fn recording(examination: &Examination) -> Option<(&str, &str)> {
    match &examination.files[..] {
        [file] if file.known => Some(file.what.split_once(", ").unwrap_or((file.what.as_str(), ""))),
        _ => None,
    }
}

/// `Linux 6.1`, `AIX 7.1`; of a recording that does not name its kernel what else it says.
pub(crate) fn system(host: &HostSummary) -> Option<String> {
    match (&host.os, host.kernel.as_str()) {
        // The name of a system other than Linux has its release.
        (Some(os), kernel) if os.ends_with(kernel) => Some(os.clone()),
        (os, "" | "unknown") => os.clone(),
        (_, kernel) => Some(format!("Linux {}", release(kernel))),
    }
}

/// `6.18` of `6.18.44-cloud-amd64`; the whole release is in JSON.
fn release(kernel: &str) -> &str {
    let is_number = |c: char| c.is_ascii_digit();
    let mut dots = kernel.match_indices(|c: char| !is_number(c)).map(|(at, _)| at);
    match (dots.next(), dots.next()) {
        (Some(first), Some(second)) if kernel[first..].starts_with('.') && second > first + 1 => {
            &kernel[..second]
        }
        _ => kernel,
    }
}

/// `14:03:12-14:03:22 UTC (10 s)`; with the date when it is not what happened just now. Of a recording only what it has.
pub(crate) fn window(examination: &Examination, samples: &str, zone: &TimeZone) -> String {
    let at = |time: &Option<String>| {
        let time = time.as_ref()?.parse::<Timestamp>().ok()?;
        Some(time.to_zoned(zone.clone()))
    };
    let date = if examination.host.source == "live" { "" } else { "%F " };
    let (when, length) = match (at(&examination.from), at(&examination.to)) {
        (Some(from), Some(to)) => {
            let begin = from.strftime(&format!("{date}%T")).to_string();
            let end = if from.date() == to.date() { "%T %Z" } else { "%F %T %Z" };
            let length = from.timestamp().duration_until(to.timestamp()).as_secs_f64();
            (format!("{begin}-{}", to.strftime(end)), Some(length))
        }
        (Some(from), None) => (format!("from {}", from.strftime("%F %T %Z")), examination.seconds),
        // Of one moment without a time there is nothing to say but that.
        _ => ("time not recorded".to_owned(), examination.seconds),
    };
    let is_moment = examination.from.is_none() && length == Some(0.0);
    let mut parts: Vec<String> = Vec::new();
    parts.extend(length.filter(|_| !is_moment).map(|length| seconds((length * 10.0).round() / 10.0)));
    parts.extend(Some(samples).filter(|samples| !samples.is_empty()).map(str::to_owned));
    parts.extend(length.is_none().then(|| "interval not recorded".to_owned()));
    parts.extend((examination.time == TimeSource::Assumed).then(|| "date assumed".to_owned()));
    if parts.is_empty() { when } else { format!("{when} ({})", parts.join(", ")) }
}

/// How time was accounted for; of a recording its files say what they are.
pub(crate) fn method(host: &HostSummary) -> Option<String> {
    match host.method {
        Method::Ebpf => Some("eBPF".to_owned()),
        Method::Delays => Some("delay accounting".to_owned()),
        Method::Sampling => Some("sampled, no eBPF".to_owned()),
        Method::Imported => None,
    }
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn a_release_is_short() {
        for (kernel, expect) in [
            ("6.18.44-fc-v509", "6.18"),
            ("6.1.0-28-amd64", "6.1"),
            ("6.18", "6.18"),
            ("7", "7"),
            ("a.b.c", "a.b.c"),
            ("6..1", "6..1"),
        ] {
            assert_eq!(release(kernel), expect);
        }
    }
}
