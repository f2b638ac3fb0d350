//! A table of text in columns.
//!
//! Fits the width in three steps: as it is; with its widest columns cut (numbers are
//! never cut: a number without its last digits is another number); one cell a line.

use unicode_width::UnicodeWidthStr;

use crate::harmless::harmless;
use crate::layout::cut;

/// No column is cut below this, so that names stay recognisable.
const LEAST_COLUMN: usize = 12;
/// Spaces between columns.
const BETWEEN: usize = 2;

/// The table with a head line and a rule; `right_align` says which columns are numbers.
/// `width` is the terminal's; give `usize::MAX` when the output is not a terminal.
/// Missing cells are empty, cells beyond the columns are left out.
pub fn render(columns: &[String], rows: &[Vec<String>], right_align: &[bool], width: usize) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let head: Vec<String> = columns.iter().map(|c| harmless(c)).collect();
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| (0..head.len()).map(|at| harmless(row.get(at).map_or("", String::as_str))).collect())
        .collect();
    let right = |at: usize| right_align.get(at).copied().unwrap_or(false);
    let natural: Vec<usize> = (0..head.len())
        .map(|at| body.iter().map(|row| row[at].width()).chain([head[at].width()]).max().unwrap_or(0))
        .collect();
    let Some(widths) = fitted(&natural, &right, width) else { return records(&head, &body, width) };

    let mut out = String::new();
    let rule: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
    for row in [&head, &rule].into_iter().chain(&body) {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let cell = cut(cell, widths[at], "…");
            let pad = " ".repeat(widths[at] - cell.width());
            let gap = " ".repeat(if at == 0 { 0 } else { BETWEEN });
            line += &if right(at) { gap + &pad + &cell } else { gap + &cell + &pad };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Widths that fit, the widest text columns made narrower; `None` when even the least
/// widths are too wide.
fn fitted(natural: &[usize], right: &dyn Fn(usize) -> bool, width: usize) -> Option<Vec<usize>> {
    let mut widths = natural.to_vec();
    let gaps = BETWEEN * (widths.len() - 1);
    while widths.iter().sum::<usize>() + gaps > width {
        let over = widths.iter().sum::<usize>() + gaps - width;
        let cuttable = |at: &usize| !right(*at) && widths[*at] > LEAST_COLUMN;
        let widest = (0..widths.len()).filter(cuttable).max_by_key(|at| widths[*at])?;
        widths[widest] -= over.min(widths[widest] - LEAST_COLUMN).min(widths[widest].div_ceil(8));
    }
    Some(widths)
}

/// One cell a line, rows apart by a rule: for answers that no terminal is wide enough for.
fn records(head: &[String], body: &[Vec<String>], width: usize) -> String {
    let label = head.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut out = String::new();
    for (nth, row) in body.iter().enumerate() {
        let title = format!("── row {} ", nth + 1);
        let rest = width.min(60).saturating_sub(title.width());
        out.push_str(&title);
        out.push_str(&"─".repeat(rest));
        out.push('\n');
        for (name, cell) in head.iter().zip(row) {
            let line = format!("{name}{}  {cell}", " ".repeat(label - name.width()));
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    #[test]
    fn numbers_stand_right_and_names_left() {
        let rows = [strings(["sda", "12"]), strings(["nvme0n1", "1204"])];
        let expect = "\
device   reads
───────  ─────
sda         12
nvme0n1   1204
";
        assert_eq!(render(&strings(["device", "reads"]), &rows, &[false, true], 80), expect);
    }

    #[test]
    fn the_widest_text_gives_way_first() {
        let rows = [strings(["a/very/long/path/of/a/control/group.scope", "123456789"])];
        let got = render(&strings(["cgroup", "seconds"]), &rows, &[false, true], 34);
        assert!(got.contains("123456789"), "{got}");
        assert!(got.contains('…'), "{got}");
        assert!(got.lines().all(|line| line.width() <= 34), "{got}");
    }

    #[test]
    fn what_cannot_fit_becomes_records() {
        let head = strings(["a", "long_name"]);
        let rows = [strings(["1234567890123", "1234567890123"]), strings(["2", ""])];
        let expect = "\
── row 1 ──────
a          1234567890123
long_name  1234567890123
── row 2 ──────
a          2
long_name
";
        assert_eq!(render(&head, &rows, &[true, true], 15), expect);
    }

    #[test]
    fn an_answer_without_rows_shows_its_columns() {
        assert_eq!(render(&strings(["id"]), &[], &[false], 80), "id\n──\n");
        assert_eq!(render(&[], &[], &[], 80), "");
    }

    #[test]
    fn escape_sequences_do_nothing() {
        let got = render(&strings(["name"]), &[strings(["\x1b[2J\nx"])], &[false], 80);
        assert_eq!(got, "name\n──────────\n\\x1b[2J\\nx\n");
    }
}
