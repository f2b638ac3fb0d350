//! Flame graphs: who waited, in which class, where in the code. One window, or the difference of two.
//!
//! [`svg`] is a picture for a page. [`file`] is complete without its script, which zooms, searches and fits the
//! picture to the window.

mod amounts;
mod colours;
mod difference;
mod draw;
mod notes;
mod tree;

use heldup_model::{Breakdown, BreakdownKind, FlameUnit, Role};
use jiff::tz::TimeZone;

use self::amounts::Amounts;
pub use self::colours::css;
pub use self::difference::{difference_file, difference_svg};
use self::draw::{Boxes, LETTER};
use self::tree::{Kind, Tree};
use super::writer::Writer;
use super::{palette, palette::Theme};
use crate::quantity::percent;

/// Width of a file without a script.
const WIDTH: f64 = 1_200.0;
const MARGIN: f64 = 24.0;
/// Share of a class that the legend names.
const LEAST_NAMED: f64 = 0.005;
/// Height of a line of text.
const LINE: f64 = 18.0;

/// The rules of boxes and their text that do not depend on the paper.
pub const SHAPES: &str =
    ".fl-l{font-size:11.5px;pointer-events:none}.fl-s{font-weight:600}.fl-w{stroke-width:.8}";

/// Of a file alone.
const ALONE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;\
                     font-variant-numeric:tabular-nums}text.fl-h{font-size:15px;font-weight:600}.fl-live .fl-n{cursor:pointer}\
                     .fl-n:focus{outline:none}.fl-b{cursor:pointer;text-decoration:underline}.fl-b:focus{outline:none;\
                     font-weight:600}.fl-cur{fill:none;stroke-width:2;pointer-events:none}.fl-q .fl-n{fill-opacity:.3}\
                     .fl-q .fl-hit{fill-opacity:1}";

const SCRIPT: &str = include_str!("flame.js");

/// The boxes alone, an `svg` element for a page, and what has to be said below it. None where nothing was
/// measured.
///
/// The page states [`SHAPES`] and [`css`] once.
pub fn svg(found: &Breakdown, width: f64) -> Option<(String, Vec<String>)> {
    let (tree, amounts) = (Tree::of(found), Amounts::of(found));
    if tree.all()[1] <= 0.0 {
        return None;
    }
    let boxes = draw::place(&tree, width);
    let said = format!("{}. {}", heading(found, &tree, &amounts), sentence(&tree, &amounts));
    Some((element(&tree, &boxes, &amounts, width, &said), notes::of(found, &tree, &boxes, &amounts)))
}

/// A whole file. None where nothing was measured.
pub fn file(found: &Breakdown, zone: &TimeZone) -> Option<String> {
    let (tree, amounts) = (Tree::of(found), Amounts::of(found));
    if tree.all()[1] <= 0.0 {
        return None;
    }
    let boxes = draw::place(&tree, WIDTH - 2.0 * MARGIN);
    let mut page = Page::new();
    let title = heading(found, &tree, &amounts);
    page.paragraph("fl-h t1", &title, 22.0);
    page.paragraph("t2", &when(found, zone), LINE);
    page.legend(&tree, &boxes, &amounts);
    page.graph(&tree, &boxes, &amounts);
    for note in notes::of(found, &tree, &boxes, &amounts) {
        page.paragraph("t2", &note, LINE);
    }
    Some(page.finish(&format!("{title}. {}", sentence(&tree, &amounts))))
}

fn element(tree: &Tree, boxes: &Boxes, amounts: &Amounts, width: f64, said: &str) -> String {
    let mut out = Writer::default();
    out.open_svg(width, boxes.height(), said);
    draw::write(&mut out, tree, boxes, amounts);
    out.close("svg");
    out.text
}

fn heading(found: &Breakdown, tree: &Tree, amounts: &Amounts) -> String {
    format!("{}: {}", title(found), amounts.value(tree.all()[1]))
}

/// What is drawn. Of CPUs it is what ran: time in the run queue has no stacks.
fn title(found: &Breakdown) -> &'static str {
    let unit = found.flame.as_ref().map_or(FlameUnit::Seconds, |flame| flame.unit);
    match (found.kind, unit) {
        (BreakdownKind::Cpu, FlameUnit::Threads) => "runnable threads",
        (BreakdownKind::Cpu, FlameUnit::Samples | FlameUnit::Share) => "profile",
        (BreakdownKind::Cpu, _) => "CPU time",
        (BreakdownKind::Lock, FlameUnit::Threads) => "threads that wait for locks",
        (_, FlameUnit::Threads) => "waiting threads",
        (kind, _) => kind.title(),
    }
}

/// Of whom, and when.
fn when(found: &Breakdown, zone: &TimeZone) -> String {
    let heading = crate::breakdown::heading(found, zone);
    let of =
        heading.strip_prefix(found.kind.title()).map_or(heading.as_str(), |of| of.trim_start_matches(" · "));
    // A recording that does not say how long it lasted does not say when it was either.
    let focus = found.focus.as_deref().map(|focus| format!(" · {focus}")).unwrap_or_default();
    let without_time = || crate::harmless(&format!("{}{focus}", found.source));
    let of = if found.length_s > 0.0 { of.to_owned() } else { without_time() };
    match found.host.as_str() {
        "" | "unknown" => of,
        host => format!("{} · {of}", crate::figure::name(host)),
    }
}

