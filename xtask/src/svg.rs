//! The picture of a terminal's output, as SVG.
//!
//! Knows the few Select Graphic Rendition codes that the report uses; a code that it does
//! not know is an error of the picture, not of the reader.

use unicode_width::UnicodeWidthChar;

/// Width of a column and height of a line, in pixels, of a 14-pixel monospace font.
const COLUMN: f64 = 8.43;
const LINE: usize = 19;
const MARGIN: usize = 16;

/// How text is shown.
#[derive(Clone, Copy, Default, PartialEq)]
struct Look {
    bold: bool,
    dim: bool,
    color: Option<&'static str>,
}

/// A stretch of text that looks alike, and the column where it begins.
struct Run {
    look: Look,
    column: usize,
    text: String,
}

/// The picture of a terminal's output.
pub fn svg(terminal: &str) -> String {
    let lines: Vec<Vec<Run>> = terminal.lines().map(runs).collect();
    let columns = lines.iter().flatten().map(|run| run.column + width(&run.text)).max().unwrap_or(0).max(80);
    let wide = (columns as f64 * COLUMN).ceil() as usize + 2 * MARGIN;
    let high = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         role=\"img\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#16181d\"/>\n\
         <g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" \
         fill=\"#d6d9e0\" xml:space=\"preserve\">\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let y = MARGIN + at * LINE + 14;
        for run in line.iter().filter(|run| !run.text.trim().is_empty()) {
            let x = MARGIN as f64 + run.column as f64 * COLUMN;
            let long = width(&run.text) as f64 * COLUMN;
            svg += &format!(
                "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{long:.1}\"{}>{}</text>\n",
                style(run.look),
                escaped(&run.text)
            );
        }
    }
    svg + "</g>\n</svg>\n"
}

fn style(look: Look) -> String {
    let mut style = String::new();
    if look.bold {
        style += " font-weight=\"bold\"";
    }
    if look.dim {
        style += " fill=\"#8b909c\"";
    }
    if let Some(color) = look.color {
        style += &format!(" fill=\"{color}\"");
    }
    style
}

/// The runs of a line.
fn runs(line: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut look = Look::default();
    let mut column = 0;
    for (at, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m').filter(|_| at > 0) {
            Some((codes, text)) => {
                look = codes.split(';').fold(look, rendition);
                text
            }
            None => part,
        };
        // Leading blanks become part of the place: viewers collapse them.
        let blanks = text.len() - text.trim_start_matches(' ').len();
        runs.push(Run { look, column: column + blanks, text: text[blanks..].to_owned() });
        column += width(text);
    }
    runs
}

/// The look after one Select Graphic Rendition code.
fn rendition(look: Look, code: &str) -> Look {
    match code {
        "1" => Look { bold: true, ..look },
        "2" => Look { dim: true, ..look },
        "31" => Look { color: Some("#ff6b68"), ..look },
        "32" => Look { color: Some("#7bc275"), ..look },
        "33" => Look { color: Some("#e3b341"), ..look },
        _ => Look::default(),
    }
}

fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn escaped(text: &str) -> String {
    text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_runs_at_their_columns() {
        let runs = runs("a\x1b[1;31m  b\x1b[0m c");
        let seen: Vec<_> =
            runs.iter().map(|r| (r.column, r.text.as_str(), r.look.bold, r.look.color)).collect();
        assert_eq!(seen, [(0, "a", false, None), (3, "b", true, Some("#ff6b68")), (5, "c", false, None)]);
    }

    #[test]
    fn text_is_escaped() {
        assert!(svg("a <b> & c").contains(">a &lt;b&gt; &amp; c</text>"));
    }
}
