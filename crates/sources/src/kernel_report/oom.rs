//! Lines of an OOM report, from 2.4 to today: who asked, whose limit it was, and who was killed. Pure: what one line says.

use heldup_model::Text;
use heldup_model::tables::KernelReportRow;

use crate::kernel_report::heads::{has_key, kind, of_kind};

/// What a line of an OOM report says.
#[derive(Clone, Debug, PartialEq)]
pub enum OomLine {
    /// A report begins; who asked, and for how much.
    Begins(Box<KernelReportRow>),
    /// More about the report that is open.
    More(Box<KernelReportRow>),
    /// A process is chosen: the line about its end may follow, and may name a child in its place.
    Chosen(Box<KernelReportRow>),
    /// A process is dead.
    Killed(Box<KernelReportRow>),
    /// Nobody could be killed.
    NoVictim(Box<KernelReportRow>),
}

/// What a line says of memory that was taken from somebody.
pub fn oom_line(text: &str) -> Option<OomLine> {
    let text = text.trim_start();
    if let Some(killed) = by_daemon(text) {
        return Some(OomLine::Killed(Box::new(killed)));
    }
    match *text.as_bytes().first()? {
        b'O' | b'o' | b'M' | b'm' | b'K' | b'T' | b'V' => named(text).or_else(|| begins(text)),
        // A memory report whose head was not copied: nothing of the node can be freed.
        b'N' if text.starts_with("Node ")
            && text.contains(" active_anon:")
            && text.contains(" all_unreclaimable? yes") =>
        {
            Some(OomLine::More(Box::new(of_kind(kind::OOM))))
        }
        _ => begins(text),
    }
}

/// Processes that a daemon killed before memory was used up: `earlyoom[7]: sending SIGTERM to process 696 uid 1001 "ipfs": …`,
/// `systemd-oomd[7]: Killed /user.slice/… due to memory pressure …`, `lowmemorykiller: Kill 'NAME' (17933), uid …` (its driver:
/// `Killing`); `earlyoom` alone has no name before it.
fn by_daemon(text: &str) -> Option<KernelReportRow> {
    let first = *text.as_bytes().first()?;
    if !b"els".contains(&first) {
        return None;
    }
    let mut report = of_kind(kind::OOM);
    report.detail = Some(Text::from("daemon"));
    let (tag, message) = match text.strip_prefix("sending SIG") {
        Some(_) => ("earlyoom", text),
        None => text.split_once(": ")?,
    };
    let daemon = tag.split('[').next().unwrap_or(tag);
    report.requester = Some(Text::from(daemon));
    match daemon {
        "earlyoom" => {
            let rest = message.strip_prefix("sending SIG")?.split_once(" to process ")?.1;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            report.pid = Some(rest[..digits].parse().ok()?);
            let (name, rest) = rest.split_once('"')?.1.rsplit_once("\": ")?;
            report.name = Some(Text::from(name.split("\": ").next().unwrap_or(name)));
            let mib =
                rest.split_once("VmRSS ").or_else(|| message.split_once("VmRSS "))?.1.split(' ').next()?;
            mib.parse::<i64>().ok()?;
        }
        "systemd-oomd" => {
            let (group, _) = message.strip_prefix("Killed ")?.split_once(" due to ")?;
            report.cgroup = Some(Text::from(group));
            report.name = Some(Text::from(group.rsplit('/').next().unwrap_or(group)));
        }
        "lowmemorykiller" | "lmkd" => {
            let (_, rest) = message.strip_prefix("Kill")?.split_once('\'')?;
            let (name, rest) = rest.split_once("' (")?;
            report.name = Some(Text::from(name));
            report.pid = Some(rest.split(')').next()?.parse().ok()?);
        }
        _ => return None,
    }
    Some(report)
}

/// `NAME invoked oom-killer: gfp_mask=…, order=0, …`.
fn begins(text: &str) -> Option<OomLine> {
    let (requester, rest) = has_key(text).then(|| text.split_once(" invoked oom-killer:"))??;
    Some(asked(Some(requester), rest))
}

fn asked(requester: Option<&str>, rest: &str) -> OomLine {
    let value = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        value.split([',', ' ']).next().filter(|value| !value.is_empty())
    };
    OomLine::Begins(Box::new(KernelReportRow {
        requester: requester.map(Text::from),
        page_order: value("order=").and_then(|order| order.parse().ok()),
        flags: rest.split_once("gfp_mask=").map(|(_, flags)| match flags.split_once(')') {
            Some((named, _)) if named.contains('(') => Text::from(&flags[..=named.len()]),
            _ => Text::from(flags.split([',', ' ']).next().unwrap_or(flags)),
        }),
        ..of_kind(kind::OOM)
    }))
}

