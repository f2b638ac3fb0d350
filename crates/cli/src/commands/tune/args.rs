//! The command line of `heldup tune`.

use clap::{Args, Subcommand, ValueEnum};

use super::change_args::ChangeCommand;
use crate::args::OutputArgs;

/// What to do with settings.
#[derive(Debug, Subcommand)]
pub enum TuneCommand {
    /// List settings with value, default and who set them
    List(TuneListArgs),
    /// Show a setting: what it does, risks, default, value here
    Show(TuneShowArgs),
    /// Check files of settings for what is obsolete, invalid, risky or needless
    Audit(TuneAuditArgs),
    /// List profiles, or show what one sets and why
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Change settings and undo that.
    #[command(flatten)]
    Change(ChangeCommand),
}

/// Options of `tune list`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  heldup tune list memory           the settings of an area
  heldup tune list dirty            those with this in their id
  heldup tune list --changed        those that somebody set
  heldup tune list --json           all that is known of each")]
pub struct TuneListArgs {
    /// Area (memory, cpu, disk, …) or part of an ID (default: all)
    pub text: Option<String>,
    /// Only settings that a file sets, differ from the default, or are set twice
    #[arg(long)]
    pub changed: bool,
    /// Rows at most
    #[arg(short = 'n', long, value_name = "N")]
    pub rows: Option<usize>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `tune show`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  heldup tune show vm.dirty_ratio
  heldup tune show block.*.queue.scheduler
  heldup tune show /sys/block/vda/queue/nr_requests")]
pub struct TuneShowArgs {
    /// ID (vm.swappiness), that of one device (block.vda.queue.scheduler), or path
    pub id: String,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `tune audit`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  heldup tune audit /etc/sysctl.conf
  heldup tune audit --release 6.1 old.conf new.conf
  sysctl -a | heldup tune audit -             what a running machine has
  heldup tune audit --release solaris-11 /etc/system
  heldup tune audit --release linux-6.12 /etc/system

It reads sysctl.conf(5), what sysctl -a printed, scripts with sysctl -w and echo, /etc/system of
Solaris, and lists of AIX (vmo -a, no -a, ioo -a). Nothing is written.
Exit codes: 0 done, 2 wrong usage, 3 could not do it; with --fail-on 1 when a line is as bad as that.")]
pub struct TuneAuditArgs {
    /// Files, in the order they are applied; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Release: 6.1, solaris-11, aix-7.2, linux-6.1 (default: this kernel)
    ///
    /// Use linux-6.1 also for files of another system that are to be used on Linux. For another system the default
    /// is its newest known release.
    #[arg(long, value_name = "[SYSTEM-]NUMBER")]
    pub release: Option<String>,
    /// Show also lines without remarks
    #[arg(long)]
    pub all: bool,
    /// Exit with 1 if a line has a remark (info) or should be changed (warning)
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true)]
    pub fail_on: Option<AuditSeverity>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How bad a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AuditSeverity {
    /// There is a remark on it.
    Info,
    /// It should be changed.
    Warning,
}

/// What to do with profiles.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List profiles: ours, and those of tuned that are installed (tuned/NAME)
    List(OutputArgs),
    /// Show what a profile sets, and why
    #[command(after_long_help = "\
Examples:
  heldup tune profile show oltp
  heldup tune plan --profile oltp               what it would change on this machine
  heldup tune apply --profile oltp --confirm 5m")]
    Show(ProfileNameArgs),
}

/// A profile.
#[derive(Args, Clone, Debug)]
pub struct ProfileNameArgs {
    /// Its name; tuned/NAME for one of tuned
    #[arg(value_name = "NAME")]
    pub name: String,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}
