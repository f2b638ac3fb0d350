//! Bars of the whole window, the longest first.

use heldup_model::Frame;

use super::writer::Writer;
use super::{BAR, TOP};
use crate::figure::{palette, series_name, value};

const NAMES: f64 = 230.0;
const AMOUNTS: f64 = 90.0;

/// Draws the bars.
pub(super) fn draw(out: &mut Writer, frame: &Frame, width: f64) {
    let size = |at: usize| {
        let summary = frame.series[at].summary;
        summary.total.or(summary.mean).unwrap_or(0.0)
    };
    let greatest = (0..frame.series.len()).map(size).fold(0.0, f64::max);
    let longest = (width - NAMES - AMOUNTS).max(40.0);
    for (at, series) in frame.series.iter().enumerate() {
        let y = TOP + at as f64 * BAR;
        out.words("t1", NAMES - 10.0, y + 12.0, "end", &series_name(series));
        let length = if greatest > 0.0 { size(at) / greatest * longest } else { 0.0 };
        out.rect(&format!("f-{}", palette::class(series.colour)), NAMES, y + 2.0, length.max(1.0), BAR - 8.0);
        out.words("t2", NAMES + length + 8.0, y + 12.0, "start", &value(frame, size(at)));
    }
}
