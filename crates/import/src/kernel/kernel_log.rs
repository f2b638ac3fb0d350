//! What the kernel wrote to its log: `dmesg`, syslog, the journal, or a report that somebody copied
//! without what stands before its lines.
//!
//! Every line is a row of `event`, as `/dev/kmsg` gives it on the machine itself. Reports of memory
//! fill `zone`, `buddy`, `memory`, `vmstat` and `process` besides, stacks `stack`, troubles that it reports `kernel_report`. Lines that say when and
//! by whom they were written are taken as they come; others only where a report has begun.

use heldup_model::tables::{BuddyRow, EventRow, MemoryRow, ProcessRow, StackRow, VmstatRow, ZoneRow};
use heldup_model::{Class, Record, TableDef};
use heldup_sources::kernel_report::places::{class_of_whole_stack, waits};
use heldup_sources::kernel_report::stack_line::{Frame, Shown, frame, opens, shown};
use heldup_sources::kernel_report::{KernelReports, LogLine, begins_report};
use jiff::civil::Date;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::kernel::journal_entries::{Entries, Taken};
use crate::kernel::journal_json::Entry;
use crate::kernel::kernel_line::{At, KernelLine, LEVELS};
use crate::kernel::memory_report::{PAGE_BYTES, Said, Table, begins, goes_on_in, said};
use crate::kernel::report_rows::put_reports;
use crate::kernel::telling::{is_telling, is_told_by_daemon};
use crate::profilers::stack_meaning::meaning;
use crate::table::sheets::{Key, RowAt, When};
use crate::text::civil::DAY_S;

const NAME: &str = "kernel log";
/// Lines that a report without times may have between two that are known.
const LONGEST_GAP: u64 = 8;

/// Lines of a report that say nothing of memory, one after the other: the stack of who asked for it.
const LONGEST_PAUSE: u64 = 100;

/// Lines of registers and code between a task on a CPU and its functions.
const LONGEST_REGISTERS: u64 = 24;

/// Reads logs of the kernel.
#[derive(Default)]
pub struct KernelLog {
    is_begun: bool,
    /// Of lines that say nothing of their time: the last one that was known.
    last_line: u64,
    report: Option<Report>,
    stack: Option<Stack>,
    /// A line about a hung task, until its stack comes.
    hung: Option<Shown>,
    /// Where the boot is on the recording's own time line, in ms.
    boot_ms: Option<i64>,
    year: Option<i16>,
    /// An entry of the journal that takes several lines.
    entries: Entries,
    last_entry: Option<u64>,
    /// Troubles that the kernel reports.
    reports: KernelReports,
    is_timed: bool,
    /// The moment of lines that say nothing of their time.
    moment: Option<When>,
    last: Option<When>,
}

/// A report of memory.
struct Report {
    when: When,
    /// A zone was told of: what begins now is the next report.
    has_zones: bool,
    zone: Option<RowAt>,
    headings: Vec<String>,
    /// The last line that belongs to it.
    last_line: u64,
}

/// A task whose functions are being printed.
struct Stack {
    task: Shown,
    functions: Vec<String>,
    /// Those that the kernel itself doubts.
    doubted: Vec<String>,
    line: u64,
    /// The last line that was one of its functions.
    last_line: u64,
    when: When,
}

impl Importer for KernelLog {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.take_entry(line, document)? {
            return Ok(true);
        }
        let entry = Entry::of(line.text);
        let read = entry.as_ref().map_or_else(|| KernelLine::of(line.text), Entry::line);
        let is_known = read.is_kernel
            || (read.is_daemon && is_told_by_daemon(read.text))
            || is_telling(read.text)
            || begins(read.text)
            || is_kill(read.text)
            || opens(read.text)
            || begins_report(read.text)
            || matches!(said(read.text), Some(Said::Zone { .. } | Said::Blocks { .. }));
        // A number in brackets alone is nobody's message.
        if !is_known || read.text.trim().is_empty() {
            return Ok(false);
        }
        self.begin(line.number, document)?;
        self.take(line, &read, document)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.take_entry(line, document)? {
            return Ok(true);
        }
        let entry = Entry::of(line.text);
        let read = entry.as_ref().map_or_else(|| KernelLine::of(line.text), Entry::line);
        if read.is_kernel || (read.is_daemon && is_told_by_daemon(read.text)) {
            self.take(line, &read, document)?;
            return Ok(true);
        }
        let is_near = line.number <= self.last_line + LONGEST_GAP;
        let is_known = is_kill(read.text)
            || is_telling(read.text)
            || begins_report(read.text)
            || said(read.text).is_some()
            || !goes_on_in(read.text).is_empty()
            || opens(read.text)
            || shown(read.text).is_some()
            || (self.stack.is_some() && frame(read.text).is_some());
        // A time of few decimals does not tell whose line it is; one of syslog is somebody else's.
        let is_of_others = !matches!(read.at, At::Nothing | At::Boot(_));
        if is_of_others || !is_near || !is_known {
            return Ok(false);
        }
        self.take(line, &read, document)?;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let last = self.entries.close();
        self.end_entry(last, document)?;
        self.leave(document)
    }
}

