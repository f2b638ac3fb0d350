//! Frames as a browser takes them without parsing numbers: a head in JSON, and columns of floats.
//!
//! `u32 length of the head | u32 number of floats | head | floats`, little-endian. The head is the frame's JSON in which
//! each list of numbers is `{"at": index of its first float, "n": how many}`; it is filled up with blanks so that the
//! floats begin at a multiple of eight. NaN is null. Lists that are equal are one.

use std::collections::HashMap;

use heldup_model::{Frame, FrameSeries, FrameStep, PageError, StackPeaks};
use serde_json::{Value, json};

/// A frame in bytes.
pub fn encoded(frame: &Frame) -> Vec<u8> {
    let mut columns = Columns::default();
    let time = |steps: &[FrameStep], at: fn(&FrameStep) -> i64| -> Vec<f64> {
        steps.iter().map(|step| at(step) as f64).collect()
    };
    let steps = json!({
        "since": columns.add(time(&frame.steps, |step| step.since_ms)),
        "until": columns.add(time(&frame.steps, |step| step.until_ms)),
    });
    let series: Vec<Value> = frame.series.iter().map(|one| head_of_series(one, &mut columns)).collect();
    let peaks = frame.peaks.as_ref().map(|peaks| {
        json!({
            "above": columns.add(numbers(&peaks.above)),
            "below": columns.add(numbers(&peaks.below)),
        })
    });
    let bare = Frame {
        steps: Vec::new(),
        series: Vec::new(),
        peaks: peaks.is_some().then(StackPeaks::default),
        ..frame.clone_head()
    };
    // No map with keys that are no strings: writing it cannot fail.
    let mut head = serde_json::to_value(&bare).unwrap_or_default();
    head["steps"] = steps;
    head["series"] = series.into();
    if let Some(peaks) = peaks {
        head["peaks"] = peaks;
    }
    framed(&head, &columns.floats)
}

/// What stands in the place of a figure that could not be drawn.
pub fn encoded_problem(id: &str, problem: &PageError) -> Vec<u8> {
    framed(&json!({ "id": id, "error": problem.error, "do": problem.remedy }), &[])
}

fn head_of_series(series: &FrameSeries, columns: &mut Columns) -> Value {
    let bare =
        FrameSeries { mean: Vec::new(), least: Vec::new(), greatest: Vec::new(), ..series.clone_head() };
    let mut head = serde_json::to_value(&bare).unwrap_or_default();
    head["mean"] = columns.add(numbers(&series.mean));
    head["least"] = columns.add(numbers(&series.least));
    head["greatest"] = columns.add(numbers(&series.greatest));
    head
}

