//! The strip of all that there is: how much waits in each step, in the colour of what it waits for most.

use heldup_model::{Colour, Frame, FrameKind, Mark, Span};

/// Higher than this quantile is cut, so that one hour does not flatten the others.
const CUT: f64 = 0.98;

/// One column of the strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// Nothing was measured.
    Gap,
    /// From 0 to 1, in a colour.
    Level(f64, Colour),
}

/// The columns of a strip.
pub fn cells(frame: &Frame, all: Span, width: usize) -> Vec<Cell> {
    let mut columns: Vec<Option<(f64, Colour)>> = vec![None; width];
    let length_ms = (all.until_ms - all.since_ms).max(1) as f64;
    let at = |ms: i64| ((ms - all.since_ms) as f64 / length_ms * width as f64).floor() as usize;
    for (number, step) in frame.steps.iter().enumerate() {
        let values: Vec<(f64, Colour)> = frame
            .series
            .iter()
            .filter(|series| is_drawn(frame, series.below))
            .filter_map(|series| Some((series.mean.get(number).copied().flatten()?, series.colour)))
            .collect();
        if values.is_empty() {
            continue;
        }
        let sum: f64 = values.iter().map(|(value, _)| value).sum();
        let colour = values.iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Colour::OTHERS, |most| most.1);
        let (first, last) = (at(step.since_ms), at((step.until_ms - 1).max(step.since_ms)));
        for column in columns.iter_mut().take((last + 1).min(width)).skip(first) {
            // Of several steps in one column the worst is seen.
            if column.is_none_or(|(known, _)| sum > known) {
                *column = Some((sum, colour));
            }
        }
    }
    let mut levels: Vec<f64> = columns.iter().flatten().map(|(value, _)| *value).collect();
    levels.sort_by(f64::total_cmp);
    let full = levels.get(((levels.len() as f64 * CUT) as usize).min(levels.len().saturating_sub(1)));
    let full = full.copied().filter(|full| *full > 0.0).unwrap_or(1.0);
    columns
        .into_iter()
        .map(|column| {
            column.map_or(Cell::Gap, |(value, colour)| Cell::Level((value / full).min(1.0), colour))
        })
        .collect()
}

/// Of a stack that hangs what hangs: what runs is no trouble.
fn is_drawn(frame: &Frame, below: bool) -> bool {
    let hangs = frame.kind == FrameKind::Stack && frame.series.iter().any(|series| series.below);
    below || !hangs
}

/// Where the marks stand, and their names as far as there is room: column, index of the mark, text.
pub fn names(marks: &[Mark], all: Span, width: usize) -> Vec<(usize, usize, String)> {
    let length_ms = (all.until_ms - all.since_ms).max(1) as f64;
    let mut out: Vec<(usize, usize, String)> = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let middle_ms = mark.span.since_ms + (mark.span.until_ms - mark.span.since_ms) / 2;
        let column = ((middle_ms - all.since_ms) as f64 / length_ms * width as f64).floor();
        let column = (column.max(0.0) as usize).min(width.saturating_sub(1));
        // What stands at one place already says that there is something.
        if out.last().is_some_and(|(before, _, _)| column < before + 2) {
            continue;
        }
        let id = mark.findings.first().map(|finding| finding.id.clone()).unwrap_or_default();
        out.push((column, index, id));
    }
    for at in 0..out.len() {
        let end = out.get(at + 1).map_or(width, |next| next.0.saturating_sub(1));
        let room = end.saturating_sub(out[at].0 + 2);
        let text = &mut out[at].2;
        if text.chars().count() > room {
            *text = match room {
                0..=3 => String::new(),
                room => text.chars().take(room - 1).chain(['…']).collect(),
            };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use heldup_model::{BriefFinding, FrameSeries, FrameStep, ImpactKind, Role, Scale, Severity, Summary};

    use super::*;

    fn frame(values: &[Option<f64>]) -> Frame {
        let series = |name: &str, role, below, mean: Vec<Option<f64>>| FrameSeries {
            name: name.to_owned(),
            letter: 'x',
            colour: Colour::of(role),
            below,
            bounds: None,
            least: mean.clone(),
            greatest: mean.clone(),
            mean,
            summary: Summary::default(),
        };
        let step = |at: usize| FrameStep { since_ms: at as i64 * 10, until_ms: at as i64 * 10 + 10 };
        Frame {
            id: "time.classes".to_owned(),
            subject: None,
            title: String::new(),
            question: String::new(),
            kind: FrameKind::Stack,
            unit: String::new(),
            scale: Scale::Linear,
            since_ms: 0,
            until_ms: values.len() as i64 * 10,
            steps: (0..values.len()).map(step).collect(),
            series: vec![
                series("user", Role::Cpu, false, vec![Some(9.0); values.len()]),
                series("sync", Role::Disk, true, values.to_vec()),
            ],
            peaks: None,
            limit: None,
            sql: String::new(),
        }
    }

    #[test]
    fn what_waits_is_seen_and_a_gap_stays_one() {
        let values = [Some(1.0), Some(2.0), None, Some(4.0)];
        let mut frame = frame(&values);
        frame.series[0].mean[2] = None;
        let all = Span { since_ms: 0, until_ms: 40 };
        let cells = cells(&frame, all, 4);
        assert_eq!(cells[2], Cell::Gap);
        assert_eq!(cells[3], Cell::Level(1.0, Colour::of(Role::Disk)));
        assert_eq!(cells[0], Cell::Level(0.25, Colour::of(Role::Disk)));
    }

    #[test]
    fn names_do_not_run_into_each_other() {
        let mark = |since_ms, id: &str| Mark {
            span: Span { since_ms, until_ms: since_ms },
            findings: vec![BriefFinding {
                key: String::new(),
                id: id.to_owned(),
                severity: Severity::Warning,
                impact: ImpactKind::Time,
                cost: None,
                title: String::new(),
                culprits: Vec::new(),
            }],
        };
        let marks = [mark(0, "disk.sync-bound"), mark(10, "cpu.saturated"), mark(95, "fs.full")];
        let names = names(&marks, Span { since_ms: 0, until_ms: 100 }, 100);
        assert_eq!(names[0], (0, 0, "disk.s…".to_owned()));
        assert_eq!(names[1], (10, 1, "cpu.saturated".to_owned()));
        assert_eq!(names[2].2, "");
    }
}
