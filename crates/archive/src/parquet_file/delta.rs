//! DELTA_BINARY_PACKED: whole numbers as differences, packed by blocks.

use super::bits::{leb128, number_at};

/// Values of a block that are read at most; the `parquet` crate and others write 128 or 256.
const MOST_IN_BLOCK: u64 = 1 << 20;

/// Appends `count` numbers.
pub(super) fn decode(bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Result<(), String> {
    if count == 0 {
        return Ok(());
    }
    let (block, rest) = leb128(bytes)?;
    let (minis, rest) = leb128(rest)?;
    let (there, rest) = leb128(rest)?;
    let (first, mut rest) = leb128(rest)?;
    if block == 0 || block > MOST_IN_BLOCK || minis == 0 || block % minis != 0 || block / minis % 8 != 0 {
        return Err(format!("differences in blocks of {block} in {minis} parts"));
    }
    if there != count as u64 {
        return Err(format!("{there} differences, expected {count}"));
    }
    let in_mini = (block / minis) as usize;
    let mut value = zigzag(first);
    out.push(value);
    let mut left = count - 1;
    while left > 0 {
        let (least, after) = leb128(rest)?;
        let least = zigzag(least);
        let (widths, after) = after.split_at_checked(minis as usize).ok_or("a block without its widths")?;
        rest = after;
        for width in widths {
            if left == 0 {
                break;
            }
            let width = u32::from(*width);
            if width > 64 {
                return Err(format!("differences of {width} bits"));
            }
            let length = in_mini / 8 * width as usize;
            let (packed, after) = rest.split_at(length.min(rest.len()));
            let times = in_mini.min(left);
            if times * width as usize > packed.len() * 8 {
                return Err("differences are cut off".into());
            }
            for at in 0..times {
                let more = number_at(packed, at * width as usize, width);
                value = value.wrapping_add(least).wrapping_add(more);
                out.push(value);
            }
            left -= times;
            rest = after;
        }
    }
    Ok(())
}

/// A number with its sign in the lowest bit, as two's complement.
fn zigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format_are_read() {
        let mut out = Vec::new();
        // 1 to 5: all differences are 1, packed in no bits.
        decode(&[128, 1, 4, 5, 2, 2, 0, 0, 0, 0], 5, &mut out).expect("numbers");
        assert_eq!(out, [1, 2, 3, 4, 5]);
        // 7, 5, 3, 1, 2, 3, 4, 5: the least difference is -2, the rest in two bits.
        let mut bytes = vec![128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0b1100_0000, 0b0011_1111];
        bytes.extend([0; 6]);
        out.clear();
        decode(&bytes, 8, &mut out).expect("numbers");
        assert_eq!(out, [7, 5, 3, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn damaged_differences_are_errors() {
        let ends = |bytes: &[u8]| decode(bytes, 5, &mut Vec::new()).expect_err("an error");
        assert!(ends(&[128, 1, 0, 5, 2]).contains("blocks of 128 in 0 parts"));
        assert!(ends(&[128, 1, 4, 6, 2]).contains("6 differences, expected 5"));
        assert!(ends(&[128, 1, 4, 5, 2, 2, 0, 0]).contains("widths"));
        assert!(ends(&[128, 1, 4, 5, 2, 2, 9, 0, 0, 0, 1]).contains("cut off"));
        assert!(ends(&[128, 1, 4, 5, 2, 2, 65, 0, 0, 0, 1]).contains("65 bits"));
    }
}