fn named(text: &str) -> Option<OomLine> {
    let mut report = of_kind(kind::OOM);
    let more = |report| Some(OomLine::More(Box::new(report)));
    if let Some(rest) = text.strip_prefix("oom-killer: gfp_mask=") {
        return Some(asked(None, &format!("gfp_mask={rest}")));
    }
    if let Some(rest) = text.strip_prefix("oom-kill:constraint=") {
        report.detail = match rest.split(',').next()? {
            "CONSTRAINT_MEMCG" => Some(Text::from("group")),
            "CONSTRAINT_CPUSET" | "CONSTRAINT_MEMORY_POLICY" => Some(Text::from("nodes")),
            _ => None,
        };
        let value =
            |key: &str| rest.split_once(key).map(|(_, value)| value.split(',').next().unwrap_or(value));
        report.cgroup = value(",oom_memcg=").map(Text::from);
        report.pid = value(",pid=").and_then(|pid| pid.parse().ok());
        // The name may have commas in it; `,pid=` ends it.
        report.name = rest
            .split_once(",task=")
            .and_then(|(_, name)| name.rsplit_once(",pid="))
            .map(|(name, _)| Text::from(name));
        return Some(OomLine::Chosen(Box::new(report)));
    }
    if let Some(rest) = text.strip_prefix("Task in ") {
        let (_, group) = rest.split_once(" killed as a result of limit of ")?;
        report.detail = Some(Text::from("group"));
        report.cgroup = Some(Text::from(group.trim()));
        return more(report);
    }
    if let Some(rest) = text.strip_prefix("memory: usage ") {
        let kib = rest.split_once("limit ")?.1.split_once("kB")?.0;
        report.limit_bytes = kib.parse::<i64>().ok().and_then(|kib| kib.checked_mul(1024));
        report.detail = Some(Text::from("group"));
        return more(report);
    }
    if let Some(rest) = text.strip_prefix("Memory cgroup stats for ") {
        let dirty = rest.split_once(" dirty:").and_then(|(_, kib)| kib.split_once("KB")).map(|(kib, _)| kib);
        report.dirty_bytes =
            dirty.and_then(|kib| kib.parse::<i64>().ok()).and_then(|kib| kib.checked_mul(1024));
        let group = rest.split(": ").next().unwrap_or(rest).trim_end_matches(':');
        report.cgroup = Some(Text::from(group));
        report.detail = Some(Text::from("group"));
        return more(report);
    }
    if text.starts_with("Tasks state (memory values in pages):") {
        return more(report);
    }
    let lower = text.to_ascii_lowercase();
    let is_group = lower.starts_with("memory cgroup out of memory");
    let is_want = is_group || lower.starts_with("out of memory");
    if is_want && (lower.contains("no killable") || lower.contains("panic_on_oom is selected")) {
        report.detail = Some(Text::from("no_victim"));
        report.panicked = lower.contains("panic_on_oom").then_some(true);
        return Some(OomLine::NoVictim(Box::new(report)));
    }
    let is_kill =
        is_want || lower.starts_with("killed process ") || lower.starts_with("vm: killing process ");
    if !is_kill {
        return None;
    }
    if is_group {
        report.detail = Some(Text::from("group"));
    }
    if let Some(name) = lower.starts_with("vm: killing process ").then(|| &text[20..]) {
        report.name = Some(Text::from(name.trim()));
        return Some(OomLine::Killed(Box::new(report)));
    }
    let at = lower.find("kill process ").map(|at| (at + 13, false));
    let (at, is_dead) = lower.find("killed process ").map(|at| (at + 15, true)).or(at)?;
    process(&text[at..], &mut report)?;
    let report = Box::new(report);
    Some(if is_dead { OomLine::Killed(report) } else { OomLine::Chosen(report) })
}

/// `4711 (NAME) total-vm:…kB, anon-rss:…kB, …`; of Red Hat's 2.6.18 `4711, UID 500, (NAME).`, of 2.4 `4711 (NAME).`.
fn process(text: &str, report: &mut KernelReportRow) -> Option<()> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    report.pid = Some(text[..digits].parse().ok()?);
    let rest = &text[digits..];
    if let Some((_, rest)) = rest.split_once('(') {
        // A name may have brackets in it: `(sd-pam)`.
        let end = [") total-vm:", ") vsz:", ") score ", "), UID", ") with "]
            .into_iter()
            .find_map(|end| rest.find(end));
        let end = end.or_else(|| rest.rfind(')')).or_else(|| rest.find(')'))?;
        report.name = Some(Text::from(&rest[..end]));
    }
    let anon = rest.split_once("anon-rss:").and_then(|(_, kib)| kib.split_once("kB")).map(|(kib, _)| kib);
    report.anon_bytes = anon.and_then(|kib| kib.parse::<i64>().ok()).and_then(|kib| kib.checked_mul(1024));
    Some(())
}
