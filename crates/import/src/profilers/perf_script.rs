//! `perf script`: samples with their stacks, in all of its generations.
//!
//! A sample is a line that says who, when and of which event, and below it a line for each function, innermost
//! first. The same stack of the same thread is one row of `stack`, however often it was met.

use heldup_model::Class;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::stack_counts::{Met, Side, StackCounts, Who};
use crate::profilers::stack_meaning::meaning;

const NAME: &str = "perf script";
/// Functions of one stack: perf stops at 127 unless it is told otherwise.
const MOST_FRAMES: usize = 4096;
/// Addresses from here on are the kernel's, on every 64-bit machine.
const KERNEL_ADDRESS_DIGITS: usize = 16;
/// Events whose samples say where a CPU was, and of which those that count nanoseconds.
pub(super) const CPU_EVENTS: [&str; 4] = ["cpu-clock", "task-clock", "cycles", "cpu-cycles"];
const SWITCH: &str = "sched:sched_switch";
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];
/// Events that are believed without a time before them: `java 19983 cycles:`.
const TIMELESS: [&str; 9] = [
    "cpu-clock",
    "task-clock",
    "cycles",
    "cpu-cycles",
    "instructions",
    "cache-misses",
    "branch-misses",
    "page-faults",
    "context-switches",
];

/// Reads `perf script`.
#[derive(Default)]
pub struct PerfScript {
    sample: Option<Sample>,
    frames: Frames,
    counts: StackCounts,
    /// Milliseconds of the first and of the last sample, since the machine was started.
    first_ms: Option<f64>,
    last_ms: f64,
    samples: u64,
}

/// A sample whose functions are being read.
struct Sample {
    who: Who,
    met: Met,
    is_of_cpu: bool,
    /// The task left its CPU: its stack is that of its wait.
    is_switch: bool,
}

/// Functions of a sample, innermost first, in memory that is used again.
#[derive(Default)]
struct Frames {
    names: String,
    /// Where each ends, and whose it is.
    ends: Vec<(usize, Side)>,
}

impl Frames {
    fn clear(&mut self) {
        self.names.clear();
        self.ends.clear();
    }

    fn push(&mut self, frame: &Frame<'_>) {
        if self.ends.len() == MOST_FRAMES {
            return;
        }
        match frame.name {
            // Some symbols have no name. Who reads it wants to know at least in what it is.
            "[unknown]" | "" => {
                self.names.push('[');
                self.names
                    .push_str(frame.image.rsplit('/').next().unwrap_or(frame.image).trim_matches(['[', ']']));
                self.names.push(']');
            }
            // What stands between functions cannot be in one.
            name if name.contains(';') => {
                self.names.extend(name.chars().map(|c| if c == ';' { ':' } else { c }))
            }
            name => self.names.push_str(name),
        }
        self.ends.push((self.names.len(), frame.side));
    }

    /// What a task that left its CPU here waits for.
    fn wait(&self) -> Option<Class> {
        let mut functions: Vec<&str> = self.outermost_first().map(|(_, name)| name).collect();
        functions.reverse();
        meaning(&functions).class
    }

    /// Outermost first.
    fn outermost_first(&self) -> impl Iterator<Item = (Side, &str)> {
        (0..self.ends.len()).rev().filter_map(|at| {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
            let (end, side) = self.ends[at];
            Some((side, self.names.get(begin..end)?))
        })
    }
}

impl Importer for PerfScript {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["#", "hostname", ":", host] = line.words {
            document.host_told(host);
            return Ok(false);
        }
        let Some(header) = Header::of(line.words).filter(Header::is_believed) else { return Ok(false) };
        if self.samples == 0 {
            document.begin(NAME);
        }
        self.begin_sample(&header, line.words);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.sample.is_some()
            && let Some(frame) = Frame::of(line.text)
        {
            self.frames.push(&frame);
            return Ok(true);
        }
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_sample();
        if self.samples == 0 {
            return Ok(());
        }
        let first_ms = self.first_ms.unwrap_or(self.last_ms);
        let secs = self.first_ms.map(|first| (self.last_ms - first) / 1000.0).filter(|secs| *secs > 0.0);
        let when = document.floating(secs);
        if self.first_ms.is_none() || first_ms >= self.last_ms {
            document.note("perf script: no times in the samples: unknown duration");
        }
        let counts = std::mem::take(&mut self.counts);
        counts.write(when, document);
        if let Some(told) = document.notes.told.get_mut(NAME) {
            told.samples += self.samples;
        }
        document.sheets.settle()
    }
}

