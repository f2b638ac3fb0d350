//! The answer to a SQL question as text, CSV or JSON lines.
//!
//! CSV and JSON hold every digit and every byte, for other programs; the text is for
//! people and is rounded and made harmless.

use heldup_model::Cell;
use serde_json::{Map, Value};

use crate::{grid, json::escaped, quantity};

/// A cell as people read it: NULL is empty, floats have about four digits that count.
fn for_people(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Int(n) => n.to_string(),
        Cell::Float(x) => float_for_people(*x),
        Cell::Text(text) => text.clone(),
    }
}

fn is_number(cell: &Cell) -> bool {
    matches!(cell, Cell::Int(_) | Cell::Float(_))
}

/// The answer as a table of at most `width` columns. Columns of numbers are set right.
pub fn text(columns: &[String], rows: &[Vec<Cell>], width: usize) -> String {
    let right: Vec<bool> = (0..columns.len())
        .map(|at| {
            let mut known =
                rows.iter().filter_map(|row| row.get(at)).filter(|c| **c != Cell::Null).peekable();
            known.peek().is_some() && known.all(is_number)
        })
        .collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(for_people).collect()).collect();
    grid::render(columns, &rows, &right, width)
}

/// The answer as CSV (RFC 4180) with a line of column names; NULL is an empty field.
///
/// # Errors
///
/// When a row has another number of cells than there are columns.
pub fn csv(columns: &[String], rows: &[Vec<Cell>]) -> Result<String, ::csv::Error> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(columns)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| match cell {
            Cell::Null => String::new(),
            Cell::Int(n) => n.to_string(),
            Cell::Float(x) => x.to_string(),
            Cell::Text(text) => text.clone(),
        }))?;
    }
    let bytes = writer.into_inner().map_err(|e| e.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The answer as one JSON object a line, columns in their order.
pub fn json_lines(columns: &[String], rows: &[Vec<Cell>]) -> String {
    let mut lines = String::new();
    for row in rows {
        let object: Map<String, Value> = columns
            .iter()
            .cloned()
            .zip(row.iter().map(|cell| match cell {
                Cell::Null => Value::Null,
                Cell::Int(n) => (*n).into(),
                // JSON has no NaN and no infinity: they become null.
                Cell::Float(x) => (*x).into(),
                Cell::Text(text) => text.as_str().into(),
            }))
            .collect();
        lines.push_str(&escaped(&Value::Object(object).to_string()));
        lines.push('\n');
    }
    lines
}

/// A float without the noise of its last digits; times and byte counts are not scaled,
/// because the column name says the unit.
fn float_for_people(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{x:.3e}");
    }
    let decimals = if size >= 1000.0 {
        1
    } else if size >= 1.0 {
        3
    } else {
        6
    };
    let text = quantity::fixed(x, decimals).replace(',', "");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Vec<String>, Vec<Vec<Cell>>) {
        let columns = ["device", "reads", "read_s"].map(str::to_owned).to_vec();
        let rows = vec![
            vec![Cell::Text("sda".to_owned()), Cell::Int(1204), Cell::Float(0.333_333_333)],
            vec![Cell::Text("a,\"b\"\x1b".to_owned()), Cell::Null, Cell::Float(12.0)],
        ];
        (columns, rows)
    }

    #[test]
    fn as_text() {
        let (columns, rows) = sample();
        let expect = "\
device     reads    read_s
─────────  ─────  ────────
sda         1204  0.333333
a,\"b\"\\x1b               12
";
        assert_eq!(text(&columns, &rows, 80), expect);
    }

    #[test]
    fn as_csv() {
        let (columns, rows) = sample();
        let expect = "device,reads,read_s\nsda,1204,0.333333333\n\"a,\"\"b\"\"\x1b\",,12\n";
        assert_eq!(csv(&columns, &rows).unwrap(), expect);
        assert!(csv(&columns, &[vec![Cell::Null]]).is_err());
    }

    #[test]
    fn as_json_lines() {
        let (columns, rows) = sample();
        let lines = json_lines(&columns, &rows);
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(first["read_s"], 0.333_333_333);
        assert!(
            lines.ends_with("{\"device\":\"a,\\\"b\\\"\\u001b\",\"reads\":null,\"read_s\":12.0}\n"),
            "{lines}"
        );
    }
}
