//! `/proc/uptime`: time since boot.
//!
//! Only the parser: the source `system` reads the file. The second number, idle time
//! of all CPUs, is not taken: `/proc/stat` has it by the CPU.

use crate::kernel_text::{Parsed, fields};

/// Seconds since boot, time asleep included, from `350735.47 234388.90`.
pub fn parse(text: &[u8]) -> Parsed<Option<f64>> {
    let mut parsed = Parsed::<Option<f64>>::default();
    let line = parsed.whole_lines(text).strip_suffix(b"\n").unwrap_or_default();
    parsed.value = parsed.decimal(1, "uptime", fields(line).next());
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_or_an_error() {
        assert_eq!(parse(b"350735.47 234388.90\n").value, Some(350_735.47));
        assert_eq!(parse(b"-1 2\n").value, None);
        assert_eq!(parse(b"").errors.len(), 1);
    }
}
