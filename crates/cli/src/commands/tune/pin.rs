//! `heldup tune pin`: places processes, or a command, on CPUs, and says why on these.

use anyhow::Context;
use heldup_hostfs::own_pid;
use heldup_report::harmless;
use heldup_tune::{Placed, PlacedOn, Plan, Program, Topology, place};

use super::apply::{Terms, carry_out, carry_out_for};
use super::change_args::PinArgs;
use super::plan;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use heldup_engine::changed::ChangedHost;

/// Places them, or shows where they would be.
pub fn run(args: &PinArgs) -> anyhow::Result<Exit> {
    let wanted = |changed: &ChangedHost| planned(changed, args);
    if args.whom.plan {
        let changed = ChangedHost::live();
        return plan::show(&changed, &wanted(&changed)?, args.whom.format, "without --plan it is made");
    }
    if !args.whom.command.is_empty() {
        return carry_out_for(&args.whom.command, wanted);
    }
    carry_out(Terms { persist: false, confirm: args.whom.confirm, format: args.whom.format }, wanted)
}

fn planned(changed: &ChangedHost, args: &PinArgs) -> anyhow::Result<Plan> {
    let host = &changed.host;
    let on = match (&args.cpus, args.node) {
        (Some(list), _) => PlacedOn::Cpus(
            heldup_tune::cpus(list)
                .ok_or_else(|| WrongUsage(format!("{} is no list of CPUs such as 0-3,8", harmless(list))))?,
        ),
        (None, Some(node)) => PlacedOn::Node(node),
        (None, None) => PlacedOn::Best(args.count),
    };
    let topology = Topology::of(host).context("CPUs cannot be read")?;
    let programs = if args.whom.command.is_empty() {
        let read = |pid: &i64| {
            Program::of(host, *pid).map_err(|error| WrongUsage(format!("process {pid}: {error}")).into())
        };
        args.whom.pid.iter().map(read).collect::<anyhow::Result<Vec<Program>>>()?
    } else {
        // How many threads a command will have nobody knows: it gets a CPU, unless it is told how many.
        let name = args.whom.command[0].to_string_lossy().into_owned();
        vec![Program { pid: own_pid(), name, threads: 1, ..Program::default() }]
    };
    let placed = place(&topology, &programs, &on).map_err(WrongUsage)?;
    for (program, placed) in programs.iter().zip(&placed) {
        eprintln!("heldup: {}", said(program, placed));
    }
    let list = |placed: &Placed| placed.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let assignments: Vec<(String, String)> =
        placed.iter().map(|placed| (format!("process.{}.affinity", placed.pid), list(placed))).collect();
    Ok(changed.plan(&assignments, false)?)
}

fn said(program: &Program, placed: &Placed) -> String {
    let cpus = placed.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    harmless(&format!("{} ({}) on CPUs {cpus}: {}", program.name, placed.pid, placed.reasons.join("; ")))
}
