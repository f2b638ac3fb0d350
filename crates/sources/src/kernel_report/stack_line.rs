//! Tasks and the functions they stand in, as the kernel prints them: of a hung task, of sysrq T, W,
//! L and P, and of whoever asked for the memory that was not there. Pure.

/// A task that is about to be printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Its name.
    pub name: Option<String>,
    /// Its number.
    pub pid: Option<i64>,
    /// It runs on a CPU, rather than waits.
    pub runs: bool,
    /// How long it has waited, as the kernel says of a hung task.
    pub waited_s: Option<f64>,
    /// The CPU on which it runs.
    pub cpu: Option<i64>,
}

/// States of a task in one letter.
const STATES: [&str; 8] = ["R", "S", "D", "T", "t", "Z", "X", "I"];

/// No line about a task needs more of its words.
const MOST_WORDS: usize = 24;

/// The task that a line is about.
pub fn shown(text: &str) -> Option<Shown> {
    if let Some(hung) = hung(text) {
        return Some(hung);
    }
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
    with_labels(&words).or_else(|| on_cpu(&words)).or_else(|| in_columns(&words))
}

/// Lines that only a list of tasks begins with: what sysrq answers, its headings, and a task with labels.
pub fn opens(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    matches!(words.as_slice(), ["task", "PC", "stack", "pid", "father"])
        || words.first().is_some_and(|first| first.to_ascii_lowercase().starts_with("sysrq"))
            && words.windows(2).any(|two| two[0].ends_with(':') && two[1].eq_ignore_ascii_case("show"))
        || with_labels(&words).is_some()
}

/// `INFO: task NAME:PID blocked for more than 120 seconds.`
fn hung(text: &str) -> Option<Shown> {
    let rest = text.trim_start().strip_prefix("INFO: task ")?;
    let (who, rest) = rest.split_once(" blocked ")?;
    let (name, pid) = who.rsplit_once(':')?;
    // Who is said to be blocked by whom (6.15 on) has no time.
    let seconds = rest.split_whitespace().find_map(|word| word.parse().ok())?;
    Some(Shown {
        name: Some(name.to_owned()),
        pid: pid.parse().ok(),
        runs: false,
        waited_s: Some(seconds),
        cpu: None,
    })
}

/// `task:NAME state:D stack:0 pid:7 …`, with or without blanks behind the colons.
fn with_labels(words: &[&str]) -> Option<Shown> {
    let first = words.first()?.strip_prefix("task:")?;
    let state_at = words.iter().position(|word| word.starts_with("state:"))?;
    let name = std::iter::once(first).chain(words[1..].iter().copied().take(state_at.checked_sub(1)?));
    let name = name.collect::<Vec<&str>>().join(" ");
    let after = |label: &str| {
        let at = words.iter().position(|word| word.starts_with(label))?;
        let value = &words[at][label.len()..];
        if value.is_empty() { words.get(at + 1).copied() } else { Some(value) }
    };
    let pid = after("pid:")?.parse().ok();
    Some(Shown { name: Some(name), pid, runs: after("state:") == Some("R"), waited_s: None, cpu: None })
}

