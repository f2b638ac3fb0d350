//! Damage that files suffer, made by a number that makes it again: cut, flipped, joined, spliced, edited.

/// Numbers of a sequence that looks like chance (splitmix64).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The sequence of a number.
    pub fn of(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below another, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn of_list<'l, T: ?Sized>(&mut self, list: &[&'l T]) -> &'l T {
        list[self.below(list.len())]
    }
}

/// What stands in place of a number.
const NUMBERS: [&str; 18] = [
    "0",
    "-0",
    "-1",
    "1",
    "00",
    "60",
    "99999",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "-",
    "1,5",
    "0.0000000001",
];
/// What is written between two bytes.
const SIGNS: [&[u8]; 16] = [
    b"\0",
    b"\r",
    b"\t",
    b"|",
    b";",
    b":",
    b"/",
    b"%",
    b"(",
    b"[",
    b"\xff",
    b"\xfe\xff",
    "\u{feff}".as_bytes(),
    "\u{3000}".as_bytes(),
    "時".as_bytes(),
    "𝟙".as_bytes(),
];
/// Longest input.
const MOST_BYTES: usize = 256 << 10;

/// Damages a file, with pieces of another.
pub fn damaged(file: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..1 + chance.below(6) {
        bytes = once(bytes, other, chance);
        bytes.truncate(MOST_BYTES);
    }
    bytes
}

fn once(mut bytes: Vec<u8>, other: &[u8], chance: &mut Chance) -> Vec<u8> {
    if bytes.is_empty() {
        return other.to_vec();
    }
    let at = chance.below(bytes.len());
    match chance.below(14) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(..at)),
        2 => (0..1 + chance.below(8)).for_each(|_| {
            let at = chance.below(bytes.len());
            bytes[at] ^= 1 << chance.below(8);
        }),
        3 => bytes[at] = chance.next() as u8,
        4 => drop(bytes.splice(at..at, chance.of_list(&SIGNS).iter().copied())),
        5 => drop(bytes.splice(number_near(&bytes, at), chance.of_list(&NUMBERS).bytes())),
        6 => {
            // Everywhere the same.
            let (sign, end) = (bytes[at], chance.of_list(&SIGNS));
            let replaced =
                bytes.iter().flat_map(|byte| if *byte == sign { end } else { std::slice::from_ref(byte) });
            bytes = replaced.copied().collect();
        }
        7 => {
            let from = chance.below(other.len());
            bytes.truncate(line_near(&bytes, at));
            bytes.extend_from_slice(&other[line_near(other, from).min(other.len())..]);
        }
        _ => return lines_edited(&bytes, other, chance),
    }
    bytes
}

/// Lines left out, repeated, changed places, joined, or put in from elsewhere.
fn lines_edited(bytes: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (at, with) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(7) {
        0 => drop(lines.drain(at.min(with)..=at.max(with))),
        1 => lines.swap(at, with),
        2 => {
            let again: Vec<&[u8]> = lines[at.min(with)..=at.max(with)].to_vec();
            let times = 1 + chance.below(1 + 4096 / (again.len() + 1));
            (0..times.min(64)).for_each(|_| lines.extend(&again));
        }
        3 => lines[at] = lines[at].strip_suffix(b"\n").unwrap_or(lines[at]),
        4 => {
            let words = lines[at].len();
            lines[at] = &lines[at][..chance.below(words + 1)];
        }
        5 => {
            let words = lines[at].len();
            lines[at] = &lines[at][chance.below(words + 1)..];
        }
        _ => {
            let others: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
            if !others.is_empty() {
                let from = chance.below(others.len());
                let count = 1 + chance.below(8);
                lines.splice(at..at, others.into_iter().skip(from).take(count));
            }
        }
    }
    lines.concat()
}

/// Digits with a point among them, from a place on.
fn number_near(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let begin = bytes[at..].iter().position(is_digit).map_or(at, |further| at + further);
    let length = bytes[begin..].iter().take_while(|byte| is_digit(byte)).count();
    begin..begin + length
}

/// Where the line begins that a place is in.
fn line_near(bytes: &[u8], at: usize) -> usize {
    bytes[..at.min(bytes.len())].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1)
}

#[test]
fn the_same_number_makes_the_same_damage() {
    let (file, other) = (b"a 1\nb 2\nc 3\n".repeat(9), b"x 9.5\ny\n".repeat(5));
    let made = |seed| damaged(&file, &other, &mut Chance::of(seed));
    for seed in 0..500 {
        assert_eq!(made(seed), made(seed));
    }
    let different: std::collections::HashSet<Vec<u8>> = (0..500).map(made).collect();
    assert!(different.len() > 400, "{}", different.len());
}
