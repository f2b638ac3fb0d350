//! Lines with which the kernel begins to report a trouble, from 2.6.9 to today: hung tasks, lockups, RCU stalls and failed
//! allocations. Pure: what one line says. What is about memory that was taken from somebody is in `oom.rs`, what is about
//! hardware in `hardware.rs`.

use heldup_model::Text;
use heldup_model::tables::KernelReportRow;

/// Kinds of a report, the column `kind`.
pub mod kind {
    /// A task that waits uninterruptibly for longer than the kernel's limit.
    pub const HUNG_TASK: &str = "hung_task";
    /// A CPU that runs one task in the kernel and nothing else.
    pub const SOFT_LOCKUP: &str = "soft_lockup";
    /// A CPU that does not even take interrupts.
    pub const HARD_LOCKUP: &str = "hard_lockup";
    /// A grace period that does not end.
    pub const RCU_STALL: &str = "rcu_stall";
    /// An allocation that failed.
    pub const ALLOCATION: &str = "allocation_failure";
    /// Memory is used up.
    pub const OOM: &str = "oom";
    /// An error that the hardware reported.
    pub const HARDWARE: &str = "hardware_error";
}

/// A report of a kind, nothing of it known yet.
pub fn of_kind(kind: &'static str) -> KernelReportRow {
    KernelReportRow { kind: Some(Text::from(kind)), ..KernelReportRow::default() }
}

/// Whether a line may be about one of the troubles: most of a log are not, and are told by their first letter and by what
/// stands at their colons.
pub fn is_candidate(text: &str) -> bool {
    let text = text.trim_start();
    let first = text.as_bytes().first();
    first.is_some_and(|first| b"I\"rBNWwKOoMmTVE[{HCS_sel".contains(first)) || has_key(text)
}

/// Whether one of the words is there behind which a name may stand: whose they are is written before them.
pub fn has_key(text: &str) -> bool {
    text.match_indices(':').any(|(at, _)| {
        let (before, behind) = text.as_bytes().split_at(at);
        let keys: [&[u8]; 4] = [b": page alloc", b": vmalloc", b": AER: ", b": PCIe Bus Error: "];
        keys.iter().any(|key| behind.starts_with(key)) || before.ends_with(b"invoked oom-killer")
    })
}

/// The report that a line begins.
pub fn head(text: &str) -> Option<KernelReportRow> {
    let text = text.trim_start();
    let first = *text.as_bytes().first()?;
    match first {
        b'I' => hung_task(text).or_else(|| rcu_stall(text)),
        b'"' => cut_off_hung_task(text),
        b'r' => rcu_stall(text).or_else(|| allocation_failure(text)),
        b'B' | b'N' | b'W' | b'w' => {
            soft_lockup(text).or_else(|| hard_lockup(text)).or_else(|| allocation_failure(text))
        }
        b'K' => panicked(text).or_else(|| allocation_failure(text)),
        _ => allocation_failure(text),
    }
}

/// `INFO: task NAME:PID blocked for more than 120 seconds.`, also `blocked in I/O wait for more than`.
fn hung_task(text: &str) -> Option<KernelReportRow> {
    let rest = text.strip_prefix("INFO: task ")?;
    let (who, rest) = rest.split_once(" blocked ")?;
    let (name, pid) = who.rsplit_once(':')?;
    let seconds = rest.split_once("for more than ")?.1.split(' ').next()?;
    Some(KernelReportRow {
        name: Some(Text::from(name)),
        pid: Some(pid.parse().ok()?),
        duration_s: Some(seconds.parse().ok()?),
        ..of_kind(kind::HUNG_TASK)
    })
}

/// The second line of a report whose first one was cut off.
fn cut_off_hung_task(text: &str) -> Option<KernelReportRow> {
    text.starts_with("\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\"").then(|| of_kind(kind::HUNG_TASK))
}

/// `INFO: task A:1 is blocked on a mutex likely owned by task B:2.` (6.15 and later): who holds it.
pub fn holder(text: &str) -> Option<(i64, &str, i64)> {
    let (who, rest) = text.trim_start().strip_prefix("INFO: task ")?.split_once(" blocked on a")?;
    let pid = who.trim_end_matches(" is").rsplit_once(':')?.1.parse().ok()?;
    let (_, owner) = rest.split_once("owned by task ")?;
    let (name, owner) = owner.rsplit_once(':')?;
    let digits = owner.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(owner.len());
    Some((pid, name, owner[..digits].parse().ok()?))
}

/// `BUG: soft lockup - CPU#1 stuck for 22s! [NAME:PID]`, behind the watchdog's name from 3.17 on; before 2.6.23
/// `BUG: soft lockup detected on CPU#1!`.
fn soft_lockup(text: &str) -> Option<KernelReportRow> {
    let text = text.strip_prefix("NMI ").unwrap_or(text);
    let text = text.strip_prefix("watchdog: ").unwrap_or(text);
    let rest = text.strip_prefix("BUG: soft lockup")?;
    let (_, rest) = rest.split_once("CPU#")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut report =
        KernelReportRow { cpu: Some(rest[..digits].parse().ok()?), ..of_kind(kind::SOFT_LOCKUP) };
    if let Some((_, rest)) = rest.split_once(" stuck for ")
        && let Some((seconds, rest)) = rest.split_once("s!")
    {
        report.duration_s = seconds.parse().ok();
        let who = rest.trim().strip_prefix('[').and_then(|rest| rest.rsplit_once(']')).map(|(who, _)| who);
        if let Some((name, pid)) = who.and_then(|who| who.rsplit_once(':')) {
            report.name = Some(Text::from(name));
            report.pid = pid.parse().ok();
        }
    }
    Some(report)
}

