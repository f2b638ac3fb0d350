//! The command line: one declaration, from which help, man pages and completions come.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heldup_diagnose::Focus;
use heldup_engine::AskedSpan;
use heldup_model::{BreakdownKind, Severity};

use crate::arg_values::{
    parse_duration, parse_interval, parse_long, parse_of, parse_share, parse_size, parse_window,
};
use crate::commands::try_args::TryArgs;
use crate::commands::tune::TuneCommand;

/// Shows what this machine's work is held up by, names the cause, and proposes one change.
#[derive(Debug, Parser)]
#[command(
    name = "heldup",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// Options of `examine`, which is what runs when no command is named.
    #[command(flatten)]
    pub examine: ExamineArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Run this command and examine it, its children and the machine from its start to its end.
    #[arg(last = true, value_name = "CMD")]
    pub run: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  sudo heldup                       examine this machine for ten seconds
  sudo heldup --for 60s             look longer: rare troubles need a longer window
  sudo heldup -- make -j4           run a command and examine it from start to end
  sudo heldup watch                 look all the time: a line when a finding comes or goes
  heldup sql @last \"select class_name, sum(seconds) from task_time group by 1\"
  heldup tables task_time           what a table's columns mean
  heldup rules explain disk.saturated

Without root it sees less and says what. Looking changes nothing on the machine.
Exit codes: 0 done, 2 wrong usage, 3 could not do it; with --check 1 when a finding
is a warning or worse. After -- CMD that of the command where it is not 0, or 128 and
the number of the signal that ended it.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Examine this machine, or the last examination again: where its time goes, and why
    Examine(ExamineArgs),
    /// Examine this machine all the time: a line when a finding appears, changes or ends
    Watch(WatchArgs),
    /// Record this machine, every process and what it waits for each second, into an archive
    Record(RecordArgs),
    /// Show what is recorded here, what that costs, and what is missing
    Status(StatusArgs),
    /// Seal what a recorder has closed, and remove what is too old (the recorder runs it)
    #[command(hide = true)]
    KeepHouse(KeepHouseArgs),
    /// Write one file with all that can be seen of this machine, for a helper elsewhere
    Capture(CaptureArgs),
    /// Compare two kept captures: what changed in time, metrics, programs and settings
    Compare(CompareArgs),
    /// Show what can be seen on this machine, what cannot, and what would let it
    Doctor(DoctorArgs),
    /// Ask the tables yourself, on the live machine or on the last examination
    Sql(SqlArgs),
    /// Drill one kind of time down to programs, objects and stacks, over the time of a window
    Trace(TraceArgs),
    /// List the tables, or the columns of one with their units and meanings
    Tables(TablesArgs),
    /// List, explain or test the rules behind the findings
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Show settings and who set them; change them so that it is taken back after any end
    #[command(subcommand)]
    Tune(TuneCommand),
    /// Change one thing, prove whether it helps, and take it back
    Try(Box<TryArgs>),
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for.
        shell: clap_complete::Shell,
    },
    /// Write man pages, completions and references into a folder (for packagers)
    #[command(hide = true)]
    Generate {
        /// Folder to write to.
        folder: PathBuf,
    },
}

/// How the answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    #[default]
    Text,
    /// For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1).
    Json,
}

/// When colour and bars are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How an answer is written, and what it ends with.
#[derive(Args, Clone, Debug)]
pub struct AnswerArgs {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// When to use colour and bars
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Write every finding in full; without it information is brief, and one of a kind
    #[arg(long)]
    pub details: bool,
    /// Exit with 1 when a finding is a warning or worse
    #[arg(long)]
    pub check: bool,
}

/// How time is accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MethodChoice {
    /// The best that the machine and the rights allow: ebpf, else sampling.
    #[default]
    Auto,
    /// Every switch, by eBPF: exact, all classes; fails where that is not allowed.
    Ebpf,
    /// CPU and run queue from the kernel's counters; the rest by looking at each thread 5 to 20
    /// times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what
    /// threads shorter than a look did; without root most waits too.
    Sampling,
    /// CPU and run queue from the kernel's counters only; all waits are unknown.
    Delays,
}

