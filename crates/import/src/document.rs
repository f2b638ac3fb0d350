//! One file while it is read: what is known of its machine and its time, and what it became.

use std::collections::{BTreeMap, BTreeSet};

use heldup_model::tables::HostRow;
use heldup_model::{Flaw, Method, Span};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::banner::{Banner, System, banner, unix_banner};
use crate::civil::{DAY_S, midnight_s};
use crate::clock_line;
use crate::date_order::Dates;
use crate::error::ImportError;
use crate::merge::{UNKNOWN, is_same_host};
use crate::sheets::{Sheets, When};

/// Flaws of one file that are said; of a damaged one there may be millions.
const MOST_FLAWS: usize = 20;
/// What stands between two listings without times.
const PAUSE_MS: i64 = 60_000;
/// Tools whose command lines tell of an interval.
const TOOLS: [&str; 6] = ["iostat", "lparstat", "mpstat", "prstat", "svmon", "vmstat"];
/// The longest interval that a command line is believed.
const LONGEST_INTERVAL_S: u32 = 86_400;
/// The longest step from one sample of a run to the next.
const LONGEST_STEP_MS: i64 = LONGEST_INTERVAL_S as i64 * 1000;

/// What is known of a file from outside.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// When it was last written, milliseconds since 1970-01-01 UTC: what has no times ends then.
    pub modified_ms: i64,
    /// The machine that it is of, where the file itself does not say.
    pub host: Option<String>,
    /// The zone of that machine, and its name for people.
    pub zone: Option<(TimeZone, String)>,
}

/// One line, cut into words.
#[derive(Debug)]
pub struct Line<'a> {
    /// Counted from one.
    pub number: u64,
    /// Its words.
    pub words: &'a [&'a str],
    /// The line itself, for formats whose blanks count.
    pub text: &'a str,
    /// The file ends within it.
    pub is_cut: bool,
}

/// What one format was of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Listings that began.
    pub listings: u64,
    /// Samples.
    pub samples: u64,
}

/// One file while it is read.
pub struct Document {
    /// Its name, for places of flaws.
    pub file: String,
    /// What is known from outside.
    pub hints: Hints,
    /// The last banner of sysstat.
    pub banner: Option<Banner>,
    /// Line of that banner.
    pub banner_line: u64,
    /// What it becomes.
    pub sheets: Sheets,
    /// By format.
    pub told: BTreeMap<&'static str, Told>,
    /// What a reader of the answer has to know.
    pub notes: BTreeSet<String>,
    /// Those of them that are known by where they stand in the program.
    noted: Vec<&'static str>,
    /// Memory of the machine, where a format tells it.
    pub memory_bytes: Option<i64>,
    /// Headings that no column takes, by format.
    pub unkept: BTreeMap<&'static str, BTreeSet<String>>,
    /// Flaws.
    pub flaws: Vec<Flaw>,
    /// The order of its dates.
    pub dates: Dates,
    /// What formats tell of the machine beside a banner: its system, its CPUs.
    pub machine: HostRow,
    /// Whether the last line of `uptime` had seconds, or stood below a time: else intervals between two of them are not known.
    pub is_uptime_exact: bool,
    unsaid_flaws: u64,
    intervals_s: BTreeMap<&'static str, f64>,
    memory_unit: f64,
    free_unit: Option<FreeUnit>,
    interface: Option<String>,
    float_ms: i64,
    /// Line of the time that a listing took from above it last.
    stamped_line: u64,
    told_host: Option<String>,
    /// The time that a line told last, and where.
    clock: Option<Clock>,
    /// By format: the last time that it was given.
    given_ms: BTreeMap<&'static str, i64>,
    /// By format that goes on: the line of the time that its last sample had, and when that was.
    given_in_run: BTreeMap<&'static str, (u64, i64)>,
    is_zone_noted: bool,
    /// The last line that `uptime` printed, or a tool that begins with what it prints, and when that was.
    uptime: Option<(u64, When)>,
}

