//! Troubles that the kernel reports in its log over several lines: hung tasks, lockups, RCU stalls, failed allocations, OOM
//! kills and errors of the hardware. Becomes the table `kernel_report`, for the log of the running machine and for recorded
//! ones alike.
//!
//! A report ends at its own end, at the next one of the same writer, or where the log goes on much later; lines between that
//! belong to something else do not end it. Reports of several CPUs at once are kept apart by what a line says of its task or
//! CPU, and by the writer of the line where the log has it (`[   C1]`, `caller=T77`); functions that could be of two are
//! of neither. What was cut off is a report as far as it goes.

pub mod hardware;
pub mod heads;
pub mod oom;
pub mod places;
pub mod stack_line;
mod ticks;

use heldup_model::Text;
use heldup_model::tables::KernelReportRow;

use crate::kernel_report::hardware::{HardwareLine, hardware_line};
use crate::kernel_report::heads::{head, holder, is_candidate, kind, stall};
use crate::kernel_report::oom::{OomLine, oom_line};
use crate::kernel_report::places::{class_of_whole_stack, runs, waits};
use crate::kernel_report::stack_line::{Frame, frame, runs_in, shown};
use crate::kernel_report::ticks::Ticks;

/// Reports that may be open at once: each CPU of a large machine may find itself stuck.
const MOST_OPEN: usize = 64;
/// A report is printed at once; a serial line of 9600 baud needs ten seconds for a hundred lines of it.
const LONGEST_PAUSE_MS: i64 = 15_000;
/// Lines about one error of the hardware are printed together.
const ONE_ERROR_MS: i64 = 1_000;
/// Marks behind the functions of an interrupt.
const INTERRUPT_ENDS: [&str; 5] = ["<EOI>", "</IRQ>", "</NMI>", "<EOE>", "<<EOE>>"];
/// Functions of a stack that are kept.
const MOST_FUNCTIONS: usize = 64;

/// Whether a line begins a report that nobody else writes: such a line may stand alone in a mail.
pub fn begins_report(text: &str) -> bool {
    if !is_candidate(text) {
        return false;
    }
    head(text).is_some_and(|report| report.pid.is_some() || report.kind.as_deref() != Some(kind::HUNG_TASK))
        || matches!(oom_line(text), Some(OomLine::Begins(_) | OomLine::Killed(_)))
}

/// A line of the kernel log.
#[derive(Clone, Copy, Debug)]
pub struct LogLine<'a> {
    /// Its number.
    pub number: i64,
    /// When it was written, in milliseconds; only differences count.
    pub ms: Option<i64>,
    /// Who wrote it: a task or a CPU, where the log has it.
    pub caller: Option<&'a str>,
    /// The message.
    pub text: &'a str,
}

/// Gathers the lines of reports.
#[derive(Debug, Default)]
pub struct KernelReports {
    open: Vec<Open>,
    done: Vec<KernelReportRow>,
    /// Stalls of which only ticks are known: what a tick is may come later.
    unmeasured: Vec<KernelReportRow>,
    ticks: Ticks,
    /// Of an OOM report that killed: what the next line about a death has in common with it.
    killed: Option<KernelReportRow>,
}

#[derive(Debug)]
struct Open {
    report: KernelReportRow,
    caller: Option<String>,
    functions: Vec<String>,
    doubted: Vec<String>,
    /// The functions that follow are its own.
    is_printed: bool,
    /// It had its stack.
    is_shown: bool,
    /// Its lines and those of another cannot be told apart.
    is_mixed: bool,
    /// A mark says where a stack ends.
    is_marked: bool,
    ms: Option<i64>,
}

impl KernelReports {
    /// Takes a line. Those of a report keep its number and time in `sequence` and `event_ms`.
    pub fn take(&mut self, line: &LogLine<'_>) {
        for text in line.text.split('\n') {
            self.take_text(&LogLine { text, ..*line });
        }
    }

    /// Whether there are reports that have ended.
    pub fn has_ended(&self) -> bool {
        !self.done.is_empty()
    }

    /// The reports that have ended since the last call.
    pub fn ended(&mut self) -> Vec<KernelReportRow> {
        std::mem::take(&mut self.done)
    }

