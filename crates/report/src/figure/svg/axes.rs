//! The axes of a chart over time, and where it has no data.

use heldup_model::{Frame, Scale};
use jiff::tz::TimeZone;

use super::writer::Writer;
use crate::figure::{limit as limit_name, tick, ticks};

/// Ticks of time stand at least this far apart.
const APART: f64 = 98.0;
/// Steps without data are marked from this width on.
const LEAST_GAP: f64 = 3.0;

/// Where values are drawn.
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub since_ms: i64,
    pub until_ms: i64,
}

impl Area {
    /// The place of a time, inside the area.
    pub fn x(&self, ms: i64) -> f64 {
        let share = (ms - self.since_ms) as f64 / (self.until_ms - self.since_ms) as f64;
        self.left + share.clamp(0.0, 1.0) * self.width
    }

    /// The right end.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The lower end.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The scale of values.
pub(super) struct Values {
    scale: Scale,
    least: f64,
    greatest: f64,
    top: f64,
    height: f64,
}

impl Values {
    pub fn of(frame: &Frame, area: &Area) -> Values {
        let (least, greatest) = ticks::range(frame, None);
        let (least, greatest) = match frame.scale {
            Scale::Linear => (0.0, greatest * 1.04),
            Scale::Log => (least / 1.2, greatest * 1.2),
        };
        Values { scale: frame.scale, least, greatest, top: area.top, height: area.height }
    }

    /// The place of a value; below the least one of a logarithmic scale is its foot.
    pub fn y(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => value / self.greatest,
            Scale::Log if value <= self.least => 0.0,
            Scale::Log => (value / self.least).ln() / (self.greatest / self.least).ln(),
        };
        self.top + (1.0 - share.clamp(0.0, 1.0)) * self.height
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => ticks::linear(self.greatest, 4),
            Scale::Log => ticks::log(self.least, self.greatest, 4),
        }
    }
}

/// The axis of values, and the limit.
pub(super) fn values(out: &mut Writer, frame: &Frame, area: &Area, scale: &Values) {
    for at in scale.ticks() {
        let y = scale.y(at);
        let class = if at == 0.0 { "axis" } else { "hair" };
        out.line(class, (area.left, y), (area.right(), y));
        out.words("t3", area.left - 8.0, y + 4.0, "end", &tick(frame, at));
    }
    limit(out, frame, area, |value| Some(scale.y(value)).filter(|_| value <= scale.greatest));
}

/// The line that values are held against, where it is inside.
pub(super) fn limit(out: &mut Writer, frame: &Frame, area: &Area, y: impl Fn(f64) -> Option<f64>) {
    let placed = frame.limit.as_ref().and_then(|limit| y(limit.value));
    if let Some((said, y)) = limit_name(frame).zip(placed) {
        out.line("limit", (area.left, y), (area.right(), y));
        out.words("t3", area.right() - 4.0, y - 4.0, "end", &said);
    }
}

/// The axis of time.
pub(super) fn times(out: &mut Writer, frame: &Frame, area: &Area, zone: &TimeZone) {
    let most = (area.width / APART).floor().max(1.0) as usize;
    for (ms, text) in ticks::times(frame, zone, most) {
        let x = area.x(ms);
        // A text that would leave the picture stands inside.
        let anchor = if x < area.left + 24.0 { "start" } else { "middle" };
        out.line("axis", (x, area.bottom()), (x, area.bottom() + 4.0));
        out.words("t3", x, area.bottom() + 18.0, anchor, &text);
    }
}

/// Where no series has a value, hatched: nothing is drawn across.
pub(super) fn gaps(out: &mut Writer, frame: &Frame, area: &Area) {
    let is_empty =
        |at: usize| frame.series.iter().all(|series| series.mean.get(at).copied().flatten().is_none());
    let mut edge = area.since_ms;
    let mut gap_until = area.since_ms;
    let mut hatched: Vec<(i64, i64)> = Vec::new();
    for (at, step) in frame.steps.iter().enumerate() {
        if is_empty(at) {
            continue;
        }
        gap_until = gap_until.max(step.since_ms);
        if gap_until > edge {
            hatched.push((edge, gap_until));
        }
        edge = edge.max(step.until_ms);
    }
    if area.until_ms > edge {
        hatched.push((edge, area.until_ms));
    }
    for (since, until) in hatched {
        let (from, to) = (area.x(since), area.x(until));
        if to - from < LEAST_GAP {
            continue;
        }
        let mut d = String::new();
        let mut x = from;
        // Slanting lines, cut at the edges of the gap.
        while x < to + area.height {
            let (x0, x1) = ((x - area.height).max(from), x.min(to));
            if x1 > x0 {
                d += &format!(
                    "M{} {}L{} {}",
                    super::writer::n(x0),
                    super::writer::n(area.top + (x - x0)),
                    super::writer::n(x1),
                    super::writer::n(area.top + (x - x1))
                );
            }
            x += 8.0;
        }
        out.path("hatch", &d);
    }
}
