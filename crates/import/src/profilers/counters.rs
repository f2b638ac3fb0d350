//! Counters of the processor by program or machine: `perf stat` (also `-I` and `-x,`) and Solaris `cpustat`.

use heldup_model::Record;
use heldup_model::tables::PmuRow;

use crate::document::put::{Put, grouped, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const PERF: &str = "perf stat";
const CPUSTAT: &str = "cpustat";

/// Events of perf, and of UltraSPARC; what follows a colon (`:u`) says whose mode was counted.
const EVENTS: [(&str, &str); 9] = [
    ("cycles", "cycles"),
    ("cpu-cycles", "cycles"),
    ("instructions", "instructions"),
    ("branches", "branches"),
    ("branch-misses", "branch_misses"),
    ("cache-misses", "llc_misses"),
    ("dTLB-load-misses", "tlb_misses"),
    ("Cycle_cnt", "cycles"),
    ("Instr_cnt", "instructions"),
];

/// Reads counters.
#[derive(Default)]
pub struct Counters {
    /// Of perf: the program, and what was counted so far.
    run: Option<Run>,
    /// Of cpustat: what its two counters counted.
    events: Option<[&'static str; 2]>,
    was_cpustat: bool,
    last_line: u64,
}

#[derive(Default)]
struct Run {
    name: String,
    counts: Vec<Count>,
    /// Columns that some of the CPUs did not count: a sum of the others is none.
    partial: Vec<&'static str>,
    secs: Option<f64>,
    /// With `-I`: seconds from the beginning up to the end of this interval, and of the one before.
    until_s: Option<f64>,
    since_s: f64,
}

/// What was counted of an event: on one CPU or on several, by one kind of counters or by those of each kind
/// of CPU.
struct Count {
    column: &'static str,
    source: String,
    count: f64,
}

/// A line of `perf stat`.
#[derive(Debug, PartialEq)]
struct Reading<'w> {
    /// With `-I`: seconds from the beginning.
    until_s: Option<f64>,
    /// The CPU, where each has its line (`-A`).
    cpu: &'w str,
    event: &'w str,
    /// None where it was not counted.
    count: Option<f64>,
}

impl Importer for Counters {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["Performance", "counter", "stats", "for", name @ ..] = line.words {
            self.end(document)?;
            document.begin(PERF);
            let name = name.join(" ");
            let name = name.split_once("' (").map_or(name.as_str(), |(name, _runs)| name);
            let name = name.trim_end_matches(':').trim_matches('\'').to_owned();
            self.run = Some(Run { name, ..Run::default() });
            self.last_line = line.number;
            return Ok(true);
        }
        // The headings of `-I`, which are repeated.
        if let ["#", "time", .., "counts", "unit", "events"] = line.words {
            self.begin_unnamed(line.number, document);
            return Ok(true);
        }
        if let Some(events) = line.words.iter().find_map(|word| pics(word)) {
            self.events = Some(events);
            self.was_cpustat = false;
            return Ok(true);
        }
        let is_known =
            |reading: Option<Reading<'_>>| reading.is_some_and(|read| column(read.event).is_some());
        if self.run.is_none() && (is_known(separated(line.words)) || is_known(in_json(line.text))) {
            self.begin_unnamed(line.number, document);
            return self.goes_on(line, document);
        }
        self.take_cpustat(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = line.number <= self.last_line + 6;
        let Some(run) = self.run.as_mut().filter(|_| is_near) else {
            return self.take_cpustat(line, document);
        };
        // Of several runs (`-r`) with their deviation.
        if let [seconds, "seconds", "time", "elapsed", ..]
        | [seconds, "+-", _, "seconds", "time", "elapsed", ..] = line.words
        {
            run.secs = elapsed_s(seconds);
            self.end(document)?;
            return Ok(true);
        }
        let reading = in_json(line.text).or_else(|| separated(line.words)).or_else(|| counted(line.words));
        let Some(reading) = reading else { return Ok(false) };
        self.last_line = line.number;
        self.take(&reading, document)?;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Counters {
    fn begin_unnamed(&mut self, line: u64, document: &mut Document) {
        if self.run.is_none() {
            document.begin(PERF);
            self.run = Some(Run::default());
        }
        self.last_line = line;
    }

    fn take(&mut self, reading: &Reading<'_>, document: &mut Document) -> Result<(), ImportError> {
        let Some(run) = self.run.as_mut() else { return Ok(()) };
        if let Some(until_s) = reading.until_s {
            if run.until_s.is_some_and(|before| before != until_s) {
                run.write(document)?;
            }
            // A recording that begins anew counts from its own beginning.
            run.since_s = if until_s < run.since_s { 0.0 } else { run.since_s };
            run.until_s = Some(until_s);
        }
        match (column(reading.event), reading.count) {
            (Some(column), Some(count)) => run.add(column, reading, count),
            (None, Some(_)) => document.leave_out(PERF, &[reading.event.to_owned()]),
            (Some(column), None) if !reading.cpu.is_empty() => run.partial.push(column),
            (_, None) => {}
        }
        Ok(())
    }

    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take() {
            Some(mut run) => run.write(document),
            None => Ok(()),
        }
    }

    /// `[file:] 30.429 48 total 1453222115333 358247394908 [4.06 cpi]`. Which counter counted what
    /// stands in the command, or follows from what somebody divided.
    fn take_cpustat(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let (file, words) = match line.words {
            [file, rest @ ..] if file.ends_with(':') => (file.trim_end_matches(':'), rest),
            words => ("", words),
        };
        let [time, cpu, "total", first, second, rest @ ..] = words else { return Ok(false) };
        let (Ok(secs), Ok(_), Ok(first), Ok(second)) =
            (time.parse::<f64>(), cpu.parse::<u32>(), first.parse::<f64>(), second.parse::<f64>())
        else {
            return Ok(false);
        };
        let divided = match rest {
            [ratio, "cpi"] => {
                ratio.parse().is_ok_and(|ratio: f64| (first / second - ratio).abs() < 0.02 * ratio)
            }
            _ => false,
        };
        let events = self.events.or(divided.then_some(["cycles", "instructions"]));
        let Some([one, other]) = events else { return Ok(false) };
        if !std::mem::replace(&mut self.was_cpustat, true) {
            document.begin(CPUSTAT);
        }
        let when = document.floating(Some(secs));
        let cells = [
            ("name", Put::Text("all CPUs")),
            (one, Put::Number(Some(first))),
            (other, Put::Number(Some(second))),
        ];
        put(document, PmuRow::DEF, when, file, &cells);
        document.end_sample(CPUSTAT)?;
        Ok(true)
    }
}

impl Run {
    fn add(&mut self, column: &'static str, reading: &Reading<'_>, count: f64) {
        let source = format!("{} {}", reading.cpu, kind_of_cpu(reading.event));
        // The same event of the same CPUs may have been asked for twice.
        if !self.counts.iter().any(|there| there.column == column && there.source == source) {
            self.counts.push(Count { column, source, count });
        }
    }

    /// Writes what was counted in one interval, or in all of the run.
    fn write(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let partial = std::mem::take(&mut self.partial);
        let mut counts = std::mem::take(&mut self.counts);
        counts.retain(|count| !partial.contains(&count.column));
        let until_s = self.until_s.take();
        let since_s = std::mem::replace(&mut self.since_s, until_s.unwrap_or(0.0));
        if counts.is_empty() {
            return Ok(());
        }
        let when = match until_s {
            Some(until_s) => {
                let when = document.float_at((until_s * 1000.0) as i64);
                When { secs: Some(until_s - since_s).filter(|secs| *secs > 0.0), ..when }
            }
            None => document.floating(self.secs.or(Some(1.0))),
        };
        if until_s.is_none() && self.secs.is_none() {
            document.note("perf stat: no elapsed time in it: one second assumed");
        }
        let mut sums: Vec<(&str, f64)> = Vec::new();
        for count in &counts {
            match sums.iter_mut().find(|(column, _)| *column == count.column) {
                Some((_, sum)) => *sum += count.count,
                None => sums.push((count.column, count.count)),
            }
        }
        let mut cells: Vec<(&str, Put<'_>)> =
            sums.iter().map(|(column, count)| (*column, Put::Number(Some(*count)))).collect();
        if !self.name.is_empty() {
            cells.push(("name", Put::Text(&self.name)));
        }
        put(document, PmuRow::DEF, when, &self.name, &cells);
        document.end_sample(PERF)
    }
}

/// `pic0=Cycle_cnt,pic1=Instr_cnt`.
fn pics(word: &str) -> Option<[&'static str; 2]> {
    let (first, second) = word.strip_prefix("pic0=")?.split_once(",pic1=")?;
    Some([column(first)?, column(second)?])
}

fn column(event: &str) -> Option<&'static str> {
    let event =
        event.strip_prefix(kind_of_cpu(event)).and_then(|rest| rest.strip_prefix('/')).unwrap_or(event);
    let event = event.split([':', '/']).next().unwrap_or(event);
    EVENTS.iter().find(|(name, _)| *name == event).map(|(_, column)| *column)
}

/// `cpu_core` of `cpu_core/cycles/`, on machines with CPUs of two kinds.
fn kind_of_cpu(event: &str) -> &str {
    event.split_once('/').map_or("", |(kind, _)| kind)
}

/// `[1.000277140] [CPU0] 30,972,629,189 [msec] cycles # 1.9 GHz`.
fn counted<'w>(words: &'w [&'w str]) -> Option<Reading<'w>> {
    let until_s = words.first().and_then(|word| seconds(word));
    let words = words.get(usize::from(until_s.is_some())..)?;
    let is_cpu = words.first().is_some_and(|word| is_cpu(word));
    let cpu = words.first().copied().filter(|_| is_cpu).unwrap_or("");
    // Behind a socket, core or node stands how many CPUs it has.
    let has_count = is_cpu && is_group(cpu) && words.get(1).is_some_and(|word| word.parse::<u16>().is_ok());
    let words = words.get(usize::from(is_cpu) + usize::from(has_count)..)?;
    if let ["<not", "counted>" | "supported>", event, ..] = words {
        return Some(Reading { until_s, cpu, event, count: None });
    }
    let [count, event, rest @ ..] = words else { return None };
    // `1.23 msec task-clock # …`
    let is_timed = matches!(*event, "msec" | "ns") && !rest.is_empty();
    let (event, rest) = if is_timed { (rest[0], &rest[1..]) } else { (*event, rest) };
    let is_row = rest.first().is_none_or(|word| *word == "#" || word.starts_with('('));
    let is_old_clock = event == "task-clock-msecs";
    (is_row || is_old_clock).then_some(())?;
    // In German or Italian points stand between the thousands of what can only be a whole number.
    let whole = column(event).and_then(|_| dotted(count));
    Some(Reading { until_s, cpu, event, count: Some(whole.or_else(|| grouped(count))?) })
}

/// `3.456.789.012`: a whole number.
fn dotted(word: &str) -> Option<f64> {
    let mut groups = word.split('.');
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && is_number(first));
    let are_rest = word.contains('.') && groups.all(|group| group.len() == 3 && is_number(group));
    (is_first && are_rest).then(|| word.replace('.', "").parse().ok()).flatten()
}

/// `1.001234567`, `1,234.567890123`, and with a decimal comma `1,23712`.
fn elapsed_s(word: &str) -> Option<f64> {
    let is_comma =
        word.rfind(',') > word.rfind('.') && word.rsplit(',').next().is_some_and(|part| part.len() != 3);
    if is_comma { word.replace('.', "").replace(',', ".").parse().ok() } else { grouped(word) }
}

/// A line of `-j`: `{"interval" : 1.000112233, "socket" : "S0", "counter-value" : "801.000000", "event" : "cycles", …}`.
fn in_json(text: &str) -> Option<Reading<'_>> {
    let text = text.trim();
    let text = text.strip_prefix('{')?.strip_suffix('}').unwrap_or(text);
    let field = |name: &str| {
        let (_, behind) = text.split_once(&format!("\"{name}\""))?;
        let value = behind.trim_start().strip_prefix(':')?.trim_start();
        Some(match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or(""),
            None => value.split(',').next().unwrap_or("").trim(),
        })
    };
    let count = field("counter-value")?;
    let event = field("event")?;
    let of = ["cpu", "core", "socket", "die", "node", "thread"].into_iter().find_map(field);
    Some(Reading {
        until_s: field("interval").and_then(|secs| secs.parse().ok()),
        cpu: of.unwrap_or(""),
        event,
        count: count.parse().ok(),
    })
}