    /// Ends all: of what is still open no more is known.
    pub fn close(&mut self) {
        for open in std::mem::take(&mut self.open) {
            self.end(open);
        }
        for mut report in std::mem::take(&mut self.unmeasured) {
            report.duration_s = report.stalled_jiffies.and_then(|ticks| self.ticks.seconds(None, ticks));
            self.done.push(report);
        }
    }

    fn close_where(&mut self, is_over: impl Fn(&Open) -> bool) {
        let mut at = 0;
        while at < self.open.len() {
            if self.open.get(at).is_some_and(&is_over) {
                let open = self.open.remove(at);
                self.end(open);
            } else {
                at += 1;
            }
        }
    }

    fn take_text(&mut self, line: &LogLine<'_>) {
        self.ticks.take(line.text);
        if !self.open.is_empty() {
            if let Some(ms) = line.ms {
                self.close_where(|open| open.ms.is_some_and(|last| last < ms - LONGEST_PAUSE_MS));
            }
            // Lists of thousands of tasks stand in it, and its end is still to come.
            if let Some(open) = self.open_of(kind::OOM) {
                open.ms = line.ms;
            }
        }
        if is_candidate(line.text) {
            if let Some(report) = head(line.text) {
                return self.begin(report, line);
            }
            if let Some(told) = oom_line(line.text) {
                return self.take_oom(told, line);
            }
            if let Some(told) = hardware_line(line.text) {
                return self.take_hardware(told, line);
            }
        }
        if !self.open.is_empty() {
            return self.take_more(line);
        }
        // Of a lockup whose head was lost the interrupt that found it is left.
        if line.text.contains("watchdog_overflow_callback") && frame(line.text).is_some() {
            self.push(heads::of_kind(kind::HARD_LOCKUP), line);
        }
    }

    fn begin(&mut self, report: KernelReportRow, line: &LogLine<'_>) {
        let is_kind = |open: &&mut Open| open.report.kind == report.kind;
        if report.panicked == Some(true) {
            // The panic that follows a report is its outcome.
            if let Some(open) = self.open.iter_mut().rev().find(is_kind) {
                open.report.panicked = Some(true);
                return;
            }
        }
        if report.detail.as_deref() == Some("starved")
            && let Some(open) = self.open_of(kind::RCU_STALL)
        {
            // Why the stall that is open does not end, but where its CPU is said to idle.
            if open.report.detail.as_deref() != Some("idle") {
                open.report.detail = report.detail;
            }
            open.report.stalled_jiffies = open.report.stalled_jiffies.or(report.stalled_jiffies);
            return;
        }
        if report.kind.as_deref() == Some(kind::HUNG_TASK) && report.pid.is_none() {
            // `"echo 0 > …" disables this message.`: of the report that is open, or of one whose first line is missing.
            if self.open.iter_mut().any(|open| is_kind(&open) && !open.is_shown) {
                return;
            }
        }
        // A watchdog reports the same again only when it is done with the report before.
        let same = |open: &Open| {
            open.report.kind == report.kind
                && (report.kind.as_deref() != Some(kind::SOFT_LOCKUP)
                    && report.kind.as_deref() != Some(kind::HARD_LOCKUP)
                    || open.report.cpu == report.cpu
                    || open.is_shown && !open.is_printed)
        };
        self.close_where(same);
        self.push(report, line);
    }

    fn push(&mut self, mut report: KernelReportRow, line: &LogLine<'_>) {
        report.sequence = Some(line.number);
        report.event_ms = line.ms;
        if self.open.len() >= MOST_OPEN {
            let oldest = self.open.remove(0);
            self.end(oldest);
        }
        // Registers and functions may come without the line about their task.
        let prints =
            matches!(report.kind.as_deref(), Some(kind::SOFT_LOCKUP | kind::HARD_LOCKUP | kind::ALLOCATION));
        let is_printed = prints && self.printed(line.caller).is_none();
        self.open.push(Open {
            report,
            caller: line.caller.map(str::to_owned),
            functions: Vec::new(),
            doubted: Vec::new(),
            is_printed,
            is_shown: false,
            is_mixed: false,
            is_marked: false,
            ms: line.ms,
        });
    }

    fn open_of(&mut self, kind: &str) -> Option<&mut Open> {
        self.open.iter_mut().rev().find(|open| open.report.kind.as_deref() == Some(kind))
    }

