//! The command line of what changes settings.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::arg_values::{parse_bytes, parse_duration};
use crate::args::OutputArgs;

/// Changing settings and undoing that.
#[derive(Clone, Debug, Subcommand)]
pub enum ChangeCommand {
    /// Show what a change would do, without making it
    #[command(after_long_help = "\
Examples:
  heldup tune plan vm.dirty_bytes=268435456
  heldup tune plan block.vda.queue.read_ahead_kb=1024 --persist
  heldup tune plan --profile oltp

Exit codes: 0 it can be applied, 2 unknown setting, 3 it cannot be applied.")]
    Plan(PlanArgs),
    /// Apply settings as one transaction; old values are saved first
    #[command(after_long_help = "\
Examples:
  heldup tune apply vm.swappiness=10 vm.dirty_bytes=268435456
  heldup tune apply block.*.queue.scheduler=none --confirm 5m
  heldup tune apply cgroup:/system.slice/cron.service/cpu.quota=1.5 --confirm 5m
  heldup tune apply net.core.somaxconn=8192 --persist
  heldup tune apply --profile oltp --confirm 5m

Changes last until the next boot, or until heldup tune undo. If the command is killed, the next
apply or undo undoes what it left, at the latest the next boot. Of a profile, settings that do not
exist here or cannot be set are reported and left out.
Exit codes: 0 done, 2 unknown setting, 3 not applied and nothing is changed, 4 interrupted (Ctrl-C,
SIGTERM) and undone.")]
    Apply(ApplyArgs),
    /// Keep changes that wait for confirmation
    #[command(after_long_help = "\
Examples:
  heldup tune confirm               all that wait
  heldup tune confirm 3             the plan of this change

Exit codes: 0 done, 3 nothing waits, or its time is over.")]
    Confirm(ConfirmArgs),
    /// Undo changes: the latest plan, some by number or setting, or all
    #[command(after_long_help = "\
Examples:
  heldup tune undo                  what the last apply changed
  heldup tune undo 3
  heldup tune undo vm.swappiness    its latest change
  heldup tune undo --all

Settings modified by someone else since are left as they are and reported.
Exit codes: 0 done, 2 unknown change, 3 something could not be undone.")]
    Undo(UndoArgs),
    /// Limit CPU, memory or I/O of processes or a command (temporary cgroup)
    #[command(after_long_help = "\
Examples:
  heldup tune limit --memory 1GB --cpu-quota 2 -p 123
  heldup tune limit --cpu-quota 0.5 -- make -j8
  heldup tune limit --write /dev/sda=20MB -p 123 --confirm 10m
  heldup tune limit --memory 1GB -p 123 --plan

The cgroup is created beside that of the first process (cgroup v2), or below its own (v1); children
are in it too. heldup tune undo moves the processes back and removes it. A command is released when
it ends, and its exit code is this program's (127: not found). Other exit codes: as heldup tune
apply.")]
    Limit(LimitArgs),
    /// Pin processes or a command to CPUs: a list, a node, or the best
    #[command(after_long_help = "\
Examples:
  heldup tune pin -p 123 -p 456             near their memory, away from interrupts, apart
  heldup tune pin --count 4 -p 123
  heldup tune pin --cpu-list 2-3 -- ./server
  heldup tune pin --node 1 -p 123 --plan

All threads of a process are pinned, and their children. Memory stays where it is. heldup tune undo
undoes it, thread by thread. Exit codes: as heldup tune limit.")]
    Pin(PinArgs),
    /// List changes: in effect, waiting, modified by others, undone
    Status(OutputArgs),
    /// Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)
    #[command(hide = true)]
    Recover(OutputArgs),
    /// Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)
    #[command(hide = true)]
    Guard {
        /// Number of the plan.
        #[arg(long)]
        plan: u64,
    },
}

/// Settings, or a profile of them.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub struct WantedArgs {
    /// Setting (ID, key of one device, or path) and its value
    #[arg(value_name = "SETTING=VALUE", value_parser = parse_assignment)]
    pub assignments: Vec<(String, String)>,
    /// All settings of a profile (tuned/NAME: of tuned)
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

/// Options of `tune plan`.
#[derive(Args, Clone, Debug)]
pub struct PlanArgs {
    /// What to change.
    #[command(flatten)]
    pub wanted: WantedArgs,
    /// Apply at each boot too: sysctl.d, udev rule or tmpfiles.d
    #[arg(long)]
    pub persist: bool,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `tune apply`.
#[derive(Args, Clone, Debug)]
pub struct ApplyArgs {
    /// What to change.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub confirm: Option<Duration>,
}

/// Options of `tune confirm`.
#[derive(Args, Clone, Debug)]
pub struct ConfirmArgs {
    /// Numbers of changes (default: all that wait)
    #[arg(value_name = "CHANGE")]
    pub changes: Vec<u64>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `tune limit`.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// CPUs they may use together (2, 0.5)
    #[arg(long, value_name = "NUMBER", value_parser = parse_cpus)]
    pub cpu_quota: Option<f64>,
    /// Memory they may use together, page cache included (1GB)
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Processes and threads together
    #[arg(long, value_name = "NUMBER")]
    pub tasks: Option<u64>,
    /// Read rate of a disk, bytes/s (/dev/sda=20MB)
    #[arg(long, value_name = "DISK=SIZE", value_parser = parse_rate)]
    pub read: Vec<(String, u64)>,
    /// Write rate of a disk, bytes/s
    #[arg(long, value_name = "DISK=SIZE", value_parser = parse_rate)]
    pub write: Vec<(String, u64)>,
    /// Processes or a command.
    #[command(flatten)]
    pub whom: WhomArgs,
}

/// Options of `tune pin`.
#[derive(Args, Clone, Debug)]
pub struct PinArgs {
    /// These CPUs (0-3,8)
    #[arg(long, value_name = "LIST", conflicts_with_all = ["node", "count"])]
    pub cpu_list: Option<String>,
    /// The CPUs of a NUMA node
    #[arg(long, value_name = "NUMBER", conflicts_with = "count")]
    pub node: Option<usize>,
    /// CPUs per process, chosen near its memory (default: one per thread)
    #[arg(long, value_name = "NUMBER")]
    pub count: Option<usize>,
    /// Processes or a command.
    #[command(flatten)]
    pub whom: WhomArgs,
}

/// Processes or a command, and how long it is for.
#[derive(Args, Clone, Debug)]
pub struct WhomArgs {
    /// Process (repeat for several)
    #[arg(short, long, value_name = "PID", required_unless_present = "command")]
    pub pid: Vec<i64>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub plan: bool,
    /// Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "command")]
    pub confirm: Option<Duration>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Command to run
    #[arg(last = true, conflicts_with_all = ["pid", "json", "format"], value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Options of `tune undo`.
#[derive(Args, Clone, Debug)]
pub struct UndoArgs {
    /// Changes by number (heldup tune status), or settings
    #[arg(value_name = "CHANGE|SETTING")]
    pub changes: Vec<String>,
    /// Undo all changes
    #[arg(long, conflicts_with = "changes")]
    pub all: bool,
    /// Overwrite what someone else has set since
    #[arg(long)]
    pub force: bool,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
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
