//! A breakdown as one page: who, on what and where in the kernel, and when.

use heldup_model::{Breakdown, BreakdownPart, BreakdownPlace, BreakdownProgram, Class, Colour, Role};
use jiff::tz::TimeZone;

use super::checked::unread;
use super::marks;
use super::writer::{Cell, Column, Html, name, names, numbers, wide, wide_numbers, words};
use super::{brand, document, time};
use crate::TextOptions;
use crate::breakdown::{clock, innermost};
use crate::figure::svg::flame;
use crate::overhead;
use crate::quantity::{count, percent, seconds};

/// Width of a flame graph.
const WIDTH: f64 = 760.0;
/// Rows of a table; the JSON has all.
const MOST: usize = 60;

/// The page.
pub fn page(found: &Breakdown, options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let all: f64 = found.parts.iter().map(|part| part.amount).sum();
    let title = match found.programs.first().filter(|_| all > 0.0) {
        Some(first) => format!(
            "{}: {}, most by {}",
            found.kind.title(),
            amount(all, &found.unit),
            first.program.as_deref().unwrap_or("unknown")
        ),
        None => found.kind.title().to_owned(),
    };
    let mut html = Html::default();
    html.open("header", &[]);
    brand(&mut html, &window(found, zone));
    html.put("h1", "", &name(&title));
    html.put("p", "second", &format!("{} · {}", found.host, found.source));
    html.close("header");
    html.open("main", &[]);
    who(&mut html, found);
    flames(&mut html, found);
    places(&mut html, found);
    when(&mut html, found, zone);
    stacks(&mut html, found);
    unread(&mut html, &found.errors);
    html.close("main");
    html.open("footer", &[]);
    let cost = found.overhead.as_ref().map(|cost| format!(" · {}", overhead::line(cost))).unwrap_or_default();
    html.put("p", "", &format!("heldup {}{cost} · {}", env!("CARGO_PKG_VERSION"), found.schema));
    html.close("footer");
    document(&title, html)
}

fn window(found: &Breakdown, zone: &TimeZone) -> String {
    format!("{} – {}", time(&found.from, zone, "%F %T"), time(&found.to, zone, "%F %T %Z"))
}

fn amount(value: f64, unit: &str) -> String {
    if unit == "calls" { format!("{} calls", count(value as i64)) } else { seconds(value) }
}

fn colour(class: &str) -> Colour {
    Class::from_name(class).map_or(Colour::of(Role::Cpu), Colour::of_class)
}

fn caption(what: &str, all: usize) -> String {
    match all > MOST {
        true => format!("{what}: {MOST} of {}", count(all as i64)),
        false => what.to_owned(),
    }
}

fn who(html: &mut Html, found: &Breakdown) {
    html.put("h2", "", "Who");
    let greatest = found.programs.first().map_or(1.0, |one| one.amount).max(f64::MIN_POSITIVE);
    let all: f64 = found.parts.iter().map(|part| part.amount).sum();
    let row = |one: &BreakdownProgram| -> Vec<Cell> {
        let share = if all > 0.0 { percent(one.amount / all) } else { String::new() };
        vec![
            one.program.clone().unwrap_or_else(|| "unknown".to_owned()).into(),
            Cell::Named(colour(&one.class), Class::label_of(&one.class).to_owned()),
            amount(one.amount, &found.unit).into(),
            share.into(),
            Cell::Drawn(marks::bar(colour(&one.class), one.amount / greatest)),
            one.waits.map(count).unwrap_or_default().into(),
            one.processes.map(count).unwrap_or_default().into(),
        ]
    };
    let rows = found.programs.iter().take(MOST).map(row).collect();
    let columns = [
        words("program"),
        names("class"),
        numbers("amount"),
        numbers("of all"),
        wide("as a bar"),
        wide_numbers("waits"),
        wide_numbers("processes"),
    ];
    html.table(&caption("By program and class", found.programs.len()), &columns, rows);
}

