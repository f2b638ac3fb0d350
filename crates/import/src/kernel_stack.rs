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
}

/// States of a task in one letter.
const STATES: [&str; 8] = ["R", "S", "D", "T", "t", "Z", "X", "I"];

/// The task that a line is about.
pub fn shown(text: &str) -> Option<Shown> {
    let words: Vec<&str> = text.split_whitespace().collect();
    hung(text).or_else(|| with_labels(&words)).or_else(|| on_cpu(&words)).or_else(|| in_columns(&words))
}

/// `INFO: task NAME:PID blocked for more than 120 seconds.`
fn hung(text: &str) -> Option<Shown> {
    let rest = text.trim_start().strip_prefix("INFO: task ")?;
    let (who, rest) = rest.split_once(" blocked ")?;
    let (name, pid) = who.rsplit_once(':')?;
    let seconds = rest.split_whitespace().find_map(|word| word.parse().ok());
    Some(Shown { name: Some(name.to_owned()), pid: pid.parse().ok(), runs: false, waited_s: seconds })
}

/// `task:NAME state:D stack:0 pid:7 …`, with or without blanks behind the colons.
fn with_labels(words: &[&str]) -> Option<Shown> {
    let name = words.first()?.strip_prefix("task:")?;
    let after = |label: &str| {
        let at = words.iter().position(|word| word.starts_with(label))?;
        let value = &words[at][label.len()..];
        if value.is_empty() { words.get(at + 1).copied() } else { Some(value) }
    };
    let pid = after("pid:")?.parse().ok();
    Some(Shown { name: Some(name.to_owned()), pid, runs: after("state:") == Some("R"), waited_s: None })
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
        return Some(Shown { runs: true, ..Shown::default() });
    }
    if !matches!(*first, "CPU:" | "Pid:") {
        return None;
    }
    let name = after("comm:")?.to_owned();
    Some(Shown { name: Some(name), pid: after("pid:")?.parse().ok(), runs: true, waited_s: None })
}

/// `NAME  D ffff88003fc14cc0     0  1234   1000 0x00000080`.
fn in_columns(words: &[&str]) -> Option<Shown> {
    let [name, state, address, free, pid, ..] = words else { return None };
    let is_address = matches!(*address, "running" | "current")
        || (matches!(address.len(), 8 | 16) && address.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_task = STATES.contains(state) && is_address && free.parse::<u64>().is_ok();
    is_task.then(|| Shown {
        name: Some((*name).to_owned()),
        pid: pid.parse().ok(),
        runs: *state == "R",
        waited_s: None,
    })
}

/// The function of a line of a stack; an empty text for one that the kernel itself doubts (`?`). None
/// where the line is none of a stack.
pub fn function(text: &str) -> Option<&str> {
    let mut text = text.trim();
    for mark in ["<IRQ>", "</IRQ>", "<EOI>", "<NMI>", "<TASK>", "</TASK>", "<#DF>"] {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    if text.is_empty() {
        return Some("");
    }
    if let Some((address, rest)) = text.strip_prefix("[<").and_then(|rest| rest.split_once(">]")) {
        if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        text = rest.trim_start();
    }
    let is_doubted = text.starts_with("? ");
    let (name, offset) = text.trim_start_matches("? ").split_once("+0x")?;
    let is_name = !name.is_empty() && !name.contains(' ') && offset.contains("/0x");
    is_name.then_some(if is_doubted { "" } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_every_age() {
        let check = |text: &str, name: Option<&str>, pid: Option<i64>, runs: bool, waited_s: Option<f64>| {
            let expect = Shown { name: name.map(str::to_owned), pid, runs, waited_s };
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
        check("CPU: 1 PID: 8 Comm: java Not tainted 6.1", Some("java"), Some(8), true, None);
        check("Pid: 9, comm: httpd Not tainted", Some("httpd"), Some(9), true, None);
        check("CPU2:", None, None, true, None);
        for text in ["a S b c d", "CPU: Core 2, speed 2400 MHz (estimated)", "task: write it"] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn functions_of_a_stack() {
        assert_eq!(function(" [<ffffffff8006380f>] schedule_timeout+0x1e/0xad"), Some("schedule_timeout"));
        assert_eq!(function(" ? default_wake_function+0x0/0xe"), Some(""));
        assert_eq!(function(" <TASK>"), Some(""));
        assert_eq!(function("io_schedule+0x46/0x70 [nfs]"), Some("io_schedule"));
        for text in ["Mem-Info:", "a + b", "rate+0x"] {
            assert_eq!(function(text), None, "{text}");
        }
    }
}
