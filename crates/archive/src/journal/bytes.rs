//! Numbers as bytes: LEB128 for counts, zigzag for what may be negative, decimals for floats.
//!
//! Most values of a sample are small, and most floats are seconds that the kernel counted in
//! hundredths, micro- or nanoseconds: as decimals they take two bytes rather than eight. What is
//! no short decimal is kept bit by bit; nothing is rounded.

/// Powers of ten that floats are tried with, by the number that names them in a file.
const SCALES: [i64; 5] = [1, 100, 1_000, 1_000_000, 1_000_000_000];
const SCALES_F64: [f64; 5] = [1.0, 1e2, 1e3, 1e6, 1e9];
/// Names a float that follows bit by bit.
const RAW: u64 = 6;
/// Integers up to here are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Appends an unsigned number.
#[inline]
pub(super) fn put_count(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Negative numbers near zero become small.
#[inline]
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline]
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Appends a length and bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_count(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a float, or 0 for NULL.
pub(super) fn put_float(out: &mut Vec<u8>, value: Option<f64>) {
    let Some(value) = value else { return out.push(0) };
    match decimal(value) {
        Some((digits, scale)) => put_count(out, zigzag(digits) << 3 | (scale as u64 + 1)),
        None => {
            put_count(out, RAW);
            out.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }
}

/// The digits and the scale of a float that is an integer over a power of ten, exactly.
fn decimal(value: f64) -> Option<(i64, usize)> {
    let finest = (0..SCALES.len()).rev().find(|scale| (value * SCALES_F64[*scale]).abs() < EXACT)?;
    let scaled = value * SCALES_F64[finest];
    let digits = (scaled + 0.5_f64.copysign(scaled)) as i64;
    // Bits, not values: a negative zero stays one.
    if (digits as f64 / SCALES_F64[finest]).to_bits() != value.to_bits() {
        return None;
    }
    let coarsest = (0..=finest).find(|scale| digits % (SCALES[finest] / SCALES[*scale]) == 0)?;
    Some((digits / (SCALES[finest] / SCALES[coarsest]), coarsest))
}

/// Bytes that are taken from the front; `None` where they end too early or make no sense.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    #[inline]
    pub(super) fn count(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A count that is to fit into memory.
    pub(super) fn size(&mut self) -> Option<usize> {
        self.count().and_then(|count| usize::try_from(count).ok())
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.size()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A float; the inner `None` is NULL.
    pub(super) fn float(&mut self) -> Option<Option<f64>> {
        let code = self.count()?;
        match code & 7 {
            0 if code == 0 => Some(None),
            RAW if code == RAW => Some(Some(f64::from_bits(self.u64()?))),
            scale @ 1..=5 => {
                let digits = unzigzag(code >> 3);
                Some(Some(digits as f64 / SCALES_F64[scale as usize - 1]))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back() {
        for value in [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put_count(&mut out, value);
            assert_eq!(Bytes(&out).count(), Some(value));
            assert_eq!(Bytes(&out[..out.len() - 1]).count(), None, "{value} cut");
        }
        assert_eq!(Bytes(&[0xFF; 11]).count(), None, "too long");
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn floats_come_back_bit_by_bit() {
        let third = 1.0 / 3.0;
        let odd =
            [0.0, -0.0, 0.01, -0.25, 0.1 + 0.2, third, 1e300, 5e-324, f64::MAX, f64::NAN, f64::INFINITY];
        let long = [12_345_678.123_456, 9_007_199_254_740_991.0, 9_007_199_254_740_993.0, 1e15 + 0.5];
        let ns = (0..1000).map(|n| f64::from(n * 7919) / 1e9);
        for value in odd.into_iter().chain(long).chain(ns) {
            let mut out = Vec::new();
            put_float(&mut out, Some(value));
            let back = Bytes(&out).float().expect("a value").expect("not NULL");
            assert_eq!(back.to_bits(), value.to_bits(), "{value}");
        }
        let mut out = Vec::new();
        put_float(&mut out, None);
        assert_eq!(Bytes(&out).float(), Some(None));
    }

    #[test]
    fn short_decimals_are_short() {
        for (value, bytes) in [(0.0, 1), (0.01, 1), (0.25, 2), (1.0, 1), (0.000_035, 2), (0.123_456_789, 5)] {
            let mut out = Vec::new();
            put_float(&mut out, Some(value));
            assert_eq!(out.len(), bytes, "{value}");
        }
    }
}