/// The flame graph, and what it does not show. Its numbers are the tables around it.
fn flames(html: &mut Html, found: &Breakdown) {
    let Some((picture, notes)) = flame::svg(found, WIDTH) else { return };
    html.put("h2", "", "Where in the code");
    html.open("figure", &[]);
    html.open(
        "div",
        &[("class", "chart"), ("tabindex", "0"), ("role", "group"), ("aria-label", "flame graph")],
    );
    html.flames(&picture);
    html.close("div");
    html.open("figcaption", &[]);
    html.text("As wide as the time; what called is above, what was called is below.");
    notes.iter().for_each(|note| html.put("p", "", note));
    html.close("figcaption");
    html.close("figure");
}

fn places(html: &mut Html, found: &Breakdown) {
    if found.unit != "seconds" {
        return;
    }
    html.put("h2", "", "On what, and where in the kernel");
    if found.places.is_empty() {
        return html.put("p", "", "No stacks of this.");
    }
    let row = |one: &BreakdownPlace| -> Vec<Cell> {
        let or = |text: &Option<String>| Cell::Text(text.clone().unwrap_or_default());
        vec![
            one.program.clone().unwrap_or_else(|| "unknown".to_owned()).into(),
            Cell::Named(colour(&one.class), Class::label_of(&one.class).to_owned()),
            seconds(one.amount).into(),
            or(&one.object),
            or(&one.syscall),
            or(&one.waker),
            Cell::Code(one.kernel_stack.as_deref().map(innermost).unwrap_or_default()),
        ]
    };
    let rows = found.places.iter().take(MOST).map(row).collect();
    let columns: [Column<'_>; 7] = [
        words("program"),
        names("class"),
        numbers("time"),
        words("object"),
        wide("system call"),
        wide("woken by"),
        words("innermost functions"),
    ];
    html.table(&caption("By object and kernel stack", found.places.len()), &columns, rows);
}

fn when(html: &mut Html, found: &Breakdown, zone: &TimeZone) {
    html.put("h2", "", "When");
    if found.parts.is_empty() {
        return html.put("p", "", "Nothing.");
    }
    let greatest = found.parts.iter().map(|part| part.amount).fold(f64::MIN_POSITIVE, f64::max);
    let row = |part: &BreakdownPart| -> Vec<Cell> {
        let top = format!(
            "{}: {} {}",
            part.top_program.as_deref().unwrap_or("unknown"),
            Class::label_of(&part.top_class),
            amount(part.top_amount, &found.unit)
        );
        vec![
            format!("{} – {}", clock(&part.from, zone), clock(&part.to, zone)).into(),
            amount(part.amount, &found.unit).into(),
            Cell::Drawn(marks::bar(colour(&part.top_class), part.amount / greatest)),
            top.into(),
        ]
    };
    let rows = found.parts.iter().map(row).collect();
    let columns = [words("time"), numbers("amount"), wide("as a bar"), words("most of it")];
    html.table("Parts of the window", &columns, rows);
}

/// The largest stacks as text; a flame graph of all of them is a file of its own.
fn stacks(html: &mut Html, found: &Breakdown) {
    if found.stacks.is_empty() {
        return;
    }
    let mut all: Vec<_> = found.stacks.iter().collect();
    all.sort_by_key(|stack| std::cmp::Reverse(stack.value));
    html.put("h2", "", "Stacks");
    let row = |stack: &&heldup_model::BreakdownStack| -> Vec<Cell> {
        let value = match found.unit.as_str() {
            "calls" => count(stack.value),
            _ => seconds(stack.value as f64 / 1e6),
        };
        vec![Cell::Code(stack.frames.replace(';', " ; ")), value.into()]
    };
    let rows = all.iter().take(MOST).map(row).collect();
    html.open_details(&caption("Largest stacks, outermost function first", all.len()), false);
    html.table("Stacks", &[words("stack"), numbers("amount")], rows);
    html.close("details");
}
