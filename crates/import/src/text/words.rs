//! A line cut into words, which is done to every line of every recording.
//!
//! Nearly all lines are of ASCII: of those sixty-four bytes are looked at together, so that it costs by the
//! word rather than by the letter.

/// What is asked of eight bytes at once: each as if it stood alone.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// What a lane of ASCII must be given to reach its highest bit from `!` on.
const BELOW_FIRST: u64 = LOW * (0x80 - b'!' as u64);
const BARS: u64 = LOW * b'|' as u64;
/// Puts the lowest bits of eight lanes beside each other, in the highest byte.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// Cuts a line into words, behind those that are there.
pub fn cut<'t>(text: &'t str, words: &mut Vec<&'t str>) {
    let bytes = text.as_bytes();
    // Signs below the blank, but tabs and ends of lines, are letters of words; who has one is rare.
    let (mut all, mut has_odd) = (0, false);
    for byte in bytes {
        all |= byte;
        has_odd |= *byte < b' ' && !matches!(byte, 9..=13);
    }
    if all >= 0x80 || has_odd {
        let from = words.len();
        words.extend(text.split(is_gap).filter(|word| !word.is_empty()));
        join_times(text, from, words);
        return;
    }
    // Where the word begins that goes on from block to block.
    let mut open = None;
    for (block, sixty_four) in bytes.chunks(64).enumerate() {
        let letters = letters_of(sixty_four);
        let behind = letters << 1 | u64::from(open.is_some());
        // One bit where a word begins, and one behind where it ends: of each word one, in turn.
        let (mut begins, mut ends) = (letters & !behind, !letters & behind);
        while ends != 0 {
            let begin = open.take().unwrap_or_else(|| {
                let begin = block * 64 + begins.trailing_zeros() as usize;
                begins &= begins.wrapping_sub(1);
                begin
            });
            let end = block * 64 + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if let Some(word) = text.get(begin..end) {
                words.push(word);
            }
        }
        if begins != 0 {
            open = Some(block * 64 + begins.trailing_zeros() as usize);
        }
    }
    if let Some(word) = open.and_then(|begin| text.get(begin..)) {
        words.push(word);
    }
}

/// A bit for each of up to 64 bytes of ASCII that is part of a word.
fn letters_of(bytes: &[u8]) -> u64 {
    let mut letters = 0;
    let mut chunks = bytes.chunks_exact(8);
    let mut shift = 0;
    for eight in &mut chunks {
        let lanes = eight.try_into().map_or(0, u64::from_le_bytes);
        letters |= letters_of_eight(lanes) << shift;
        shift += 8;
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut lanes = [b' '; 8];
        lanes[..rest.len()].copy_from_slice(rest);
        letters |= letters_of_eight(u64::from_le_bytes(lanes)) << shift;
    }
    letters
}

fn letters_of_eight(lanes: u64) -> u64 {
    let is_above_blank = lanes.wrapping_add(BELOW_FIRST);
    let is_no_bar = (lanes ^ BARS).wrapping_add(LOW * 0x7f);
    let lowest = (is_above_blank & is_no_bar & HIGH) >> 7;
    lowest.wrapping_mul(GATHER) >> 56
}

/// Makes one word of a date and of a time of Korea, whose parts stand apart: `2026년 11월 22일`, `23시 48분 31초`.
fn join_times<'t>(text: &'t str, from: usize, words: &mut Vec<&'t str>) {
    const PARTS: [[char; 3]; 2] = [['년', '월', '일'], ['시', '분', '초']];
    for parts in PARTS {
        let ends = |three: &[&str]| three.iter().zip(parts).all(|(word, sign)| word.ends_with(sign));
        let of_line = words.get(from..).unwrap_or_default();
        let Some(at) = of_line.windows(3).position(ends).map(|at| at + from) else { continue };
        let begin = words[at].as_ptr() as usize - text.as_ptr() as usize;
        let end = words[at + 2].as_ptr() as usize + words[at + 2].len() - text.as_ptr() as usize;
        if let Some(joined) = text.get(begin..end) {
            words.splice(at..at + 3, [joined]);
        }
    }
}

/// What stands between two words; a bar too, for listings that somebody made into a table.
fn is_gap(sign: char) -> bool {
    sign.is_whitespace() || sign == '|' || sign == '\0' || sign == '\u{feff}'
}

/// The memory of words, for those of another line.
pub fn emptied<'t>(mut words: Vec<&str>) -> Vec<&'t str> {
    words.clear();
    // Of no word a word of any text can be made; the memory stays.
    words.into_iter().map(|_| "").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_by_bytes_and_by_letters() {
        let check = |text: &str| {
            let letters: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
            let mut words = Vec::new();
            cut(text, &mut words);
            assert_eq!(words, letters, "{text:?}");
        };
        for text in
            ["", " ", "a", " 12.5  |b|\tc\r", "a\0b", "x\x1fy", "one two ", "| a | b |", "час 1 2", "~!}{ z"]
        {
            check(text);
        }
        for length in 1..200 {
            check(&"x".repeat(length));
            check(&" ".repeat(length));
            check(&format!("{} y", "x".repeat(length)));
            check(&"ab |c ".repeat(length));
        }
        for byte in 0..128_u8 {
            check(&format!("a{}b", char::from(byte)));
        }
    }

    #[test]
    fn parts_of_a_time_are_one_word() {
        let mut words = Vec::new();
        cut("23시 48분 31초     CPU     %user", &mut words);
        assert_eq!(words, ["23시 48분 31초", "CPU", "%user"]);
        words.clear();
        cut("2026년 11월 22일 23시 47분 11초", &mut words);
        assert_eq!(words, ["2026년 11월 22일", "23시 47분 11초"]);
    }

    #[test]
    fn memory_of_words_is_used_again() {
        let mut words: Vec<&str> = Vec::with_capacity(100);
        words.push("a");
        let words = emptied(words);
        assert!(words.is_empty() && words.capacity() >= 100);
    }
}
