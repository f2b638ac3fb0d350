//! Where an axis has its ticks.

use heldup_model::{Frame, Scale};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Lengths of time between ticks, in milliseconds; longer ones are whole days.
const LENGTHS_MS: [i64; 20] = [
    200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
    1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
];
const DAY_MS: i64 = 86_400_000;

/// Values of ticks between zero and the greatest value, zero included, at most `most` and one.
pub fn linear(greatest: f64, most: usize) -> Vec<f64> {
    let step = nice(greatest / most.max(1) as f64);
    if !(step > 0.0 && step.is_finite()) {
        return vec![0.0];
    }
    let count = (greatest / step * (1.0 + 1e-9)).floor() as usize;
    (0..=count.min(most + 1)).map(|at| at as f64 * step).collect()
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten from a value on.
pub fn nice(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 0.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let found = [1.0, 2.0, 2.5, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    found.unwrap_or(10.0) * power
}

/// Powers of ten between two values, at most `most`.
pub fn log(least: f64, greatest: f64, most: usize) -> Vec<f64> {
    let (first, last) = (least.log10().ceil() as i32, greatest.log10().floor() as i32);
    let every = ((last - first + 1).max(1) as usize).div_ceil(most.max(1)) as i32;
    (first..=last).filter(|power| (power - first) % every == 0).map(|power| 10f64.powi(power)).collect()
}

/// Times of ticks, with their text: at round times of the zone, at most one in `apart` of the width.
pub fn times(frame: &Frame, zone: &TimeZone, most: usize) -> Vec<(i64, String)> {
    let (since, until) = (frame.since_ms, frame.until_ms);
    let least = (until - since).div_euclid(most.max(1) as i64) + 1;
    let length = LENGTHS_MS
        .into_iter()
        .find(|length| *length >= least)
        .unwrap_or_else(|| (least + DAY_MS - 1).div_euclid(DAY_MS) * DAY_MS);
    let offset_ms =
        Timestamp::from_millisecond(since).map_or(0, |time| i64::from(zone.to_offset(time).seconds()) * 1000);
    let first = (since + offset_ms + length - 1).div_euclid(length) * length - offset_ms;
    let days = until - since > 2 * DAY_MS;
    let form = match length {
        _ if length >= DAY_MS => "%m-%d",
        _ if length >= 60_000 && days => "%m-%d %H:%M",
        _ if length >= 60_000 => "%H:%M",
        _ if length >= 1000 => "%H:%M:%S",
        _ => "%H:%M:%S%.1f",
    };
    let tick = |at: i64| {
        let ms = first + at * length;
        let time = Timestamp::from_millisecond(ms).ok()?.to_zoned(zone.clone());
        (ms <= until).then(|| (ms, time.strftime(form).to_string()))
    };
    (0..=most as i64).map_while(tick).collect()
}

/// The window of a frame, as people read it, in a zone.
pub fn window(frame: &Frame, zone: &TimeZone) -> String {
    let at = |ms: i64| Timestamp::from_millisecond(ms).map(|time| time.to_zoned(zone.clone()));
    let (Ok(since), Ok(until)) = (at(frame.since_ms), at(frame.until_ms)) else { return String::new() };
    let end = if since.date() == until.date() { "%T" } else { "%F %T" };
    format!("{} – {} {}", since.strftime("%F %T"), until.strftime(end), since.strftime("%Z"))
}

/// The least and the greatest value that a frame shows, its limit included where it is near.
pub fn range(frame: &Frame, stacked: Option<(f64, f64)>) -> (f64, f64) {
    let values = |of: fn(&heldup_model::FrameSeries) -> &Vec<Option<f64>>| {
        frame.series.iter().flat_map(move |series| of(series).iter().flatten().copied())
    };
    let (mut least, mut greatest) = match stacked {
        Some(range) => range,
        None => (
            values(|series| &series.least).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min),
            values(|series| &series.greatest).fold(0.0, f64::max),
        ),
    };
    if let Some(limit) = &frame.limit {
        // One that is far above would press everything flat.
        if limit.value > 0.0 && limit.value <= greatest * 4.0 {
            greatest = greatest.max(limit.value);
        }
    }
    if !least.is_finite() {
        least = 0.0;
    }
    if frame.scale == Scale::Log && stacked.is_none() {
        let greatest = if greatest > 0.0 { greatest } else { 1.0 };
        let least = if least > 0.0 { least.max(greatest / 1e9) } else { greatest / 10.0 };
        // A decade at least: a line that goes straight looks so.
        return (least.min(greatest / 10.0), greatest);
    }
    (least, if greatest > 0.0 { greatest } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(linear(7_500.0, 3), [0.0, 2_500.0, 5_000.0, 7_500.0]);
        assert_eq!(linear(1.0, 4), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(linear(0.0, 3), [0.0]);
        let decades = log(0.00009, 0.2, 4);
        assert_eq!(decades.len(), 4);
        assert!((decades[0] - 1e-4).abs() < 1e-12 && (decades[3] - 0.1).abs() < 1e-9, "{decades:?}");
    }
}
