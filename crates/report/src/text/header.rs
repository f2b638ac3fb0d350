//! The first line: which machine, which seconds, and how much of them was seen.

use heldup_model::{Examination, HostSummary, Method};
use jiff::{Timestamp, tz::TimeZone};

use crate::layout::{Ink, Page};
use crate::quantity::{bytes, count, percent, seconds};

/// Writes the line.
pub(crate) fn write(page: &mut Page, examination: &Examination, zone: &TimeZone) {
    let host = &examination.host;
    let mut rest =
        system(host).map_or(String::new(), |system| format!(" · {}", system.replace(' ', "\u{a0}")));
    // What other tools recorded may not say how many there are.
    if let Some(cpus) = host.cpus {
        rest += &format!(" · {}\u{a0}{}", count(cpus), if cpus == 1 { "CPU" } else { "CPUs" });
    }
    if let Some(memory_bytes) = host.memory_bytes {
        rest += &format!(" · {}", bytes(memory_bytes as f64));
    }
    if host.source != "live" {
        rest += &format!(" · {}", host.source);
    }
    rest += &format!(" · {} · {}", window(examination, zone), method(host));
    page.paragraph(&[(Ink::Bold, host.name.clone()), (Ink::Plain, rest)], 2);
}

/// `Linux 6.1.0`, `AIX 7.1`; of a recording that does not name its kernel what else it says.
fn system(host: &HostSummary) -> Option<String> {
    match (&host.os, host.kernel.as_str()) {
        // The name of a system other than Linux has its release.
        (Some(os), kernel) if os.ends_with(kernel) => Some(os.clone()),
        (os, "" | "unknown") => os.clone(),
        (_, kernel) => Some(format!("Linux {kernel}")),
    }
}

/// `10.0 s until 14:03:22`; with the date when it is not what happened just now.
fn window(examination: &Examination, zone: &TimeZone) -> String {
    let (Ok(from), Ok(to)) = (examination.from.parse::<Timestamp>(), examination.to.parse::<Timestamp>())
    else {
        return format!("{} until {}", examination.from, examination.to);
    };
    let length = from.duration_until(to).as_secs_f64();
    let shape = if examination.host.source == "live" { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    let end = to.to_zoned(zone.clone()).strftime(shape).to_string();
    format!("{} until {}", seconds((length * 10.0).round() / 10.0), end)
}

/// How time was accounted for, and whether all of it was seen.
fn method(host: &HostSummary) -> String {
    let (how, all) = match host.method {
        Method::Ebpf => ("eBPF", "all switches seen"),
        Method::Delays => ("delay accounting", "all tasks seen"),
        Method::Sampling => ("samples of /proc", "all tasks seen"),
        Method::Imported => ("recorded", "all rows read"),
    };
    // A report that says "all" while a thousandth is missing would be wrong.
    if host.coverage >= 0.9995 {
        format!("{how}, {all}")
    } else if host.coverage > 0.0 {
        format!("{how}, {} of task time seen", percent(host.coverage))
    } else {
        format!("{how}, no task time seen")
    }
}
