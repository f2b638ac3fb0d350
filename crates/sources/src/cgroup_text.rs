//! The forms that files of control groups have: one value, names with values, and lines of
//! a device with names and values (Documentation/admin-guide/cgroup-v2.rst, "Format").

use crate::kernel_text::{ParseError, Parsed, count, decimal, fields, lines};

/// v1 writes "no limit" as the largest multiple of the page size below 2^63.
const NO_LIMIT: i64 = 1 << 62;

/// One number; `max` and what stands for it are no limit, which is `None` without an error.
pub fn limit(text: &[u8]) -> Parsed<Option<i64>> {
    let mut parsed = Parsed::default();
    let field = text.trim_ascii();
    if field != b"max" && field != b"-1" {
        parsed.value = number(&mut parsed, field).filter(|n| *n < NO_LIMIT);
    }
    parsed
}

/// One number.
pub fn single(text: &[u8]) -> Parsed<Option<i64>> {
    let mut parsed = Parsed::default();
    parsed.value = number(&mut parsed, text.trim_ascii());
    parsed
}

fn number(parsed: &mut Parsed<Option<i64>>, field: &[u8]) -> Option<i64> {
    let number = count(field);
    if number.is_none() {
        parsed.error(ParseError::new(1, "value", field, "a number, or max"));
    }
    number
}

/// `cpu.max`: quota and period in µs; a quota of `max` is none.
pub fn quota(text: &[u8]) -> Parsed<(Option<i64>, Option<i64>)> {
    let mut parsed = Parsed::<(Option<i64>, Option<i64>)>::default();
    let mut parts = fields(text.trim_ascii());
    let quota = parts.next().unwrap_or_default();
    if quota != b"max" {
        parsed.value.0 = parsed.count(1, "quota", Some(quota));
    }
    parsed.value.1 = parsed.count(1, "period", parts.next());
    parsed
}

/// Values of `names` in lines of `name value`; a name that is not there is `None`.
pub fn named<const N: usize>(text: &[u8], names: [&'static str; N]) -> Parsed<[Option<i64>; N]> {
    let mut parsed = Parsed { value: [None; N], errors: Vec::new() };
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut parts = fields(content);
        let name = parts.next().unwrap_or_default();
        if let Some(at) = names.iter().position(|wanted| wanted.as_bytes() == name) {
            parsed.value[at] = parsed.count(line, names[at], parts.next());
        }
    }
    parsed
}

/// Requests and bytes, summed over devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoSums {
    /// What reads amount to.
    pub read: Option<i64>,
    /// What writes amount to.
    pub write: Option<i64>,
}

/// `blkio.throttle.io_*` of v1: lines of `8:0 Read 4096`, and one with the total.
pub fn blkio(text: &[u8]) -> Parsed<IoSums> {
    let mut parsed = Parsed::default();
    // The file is there: what no line is about is zero.
    let mut sums = IoSums { read: Some(0), write: Some(0) };
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut parts = fields(content).skip(1);
        let sum = match parts.next() {
            Some(b"Read") => &mut sums.read,
            Some(b"Write") => &mut sums.write,
            _ => continue,
        };
        let value = parsed.count(line, "value", parts.next());
        *sum = sum.zip(value).and_then(|(sum, value)| sum.checked_add(value));
    }
    parsed.value = sums;
    parsed
}

/// `io.stat` of v2: lines of `8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6`.
/// Answers bytes and requests.
pub fn io_stat(text: &[u8]) -> Parsed<(IoSums, IoSums)> {
    let mut parsed = Parsed::default();
    let mut bytes = IoSums { read: Some(0), write: Some(0) };
    let mut requests = bytes;
    for (line, content) in lines(parsed.whole_lines(text)) {
        for field in fields(content).skip(1) {
            let Some(equals) = field.iter().position(|b| *b == b'=') else { continue };
            let (sum, item) = match &field[..equals] {
                b"rbytes" => (&mut bytes.read, "rbytes"),
                b"wbytes" => (&mut bytes.write, "wbytes"),
                b"rios" => (&mut requests.read, "rios"),
                b"wios" => (&mut requests.write, "wios"),
                _ => continue,
            };
            let value = parsed.count(line, item, Some(&field[equals + 1..]));
            *sum = sum.zip(value).and_then(|(sum, value)| sum.checked_add(value));
        }
    }
    parsed.value = (bytes, requests);
    parsed
}

/// Stalled seconds of a `*.pressure` file: of some tasks, and of all (no such line for cpu
/// before 5.13).
pub fn pressure(text: &[u8]) -> Parsed<(Option<f64>, Option<f64>)> {
    let mut parsed = Parsed::<(Option<f64>, Option<f64>)>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let total = fields(content).find_map(|field| field.strip_prefix(b"total="));
        let seconds = total.and_then(decimal).map(|us| us / 1e6);
        match fields(content).next() {
            Some(b"some") => parsed.value.0 = seconds,
            Some(b"full") => parsed.value.1 = seconds,
            _ => parsed.error(ParseError::new(line, "pressure", content, "some or full with total=")),
        }
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_none_and_no_error() {
        for (text, expected) in [
            ("9223372036854771712\n", None),
            ("max\n", None),
            ("-1\n", None),
            ("0\n", Some(0)),
            ("268435456\n", Some(268_435_456)),
        ] {
            assert_eq!(limit(text.as_bytes()), Parsed { value: expected, errors: vec![] }, "{text}");
        }
        assert_eq!(limit(b"").errors.len(), 1);
        assert_eq!(single(b"max\n").errors.len(), 1);
    }

    #[test]
    fn quotas() {
        assert_eq!(quota(b"max 100000\n").value, (None, Some(100_000)));
        assert_eq!(quota(b"50000 100000\n").value, (Some(50_000), Some(100_000)));
        assert_eq!(quota(b"50000").errors.len(), 1);
    }

    #[test]
    fn names_with_values() {
        let parsed = named(b"user 7\nsystem x\nuser_more 9\n", ["system", "user", "none"]);
        assert_eq!(parsed.value, [None, Some(7), None]);
        assert_eq!(parsed.errors[0].line, 2);
    }

    #[test]
    fn devices_are_summed() {
        let text = b"8:0 Read 100\n8:0 Write 5\n8:0 Total 105\n8:16 Read 1\n8:16 Write 2\nTotal 108\n";
        assert_eq!(blkio(text).value, IoSums { read: Some(101), write: Some(7) });
        assert_eq!(blkio(b"Total 0\n").value, IoSums { read: Some(0), write: Some(0) });
        let text = b"8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n254:0 \n8:1 rbytes=1 rios=x\n";
        let parsed = io_stat(text);
        assert_eq!(parsed.value.0, IoSums { read: Some(11), write: Some(20) });
        assert_eq!(parsed.value.1, IoSums { read: None, write: Some(2) });
        assert_eq!((parsed.errors[0].line, parsed.errors.len()), (3, 1));
    }

    #[test]
    fn stalls() {
        let text = b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 total=250000\n";
        assert_eq!(pressure(text).value, (Some(1.5), Some(0.25)));
        assert_eq!(pressure(b"some total=5").value, (None, None));
    }
}