/// `NMI watchdog: Watchdog detected hard LOCKUP on cpu 3`, `watchdog: CPU 3 self-detected hard LOCKUP @ …` (Power),
/// `watchdog: CPU 0 detected hard LOCKUP on other CPUs 5`, `Watchdog CPU:59 Hard LOCKUP` (Power, 4.15),
/// `NMI Watchdog detected LOCKUP on CPU 1` (2.6).
fn hard_lockup(text: &str) -> Option<KernelReportRow> {
    let (before, behind) = text.split_once("LOCKUP")?;
    let is_told = before.ends_with("hard ") && before.contains("detect")
        || before.ends_with("Hard ") && before.contains("CPU")
        || before == "NMI Watchdog detected ";
    if !is_told {
        return None;
    }
    // Of those behind the word one is stuck; of the one before it only where it found itself.
    let place = if behind.to_ascii_lowercase().contains("cpu") { behind } else { before };
    let at = place.to_ascii_lowercase().rfind("cpu")?;
    let place = place[at + 3..].trim_start_matches(['s', 'S', ' ', '#', ':']);
    let digits = place.bytes().take_while(u8::is_ascii_digit).count();
    Some(KernelReportRow { cpu: place[..digits].parse().ok(), ..of_kind(kind::HARD_LOCKUP) })
}

/// `INFO: rcu_sched self-detected stall on CPU { 1}  (t=2100 jiffies …)`, `rcu: INFO: rcu_preempt detected stalls on
/// CPUs/tasks:`, `… detected expedited stalls on CPUs/tasks: { 3-.... } 21 jiffies s: 73`, `INFO: RCU detected CPU 0
/// stall (t=1000 jiffies)` (2.6.29).
fn rcu_stall(text: &str) -> Option<KernelReportRow> {
    let rest = text.strip_prefix("rcu: ").unwrap_or(text);
    let Some(rest) = rest.strip_prefix("INFO: ") else { return starved(rest) };
    let name = rest.split(' ').next()?;
    let is_rcu = name.starts_with("rcu_") || name == "RCU";
    if !is_rcu || !rest.contains("detected ") || !rest.contains("stall") {
        return None;
    }
    let detail = if rest.contains("expedited stall") {
        "expedited"
    } else if rest.contains("self-detected") || rest.contains("detected stall on CPU ") {
        "self"
    } else {
        "other"
    };
    let mut report = KernelReportRow { detail: Some(Text::from(detail)), ..of_kind(kind::RCU_STALL) };
    stall(rest, &mut report);
    Some(report)
}

/// `rcu_preempt kthread starved for 18002 jiffies! …`: of the stall that is open, or of one whose head is missing.
fn starved(text: &str) -> Option<KernelReportRow> {
    let (_, ticks) = text.strip_prefix("rcu_")?.split_once(" kthread starved for ")?;
    let stalled_jiffies = ticks.split(' ').next()?.parse().ok();
    Some(KernelReportRow { detail: Some(Text::from("starved")), stalled_jiffies, ..of_kind(kind::RCU_STALL) })
}

/// What a line of an RCU stall says of it: the CPU and how long.
pub fn stall(text: &str, report: &mut KernelReportRow) {
    let text = text.strip_prefix("rcu: ").unwrap_or(text).trim();
    if let Some((_, ticks)) = text.split_once("t=") {
        let digits = ticks.bytes().take_while(u8::is_ascii_digit).count();
        if ticks[digits..].starts_with(" jiffies") && report.stalled_jiffies.is_none() {
            report.stalled_jiffies = ticks[..digits].parse().ok();
        }
    } else if let Some((_, rest)) = text.split_once("} ")
        && let Some((ticks, _)) = rest.split_once(" jiffies")
    {
        report.stalled_jiffies = ticks.trim().parse().ok();
    }
    if text.contains("skipped: idling") {
        report.detail = Some(Text::from("idle"));
    }
    if report.cpu.is_none() {
        let number = |text: &str| {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text[..digits].parse::<i64>().ok()
        };
        report.cpu = if let Some((_, rest)) = text.split_once("{ ") {
            number(rest)
        } else if let Some((_, rest)) = text.split_once("CPU ") {
            number(rest)
        } else if text.contains("idle=") || text.contains(" this GP)") || text.contains(" GPs behind)") {
            // `1-....: (5249 ticks this GP) idle=…`, before 4.x `1: (1 GPs behind) idle=…`.
            number(text)
        } else {
            None
        };
    }
}

