//! The difference of two windows: a table by class, and the boxes of both.

use heldup_model::{Breakdown, BreakdownDifference, BreakdownKind, Class, Colour, DifferenceRow};
use jiff::tz::TimeZone;

use super::amounts::Amounts;
use super::tree::Tree;
use super::{LINE, Page, draw, element, notes, when};
use crate::breakdown_difference::class_label;
use crate::figure::palette;

/// Classes in the table.
const MOST_ROWS: usize = 12;
/// Right edges of the columns; all fit on a narrow screen.
const COLUMNS: [f64; 3] = [178.0, 252.0, 340.0];
/// Height of a row of the table.
const ROW: f64 = 20.0;

/// The boxes alone, an `svg` element for a page, and what has to be said below it. None where neither window has
/// anything.
pub fn difference_svg(
    before: &Breakdown,
    after: &Breakdown,
    difference: &BreakdownDifference,
    width: f64,
) -> Option<(String, Vec<String>)> {
    let tree = Tree::between(before, after, difference);
    if tree.all() == [0.0, 0.0] {
        return None;
    }
    let amounts = Amounts::between(after, difference);
    let boxes = draw::place(&tree, width);
    let said = said(&tree, &amounts, after, difference);
    let notes = notes::of_difference([before, after], difference, &boxes);
    Some((element(&tree, &boxes, &amounts, width, &said), notes))
}

/// A whole file. None where neither window has anything.
pub fn difference_file(
    before: &Breakdown,
    after: &Breakdown,
    difference: &BreakdownDifference,
    zone: &TimeZone,
) -> Option<String> {
    let tree = Tree::between(before, after, difference);
    if tree.all() == [0.0, 0.0] {
        return None;
    }
    let amounts = Amounts::between(after, difference);
    let boxes = draw::place(&tree, super::WIDTH - 2.0 * super::MARGIN);
    let mut page = Page::new();
    page.paragraph("fl-h t1", &title(&tree, &amounts, after), 22.0);
    page.paragraph("t2", &format!("before: {}", when(before, zone)), LINE);
    page.paragraph("t2", &format!("after: {}", when(after, zone)), LINE);
    table(&mut page, difference, &amounts);
    let colours =
        [("fl-m5", "more in the second window (+)"), ("fl-l5", "less (\u{2212})"), ("fl-0", "as it was")];
    page.items(&colours.map(|(fill, words)| (fill.to_owned(), words.to_owned())));
    page.graph(&tree, &boxes, &amounts);
    for note in notes::of_difference([before, after], difference, &boxes) {
        page.paragraph("t2", &note, LINE);
    }
    Some(page.finish(&said(&tree, &amounts, after, difference)))
}

fn title(tree: &Tree, amounts: &Amounts, after: &Breakdown) -> String {
    let [before, now] = tree.all();
    format!("{}: {}", super::title(after), amounts.signed(now - before))
}

fn said(tree: &Tree, amounts: &Amounts, now: &Breakdown, difference: &BreakdownDifference) -> String {
    let [before, after] = tree.all();
    let rows = difference.classes.iter().filter_map(|row| Some((row, row.difference?))).take(5);
    let classes: Vec<String> =
        rows.map(|(row, difference)| format!("{} {}", class(row), amounts.signed(difference))).collect();
    format!(
        "{}: {} before, {} after. Largest differences: {}.",
        super::title(now),
        amounts.value(before),
        amounts.value(after),
        classes.join("; ")
    )
}

fn class(row: &DifferenceRow) -> String {
    draw::shown(class_label(row))
}

fn table(page: &mut Page, difference: &BreakdownDifference, amounts: &Amounts) {
    let rows = difference.classes.iter().take(MOST_ROWS);
    let more = difference.classes.len().saturating_sub(MOST_ROWS);
    let lines = rows.len() + 1 + usize::from(more > 0);
    page.part("table", lines as f64 * ROW + 12.0);
    let out = &mut page.out;
    let [before, after, change] = COLUMNS;
    for (x, word) in [(before, "before"), (after, "after"), (change, "difference")] {
        out.words("t3", x, 16.0, "end", word);
    }
    for (at, row) in rows.enumerate() {
        let y = 16.0 + ROW * (at + 1) as f64;
        let colour = match (row.class.as_deref().and_then(Class::from_name), difference.kind) {
            (Some(class), _) => Colour::of_class(class),
            (None, BreakdownKind::Calls | BreakdownKind::Cpu) => Colour::of_class(Class::Kernel),
            (None, _) => Colour::OTHERS,
        };
        out.rect(&format!("f-{}", palette::class(colour)), 0.0, y - 8.5, 9.0, 9.0);
        out.words("t1", 14.0, y, "start", &super::super::cut(&class(row), 16.0));
        let known =
            |amount: Option<f64>| amount.map_or_else(|| "–".to_owned(), |amount| amounts.value(amount));
        out.words("t2", before, y, "end", &known(row.before));
        out.words("t2", after, y, "end", &known(row.after));
        let signed = row.difference.map_or_else(|| "–".to_owned(), |difference| amounts.signed(difference));
        out.words("t1 fl-s", change, y, "end", &signed);
    }
    if more > 0 {
        out.words("t3", 14.0, 16.0 + ROW * (MOST_ROWS + 1) as f64, "start", &format!("{more} more"));
    }
    out.close("g");
}
