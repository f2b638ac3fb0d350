//! Names at the right end of what they name, pushed apart where they would meet.

use heldup_model::Colour;

use super::axes::Area;
use super::writer::Writer;
use crate::figure::palette;

/// Names stand this far apart.
const APART: f64 = 15.0;

/// A name and where it belongs.
pub(super) struct Label {
    pub y: f64,
    pub colour: Colour,
    pub name: String,
    /// Its number, right of it.
    pub amount: String,
}

/// Writes names as near to their places as they fit.
pub(super) fn write(out: &mut Writer, area: &Area, mut labels: Vec<Label>, width: f64) {
    let most = (area.height / APART).floor().max(1.0) as usize + 1;
    labels.truncate(most);
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let wanted: Vec<f64> = labels.iter().map(|label| label.y).collect();
    let mut places = wanted.clone();
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + APART);
    }
    if let Some(last) = places.last_mut() {
        *last = last.min(area.bottom().max(area.top + APART * (wanted.len() - 1) as f64));
    }
    for at in (1..places.len()).rev() {
        places[at - 1] = places[at - 1].min(places[at] - APART);
    }
    let x = area.right();
    for (label, (y, wanted)) in labels.iter().zip(places.iter().zip(wanted)) {
        let class = palette::class(label.colour);
        out.line(&format!("s-{class}"), (x + 1.0, wanted), (x + 8.0, *y));
        out.rect(&format!("f-{class}"), x + 10.0, y - 4.5, 9.0, 9.0);
        out.words("t1", x + 24.0, y + 4.0, "start", &label.name);
        if !label.amount.is_empty() {
            out.words("t3", x + width, y + 4.0, "end", &label.amount);
        }
    }
}
