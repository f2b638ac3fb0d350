//! The stretches of a recording of other tools that are worth a look of their own.
//!
//! Rules see a whole recording: an hour of a day's `sar` is a small part of it, and averages hide it. So each resource
//! has a series here, one value for each sample, with the level from which it is a trouble (that of the rule about it).
//! Samples in a row beyond that level, and beyond what is usual in this recording, are a stretch. Whether it is one
//! decide the rules, which examine it as a recording of its own.

use heldup_archive::{Database, SqlError, Value};
use heldup_model::{Capture, Method, Span};
use heldup_stats::median;

use crate::severity::{LASTING_SECONDS, LEAST_ACTIVE_SECONDS, WARNING_COST};

/// A shorter series is one stretch: the answer for all of it is one for each part.
const LEAST_SAMPLES: usize = 20;
/// Samples between two bad ones of one stretch.
const MOST_BETWEEN: usize = 2;
/// So much above the usual a sample stands out, and so many times the usual distance from it: as for archives.
const LEAST_ABOVE: f64 = 1.5;
const MOST_SPREAD: f64 = 6.0;
/// What is so for more of the recording is how it is throughout.
const MOST_OF_ALL: f64 = 0.8;
/// Beyond so many times its level a sample weighs no more.
const MOST_TIMES: f64 = 3.0;
/// Two stretches that have so much of both in common are one: of one trouble, seen in two resources.
const ONE_IF_COMMON: f64 = 0.5;

/// The series of a resource.
struct Series {
    /// One row for each sample: time, secs, value.
    sql: &'static str,
    /// The value from which it is a trouble.
    level: f64,
    /// Whether what is usual counts too: a share that is nearly full has no room above it.
    has_room: bool,
}

const SERIES: &[Series] = &[
    // CPUs busy: as cpu.saturated decides without a run queue.
    Series {
        sql: "select time, max(secs), sum(busy_s) / (sum(busy_s) + sum(idle_s)) from cpu_busy
              group by time
              having sum(busy_s) + sum(idle_s) > 0
                     and (count(cpu_idx) = 0 or count(cpu_idx) >= 0.9 * coalesce((select cpus from window_span), 0))
              order by time",
        level: 0.95,
        has_room: false,
    },
    // Runnable tasks for each CPU: cpu.saturated.
    Series {
        sql: "select s.time, max(s.secs), max(s.runnable) / max(w.cpus) from system s cross join window_span w
              where s.runnable is not null and w.cpus > 0
              group by s.time order by s.time",
        level: 1.25,
        has_room: true,
    },
    // CPU time stolen: cpu.steal.
    Series {
        sql: "select time, max(secs), sum(steal_s) / sum(secs) from cpu
              where steal_s is not null and secs > 0
              group by time order by time",
        level: 0.1,
        has_room: true,
    },
    // Requests in flight at the device with most of them: disk.saturated.
    Series {
        sql: "select time, max(secs), max(queue_s / secs) from disk
              where queue_s is not null and secs > 0
              group by time order by time",
        level: 4.0,
        has_room: true,
    },
    // Time of a request at a device with little to do: disk.slow.
    Series {
        sql: "select time, max(secs), max(queue_s / max(coalesce(reads, 0) + coalesce(writes, 0), coalesce(requests, 0)))
              from disk
              where queue_s is not null and secs > 0 and queue_s <= 1.2 * secs
                    and max(coalesce(reads, 0) + coalesce(writes, 0), coalesce(requests, 0)) >= 5
              group by time order by time",
        level: 0.03,
        has_room: true,
    },
    // Pages back from swap: mem.swapping.
    Series {
        sql: "select time, max(secs), sum(swap_in_pages) / max(secs) from vmstat
              where swap_in_pages is not null and secs > 0
              group by time order by time",
        level: 128.0,
        has_room: true,
    },
    // Pages that tasks scanned themselves: mem.reclaim.
    Series {
        sql: "select time, max(secs), sum(scan_direct_pages) / max(secs) from vmstat
              where scan_direct_pages is not null and secs > 0
              group by time order by time",
        level: 256.0,
        has_room: true,
    },
    // Memory in use: mem.exhausted.
    Series {
        sql: "select time, max(secs), max(1.0 - 1.0 * available_bytes / total_bytes) from memory
              where available_bytes is not null and total_bytes > 0
              group by time order by time",
        level: 0.95,
        has_room: false,
    },
    // Packets lost or damaged: net.drops, net.errors.
    Series {
        sql: "select time, max(secs), (total(rx_errors) + total(rx_drops) + total(tx_errors) + total(tx_drops)) / max(secs)
              from net_if
              where secs > 0 and (rx_errors is not null or rx_drops is not null)
              group by time order by time",
        level: 1.0,
        has_room: true,
    },
    // Sessions of a database that are active: reports of a day, one for each snapshot.
    Series {
        sql: "select time, max(secs), sum(value) / max(secs) from db_metric
              where metric_name = 'db_time_s' and secs > 0
              group by time order by time",
        level: 1.0,
        has_room: true,
    },
];