impl KernelLog {
    fn begin(&mut self, number: u64, document: &mut Document) -> Result<(), ImportError> {
        if !self.is_begun || number > self.last_line + LONGEST_GAP {
            self.leave(document)?;
            document.begin(NAME);
            self.is_begun = true;
        }
        Ok(())
    }

    /// Whether a line is of an entry of the journal that takes several.
    fn take_entry(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        match self.entries.take(line.text, line.number) {
            Taken::Not => Ok(false),
            Taken::Within => Ok(true),
            ended => {
                // Behind an export anything may stand: only a brace ends an entry itself.
                let is_of_it = matches!(ended, Taken::Next(..)) || line.text.trim_start().starts_with('}');
                self.end_entry(ended, document)?;
                Ok(is_of_it)
            }
        }
    }

    fn end_entry(&mut self, taken: Taken, document: &mut Document) -> Result<(), ImportError> {
        let (Taken::Ended(number, entry) | Taken::Next(number, entry)) = taken else { return Ok(()) };
        let read = entry.line();
        if !(read.is_kernel || read.is_daemon && is_told_by_daemon(read.text)) {
            return Ok(());
        }
        // Entries are counted as lines are, however many each of them takes: reports go over several.
        let number = self.last_entry.map_or(number, |last| last + 1);
        self.last_entry = Some(number);
        self.begin(number, document)?;
        self.take(&Line { number, words: &[], text: "", is_cut: false }, &read, document)
    }

    fn take(
        &mut self,
        line: &Line<'_>,
        read: &KernelLine<'_>,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        self.last_line = line.number;
        if let Some(host) = read.host {
            document.host_told(host);
        }
        let told = said(read.text);
        let is_anew = told.is_some() && begins(read.text);
        let is_next = |report: &Report| report.has_zones && is_anew;
        if self.report.as_ref().is_none_or(is_next) && (is_anew || told.is_some()) {
            if self.report.is_some() {
                // Of the one before nothing more can come, however many follow each other.
                document.sheets.settle()?;
                self.moment = None;
            }
            let when = self.when(read.at, document);
            let last_line = line.number;
            self.report =
                Some(Report { when, has_zones: false, zone: None, headings: Vec::new(), last_line });
        }
        if let Some(report) = self.report.as_mut() {
            if told.is_some() {
                report.last_line = line.number;
            } else if line.number > report.last_line + LONGEST_PAUSE {
                self.report = None;
            }
        }
        let of_report = self.report.as_ref().filter(|_| read.at == At::Nothing).map(|report| report.when);
        let when = match of_report {
            Some(when) => when,
            None => self.when(read.at, document),
        };
        self.last = Some(when);
        self.event(line.number, when, read, document);
        self.take_report(line.number, when, read, document);
        self.take_stack(line.number, when, read.text, document);
        if let Some(told) = told {
            self.take_memory(told, line, document);
        } else if let Some(Report { zone: Some(row), .. }) = self.report {
            for (column, pages) in goes_on_in(read.text) {
                set(document, ZoneRow::DEF, row, column, pages);
            }
        }
        if let Some((pid, anon_kib)) = killed(read.text) {
            let when = self.report.as_ref().map_or(when, |report| report.when);
            if let Some(kib) = anon_kib {
                let row = task_row(pid, when, document);
                set(document, ProcessRow::DEF, row, "anon_bytes", kib * 1024.0);
            }
            // What follows without a time of its own belongs to the next one.
            self.report = None;
        }
        if self.report.is_none() {
            document.end_sample(NAME)?;
        }
        Ok(())
    }

