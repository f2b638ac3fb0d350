//! A row of a report's table, whether it was printed as text or as a page: cells under headings.

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Headings, squashed: see [`squash`].
    headings: Vec<String>,
    cells: Vec<String>,
    /// Whether the first cell has no room for more.
    pub is_filled: bool,
}

impl Row {
    /// Of headings that are squashed already.
    pub fn of(headings: &[String], cells: Vec<String>) -> Row {
        Row { headings: headings.to_vec(), cells, is_filled: false }
    }

    /// Adds the columns of a second line.
    pub fn extend(&mut self, headings: &[String], cells: Vec<String>) {
        self.cells.resize(self.headings.len(), String::new());
        self.headings.extend_from_slice(headings);
        self.cells.extend(cells);
    }

    /// The cell of a column, by its place.
    pub fn at(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// Whether it ends with a number, or with one before its last cell: a class of events.
    pub fn ends_with_number(&self) -> bool {
        self.cells.iter().rev().take(2).any(|cell| scaled(cell).is_some())
    }

    /// How many columns have headings.
    pub fn width(&self) -> usize {
        self.headings.len()
    }

    /// The heading of a column.
    pub fn heading(&self, column: usize) -> Option<&str> {
        self.headings.get(column).map(String::as_str)
    }

    /// The cells.
    pub fn cells(&self) -> Vec<String> {
        self.cells.clone()
    }

    /// All cells, with a blank between two.
    pub fn line(&self) -> String {
        self.cells.join(" ")
    }

    /// Place of the first column of which the heading is wanted.
    pub fn place(&self, is_wanted: impl Fn(&str) -> bool) -> Option<usize> {
        self.headings.iter().position(|heading| is_wanted(heading))
    }

    /// The cell below one of these headings; none where there is no such heading, or the cell is empty.
    pub fn text(&self, headings: &[&str]) -> Option<&str> {
        let column = self.place(|heading| headings.contains(&heading))?;
        Some(self.at(column)).filter(|cell| !cell.is_empty())
    }

    /// The number below one of these headings.
    pub fn number(&self, headings: &[&str]) -> Option<f64> {
        scaled(self.text(headings)?)
    }

    /// A number of percent below one of these headings, as a share of one.
    pub fn share(&self, headings: &[&str]) -> Option<f64> {
        self.number(headings).map(|percent| percent / 100.0)
    }
}

/// A heading without case, gaps and signs but `%`: text reports break headings over lines.
pub fn squash(heading: &str) -> String {
    heading
        .chars()
        .filter(|sign| sign.is_alphanumeric() || *sign == '%')
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a number was too long for its column: SQL*Plus then prints hashes.
pub fn is_overflow(cell: &str) -> bool {
    !cell.is_empty() && cell.bytes().all(|byte| byte == b'#')
}

/// `1,735,573`, `.4`, `2.0E+04`, `27.9K`: a number, with a letter for thousands where it has no room.
pub fn scaled(cell: &str) -> Option<f64> {
    let last = cell.chars().last()?;
    let factor = match last {
        'K' => 1e3,
        'M' => 1e6,
        'G' => 1e9,
        'T' => 1e12,
        _ => 1.0,
    };
    let digits = if factor > 1.0 { &cell[..cell.len() - 1] } else { cell };
    let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'-' | b'+' | b'E'));
    is_number.then(|| digits.replace(',', "").parse::<f64>().ok()).flatten().map(|number| number * factor)
}

/// `424M`, `10,240K`, `8K`: a size in bytes.
pub fn size_bytes(cell: &str) -> Option<f64> {
    let (digits, letter) = cell.split_at(cell.len().checked_sub(1).filter(|at| cell.is_char_boundary(*at))?);
    let factor = match letter {
        "K" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        _ => return None,
    };
    scaled(digits).map(|number| number * factor)
}

/// A time, as of 12.2 with a unit of its own (`184.01us`, `1.53ms`, `52.86 s`), before in the unit of its column.
pub fn seconds(cell: &str, column_s: f64) -> Option<f64> {
    for (unit, factor) in [("us", 1e-6), ("ms", 1e-3), ("ns", 1e-9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)] {
        if let Some(number) = cell.strip_suffix(unit).map(str::trim_end).and_then(scaled) {
            return Some(number * factor);
        }
    }
    scaled(cell).map(|number| number * column_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: Option<f64>, other: f64) -> bool {
        one.is_some_and(|one| (one - other).abs() < 1e-9 * other.abs().max(1.0))
    }

    #[test]
    fn numbers_of_reports() {
        assert!(close(scaled("1,735,573"), 1_735_573.0));
        assert!(close(scaled(".4"), 0.4));
        assert!(close(scaled("2.0E+04"), 20_000.0));
        assert!(close(scaled("27.9K"), 27_900.0));
        assert_eq!(scaled("N/A"), None);
        assert_eq!(scaled("-"), None);
        assert_eq!(scaled("K"), None);
        assert!(close(size_bytes("10,240K"), 10_485_760.0));
        assert_eq!(size_bytes("8192"), None);
        assert_eq!(size_bytes("é"), None);
        assert!(close(seconds("184.01us", 1e-3), 0.000_184_01));
        assert!(close(seconds("184", 1e-3), 0.184));
        assert!(close(seconds("52.86 s", 1e-3), 52.86));
        assert_eq!(seconds("soon", 1.0), None);
    }

    #[test]
    fn cells_below_headings() {
        let headings = [squash("Event"), squash("Avg wait (ms)"), squash("% DB time")];
        let row = Row::of(&headings, vec!["log file sync".to_owned(), "391".to_owned(), "17.6".to_owned()]);
        assert_eq!(headings[1], "avgwaitms");
        assert_eq!(row.number(&["avgwaitms"]), Some(391.0));
        assert!(close(row.share(&["%dbtime"]), 0.176));
        assert_eq!(row.text(&["waits"]), None);
        assert!(is_overflow("####") && !is_overflow("") && !is_overflow("1#"));
    }
}