impl From<MethodChoice> for heldup_engine::MethodChoice {
    fn from(choice: MethodChoice) -> heldup_engine::MethodChoice {
        match choice {
            MethodChoice::Auto => heldup_engine::MethodChoice::Auto,
            MethodChoice::Ebpf => heldup_engine::MethodChoice::Ebpf,
            MethodChoice::Sampling => heldup_engine::MethodChoice::Sampling,
            MethodChoice::Delays => heldup_engine::MethodChoice::Delays,
        }
    }
}

/// Which window of an archive.
#[derive(Args, Clone, Debug, Default)]
pub struct SpanArgs {
    /// Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Until when: 03:10, +10m (from --since on), now; without it until now
    #[arg(long, value_name = "TIME", requires = "since")]
    pub until: Option<String>,
    /// Of an archive with the files of several hosts, which
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
}

impl SpanArgs {
    /// As the engine takes it.
    pub fn asked(&self) -> AskedSpan {
        AskedSpan { since: self.since.clone(), until: self.until.clone(), host: self.host.clone() }
    }
}

/// Options of `examine`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup examine --for 30s
  sudo heldup examine --focus unit:nginx.service
  sudo heldup examine --format json | jq '.findings[].key'
  heldup examine @last              judge the last window again, without looking anew
  heldup examine @last --details    the same, with every finding in full
  sudo heldup examine --since \"yesterday 03:00\" --until 03:10
                                    what was recorded then (heldup record)
  heldup examine vmstat.txt         what another tool printed; it says what each file was
  heldup examine sosreport.tar.xz   a report, packed as it came; folders too
  heldup examine before/ after/     /proc and /sys saved twice: what happened in between
  heldup examine ARCHIVE --since 03:00Z --for 10m --host db1")]
pub struct ExamineArgs {
    /// What to examine: nothing for this machine, `@last` for the last examination, a kept capture's
    /// folder or file, an archive's folder, or what others wrote: files of vmstat and sysstat's tools
    /// (iostat, mpstat, pidstat, sar, sadf, sadc), logs of a kernel, files and trees of /proc and /sys,
    /// reports of sos and supportconfig, folders of these, packed or not (docs/import.md)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)
    #[arg(long, value_name = "ID[,ID]", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME
    /// (config.drift); of this machine without it the one that `heldup capture --baseline` kept
    #[arg(long, value_name = "SOURCE")]
    pub baseline: Option<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
    /// How the answer is written
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Do not keep this examination as @last
    #[arg(long)]
    pub no_keep: bool,
}

/// Options of `watch`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup watch
  sudo heldup watch --every 30s --json >>findings.jsonl
  sudo heldup watch --exec /usr/local/bin/notify
  sudo heldup watch --exec-shell 'mail -s \"$HELDUP_HOST: $HELDUP_TITLE\" root'
  sudo heldup watch --ignore cpu.saturated,fs.full/mount:/boot
  heldup watch --appear 1/1 --end 1      tell each window as it is

A finding appears when it was found in 2 of the last 3 windows (--appear), a critical one at once,
and ends after 2 windows without it (--end). It changes when its severity rises, or when severity,
first culprit or cost (to twice or half) are otherwise for two windows.

The command of --exec is called for each finding that appears and is not explained by another one,
with HELDUP_EVENT, HELDUP_HOST, HELDUP_ID, HELDUP_KEY, HELDUP_SEVERITY and HELDUP_TITLE in its
environment and the line of --json as its input. It runs with heldup's rights, writes to standard
error, and is never waited for; at most four calls run at once, further ones wait for these.

Ctrl-C or SIGTERM end it with a summary, which says what looking cost.")]
pub struct WatchArgs {
    /// Length of a window; the next one begins where it ends
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_window)]
    pub every: Duration,
    /// How long to watch, in whole windows; until Ctrl-C without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub length: Option<Duration>,
    /// In K of the last N windows a finding must be found to appear
    #[arg(long, value_name = "K/N", default_value = "2/3", value_parser = parse_of)]
    pub appear: (u32, u32),
    /// Windows in a row without it after which a finding has ended
    #[arg(long, value_name = "M", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub end: u32,
    /// Tell findings of this severity and worse
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    pub least: SeverityChoice,
    /// Run this program for each new finding, without a shell and without arguments
    #[arg(long, value_name = "PROGRAM", conflicts_with = "exec_shell")]
    pub exec: Option<OsString>,
    /// Have sh run this line for each new finding
    #[arg(long, value_name = "LINE")]
    pub exec_shell: Option<OsString>,
    /// JSON lines for programs: schema heldup/watch/1
    #[arg(long)]
    pub json: bool,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or port:N
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)
    #[arg(long, value_name = "ID[,ID]", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
}