/// `NAME: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)`, before 3.10 `failure. order:`,
/// and of 2.4 `__alloc_pages: 0-order allocation failed (gfp=0x20/0)`.
fn allocation_failure(text: &str) -> Option<KernelReportRow> {
    if let Some(rest) = text.strip_prefix("__alloc_pages: ") {
        let (order, rest) = rest.split_once("-order allocation failed")?;
        let flags = rest.split_once("gfp=").map(|(_, flags)| flags.split(['/', ')']).next().unwrap_or(flags));
        return Some(failure(None, order, flags));
    }
    if !has_key(text) {
        return None;
    }
    let Some((name, rest)) = text.split_once(": page allocation failure") else {
        return vmalloc_failure(text);
    };
    let (_, rest) = rest.split_once("order:")?;
    let order = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
    let flags = rest.split_once("mode:").map(|(_, flags)| match flags.split_once(')') {
        Some((named, _)) if named.contains('(') => &flags[..=named.len()],
        _ => flags.split([',', ' ']).next().unwrap_or(flags),
    });
    Some(failure(Some(name), order, flags))
}

/// `NAME: vmalloc error: size 4096, page order 0, failed to allocate pages, mode:0x…` (5.13 and later), before that
/// `NAME: vmalloc: allocation failure, allocated 8192 of 16384 bytes, mode:0x…` or `: allocation failure: 16384 bytes, mode:…`.
fn vmalloc_failure(text: &str) -> Option<KernelReportRow> {
    let (name, rest) = text.split_once(": vmalloc")?;
    if !rest.contains("failed to allocate page") && !rest.contains("allocation failure") {
        return None;
    }
    // What failed is all of its pages together.
    let flags = rest.split_once("mode:").map(|(_, flags)| match flags.split_once(')') {
        Some((named, _)) if named.contains('(') => &flags[..=named.len()],
        _ => flags.split([',', ' ']).next().unwrap_or(flags),
    });
    Some(failure(Some(name), "", flags))
}

fn failure(name: Option<&str>, order: &str, flags: Option<&str>) -> KernelReportRow {
    KernelReportRow {
        name: name.map(Text::from),
        page_order: order.parse().ok(),
        detail: flags.and_then(may_wait).map(|waits| Text::from(if waits { "waiting" } else { "atomic" })),
        flags: flags.map(Text::from),
        ..of_kind(kind::ALLOCATION)
    }
}

/// Whether whoever asked may wait until memory is freed. Names stand in the log from 4.6 on; their bits before that are
/// those of `include/linux/gfp.h`: 0x10 (wait) until 4.3, then 0x400000 (direct reclaim), beside which the kernel's own
/// 0x2000000 is set.
fn may_wait(flags: &str) -> Option<bool> {
    if let Some((_, names)) = flags.split_once('(') {
        let waits = [
            "GFP_KERNEL",
            "GFP_USER",
            "GFP_HIGHUSER",
            "GFP_NOFS",
            "GFP_NOIO",
            "GFP_TRANSHUGE|",
            "__GFP_DIRECT_RECLAIM",
            "__GFP_RECLAIM",
            "GFP_TEMPORARY",
        ];
        let is_atomic = names.contains("GFP_ATOMIC") || names.contains("GFP_NOWAIT");
        return Some(!is_atomic && waits.iter().any(|name| names.contains(name)));
    }
    let bits = u64::from_str_radix(flags.trim().strip_prefix("0x")?, 16).ok()?;
    Some(if bits & 0x200_0000 != 0 { bits & 0x40_0000 != 0 } else { bits & 0x10 != 0 })
}

/// Panics that follow from a trouble that the kernel found, by what their line says.
const PANICS: [(&str, &str); 12] = [
    ("hung_task: blocked tasks", kind::HUNG_TASK),
    ("softlockup: hung tasks", kind::SOFT_LOCKUP),
    ("Watchdog detected hard LOCKUP", kind::HARD_LOCKUP),
    ("Hard LOCKUP", kind::HARD_LOCKUP),
    ("nmi watchdog", kind::HARD_LOCKUP),
    ("RCU Stall", kind::RCU_STALL),
    ("Out of memory", kind::OOM),
    ("out of memory", kind::OOM),
    ("System is deadlocked on memory", kind::OOM),
    ("Fatal hardware error", kind::HARDWARE),
    ("achine check", kind::HARDWARE),
    ("achine Check", kind::HARDWARE),
];

/// `Kernel panic - not syncing: …`, where the trouble is one of ours.
fn panicked(text: &str) -> Option<KernelReportRow> {
    let why = text.strip_prefix("Kernel panic - not syncing: ")?;
    let (_, kind) = PANICS.iter().find(|(words, _)| why.contains(words))?;
    let mut report = KernelReportRow { panicked: Some(true), ..of_kind(kind) };
    match *kind {
        kind::OOM => report.detail = Some(Text::from("panic_only")),
        kind::HARDWARE => report.detail = Some(Text::from("fatal")),
        kind::HARD_LOCKUP => report.cpu = hard_lockup(why).and_then(|lockup| lockup.cpu),
        _ => {}
    }
    Some(report)
}
