//! `heldup tune pin`: places processes, or a command, on CPUs, and says why on these.

use heldup_engine::tune::{PinRequest, WantedChanges};

use super::change_args::PinArgs;
use super::whom;
use crate::exit::Exit;

/// Places them, or shows where they would be.
pub fn run(args: &PinArgs) -> anyhow::Result<Exit> {
    let request = PinRequest {
        cpus: args.cpu_list.clone(),
        node: args.node,
        count: args.count,
        whom: whom::asked(&args.whom),
    };
    whom::run(&args.whom, WantedChanges::Pin(request))
}
