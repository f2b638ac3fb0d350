//! Frames as SVG: the same picture in a file of its own, in a page and, drawn to pixels, as PNG.
//!
//! Colours are classes, whose rules [`palette::css`](super::palette::css) gives; whoever shows the picture alone
//! writes them into it ([`file`]).

mod axes;
mod bars;
pub mod flame;
mod heat;
mod labels;
mod lines;
mod stack;
mod writer;

use heldup_model::{Frame, FrameKind};
use jiff::tz::TimeZone;

use self::axes::Area;
use self::writer::Writer;
pub(crate) use self::writer::escaped;
use super::palette::{self, Theme};
use super::{name, sentence, title, unit};

/// How a picture is drawn.
#[derive(Clone, Debug)]
pub struct Look<'z> {
    /// Width in pixels.
    pub width: f64,
    /// Height of charts over time, in pixels.
    pub height: f64,
    /// Zone of the times on it.
    pub zone: &'z TimeZone,
}

/// Space beside the values: for ticks, and for names.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 168.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;
/// Height of a bar with its name.
const BAR: f64 = 20.0;

/// The chart alone, an `svg` element for a page.
pub fn chart(frame: &Frame, look: &Look<'_>) -> String {
    let said = format!("{}. {}", title(frame), sentence::sentence(frame, look.zone));
    let mut out = Writer::default();
    let height = height_of(frame, look);
    out.open_svg(look.width, height, &said);
    draw(&mut out, frame, look, height);
    out.close("svg");
    out.text
}

/// The chart with its title and its sentence, a whole file.
pub fn file(frame: &Frame, host: &str, look: &Look<'_>, theme: Theme) -> String {
    const MARGIN: f64 = 24.0;
    let chart_look = Look { width: look.width - 2.0 * MARGIN, ..look.clone() };
    let chart_height = height_of(frame, &chart_look);
    let said = sentence::sentence(frame, look.zone);
    // Letters of the text are about this wide.
    let lines = textwrap::wrap(&said, ((look.width - 2.0 * MARGIN) / 6.4) as usize);
    let height = 58.0 + chart_height + 14.0 + lines.len() as f64 * 18.0;
    let mut out = Writer::default();
    out.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.open_svg(look.width, height, &format!("{}. {said}", title(frame)));
    out.style(&format!("{FONT}{SHAPES}{}", palette::css(theme)));
    out.rect("paper", 0.0, 0.0, look.width, height);
    out.title(MARGIN, 32.0, &title(frame), &unit(frame));
    let window = super::ticks::window(frame, look.zone);
    out.words("t2", look.width - MARGIN, 32.0, "end", &format!("{}  {window}", name(host)));
    out.open_group(MARGIN, 46.0);
    draw(&mut out, frame, &chart_look, chart_height);
    out.close("g");
    for (at, line) in lines.iter().enumerate() {
        out.words("t2", MARGIN, 46.0 + chart_height + 18.0 + at as f64 * 18.0, "start", line);
    }
    out.close("svg");
    out.text
}

/// Fonts of a picture that stands alone; a page brings its own.
const FONT: &str = "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;\
                    font-variant-numeric:tabular-nums}tspan.b{font-size:15px;font-weight:600}";

/// The rules of charts that do not depend on the paper.
pub const SHAPES: &str = ".hair,.axis,.line,.limit,.hatch,.sevline,.series{fill:none}.limit{stroke-dasharray:4 2}\
                          .line,.series{stroke-width:1.5}.band,.peak{fill-opacity:.18}.piece{stroke-width:.6}";

fn cut(text: &str, most: f64) -> String {
    let most = most.max(1.0) as usize;
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn height_of(frame: &Frame, look: &Look<'_>) -> f64 {
    match frame.kind {
        FrameKind::Bars => frame.series.len() as f64 * BAR + TOP,
        // Rows that are CPUs stay readable.
        FrameKind::Heat if frame.series.iter().all(|series| series.bounds.is_none()) => {
            (frame.series.len() as f64 * 14.0).clamp(28.0, 320.0) + TOP + BOTTOM
        }
        FrameKind::Heat | FrameKind::Lines | FrameKind::Stack => look.height,
    }
}

fn draw(out: &mut Writer, frame: &Frame, look: &Look<'_>, height: f64) {
    if frame.kind == FrameKind::Bars {
        bars::draw(out, frame, look.width);
        return;
    }
    let area = Area {
        left: LEFT,
        top: TOP,
        width: (look.width - LEFT - RIGHT).max(40.0),
        height: (height - TOP - BOTTOM).max(20.0),
        since_ms: frame.since_ms,
        until_ms: frame.until_ms.max(frame.since_ms + 1),
    };
    match frame.kind {
        FrameKind::Stack => stack::draw(out, frame, &area),
        FrameKind::Heat => heat::draw(out, frame, &area),
        FrameKind::Lines | FrameKind::Bars => lines::draw(out, frame, &area),
    }
    axes::gaps(out, frame, &area);
    axes::times(out, frame, &area, look.zone);
}