/// `[1.000277140,][CPU0,]30972629189,,cycles,…` of `-x,`.
fn separated<'w>(words: &'w [&'w str]) -> Option<Reading<'w>> {
    // Blanks are in what perf worked out, behind the event.
    let mut fields = words.first()?.split([',', ';']).peekable();
    let until_s = fields.peek().and_then(|word| seconds(word));
    if until_s.is_some() {
        fields.next();
    }
    let cpu = fields.next_if(|word| is_cpu(word)).unwrap_or("");
    if is_group(cpu) {
        fields.next();
    }
    let count = fields.next()?;
    if let ("<not", Some(behind)) = (count, words.get(1)) {
        let event = behind.split([',', ';']).nth(2).filter(|_| behind.contains('>'))?;
        return Some(Reading { until_s, cpu, event, count: None });
    }
    let event = fields.nth(1)?;
    let is_event = event.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    // What was not counted is so in two words.
    let count: f64 = count.parse().ok()?;
    is_event.then_some(Reading { until_s, cpu, event, count: Some(count) })
}

/// Seconds from the beginning, which perf prints to the nanosecond.
fn seconds(word: &str) -> Option<f64> {
    let (_, part) = word.split_once('.')?;
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (part.len() == 9 && is_number).then(|| word.parse().ok())?
}

/// `CPU12`, or one of [`is_group`].
fn is_cpu(word: &str) -> bool {
    word.strip_prefix("CPU").is_some_and(|number| number.parse::<u32>().is_ok()) || is_group(word)
}

/// A socket, die, core, cache or node: `S0`, `S0-D0-C1`, `S0-D0-L3-ID0`, `N1`.
fn is_group(word: &str) -> bool {
    let is_part = |part: &str| {
        let digits = part.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        (1..=2).contains(&(part.len() - digits.len()))
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    word.starts_with(['S', 'N', 'D']) && word.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_counters() {
        // End of the interval, CPU, column, count.
        type Told<'a> = (Option<f64>, &'a str, Option<&'a str>, Option<f64>);
        let check = |line: &str, expect: Option<Told<'_>>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = separated(&words).or_else(|| counted(&words));
            assert_eq!(
                read.map(|read| (read.until_s, read.cpu, column(read.event), read.count)),
                expect,
                "{line}"
            );
        };
        let cycles = Some("cycles");
        check("30,972,629,189 cycles:u # 1.996 GHz", Some((None, "", cycles, Some(30_972_629_189.0))));
        check("33 context-switches # 0.000 M/sec", Some((None, "", None, Some(33.0))));
        check("1,516.96 msec task-clock # 0.996 CPUs utilized", Some((None, "", None, Some(1516.96))));
        check("3 cycles of the moon", None);
        check("<not supported> cycles", Some((None, "", cycles, None)));
        check(
            "1.000277140 CPU1 5,321 cpu_core/cycles/ (50.00%)",
            Some((Some(1.000_277_140), "CPU1", cycles, Some(5321.0))),
        );
        check("512,,cache-misses,100,100.00,,", Some((None, "", Some("llc_misses"), Some(512.0))));
        check(
            "2.000500140,77,,instructions,100,100.00,1.50,insn per cycle",
            Some((Some(2.000_500_140), "", Some("instructions"), Some(77.0))),
        );
        check("CPU0,9,,cycles,1,100.00,,", Some((None, "CPU0", cycles, Some(9.0))));
        check(
            "1.000112233,S0,4,8012,,cycles,4001,100.00,,",
            Some((Some(1.000_112_233), "S0", cycles, Some(8012.0))),
        );
        check("S0-D0-C1 2 4,012 cycles", Some((None, "S0-D0-C1", cycles, Some(4012.0))));
        check("3.456.789.012 cycles:u # 2,800 GHz", Some((None, "", cycles, Some(3_456_789_012.0))));
        check("1,2,3", None);
        let json = "{\"interval\" : 1.5, \"socket\" : \"S1\", \"counter-value\" : \"801.000000\", \"unit\" : \"\", \"event\" : \"cycles\"}";
        let read = in_json(json).unwrap();
        assert_eq!(
            (read.until_s, read.cpu, read.event, read.count),
            (Some(1.5), "S1", "cycles", Some(801.0))
        );
        assert_eq!((elapsed_s("1,23712"), elapsed_s("1,234.5")), (Some(1.23712), Some(1234.5)));
        assert_eq!(pics("pic0=Cycle_cnt,pic1=Instr_cnt"), Some(["cycles", "instructions"]));
    }
}
