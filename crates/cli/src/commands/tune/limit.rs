//! `heldup tune limit`: holds processes, or a command, to limits by a control group of their own.

use heldup_engine::tune::{LimitRequest, WantedChanges};

use super::change_args::LimitArgs;
use super::whom;
use crate::exit::Exit;

/// Makes the group, or shows what it would be.
pub fn run(args: &LimitArgs) -> anyhow::Result<Exit> {
    let request = LimitRequest {
        cpus: args.cpu_quota,
        memory_bytes: args.memory,
        tasks: args.tasks,
        read: args.read.clone(),
        write: args.write.clone(),
        whom: whom::asked(&args.whom),
    };
    whom::run(&args.whom, WantedChanges::Limit(request))
}
