//! The command line of what changes settings.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::arg_values::{parse_bytes, parse_duration};
use crate::args::Format;

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
  heldup tune apply cgroup:/system.slice/cron.service/cpu.quota=1.5 --confirm 5m
  heldup tune apply net.core.somaxconn=8192 --persist

It lasts until a boot, or until heldup tune undo. Killed in between, the next apply, undo or
recover takes it back, at the latest a boot.
Exit codes: 0 done, 2 no such setting, 3 it could not be done and nothing is changed, 4 interrupted
(Ctrl-C, SIGTERM) and taken back.")]
    Apply(ApplyArgs),
    /// Let changes stand that --confirm would take back
    #[command(after_help = "\
Examples:
  heldup tune confirm               all that wait
  heldup tune confirm 3             the plan of this change

Exit codes: 0 done, 3 nothing waits, or its time is over.")]
    Confirm {
        /// Numbers of changes; all that wait without them
        changes: Vec<u64>,
    },
    /// Take changes back, exactly: the latest plan, some by number or setting, or all
    #[command(after_help = "\
Examples:
  heldup tune undo                  what the last apply changed
  heldup tune undo 3
  heldup tune undo vm.swappiness    the latest change of it
  heldup tune undo --all

What somebody else has set since is left as it is and told.
Exit codes: 0 done, 2 no such change, 3 something could not be taken back.")]
    Undo(UndoArgs),
    /// Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again
    #[command(after_help = "\
Examples:
  heldup tune limit --memory 1GB --cpus 2 --pid 123
  heldup tune limit --cpus 0.5 -- make -j8
  heldup tune limit --write /dev/sda=20MB --pid 123 --confirm 10m
  heldup tune limit --memory 1GB --pid 123 --plan

The group is a sister of the first process's (control groups of v2), or below its own (v1); what
the processes start is in it too. heldup tune undo moves them back and takes the group away.
A command is let go when it ends, and its exit code is this program's. Other exit codes: as heldup
tune apply.")]
    Limit(LimitArgs),
    /// Place processes, or a command, on CPUs: those you name, a node's, or the best ones, with the reasons
    #[command(after_help = "\
Examples:
  heldup tune pin --pid 123 --pid 456       near their memory, away from interrupts, apart
  heldup tune pin --count 4 --pid 123
  heldup tune pin --cpus 2-3 -- ./server
  heldup tune pin --node 1 --pid 123 --plan

All threads of a process are placed, and what they start. Memory that it has stays where it is.
heldup tune undo takes it back, thread by thread. Exit codes: as heldup tune limit.")]
    Pin(PinArgs),
    /// Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back
    Status {
        /// How to write the answer; json is schema heldup/tune-status/1
        #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
        format: Format,
    },
    /// Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)
    Recover,
    /// Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)
    #[command(hide = true)]
    Guard {
        /// Number of the plan.
        #[arg(long)]
        plan: u64,
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
    /// How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
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

/// Options of `tune limit`.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// CPUs that they may use together, such as 2 or 0.5
    #[arg(long, value_name = "NUMBER", value_parser = parse_cpus)]
    pub cpus: Option<f64>,
    /// Memory that they may use together, page cache included (500MB, 1GB)
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Processes and threads that they may be
    #[arg(long, value_name = "NUMBER")]
    pub tasks: Option<u64>,
    /// Bytes a second that they may read from a disk, such as /dev/sda=20MB
    #[arg(long, value_name = "DISK=SIZE", value_parser = parse_rate)]
    pub read: Vec<(String, u64)>,
    /// Bytes a second that they may write to a disk
    #[arg(long, value_name = "DISK=SIZE", value_parser = parse_rate)]
    pub write: Vec<(String, u64)>,
    /// Whom it is for.
    #[command(flatten)]
    pub whom: WhomArgs,
}

/// Options of `tune pin`.
#[derive(Args, Clone, Debug)]
pub struct PinArgs {
    /// These CPUs, such as 0-3,8
    #[arg(long, value_name = "LIST", conflicts_with_all = ["node", "count"])]
    pub cpus: Option<String>,
    /// The CPUs of a NUMA node
    #[arg(long, value_name = "NUMBER", conflicts_with = "count")]
    pub node: Option<usize>,
    /// So many CPUs for each process, chosen by where its memory is; one a thread without it
    #[arg(long, value_name = "NUMBER")]
    pub count: Option<usize>,
    /// Whom it is for.
    #[command(flatten)]
    pub whom: WhomArgs,
}

/// Processes or a command, and how long it is for.
#[derive(Args, Clone, Debug)]
pub struct WhomArgs {
    /// A process; several times for several
    #[arg(long, value_name = "PID", required_unless_present = "command")]
    pub pid: Vec<i64>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub plan: bool,
    /// Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "command")]
    pub confirm: Option<Duration>,
    /// How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "text|json",
        conflicts_with = "command"
    )]
    pub format: Format,
    /// A command to run with it
    #[arg(last = true, conflicts_with = "pid")]
    pub command: Vec<OsString>,
}

/// Options of `tune undo`.
#[derive(Args, Clone, Debug)]
pub struct UndoArgs {
    /// Numbers of changes, as `heldup tune status` shows them, or settings: the latest change of each
    #[arg(value_name = "CHANGE|SETTING")]
    pub changes: Vec<String>,
    /// Everything that stands
    #[arg(long, conflicts_with = "changes")]
    pub all: bool,
    /// Also what somebody else has set since
    #[arg(long)]
    pub force: bool,
    /// How to write the answer; json is schema heldup/tune-undo/1
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    pub format: Format,
}

/// Reads a number of CPUs.
fn parse_cpus(text: &str) -> Result<f64, String> {
    let cpus = text.parse::<f64>().ok().filter(|cpus| cpus.is_finite() && *cpus > 0.0);
    cpus.ok_or_else(|| "expected a number of CPUs, such as 2 or 0.5".to_owned())
}

/// Reads `DISK=SIZE`.
fn parse_rate(text: &str) -> Result<(String, u64), String> {
    let (disk, size) = text.split_once('=').ok_or("expected DISK=SIZE, as in /dev/sda=20MB")?;
    Ok((disk.to_owned(), parse_bytes(size)?))
}

/// Reads `SETTING=VALUE`.
fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("expected SETTING=VALUE, as in vm.swappiness=10".to_owned()),
    }
}
