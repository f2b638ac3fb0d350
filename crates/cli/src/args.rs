//! Options that several commands have.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use heldup_diagnose::Focus;
use heldup_engine::AskedSpan;
use heldup_model::Severity;

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: one document with a schema.
    Json,
    /// For spreadsheets: the main list of the answer, a header line first.
    Csv,
}

/// When colour is used.
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

/// What `--format` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// A form of [`Format`].
    Plain(Format),
    /// One file of HTML.
    Page,
}

const PLAIN: [&str; 3] = ["text", "json", "csv"];

fn written(name: String) -> Written {
    match name.as_str() {
        "json" => Written::Plain(Format::Json),
        "csv" => Written::Plain(Format::Csv),
        "html" => Written::Page,
        _ => Written::Plain(Format::Text),
    }
}

/// Adds a page to the forms of a command that can write one.
pub fn with_page(arg: clap::Arg) -> clap::Arg {
    let names = PLAIN.into_iter().chain(["html"]).collect::<Vec<_>>();
    let parser = PossibleValuesParser::new(names).map(written);
    arg.value_parser(parser).help("Output format: text, json, csv or html")
}

/// In which form a command answers.
#[derive(Args, Clone, Debug, Default)]
pub struct OutputArgs {
    /// Write JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Output format: text, json or csv
    #[arg(
        long,
        value_parser = PossibleValuesParser::new(PLAIN).map(written),
        value_name = "FORMAT",
        hide_possible_values = true,
        hide_short_help = true
    )]
    format: Option<Written>,
}

impl OutputArgs {
    /// The form that was asked for.
    pub fn format(&self) -> Format {
        match self.format {
            _ if self.json => Format::Json,
            Some(Written::Plain(format)) => format,
            Some(Written::Page) | None => Format::Text,
        }
    }

    /// Whether a page was asked for, by the format or by the name of the file.
    pub fn is_page(&self, file: Option<&Path>) -> bool {
        let is_named = || file.and_then(Path::extension).is_some_and(|extension| extension == "html");
        match self.format {
            Some(written) => written == Written::Page,
            None => !self.json && is_named(),
        }
    }
}

/// Where an answer goes, and with which names.
#[derive(Args, Clone, Debug, Default)]
pub struct PageArgs {
    /// Write the answer to FILE; as one page of HTML where it ends in .html
    #[arg(short, long, value_name = "FILE", hide_short_help = true)]
    pub output: Option<PathBuf>,
    /// Replace names of people and machines by pseudonyms
    #[arg(long, hide_short_help = true)]
    pub redact: bool,
}

/// How something is drawn in a terminal.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// Use colour: auto, always or never
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub color: ColorChoice,
    /// Use plain ASCII
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
}

/// How the lines of an answer are written.
#[derive(Args, Clone, Debug)]
pub struct LineArgs {
    /// In which form.
    #[command(flatten)]
    output: OutputArgs,
    /// How they look.
    #[command(flatten)]
    pub look: LookArgs,
    /// Show findings only, one line each
    #[arg(short, long)]
    pub quiet: bool,
}

impl LineArgs {
    /// In which form.
    pub fn format(&self) -> Format {
        self.output.format()
    }

    /// Whether as a page.
    pub fn is_page(&self, file: Option<&Path>) -> bool {
        self.output.is_page(file)
    }
}