/// `CPU: 2 PID: 7 Comm: NAME …`, `Pid: 7, comm: NAME …`, and `CPU2:` of sysrq-L.
fn on_cpu(words: &[&str]) -> Option<Shown> {
    let first = words.first()?;
    let after = |label: &str| {
        let at = words.iter().position(|word| word.eq_ignore_ascii_case(label))?;
        words.get(at + 1).map(|word| word.trim_end_matches(','))
    };
    let is_cpu = |word: &str| {
        let number = word.strip_prefix("CPU").and_then(|rest| rest.strip_suffix(':'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if words.len() == 1 && is_cpu(first) {
        let cpu = first.trim_start_matches("CPU").trim_end_matches(':').parse().ok();
        return Some(Shown { runs: true, cpu, ..Shown::default() });
    }
    if !matches!(*first, "CPU:" | "Pid:") {
        return None;
    }
    let name = name_behind(words)?;
    let cpu = after("CPU:").and_then(|cpu| cpu.parse().ok());
    Some(Shown { name: Some(name), pid: after("pid:")?.parse().ok(), runs: true, waited_s: None, cpu })
}

/// The name behind `Comm:`, which may have blanks in it and ends where the taint of the kernel is told, or at the
/// kernel's release.
fn name_behind(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| word.eq_ignore_ascii_case("comm:"))?;
    let rest = words.get(at + 1..)?;
    let is_end = |word: &&str| matches!(*word, "Not" | "Tainted:" | "Kdump:");
    let end = rest.iter().position(is_end).unwrap_or(1).max(1);
    let name = rest.get(..end)?.join(" ");
    (!name.is_empty()).then(|| name.trim_end_matches(',').to_owned())
}

/// `NAME  D ffff88003fc14cc0     0  1234   1000 0x00000080`; without the address from 4.11 on, and where the
/// kernel counts the free stack, that number runs into the state: `D12296`.
fn in_columns(words: &[&str]) -> Option<Shown> {
    // A name may have blanks in it.
    (1..words.len().min(4)).find_map(|at| {
        let (state, rest) = words[at..].split_first()?;
        let (state, free) = state.split_at_checked(1)?;
        let rest = if free.is_empty() { rest } else { &words[at..] };
        let (pid, runs) = behind_name(state, free, rest)?;
        Some(Shown { name: Some(words[..at].join(" ")), pid: Some(pid), runs, waited_s: None, cpu: None })
    })
}

/// The number of the task, and whether it runs. `rest` is what stands behind the state, of which the first
/// word is the state itself where `free` ran into it.
fn behind_name(state: &str, free: &str, rest: &[&str]) -> Option<(i64, bool)> {
    if !STATES.contains(&state) {
        return None;
    }
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_address = |word: &str| matches!(word.len(), 8 | 16) && is_hex(word);
    let (rest, has_place) = match rest {
        _ if !free.is_empty() => (rest, false),
        ["running", "task", rest @ ..] | ["running" | "current", rest @ ..] => (rest, true),
        [address, rest @ ..] if is_address(address) => (rest, true),
        _ => (rest, false),
    };
    let [first, pid, behind @ ..] = rest else { return None };
    let free = if free.is_empty() { first } else { free };
    let has_flags = matches!(behind, [_, flags, ..] if flags.strip_prefix("0x").is_some_and(is_hex));
    (free.parse::<u64>().is_ok() && (has_place || has_flags)).then_some(())?;
    Some((pid.parse().ok()?, state == "R"))
}

/// A line of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame<'a> {
    /// A function.
    Sure(&'a str),
    /// One that the kernel itself doubts (`?`, `(unreliable)`): left over from an earlier call, or not.
    Doubted(&'a str),
    /// A mark between functions.
    Mark,
}

/// The function of a line of a stack; none where the line is none of a stack. As x86, ARM, Power and s390 write
/// them: `name+0x1/0x2`, `[<address>] name+…`, `[address] [address] .name+…`, `[<address>] (name) from [<…>] (…)`.
pub fn frame(text: &str) -> Option<Frame<'_>> {
    let mut text = text.trim();
    for mark in
        ["<IRQ>", "</IRQ>", "<EOI>", "<NMI>", "</NMI>", "<EOE>", "<<EOE>>", "<TASK>", "</TASK>", "<#DF>"]
    {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    if text.is_empty() {
        return Some(Frame::Mark);
    }
    text = text.strip_prefix('(').unwrap_or(text);
    while let Some((address, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let address = address.trim_start_matches('<').trim_end_matches('>');
        if !matches!(address.len(), 8 | 16) || !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        text = rest.trim_start();
    }
    let is_doubted = text.starts_with("? ") || text.ends_with("(unreliable)");
    let text = text.trim_start_matches("? ").trim_start_matches('(');
    let (name, offset) = match text.split_once(" from ") {
        // The caller has the offset, the function itself has none from 3.12 on.
        Some((name, caller)) if !name.contains(' ') => (name, caller),
        _ => text.split_once("+0x")?,
    };
    let name = name.split("+0x").next().unwrap_or(name).trim_end_matches(')').trim_start_matches('.');
    let is_name = !name.is_empty() && !name.contains(' ') && offset.contains("/0x");
    is_name.then_some(if is_doubted { Frame::Doubted(name) } else { Frame::Sure(name) })
}

/// The function that a CPU was in, by its registers: `RIP: 0010:name+0x1/0x2`, `RIP: 0010:[<…>]  [<…>] name+…` (before
/// 4.9), `EIP is at name+…`, `PC is at name+…`, `pc : name+…`, `NIP [c0…] name+…`. None where it ran a program.
pub fn runs_in(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let starts = ["RIP: ", "EIP is at ", "EIP: ", "PC is at ", "pc : ", "NIP ", "epc : ", "Krnl PSW : "];
    let rest = starts.iter().find_map(|start| text.strip_prefix(start))?;
    let (before, offset) = rest.split_once("+0x")?;
    let name = before.rsplit([' ', ':', ']', '(']).next()?.trim_start_matches('.');
    let is_name = !name.is_empty() && !name.starts_with("0x") && offset.contains("/0x");
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_every_age() {
        let check = |text: &str, name: Option<&str>, pid: Option<i64>, runs: bool, waited_s: Option<f64>| {
            let cpu = shown(text).and_then(|task| task.cpu);
            let expect = Shown { name: name.map(str::to_owned), pid, runs, waited_s, cpu };
            assert_eq!(shown(text), Some(expect), "{text}");
        };
        check(
            "INFO: task dd:77 blocked for more than 120 seconds.",
            Some("dd"),
            Some(77),
            false,
            Some(120.0),
        );
        check(
            "task:kworker/0:1     state:D stack:    0 pid:   14 ppid:     2",
            Some("kworker/0:1"),
            Some(14),
            false,
            None,
        );
        check("task:cat state:D stack:13192 pid:900 tgid:900 ppid:1", Some("cat"), Some(900), false, None);
        check(
            "sh        S ffff810009036800     0  7511   7483  7489 (NOTLB)",
            Some("sh"),
            Some(7511),
            false,
            None,
        );
        check("job1            D    0 144220      1 0x00000084", Some("job1"), Some(144_220), false, None);
        check(
            "tracker-store   D12296  2469   1847 0x00000000",
            Some("tracker-store"),
            Some(2469),
            false,
            None,
        );
        check("Web Content     D    0  2469   1847 0x00000000", Some("Web Content"), Some(2469), false, None);
        check("sh            D df888d98     0  2038      1", Some("sh"), Some(2038), false, None);
        check("make R  running task        0  815      1 0x0002008a", Some("make"), Some(815), true, None);
        check(
            "task:Web Content     state:D stack:    0 pid:   14 ppid:     2",
            Some("Web Content"),
            Some(14),
            false,
            None,
        );
        check(
            "INFO: task a:b:7 blocked in I/O wait for more than 122 seconds.",
            Some("a:b"),
            Some(7),
            false,
            Some(122.0),
        );
        check("CPU: 1 UID: 0 PID: 8 Comm: java Not tainted 6.12", Some("java"), Some(8), true, None);
        check("CPU: 1 PID: 8 Comm: java Not tainted 6.1", Some("java"), Some(8), true, None);
        check("Pid: 9, comm: httpd Not tainted", Some("httpd"), Some(9), true, None);
        check("CPU2:", None, None, true, None);
        for text in [
            "a S b c d",
            "plan D 12 13 14 15",
            "INFO: task a:7 is blocked on a mutex likely owned by task b:8.",
            "CPU: Core 2, speed 2400 MHz (estimated)",
            "task: write it",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn what_begins_a_list_of_tasks() {
        for text in [
            "SysRq : Show Blocked State",
            "sysrq: SysRq : Show State",
            "sysrq: Show backtrace of all active CPUs",
            "  task                        PC stack   pid father",
            "task:cat state:D stack:13192 pid:900 tgid:900 ppid:1",
        ] {
            assert!(opens(text), "{text}");
        }
        for text in ["SysRq : HELP", "sysrq: how to show it", "task: show it", "show: state"] {
            assert!(!opens(text), "{text}");
        }
    }

    #[test]
    fn functions_of_a_stack() {
        let check = |text: &str, expect: Frame<'_>| assert_eq!(frame(text), Some(expect), "{text}");
        check(" [<ffffffff8006380f>] schedule_timeout+0x1e/0xad", Frame::Sure("schedule_timeout"));
        check(" ? default_wake_function+0x0/0xe", Frame::Doubted("default_wake_function"));
        check(" [<ffffffff810aaf40>] ? wake+0x40/0x40", Frame::Doubted("wake"));
        check(" <TASK>", Frame::Mark);
        check("io_schedule+0x46/0x70 [nfs]", Frame::Sure("io_schedule"));
        check("commit+0x2b3/0x1a40 [jbd2 ae888ef92775c4ea4c63d1cd1f51b1b9f7d9f47d]", Frame::Sure("commit"));
        check("[c000000071d3f3e0] [c000000000f98294] .schedule+0x484/0xaa8", Frame::Sure("schedule"));
        check(
            "[c000000071d3f360] [c000000000f92830] __schedule+0x9c/0xc3c (unreliable)",
            Frame::Doubted("__schedule"),
        );
        check("([<000000000011c8a2>] show_stack+0x8a/0xd8)", Frame::Sure("show_stack"));
        check(
            "[<c0010ef0>] (__schedule+0x0/0xf8) from [<c000d4a8>] (schedule+0x10/0x14)",
            Frame::Sure("__schedule"),
        );
        check("[<c0010ef0>] (__schedule) from [<c000d4a8>] (schedule+0x10/0x14)", Frame::Sure("__schedule"));
        check(" vfs_read from ksys_read+0x78/0xf8", Frame::Sure("vfs_read"));
        for text in ["Mem-Info:", "a + b", "rate+0x", "a letter from home", "[1] name+0x1/0x2"] {
            assert_eq!(frame(text), None, "{text}");
        }
    }
}
