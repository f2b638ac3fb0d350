//! `/dev/kmsg`: what the kernel wrote to its log, the table `event`, and the troubles that it reports there over several
//! lines, the table `kernel_report`.
//!
//! Records are `priority,sequence,microseconds,flags;text`, then lines that begin with a
//! blank: properties of the device that it is about, which are not taken
//! (kernel: Documentation/ABI/testing/dev-kmsg).
//!
//! A log holds thousands of records and each is a call, so of the running machine's those
//! written within the window are read first. What stands before them is context: it is read
//! where there is something to be the context of, or where somebody asks for the table.

use heldup_hostfs::{Host, HostError, KernelLog, KernelLogPlace};
use heldup_model::tables::{EventRow, KernelReportRow};
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_report::{KernelReports, LogLine};
use crate::kernel_text::{ParseError, Parsed, count, lines, text};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

const PATH: &str = "/dev/kmsg";
/// Context for findings, not an archive of the log.
const MAX_MESSAGES: usize = 1000;
const LEVELS: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
/// By number, from `/usr/include/sys/syslog.h`; 12 to 15 are reserved.
const FACILITIES: [&str; 12] =
    ["kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"];

/// Reads the log and marks what was written within the window.
#[derive(Default)]
pub struct Kmsg {
    /// Behind the last record of the last window.
    place: Option<KernelLogPlace>,
    /// Of a recorder: what the kernel is reporting may end in the next reading.
    reports: KernelReports,
}

impl Source for Kmsg {
    fn name(&self) -> &'static str {
        "kmsg"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[EventRow::DEF, KernelReportRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A message that was overwritten is lost; a log in which nothing was written costs a call.
        Schedule::once().pace(Pace::EverySample)
    }

    fn begin(&mut self, host: &Host) {
        if self.place.is_none() {
            // Without one (a recorded tree) the whole log is read, and says why it cannot be.
            self.place = host.kernel_log_from_now().ok();
        }
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let mut reading = Reading::default();
        match self.log(context) {
            Ok((log, first_new)) => {
                let messages = reading.take(PATH, parse(&log.records));
                let recent = messages.len().saturating_sub(MAX_MESSAGES);
                let begin = Begin { first_new, since_ms: context.since_ms };
                let reports = self.reports(&messages, context.continuous);
                let reports = reports.into_iter().map(|report| place(report, log.zero_ms, begin));
                let rows = messages.into_iter().skip(recent).map(|m| m.into_row(log.zero_ms, begin));
                reading.rows.push(RowSet::totals(rows));
                reading.rows.push(RowSet::totals(reports));
            }
            Err(error) => {
                for table in ["event", "kernel_report"] {
                    reading.lacks(table, &error, "run where /dev/kmsg is, outside a container");
                }
            }
        }
        reading
    }
}

impl Kmsg {
    /// The log to report, and the number of the first message since the window began, where that is
    /// known. A recorder reads what came since the reading before; it has what came earlier.
    fn log(&mut self, context: &ReadContext) -> Result<(KernelLog, Option<i64>), HostError> {
        let host = context.host;
        let Some(place) = &mut self.place else {
            if context.continuous {
                self.place = Some(host.kernel_log_from_now()?);
                return Ok((KernelLog { records: Vec::new(), zero_ms: 0 }, None));
            }
            return Ok((host.kernel_log()?, None));
        };
        let since = place.read()?;
        let first_new = parse(&since.records).value.first().map(|message| message.sequence);
        if context.continuous || (first_new.is_none() && !context.asked) {
            return Ok((since, first_new));
        }
        // None came, but the whole log may already hold what comes after the window.
        Ok((host.kernel_log()?, Some(first_new.unwrap_or(i64::MAX))))
    }

    /// The reports in what was read. A recorder reads on: what has not ended goes on in its next reading, unless nothing came.
    fn reports(&mut self, messages: &[Message], is_continuous: bool) -> Vec<KernelReportRow> {
        for message in messages {
            self.reports.take(&LogLine {
                number: message.sequence,
                ms: Some(message.time_us / 1000),
                caller: message.caller.as_deref(),
                text: &message.text,
            });
        }
        if !is_continuous || messages.is_empty() {
            self.reports.close();
        }
        self.reports.ended()
    }
}

