//! Boxes of a tree: where each is, what is too narrow to be drawn, and what stands in it.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::Amounts;
use super::colours;
use super::tree::{Kind, Node, Tree};
use crate::figure::palette;
use crate::figure::svg::writer::{Writer, escaped};
use crate::harmless;

/// From one level to the next, and the height of a box.
const ROW: f64 = 19.0;
const HEIGHT: f64 = 18.0;
/// Boxes narrower than this, in pixels, are not drawn.
const NARROWEST: f64 = 0.25;
/// Boxes that are drawn at most: more make a file that browsers open slowly.
const MOST_BOXES: usize = 30_000;
/// Boxes from this width on have an edge.
const EDGED: f64 = 3.0;
/// Width of a letter of the text beside the boxes.
pub(super) const LETTER: f64 = 6.4;
/// Bold letters are wider than others.
const BOLD: f64 = 1.1;
/// Letters of a name that are kept; longer ones are cut in the middle.
const LONGEST: usize = 120;

/// Boxes that are drawn.
pub(super) struct Boxes {
    /// Node, level, left edge and width.
    boxes: Vec<(usize, usize, f64, f64)>,
    pub levels: usize,
    /// How many are not drawn, and their share of all.
    pub pruned: usize,
    pub pruned_share: f64,
}

impl Boxes {
    pub(super) fn height(&self) -> f64 {
        self.levels as f64 * ROW
    }

    /// Whether functions of programs, and of the kernel, are among them.
    pub(super) fn has(&self, tree: &Tree, kind: Kind) -> bool {
        self.boxes.iter().any(|(node, ..)| tree.nodes[*node].kind == kind)
    }
}

/// Places the nodes in a width.
pub(super) fn place(tree: &Tree, width: f64) -> Boxes {
    let all = tree.nodes.first().map_or(0.0, |root| root.width);
    let scale = if all > 0.0 { width / all } else { 0.0 };
    let mut found = Boxes { boxes: Vec::new(), levels: 0, pruned: 0, pruned_share: 0.0 };
    // Of each box the one that it is in.
    let mut parents = Vec::new();
    let mut open = vec![(0, 0, 0.0, 0)];
    while let Some((at, level, x, parent)) = open.pop() {
        let Some(node) = tree.nodes.get(at) else { continue };
        let wide = node.width * scale;
        if wide < NARROWEST && level > 0 {
            found.pruned += node.size;
            found.pruned_share += wide / width;
            continue;
        }
        let place = found.boxes.len();
        found.boxes.push((at, level, x, wide));
        parents.push(parent);
        let mut left = x;
        let mut children = Vec::with_capacity(node.children.len());
        for child in &node.children {
            children.push((*child, level + 1, left, place));
            left += tree.nodes[*child].width * scale;
        }
        open.extend(children.into_iter().rev());
    }
    keep_widest(&mut found, &parents, width);
    found.levels = found.boxes.iter().map(|(_, level, ..)| level + 1).max().unwrap_or(0);
    found
}

/// Leaves as many boxes as browsers open quickly: the widest, of equal ones the outer.
fn keep_widest(found: &mut Boxes, parents: &[usize], width: f64) {
    if found.boxes.len() <= MOST_BOXES {
        return;
    }
    let mut ranks: Vec<usize> = (0..found.boxes.len()).collect();
    ranks.sort_by(|a, b| {
        let ((_, level_a, _, wide_a), (_, level_b, _, wide_b)) = (found.boxes[*a], found.boxes[*b]);
        wide_b.total_cmp(&wide_a).then(level_a.cmp(&level_b)).then(a.cmp(b))
    });
    let mut kept = vec![false; found.boxes.len()];
    ranks.iter().take(MOST_BOXES).for_each(|at| kept[*at] = true);
    for (at, (.., wide)) in found.boxes.iter().enumerate().filter(|(at, _)| !kept[*at]) {
        found.pruned += 1;
        found.pruned_share += if kept[parents[at]] { wide / width } else { 0.0 };
    }
    let mut at = 0;
    found.boxes.retain(|_| {
        at += 1;
        kept[at - 1]
    });
}

