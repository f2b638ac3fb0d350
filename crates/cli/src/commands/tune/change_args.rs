//! The command line of what changes settings.

use std::time::Duration;

use clap::{Args, Subcommand};
use heldup_tune::ChangeId;

use crate::args::{Format, parse_duration};

/// Changing settings and taking that back.
#[derive(Clone, Debug, Subcommand)]
pub enum ChangeCommand {
    /// Show what a change would do, without making it: value now, what moves with it, what speaks against it
    #[command(after_help = "\
Examples:
  heldup tune plan vm.dirty_bytes=268435456
  heldup tune plan block.vda.queue.read_ahead_kb=1024 --persist

Exit codes: 0 it could be made, 2 no such setting, 3 something would refuse it.")]
    Plan(PlanArgs),
    /// Change settings: all of them or none, with what was on the disk before anything is written
    #[command(after_help = "\
Examples:
  heldup tune apply vm.swappiness=10 vm.dirty_bytes=268435456
  heldup tune apply block.*.queue.scheduler=none --confirm 5m
  heldup tune apply net.core.somaxconn=8192 --persist

Until a boot, or until heldup tune undo. Exit codes: 0 done, 2 no such setting, 3 it could not be done and
nothing is changed, 4 interrupted (Ctrl-C, SIGTERM) and taken back. Killed in between, the next
apply, undo or recover takes it back, at the latest a boot.")]
    Apply(ApplyArgs),
    /// Let changes stand that --confirm would take back
    Confirm {
        /// Numbers of changes; all that wait without them
        changes: Vec<ChangeId>,
    },
    /// Take changes back, exactly: the latest plan, some by number, or all
    #[command(after_help = "\
Examples:
  heldup tune undo                  what the last apply changed
  heldup tune undo 3
  heldup tune undo --all

What somebody else has set since is left as it is and told. Exit codes: 0 done, 2 no such change, 3
something could not be taken back.")]
    Undo(UndoArgs),
    /// Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back
    Status {
        /// How it is written
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)
    Recover,
    /// Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)
    #[command(hide = true)]
    Guard {
        /// Number of the plan.
        #[arg(long)]
        plan: ChangeId,
    },
}

/// Options of `tune plan`.
#[derive(Args, Clone, Debug)]
pub struct PlanArgs {
    /// Id, key of one device (block.vda.queue.scheduler) or path, and the value
    #[arg(required = true, value_name = "SETTING=VALUE", value_parser = parse_assignment)]
    pub assignments: Vec<(String, String)>,
    /// Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d
    #[arg(long)]
    pub persist: bool,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Options of `tune apply`.
#[derive(Args, Clone, Debug)]
pub struct ApplyArgs {
    /// What to change.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub confirm: Option<Duration>,
}

/// Options of `tune undo`.
#[derive(Args, Clone, Debug)]
pub struct UndoArgs {
    /// Numbers of changes, as `heldup tune status` shows them
    pub changes: Vec<ChangeId>,
    /// Everything that stands
    #[arg(long, conflicts_with = "changes")]
    pub all: bool,
    /// Also what somebody else has set since
    #[arg(long)]
    pub force: bool,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Reads `SETTING=VALUE`.
fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("expected SETTING=VALUE, as in vm.swappiness=10".to_owned()),
    }
}