/// A report as a row: until here its time is the log's.
fn place(report: KernelReportRow, zero_ms: i64, begin: Begin) -> KernelReportRow {
    let event_ms = report.event_ms.and_then(|ms| zero_ms.checked_add(ms));
    let in_window = begin.holds(report.sequence, event_ms);
    KernelReportRow { event_ms, in_window, ..report }
}

/// What tells messages of the window from those before it. The number of the first is certain;
/// the log's clock may be a second off.
#[derive(Clone, Copy, Debug, Default)]
struct Begin {
    first_new: Option<i64>,
    since_ms: Option<i64>,
}

impl Begin {
    fn holds(self, sequence: Option<i64>, event_ms: Option<i64>) -> Option<bool> {
        let by_number = self.first_new.zip(sequence).map(|(first, sequence)| sequence >= first);
        let by_clock = || self.since_ms.zip(event_ms).map(|(since, event)| event >= since);
        by_number.or_else(by_clock)
    }
}

/// One message of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Facility times eight, plus level.
    pub priority: i64,
    /// Number of the message.
    pub sequence: i64,
    /// Microseconds of the log's clock.
    pub time_us: i64,
    /// Who wrote it, of kernels that say so (CONFIG_PRINTK_CALLER): `T` and a thread, or `C` and a CPU.
    pub caller: Option<String>,
    /// Text, control characters undone.
    pub text: String,
}

impl Message {
    fn into_row(self, zero_ms: i64, begin: Begin) -> EventRow {
        let event_ms = zero_ms.checked_add(self.time_us / 1000);
        EventRow {
            sequence: Some(self.sequence),
            event_ms,
            in_window: begin.holds(Some(self.sequence), event_ms),
            level: LEVELS.get((self.priority & 7) as usize).map(|level| Text::from(*level)),
            facility: facility(self.priority >> 3),
            message: Some(self.text.into()),
        }
    }
}

fn facility(number: i64) -> Option<Text> {
    let named = usize::try_from(number).ok().and_then(|at| FACILITIES.get(at));
    match named {
        Some(name) => Some(Text::from(*name)),
        None => (16..24).contains(&number).then(|| Text::from(format!("local{}", number - 16))),
    }
}

/// Reads records that stand one after the other, oldest first.
pub fn parse(records: &[u8]) -> Parsed<Vec<Message>> {
    let mut parsed = Parsed::<Vec<Message>>::default();
    for (line, content) in lines(parsed.whole_lines(records)) {
        // A property such as ` SUBSYSTEM=acpi`.
        if content.starts_with(b" ") {
            continue;
        }
        match record(content) {
            // Kernels up to 4.x hand out a line that was printed in pieces as records of their
            // own, flagged `c` and then `+`.
            Some((message, true)) => match parsed.value.last_mut() {
                Some(last) => last.text.push_str(&message.text),
                None => parsed.value.push(message),
            },
            Some((message, false)) => parsed.value.push(message),
            None => parsed.error(ParseError::new(
                line,
                "record",
                content,
                "priority,sequence,microseconds,flags;text",
            )),
        }
    }
    parsed
}

/// The message, and whether it goes on where the last one ended.
fn record(content: &[u8]) -> Option<(Message, bool)> {
    let semicolon = content.iter().position(|b| *b == b';')?;
    let (prefix, rest) = content.split_at(semicolon);
    let mut prefix = prefix.split(|b| *b == b',');
    let mut message = Message {
        priority: count(prefix.next()?)?,
        sequence: count(prefix.next()?)?,
        time_us: count(prefix.next()?)?,
        caller: None,
        text: unescape(&text(&rest[1..])),
    };
    let goes_on = prefix.next()? == b"+";
    let caller = prefix.next().and_then(|more| more.strip_prefix(b"caller="));
    message.caller = caller.map(|caller| text(caller).into_owned());
    Some((message, goes_on))
}

