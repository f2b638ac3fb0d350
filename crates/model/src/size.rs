//! Sizes as people write them: `500MB`, `1.5GiB`.

/// Bytes of a number with a unit; in words what is wrong with it.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024f64.powi(2),
        "gib" => 1024f64.powi(3),
        "tib" => 1024f64.powi(4),
        other => return Err(format!("`{other}` is no unit of size; use kB, MB, GB or TB")),
    };
    if let (Ok(whole), 1.0) = (number.parse::<u64>(), scale) {
        return Ok(whole);
    }
    let number: f64 = number.parse().map_err(|_| "expected a number and a unit, as in 10GB".to_owned())?;
    Ok((number * scale).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn units_are_decimal_and_binary() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("9223372036854771712", 9_223_372_036_854_771_712),
            ("1.5GB", 1_500_000_000),
            ("512 MiB", 512 << 20),
            ("1k", 1000),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MB", "-1", "1 page", "1.2.3"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
