//! Small captures made of rows: what cases and tests are run on.
//!
//! Samples are one second long and numbered from 1; the times are fixed, so that a case
//! gives the same answer wherever and whenever it runs.

use std::collections::BTreeMap;

use heldup_model::tables::HostRow;
use heldup_model::{Capture, Flaw, Method, RowSet, Span, Stamp};

/// 2026-01-01 00:00:00 UTC: when the first sample of a small capture begins.
const BEGIN_MS: i64 = 1_767_225_600_000;
/// Name of its host.
pub const HOST: &str = "box";

/// What the rows of a small capture are about.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Samples of a second.
    pub samples: i64,
    /// Online CPUs; 0 if unknown.
    pub cpus: i64,
    /// How time was accounted for.
    pub method: Method,
    /// Share of the task time that was seen.
    pub coverage: f64,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting { samples: 10, cpus: 2, method: Method::Ebpf, coverage: 1.0 }
    }
}

/// Rows of one table at the end of one sample.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Number of the sample, from 1.
    pub at: i64,
    /// Length of the rows' interval; none for a single reading.
    pub secs: Option<f64>,
    /// The rows.
    pub rows: RowSet,
}

/// A capture of these rows and a row of the host.
pub fn small_capture(setting: Setting, samples: impl IntoIterator<Item = Sample>) -> Capture {
    let mut capture = Capture {
        host: HOST.to_string(),
        span: Span { since_ms: BEGIN_MS, until_ms: BEGIN_MS + setting.samples * 1000 },
        method: setting.method,
        coverage: setting.coverage,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: BTreeMap::new(),
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    let host = HostRow {
        name: Some(HOST.into()),
        cpus: Some(setting.cpus).filter(|cpus| *cpus > 0),
        memory_bytes: Some(8 << 30),
        page_bytes: Some(4096),
        window_s: Some(setting.samples as f64),
        method: Some(setting.method.name().into()),
        coverage: Some(setting.coverage),
        ..HostRow::default()
    };
    let host = Sample { at: setting.samples, secs: None, rows: RowSet::increases([host]) };
    let mut samples: Vec<Sample> = samples.into_iter().chain([host]).collect();
    samples.sort_by_key(|sample| sample.at);
    for sample in samples {
        let stamp = Stamp { time_ms: BEGIN_MS + sample.at * 1000, secs: sample.secs, host: HOST.into() };
        match sample.rows.to_batch(&stamp) {
            Ok(batch) => capture.tables.entry(sample.rows.def.name.to_string()).or_default().push(batch),
            Err(error) => {
                capture.flaws.push(Flaw { place: sample.rows.def.name.to_string(), what: error.to_string() });
            }
        }
    }
    capture
}

/// A default small capture of the given samples.
#[cfg(test)]
pub fn capture_of(samples: impl IntoIterator<Item = Sample>) -> Capture {
    small_capture(Setting::default(), samples)
}

/// Typed rows at the end of a sample.
#[cfg(test)]
pub fn rows<R: heldup_model::Record>(at: i64, rows: impl IntoIterator<Item = R>) -> Sample {
    Sample { at, secs: Some(1.0), rows: RowSet::increases(rows) }
}