/// Options of `record`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup record                       into /var/lib/heldup/archive, until Ctrl-C or SIGTERM
  sudo heldup record ./archive --for 10m
  sudo heldup record --keep 7d --keep-size 2GB
  heldup status                            what it records, and what that costs

What costs more than microseconds is read every 10 or 60 seconds, settings and mounts with each
segment (an hour). Over --cpu-budget the costliest sources are read less often still; the table
`recorder` says which. A power cut costs what came after the last flush, a kill nothing.

Ctrl-C or SIGTERM end it; what was recorded is sealed into Parquet files.")]
pub struct RecordArgs {
    /// Folder to record into; without it /var/lib/heldup/archive, or `archive` where an ordinary user's state is
    #[arg(value_name = "ARCHIVE")]
    pub archive: Option<PathBuf>,
    /// Time between two samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub interval: Duration,
    /// Time between two flushes to the disk
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_interval)]
    pub flush: Duration,
    /// Share of one CPU that recording may take
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = parse_share)]
    pub cpu_budget: f64,
    /// Age from which a segment is closed and sealed
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_interval, hide = true)]
    pub segment: Duration,
    /// How long to record; until it is stopped without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_long)]
    pub length: Option<Duration>,
    /// How long samples are kept
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_long)]
    pub keep: Duration,
    /// How large the archive may grow
    #[arg(long, value_name = "SIZE", default_value = "10GB", value_parser = parse_size)]
    pub keep_size: u64,
    /// How long after its end a day has every sample; then a row stands for ten seconds
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = parse_long)]
    pub keep_samples: Duration,
    /// How long after its end a day has rows for ten seconds; then one stands for a minute
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = parse_long)]
    pub keep_tens: Duration,
    /// How to account for time; auto: ebpf, else delays
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
}

/// Options of `status`.
#[derive(Args, Clone, Debug)]
pub struct StatusArgs {
    /// Folder that is recorded into; without it that of `heldup record`
    #[arg(value_name = "ARCHIVE")]
    pub archive: Option<PathBuf>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Options of `keep-house`.
#[derive(Args, Clone, Debug)]
pub struct KeepHouseArgs {
    /// Folder of the archive
    pub archive: PathBuf,
    /// How long samples are kept
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_long)]
    pub keep: Duration,
    /// How large the archive may grow
    #[arg(long, value_name = "SIZE", default_value = "10GB", value_parser = parse_size)]
    pub keep_size: u64,
    /// How long after its end a day has every sample; then a row stands for ten seconds
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = parse_long)]
    pub keep_samples: Duration,
    /// How long after its end a day has rows for ten seconds; then one stands for a minute
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = parse_long)]
    pub keep_tens: Duration,
    /// Do what would be done so much later
    #[arg(long, value_name = "TIME", value_parser = parse_long)]
    pub later: Option<Duration>,
}

/// How bad a finding must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeverityChoice {
    /// Failures now, a quarter of the wanted time, or exhaustion within an hour.
    Critical,
    /// A twentieth of the wanted time, or exhaustion within a day.
    #[default]
    Warning,
    /// Worth knowing.
    Info,
}

impl From<SeverityChoice> for Severity {
    fn from(choice: SeverityChoice) -> Severity {
        match choice {
            SeverityChoice::Critical => Severity::Critical,
            SeverityChoice::Warning => Severity::Warning,
            SeverityChoice::Info => Severity::Info,
        }
    }
}

/// Options of `capture`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup capture slow.heldup             ten seconds of all tables, settings and the kernel's log
  sudo heldup capture --redact slow.heldup    without names, addresses and arguments
  sudo heldup capture @last slow.heldup       the last examination as a file
  heldup capture --redact slow.heldup public.heldup
  sudo heldup capture --baseline              settings as they are to be; examine says what differs