    fn take_oom(&mut self, told: OomLine, line: &LogLine<'_>) {
        match told {
            OomLine::Begins(report) => {
                self.killed = None;
                self.close_where(|open| open.report.kind.as_deref() == Some(kind::OOM));
                self.push(*report, line);
            }
            OomLine::More(more) => {
                // These lines stand in OOM reports alone: of one without its head they are what is left.
                if self.open_of(kind::OOM).is_none() {
                    // Of a failed allocation the same memory report is printed.
                    if self.open_of(kind::ALLOCATION).is_some() && line.text.trim_start().starts_with("Node ")
                    {
                        return;
                    }
                    self.killed = None;
                    return self.push(*more, line);
                }
                if let Some(open) = self.open_of(kind::OOM) {
                    fill(&mut open.report, *more);
                }
            }
            OomLine::Chosen(report) => self.take_victim(*report, line, false),
            OomLine::Killed(report) => self.take_victim(*report, line, true),
            OomLine::NoVictim(report) => match self.open_of(kind::OOM) {
                Some(open) => {
                    let panicked = report.panicked.or(open.report.panicked);
                    open.report.detail = report.detail.clone();
                    open.report.panicked = panicked;
                    open.ms = line.ms;
                }
                None => self.push(*report, line),
            },
        }
    }

    /// A process is chosen, or dead.
    fn take_victim(&mut self, report: KernelReportRow, line: &LogLine<'_>, is_dead: bool) {
        if let Some(open) = self.open_of(kind::OOM) {
            open.ms = line.ms;
            if is_dead || open.report.pid.is_none() {
                // A child may die in the place of the chosen one.
                if open.report.pid != report.pid {
                    open.report.name = None;
                    open.report.pid = report.pid;
                }
            }
            fill(&mut open.report, report);
        } else {
            // One report may name several that die (`memory.oom.group`, threads of one memory).
            let context = self.killed.take().filter(|before| {
                before.event_ms.zip(line.ms).is_none_or(|(before, ms)| ms - before <= LONGEST_PAUSE_MS)
            });
            if is_dead && context.as_ref().is_some_and(|before| before.pid == report.pid) {
                // The same death, said twice.
                self.killed = context;
                return;
            }
            let mut report = report;
            if let Some(before) = context {
                let shared = KernelReportRow {
                    detail: before.detail,
                    cgroup: before.cgroup,
                    limit_bytes: before.limit_bytes,
                    dirty_bytes: before.dirty_bytes,
                    requester: before.requester,
                    page_order: before.page_order,
                    flags: before.flags,
                    ..KernelReportRow::default()
                };
                fill(&mut report, shared);
            }
            self.push(report, line);
        }
        if is_dead {
            let at = self.open.iter().rposition(|open| open.report.kind.as_deref() == Some(kind::OOM));
            if let Some(open) = at.map(|at| self.open.remove(at)) {
                self.killed = Some(KernelReportRow {
                    event_ms: line.ms,
                    sequence: Some(line.number),
                    ..open.report.clone()
                });
                self.end(open);
            }
        }
    }

    fn take_hardware(&mut self, told: HardwareLine, line: &LogLine<'_>) {
        let ms = line.ms;
        let is_near = |open: &Open| match ms.zip(open.ms) {
            Some((ms, last)) => ms - last <= ONE_ERROR_MS,
            None => true,
        };
        let open = self.open_of(kind::HARDWARE).filter(|open| is_near(open));
        let is_new = match &open {
            None => true,
            // What is logged stands before what is known of it, and behind what the processor said.
            Some(open) if told.begins => {
                told.report.device.is_some() && open.report.device.is_some()
                    || told.report.device.is_none()
                        && told.report.detail.is_none()
                        && open.report.device.is_none()
            }
            Some(open) => {
                let is_other = told.report.device.is_some()
                    && open.report.device.is_some()
                    && told.report.device != open.report.device;
                is_other
                    && !open
                        .report
                        .device
                        .as_deref()
                        .is_some_and(|device| device == "firmware" || device.ends_with(" error"))
            }
        };
        match open {
            Some(open) if !is_new => {
                open.ms = line.ms;
                let is_vague = |device: &str| device == "firmware" || device.ends_with(" error");
                if let (Some(device), true) =
                    (&told.report.device, open.report.device.as_deref().is_some_and(is_vague))
                {
                    open.report.device = Some(device.clone());
                }
                fill(&mut open.report, told.report);
            }
            _ if !told.begins && told.report.detail.is_none() => {}
            _ => {
                let report = told.report;
                self.close_where(|open| open.report.kind.as_deref() == Some(kind::HARDWARE));
                self.push(report, line);
            }
        }
    }