impl PerfScript {
    fn begin_sample(&mut self, header: &Header<'_>, words: &[&str]) {
        self.end_sample();
        self.samples += 1;
        if let Some(ms) = header.time_ms {
            self.first_ms.get_or_insert(ms);
            self.last_ms = self.last_ms.max(ms);
        }
        let base = base_name(header.event);
        let is_of_cpu = CPU_EVENTS.contains(&base);
        let met = Met {
            samples: 1,
            events: header.period,
            seconds: header.period.filter(|_| CLOCKS.contains(&base)).map(|nanos| nanos as f64 / 1e9),
        };
        let kind = if is_of_cpu { "cpu" } else { base };
        let who = Who {
            kind: self.counts.word(kind),
            name: self.counts.word(&header.name),
            pid: header.pid,
            tid: header.tid,
        };
        let is_switch = base == SWITCH;
        self.sample = Some(Sample { who, met, is_of_cpu, is_switch });
        // Without stacks the only function stands in the line itself.
        if let Some([address, name @ .., image]) = words.get(header.words..)
            && let Some(side) = side(address, image)
            && !name.is_empty()
        {
            let name = name.join(" ");
            self.frames.push(&Frame {
                name: without_offset(&name),
                image: image.trim_matches(['(', ')']),
                side,
            });
        }
    }

    fn end_sample(&mut self) {
        let Some(sample) = self.sample.take() else { return };
        // An idle CPU runs the task 0, which is no time of anybody's.
        let class = match self.frames.ends.first() {
            Some((_, side)) if sample.is_of_cpu && sample.who.tid != Some(0) => Some(match side {
                Side::Kernel => Class::Kernel,
                Side::User => Class::User,
            }),
            _ if sample.is_switch => self.frames.wait(),
            _ => None,
        };
        self.counts.add(sample.who, class, self.frames.outermost_first(), sample.met);
        self.frames.clear();
    }
}

/// What the line of a sample says.
#[derive(Debug, PartialEq)]
struct Header<'w> {
    name: String,
    pid: Option<i64>,
    tid: Option<i64>,
    time_ms: Option<f64>,
    /// How much of the event the sample stands for.
    period: Option<u64>,
    event: &'w str,
    /// Words up to the event.
    words: usize,
}