/// A stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadStretch {
    /// From the start of its first sample to the end of its last one, in whole seconds.
    pub span: Span,
    /// Seconds beyond the level, weighted by how far.
    pub weight: f64,
    /// How many stretches of its series are worse: the worst ones of all resources are looked at first, since what
    /// is far for one is impossible for another.
    pub rank: usize,
}

/// Stretches beyond the level of a rule, the worst ones of each series first.
pub fn bad_stretches(capture: &Capture) -> Result<Vec<BadStretch>, SqlError> {
    if capture.method != Method::Imported {
        return Ok(Vec::new());
    }
    let database = Database::open(capture)?;
    let mut found = Vec::new();
    for series in SERIES {
        let answer = database.query(series.sql)?;
        let number = |row: &[Value], at: usize| match row.get(at) {
            Some(Value::Int(value)) => Some(*value as f64),
            Some(Value::Float(value)) => Some(*value),
            _ => None,
        };
        let samples: Vec<Reading> = answer
            .rows
            .iter()
            .filter_map(|row| {
                let until_ms = number(row, 0)? as i64;
                let secs = number(row, 1).filter(|secs| *secs > 0.0)?;
                Some(Reading { until_ms, secs, value: number(row, 2)? })
            })
            .collect();
        found.extend(of_series(&samples, series.level, series.has_room));
    }
    Ok(apart(found))
}

/// One sample of a series.
#[derive(Clone, Copy, Debug)]
struct Reading {
    until_ms: i64,
    secs: f64,
    value: f64,
}

fn of_series(samples: &[Reading], level: f64, has_room: bool) -> Vec<BadStretch> {
    if samples.len() < LEAST_SAMPLES {
        return Vec::new();
    }
    let level = if has_room { level.max(unusual(samples)) } else { level };
    let all_s: f64 = samples.iter().map(|sample| sample.secs).sum();
    let is_bad = |sample: &&Reading| sample.value >= level;
    if samples.iter().filter(is_bad).map(|sample| sample.secs).sum::<f64>() > MOST_OF_ALL * all_s {
        return Vec::new();
    }
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..samples.len()).filter(|at| samples[*at].value >= level) {
        match runs.last_mut() {
            Some(run) if at <= run.end + MOST_BETWEEN => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    let stretch = |run: std::ops::Range<usize>| {
        let samples = &samples[run];
        let bad = || samples.iter().filter(is_bad);
        let bad_s: f64 = bad().map(|sample| sample.secs).sum();
        // As severity.rs has it for what is known to have lasted.
        let has_lasted =
            bad_s >= LASTING_SECONDS || bad_s >= WARNING_COST * all_s && bad_s >= LEAST_ACTIVE_SECONDS;
        let (first, last) = samples.first().zip(samples.last())?;
        let since_ms = first.until_ms - (first.secs * 1000.0) as i64;
        has_lasted.then(|| BadStretch {
            span: Span { since_ms: nearest_second(since_ms), until_ms: nearest_second(last.until_ms) },
            weight: bad().map(|sample| sample.secs * (sample.value / level).min(MOST_TIMES)).sum(),
            rank: 0,
        })
    };
    let mut found: Vec<BadStretch> = runs.into_iter().filter_map(stretch).collect();
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found.iter_mut().enumerate().for_each(|(rank, stretch)| stretch.rank = rank);
    found
}

/// Options have whole seconds. A sample belongs to a window by the middle of its interval, so that half a second more or
/// less keeps those of a second apart.
fn nearest_second(ms: i64) -> i64 {
    (ms + 500).div_euclid(1000) * 1000
}

/// From where on a sample is unusual in its series.
fn unusual(samples: &[Reading]) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    let Some(usual) = median(&mut values) else { return 0.0 };
    let mut distances: Vec<f64> = values.iter().map(|value| (value - usual).abs()).collect();
    let spread = median(&mut distances).unwrap_or(0.0);
    (usual * LEAST_ABOVE).max(usual + MOST_SPREAD * spread)
}

