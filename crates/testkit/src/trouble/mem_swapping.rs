//! A program whose memory is eight times what its group may keep; the rest is in swap.

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::host_figures::vmstat;
use crate::needs::Need;
use crate::running::Running;
use crate::swap_file::SwapFile;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "mem.swapping",
    needs: &[
        Need::Root,
        Need::Tool("fallocate"),
        Need::Tool("mkswap"),
        Need::Tool("swapon"),
        Need::File("/proc/swaps"),
        Need::Controller(Controller::Memory),
    ],
    make,
};

fn make() -> Result<Trouble> {
    let swap = SwapFile::new(1200 << 20)?;
    let group = ControlGroup::new(Controller::Memory, "swaps")?;
    group.limit_memory(64 << 20)?;
    let before = vmstat("pswpin")?;
    let program = Running::program_in(&group, "waits_memory", &[&"120", &"/", &"swap-in"])?;
    until("pages come back from swap", || Ok(vmstat("pswpin")? > before + 20_000))?;
    let expected =
        Expected { id: "mem.swapping", subject: vec![], culprits: vec![Suspect::Process(program.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group), Box::new(swap)]))
}