The helper runs `heldup examine slow.heldup`, `heldup sql slow.heldup QUERY`, or opens it with any
program for zip files: it is one of Parquet files. Only its owner may read it.

--redact replaces names of hosts, domains and users, addresses (IPv4, IPv6, hardware), arguments of
commands and paths below home folders by pseudonyms (host-1, addr-3, args-7), the same ones
everywhere. Names that nothing shows to be names stay, and so do numbers: read what you publish.")]
pub struct CaptureArgs {
    /// The file to write, and before it the source where it is not this machine: @last, a kept capture's
    /// folder or file, an archive's folder
    #[arg(required_unless_present = "baseline", num_args = 1..=2, value_names = ["SOURCE", "FILE"])]
    pub words: Vec<String>,
    /// How long to look, from now or from --since; 30s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Replace what names people and machines
    #[arg(long)]
    pub redact: bool,
    /// Keep it as the baseline that `examine` compares settings with, instead of in a file
    #[arg(long, conflicts_with = "redact")]
    pub baseline: bool,
    /// Replace the file, or the baseline, if it is there
    #[arg(long)]
    pub force: bool,
}

/// Options of `compare`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("details", |arg| arg.help("Write every difference; without it the largest of each kind")),
    mut_arg("check", |arg| arg.help("Exit with 1 when the time of a class differs by a warning or worse"))
)]
#[command(after_help = "\
Examples:
  sudo heldup --for 60s && sudo cp -r /var/lib/heldup/last good
  sudo heldup compare good @last            before and after
  heldup compare day@03:00..03:10 day@04:00..04:10          two windows of a capture or archive
  heldup compare all#web1@03:00..03:10 all#web2@03:00..03:10   of two hosts in one archive
  heldup compare web1 web2 web3 --against web4 web5         what sets two hosts apart from three
  sudo heldup compare good @last --check    1 when time differs by a warning or worse

Behind a side's @ stands the part of its time that is meant, FROM..UNTIL, in times as people write
them: yesterday 03:00..03:10, 14:05:30..14:06:30, 2 hours ago..1 hour ago. Without it the whole of
it is meant.

The first three lines are what matters most. A difference is told where it is more than the noise
within each side explains, all questions at once accounted for: one comparison in a hundred of a
load with itself may claim one. That takes 8 samples (seconds) a side; below 32 only large
differences are reported. Two captures of the default length can be compared. Where a side begins with a ramp-up or ends with a ramp-down, its steady part
is compared. With --against a difference is told where it is more than the captures of the first
side differ among themselves; that takes three of them.")]
pub struct CompareArgs {
    /// Two captures, or the good ones of several: @last, @baseline, kept captures' folders or files, and
    /// archives; a part of its time is SOURCE@FROM..UNTIL, a host of an archive SOURCE#HOST@FROM..UNTIL
    #[arg(value_name = "CAPTURE", required = true, num_args = 1..)]
    pub sides: Vec<String>,
    /// The captures that are held against the others
    #[arg(long, value_name = "CAPTURE", num_args = 1..)]
    pub against: Vec<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Compare the whole windows, ramp-up and ramp-down included
    #[arg(long)]
    pub whole: bool,
    /// How the answer is written
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Options of `doctor`.
#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Aligned columns.
    #[default]
    Text,
    /// Comma-separated values with a header line.
    Csv,
    /// One JSON object a line.
    Json,
}

/// Options of `sql`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup sql \"select name, resident_bytes from process order by 2 desc limit 5\"
  heldup sql --for 5s \"select cpu_idx, sum(user_s + system_s) from cpu group by 1\"
  heldup sql @last \"select class_name, sum(seconds) s from task_time group by 1 order by s desc\"
  heldup sql --since 03:00 --for 10m \"select time, load1 from system order by time\"
  heldup tables                     which tables there are

Of an archive every reading is a row; of tables that are read rarely (settings, mounts) the last
reading before the window stands for it. The engine is SQLite; times are milliseconds since 1970 UTC, and what was not measured is NULL.")]
pub struct SqlArgs {
    /// The source, where it is not the live machine (@last, a kept capture's folder or file, or an
    /// archive's folder), and the query
    #[arg(required = true, num_args = 1..=2, value_names = ["SOURCE", "QUERY"])]
    pub words: Vec<String>,
    /// How long to look, at the live machine or from --since on; live 1s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Only the rows of this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to write the rows
    #[arg(long, value_enum, default_value_t)]
    pub format: RowFormat,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
}

