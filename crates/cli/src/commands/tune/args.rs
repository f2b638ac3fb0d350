//! The command line of `heldup tune`.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::change_args::ChangeCommand;
use crate::arg_values::parse_duration;
use crate::args::Format;

/// What to do with settings.
#[derive(Debug, Subcommand)]
pub enum TuneCommand {
    /// List settings with value, default and who set them
    List(TuneListArgs),
    /// Show a setting: what it does, what it works with, who should leave it alone, how it stands
    Show(TuneShowArgs),
    /// Judge files of settings, line by line, against a release: obsolete, refused, risky, needless
    Audit(TuneAuditArgs),
    /// List profiles, show one with its reasons, plan what it would change here, or make it
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Change settings and take that back.
    #[command(flatten)]
    Change(ChangeCommand),
}

/// Options of `tune list`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup tune list memory           the settings of an area
  heldup tune list dirty            those with this in their id
  heldup tune list --changed        those that somebody set
  heldup tune list --format json    all that is known of each, and how it stands here")]
pub struct TuneListArgs {
    /// An area (memory, cpu, disk, …), or a part of an id; all of them without it
    pub text: Option<String>,
    /// Only what a file sets, what is not its known default, and where files disagree
    #[arg(long)]
    pub changed: bool,
    /// How to write the answer; json is schema heldup/settings/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}

/// Options of `tune show`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup tune show vm.dirty_ratio
  heldup tune show block.*.queue.scheduler
  heldup tune show /sys/block/vda/queue/nr_requests")]
pub struct TuneShowArgs {
    /// Id, such as vm.swappiness; that of one device, such as block.vda.queue.scheduler; or a path
    pub id: String,
    /// How to write the answer; json is schema heldup/settings/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}

/// Options of `tune audit`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup tune audit /etc/sysctl.conf
  heldup tune audit --release 6.1 old.conf new.conf
  sysctl -a | heldup tune audit -             what a running machine has
  heldup tune audit --release solaris-11 /etc/system
  heldup tune audit --release linux-6.12 /etc/system

It reads sysctl.conf(5), what sysctl -a printed, scripts with sysctl -w and echo, /etc/system of
Solaris, and lists of AIX (vmo -a, no -a, ioo -a). Nothing is written.
Exit codes: 0 done, 2 wrong usage, 3 could not do it; with --check 1 when a line is to be changed.")]
pub struct TuneAuditArgs {
    /// Files, in the order in which they are applied; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Release to judge against: 6.1, solaris-11, aix-7.2, or linux-6.1 for files that are carried to
    /// Linux; without it this kernel's, of other systems the newest known
    #[arg(long, value_name = "[SYSTEM-]NUMBER")]
    pub release: Option<String>,
    /// Tell also lines of which nothing is to be said
    #[arg(long)]
    pub all: bool,
    /// Exit with 1 when a line is to be changed
    #[arg(long)]
    pub check: bool,
    /// How to write the answer; json is schema heldup/audit/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}

/// What to do with profiles.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List profiles: ours, and those of tuned that are installed (tuned/NAME)
    List {
        /// How to write the answer; json is schema heldup/profiles/1
        #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
        format: Format,
    },
    /// Show what a profile wants, and why
    Show(ProfileNameArgs),
    /// Show what a profile would change on this machine; nothing is written
    #[command(after_help = "\
Examples:
  heldup tune profile plan oltp
  heldup tune profile plan tuned/throughput-performance
  heldup tune profile plan power-saving --format json")]
    Plan(ProfileNameArgs),
    /// Make what a profile would change on this machine: through the log, so that it can be taken back
    #[command(after_help = "\
Examples:
  heldup tune profile apply oltp --confirm 5m
  heldup tune profile apply tuned/throughput-performance --persist

What is not on this machine, and what would be refused, is said and left out. heldup tune undo
takes all of it back; so does a boot, but for --persist.
Exit codes: 0 done, 3 it could not be done and nothing is changed, 4 interrupted and taken back.")]
    Apply(ProfileApplyArgs),
}

/// Options of `tune profile apply`.
#[derive(Args, Clone, Debug)]
pub struct ProfileApplyArgs {
    /// Its name; tuned/NAME for one of tuned
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d
    #[arg(long)]
    pub persist: bool,
    /// Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub confirm: Option<Duration>,
    /// How to write the answer; json is schema heldup/tune-apply/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}

/// A profile.
#[derive(Args, Clone, Debug)]
pub struct ProfileNameArgs {
    /// Its name; tuned/NAME for one of tuned
    #[arg(value_name = "NAME")]
    pub name: String,
    /// How to write the answer; json is schema heldup/profiles/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}
