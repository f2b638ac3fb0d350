//! Rates and delays in the options of queueing disciplines and their classes (linux/pkt_sched.h):
//! only the parser.
//!
//! A rate below 2^32 bytes a second stands in the structure, a larger one in an attribute of its own.

use crate::netlink_attribute::{TYPE_MASK, attribute, long, word};

/// A `struct tc_ratespec` has the rate behind eight bytes about headers.
const RATE_IN_SPEC: usize = 8;
const RATESPEC_BYTES: usize = 12;
/// `struct tc_netem_qopt`, before netem's attributes.
const NETEM_BYTES: usize = 24;
/// A tick of the packet scheduler in nanoseconds (`PSCHED_SHIFT`), in which old options count.
const TICK_NS: f64 = 64.0;

/// What somebody set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TcOptions {
    /// Bits a second that it lets through.
    pub rate_bits_per_s: Option<i64>,
    /// Bits a second that it may borrow up to.
    pub ceil_bits_per_s: Option<i64>,
    /// How long it holds each packet back.
    pub delay_s: Option<f64>,
}

/// Reads the options of a discipline of this kind, or of a class of one.
pub fn parse(kind: &str, of_class: bool, options: &[u8]) -> TcOptions {
    match (kind, of_class) {
        ("tbf", false) => {
            // TCA_TBF_PARMS, TCA_TBF_RATE64.
            let rate = rate(options, 1, 0, 4);
            TcOptions { rate_bits_per_s: rate, ..TcOptions::default() }
        }
        // TCA_HTB_PARMS, TCA_HTB_RATE64, TCA_HTB_CEIL64.
        ("htb", true) => TcOptions {
            rate_bits_per_s: rate(options, 1, 0, 6),
            ceil_bits_per_s: rate(options, 1, RATESPEC_BYTES, 7),
            delay_s: None,
        },
        // TCA_CAKE_BASE_RATE64, 0 without one.
        ("cake", false) => {
            let bytes = attribute(options, 2).and_then(|rate| long(rate, 0)).filter(|rate| *rate > 0);
            TcOptions { rate_bits_per_s: bytes.and_then(bits), ..TcOptions::default() }
        }
        // TCA_FQ_FLOW_MAX_RATE, all bits without one.
        ("fq", false) => {
            let bytes = attribute(options, 7).and_then(|rate| word(rate, 0)).filter(|rate| *rate != u32::MAX);
            TcOptions { rate_bits_per_s: bytes.and_then(|rate| bits(rate.into())), ..TcOptions::default() }
        }
        ("netem", false) => netem(options),
        _ => TcOptions::default(),
    }
}

/// A rate in a structure of attribute `parameters`, or in one of 64 bits.
fn rate(options: &[u8], parameters: u16, at: usize, wide: u16) -> Option<i64> {
    let wide = attribute(options, wide).and_then(|rate| long(rate, 0)).filter(|rate| *rate > 0);
    let narrow =
        || attribute(options, parameters).and_then(|spec| word(spec, at + RATE_IN_SPEC)).map(i64::from);
    wide.or_else(narrow).filter(|rate| *rate > 0).and_then(bits)
}

fn netem(options: &[u8]) -> TcOptions {
    let attributes = options.get(NETEM_BYTES..).unwrap_or_default();
    // TCA_NETEM_LATENCY64 (4.15) in nanoseconds.
    let delay_ns = attribute(attributes, 10).and_then(|delay| long(delay, 0)).map(|ns| ns as f64);
    let delay_ns = delay_ns.or_else(|| word(options, 0).map(|ticks| f64::from(ticks) * TICK_NS));
    // TCA_NETEM_RATE64 and TCA_NETEM_RATE, the rate its first word.
    let wide = attribute(attributes, 8).and_then(|rate| long(rate, 0)).filter(|rate| *rate > 0);
    let narrow = || attribute(attributes, 6).and_then(|rate| word(rate, 0)).map(i64::from);
    TcOptions {
        rate_bits_per_s: wide.or_else(narrow).filter(|rate| *rate > 0).and_then(bits),
        ceil_bits_per_s: None,
        delay_s: delay_ns.filter(|ns| *ns > 0.0).map(|ns| ns / 1e9),
    }
}

fn bits(bytes: i64) -> Option<i64> {
    bytes.checked_mul(8)
}

/// Times that fq held a flow back (`throttled` of `struct tc_fq_qd_stats`).
pub fn throttled(kind: &str, statistics: &[u8]) -> Option<i64> {
    const OF_DISCIPLINE: u16 = 4;
    const _: () = assert!(OF_DISCIPLINE & TYPE_MASK == OF_DISCIPLINE);
    (kind == "fq").then(|| attribute(statistics, OF_DISCIPLINE).and_then(|own| long(own, 24))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(kind: u16, content: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + content.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn rates_of_either_width() {
        let narrow = put(1, &words(&[0, 0, 2_500_000, 0, 0, 5_000_000, 0, 0, 0]));
        assert_eq!(parse("tbf", false, &narrow).rate_bits_per_s, Some(20_000_000));
        let htb = parse("htb", true, &narrow);
        assert_eq!((htb.rate_bits_per_s, htb.ceil_bits_per_s), (Some(20_000_000), Some(40_000_000)));
        let wide = [put(1, &words(&[0, 0, u32::MAX])), put(4, &5_000_000_000u64.to_ne_bytes())].concat();
        assert_eq!(parse("tbf", false, &wide).rate_bits_per_s, Some(40_000_000_000));
    }

    #[test]
    fn what_is_not_set_is_not_known() {
        assert_eq!(parse("fq", false, &put(7, &words(&[u32::MAX]))), TcOptions::default());
        assert_eq!(parse("cake", false, &put(2, &0u64.to_ne_bytes())), TcOptions::default());
        assert_eq!(parse("netem", false, &words(&[0; 6])), TcOptions::default());
        assert_eq!(parse("htb", false, &put(1, &words(&[0, 0, 9]))), TcOptions::default(), "of classes only");
        assert_eq!(parse("tbf", false, b"garbled"), TcOptions::default());
    }

    #[test]
    fn flows_and_delays() {
        assert_eq!(parse("fq", false, &put(7, &words(&[1000]))).rate_bits_per_s, Some(8000));
        let ticks = words(&[781_250, 0, 0, 0, 0, 0]);
        assert_eq!(parse("netem", false, &ticks).delay_s, Some(0.05));
        let netem = [ticks, put(10, &20_000_000u64.to_ne_bytes()), put(6, &words(&[1250, 0, 0, 0]))].concat();
        let read = parse("netem", false, &netem);
        assert_eq!((read.delay_s, read.rate_bits_per_s), (Some(0.02), Some(10_000)));
    }
}
