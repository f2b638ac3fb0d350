//! Numbers of any width in bits, packed or in runs.

/// The number of `width` bits, 64 at most, that begins at a bit; low bits come first. What lies behind
/// the end of the bytes is 0.
#[inline]
pub(super) fn number_at(bytes: &[u8], bit: usize, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let (byte, shift) = (bit / 8, (bit % 8) as u32);
    let mut number = eight_from(bytes, byte) >> shift;
    let found = 64 - shift;
    if width > found {
        number |= eight_from(bytes, byte + 8) << found;
    }
    number & (u64::MAX >> (64 - width))
}

#[inline]
fn eight_from(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_from(bytes, at),
    }
}

#[cold]
fn last_from(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// A number of seven bits a byte, low ones first, and what follows it.
pub(super) fn leb128(bytes: &[u8]) -> Result<(u64, &[u8]), String> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7F) << (7 * at as u32);
        if byte & 0x80 == 0 {
            return Ok((number, bytes.get(at + 1..).unwrap_or_default()));
        }
    }
    Err("a number without an end".into())
}

/// Some numbers of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Run<'a> {
    /// All are this.
    Same(u64),
    /// One after the other, packed.
    Packed(&'a [u8]),
}

/// Takes `count` numbers of `width` bits (32 at most), which the format calls the RLE and bit-packing hybrid:
/// calls `take` with each run and how many numbers it has.
pub(super) fn each_run(
    bytes: &[u8],
    width: u32,
    count: usize,
    mut take: impl FnMut(Run<'_>, usize) -> Result<(), String>,
) -> Result<(), String> {
    if width > 32 {
        return Err(format!("numbers of {width} bits in runs, expected at most 32"));
    }
    let (mut rest, mut left) = (bytes, count);
    while left > 0 {
        let (head, after) = leb128(rest)?;
        let length = usize::try_from(head >> 1).unwrap_or(usize::MAX);
        let (run, times, used) = match head & 1 {
            0 => {
                let used = width.div_ceil(8) as usize;
                let value = after.get(..used).ok_or("a run without its value")?;
                (Run::Same(number_at(value, 0, width)), length, used)
            }
            _ => {
                let times = length.saturating_mul(8);
                let used = length.saturating_mul(width as usize).min(after.len());
                let packed = &after[..used];
                if (times.min(left) as u64) * u64::from(width) > packed.len() as u64 * 8 {
                    return Err("packed numbers are cut off".into());
                }
                (Run::Packed(packed), times, used)
            }
        };
        let times = times.min(left);
        take(run, times)?;
        left -= times;
        rest = after.get(used..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_are_found() {
        let bytes: Vec<u8> = (0..20_u8).map(|at| at.wrapping_mul(73) ^ 0x5A).collect();
        let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        for width in 0..=64_u32 {
            for begin in 0..bytes.len() * 8 {
                let expected: u64 =
                    (0..width).filter(|at| bit(begin + *at as usize)).map(|at| 1_u64 << at).sum();
                assert_eq!(number_at(&bytes, begin, width), expected, "{width} bits from {begin}");
            }
        }
    }

    #[test]
    fn runs_are_as_the_format_says() {
        // The format's own example of packing: 0 to 7 in three bits; then eight fives, and a long run.
        let bytes = [0x03, 0b1000_1000, 0b1100_0110, 0b1111_1010, 0x10, 0x05, 0x90, 0x03, 0x01];
        let mut numbers = Vec::new();
        each_run(&bytes, 3, 216, |run, times| {
            match run {
                Run::Same(value) => numbers.extend(std::iter::repeat_n(value, times)),
                Run::Packed(packed) => numbers.extend((0..times).map(|at| number_at(packed, at * 3, 3))),
            }
            Ok(())
        })
        .expect("runs");
        assert_eq!(numbers[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(numbers[8..16], [5; 8]);
        assert_eq!(numbers[16..], [1; 200]);
    }

    #[test]
    fn damaged_runs_are_errors() {
        let ends = |bytes: &[u8], width| each_run(bytes, width, 100, |_, _| Ok(())).expect_err("an error");
        assert_eq!(ends(&[], 3), "a number without an end");
        assert_eq!(ends(&[0x80; 12], 3), "a number without an end");
        assert_eq!(ends(&[0x10], 3), "a run without its value");
        assert_eq!(ends(&[0x1B, 1, 2], 3), "packed numbers are cut off");
        assert!(ends(&[], 33).contains("33 bits"));
        // Runs of nothing end with the bytes.
        assert_eq!(ends(&[0, 0, 0, 0], 8), "a number without an end");
    }
}