    fn take_report(&mut self, number: u64, when: When, read: &KernelLine<'_>, document: &mut Document) {
        // Where lines have times, one without is what is left of one that another broke.
        self.is_timed |= read.at != At::Nothing;
        if self.is_timed && read.at == At::Nothing && !read.is_kernel {
            return;
        }
        let line = LogLine { number: number as i64, ms: Some(when.ms), caller: read.caller, text: read.text };
        self.reports.take(&line);
        if self.reports.has_ended() {
            put_reports(self.reports.ended(), when.floats, document);
        }
    }

    fn event(&mut self, number: u64, when: When, read: &KernelLine<'_>, document: &mut Document) {
        let row = document.sheets.row(EventRow::DEF, when, Key::Number(number as i64));
        let at = |name| EventRow::DEF.position(name);
        let sheets = &mut document.sheets;
        if let (false, Some(column)) = (when.floats, at("event_ms")) {
            sheets.set(row, column, when.ms as f64);
        }
        if let Some(column) = at("in_window") {
            sheets.set_bool(row, column, true);
        }
        if let Some(level) = read.level.and_then(|level| LEVELS.get(level)) {
            sheets.set_text(row, at("level"), level);
        }
        sheets.set_text(row, at("facility"), if read.is_daemon { "daemon" } else { "kern" });
        if let Some(column) = at("message") {
            sheets.set_message(row, column, read.text);
        }
    }

    fn take_memory(&mut self, told: Said<'_>, line: &Line<'_>, document: &mut Document) {
        let Some(report) = self.report.as_mut() else { return };
        let when = report.when;
        match told {
            Said::Begins => {}
            Said::Zone { node, zone, columns } => {
                report.has_zones = true;
                let row = place_row(ZoneRow::DEF, when, node, zone, None, document);
                report.zone = Some(row);
                for (column, pages) in columns {
                    set(document, ZoneRow::DEF, row, column, pages);
                }
            }
            Said::Blocks { node, zone, blocks } => {
                for (order, (bytes, count)) in blocks.into_iter().enumerate() {
                    let row = place_row(BuddyRow::DEF, when, node, zone, Some(order), document);
                    set(document, BuddyRow::DEF, row, "block_bytes", bytes);
                    set(document, BuddyRow::DEF, row, "free_blocks", count);
                }
            }
            Said::Totals(all) => {
                for (table, column, value) in all {
                    let def = match table {
                        Table::Memory => MemoryRow::DEF,
                        Table::Vmstat => VmstatRow::DEF,
                    };
                    let row = document.sheets.row(def, when, Key::Host);
                    set(document, def, row, column, value);
                }
                document
                    .note_text("kernel log: page size of 4096 bytes assumed in memory reports".to_owned());
            }
            Said::TaskHeadings(headings) => {
                report.headings = headings.into_iter().map(str::to_owned).collect();
            }
            Said::Task(words) => {
                let headings = std::mem::take(&mut report.headings);
                task(&headings, &words, when, line.number, document);
                report.headings = headings;
            }
        }
    }

    /// Functions of a task, until something else comes.
    fn take_stack(&mut self, number: u64, when: When, text: &str, document: &mut Document) {
        if let Some(task) = shown(text) {
            self.put_stack(document);
            if task.waited_s.is_some() {
                self.hung = Some(task);
                return;
            }
            let waited_s =
                self.hung.take().filter(|hung| hung.pid == task.pid).and_then(|hung| hung.waited_s);
            let task = Shown { waited_s, ..task };
            self.stack = Some(Stack {
                task,
                functions: Vec::new(),
                doubted: Vec::new(),
                line: number,
                last_line: number,
                when,
            });
            return;
        }
        let Some(stack) = self.stack.as_mut() else { return };
        let is_empty = stack.functions.is_empty() && stack.doubted.is_empty();
        let trimmed = text.trim_start();
        match frame(text) {
            Some(Frame::Mark) if trimmed.starts_with("</TASK>") => self.put_stack(document),
            Some(Frame::Mark) => {}
            Some(Frame::Doubted(name)) => {
                stack.doubted.push(name.to_owned());
                stack.last_line = number;
            }
            Some(Frame::Sure(name)) => {
                stack.functions.push(name.to_owned());
                stack.last_line = number;
            }
            None if !is_empty && (trimmed.starts_with("Call Trace") || trimmed.starts_with("Code:")) => {
                self.put_stack(document);
            }
            // What stands between a task and its functions, and what others printed among them.
            None if number <= stack.last_line + LONGEST_REGISTERS => {}
            None => self.put_stack(document),
        }
    }

