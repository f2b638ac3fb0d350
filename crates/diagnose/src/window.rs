//! A part of a capture's time, as a capture of its own.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::{Capture, ColumnKind, Flaw, Missing, Span, tables};

/// The rows of a capture that are about a part of its time. A row belongs to it where the middle
/// of its interval does, so that each sample is in one of two windows that touch. What was read
/// once and only describes (settings, mounts, the host) is of every window; what was read at the
/// ends of the capture only is of none, and said to be missing.
pub fn window(capture: &Capture, asked: Span) -> Capture {
    let span = Span {
        since_ms: asked.since_ms.max(capture.span.since_ms),
        until_ms: asked.until_ms.min(capture.span.until_ms),
    };
    let mut part = Capture { span, tables: Default::default(), ..capture.clone() };
    for (name, batches) in &capture.tables {
        let describes = tables::find(name)
            .is_some_and(|def| !def.columns.iter().any(|column| column.kind == ColumnKind::Counter));
        let mut kept: Vec<RecordBatch> =
            batches.iter().filter_map(|batch| inside(batch, span, name, &mut part.flaws)).collect();
        let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        if rows(&kept) == 0 && rows(batches) > 0 {
            if describes {
                kept = batches.clone();
            } else {
                part.missing.push(Missing {
                    what: name.clone(),
                    why: "read at the ends of the whole capture only".to_owned(),
                    how: "a capture of this window alone".to_owned(),
                });
            }
        }
        if name == "host" {
            kept = kept.into_iter().map(|batch| with_length(batch, span.secs())).collect();
        }
        if !kept.is_empty() {
            part.tables.insert(name.clone(), kept);
        }
    }
    part
}

/// The span of all samples that reach into a window; none where there are none.
pub fn samples_in(capture: &Capture, asked: Span) -> Option<Span> {
    let mut found: Option<Span> = None;
    for batch in capture.tables.values().flatten() {
        let column = |name: &str| batch.column_by_name(name);
        let times = column("time").and_then(|times| times.as_primitive_opt::<Int64Type>());
        let lengths = column("secs").and_then(|lengths| lengths.as_primitive_opt::<Float64Type>());
        let (Some(times), Some(lengths)) = (times, lengths) else { continue };
        for (until_ms, secs) in times.iter().zip(lengths.iter()) {
            let (Some(until_ms), Some(secs)) = (until_ms, secs.filter(|secs| *secs > 0.0)) else { continue };
            let since_ms = until_ms - (secs * 1000.0) as i64;
            if until_ms > asked.since_ms && since_ms < asked.until_ms {
                let all = found.get_or_insert(Span { since_ms, until_ms });
                all.since_ms = all.since_ms.min(since_ms);
                all.until_ms = all.until_ms.max(until_ms);
            }
        }
    }
    found
}

fn inside(batch: &RecordBatch, span: Span, name: &str, flaws: &mut Vec<Flaw>) -> Option<RecordBatch> {
    let times = batch.column_by_name("time")?.as_primitive_opt::<Int64Type>()?;
    let lengths = batch.column_by_name("secs")?.as_primitive_opt::<Float64Type>()?;
    let of = |row: usize| {
        let end = times.is_valid(row).then(|| times.value(row))?;
        let secs = if lengths.is_valid(row) { lengths.value(row) } else { 0.0 };
        let middle = end - (secs * 500.0) as i64;
        Some(if secs > 0.0 {
            (span.since_ms..span.until_ms).contains(&middle)
        } else {
            span.since_ms < end && end <= span.until_ms
        })
    };
    match filter_rows(batch, |row| of(row).unwrap_or(false)) {
        Ok(kept) => Some(kept),
        Err(error) => {
            flaws.push(Flaw { place: name.to_owned(), what: error.to_string() });
            None
        }
    }
}

/// The host's row says how long the capture is: rules divide by it.
pub(crate) fn with_length(batch: RecordBatch, secs: f64) -> RecordBatch {
    let Ok(at) = batch.schema().index_of("window_s") else { return batch };
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns[at] = Arc::new(Float64Array::from(vec![secs; batch.num_rows()]));
    RecordBatch::try_new(batch.schema(), columns).unwrap_or(batch)
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{SettingRow, SystemRow};
    use heldup_model::{Capture, RowSet};

    use super::*;
    use crate::captures::{Sample, Setting, small_capture};
    use crate::row::Row;

    fn capture() -> Capture {
        let system = |at| Sample {
            at,
            secs: Some(1.0),
            rows: RowSet::increases([SystemRow { context_switches: Some(at), ..SystemRow::default() }]),
        };
        let setting = Sample {
            at: 60,
            secs: None,
            rows: RowSet::increases([SettingRow { setting_key: Some("a".into()), ..SettingRow::default() }]),
        };
        let whole =
            Sample { at: 60, secs: Some(60.0), rows: RowSet::increases([tables::IrqCpuRow::default()]) };
        small_capture(
            Setting { samples: 60, ..Setting::default() },
            (1..=60).map(system).chain([setting, whole]),
        )
    }

    fn ask(capture: &Capture, sql: &str) -> Vec<String> {
        let database = heldup_archive::Database::open(capture).expect("tables");
        let rows = Row::all(database.query(sql).expect("a query"));
        rows.iter().map(|row| row.text("it").unwrap_or_default()).collect()
    }

    #[test]
    fn windows_that_touch_share_nothing() {
        let whole = capture();
        let start = whole.span.since_ms;
        let part = |from: i64, until: i64| {
            window(&whole, Span { since_ms: start + from * 1000, until_ms: start + until * 1000 })
        };
        let seconds = "select min(context_switches) || ' ' || max(context_switches) as it from system";
        assert_eq!(ask(&part(0, 20), seconds), ["1 20"]);
        assert_eq!(ask(&part(20, 40), seconds), ["21 40"]);
        assert_eq!(ask(&part(40, 99), seconds), ["41 60"]);
        assert_eq!(part(40, 99).span, Span { since_ms: start + 40_000, until_ms: start + 60_000 });
    }

    #[test]
    fn what_describes_is_kept_and_what_spans_the_whole_is_missing() {
        let whole = capture();
        let start = whole.span.since_ms;
        let part = window(&whole, Span { since_ms: start, until_ms: start + 20_000 });
        assert_eq!(ask(&part, "select setting_key as it from setting"), ["a"]);
        assert_eq!(ask(&part, "select window_s as it from host"), ["20"]);
        assert!(part.missing.iter().any(|missing| missing.what == "irq_cpu"), "{:?}", part.missing);
    }
}
