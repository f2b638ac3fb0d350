//! Redis that saves while its clients write: the child writes all of the memory to the disk, and each
//! page that a client changes meanwhile is copied first.
//!
//! What somebody who knows Redis names: the child that saves takes a CPU beside the server (a reason to
//! save elsewhere or less often), and the kernel copies pages for the server. On a machine of few CPUs
//! the first is what is felt: no CPU is left for the clients.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::needs::Need;
use crate::redis::{self, Redis};
use crate::story::{Held, PYTHON, Scene, Story};

pub(super) const STORY: Story =
    Story { name: "redis-saving", needs: &[redis::NEEDS, &[Need::File(PYTHON)]], quick: false, ill, healthy };

/// More than a child writes in a window.
const MIB: u32 = 1500;
const SETS_PER_S: u32 = 500;

fn ill() -> Result<Scene> {
    let redis = Redis::start(None, MIB)?;
    let load = redis.load("set", None)?;
    let saves = redis.saves_on()?;
    until("it saves", || Ok(redis.figure("persistence", "rdb_bgsave_in_progress")? == 1))?;
    // The child of the server has its name.
    let who = Suspect::Named(&["redis-server", "redis-rdb-bgsave", "redis-rdb-bgsav"]);
    let told =
        Told::within_three("cpu.saturated", vec![], vec![who]).or("cpu.kernel-heavy").or("mem.page-tables");
    Ok(Scene::new(vec![told], vec![Box::new(load), Box::new(saves), Box::new(redis)]))
}

/// Clients that write as much as they need, and nothing is saved.
fn healthy() -> Result<Held> {
    let redis = Redis::start(None, MIB)?;
    let before = redis.answered()?;
    let load = redis.load("set", Some(SETS_PER_S))?;
    until("clients write", || Ok(redis.answered()? > before + 200))?;
    Ok(vec![Box::new(load), Box::new(redis)])
}