/// What a command line of `free` says of the unit of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FreeUnit {
    /// So many bytes.
    Bytes(f64),
    /// Another one in older releases than in later ones, or letters that are powers of 1000.
    Unsure,
}

/// A time that stood in a line of its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    ms: i64,
    day_s: i64,
    /// Offset of its zone from UTC, where it told one.
    zone_s: Option<i64>,
    line: u64,
    /// Whether it stood before what else is in its line.
    is_before: bool,
}

impl Document {
    /// A file of which nothing is read yet.
    pub fn of(file: &str, hints: Hints) -> Document {
        Document {
            file: file.to_owned(),
            hints,
            banner: None,
            banner_line: 0,
            sheets: Sheets::default(),
            told: BTreeMap::new(),
            notes: BTreeSet::new(),
            noted: Vec::new(),
            memory_bytes: None,
            unkept: BTreeMap::new(),
            flaws: Vec::new(),
            dates: Dates::default(),
            machine: HostRow::default(),
            is_uptime_exact: true,
            unsaid_flaws: 0,
            intervals_s: BTreeMap::new(),
            memory_unit: 1024.0,
            free_unit: None,
            interface: None,
            float_ms: 0,
            stamped_line: 0,
            told_host: None,
            clock: None,
            given_ms: BTreeMap::new(),
            given_in_run: BTreeMap::new(),
            is_zone_noted: false,
            uptime: None,
        }
    }

    /// Takes a banner of sysstat, or of `sar` or `uname` elsewhere; false where the line is none.
    pub fn take_banner(&mut self, line: &Line<'_>) -> bool {
        let told = match line.words.first() {
            Some(&"Linux") => banner(line.words, self.dates.order),
            Some(&("SunOS" | "AIX" | "HP-UX")) => unix_banner(line.words),
            Some(&"System") => return self.take_configuration(line.words),
            _ => None,
        };
        let Some(mut told) = told else { return false };
        if let Some(system) = told.system {
            let name = match system {
                System::Aix => "AIX",
                System::HpUx => "HP-UX",
                System::Solaris => "SunOS",
            };
            self.machine.os = Some(format!("{name} {}", told.kernel).into());
            self.machine.page_bytes = told.page_bytes().map(|bytes| bytes as i64);
        }
        self.took_date(line.words);
        let of_before = self.banner.take().filter(|before| before.host == told.host);
        if let Some(before) = of_before {
            told.cpus = told.cpus.or(before.cpus);
        }
        self.banner_line = line.number;
        self.banner = Some(told);
        true
    }

    /// `System configuration: lcpu=4 mem=4096MB ent=0.50`, as tools of AIX begin, and say again where it changes.
    fn take_configuration(&mut self, words: &[&str]) -> bool {
        let ["System", "configuration:", told @ ..] = words else { return false };
        for (name, value) in told.iter().filter_map(|word| word.split_once('=')) {
            match name {
                "lcpu" => self.machine.cpus = value.parse().ok().filter(|cpus| *cpus > 0),
                "mem" => {
                    let megabytes = value.trim_end_matches("MB").parse::<i64>().ok();
                    self.machine.memory_bytes = megabytes.and_then(|size| size.checked_mul(1 << 20));
                }
                _ => {}
            }
        }
        true
    }

    /// Remembers a line that is a time and nothing else: the listings below it are of then.
    pub fn take_time(&mut self, line: &Line<'_>) {
        if let Some(told) = clock_line::told(line.words, self.dates.order) {
            self.took_date(line.words);
            self.set_clock(told, line.number, false);
        }
    }

