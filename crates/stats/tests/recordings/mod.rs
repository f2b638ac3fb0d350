//! Series that were recorded of a machine.

/// Five minutes of a machine on which builds came and went.
pub const MACHINE_AT_WORK: &str = include_str!("../recorded/debian12-6.18-machine-at-work-300s.csv");

/// Seconds of a recording by name of what was measured in them; what has no row in a second was
/// zero if it is time, and is left out of it otherwise.
pub fn recorded(text: &str) -> Vec<(String, Vec<f64>)> {
    let rows = || {
        text.lines().skip(1).filter_map(|line| {
            let mut cells = line.split(',');
            let second: usize = cells.next()?.parse().ok()?;
            Some((second, cells.next()?, cells.next()?.parse::<f64>().ok()?))
        })
    };
    let len = rows().map(|(second, ..)| second + 1).max().unwrap_or(0);
    let mut all: Vec<(String, Vec<f64>)> = Vec::new();
    for (second, name, value) in rows() {
        if all.last().is_none_or(|(known, _)| known != name) {
            let none = if name.starts_with("time.") { 0.0 } else { f64::NAN };
            all.push((name.to_owned(), vec![none; len]));
        }
        if let Some((_, series)) = all.last_mut() {
            series[second] = value;
        }
    }
    all
}
