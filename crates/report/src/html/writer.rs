//! Elements of HTML and of the pictures in it. Every text and every value goes through [`escaped`]: there is no other
//! way into a page.

use heldup_model::Colour;

use crate::figure::{palette, svg};

/// Characters of a text that a page shows; a longer one is cut in the middle. A command or a query is shorter.
const LONGEST: usize = 20_000;
/// Bytes of a report from which on figures are only described: 1.5 MB are its limit, and the rest needs some of that.
const MOST_DRAWN: usize = 1_150_000;
/// Rows of a table that stays on one page of paper.
const SHORT: usize = 16;
/// Characters of a name in a table.
const LONGEST_NAME: usize = 200;

/// A page, as far as it is written.
#[derive(Default)]
pub(super) struct Html {
    /// The markup.
    pub(super) markup: String,
    /// Bytes from which on figures are only described; none where all are drawn.
    pub(super) most_drawn: Option<usize>,
    /// Whether it has flame graphs, which need rules of their own.
    pub(super) has_flames: bool,
}

impl Html {
    /// A page that is mailed: what does not fit any more, beside what else it holds, is described.
    pub(super) fn of_report(beside: usize) -> Html {
        Html { most_drawn: Some(MOST_DRAWN.saturating_sub(beside)), ..Html::default() }
    }
}

/// Attributes: names are ours, values are text.
type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// Opens an element.
    pub(super) fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.begin(tag, attributes);
        self.markup.push('>');
    }

    /// Closes an element.
    pub(super) fn close(&mut self, tag: &'static str) {
        self.markup.push_str("</");
        self.markup.push_str(tag);
        self.markup.push('>');
        if !INLINE.contains(&tag) {
            self.markup.push('\n');
        }
    }

    /// An element without content.
    pub(super) fn empty(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.begin(tag, attributes);
        self.markup.push_str("/>");
    }

    /// An element with a text.
    pub(super) fn put(&mut self, tag: &'static str, class: &str, words: &str) {
        match class {
            "" => self.open(tag, &[]),
            class => self.open(tag, &[("class", class)]),
        }
        self.text(words);
        self.close(tag);
    }

    /// A text.
    pub(super) fn text(&mut self, words: &str) {
        self.markup.push_str(&escaped(words));
    }

    /// Prose of ours, as it is written in files: lines are joined, an empty line ends a paragraph.
    pub(super) fn prose(&mut self, words: &str) {
        for paragraph in words.trim().split("\n\n") {
            let joined = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
            if !joined.is_empty() {
                self.put("p", "", &joined);
            }
        }
    }

    /// A link within the page.
    pub(super) fn link(&mut self, to: &str, words: &str) {
        self.open("a", &[("href", &format!("#{to}"))]);
        self.text(words);
        self.close("a");
    }

    /// A command as it is typed, whole.
    pub(super) fn command(&mut self, command: &str) {
        self.open("pre", &[("class", "command")]);
        self.put("code", "", command);
        self.close("pre");
    }

    /// Several lines of code.
    pub(super) fn code(&mut self, text: &str) {
        self.open("pre", &[]);
        self.open("code", &[]);
        self.lines(text);
        self.close("code");
        self.close("pre");
    }

    /// A text whose lines stay.
    pub(super) fn lines(&mut self, text: &str) {
        for (at, line) in cut(text, LONGEST).lines().enumerate() {
            if at > 0 {
                self.markup.push('\n');
            }
            self.text(line);
        }
    }

    /// A picture of a figure, which is escaped where it is drawn.
    pub(super) fn picture(&mut self, picture: &str) {
        self.markup.push_str(picture);
    }

    /// A flame graph, which is escaped where it is drawn.
    pub(super) fn flames(&mut self, picture: &str) {
        self.has_flames = true;
        self.picture(picture);
    }

    /// A square in a colour of a chart; its name stands beside it.
    pub(super) fn swatch(&mut self, colour: Colour) {
        self.open("svg", &[("class", "sw"), ("viewBox", "0 0 9 9"), ("aria-hidden", "true")]);
        let class = format!("f-{}", palette::class(colour));
        self.empty("rect", &[("class", &class), ("width", "9"), ("height", "9")]);
        self.close("svg");
    }

    fn begin(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.markup.push('<');
        self.markup.push_str(tag);
        for (name, value) in attributes {
            self.markup.push(' ');
            self.markup.push_str(name);
            self.markup.push_str("=\"");
            self.markup.push_str(&escaped(value));
            self.markup.push('"');
        }
    }
}

/// Elements behind which no line ends.
const INLINE: [&str; 11] = ["a", "b", "code", "dt", "span", "strong", "summary", "svg", "td", "th", "time"];

/// A text that is nothing but text, in an element and in an attribute, and of a length that can be shown.
pub(super) fn escaped(text: &str) -> String {
    svg::escaped(&cut(text, LONGEST))
}

/// A name of a length that fits a table.
pub(super) fn name(text: &str) -> String {
    cut(text, LONGEST_NAME).into_owned()
}

