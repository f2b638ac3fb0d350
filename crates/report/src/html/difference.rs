//! Two windows of one kind of time as one page: what became more and what less, by class, program and stack.

use heldup_model::{
    Breakdown, BreakdownDifference, Class, Colour, DifferencePer, DifferenceRow, DifferenceSide, Role,
};
use jiff::tz::TimeZone;

use super::checked::unread;
use super::marks;
use super::writer::{Cell, Html, name, names, numbers, wide, words};
use super::{brand, document, time};
use crate::TextOptions;
use crate::breakdown_difference::{divided, signed};
use crate::figure::svg::flame;

/// Rows of a table; the JSON has all.
const MOST: usize = 40;
/// Width of the flame graph.
const WIDTH: f64 = 760.0;

/// The page.
pub fn page([before, after]: [&Breakdown; 2], found: &BreakdownDifference, options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let amounts = Amounts { is_seconds: found.unit == "seconds", per: found.per };
    // Where one window knows less, the sum of what both know is none of all.
    let title = format!("{}: what became more and what less", found.kind.title());
    let mut html = Html::default();
    html.open("header", &[]);
    brand(&mut html, &format!("{} against {}", found.after.source, found.before.source));
    html.put("h1", "", &name(&title));
    html.close("header");
    html.open("main", &[]);
    sides(&mut html, found, zone);
    rows(&mut html, ("Classes", "By class"), &found.classes, &amounts);
    if let Some((picture, notes)) = flame::difference_svg(before, after, found, WIDTH) {
        html.put("h2", "", "Where in the code");
        html.open("figure", &[]);
        html.open(
            "div",
            &[("class", "chart"), ("tabindex", "0"), ("role", "group"), ("aria-label", "flame graph")],
        );
        html.flames(&picture);
        html.close("div");
        html.open("figcaption", &[]);
        html.text("As wide as the greater side; orange and +: more in the second window, blue and −: less.");
        notes.iter().for_each(|note| html.put("p", "", note));
        html.close("figcaption");
        html.close("figure");
    }
    rows(&mut html, ("Programs", "By program and class"), &found.programs, &amounts);
    unread(&mut html, &found.errors);
    html.close("main");
    html.open("footer", &[]);
    html.put("p", "", &format!("heldup {} · {}", env!("CARGO_PKG_VERSION"), found.schema));
    html.close("footer");
    document(&title, html)
}

/// An amount and a difference, as the text has them.
struct Amounts {
    is_seconds: bool,
    per: DifferencePer,
}

impl Amounts {
    fn value(&self, amount: f64) -> String {
        divided(self.is_seconds, self.per, amount)
    }

    fn signed(&self, difference: f64) -> String {
        signed(&self.value(difference.abs()), difference)
    }
}

/// An amount, or that it was not measured.
fn known(amount: Option<f64>, written: impl Fn(f64) -> String) -> String {
    amount.map_or_else(|| "–".to_owned(), written)
}

fn sides(html: &mut Html, found: &BreakdownDifference, zone: &TimeZone) {
    html.put("h2", "", "Windows");
    let row = |which: &'static str, side: &DifferenceSide| -> Vec<Cell> {
        let until = time(&side.to, zone, "%T %Z");
        vec![
            which.into(),
            side.source.as_str().into(),
            side.host.as_str().into(),
            format!("{} – {until}", time(&side.from, zone, "%F %T")).into(),
            crate::quantity::seconds(side.length_s).into(),
        ]
    };
    let rows = vec![row("before", &found.before), row("after", &found.after)];
    let columns = [words("window"), words("source"), words("host"), words("when"), numbers("recorded")];
    html.table("What is compared", &columns, rows);
}

fn rows(html: &mut Html, (heading, caption): (&str, &str), all: &[DifferenceRow], amounts: &Amounts) {
    if all.is_empty() {
        return;
    }
    html.put("h2", "", heading);
    let greatest = all.iter().flat_map(|row| [row.before, row.after]).flatten().fold(0.0, f64::max);
    let row = |one: &DifferenceRow| -> Vec<Cell> {
        let class = one.class.as_deref().unwrap_or_default();
        let colour = Class::from_name(class).map_or(Colour::of(Role::Cpu), Colour::of_class);
        vec![
            Cell::Named(colour, Class::label_of(class).to_owned()),
            one.program.clone().unwrap_or_default().into(),
            known(one.before, |amount| amounts.value(amount)).into(),
            known(one.after, |amount| amounts.value(amount)).into(),
            match (one.before, one.after) {
                (Some(before), Some(after)) => Cell::Drawn(marks::two(before, after, greatest, colour)),
                _ => String::new().into(),
            },
            known(one.difference, |amount| amounts.signed(amount)).into(),
        ]
    };
    let rows = all.iter().take(MOST).map(row).collect();
    let columns = [
        names("class"),
        words("program"),
        numbers("before"),
        numbers("after"),
        wide("before ○, after ●"),
        numbers("difference"),
    ];
    html.table(caption, &columns, rows);
}
