//! `/proc/loadavg`: load averages and the number of threads.
//!
//! Only the parser: the source `system` reads the file.

use crate::kernel_text::{Parsed, fields};

/// What `/proc/loadavg` says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcLoadavg {
    /// Over one minute.
    pub load1: Option<f64>,
    /// Over five minutes.
    pub load5: Option<f64>,
    /// Over fifteen minutes.
    pub load15: Option<f64>,
    /// Threads on the machine (behind the slash of the fourth field).
    pub tasks: Option<i64>,
}

/// Reads `0.20 0.18 0.12 1/80 11206`.
pub fn parse(text: &[u8]) -> Parsed<ProcLoadavg> {
    let mut parsed = Parsed::<ProcLoadavg>::default();
    let line = parsed.whole_lines(text).strip_suffix(b"\n").unwrap_or_default();
    let mut rest = fields(line);
    parsed.value.load1 = parsed.decimal(1, "load average over 1 minute", rest.next());
    parsed.value.load5 = parsed.decimal(1, "load average over 5 minutes", rest.next());
    parsed.value.load15 = parsed.decimal(1, "load average over 15 minutes", rest.next());
    let tasks = rest.next().and_then(|field| field.split(|b| *b == b'/').nth(1));
    parsed.value.tasks = parsed.count(1, "threads", tasks);
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_is_read() {
        let parsed = parse(b"0.20 x 0.12 1/80 11206\n");
        assert_eq!(parsed.errors.len(), 1, "{:?}", parsed.errors);
        let expected = ProcLoadavg { load1: Some(0.2), load5: None, load15: Some(0.12), tasks: Some(80) };
        assert_eq!(parsed.value, expected);
    }
}