/// Writes the boxes, parents before their children.
pub(super) fn write(out: &mut Writer, tree: &Tree, boxes: &Boxes, amounts: &Amounts) {
    let all = tree.all();
    let largest = tree.nodes.iter().skip(1).map(|node| change(node).abs()).fold(0.0, f64::max);
    for (at, level, x, wide) in &boxes.boxes {
        let node = &tree.nodes[*at];
        let fill = match amounts.is_difference {
            true => colours::change(if largest > 0.0 { change(node) / largest } else { 0.0 }),
            false => colours::fill(node.kind, node.colour),
        };
        let edged = if *wide >= EDGED { " fl-w" } else { "" };
        let name = shown(&node.name);
        let amount = amounts.label(node);
        // Writing to a String cannot fail.
        let _ = write!(
            out.text,
            "<rect class=\"fl-n {fill}{edged}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{HEIGHT}\"><title>{}\n{}</title></rect>",
            fine(*x),
            fine(*level as f64 * ROW),
            fine(*wide),
            escaped(&name),
            escaped_lines(&amounts.told(node, all)),
        );
        let (wider, bold) = if node.kind == Kind::Class { (BOLD, " fl-s") } else { (1.0, "") };
        if let Some(label) = label(&name, &amount, (wide - 8.0) / wider) {
            let (x, y) = (fine(x + 5.0), fine(*level as f64 * ROW + 13.0));
            let _ =
                write!(out.text, "<text class=\"fl-l{bold}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&label));
        }
    }
}

fn change(node: &Node) -> f64 {
    node.amounts[1] - node.amounts[0]
}

/// Each line escaped by itself.
fn escaped_lines(lines: &[String]) -> String {
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\n")
}

/// Name and amount as far as they fit into so many pixels.
fn label(name: &str, amount: &str, most: f64) -> Option<String> {
    if most < 3.0 * letter('a') {
        return None;
    }
    let length = pixels(name);
    if length + pixels(" ") + pixels(amount) <= most {
        return Some(format!("{name} {amount}"));
    }
    if length <= most {
        return Some(name.to_owned());
    }
    let mut cut = String::new();
    let mut length = letter('…');
    for c in name.chars() {
        length += letter(c);
        if length > most {
            break;
        }
        cut.push(c);
    }
    Some(cut + "…")
}

/// Width of a letter in a box, in the widest of the usual fonts; the script has the same.
fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '/'
        | '(' | ')' | '[' | ']' | '-' => 4.6,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '+' | '<' | '>' | '=' | '~' | '\u{2212}' => 11.0,
        'a'..='z' => 7.1,
        ' '..='~' => 7.8,
        c => 7.1 * c.width().unwrap_or(0) as f64,
    }
}

fn pixels(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// A name that is harmless and not longer than anybody reads.
pub(super) fn shown(name: &str) -> String {
    if name.chars().nth(LONGEST).is_none() {
        return harmless(name);
    }
    let count = name.chars().count();
    let head: String = name.chars().take(LONGEST / 2 - 1).collect();
    let tail: String = name.chars().skip(count - LONGEST / 2).collect();
    harmless(&format!("{head}…{tail}"))
}

/// A coordinate with three digits behind the point: boxes are zoomed.
fn fine(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A swatch and its words, beside each other; the width that they need.
pub(super) fn legend_item(out: &mut Writer, fill: &str, words: &str, x: f64, y: f64) -> f64 {
    out.open_group(x, y);
    out.rect(fill, 0.0, -8.5, 9.0, 9.0);
    out.words("t2", 14.0, 0.0, "start", words);
    out.close("g");
    14.0 + columns(words) as f64 * (LETTER + 0.3) + 18.0
}

/// The fill of a class's swatch.
pub(super) fn swatch(node: &Node) -> String {
    format!("f-{}", palette::class(node.colour))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_to_their_boxes() {
        let of = |name: &str, most: f64| label(name, "1.2 s", most);
        assert_eq!(of("fsync", 200.0).as_deref(), Some("fsync 1.2 s"));
        assert_eq!(of("fsync", 42.0).as_deref(), Some("fsync"));
        assert_eq!(of("do_fsync_of_all", 42.0).as_deref(), Some("do_f…"));
        assert_eq!(of("日本語日本語", 42.0).as_deref(), Some("日本…"));
        assert_eq!(of("fsync", 20.0), None);
    }

    #[test]
    fn names_are_harmless_and_not_endless() {
        let long = shown(&"x".repeat(1_000_000));
        assert_eq!(long.chars().count(), LONGEST);
        assert_eq!(shown("a\u{202e}b\n"), "a\\u{202e}b\\n");
    }
}
