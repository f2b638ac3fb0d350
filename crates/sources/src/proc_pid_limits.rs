//! `/proc/PID/limits`: only the parser.

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};

/// Soft and hard limit; none for unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// The one that holds.
    pub soft: Option<i64>,
    /// Up to which the process may raise it.
    pub hard: Option<i64>,
}

/// The limits that our tables hold, in bytes, seconds or numbers of things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskLimits {
    /// RLIMIT_AS
    pub address_space: Limit,
    /// RLIMIT_CPU
    pub cpu_time: Limit,
    /// RLIMIT_DATA
    pub data: Limit,
    /// RLIMIT_MEMLOCK
    pub locked_memory: Limit,
    /// RLIMIT_NOFILE
    pub open_files: Limit,
    /// RLIMIT_SIGPENDING
    pub pending_signals: Limit,
    /// RLIMIT_NPROC
    pub processes: Limit,
    /// RLIMIT_STACK
    pub stack: Limit,
}

/// Reads lines such as `Max open files            1024                 524288               files`.
pub fn parse(text: &[u8]) -> Parsed<TaskLimits> {
    let mut parsed = Parsed::<TaskLimits>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let limits = &mut parsed.value;
        let known = [
            (&b"Max address space "[..], &mut limits.address_space),
            (b"Max cpu time ", &mut limits.cpu_time),
            (b"Max data size ", &mut limits.data),
            (b"Max locked memory ", &mut limits.locked_memory),
            (b"Max open files ", &mut limits.open_files),
            (b"Max pending signals ", &mut limits.pending_signals),
            (b"Max processes ", &mut limits.processes),
            (b"Max stack size ", &mut limits.stack),
        ];
        let found = known.into_iter().find_map(|(name, limit)| Some((content.strip_prefix(name)?, limit)));
        let Some((values, limit)) = found else { continue };
        let mut values = fields(values).map(value);
        match (values.next().flatten(), values.next().flatten()) {
            (Some(soft), Some(hard)) => *limit = Limit { soft, hard },
            _ => parsed.error(ParseError::new(line, "limit", content, "a soft and a hard limit")),
        }
    }
    parsed
}

/// A number or `unlimited`; more than the tables' integers hold is no limit either.
fn value(field: &[u8]) -> Option<Option<i64>> {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    (digits || field == b"unlimited").then(|| count(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_a_malformed_line() {
        let text = b"Limit                     Soft Limit           Hard Limit           Units     \n\
            Max cpu time              unlimited            unlimited            seconds   \n\
            Max stack size            8388608              unlimited            bytes     \n\
            Max open files            1024                 524288               files     \n\
            Max locked memory         18446744073709551615 x                    bytes     \n\
            Max nice priority         0                    0                    \n\
            Max address space         18446744073692774399 18446744073692774399 bytes     \n";
        let parsed = parse(text);
        assert_eq!(parsed.value.open_files, Limit { soft: Some(1024), hard: Some(524_288) });
        assert_eq!(parsed.value.stack, Limit { soft: Some(8_388_608), hard: None });
        assert_eq!((parsed.value.address_space, parsed.value.cpu_time), Default::default());
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [5]);
    }
}