    /// A line of no head: it may be of a report that is open.
    fn take_more(&mut self, line: &LogLine<'_>) {
        if let Some((pid, name, holder)) = holder(line.text) {
            let is_of_it = |open: &&mut Open| {
                open.report.kind.as_deref() == Some(kind::HUNG_TASK) && open.report.pid == Some(pid)
            };
            if let Some(open) = self.open.iter_mut().find(is_of_it) {
                open.report.holder_name = Some(Text::from(name));
                open.report.holder_pid = Some(holder);
                // The stack of the holder comes next, and is not its own.
                open.is_printed = false;
            }
            return;
        }
        // Who asked was in a group that is at its limit: the lines that say so may be missing.
        if line.text.contains("mem_cgroup_oom") || line.text.contains("mem_cgroup_out_of_memory") {
            let is_call = frame(line.text).is_some();
            if let Some(open) = self.open_of(kind::OOM).filter(|_| is_call) {
                open.report.detail.get_or_insert_with(|| Text::from("group"));
            }
        }
        if let Some(open) = self.open_of(kind::RCU_STALL).filter(|open| !open.is_shown) {
            stall(line.text, &mut open.report);
        }
        if let Some(task) = shown(line.text) {
            return self.take_task(&task, line);
        }
        let text = line.text.trim_start();
        let Some(at) = self.printed(line.caller) else { return };
        let Some(open) = self.open.get_mut(at) else { return };
        open.ms = line.ms;
        if let Some(function) = runs_in(text) {
            if open.report.function_name.is_none() && open.functions.is_empty() && !open.is_mixed {
                open.report.function_name = Some(Text::from(function));
            }
            return;
        }
        let has_functions = !open.functions.is_empty() || !open.doubted.is_empty();
        if has_functions
            && (text.starts_with("Call Trace") || text.starts_with("Call trace") || text.starts_with("Code:"))
        {
            open.is_printed = false;
            return;
        }
        match frame(text) {
            Some(Frame::Mark) if text.starts_with("<TASK>") => open.is_marked = true,
            Some(Frame::Mark) if text.starts_with("</TASK>") => open.is_printed = false,
            Some(Frame::Mark) if INTERRUPT_ENDS.iter().any(|mark| text.starts_with(mark)) => {
                // What stands before is the interrupt that found it.
                open.functions.clear();
                open.doubted.clear();
            }
            Some(Frame::Sure(name)) if open.functions.len() < MOST_FUNCTIONS => {
                if INTERRUPT_ENDS.iter().any(|mark| text.starts_with(mark)) {
                    open.functions.clear();
                }
                open.functions.push(name.to_owned());
            }
            Some(Frame::Doubted(name)) if open.doubted.len() < MOST_FUNCTIONS => {
                open.doubted.push(name.to_owned())
            }
            _ => {}
        }
    }

    /// Whose functions a writer is printing.
    fn printed(&self, caller: Option<&str>) -> Option<usize> {
        let is_of = |open: &Open| {
            open.is_printed && (caller.is_none() || open.caller.is_none() || open.caller.as_deref() == caller)
        };
        self.open.iter().rposition(is_of)
    }

