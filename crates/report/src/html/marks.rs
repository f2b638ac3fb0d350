//! Small drawings: bars, levels with a limit, rows of who waits and runs, intervals. What they say stands beside
//! them as text, so none of them is read aloud.

use heldup_model::Colour;

use super::writer::Html;
use crate::figure::palette;

/// Width and height of a bar.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 10.0;

/// A coordinate.
pub(super) fn n(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let text = format!("{value:.1}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The class that fills with a colour.
pub(super) fn fill(colour: Colour) -> String {
    format!("f-{}", palette::class(colour))
}

/// A drawing that says nothing which the text beside it does not.
pub(super) fn drawing(class: &'static str, width: f64, height: f64, draw: impl FnOnce(&mut Html)) -> Html {
    let mut html = Html::default();
    html.open(
        "svg",
        &[
            ("class", class),
            ("viewBox", &format!("0 0 {} {}", n(width), n(height))),
            ("width", &n(width)),
            ("height", &n(height)),
            ("aria-hidden", "true"),
        ],
    );
    draw(&mut html);
    html.close("svg");
    html
}

impl Html {
    /// A rectangle.
    pub(super) fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        self.empty(
            "rect",
            &[
                ("class", class),
                ("x", &n(x)),
                ("y", &n(y)),
                ("width", &n(width.max(0.0))),
                ("height", &n(height.max(0.0))),
            ],
        );
    }

    /// A straight line.
    pub(super) fn stroke(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.empty(
            "line",
            &[("class", class), ("x1", &n(from.0)), ("y1", &n(from.1)), ("x2", &n(to.0)), ("y2", &n(to.1))],
        );
    }

    /// A dot.
    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.empty("circle", &[("class", class), ("cx", &n(x)), ("cy", &n(y)), ("r", &n(radius))]);
    }

    /// Words in a drawing.
    pub(super) fn label(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, words: &str) {
        self.open("text", &[("class", class), ("x", &n(x)), ("y", &n(y)), ("text-anchor", anchor)]);
        self.text(words);
        self.close("text");
    }
}

/// A bar: a share of the greatest.
pub(super) fn bar(colour: Colour, share: f64) -> Html {
    let length = share.clamp(0.0, 1.0) * WIDTH;
    drawing("bar", WIDTH, HEIGHT, |html| html.rect(&fill(colour), [0.0, 0.0, length.max(1.0), HEIGHT]))
}

/// A value as a bar, with a tick at its limit.
pub(super) fn level(colour: Colour, value: f64, limit: f64) -> Html {
    let greatest = value.abs().max(limit.abs()).max(f64::MIN_POSITIVE) * 1.15;
    let x = |value: f64| value.abs() / greatest * WIDTH;
    drawing("bar", WIDTH, 14.0, |html| {
        html.rect("trackbar", [0.0, 5.0, WIDTH, 4.0]);
        html.rect(&fill(colour), [0.0, 5.0, x(value).max(1.0), 4.0]);
        html.stroke("line", (x(limit), 1.0), (x(limit), 13.0));
    })
}

/// Parts of one bar, one behind the other.
pub(super) fn parts(class: &'static str, all: &[(Colour, f64)], width: f64, height: f64) -> Html {
    drawing(class, width, height, |html| {
        html.rect("trackbar", [0.0, 0.0, width, height]);
        let mut x = 0.0;
        for (colour, share) in all {
            let length = (share.clamp(0.0, 1.0) * width).min(width - x);
            html.rect(&fill(*colour), [x, 0.0, length, height]);
            x += length;
        }
    })
}

/// One line across: what waits to the left, what runs to the right, as shares of `greatest`.
pub(super) fn both_ways(waiting: &[(Colour, f64)], running: &[(Colour, f64)], greatest: (f64, f64)) -> Html {
    const LENGTH: f64 = 180.0;
    let all = (greatest.0 + greatest.1).max(f64::MIN_POSITIVE);
    let middle = greatest.0 / all * LENGTH;
    drawing("bar both", LENGTH, 12.0, |html| {
        let mut x = middle;
        for (colour, amount) in waiting {
            let length = amount / all * LENGTH;
            x -= length;
            html.rect(&fill(*colour), [x, 1.0, length, 10.0]);
        }
        let mut x = middle;
        for (colour, amount) in running {
            let length = amount / all * LENGTH;
            html.rect(&fill(*colour), [x, 1.0, length, 10.0]);
            x += length;
        }
        html.stroke("line", (middle, 0.0), (middle, 12.0));
    })
}

/// Two values of one thing, and the line between them.
pub(super) fn two(first: f64, second: f64, greatest: f64, colour: Colour) -> Html {
    let greatest = greatest.max(f64::MIN_POSITIVE);
    let x = |value: f64| 5.0 + (value / greatest).clamp(0.0, 1.0) * (WIDTH - 10.0);
    drawing("bar", WIDTH, 12.0, |html| {
        html.stroke(&format!("thick s-{}", palette::class(colour)), (x(first), 6.0), (x(second), 6.0));
        html.dot("ring", (x(first), 6.0), 3.5);
        html.dot(&fill(colour), (x(second), 6.0), 3.5);
    })
}

/// A change with its interval, on a scale that has zero in its middle.
pub(super) fn interval(low: f64, high: f64, greatest: f64) -> Html {
    let greatest = greatest.max(f64::MIN_POSITIVE);
    let x = |value: f64| WIDTH / 2.0 + (value / greatest).clamp(-1.0, 1.0) * (WIDTH / 2.0 - 5.0);
    let class = if low > 0.0 { "more" } else { "less" };
    drawing("bar", WIDTH, 12.0, |html| {
        html.stroke("hair", (0.0, 6.0), (WIDTH, 6.0));
        html.stroke("line", (WIDTH / 2.0, 0.0), (WIDTH / 2.0, 12.0));
        html.stroke(&format!("thick {class}line"), (x(low), 6.0), (x(high), 6.0));
        html.dot(class, (x(f64::midpoint(low, high)), 6.0), 3.5);
    })
}