fn numbers(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn framed(head: &Value, floats: &[f64]) -> Vec<u8> {
    let mut text = head.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = Vec::with_capacity(8 + text.len() + 8 * floats.len());
    bytes.extend(length(text.len()));
    bytes.extend(length(floats.len()));
    bytes.extend(text);
    bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
    bytes
}

/// Columns, one after the other.
#[derive(Default)]
struct Columns {
    floats: Vec<f64>,
    /// Where a column of these bits begins.
    known: HashMap<Vec<u64>, usize>,
}

impl Columns {
    fn add(&mut self, column: Vec<f64>) -> Value {
        let count = column.len();
        let floats = &mut self.floats;
        let bits = column.iter().map(|float| float.to_bits()).collect();
        let at = *self.known.entry(bits).or_insert_with(|| {
            let at = floats.len();
            floats.extend(&column);
            at
        });
        json!({ "at": at, "n": count })
    }
}

/// A copy without its numbers, which are most of it.
trait CloneHead {
    fn clone_head(&self) -> Self;
}

impl CloneHead for Frame {
    fn clone_head(&self) -> Frame {
        Frame {
            id: self.id.clone(),
            subject: self.subject.clone(),
            title: self.title.clone(),
            question: self.question.clone(),
            kind: self.kind,
            unit: self.unit.clone(),
            scale: self.scale,
            since_ms: self.since_ms,
            until_ms: self.until_ms,
            steps: Vec::new(),
            series: Vec::new(),
            peaks: None,
            limit: self.limit.clone(),
            sql: self.sql.clone(),
        }
    }
}

impl CloneHead for FrameSeries {
    fn clone_head(&self) -> FrameSeries {
        FrameSeries {
            name: self.name.clone(),
            letter: self.letter,
            colour: self.colour,
            below: self.below,
            bounds: self.bounds,
            mean: Vec::new(),
            least: Vec::new(),
            greatest: Vec::new(),
            summary: self.summary,
        }
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::{Colour, FrameKind, Role, Scale, Summary};

    use super::*;

    fn frame() -> Frame {
        let series = |name: &str, mean: [Option<f64>; 2], greatest: [Option<f64>; 2]| FrameSeries {
            name: name.to_owned(),
            letter: 'k',
            colour: Colour::of(Role::Disk),
            below: true,
            bounds: None,
            mean: mean.to_vec(),
            least: mean.to_vec(),
            greatest: greatest.to_vec(),
            summary: Summary { mean: Some(1.5), ..Summary::default() },
        };
        Frame {
            id: "time.classes".to_owned(),
            subject: Some("</script>\u{202e}\u{1b}".to_owned()),
            title: "Time".to_owned(),
            question: "Why?".to_owned(),
            kind: FrameKind::Stack,
            unit: "tasks".to_owned(),
            scale: Scale::Linear,
            since_ms: 1_763_992_800_000,
            until_ms: 1_763_992_802_000,
            steps: vec![
                FrameStep { since_ms: 1_763_992_800_000, until_ms: 1_763_992_801_000 },
                FrameStep { since_ms: 1_763_992_801_000, until_ms: 1_763_992_802_000 },
            ],
            series: vec![
                series("disk_sync", [Some(1.25), None], [Some(2.0), None]),
                series("others", [Some(0.0), Some(-0.5)], [Some(0.0), Some(-0.5)]),
            ],
            peaks: Some(StackPeaks { above: vec![None, None], below: vec![Some(2.0), Some(0.5)] }),
            limit: None,
            sql: "select 1".to_owned(),
        }
    }

    /// What a browser makes of it.
    fn decoded(bytes: &[u8]) -> (Value, usize) {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
        let (length, count) = (number(0), number(4));
        assert_eq!((8 + length) % 8, 0);
        assert_eq!(bytes.len(), 8 + length + 8 * count);
        let floats: Vec<f64> = bytes[8 + length..]
            .chunks_exact(8)
            .map(|eight| f64::from_le_bytes(eight.try_into().expect("eight")))
            .collect();
        let mut head: Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
        let list = |of: &Value| -> Value {
            let at = of["at"].as_u64().expect("at") as usize;
            let n = of["n"].as_u64().expect("n") as usize;
            floats[at..at + n].iter().map(|float| json!(Some(*float).filter(|f| !f.is_nan()))).collect()
        };
        let whole = |value: &Value| value.as_f64().expect("a time") as i64;
        let (since, until) = (list(&head["steps"]["since"]), list(&head["steps"]["until"]));
        let times = since.as_array().expect("a list").iter().zip(until.as_array().expect("a list"));
        head["steps"] = times
            .map(|(since, until)| json!({ "since_ms": whole(since), "until_ms": whole(until) }))
            .collect();
        for series in head["series"].as_array_mut().expect("series") {
            for name in ["mean", "least", "greatest"] {
                series[name] = list(&series[name]);
            }
        }
        for name in ["above", "below"] {
            if head["peaks"].is_object() {
                head["peaks"][name] = list(&head["peaks"][name]);
            }
        }
        (head, count)
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let frame = frame();
        let (head, count) = decoded(&encoded(&frame));
        assert_eq!(serde_json::from_value::<Frame>(head).expect("a frame"), frame);
        // Two of time; mean and greatest of one series, one of the other; peaks.
        assert_eq!(count, 2 * 7);
    }

    #[test]
    fn a_frame_without_steps_is_one() {
        let bare = Frame { steps: Vec::new(), series: Vec::new(), peaks: None, ..frame() };
        let (head, count) = decoded(&encoded(&bare));
        assert_eq!((serde_json::from_value::<Frame>(head).expect("a frame"), count), (bare, 0));
    }

    #[test]
    fn a_figure_that_failed_is_named() {
        let problem = PageError { error: "x: broken".to_owned(), remedy: None };
        let bytes = encoded_problem("cpu.load", &problem);
        let head: Value = serde_json::from_slice(&bytes[8..]).expect("JSON");
        assert_eq!(head, json!({ "id": "cpu.load", "error": "x: broken", "do": null }));
    }
}
