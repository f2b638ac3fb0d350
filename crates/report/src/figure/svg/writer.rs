//! Elements of SVG, with every text made harmless.

use std::fmt::Write as _;

use crate::harmless;

/// A text of elements.
#[derive(Default)]
pub(super) struct Writer {
    /// What is written so far.
    pub text: String,
}

// Writing to a String cannot fail.
impl Writer {
    /// Opens the picture, named for who cannot see it.
    pub fn open_svg(&mut self, width: f64, height: f64, said: &str) {
        let said = escaped(said);
        let _ = write!(
            self.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" \
             aria-label=\"{said}\">",
            n(width),
            n(height)
        );
    }

    pub fn open_group(&mut self, x: f64, y: f64) {
        let _ = write!(self.text, "<g transform=\"translate({} {})\">", n(x), n(y));
    }

    pub fn close(&mut self, element: &str) {
        let _ = write!(self.text, "</{element}>");
    }

    /// Rules of style; ours alone, nothing from a machine.
    pub fn style(&mut self, css: &str) {
        let _ = write!(self.text, "<style>{css}</style>");
    }

    pub fn words(&mut self, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
        let anchor = match anchor {
            "start" => String::new(),
            anchor => format!(" text-anchor=\"{anchor}\""),
        };
        let words = escaped(words);
        let _ =
            write!(self.text, "<text class=\"{class}\" x=\"{}\" y=\"{}\"{anchor}>{words}</text>", n(x), n(y));
    }

    /// A title and its unit, one behind the other whatever the font.
    pub fn title(&mut self, x: f64, y: f64, title: &str, unit: &str) {
        let (title, unit) = (escaped(title), escaped(unit));
        let _ = write!(
            self.text,
            "<text x=\"{}\" y=\"{}\"><tspan class=\"t1 b\">{title}</tspan><tspan class=\"t3\" dx=\"8\">{unit}</tspan></text>",
            n(x),
            n(y)
        );
    }

    pub fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let _ = write!(
            self.text,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            n(x),
            n(y),
            n(width.max(0.0)),
            n(height.max(0.0))
        );
    }

    /// A rectangle with an opacity: a shade of its colour.
    pub fn shade(&mut self, class: &str, [x, y, width, height]: [f64; 4], opacity: f64) {
        let _ = write!(
            self.text,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{opacity:.2}\"/>",
            n(x),
            n(y),
            n(width.max(0.0)),
            n(height.max(0.0))
        );
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.text,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            n(from.0),
            n(from.1),
            n(to.0),
            n(to.1)
        );
    }

    pub fn path(&mut self, class: &str, d: &str) {
        if !d.is_empty() {
            let _ = write!(self.text, "<path class=\"{class}\" d=\"{d}\"/>");
        }
    }
}

/// A coordinate with one digit behind the point, as short as it can be.
pub(super) fn n(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A text that is nothing but text, in an element and in an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let safe = harmless(text);
    let mut escaped = String::with_capacity(safe.len());
    for c in safe.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // What XML has no place for.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_nothing_but_text() {
        assert_eq!(escaped("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
        assert_eq!(escaped("\u{1b}[2J\u{0}\u{202e}\u{ffff}"), "\\x1b[2J\\x00\\u{202e}\u{fffd}");
    }

    #[test]
    fn coordinates_are_short_and_finite() {
        assert_eq!([1.0, 1.25, -0.01, 1e9, f64::NAN].map(n), ["1", "1.2", "0", "1000000000", "0"]);
    }
}
