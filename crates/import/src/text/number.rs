//! Numbers as tools print them: with a point or a comma, with a unit's letter, or none at all.

/// What stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A number.
    Value(f64),
    /// Something that says that there is no number.
    Absent,
    /// No number.
    Words,
}

impl Cell {
    /// The number.
    pub fn value(self) -> Option<f64> {
        match self {
            Cell::Value(value) => Some(value),
            Cell::Absent | Cell::Words => None,
        }
    }
}

/// Reads a cell. `5`, `5.25`, `5,25`, `-0.1`; `-`, `nan` and `inf` (which sysstat prints where it
/// divided by nothing) are absent.
pub fn cell(word: &str) -> Cell {
    if let Some(value) = plain(word.as_bytes()) {
        return Cell::Value(value);
    }
    let first = word.bytes().next().unwrap_or(b' ');
    if !first.is_ascii_digit() {
        if matches!(word, "-" | "--" | "nan" | "-nan" | "inf" | "-inf" | "NaN" | "n/a" | "N/A") {
            return Cell::Absent;
        }
        if !matches!(first, b'-' | b'.' | b',' | b'+') {
            return Cell::Words;
        }
    }
    if let Ok(value) = word.parse::<f64>() {
        return finite(value);
    }
    match word.split_once(',') {
        Some((whole, part)) if part.bytes().all(|byte| byte.is_ascii_digit()) => {
            let mut point = String::with_capacity(word.len());
            point.push_str(whole);
            point.push('.');
            point.push_str(part);
            point.parse().map_or(Cell::Words, finite)
        }
        _ => Cell::Words,
    }
}

/// Digits with at most one point or comma among them, as nearly all cells are. Fifteen digits and a power
/// of ten are both exact, so that their quotient is the nearest number there is: what `parse` gives.
fn plain(word: &[u8]) -> Option<f64> {
    const MOST_DIGITS: usize = 15;
    const POWERS: [f64; MOST_DIGITS + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    if word.len() > MOST_DIGITS + 1 || !word.first()?.is_ascii_digit() {
        return None;
    }
    let mut digits = 0_u64;
    let mut point = None;
    for (at, byte) in word.iter().enumerate() {
        match byte {
            b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
            b'.' | b',' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let Some(point) = point else { return (word.len() <= MOST_DIGITS).then_some(digits as f64) };
    Some(digits as f64 / POWERS[word.len() - 1 - point])
}

fn finite(value: f64) -> Cell {
    if value.is_finite() { Cell::Value(value) } else { Cell::Absent }
}

/// A number with a letter for its unit, as `--human` prints it, as a multiple of `base` bytes:
/// `98.7k` of a column in kB is 98.7. A percent sign says nothing new.
pub fn with_unit(word: &str, base_bytes: f64) -> Cell {
    let plain = cell(word);
    if plain != Cell::Words {
        return plain;
    }
    let Some((at, letter)) = word.char_indices().next_back() else { return Cell::Words };
    let factor = match letter {
        '%' => 1.0,
        's' => 512.0 / base_bytes,
        'B' => 1.0 / base_bytes,
        'k' | 'K' => 1024.0 / base_bytes,
        'M' => 1_048_576.0 / base_bytes,
        'G' => 1_073_741_824.0 / base_bytes,
        'T' => 1_099_511_627_776.0 / base_bytes,
        'P' => 1_125_899_906_842_624.0 / base_bytes,
        _ => return Cell::Words,
    };
    match cell(&word[..at]) {
        Cell::Value(value) => Cell::Value(value * factor),
        other => other,
    }
}

/// A size with a letter for its unit, in bytes: `158.1m`, `3,7G`, `1.2Gi`, `0B`; a number alone is of
/// `unit_bytes`. Letters are powers of 1024, as these tools have them unless they are told otherwise.
pub fn size(word: &str, unit_bytes: f64) -> Option<f64> {
    if let Cell::Value(value) = cell(word) {
        return Some(value * unit_bytes);
    }
    let digits = word.find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | ',')))?;
    let factor = match word.get(digits..)?.trim_end_matches("iB").trim_end_matches('i') {
        "B" | "b" => 1.0,
        "K" | "k" | "KB" | "kB" => 1024.0,
        "M" | "m" | "MB" => 1_048_576.0,
        "G" | "g" | "GB" => 1_073_741_824.0,
        "T" | "t" | "TB" => 1_099_511_627_776.0,
        "P" | "p" | "PB" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    cell(&word[..digits]).value().map(|value| value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_and_without_a_letter() {
        assert_eq!(size("10288", 1024.0), Some(10_534_912.0));
        assert_eq!(size("1,5g", 1024.0), Some(1_610_612_736.0));
        assert_eq!(size("2.0Gi", 1.0), Some(2_147_483_648.0));
        assert_eq!(size("0B", 1024.0), Some(0.0));
        for word in ["-", "m", "12x", "1+", "rt"] {
            assert_eq!(size(word, 1.0), None, "{word}");
        }
    }

    #[test]
    fn cells_as_tools_print_them() {
        for (word, expect) in [
            ("0", Cell::Value(0.0)),
            ("16164.60", Cell::Value(16164.6)),
            ("12,5", Cell::Value(12.5)),
            ("-0.01", Cell::Value(-0.01)),
            ("1,234,567", Cell::Words),
            ("-", Cell::Absent),
            ("nan", Cell::Absent),
            ("sda", Cell::Words),
            ("12:30", Cell::Words),
            ("", Cell::Words),
        ] {
            assert_eq!(cell(word), expect, "{word}");
        }
    }

    #[test]
    fn the_short_way_gives_what_the_long_one_does() {
        let mut state = 3_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (whole, part, decimals) = ((state >> 20) % 10_000_000_000, state % 10_000, state >> 62);
            for word in [format!("{whole}"), format!("{whole}.{part:04}"), format!("{part}.{decimals}")] {
                assert_eq!(plain(word.as_bytes()), word.parse().ok(), "{word}");
            }
        }
        for word in ["1e5", "1.2.3", "-1", ".5", "", "12345678901234567", "1_0"] {
            assert_eq!(plain(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn letters_are_multiples_of_the_column_s_unit() {
        assert_eq!(with_unit("98.7k", 1024.0), Cell::Value(98.7));
        assert_eq!(with_unit("1.5M", 1024.0), Cell::Value(1536.0));
        assert_eq!(with_unit("0,3%", 1.0), Cell::Value(0.3));
        assert_eq!(with_unit("%", 1.0), Cell::Words);
    }
}