/// What `trace` drills down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceKind {
    /// Time on CPUs, in their queue, and throttled.
    Cpu,
    /// All time that tasks were held up.
    Wait,
    /// Waits for disks, swap and remote file systems.
    Io,
    /// Waits for locks, of programs and of the kernel.
    Lock,
    /// System calls, by how many; no times.
    Calls,
    /// Waits for memory to be freed, and for pages of files and swap.
    Memory,
}

impl From<TraceKind> for BreakdownKind {
    fn from(kind: TraceKind) -> BreakdownKind {
        match kind {
            TraceKind::Cpu => BreakdownKind::Cpu,
            TraceKind::Wait => BreakdownKind::Wait,
            TraceKind::Io => BreakdownKind::Io,
            TraceKind::Lock => BreakdownKind::Lock,
            TraceKind::Calls => BreakdownKind::Calls,
            TraceKind::Memory => BreakdownKind::Memory,
        }
    }
}

/// How a trace is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// For a person.
    #[default]
    Text,
    /// For a program: schema heldup/breakdown/1.
    Json,
    /// A line for each stack, with microseconds (of calls how many), as programs that draw flame graphs
    /// take it.
    Folded,
}

/// Options of `trace`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup trace wait --for 30s
  heldup trace io @last --focus device:vda
  sudo heldup trace lock --since \"yesterday 03:00\" --until 03:10
  heldup trace wait slow.heldup --format folded >waits.folded    for flamegraph.pl, inferno or speedscope

Programs and times are those of the ledger (task_time), without kernel threads; stacks are those of
waits that were long enough for one (stack), which an archive has once a minute. With --focus
device:NAME all of it is of stacks, which alone name a device. An archive is told by its last hour
where no time is asked for.")]
pub struct TraceArgs {
    /// Which time
    #[arg(value_enum)]
    pub kind: TraceKind,
    /// The source, where it is not the live machine: @last, a kept capture's folder or file, or an
    /// archive's folder
    pub source: Option<String>,
    /// How long to look, at the live machine or from --since on; live 10s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    pub format: TraceFormat,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
}

/// Options of `tables`.
#[derive(Args, Clone, Debug)]
pub struct TablesArgs {
    /// Table or view to describe; all of them in a line each without it
    pub name: Option<String>,
}

/// Commands about rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules
    List {
        /// Further rules: a folder of rule files
        #[arg(long, value_name = "FOLDER")]
        rules: Option<PathBuf>,
    },
    /// Explain a rule: what it means, how it is decided, when it is wrong
    Explain {
        /// Id, such as disk.saturated
        id: String,
        /// Further rules: a folder of rule files
        #[arg(long, value_name = "FOLDER")]
        rules: Option<PathBuf>,
    },
    /// Run each rule's own cases: small recorded tables that must fire or stay silent
    Test(RulesTestArgs),
}

/// Options of `rules test`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup rules test                        every rule, also those of /etc/heldup/rules and your own
  heldup rules test disk.saturated
  heldup rules test app.queue.toml --watch
  heldup rules test --robust               does a finding stand when readings are 5 % off?
  heldup rules test --rules ./rules        a folder of rules that is not installed

Of a rule that did not come with heldup, SQL, words and query plan are checked too.")]
pub struct RulesTestArgs {
    /// Only this rule: its id, or its file
    #[arg(value_name = "ID|FILE")]
    pub rule: Option<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Test again whenever a rule or its cases change, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Test whether answers stand when readings are 5 % off and when a sample is missing
    #[arg(long)]
    pub robust: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }

    fn parse(words: &[&str]) -> Cli {
        Cli::try_parse_from(std::iter::once("heldup").chain(words.iter().copied())).expect("parses")
    }

    #[test]
    fn no_command_is_examine() {
        let cli = parse(&["--for", "3s"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.examine.window, Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_command_to_run_follows_two_dashes() {
        let cli = parse(&["--format", "json", "--", "make", "-j4"]);
        assert_eq!(cli.run, ["make", "-j4"]);
    }
}