/// The worst of each series first; what is nearly the same stretch of another series is one with it.
fn apart(mut found: Vec<BadStretch>) -> Vec<BadStretch> {
    let heaviest = |a: &BadStretch, b: &BadStretch| {
        let weight = b.weight.total_cmp(&a.weight);
        a.rank.cmp(&b.rank).then(weight).then(a.span.since_ms.cmp(&b.span.since_ms))
    };
    found.sort_by(heaviest);
    let mut told: Vec<BadStretch> = Vec::new();
    for one in found {
        let same = told.iter_mut().find(|other| {
            let common =
                one.span.until_ms.min(other.span.until_ms) - one.span.since_ms.max(other.span.since_ms);
            let both =
                one.span.until_ms.max(other.span.until_ms) - one.span.since_ms.min(other.span.since_ms);
            common as f64 >= ONE_IF_COMMON * both as f64
        });
        match same {
            Some(other) => {
                other.span.since_ms = other.span.since_ms.min(one.span.since_ms);
                other.span.until_ms = other.span.until_ms.max(one.span.until_ms);
                other.weight += one.weight;
                other.rank = other.rank.min(one.rank);
            }
            None => told.push(one),
        }
    }
    told.sort_by(heaviest);
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64], secs: f64) -> Vec<Reading> {
        let reading = |(at, value): (usize, &f64)| Reading {
            until_ms: (1000.0 * secs * (at + 1) as f64) as i64,
            secs,
            value: *value,
        };
        values.iter().enumerate().map(reading).collect()
    }

    fn spans(values: &[f64], secs: f64, level: f64, has_room: bool) -> Vec<(i64, i64)> {
        let found = of_series(&series(values, secs), level, has_room);
        found.iter().map(|one| (one.span.since_ms / 1000, one.span.until_ms / 1000)).collect()
    }

    /// A day in ten-minute samples, with a bad hour.
    fn day() -> Vec<f64> {
        let mut day = vec![0.2; 144];
        day[60..66].fill(0.99);
        day
    }

    #[test]
    fn a_bad_hour_of_a_day_is_a_stretch() {
        assert_eq!(spans(&day(), 600.0, 0.95, false), [(36_000, 39_600)]);
        let mut holed = day();
        holed[62] = 0.5;
        assert_eq!(spans(&holed, 600.0, 0.95, false), [(36_000, 39_600)], "one better sample in between");
    }

    #[test]
    fn what_is_so_throughout_is_no_stretch_and_what_is_usual_neither() {
        assert_eq!(spans(&[0.99; 144], 600.0, 0.95, false), []);
        let mut queue = vec![8.0; 100];
        queue[50] = 9.0;
        assert_eq!(spans(&queue, 60.0, 4.0, true), []);
        queue[50] = 40.0;
        assert_eq!(spans(&queue, 60.0, 4.0, true), [(3000, 3060)]);
    }

    #[test]
    fn a_burst_and_a_short_recording_have_none() {
        let mut seconds = vec![0.1; 600];
        seconds[300..303].fill(1.0);
        assert_eq!(spans(&seconds, 1.0, 0.95, false), []);
        assert_eq!(spans(&[0.1, 0.1, 0.99, 0.1], 600.0, 0.95, false), []);
    }

    #[test]
    fn one_trouble_in_two_series_is_one_stretch() {
        let stretch = |since_s: i64, until_s: i64, weight| BadStretch {
            span: Span { since_ms: since_s * 1000, until_ms: until_s * 1000 },
            weight,
            rank: 0,
        };
        let told = apart(vec![stretch(0, 3600, 100.0), stretch(600, 3600, 300.0), stretch(7200, 7260, 50.0)]);
        assert_eq!(told, [stretch(0, 3600, 400.0), stretch(7200, 7260, 50.0)]);
        // An hour within a bad day is a stretch of its own.
        let told = apart(vec![stretch(0, 50_000, 100.0), stretch(6000, 9600, 300.0)]);
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn the_worst_of_each_series_is_looked_at_before_others() {
        let stretch = |since_s: i64, weight, rank| BadStretch {
            span: Span { since_ms: since_s * 1000, until_ms: since_s * 1000 + 60_000 },
            weight,
            rank,
        };
        let told = apart(vec![stretch(0, 900.0, 0), stretch(100, 800.0, 1), stretch(200, 60.0, 0)]);
        assert_eq!(told.iter().map(|one| one.weight).collect::<Vec<_>>(), [900.0, 60.0, 800.0]);
    }
}
