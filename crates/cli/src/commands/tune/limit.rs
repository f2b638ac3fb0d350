//! `heldup tune limit`: holds processes, or a command, to limits by a control group of their own.

use heldup_hostfs::{Host, own_pid};
use heldup_report::harmless;
use heldup_tune::{IoLimit, LimitError, Limits, Plan};

use super::apply::{Terms, carry_out, carry_out_for};
use super::change_args::LimitArgs;
use super::plan;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use heldup_engine::changed::ChangedHost;

/// Makes the group, or shows what it would be.
pub fn run(args: &LimitArgs) -> anyhow::Result<Exit> {
    let own = [own_pid()];
    let pids: &[i64] = if args.whom.command.is_empty() { &args.whom.pid } else { &own };
    let wanted = |changed: &ChangedHost| planned(&changed.host, args, pids);
    if args.whom.plan {
        let changed = ChangedHost::live();
        return plan::show(&changed, &wanted(&changed)?, args.whom.format, "without --plan it is made");
    }
    if !args.whom.command.is_empty() {
        return carry_out_for(&args.whom.command, wanted);
    }
    carry_out(Terms { persist: false, confirm: args.whom.confirm, format: args.whom.format }, wanted)
}

fn planned(host: &Host, args: &LimitArgs, pids: &[i64]) -> anyhow::Result<Plan> {
    let mut io: Vec<IoLimit> = Vec::new();
    let reads = args.read.iter().map(|(disk, bytes)| (disk, Some(*bytes), None));
    let writes = args.write.iter().map(|(disk, bytes)| (disk, None, Some(*bytes)));
    for (disk, read_bytes_per_s, written_bytes_per_s) in reads.chain(writes) {
        let device = number(host, disk)?;
        match io.iter_mut().find(|had| had.device == device) {
            Some(had) => had.written_bytes_per_s = had.written_bytes_per_s.or(written_bytes_per_s),
            None => io.push(IoLimit { device, read_bytes_per_s, written_bytes_per_s }),
        }
    }
    let limits = Limits { cpus: args.cpus, memory_bytes: args.memory, tasks: args.tasks, io };
    // Ours by the program that makes it; two of one number are not at work at once.
    let name = format!("heldup-{}", own_pid());
    Plan::of_limits(host, &name, &limits, pids).map_err(|error| match error {
        LimitError::Nothing | LimitError::Nobody | LimitError::NoProcess { .. } => {
            WrongUsage(harmless(&error.to_string())).into()
        }
        other => other.into(),
    })
}

/// The number of a disk, `253:0`, by its name or its file in `/dev`.
fn number(host: &Host, disk: &str) -> anyhow::Result<String> {
    let name = disk.strip_prefix("/dev/").unwrap_or(disk);
    host.read_text(format!("/sys/block/{name}/dev")).map_err(|_| {
        WrongUsage(format!(
            "{} is no disk; `ls /sys/block` shows them, partitions are not limited",
            harmless(disk)
        ))
        .into()
    })
}
