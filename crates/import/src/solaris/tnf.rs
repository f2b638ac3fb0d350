//! Listings that people make of Solaris' trace (TNF): system calls with their durations, and requests on
//! their way to a device (`strategy`) and back (`biodone`).
//!
//! Times are milliseconds of the trace. A request is read or written by the bit of its buffer's flags; how long it
//! took is known where its end is in the listing too.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::DiskRow;

use super::truss::{Calls, number};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "TNF";
/// `B_READ` of `sys/buf.h`.
const READ_FLAG: u64 = 0x40;

/// Reads listings of TNF.
#[derive(Default)]
pub struct Tnf {
    calls: Option<(Calls, Span)>,
    requests: Option<(Requests, Span)>,
    is_call_list: bool,
}

/// From the first to the last instant, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Span {
    since_ms: f64,
    until_ms: f64,
}

impl Span {
    fn of(at_ms: f64) -> Span {
        Span { since_ms: at_ms, until_ms: at_ms }
    }

    fn reach(&mut self, at_ms: f64) {
        self.since_ms = self.since_ms.min(at_ms);
        self.until_ms = self.until_ms.max(at_ms);
    }

    fn secs(&self) -> Option<f64> {
        Some((self.until_ms - self.since_ms) / 1000.0).filter(|secs| *secs > 0.0)
    }
}

/// By device.
type Requests = BTreeMap<String, Device>;

#[derive(Default)]
struct Device {
    /// Requests and bytes: read, then written.
    counts: [(f64, f64); 2],
    /// How long requests took, read and written, and how many of them ended.
    times: [(f64, f64); 2],
    /// Blocks that are on their way: since when, and the direction.
    open: BTreeMap<u64, (f64, usize)>,
}

impl Importer for Tnf {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if matches!(line.words, ["Now(ms)", "duration(ms)", "pid", "thread", "call", ..]) {
            self.ends(document)?;
            document.begin(NAME);
            self.is_call_list = true;
            return Ok(true);
        }
        if self.requests.is_none() && matches!(Event::of(line.words), Some(Event { end: None, .. })) {
            document.begin(NAME);
            return self.goes_on(line, document);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if matches!(line.words.first(), Some(&"Now(ms)")) {
            return self.begins(line, document);
        }
        if self.is_call_list && self.take_call(line.words) {
            return Ok(true);
        }
        let Some(event) = Event::of(line.words) else { return Ok(false) };
        let (devices, span) = self.requests.get_or_insert_with(|| (Requests::new(), Span::of(event.at_ms)));
        span.reach(event.at_ms);
        let device = devices.entry(event.device).or_default();
        match event.end {
            Some(()) => device.end(event.block, event.at_ms),
            None => device.begin(event.block, event.at_ms, event.bytes, event.is_read),
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.is_call_list = false;
        if let Some((calls, span)) = self.calls.take() {
            let when = document.floating(span.secs());
            calls.write(when, document);
            document.end_sample(NAME)?;
        }
        let Some((devices, span)) = self.requests.take() else { return Ok(()) };
        document.note("TNF: requests are counted at their start; those without an end have no time");
        let when = document.floating(span.secs());
        for (name, device) in &devices {
            let mut cells = vec![("device", Put::Text(name))];
            cells.extend(device.cells());
            put(document, DiskRow::DEF, when, name, &cells);
        }
        document.end_sample(NAME)
    }
}

impl Tnf {
    /// `48351.53089800 254.21403800 12045 0x30101ab09a0 write 0x800000 0`.
    fn take_call(&mut self, words: &[&str]) -> bool {
        let [at, lasted, pid, thread, call, returned, error, ..] = words else { return false };
        let (Ok(at), Ok(lasted), Ok(pid)) = (at.parse::<f64>(), lasted.parse::<f64>(), pid.parse::<i64>())
        else {
            return false;
        };
        if !thread.starts_with("0x") {
            return false;
        }
        let (calls, span) = self.calls.get_or_insert_with(|| (Calls::default(), Span::of(at)));
        span.reach(at);
        span.reach(at + lasted);
        let error = if *error == "0" { "" } else { error };
        calls.add(pid, call, number(returned), error);
        true
    }
}

impl Device {
    fn begin(&mut self, block: u64, at_ms: f64, bytes: f64, is_read: bool) {
        let way = usize::from(!is_read);
        self.counts[way].0 += 1.0;
        self.counts[way].1 += bytes;
        self.open.insert(block, (at_ms, way));
    }

    fn end(&mut self, block: u64, at_ms: f64) {
        if let Some((since_ms, way)) = self.open.remove(&block) {
            self.times[way].0 += 1.0;
            self.times[way].1 += (at_ms - since_ms) / 1000.0;
        }
    }

    fn cells(&self) -> Vec<(&'static str, Put<'static>)> {
        let mut cells = Vec::new();
        for (way, columns) in
            [["reads", "read_bytes", "read_s"], ["writes", "write_bytes", "write_s"]].iter().enumerate()
        {
            let (count, bytes) = self.counts[way];
            cells.push((columns[0], Put::Number(Some(count))));
            cells.push((columns[1], Put::Number(Some(bytes))));
            // The sum over some of the requests would be too small.
            let (ended, secs) = self.times[way];
            let is_whole = ended > 0.0 && ended == count;
            cells.push((columns[2], Put::Number(is_whole.then_some(secs))));
        }
        cells
    }
}

/// `48545.230384 0.006560 12045 1 0x30101ab09a0 224 strategy device: 0x11100000faf block: 39690624 size: 0x10000
/// buf: 0x3004185e058 flags: 558353 0,0`; the end of a request has no size.
struct Event {
    at_ms: f64,
    device: String,
    block: u64,
    bytes: f64,
    is_read: bool,
    end: Option<()>,
}

impl Event {
    fn of(words: &[&str]) -> Option<Event> {
        let at_ms: f64 = words.first()?.parse().ok()?;
        let kind = words.iter().position(|word| matches!(*word, "strategy" | "biodone"))?;
        let value = |name: &str| {
            let at = words.iter().skip(kind).position(|word| *word == name)?;
            words.get(kind + at + 1).copied()
        };
        let is_end = words.get(kind) == Some(&"biodone");
        let flags = value("flags:").and_then(number).unwrap_or(0.0) as u64;
        Some(Event {
            at_ms,
            device: device(value("device:")?)?,
            block: value("block:")?.parse().ok()?,
            bytes: if is_end { 0.0 } else { value("size:").and_then(number)? },
            is_read: flags & READ_FLAG != 0,
            end: is_end.then_some(()),
        })
    }
}

/// `0x11100000faf` and `273,4015` are the same: the major number above 32 bits of the minor one.
fn device(word: &str) -> Option<String> {
    match word.strip_prefix("0x") {
        Some(digits) => {
            let number = u64::from_str_radix(digits, 16).ok()?;
            Some(format!("{},{}", number >> 32, number & 0xffff_ffff))
        }
        None => word.contains(',').then(|| word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_by_number() {
        assert_eq!(device("0x11100000faf").as_deref(), Some("273,4015"));
        assert_eq!(device("273,4015").as_deref(), Some("273,4015"));
        assert_eq!(device("sda"), None);
    }
}
