//! `/proc/PID/stat` and `/proc/PID/task/TID/stat`: only the parser; both have the same form.

use crate::kernel_text::{ParseError, Parsed, count, fields, signed};

/// `PF_KTHREAD` of the kernel's `sched.h`: the task belongs to the kernel.
const FLAG_KERNEL_THREAD: i64 = 0x0020_0000;
/// `PF_NO_SETAFFINITY` there: a thread that stays on its CPUs, and in the root of every control group
/// hierarchy (`cgroup_procs_write_start`, since 3.10).
const FLAG_BOUND: i64 = 0x0400_0000;

/// Fields after the name that are looked at.
const FIELDS: usize = 40;

/// The fields that our tables hold, in the kernel's units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskStat {
    /// Process or thread id.
    pub id: i64,
    /// Name (comm), which may hold anything, also blanks, parentheses and line ends.
    pub name: String,
    /// State, one letter.
    pub state: Option<char>,
    /// Process id of the parent.
    pub parent_pid: Option<i64>,
    /// Belongs to the kernel.
    pub kernel_thread: Option<bool>,
    /// A thread of the kernel that nobody can move, neither to other CPUs nor to a control group.
    pub bound: bool,
    /// Page faults without a read.
    pub minor_faults: Option<i64>,
    /// Page faults without a read, of children that were waited for.
    pub child_minor_faults: Option<i64>,
    /// Page faults that read a device.
    pub major_faults: Option<i64>,
    /// Clock ticks in user mode.
    pub user_ticks: Option<i64>,
    /// Clock ticks in kernel mode.
    pub system_ticks: Option<i64>,
    /// Nice value.
    pub nice: Option<i64>,
    /// Threads of the process.
    pub threads: Option<i64>,
    /// Start in clock ticks since boot; with the id it names the task.
    pub start_ticks: i64,
    /// Size of the address space, bytes.
    pub virtual_bytes: Option<i64>,
    /// Resident pages.
    pub resident_pages: Option<i64>,
    /// CPU that it ran on last (2.2.8).
    pub cpu_idx: Option<i64>,
    /// Real-time priority (2.5.19).
    pub realtime_priority: Option<i64>,
    /// Number of the scheduling policy (2.5.19).
    pub policy: Option<i64>,
}

/// Reads the one line; none when it is not even known which task it is about.
pub fn parse(text: &[u8]) -> Parsed<Option<TaskStat>> {
    let mut parsed: Parsed<Option<TaskStat>> = Parsed::default();
    // The name ends at the last parenthesis: it may itself hold some.
    let open = text.iter().position(|b| *b == b'(');
    let close = text.iter().rposition(|b| *b == b')');
    let (Some(open), Some(close)) = (open, close) else {
        parsed.error(ParseError::new(1, "name", text, "an id and a name in parentheses"));
        return parsed;
    };
    let Some(id) = count(text[..open].trim_ascii()).filter(|_| open < close) else {
        parsed.error(ParseError::new(1, "id", text, "an id and a name in parentheses"));
        return parsed;
    };
    let rest: Vec<&[u8]> = fields(text[close + 1..].trim_ascii_end()).take(FIELDS).collect();
    let field = |number: usize| rest.get(number - 3).copied().unwrap_or_default();
    let Some(start_ticks) = count(field(22)) else {
        parsed.error(ParseError::new(1, "starttime", field(22), "clock ticks since boot in field 22"));
        return parsed;
    };
    const BOUND: i64 = FLAG_KERNEL_THREAD | FLAG_BOUND;
    let flags = count(field(9));
    // Numbered as in proc(5). The line is cut off when a field before the start is absent,
    // which the check above has told; absent later ones are those of an older kernel.
    parsed.value = Some(TaskStat {
        id,
        name: String::from_utf8_lossy(&text[open + 1..close]).into_owned(),
        state: field(3).first().map(|b| char::from(*b)),
        parent_pid: signed(field(4)),
        kernel_thread: flags.map(|flags| flags & FLAG_KERNEL_THREAD != 0),
        bound: flags.is_some_and(|flags| flags & BOUND == BOUND),
        minor_faults: count(field(10)),
        child_minor_faults: count(field(11)),
        major_faults: count(field(12)),
        user_ticks: count(field(14)),
        system_ticks: count(field(15)),
        nice: signed(field(19)),
        threads: count(field(20)),
        start_ticks,
        virtual_bytes: count(field(23)),
        resident_pages: count(field(24)),
        cpu_idx: count(field(39)),
        realtime_priority: count(field(40)),
        policy: count(field(41)),
    });
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &[u8] =
        b" S 1 7 7 0 -1 69238880 10 0 2 0 30 40 0 0 20 -5 3 0 5000 8192 9 18446744073709551615 \
        0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";

    fn with_name(name: &[u8]) -> Parsed<Option<TaskStat>> {
        parse(&[b"7 (", name, b")", TAIL].concat())
    }

    #[test]
    fn names_may_hold_anything() {
        for name in ["cat", "a b", "(sd-pam)", "x) R 9 (", "two\nlines", ")", ""] {
            let parsed = with_name(name.as_bytes());
            let stat = parsed.value.expect("a task");
            assert_eq!((stat.name.as_str(), stat.id, stat.start_ticks), (name, 7, 5000));
            assert_eq!((stat.state, stat.nice, stat.threads), (Some('S'), Some(-5), Some(3)));
            assert_eq!(
                (stat.minor_faults, stat.child_minor_faults, stat.major_faults),
                (Some(10), Some(0), Some(2))
            );
            assert_eq!((stat.kernel_thread, stat.cpu_idx, stat.policy), (Some(true), Some(1), Some(0)));
        }
    }

    #[test]
    fn a_cut_line_is_no_task() {
        let whole = [b"7 (cat)", TAIL].concat();
        for end in 0..60 {
            let parsed = parse(&whole[..end]);
            assert_eq!(parsed.value, None, "{end}");
            assert_eq!(parsed.errors.len(), 1, "{end}");
        }
    }

    #[test]
    fn parentheses_the_wrong_way_round_are_no_name() {
        assert_eq!(parse(b"7 )cat(").value, None);
    }
}