/// The largest boxes in a sentence, for who cannot see them.
fn sentence(tree: &Tree, amounts: &Amounts) -> String {
    let all = tree.all()[1].max(f64::MIN_POSITIVE);
    let mut largest: Vec<(String, f64)> = Vec::new();
    for program in tree.nodes.iter().filter(|node| node.kind == Kind::Program) {
        let classes = program.children.iter().map(|at| &tree.nodes[*at]);
        let classes = classes.filter(|node| node.kind == Kind::Class).collect::<Vec<_>>();
        if classes.is_empty() {
            largest.push((draw::shown(&program.name), program.amounts[1]));
        }
        for class in classes {
            let name = format!("{}, {}", draw::shown(&program.name), draw::shown(&class.name));
            largest.push((name, class.amounts[1]));
        }
    }
    largest.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let said = |(name, amount): &(String, f64)| {
        format!("{name}: {} ({})", amounts.value(*amount), percent(amount / all))
    };
    let said: Vec<String> = largest.iter().take(5).map(said).collect();
    format!("Largest: {}.", said.join("; "))
}

/// A file that grows downwards. The script lays its parts out again for the width of a window.
struct Page {
    out: Writer,
    y: f64,
}

impl Page {
    fn new() -> Page {
        Page { out: Writer::default(), y: 14.0 }
    }

    /// Opens a part of a kind, at the margin.
    fn part(&mut self, kind: &str, height: f64) {
        let (x, y) = (super::writer::n(MARGIN), super::writer::n(self.y));
        self.out.text.push_str(&format!(
            "<g class=\"fl-flow\" data-kind=\"{kind}\" data-height=\"{}\" transform=\"translate({x} {y})\">",
            super::writer::n(height)
        ));
        self.y += height;
    }

    fn paragraph(&mut self, class: &str, words: &str, line: f64) {
        let letter = if class.starts_with("fl-h") { 8.6 } else { LETTER };
        let lines = textwrap::wrap(words, ((WIDTH - 2.0 * MARGIN) / letter) as usize);
        self.part("text", lines.len() as f64 * line);
        self.out.text.push_str(&format!("<text class=\"{class}\" data-line=\"{}\">", super::writer::n(line)));
        for (at, words) in lines.iter().enumerate() {
            let y = super::writer::n(13.0 + at as f64 * line);
            self.out.text.push_str(&format!("<tspan x=\"0\" y=\"{y}\">{}</tspan>", super::escaped(words)));
        }
        self.out.close("text");
        self.out.close("g");
    }

    /// Classes by size, and what the tints of functions mean.
    fn legend(&mut self, tree: &Tree, boxes: &Boxes, amounts: &Amounts) {
        let mut classes: Vec<(&str, f64, &tree::Node)> = Vec::new();
        for node in tree.nodes.iter().filter(|node| node.kind == Kind::Class && node.amounts[1] > 0.0) {
            match classes.iter_mut().find(|(name, ..)| *name == node.name) {
                Some(class) => class.1 += node.amounts[1],
                None => classes.push((&node.name, node.amounts[1], node)),
            }
        }
        classes.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let all = tree.all()[1].max(f64::MIN_POSITIVE);
        let named = classes.iter().take_while(|class| class.1 >= all * LEAST_NAMED).count();
        let more: f64 = classes.iter().skip(named).map(|class| class.1).sum();
        let mut items: Vec<(String, String)> = Vec::new();
        // Calls are no classes: all have one colour.
        let is_of_calls = tree.nodes.first().is_some_and(|root| root.name == "system calls");
        for (name, amount, node) in classes.iter().take(named).filter(|_| !is_of_calls) {
            let words =
                format!("{} {}, {}", draw::shown(name), amounts.value(*amount), percent(amount / all));
            items.push((draw::swatch(node), words));
        }
        if more > 0.0 && !is_of_calls {
            items.push(("f-unknown-1".to_owned(), format!("others {}", amounts.value(more))));
        }
        if boxes.has(tree, Kind::User) && boxes.has(tree, Kind::Kernel) {
            let colour = heldup_model::Colour::of(Role::Cpu);
            items.push((colours::fill(Kind::User, colour), "functions of programs".to_owned()));
            items.push((colours::fill(Kind::Kernel, colour), "of the kernel".to_owned()));
        }
        self.items(&items);
    }

    fn items(&mut self, items: &[(String, String)]) {
        if items.is_empty() {
            return;
        }
        // As often as a line is full another begins.
        let mut places = Vec::new();
        let (mut x, mut y) = (0.0, 15.0);
        for (_, words) in items {
            let wide = 32.0 + words.chars().count() as f64 * (LETTER + 0.3);
            if x > 0.0 && x + wide > WIDTH - 2.0 * MARGIN {
                (x, y) = (0.0, y + LINE);
            }
            places.push((x, y));
            x += wide;
        }
        self.part("legend", y + 11.0);
        for ((fill, words), (x, y)) in items.iter().zip(places) {
            draw::legend_item(&mut self.out, fill, words, x, y);
        }
        self.out.close("g");
    }

    fn graph(&mut self, tree: &Tree, boxes: &Boxes, amounts: &Amounts) {
        self.part("graph", boxes.height());
        draw::write(&mut self.out, tree, boxes, amounts);
        self.out.close("g");
        self.y += 10.0;
    }

    /// The file.
    fn finish(self, said: &str) -> String {
        let mut out = Writer::default();
        out.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let height = self.y + 14.0;
        out.open_svg(WIDTH, height, said);
        let of = |theme| format!("{}{}", palette::css(theme), css(theme));
        out.style(&format!(
            "{ALONE}{SHAPES}{}@media screen and (prefers-color-scheme:dark){{{}}}@media print{{[data-kind=tools]{{display:none}}}}",
            of(Theme::Light),
            of(Theme::Dark)
        ));
        out.text.push_str("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
        out.text.push_str(&self.out.text);
        // Nothing of a machine is in it.
        let script: Vec<&str> = SCRIPT
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with("//"))
            .collect();
        out.text.push_str(&format!("<script><![CDATA[\n{}\n]]></script>", script.join("\n")));
        out.close("svg");
        out.text
    }
}