    fn put_stack(&mut self, document: &mut Document) {
        let Some(mut stack) = self.stack.take() else { return };
        // Kernels that cannot walk their stacks doubt all of it: then it is shown, and no class told by it.
        let is_sure = !stack.functions.is_empty();
        if !is_sure {
            stack.functions = std::mem::take(&mut stack.doubted);
        }
        if stack.functions.is_empty() {
            return;
        }
        let row = document.sheets.row(StackRow::DEF, stack.when, Key::Nth(stack.line as i64));
        let functions: Vec<&str> = stack.functions.iter().map(String::as_str).collect();
        let outermost_first: Vec<&str> = functions.iter().rev().copied().collect();
        let kind = if stack.task.runs { "cpu" } else { "wait" };
        let told = meaning(&functions);
        let waits_for = class_of_whole_stack(&functions).filter(|_| is_sure && !stack.task.runs);
        let asker = told.asker.filter(|_| waits_for.is_some());
        // Of other waits the function says where.
        let slept = if is_sure {
            0
        } else {
            // What the kernel doubts may be left over from before the task went to sleep.
            let of_scheduler = |name: &&str| name.contains("schedule");
            functions.iter().take(12).rposition(of_scheduler).map_or(0, |at| at + 1)
        };
        let place =
            waits(functions.get(slept..).unwrap_or_default()).filter(|_| !stack.task.runs && asker.is_none());
        let texts = [
            ("kind", Some(kind)),
            ("name", stack.task.name.as_deref()),
            ("kernel_stack", Some(outermost_first.join(";").as_str())),
            ("class_name", waits_for.map(Class::name)),
            ("object_kind", asker.map(|_| "lock").or(place.map(|_| "function"))),
            ("object_name", asker.or(place)),
            ("syscall", told.syscall),
        ]
        .map(|(column, text)| (column, text.map(str::to_owned)));
        if let Some((column, is_kernel)) = StackRow::DEF.position("kernel_thread").zip(told.is_kernel) {
            document.sheets.set_bool(row, column, is_kernel);
        }
        for (column, text) in texts {
            if let Some((column, text)) = StackRow::DEF.position(column).zip(text) {
                document.sheets.set_text(row, Some(column), &text);
            }
        }
        let numbers = [
            ("tid", stack.task.pid.map(|pid| pid as f64)),
            // What the kernel prints of a task that runs is no sample of where CPU time goes.
            ("samples", (!stack.task.runs).then_some(1.0)),
            ("seconds", stack.task.waited_s),
        ];
        for (column, value) in numbers {
            if let Some(value) = value {
                set(document, StackRow::DEF, row, column, value);
            }
        }
    }

    /// What one listing began is over.
    fn leave(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.put_stack(document);
        self.reports.close();
        let floats = self.last.is_some_and(|when| when.floats);
        put_reports(self.reports.ended(), floats, document);
        self.moment = None;
        self.hung = None;
        // A report whose last lines were cut off is a sample all the same.
        match self.report.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }

    /// The instant of a line.
    fn when(&mut self, at: At, document: &mut Document) -> When {
        let wall = |ms| When { ms, secs: None, floats: false };
        let with_part = |ms: i64, seconds: f64| ms + ((seconds - seconds.floor()) * 1000.0).round() as i64;
        match at {
            At::Nothing => *self.moment.get_or_insert_with(|| document.floating(None)),
            At::After(seconds) => match self.last {
                Some(last) => When { ms: last.ms + (seconds * 1000.0).round() as i64, ..last },
                None => *self.moment.get_or_insert_with(|| document.floating(None)),
            },
            At::Boot(seconds) => {
                let first = self.boot_ms.is_none();
                let ms = (seconds * 1000.0).round() as i64;
                let zero = *self.boot_ms.get_or_insert_with(|| document.floating(None).ms - ms);
                if first {
                    document.note_text(
                        "kernel log: times are seconds since boot; the boot time is not in it".to_owned(),
                    );
                }
                document.float_at(zero + ms)
            }
            At::Unix(seconds) => wall((seconds * 1000.0).round() as i64),
            At::Wall(day, seconds, zone) => {
                wall(with_part(document.instant_ms(day, seconds.floor() as i64, zone), seconds))
            }
            At::OfYear(month, day, seconds) => match self.dated(month, day, document) {
                Some(day) => wall(with_part(document.instant_ms(day, seconds.floor() as i64, None), seconds)),
                None => document.floating(None),
            },
        }
    }