    /// Offers a line without the time that somebody put before it: the time is the listing's where `offer` says
    /// that the line was taken, else it is forgotten.
    pub fn behind_time(
        &mut self,
        told: clock_line::Told,
        line: &Line<'_>,
        offer: impl FnOnce(&Line<'_>, &mut Document) -> Result<bool, ImportError>,
    ) -> Result<bool, ImportError> {
        let clock = self.clock;
        self.set_clock(told, line.number, true);
        let is_taken = offer(line, self)?;
        if !is_taken {
            self.clock = clock;
        }
        Ok(is_taken)
    }

    fn set_clock(&mut self, told: clock_line::Told, line: u64, is_before: bool) {
        let ms = self.instant_ms(told.day, told.seconds, told.zone_s);
        let (day_s, zone_s) = (midnight_s(told.day), told.zone_s);
        self.clock = Some(Clock { ms, day_s, zone_s, line, is_before });
    }

    /// When a sample was made of a tool that goes on and prints no times: at the time that stood above it last
    /// (`clock`), else an interval behind the sample before it, `told_s` where the listing itself tells how long it
    /// is. Of the first sample of a run nobody knows since when it counts.
    pub fn moment_of_run(
        &mut self,
        format: &'static str,
        clock: Option<Clock>,
        is_first: bool,
        told_s: Option<f64>,
    ) -> When {
        let last = self.given_in_run.get(format).copied();
        let stepped_s = clock.zip(last).map(|(clock, (line, last))| (clock.line != line, clock.ms - last));
        let secs = match stepped_s {
            _ if is_first => None,
            Some((true, step)) if (1..=LONGEST_STEP_MS).contains(&step) => Some(step as f64 / 1000.0),
            None if clock.is_some() => None,
            _ => Some(told_s.unwrap_or_else(|| self.interval_s(format))),
        };
        let Some(clock) = clock else { return self.floating(secs) };
        let ms = match last {
            // Below the same time, or one that is no later.
            Some((line, last)) if line == clock.line || (0..LONGEST_STEP_MS).contains(&(last - clock.ms)) => {
                last + (secs.unwrap_or(1.0) * 1000.0) as i64
            }
            _ => clock.ms,
        };
        self.given_in_run.insert(format, (clock.line, ms));
        When { ms, secs, floats: false }
    }

    /// When a listing without times was made: at the time that stood above it, else in the order of the
    /// file. Of several below one time each is a second after the other, which is noted.
    pub fn moment(&mut self, format: &'static str) -> When {
        let Some(clock) = self.clock else { return self.floating(None) };
        let last = self.given_ms.get(format).copied();
        let ms = match last {
            Some(last) if last >= clock.ms => {
                self.note("several samples below one time: they are put a second apart");
                last + 1000
            }
            _ => clock.ms,
        };
        self.given_ms.insert(format, ms);
        When { ms, secs: None, floats: false }
    }

    /// The time that a line told last.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// Line of the last time that stood alone; 0 before the first, and where times stand before each line.
    pub fn clock_line(&self) -> u64 {
        self.clock.filter(|clock| !clock.is_before).map_or(0, |clock| clock.line)
    }

    /// What the command line of `free` said of its unit; it is about the next listing alone.
    pub fn take_free_unit(&mut self) -> Option<FreeUnit> {
        self.free_unit.take()
    }

    /// The interface that the last command line of `ethtool` named.
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// Remembers what a command line says of the listing that follows: `vmstat -S M 5`.
    pub fn take_command(&mut self, line: &Line<'_>) {
        for (at, word) in line.words.iter().enumerate() {
            let name = word.trim_start_matches(['#', '$', '>', '%', '`', '\\']).trim_end_matches('`');
            let base = name.rsplit('/').next().unwrap_or(name);
            let options = line.words.get(at + 1..).unwrap_or_default();
            match base {
                // Without options it may be the last word of a sentence; the numbers tell the unit then.
                "free"
                    if !options.is_empty()
                        && options
                            .iter()
                            .all(|word| word.starts_with('-') || word.parse::<f64>().is_ok()) =>
                {
                    self.free_unit = Some(free_unit(options));
                    return;
                }
                "ethtool" => {
                    self.interface = options.iter().find(|word| !word.starts_with('-')).map(|w| (*w).into());
                    return;
                }
                _ => {}
            }
            let Some(tool) = TOOLS.iter().find(|tool| base.eq_ignore_ascii_case(tool)) else { continue };
            let arguments = line.words.get(at + 1..).unwrap_or_default();
            if let Some(interval) = interval_among(tool, arguments) {
                self.intervals_s.insert(tool, f64::from(interval));
            }
            if *tool == "vmstat" {
                self.memory_unit = memory_unit(arguments);
            }
            return;
        }
    }

    /// Seconds between two samples of a tool that prints none: what its command line said, else one
    /// second, which is noted.
    pub fn interval_s(&mut self, tool: &'static str) -> f64 {
        match self.intervals_s.get(tool) {
            Some(interval) => *interval,
            None => {
                self.notes.insert(format!(
                    "{tool}: neither times nor its command line are in the file: one second between \
                     samples is assumed, rates are right and sums are for that"
                ));
                1.0
            }
        }
    }

    /// The interval that a command line told.
    pub fn told_interval_s(&self, tool: &'static str) -> Option<f64> {
        self.intervals_s.get(tool).copied()
    }

    /// The time that stood above a listing whose first line is this one, within three lines; of each such time once.
    pub fn stamp_above(&mut self, line: u64) -> Option<i64> {
        let clock = self.clock.filter(|clock| clock.line < line && line <= clock.line + 3)?;
        let is_used = std::mem::replace(&mut self.stamped_line, clock.line) == clock.line;
        (!is_used).then_some(clock.ms)
    }

    /// A line of `uptime` was read.
    pub fn took_uptime(&mut self, line: u64, when: When) {
        self.uptime = Some((line, when));
    }

    /// The line of `uptime` right above a line, blank ones apart, and when it was printed.
    pub fn uptime_above(&self, line: u64) -> Option<(u64, When)> {
        self.uptime.filter(|(above, _)| *above < line && line <= above + 2)
    }

    /// Bytes of one unit of memory that vmstat prints.
    pub fn memory_unit(&self) -> f64 {
        self.memory_unit
    }

    /// Takes the name of the host from a tool that prints it without a banner.
    pub fn name_host(&mut self, host: &str) {
        if self.banner.as_ref().is_none_or(|banner| banner.host != host) {
            self.banner = Some(Banner { host: host.to_owned(), ..Banner::default() });
        }
    }

    /// The system that a banner told of; none of Linux, or where none told.
    pub fn system(&self) -> Option<System> {
        self.banner.as_ref().and_then(|banner| banner.system)
    }

    /// CPUs, as a banner told, or a tool that has none.
    pub fn cpus(&self) -> Option<i64> {
        let told = self.banner.as_ref().and_then(|banner| banner.cpus).filter(|cpus| *cpus > 0);
        told.or(self.machine.cpus)
    }

    /// Name of the host.
    pub fn host(&self) -> String {
        let banner = self.banner.as_ref().map(|banner| &banner.host);
        let told = banner.or(self.told_host.as_ref());
        // One name for one machine, with or without its domain: that of the bundle.
        let hint = self.hints.host.as_ref().filter(|hint| told.is_none_or(|told| is_same_host(told, hint)));
        hint.or(told).cloned().unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// The day on which times without a date begin: that of the last time in a line of its own, the
    /// banner's, else that of the file.
    pub fn base_day_s(&mut self) -> i64 {
        if let Some(clock) = self.clock {
            return clock.day_s;
        }
        match self.banner.as_ref().and_then(|banner| banner.date) {
            Some(date) => midnight_s(date),
            None => {
                self.notes
                    .insert("no date in the file: the day on which it was last written is taken".to_owned());
                self.hints.modified_ms.div_euclid(1000 * DAY_S) * DAY_S
            }
        }
    }

    /// The instant of a local date and time; the zone of which nothing is known is taken for UTC.
    pub fn instant_ms(&mut self, date: Date, seconds: i64, zone_s: Option<i64>) -> i64 {
        let local_s = midnight_s(date) + seconds;
        (local_s - self.zone_at_s(zone_s, local_s)) * 1000
    }

    /// An offset from UTC; where the line does not tell it, what is known of the machine, else none with
    /// a note.
    #[allow(dead_code, reason = "for listings that tell no day")]
    pub fn zone_s(&mut self, told: Option<i64>) -> i64 {
        let modified_s = self.hints.modified_ms.div_euclid(1000);
        self.zone_at_s(told, modified_s)
    }

    /// The same at a local time, in seconds since 1970-01-01: summer has another than winter.
    pub fn zone_at_s(&mut self, told: Option<i64>, local_s: i64) -> i64 {
        if let Some(told) = told {
            return told;
        }
        if let Some(zone_s) = self.clock.and_then(|clock| clock.zone_s) {
            return zone_s;
        }
        if let Some((zone, name)) = &self.hints.zone
            && let Some(offset_s) = offset_s(zone, local_s)
        {
            if !self.is_zone_noted {
                self.notes.insert(format!("the time zone is not in the file: {name}, as the bundle tells"));
                self.is_zone_noted = true;
            }
            return offset_s;
        }
        self.note("the time zone is not in the file: its times are taken as UTC");
        0
    }

    /// Notes something; said of every row of a file, it costs a row nothing but the look.
    pub fn note(&mut self, text: &'static str) {
        if !self.noted.iter().any(|noted| std::ptr::eq(*noted, text)) {
            self.noted.push(text);
            self.notes.insert(text.to_owned());
        }
    }

    /// A date among these words was read: where it could have been another, that is noted.
    pub fn took_date(&mut self, words: &[&str]) {
        if self.dates.note.is_some() && words.iter().any(|word| Dates::is_either(word)) {
            self.notes.extend(self.dates.note.take());
        }
    }

    /// The next sample of a listing without times.
    pub fn floating(&mut self, secs: Option<f64>) -> When {
        self.note("no times in the file: its last sample is put where the file was last written");
        self.float_ms += (secs.unwrap_or(1.0) * 1000.0) as i64;
        When { ms: self.float_ms, secs, floats: true }
    }

    /// A sample of a recording that has times of its own, but not what they count from.
    pub fn float_at(&mut self, ms: i64) -> When {
        self.float_ms = self.float_ms.max(ms);
        When { ms, secs: None, floats: true }
    }

    /// A line says on which machine it was written.
    pub fn host_told(&mut self, host: &str) {
        if self.told_host.is_none() {
            self.told_host = Some(host.to_owned());
        }
    }

    /// A listing of a format begins.
    pub fn begin(&mut self, format: &'static str) {
        self.told.entry(format).or_default().listings += 1;
        self.float_ms += if self.float_ms > 0 { PAUSE_MS } else { 0 };
    }

    /// A sample of a format was read in one piece, and nothing before it can change any more.
    pub fn end_sample(&mut self, format: &'static str) -> Result<(), ImportError> {
        self.told.entry(format).or_default().samples += 1;
        self.sheets.settle()
    }

    /// Headings that no column takes.
    pub fn leave_out(&mut self, format: &'static str, headings: &[String]) {
        if !headings.is_empty() {
            self.unkept.entry(format).or_default().extend(headings.iter().cloned());
        }
    }

    /// Something that could not be read.
    pub fn flaw(&mut self, line: u64, what: String) {
        self.flaw_at(format!("{}:{line}", self.file), what);
    }

    /// The same in a file that has no lines.
    pub fn flaw_at_byte(&mut self, offset: u64, what: String) {
        self.flaw_at(format!("{}, byte {offset}", self.file), what);
    }

    fn flaw_at(&mut self, place: String, what: String) {
        if self.flaws.len() < MOST_FLAWS {
            self.flaws.push(Flaw { place, what });
        } else {
            self.unsaid_flaws += 1;
        }
    }

    /// What is known of the machine, and how many flaws were left unsaid.
    pub fn close(&mut self, span: Span) -> HostRow {
        if self.unsaid_flaws > 0 {
            let what = format!("{} further lines could not be read either", self.unsaid_flaws);
            self.flaws.push(Flaw { place: self.file.clone(), what });
        }
        let machine = std::mem::take(&mut self.machine);
        let told = self.banner.as_ref();
        let kernel = told.map(|told| told.kernel.as_str()).filter(|kernel| !kernel.is_empty());
        let architecture = told.and_then(|told| told.architecture.as_deref());
        HostRow {
            name: Some(self.host()).filter(|host| host != UNKNOWN).map(Into::into),
            kernel: kernel.map(Into::into).or(machine.kernel),
            architecture: architecture.map(Into::into).or(machine.architecture),
            cpus: told.and_then(|told| told.cpus).filter(|cpus| *cpus > 0).or(machine.cpus),
            memory_bytes: self.memory_bytes.or(machine.memory_bytes),
            window_s: Some(span.secs()),
            method: Some(Method::Imported.name().into()),
            ..machine
        }
    }
}

/// What the options of `free` say of its unit. Powers of 1000 have names of their own since procps 3.3.10, which
/// were the long forms of powers of 1024 before (`--mega` of `-m`).
fn free_unit(options: &[&str]) -> FreeUnit {
    const POWERS: [(char, [&str; 2]); 6] = [
        ('b', ["--bytes", "--bytes"]),
        ('k', ["--kibi", "--kilo"]),
        ('m', ["--mebi", "--mega"]),
        ('g', ["--gibi", "--giga"]),
        ('t', ["--tebi", "--tera"]),
        ('p', ["--pebi", "--peta"]),
    ];
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let has = |letter: char| options.iter().any(|word| is_short(word) && word.contains(letter));
    let is_human = has('h') || options.contains(&"--human");
    let base: f64 = if options.contains(&"--si") { 1000.0 } else { 1024.0 };
    for (power, (letter, [of_1024, of_either])) in POWERS.into_iter().enumerate() {
        // -t and -p are other options.
        if power < 4 && has(letter) {
            return FreeUnit::Bytes(base.powi(power as i32));
        }
        if options.contains(&of_1024) {
            return FreeUnit::Bytes(1024_f64.powi(power as i32));
        }
        if options.contains(&of_either) {
            return FreeUnit::Unsure;
        }
    }
    match (is_human, base == 1024.0) {
        // The numbers have letters, which are powers of 1000 with --si.
        (true, false) => FreeUnit::Unsure,
        (true, true) => FreeUnit::Bytes(1.0),
        (false, _) => FreeUnit::Bytes(base),
    }
}

/// The interval among the arguments of a command line, where what stands before it are options, their values and
/// names of devices, and not a sentence: `vmstat -S M 5`, `iostat -x sda 5`, not `vmstat of 2 nodes`.
fn interval_among(tool: &str, arguments: &[&str]) -> Option<u32> {
    let mut after_option = false;
    for word in arguments {
        let number = word.trim_end_matches(['`', '|']).split('|').next().and_then(|w| w.parse::<u32>().ok());
        if let Some(number) = number.filter(|s| (1..=LONGEST_INTERVAL_S).contains(s)) {
            return Some(number);
        }
        let is_option = word.starts_with('-');
        let is_name = tool == "iostat" || word.bytes().any(|byte| byte.is_ascii_digit());
        if !(is_option || is_name || after_option) {
            return None;
        }
        after_option = is_option;
    }
    None
}

/// How far a zone is from UTC at a local time; of an hour that there is twice the first.
fn offset_s(zone: &TimeZone, local_s: i64) -> Option<i64> {
    let local = Timestamp::from_second(local_s).ok()?.to_zoned(TimeZone::UTC).datetime();
    let instant = zone.to_ambiguous_timestamp(local).compatible().ok()?;
    Some(local_s - instant.as_second())
}

/// What `-S` says: bytes of a unit.
fn memory_unit(arguments: &[&str]) -> f64 {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix("-S") else { continue };
        let unit = if rest.is_empty() { words.next().copied().unwrap_or("") } else { rest };
        return match unit {
            "k" => 1000.0,
            "m" => 1e6,
            "M" => 1_048_576.0,
            _ => 1024.0,
        };
    }
    1024.0
}
