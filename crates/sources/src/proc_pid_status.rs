//! `/proc/PID/status` and `/proc/PID/task/TID/status`: only the parser; both have the same form.

use crate::kernel_text::{Parsed, count, fields, lines};

/// The lines that our tables hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// Effective user id.
    pub uid: Option<i64>,
    /// Real user id: whose processes and signals are counted.
    pub real_uid: Option<i64>,
    /// Resident memory, bytes; none of a kernel thread or a zombie.
    pub resident_bytes: Option<i64>,
    /// Resident private memory, bytes (4.5).
    pub anon_bytes: Option<i64>,
    /// Swapped out, bytes (2.6.34).
    pub swap_bytes: Option<i64>,
    /// Locked in memory, bytes (VmLck).
    pub locked_bytes: Option<i64>,
    /// Private writable memory, bytes (VmData).
    pub data_bytes: Option<i64>,
    /// Stack of the first thread, bytes (VmStk).
    pub stack_bytes: Option<i64>,
    /// Signals that are queued for all processes of the user (SigQ).
    pub queued_signals: Option<i64>,
    /// CPUs that it may run on.
    pub allowed_cpus: Option<i64>,
    /// Switches because it waited (2.6.23).
    pub voluntary_switches: Option<i64>,
    /// Switches because it was preempted (2.6.23).
    pub involuntary_switches: Option<i64>,
}

/// Reads the file; lines that a kernel does not have leave their values out.
pub fn parse(text: &[u8]) -> Parsed<TaskStatus> {
    let mut parsed = Parsed::<TaskStatus>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let Some(colon) = content.iter().position(|b| *b == b':') else { continue };
        let (name, value) = (&content[..colon], &content[colon + 1..]);
        let first = || fields(value).next();
        match name {
            // Real, effective, saved, file system.
            b"Uid" => {
                parsed.value.real_uid = fields(value).next().and_then(count);
                parsed.value.uid = parsed.count(line, "Uid", fields(value).nth(1));
            }
            b"VmRSS" => parsed.value.resident_bytes = kilobytes(&mut parsed, line, "VmRSS", first()),
            b"RssAnon" => parsed.value.anon_bytes = kilobytes(&mut parsed, line, "RssAnon", first()),
            b"VmSwap" => parsed.value.swap_bytes = kilobytes(&mut parsed, line, "VmSwap", first()),
            b"VmLck" => parsed.value.locked_bytes = kilobytes(&mut parsed, line, "VmLck", first()),
            b"VmData" => parsed.value.data_bytes = kilobytes(&mut parsed, line, "VmData", first()),
            b"VmStk" => parsed.value.stack_bytes = kilobytes(&mut parsed, line, "VmStk", first()),
            b"SigQ" => {
                let queued = first().and_then(|both| both.split(|byte| *byte == b'/').next());
                parsed.value.queued_signals = parsed.count(line, "SigQ", queued);
            }
            b"Cpus_allowed" => parsed.value.allowed_cpus = Some(bits(value)),
            b"voluntary_ctxt_switches" => {
                parsed.value.voluntary_switches = parsed.count(line, "voluntary_ctxt_switches", first());
            }
            b"nonvoluntary_ctxt_switches" => {
                parsed.value.involuntary_switches = parsed.count(line, "nonvoluntary_ctxt_switches", first());
            }
            _ => {}
        }
    }
    parsed
}

fn kilobytes(
    parsed: &mut Parsed<TaskStatus>,
    line: usize,
    item: &'static str,
    field: Option<&[u8]>,
) -> Option<i64> {
    parsed.count(line, item, field).and_then(|kb| kb.checked_mul(1024))
}

/// Bits that are set in a mask such as `ff,ffffffff`.
fn bits(mask: &[u8]) -> i64 {
    let digits = mask.iter().filter_map(|b| char::from(*b).to_digit(16));
    digits.map(|digit| i64::from(digit.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_a_kernel_thread() {
        let text = b"Name:\tx: VmRSS:\nUid:\t0\t1000\t0\t0\nSigQ:\t3/96365\nVmLck:\t 64 kB\nVmStk:\t 132 kB\nVmRSS:\t    1784 kB\nRssAnon:\t 112 kB\n\
            VmSwap:\t 0 kB\nCpus_allowed:\tff,0000000f\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n";
        let expected = TaskStatus {
            uid: Some(1000),
            real_uid: Some(0),
            locked_bytes: Some(64 * 1024),
            data_bytes: None,
            stack_bytes: Some(132 * 1024),
            queued_signals: Some(3),
            resident_bytes: Some(1784 * 1024),
            anon_bytes: Some(112 * 1024),
            swap_bytes: Some(0),
            allowed_cpus: Some(12),
            voluntary_switches: Some(7),
            involuntary_switches: Some(2),
        };
        assert_eq!(parse(text), Parsed { value: expected, errors: vec![] });
        let kernel = parse(b"Name:\tkthreadd\nUid:\t0\t0\t0\t0\nCpus_allowed:\t3\n");
        assert_eq!((kernel.value.resident_bytes, kernel.value.allowed_cpus), (None, Some(2)));
    }

    #[test]
    fn damaged_lines_are_named() {
        let parsed = parse(b"Uid:\t0\nVmRSS:\t-5 kB\nVmSwap:\t9999999999999999999 kB\nRssAnon: 1");
        let named: Vec<_> = parsed.errors.iter().map(|e| (e.line, &*e.item)).collect();
        assert_eq!(named, [(4, "end of file"), (1, "Uid"), (2, "VmRSS"), (3, "VmSwap")]);
        assert_eq!(parsed.value, TaskStatus { real_uid: Some(0), ..TaskStatus::default() });
    }
}