/// A long text without its middle.
pub(super) fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    // A character has at least one byte.
    if text.len() <= most || text.char_indices().nth(most).is_none() {
        return text.into();
    }
    let end = |from_start: usize| text.char_indices().nth(from_start).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().rev().nth(most / 4).map_or(0, |(at, _)| at);
    format!("{}…{}", &text[..end(most - most / 4)], &text[tail..]).into()
}

/// A column of a table.
#[derive(Clone, Copy)]
pub(super) struct Column<'n> {
    /// Its heading.
    pub(super) name: &'n str,
    /// Classes: `n` for numbers, `w` where a narrow page has no room for it.
    pub(super) class: &'static str,
}

/// A column of words.
pub(super) const fn words(name: &str) -> Column<'_> {
    Column { name, class: "" }
}

/// A column of short names, which are not broken.
pub(super) const fn names(name: &str) -> Column<'_> {
    Column { name, class: "k" }
}

/// A column of numbers.
pub(super) const fn numbers(name: &str) -> Column<'_> {
    Column { name, class: "n" }
}

/// A column that a narrow page leaves out.
pub(super) const fn wide(name: &str) -> Column<'_> {
    Column { name, class: "w" }
}

/// A column of numbers that a narrow page leaves out.
pub(super) const fn wide_numbers(name: &str) -> Column<'_> {
    Column { name, class: "n w" }
}

/// A cell of a table.
pub(super) enum Cell {
    /// Text.
    Text(String),
    /// A name or a query, as programs print it.
    Code(String),
    /// A name in the colour of a chart.
    Named(Colour, String),
    /// A drawing; what it says stands in another cell.
    Drawn(Html),
}

impl Cell {
    fn is_empty(&self) -> bool {
        matches!(self, Cell::Text(text) | Cell::Code(text) if text.is_empty())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl Html {
    /// A table: its first cells name the rows. A column without any text is left out.
    pub(super) fn table(&mut self, caption: &str, columns: &[Column<'_>], rows: Vec<Vec<Cell>>) {
        let has_text = |at: usize| rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()));
        let shown: Vec<bool> =
            (0..columns.len()).map(|at| at == 0 || rows.is_empty() || has_text(at)).collect();
        let is_shown = |at: usize| shown.get(at).copied().unwrap_or(false);
        // A short one is not broken by the end of a page.
        self.open("table", if rows.len() <= SHORT { &[("class", "whole")] } else { &[] });
        self.put("caption", "", caption);
        self.open("thead", &[]);
        self.open("tr", &[]);
        for (_, column) in columns.iter().enumerate().filter(|(at, _)| is_shown(*at)) {
            self.open("th", &[("scope", "col"), ("class", column.class)]);
            self.text(column.name);
            self.close("th");
        }
        self.close("tr");
        self.close("thead");
        self.open("tbody", &[]);
        for row in rows {
            self.open("tr", &[]);
            for (at, (cell, column)) in row.into_iter().zip(columns).enumerate() {
                if !is_shown(at) {
                    continue;
                }
                let tag = if at == 0 { "th" } else { "td" };
                match at {
                    0 => self.open(tag, &[("scope", "row"), ("class", column.class)]),
                    _ if column.class.is_empty() => self.open(tag, &[]),
                    _ => self.open(tag, &[("class", column.class)]),
                }
                self.cell(cell);
                self.close(tag);
            }
            self.close("tr");
        }
        self.close("tbody");
        self.close("table");
    }

    fn cell(&mut self, cell: Cell) {
        match cell {
            Cell::Text(text) => self.text(&name(&text)),
            Cell::Code(text) => self.put("code", "", &name(&text)),
            Cell::Named(colour, text) => {
                self.swatch(colour);
                self.text(&name(&text));
            }
            Cell::Drawn(drawn) => self.markup.push_str(&drawn.markup),
        }
    }

    /// Opens what is folded until somebody wants it. Print has it where `printed`.
    pub(super) fn open_details(&mut self, summary: &str, printed: bool) {
        self.open("details", if printed { &[("class", "printed")] } else { &[] });
        self.put("summary", "", summary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_values_are_nothing_but_text() {
        let mut html = Html::default();
        html.open("p", &[("id", "\"><script>")]);
        html.text("</p><b>&\u{1b}[2J\u{202e}");
        html.close("p");
        assert_eq!(
            html.markup,
            "<p id=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;&lt;b&gt;&amp;\\x1b[2J\\u{202e}</p>\n"
        );
    }

    #[test]
    fn a_long_text_has_its_ends() {
        let long = format!("begin{}end", "ü".repeat(1_000_000));
        let short = name(&long);
        assert!(
            short.starts_with("begin") && short.ends_with("end") && short.chars().count() < 210,
            "{short}"
        );
        assert_eq!(name("short"), "short");
        assert!(escaped(&long).chars().count() < LONGEST + 10);
    }
}
