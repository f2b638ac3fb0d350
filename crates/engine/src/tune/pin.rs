//! Placing processes, or a command, on CPUs, and why on these.

use heldup_hostfs::own_pid;
use heldup_tune::{Placed, PlacedOn, Plan, Program, Topology, place};

use super::changed::ChangedHost;
use super::wanted::Whom;
use crate::error::{Context, EngineError, Result};
use crate::progress::Progress;

/// CPUs, and who is placed on them.
#[derive(Clone, Debug)]
pub struct PinRequest {
    /// These CPUs, as a list such as `0-3,8`.
    pub cpus: Option<String>,
    /// Without them the CPUs of a node.
    pub node: Option<usize>,
    /// Without either so many for each process, chosen by where its memory is; one a thread without it.
    pub count: Option<usize>,
    /// Who is placed.
    pub whom: Whom,
}

/// The plan of where they are placed; the reasons are noted.
pub(super) fn planned(changed: &ChangedHost, request: &PinRequest, progress: &dyn Progress) -> Result<Plan> {
    let host = &changed.host;
    let on = match (&request.cpus, request.node) {
        (Some(list), _) => PlacedOn::Cpus(heldup_tune::cpus(list).ok_or_else(|| {
            EngineError::usage(format!("invalid CPU list {list} (expected one such as 0-3,8)"))
        })?),
        (None, Some(node)) => PlacedOn::Node(node),
        (None, None) => PlacedOn::Best(request.count),
    };
    let topology = Topology::of(host).context("cannot read the CPUs")?;
    let programs = match &request.whom {
        Whom::Processes(pids) => {
            let read = |pid: &i64| {
                Program::of(host, *pid).map_err(|error| EngineError::usage(format!("process {pid}: {error}")))
            };
            pids.iter().map(read).collect::<Result<Vec<Program>>>()?
        }
        // How many threads a command will have nobody knows: it gets a CPU, unless it is told how many.
        Whom::Command(name) => {
            vec![Program { pid: own_pid(), name: name.clone(), threads: 1, ..Program::default() }]
        }
    };
    let placed = place(&topology, &programs, &on).map_err(EngineError::usage)?;
    for (program, placed) in programs.iter().zip(&placed) {
        progress.note(&reasons(program, placed));
    }
    let assignments: Vec<(String, String)> =
        placed.iter().map(|placed| (format!("process.{}.affinity", placed.pid), list(placed, ","))).collect();
    changed.plan(&assignments, false)
}

fn list(placed: &Placed, between: &str) -> String {
    placed.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(between)
}

fn reasons(program: &Program, placed: &Placed) -> String {
    let (cpus, reasons) = (list(placed, ", "), placed.reasons.join("; "));
    format!("{} ({}) on CPUs {cpus}: {reasons}", program.name, placed.pid)
}