/// The kernel writes bytes that are no printable ASCII as `\x0a`.
fn unescape(escaped: &str) -> String {
    if !escaped.contains("\\x") {
        return escaped.to_owned();
    }
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(1..3).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if *first == b'\\' && after[0] == b'x' => {
                bytes.push(byte);
                rest = &after[3..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Namespaces;

    fn texts(records: &[u8]) -> Vec<String> {
        parse(records).value.into_iter().map(|message| message.text).collect()
    }

    #[test]
    fn pieces_are_joined_and_properties_left_out() {
        let records =
            b"6,1,5,c;Freeing\n4,2,6,+; memory\n3,3,7,-;sda: error\n SUBSYSTEM=block\n DEVICE=b8:0\n\
                        30,4,8,-,caller=T1;from a daemon\n";
        assert_eq!(texts(records), ["Freeingmemory", "sda: error", "from a daemon"]);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(texts(b"6,1,5,-;a\\x0ab\\xc3\\xa9 \\x5cx \\xzz \\x4\n"), ["a\nb\u{e9} \\x \\xzz \\x4"]);
    }

    #[test]
    fn damaged_records_are_said_and_left_out() {
        let parsed = parse(b"x,1,5,-;a\n6,2,5;no flags\n6,3,5,-;good\nno record\n6,4,5,-;cut o");
        let lines: Vec<_> = parsed.errors.iter().map(|e| e.line).collect();
        assert_eq!(lines, [5, 1, 2, 4]);
        assert_eq!(parsed.value.len(), 1);
    }

    #[test]
    fn the_begin_of_a_window_is_a_position_in_the_log() {
        let (host, namespaces) = (Host::live(), Namespaces::default());
        if !host.kernel_log().is_ok_and(|log| !log.records.is_empty()) {
            return heldup_skip::skipped("/dev/kmsg cannot be read here, or is empty");
        }
        let context = ReadContext::new(&host, &namespaces);
        let read = |source: &mut Kmsg, context| {
            let in_window = source.read(context).rows.remove(0).bools("in_window").to_vec();
            (in_window.len(), in_window.contains(&Some(false)), in_window.contains(&Some(true)))
        };
        let begun = || {
            let mut source = Kmsg::default();
            source.begin(&host);
            source
        };
        let (rows, _, came) = read(&mut begun(), &context);
        assert!(rows == 0 || came, "the log is read as context of what came, of which there is none");
        let asked = ReadContext { asked: true, ..context };
        let (_, is_before, _) = read(&mut begun(), &asked);
        assert!(is_before, "the whole log is asked for");
        let recorder = ReadContext { continuous: true, ..context };
        let (_, is_before, _) = read(&mut begun(), &recorder);
        assert!(!is_before, "a recorder reads what came since");
    }

    #[test]
    fn a_report_goes_on_in_the_next_sample_of_a_recorder() {
        let mut source = Kmsg::default();
        let read = |source: &mut Kmsg, records: &[u8], is_continuous| {
            let reports = source.reports(&parse(records).value, is_continuous);
            reports
                .into_iter()
                .map(|report| place(report, 1000, Begin { first_new: Some(8), since_ms: None }))
        };
        let head = b"3,7,2500000,-,caller=T40;INFO: task dd:77 blocked for more than 122 seconds.\n\
            6,8,2500010,-,caller=T40;task:dd              state:D stack:0     pid:77    ppid:1\n";
        let end = b"6,9,2500020,-,caller=T40;Call Trace:\n6,10,2500021,-,caller=T40; io_schedule+0x1/0x2\n\
            6,11,2500022,-,caller=T40; some_wait+0x1/0x2\n";
        assert_eq!(read(&mut source, head, true).count(), 0);
        assert_eq!(read(&mut source, end, true).count(), 0);
        let rows: Vec<KernelReportRow> = read(&mut source, b"", true).collect();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].event_ms, rows[0].in_window), (Some(3500), Some(false)));
        assert_eq!(rows[0].function_name.as_deref(), Some("some_wait"));
        // Whoever examines once has no next sample.
        assert_eq!(read(&mut source, head, false).count(), 1);
    }

    #[test]
    fn rows_say_level_facility_and_window() {
        let message =
            Message { priority: 30, sequence: 4, time_us: 2_500_000, caller: None, text: "x".to_owned() };
        let since = |since_ms| Begin { first_new: None, since_ms: Some(since_ms) };
        let row = message.clone().into_row(1000, since(3500));
        assert_eq!((row.event_ms, row.in_window), (Some(3500), Some(true)));
        assert_eq!((row.level.as_deref(), row.facility.as_deref()), (Some("info"), Some("daemon")));
        assert_eq!(message.clone().into_row(1000, since(3501)).in_window, Some(false));
        let numbered = Begin { first_new: Some(4), since_ms: Some(3501) };
        assert_eq!(message.into_row(1000, numbered).in_window, Some(true), "the number is certain");
        assert_eq!(facility(17).as_deref(), Some("local1"));
        assert_eq!(facility(13), None);
    }
}