/// How an answer is written, and how much of it.
#[derive(Args, Clone, Debug)]
pub struct AnswerArgs {
    /// Its lines.
    #[command(flatten)]
    pub line: LineArgs,
    /// Show all findings with all evidence
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl AnswerArgs {
    /// In which form.
    pub fn format(&self) -> Format {
        self.line.format()
    }

    /// Whether as a page.
    pub fn is_page(&self, file: Option<&Path>) -> bool {
        self.line.is_page(file)
    }

    /// Whether only findings are wanted.
    pub fn quiet(&self) -> bool {
        self.line.quiet
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeverityChoice {
    /// Failures now, a quarter of active time, or exhaustion within an hour.
    Critical,
    /// 5 % of active time for 2 s or longer, or exhaustion within a day.
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

/// Whether what was found fails the command.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct FailOnArgs {
    /// Exit with 1 if a finding has this severity or a higher one: info, warning or critical
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true)]
    pub fail_on: Option<SeverityChoice>,
}

impl FailOnArgs {
    /// Whether the worst of what was found fails the command.
    pub fn fails(self, worst: Option<Severity>) -> bool {
        let limit = self.fail_on.map(Severity::from);
        worst.zip(limit).is_some_and(|(worst, limit)| worst <= limit)
    }
}

/// How time is accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MethodChoice {
    /// The best that the machine and the permissions allow: ebpf, else sampling.
    #[default]
    Auto,
    /// Every context switch, by eBPF: exact, all classes; fails where that is not allowed.
    Ebpf,
    /// CPU and run queue from the kernel's counters; the rest by sampling each thread 5 to 20 times a
    /// second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a
    /// sample; without root most waits too.
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

/// How time is accounted for, as an option.
#[derive(Args, Clone, Copy, Debug)]
pub struct MethodArgs {
    /// Account for time by: auto, ebpf, sampling or delays
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "METHOD",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub method: MethodChoice,
}

/// Which part of a recording.
#[derive(Args, Clone, Debug, Default)]
pub struct SpanArgs {
    /// Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// End: 03:10, +10m after --since, now
    #[arg(long, value_name = "TIME", requires = "since", hide_short_help = true)]
    pub until: Option<String>,
    /// Host, in a recording of several
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub host: Option<String>,
}

impl SpanArgs {
    /// As the engine takes it.
    pub fn asked(&self) -> AskedSpan {
        AskedSpan { since: self.since.clone(), until: self.until.clone(), host: self.host.clone() }
    }
}

/// The subject that alone is examined.
#[derive(Args, Clone, Debug, Default)]
#[group(multiple = false)]
pub struct FocusArgs {
    /// Only this process
    #[arg(short, long, value_name = "PID", value_parser = pid)]
    pid: Option<i64>,
    /// Only this systemd unit
    #[arg(short, long, value_name = "UNIT")]
    unit: Option<String>,
    /// Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or
    /// command
    #[arg(long, value_name = "KIND:NAME", hide_short_help = true)]
    focus: Option<Focus>,
}

fn pid(text: &str) -> Result<i64, String> {
    text.parse().ok().filter(|pid| *pid > 0).ok_or_else(|| "expected the number of a process".to_owned())
}

impl FocusArgs {
    /// What is meant.
    pub fn focus(&self) -> Option<Focus> {
        let unit = self.unit.as_deref().map(|name| Focus::Unit(with_suffix(name)));
        self.pid.map(Focus::Pid).or(unit).or_else(|| self.focus.clone())
    }
}

/// `nginx` is `nginx.service`, as systemctl has it.
fn with_suffix(unit: &str) -> String {
    if unit.contains('.') { unit.to_owned() } else { format!("{unit}.service") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_without_suffix_is_a_service() {
        let focus = |unit: &str| FocusArgs { unit: Some(unit.to_owned()), ..FocusArgs::default() }.focus();
        assert_eq!(focus("nginx"), Some(Focus::Unit("nginx.service".to_owned())));
        assert_eq!(focus("user.slice"), Some(Focus::Unit("user.slice".to_owned())));
        assert_eq!(FocusArgs { pid: Some(7), ..FocusArgs::default() }.focus(), Some(Focus::Pid(7)));
    }

    #[test]
    fn a_limit_fails_on_itself_and_on_worse() {
        let fails = |limit, worst| FailOnArgs { fail_on: Some(limit) }.fails(worst);
        assert!(fails(SeverityChoice::Warning, Some(Severity::Critical)));
        assert!(fails(SeverityChoice::Warning, Some(Severity::Warning)));
        assert!(!fails(SeverityChoice::Warning, Some(Severity::Info)));
        assert!(!fails(SeverityChoice::Info, None));
        assert!(!FailOnArgs::default().fails(Some(Severity::Critical)));
    }
}
