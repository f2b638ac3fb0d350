//! Redis whose memory is more than it may keep: what clients ask for comes back from swap.

use anyhow::Result;

use crate::condition::until;
use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Suspect, Told};
use crate::host_figures::vmstat;
use crate::needs::Need;
use crate::redis::{self, Redis};
use crate::story::{Held, PYTHON, Scene, Story};
use crate::swap_file::SwapFile;

const SWAP: &[Need] = &[
    Need::Root,
    Need::Tool("fallocate"),
    Need::Tool("mkswap"),
    Need::Tool("swapon"),
    Need::File("/proc/swaps"),
    Need::Controller(Controller::Memory),
    Need::File(PYTHON),
];

pub(super) const STORY: Story =
    Story { name: "redis-swapping", needs: &[redis::NEEDS, SWAP], quick: false, ill, healthy };

const MIB: u32 = 400;
const GETS_PER_S: u32 = 500;

fn ill() -> Result<Scene> {
    let swap = SwapFile::new(1 << 30)?;
    let group = ControlGroup::new(Controller::Memory, "redis")?;
    group.limit_memory(128 << 20)?;
    let redis = Redis::start(Some(&group), MIB)?;
    let before = vmstat("pswpin")?;
    let load = redis.load("get", None)?;
    until("pages come back from swap", || Ok(vmstat("pswpin")? > before + 2000))?;
    let told = Told::within_three("mem.swapping", vec![], vec![Suspect::Process(redis.pid())]);
    let held: Held = vec![Box::new(load), Box::new(redis), Box::new(group), Box::new(swap)];
    Ok(Scene::new(vec![told], held))
}

/// Enough memory for all of it.
fn healthy() -> Result<Held> {
    let swap = SwapFile::new(1 << 30)?;
    let group = ControlGroup::new(Controller::Memory, "redis")?;
    group.limit_memory(2 << 30)?;
    let redis = Redis::start(Some(&group), MIB)?;
    let before = redis.answered()?;
    let load = redis.load("get", Some(GETS_PER_S))?;
    until("clients read", || Ok(redis.answered()? > before + 200))?;
    Ok(vec![Box::new(load), Box::new(redis), Box::new(group), Box::new(swap)])
}