    /// A task is about to be printed.
    fn take_task(&mut self, task: &stack_line::Shown, line: &LogLine<'_>) {
        let before = self.printed(line.caller);
        let is_own = |open: &Open| {
            if open.is_shown {
                return false;
            }
            let is_pid = open.report.pid.is_some() && open.report.pid == task.pid;
            match open.report.kind.as_deref() {
                Some(kind::HUNG_TASK) => is_pid || open.report.pid.is_none() && !task.runs,
                Some(kind::SOFT_LOCKUP) => is_pid || open.report.pid.is_none() && open.report.cpu == task.cpu,
                Some(kind::HARD_LOCKUP) => open.report.cpu.is_none() || open.report.cpu == task.cpu,
                Some(kind::ALLOCATION) => {
                    task.runs
                        && open.report.name.as_deref().is_none_or(|name| Some(name) == task.name.as_deref())
                }
                // The first that is printed and runs is the one that did not go on.
                Some(kind::RCU_STALL) => {
                    // Its own thread did not go on either.
                    let is_of_rcu = task.name.as_deref().is_some_and(|name| name.starts_with("rcu_"));
                    task.runs
                        && task.pid != Some(0)
                        && !is_of_rcu
                        && (task.cpu.is_none() || open.report.cpu.is_none() || task.cpu == open.report.cpu)
                }
                _ => false,
            }
        };
        let own = self.open.iter().position(is_own);
        if let Some(before) = before.filter(|at| own != Some(*at)).and_then(|at| self.open.get_mut(at)) {
            let has_begun = !before.functions.is_empty() || !before.doubted.is_empty();
            // Its functions are still to come, or their end is.
            if own.is_some()
                && before.is_shown
                && line.caller.is_none()
                && (!has_begun || before.is_marked)
                && before.ms == line.ms
            {
                before.is_mixed = true;
            }
            before.is_printed = false;
        }
        let mixed = self.open.iter().any(|open| open.is_mixed && !open.is_printed && open.ms == line.ms);
        if let Some(open) = own.and_then(|at| self.open.get_mut(at)) {
            open.is_mixed = mixed;
            open.is_printed = true;
            open.is_shown = true;
            open.ms = line.ms;
            if let Some(caller) = line.caller {
                open.caller = Some(caller.to_owned());
            }
            open.report.pid = open.report.pid.or(task.pid);
            open.report.cpu = open.report.cpu.or(task.cpu);
            if open.report.name.is_none() {
                open.report.name = task.name.as_deref().map(Text::from);
            }
        }
    }

    /// What was gathered of a report.
    fn end(&mut self, open: Open) {
        let Open { mut report, functions, doubted, is_mixed, is_shown, .. } = open;
        if report.kind.as_deref() == Some(kind::HARDWARE) {
            report.errors = report.errors.or(Some(1));
        }
        let is_hung = report.kind.as_deref() == Some(kind::HUNG_TASK);
        if is_hung && report.pid.is_none() && !is_shown {
            // Nothing but the hint how to switch such reports off.
            return;
        }
        if !is_mixed {
            let names: Vec<&str> = functions.iter().map(String::as_str).collect();
            if is_hung && !names.is_empty() {
                report.class_name = class_of_whole_stack(&names).map(|class| Text::from(class.name()));
                report.function_name = waits(&names).map(Text::from);
            } else if report.function_name.is_none() {
                report.function_name = runs(&names).map(Text::from);
            }
            let is_doubted = functions.is_empty() && !doubted.is_empty();
            if is_hung && is_doubted {
                // What stands before the last step into the scheduler is left over from it.
                report.detail = Some(Text::from("doubted"));
                let slept = doubted
                    .iter()
                    .take(12)
                    .rposition(|name| name.contains("schedule"))
                    .map_or(0, |at| at + 1);
                let names: Vec<&str> = doubted.iter().skip(slept).map(String::as_str).collect();
                report.function_name = waits(&names).map(Text::from);
            }
            let shown = if is_doubted { doubted } else { functions };
            if !shown.is_empty() {
                let outermost_first: Vec<&str> = shown.iter().rev().map(String::as_str).collect();
                report.kernel_stack = Some(Text::from(outermost_first.join(";")));
            }
        }
        if let Some(jiffies) = report.stalled_jiffies {
            report.duration_s = self.ticks.seconds(report.event_ms, jiffies);
            if report.duration_s.is_none() {
                return self.unmeasured.push(report);
            }
        }
        self.done.push(report);
    }
}

/// Takes over what a report does not have yet.
fn fill(report: &mut KernelReportRow, more: KernelReportRow) {
    let KernelReportRow {
        detail,
        name,
        pid,
        cpu,
        page_order,
        flags,
        requester,
        cgroup,
        limit_bytes,
        dirty_bytes,
        anon_bytes,
        device,
        errors,
        panicked,
        ..
    } = more;
    macro_rules! take {
        ($($column:ident),*) => { $( if report.$column.is_none() { report.$column = $column; } )* };
    }
    take!(
        detail,
        name,
        pid,
        cpu,
        page_order,
        flags,
        requester,
        cgroup,
        limit_bytes,
        dirty_bytes,
        anon_bytes,
        device,
        errors,
        panicked
    );
}

#[cfg(test)]
mod tests;
