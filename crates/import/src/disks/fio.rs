//! `fio`'s normal output: what each job reached (`benchmark`), and what the devices did while it ran (`disk`).
//!
//! The length of the run is that of its longest group of jobs; a job's time is when it ended. Percentiles are of completion
//! latencies. The machine did this for the benchmark and for no one else.

use heldup_model::Record;
use heldup_model::tables::{BenchmarkRow, DiskRow};

use crate::document::put::{Put, put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::clock_line;

const NAME: &str = "fio";
/// Lines between two of one output.
const MOST_GAP: u64 = 4;
/// Percentiles that are kept, and how they are named.
const PERCENTILES: [(&str, &str); 3] = [("50.00th", "p50_s"), ("99.00th", "p99_s"), ("99.90th", "p99_9_s")];

/// Reads `fio`.
#[derive(Default)]
pub struct Fio {
    run: Option<Run>,
}

struct Run {
    when: When,
    job: String,
    /// `read`, `write`, `trim` or `sync`.
    kind: &'static str,
    /// Seconds of the unit of percentiles that follow, where they are of completion.
    percentile_unit: Option<f64>,
    /// The longest of the groups.
    secs: Option<f64>,
    is_of_disks: bool,
    last_line: u64,
}

impl Importer for Fio {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(job) = job(line.words, line.text) else { return Ok(false) };
        if self.run.as_ref().is_none_or(|run| line.number > run.last_line + MOST_GAP) {
            self.ends(document)?;
            document.begin(NAME);
        }
        let at = line.words.iter().position(|word| word.starts_with("pid=")).unwrap_or(line.words.len());
        let order = document.times.dates.order;
        let told = line.words.get(at + 1..).and_then(|words| clock_line::parse(words, order));
        let when = match told {
            Some(told) => When {
                ms: document.instant_ms(told.day, told.seconds, told.zone_s),
                secs: None,
                floats: false,
            },
            None => document.moment(NAME),
        };
        self.run = Some(Run {
            when,
            job,
            kind: "",
            percentile_unit: None,
            secs: None,
            is_of_disks: false,
            last_line: line.number,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if job(line.words, line.text).is_some() {
            return self.begins(line, document);
        }
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_taken = run.take(line, document);
        if is_taken {
            run.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Run {
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let text = line.text.trim();
        let (label, rest) = text.split_once(':').unwrap_or((text, ""));
        let (label, unit) = match label.split_once(" (") {
            Some((label, unit)) => (label.trim(), unit_s(unit)),
            None => (label.trim(), None),
        };
        match label {
            "read" | "write" | "trim" if rest.contains('=') => {
                self.kind = match label {
                    "read" => "read",
                    "write" => "write",
                    _ => "trim",
                };
                self.rates(rest, document);
            }
            "clat" | "sync" if unit.is_some() => {
                self.kind = if label == "sync" { "sync" } else { self.kind };
                for (name, figure) in [("avg", "mean_s"), ("max", "max_s")] {
                    let value =
                        value_of(rest, name).and_then(number).zip(unit).map(|(value, unit)| value * unit);
                    self.figure(figure, value, document);
                }
            }
            "clat percentiles" | "sync percentiles" => self.percentile_unit = unit,
            "lat percentiles" | "slat percentiles" => self.percentile_unit = None,
            "READ" | "WRITE" | "TRIM" => self.run_time(rest),
            "Disk stats (read/write)" | "Disk stats" => self.is_of_disks = true,
            _ if self.is_of_disks && rest.contains("ios=") => self.disk(label, rest, document),
            _ if text.contains("th=[") => self.percentiles(text, document),
            "Run status group 0"
            | "cpu"
            | "IO depths"
            | "submit"
            | "complete"
            | "issued"
            | "issued rwts"
            | "issued rwt"
            | "latency"
            | "bw"
            | "iops"
            | "slat"
            | "lat"
            | "fsync/fdatasync/sync_file_range" => {}
            _ => return label.starts_with("Run status group"),
        }
        true
    }

    /// `IOPS=12.6k, BW=49.3MiB/s (51.7MB/s)(148MiB/3004msec)`; before 3: `io=241236KB, bw=24035KB/s, iops=6008, runt= 10037msec`.
    fn rates(&mut self, rest: &str, document: &mut Document) {
        let of = |names: [&str; 2]| names.iter().find_map(|name| value_of(rest, name));
        let bytes = of(["BW", "bw"]).and_then(|word| bytes(word.strip_suffix("/s")?));
        self.figure("per_s", of(["IOPS", "iops"]).and_then(number), document);
        self.figure("bytes_per_s", bytes, document);
    }

    fn percentiles(&self, text: &str, document: &mut Document) {
        let Some(unit) = self.percentile_unit else { return };
        for part in text.trim_start_matches('|').split(',') {
            let Some((name, value)) = part.trim().split_once("=[") else { continue };
            let Some((_, figure)) = PERCENTILES.iter().find(|(percentile, _)| *percentile == name) else {
                continue;
            };
            let value = value.trim_end_matches(']').trim().parse::<f64>().ok();
            self.figure(figure, value.map(|value| value * unit), document);
        }
    }

    /// `run=3004-3004msec`.
    fn run_time(&mut self, rest: &str) {
        let longest = value_of(rest, "run").or_else(|| value_of(rest, "maxt"));
        let longest =
            longest.and_then(|word| word.rsplit('-').next()?.strip_suffix("msec")?.parse::<f64>().ok());
        let longest = longest.map(|ms| ms / 1000.0).filter(|secs| *secs > 0.0);
        self.secs = [self.secs, longest].into_iter().flatten().reduce(f64::max);
    }

    /// `ios=38148/41176, merge=13/52, ticks=2473/2276, in_queue=4858, util=22.42%`.
    fn disk(&self, device: &str, rest: &str, document: &mut Document) {
        let Some(secs) = self.secs else { return };
        let when = When { secs: Some(secs), ..self.when };
        let pair = |name: &str| {
            let (read, write) = value_of(rest, name)?.split_once('/')?;
            Some((read.parse::<f64>().ok()?, write.parse::<f64>().ok()?))
        };
        let (ios, merged, ticks) = (pair("ios"), pair("merge"), pair("ticks"));
        let queue_s =
            value_of(rest, "in_queue").and_then(|word| word.parse::<f64>().ok()).map(|ms| ms / 1000.0);
        let busy = value_of(rest, "util").and_then(|word| word.strip_suffix('%')?.parse::<f64>().ok());
        let cells = [
            ("reads", Put::Number(ios.map(|ios| ios.0))),
            ("writes", Put::Number(ios.map(|ios| ios.1))),
            ("reads_merged", Put::Number(merged.map(|merged| merged.0))),
            ("writes_merged", Put::Number(merged.map(|merged| merged.1))),
            ("read_s", Put::Number(ticks.map(|ticks| ticks.0 / 1000.0))),
            ("write_s", Put::Number(ticks.map(|ticks| ticks.1 / 1000.0))),
            ("queue_s", Put::Number(queue_s)),
            ("busy_s", Put::Number(busy.map(|busy| busy / 100.0 * secs))),
        ];
        put_row(document, DiskRow::DEF, when, Key::Name(device), &cells);
    }

    fn figure(&self, name: &str, value: Option<f64>, document: &mut Document) {
        if value.is_none() || self.kind.is_empty() {
            return;
        }
        let figure = format!("{}.{}_{name}", self.job, self.kind);
        let cells =
            [("tool", Put::Text(NAME)), ("figure_name", Put::Text(&figure)), ("value", Put::Number(value))];
        put(document, BenchmarkRow::DEF, self.when, &figure, &cells);
    }
}

/// The name of a job, of the line that its results begin with: `seq: (groupid=0, jobs=1): err= 0: pid=24869: …`.
fn job(words: &[&str], text: &str) -> Option<String> {
    let at = words.iter().position(|word| word.starts_with("(groupid="))?;
    let is_one = at > 0 && words.iter().any(|word| word.starts_with("jobs=")) && words.contains(&"err=");
    let name = text.split(": (groupid=").next()?.trim();
    (is_one && !name.is_empty()).then(|| name.to_owned())
}

/// Seconds of a unit: `usec)`.
fn unit_s(unit: &str) -> Option<f64> {
    Some(match unit.trim_end_matches([')', ' ', ':']) {
        "nsec" => 1e-9,
        "usec" => 1e-6,
        "msec" => 1e-3,
        "sec" => 1.0,
        _ => return None,
    })
}

/// What stands behind a name: `12.6k` of `IOPS=12.6k, …`.
fn value_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.split([',', ' ', '(', ';'])
        .scan("", |before, word| {
            let (name, value) = word.split_once('=').unwrap_or((*before, word));
            // `runt= 10037msec`, `avg= 7.86`.
            *before = if value.is_empty() { name } else { "" };
            Some((name, value))
        })
        .find(|(found, value)| *found == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// A number, perhaps in thousands or more: `12.6k`, `13343k`.
fn number(word: &str) -> Option<f64> {
    let (digits, factor) = match word.as_bytes().last()? {
        b'k' | b'K' => (&word[..word.len() - 1], 1e3),
        b'M' => (&word[..word.len() - 1], 1e6),
        b'G' => (&word[..word.len() - 1], 1e9),
        _ => (word, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

/// Bytes: `49.3MiB`; `24035KB` of releases before 3 are powers of 1024 too.
fn bytes(word: &str) -> Option<f64> {
    let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let factor = match word.get(digits..)? {
        "B" => 1.0,
        "KiB" | "KB" => 1024.0,
        "MiB" | "MB" => 1_048_576.0,
        "GiB" | "GB" => 1_073_741_824.0,
        _ => return None,
    };
    Some(word.get(..digits)?.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_releases() {
        let new = " IOPS=12.6k, BW=49.3MiB/s (51.7MB/s)(148MiB/3004msec)";
        assert_eq!(value_of(new, "IOPS").and_then(number), Some(12_600.0));
        assert_eq!(value_of(new, "BW"), Some("49.3MiB/s"));
        let old = " io=241236KB, bw=24035KB/s, iops=6008, runt= 10037msec";
        assert_eq!(value_of(old, "iops").and_then(number), Some(6008.0));
        assert_eq!(value_of(old, "runt"), Some("10037msec"));
        assert_eq!(value_of("min=2, max=4420, avg= 7.86, stdev=42.17", "avg"), Some("7.86"));
        assert_eq!(bytes("24035KB"), Some(24_035.0 * 1024.0));
    }
}
