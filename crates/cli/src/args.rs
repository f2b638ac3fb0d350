//! Options that several commands have.

use clap::{Args, ValueEnum};
use heldup_engine::AskedSpan;

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