    /// The day of a line that tells no year: the last such day before the file was written.
    fn dated(&mut self, month: i8, day: i8, document: &mut Document) -> Option<Date> {
        let written = Date::constant(1970, 1, 1)
            .checked_add(jiff::Span::new().days(document.hints.latest_ms().div_euclid(1000 * DAY_S)))
            .ok()?;
        let year = match self.year {
            Some(year) => year,
            None => {
                let is_later = (month, day) > (written.month(), written.day());
                let year = written.year() - i16::from(is_later);
                document.assume_year();
                *self.year.insert(year)
            }
        };
        Date::new(year, month, day).ok()
    }
}

/// Lines that say that a process was killed for memory.
fn is_kill(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    (lower.starts_with("out of memory:") || lower.starts_with("memory cgroup out of memory:"))
        && lower.contains("kill")
        || lower.starts_with("killed process ")
}

/// The process of a line that says that it is dead, and its private memory in kB where that is told.
fn killed(text: &str) -> Option<(i64, Option<f64>)> {
    let (_, rest) = text.split_once("illed process ")?;
    let pid: i64 = rest.split([' ', '(', ',']).next()?.parse().ok()?;
    let anon = rest.split_once("anon-rss:").and_then(|(_, rest)| rest.split_once("kB"));
    Some((pid, anon.and_then(|(kib, _)| kib.parse().ok())))
}

fn set(document: &mut Document, def: &'static TableDef, row: RowAt, column: &str, value: f64) {
    if let Some(column) = def.position(column) {
        document.sheets.set(row, column, value);
    }
}

/// A row of a zone, or of blocks of one size in it.
fn place_row(
    def: &'static TableDef,
    when: When,
    node: i64,
    zone: &str,
    order: Option<usize>,
    document: &mut Document,
) -> RowAt {
    let identity = format!("{node} {zone} {}", order.map_or(String::new(), |order| order.to_string()));
    let row = document.sheets.row(def, when, Key::Identity(&identity));
    set(document, def, row, "node_idx", node as f64);
    if let Some(column) = def.position("zone") {
        document.sheets.set_text(row, Some(column), zone);
    }
    if let Some(order) = order {
        set(document, def, row, "page_order", order as f64);
    }
    row
}

fn task_row(pid: i64, when: When, document: &mut Document) -> RowAt {
    document.sheets.row(ProcessRow::DEF, when, Key::Number(pid))
}

/// Pages of the columns of the list of tasks; `rss` is with files before the kernel tells them apart.
const TASK: [(&str, &str, f64); 8] = [
    ("uid", "uid", 1.0),
    ("total_vm", "virtual_bytes", PAGE_BYTES),
    ("rss", "resident_bytes", PAGE_BYTES),
    ("rss_anon", "anon_bytes", PAGE_BYTES),
    ("swapents", "swap_bytes", PAGE_BYTES),
    ("oom_score_adj", "oom_score_adj", 1.0),
    ("oom_adj", "oom_score_adj", 1.0),
    ("pid", "pid", 1.0),
];

/// A row of the list of tasks.
fn task(headings: &[String], words: &[&str], when: When, line: u64, document: &mut Document) {
    let pid = words.first().and_then(|pid| pid.parse::<i64>().ok());
    let (Some(pid), true) = (pid, words.len() >= headings.len() && !headings.is_empty()) else {
        if !headings.is_empty() {
            let what =
                format!("kernel log: {} words of a task; expected {}", words.len(), headings.join(" "));
            document.flaw(line, what);
        }
        return;
    };
    let row = task_row(pid, when, document);
    for (heading, word) in headings.iter().zip(words) {
        let known = TASK.iter().find(|(name, ..)| name == heading);
        if let (Some((_, column, factor)), Ok(value)) = (known, word.parse::<f64>()) {
            set(document, ProcessRow::DEF, row, column, value * factor);
        }
    }
    // A name may have blanks in it, and is the last column.
    let name = words.get(headings.len() - 1..).unwrap_or_default().join(" ");
    if let Some(column) = ProcessRow::DEF.position("name") {
        document.sheets.set_text(row, Some(column), &name);
    }
}