impl<'w> Header<'w> {
    /// `comm [pid/]tid [cpu] [seconds:] [period] event: …`.
    fn of(words: &[&'w str]) -> Option<Header<'w>> {
        let mut time = None;
        let mut event = None;
        for (at, word) in words.iter().enumerate().skip(2) {
            let Some(word) = word.strip_suffix(':') else { continue };
            match seconds(word).filter(|_| time.is_none()) {
                Some(seconds) => time = Some((at, seconds)),
                None => {
                    event = Some((at, word)).filter(|(_, word)| !word.is_empty());
                    break;
                }
            }
        }
        let (event_at, event) = event?;
        let is_cpu = |word: &str| word.starts_with('[') && word.ends_with(']');
        // Without a time (`-F comm,pid,period,event`) two numbers are a task and the period, one is a task.
        let is_task = |word: &str| word.split('/').all(|id| !id.is_empty() && number(id).is_some());
        let has_period = match (time, &words[..event_at]) {
            (Some((at, _)), _) => at + 2 == event_at,
            (None, [_, .., who, period]) => number(period).is_some() && (is_task(who) || is_cpu(who)),
            (None, _) => false,
        };
        let period = words.get(event_at - 1).filter(|_| has_period);
        let mut end = time.map_or(event_at - usize::from(has_period), |(at, _)| at);
        if time.is_some_and(|(at, _)| at + 1 != event_at) && period.is_none() {
            return None;
        }
        if words.get(end - 1).is_some_and(|word| is_cpu(word)) {
            end -= 1;
        }
        let (name, who) = words.get(..end)?.split_at_checked(end.checked_sub(1)?)?;
        let (pid, tid) = match who.first()?.split_once('/') {
            Some((pid, tid)) => (pid.parse().ok(), number(tid)?),
            None => (None, number(who.first()?)?),
        };
        if name.is_empty() {
            return None;
        }
        let period = match period {
            Some(period) => Some(number(period)?.unsigned_abs()),
            None => None,
        };
        let time_ms = time.map(|(_, seconds)| seconds * 1000.0);
        Some(Header {
            name: name.join(" "),
            pid,
            tid: Some(tid),
            time_ms,
            period,
            event,
            words: event_at + 1,
        })
    }

    /// Whether prose has no such line: with a time to the microsecond, or of an event that perf has.
    fn is_believed(&self) -> bool {
        self.time_ms.is_some() || TIMELESS.contains(&base_name(self.event))
    }
}

/// The name of an event without whose mode was counted (`cycles:u`), or on which kind of CPU
/// (`cpu_core/cycles/`).
pub(super) fn base_name(event: &str) -> &str {
    let mut parts = event.split('/');
    let event = match (parts.next(), parts.next()) {
        (Some(_), Some(inner)) if !inner.is_empty() => inner,
        _ => event,
    };
    match event.rsplit_once(':') {
        Some((name, modes)) if modes.bytes().all(|mode| b"ukhGHIpPSDWe".contains(&mode)) => name,
        _ => event,
    }
}

fn number(word: &str) -> Option<i64> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

/// Seconds with six or nine digits behind the point.
fn seconds(word: &str) -> Option<f64> {
    let (whole, part) = word.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (matches!(part.len(), 6 | 9) && is_number(whole) && is_number(part)).then(|| word.parse().ok())?
}

/// A function of a stack.
#[derive(Debug, PartialEq)]
struct Frame<'t> {
    name: &'t str,
    image: &'t str,
    side: Side,
}

impl<'t> Frame<'t> {
    /// `address function[+offset] (image)`.
    fn of(text: &'t str) -> Option<Frame<'t>> {
        let text = text.trim_ascii();
        let (address, rest) = text.split_once(' ')?;
        let rest = rest.strip_suffix(')')?;
        let rest = rest.strip_suffix(" (deleted)").unwrap_or(rest);
        let at = memchr::memrchr(b'(', rest.as_bytes())?;
        let (name, image) = (rest.get(..at)?.trim_ascii(), rest.get(at + 1..)?);
        let side = side(address, image)?;
        // A symbol without a name leaves its two spaces.
        (at > 0).then(|| Frame { name: without_offset(name), image, side })
    }
}

/// Whose function it is; none where there is no address.
fn side(address: &str, image: &str) -> Option<Side> {
    if address.is_empty() || !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let image = image.trim_matches(['(', ')']);
    let is_module = image.starts_with('[')
        && !matches!(
            image,
            "[unknown]" | "[vdso]" | "[vsyscall]" | "[heap]" | "[stack]" | "[uprobes]" | "[anon]"
        );
    let has_kernel_address = address.len() == KERNEL_ADDRESS_DIGITS && address.as_bytes()[0] >= b'8';
    let is_kernel = is_module || has_kernel_address || image.ends_with("vmlinux") || image.contains(".ko");
    Some(if is_kernel && image != "[vsyscall]" { Side::Kernel } else { Side::User })
}

/// The name without where in it (`+0x1a`).
fn without_offset(name: &str) -> &str {
    match name.rsplit_once("+0x") {
        Some((name, offset)) if !name.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            name
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_many_generations() {
        // Name, process, thread, microseconds, period, event.
        type Told<'a> = (&'a str, Option<i64>, i64, Option<f64>, Option<u64>, &'a str);
        let check = |line: &str, expect: Option<Told<'_>>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let header = Header::of(&words).filter(Header::is_believed);
            let told = header.as_ref().map(|told| {
                let event = base_name(told.event);
                let us = told.time_ms.map(|ms| (ms * 1000.0).round());
                (told.name.as_str(), told.pid, told.tid.unwrap(), us, told.period, event)
            });
            assert_eq!(told, expect, "{line}");
        };
        check(
            "swapper     0 [000] 162.123456:     250000 cpu-clock:pppH: ",
            Some(("swapper", None, 0, Some(162_123_456.0), Some(250_000), "cpu-clock")),
        );
        check(
            "ab 23927 [000] 184694.229089: cycles: ",
            Some(("ab", None, 23927, Some(184_694_229_089.0), None, "cycles")),
        );
        check(
            "V8 WorkerThread 27409/28744 [000] 4.133575123: cpu_core/cycles/u: ",
            Some(("V8 WorkerThread", Some(27409), 28744, Some(4_133_575.0), None, "cycles")),
        );
        check(
            "dd 29776 666709.771979:   10101010 sched:sched_switch: prev_comm=a",
            Some(("dd", None, 29776, Some(666_709_771_979.0), Some(10_101_010), "sched:sched_switch")),
        );
        check("java 19983 cycles:", Some(("java", None, 19983, None, None, "cycles")));
        check("java 19983 250000 cycles:u:", Some(("java", None, 19983, None, Some(250_000), "cycles")));
        check(
            "V8 Worker 7/8 [001] 99 cpu-clock:",
            Some(("V8 Worker", Some(7), 8, None, Some(99), "cpu-clock")),
        );
        check("java 19983 [001] cycles:", Some(("java", None, 19983, None, None, "cycles")));
        for prose in [
            "Problem 12 occurs: often",
            "<idle>-0 [001] 123.456789: sched_switch: a",
            "at 12 3.5: b:",
            "12:00:01 1.500000: x",
            "a: 1.500000: cycles:",
            "[ 1.500000] usb 1-1: new: device",
        ] {
            check(prose, None);
        }
    }

    #[test]
    fn functions_of_many_programs() {
        let check = |line: &str, expect: Option<(&str, &str, Side)>| {
            let told = Frame::of(line);
            assert_eq!(told.map(|told| (told.name, told.image, told.side)), expect, "{line}");
        };
        check(
            "\tffffffff8104f45a native_write_msr_safe ([kernel.kallsyms])",
            Some(("native_write_msr_safe", "[kernel.kallsyms]", Side::Kernel)),
        );
        check("ffffffffa0012345 ext4_sync+0x1f ([ext4])", Some(("ext4_sync", "[ext4]", Side::Kernel)));
        check(
            " 414b3b fsnotify (/lib/modules/4.1.0/build/vmlinux)",
            Some(("fsnotify", "/lib/modules/4.1.0/build/vmlinux", Side::Kernel)),
        );
        check(
            "  7f1e2130d999 StealTask::do_it(GCTaskManager*, unsigned int) (/lib/libjvm.so)",
            Some(("StealTask::do_it(GCTaskManager*, unsigned int)", "/lib/libjvm.so", Side::User)),
        );
        check("\t    7f1e2215d058  (/lib/libc-2.15.so)", Some(("", "/lib/libc-2.15.so", Side::User)));
        check("  7f1e2130d999 [unknown] (/memfd:x (deleted))", Some(("[unknown]", "/memfd:x", Side::User)));
        check(
            "  13a80b608e0a RegExp:[&<>] (/tmp/perf-7539.map)",
            Some(("RegExp:[&<>]", "/tmp/perf-7539.map", Side::User)),
        );
        for other in ["", "abc", "abc def", "the word (in brackets)", "12 (x)"] {
            check(other, None);
        }
    }
}
