//! A program that makes sockets and closes none: 400 MB of the kernel's objects in 20 s.

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::meminfo_bytes;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "mem.slab-growth", needs: &[Need::Root], make };

const BYTES: u64 = 400 << 20;

fn make() -> Result<Trouble> {
    ensure!(meminfo_bytes("MemAvailable")? > 3 * BYTES, "too little memory is free");
    let before = meminfo_bytes("SUnreclaim")?;
    let program = Running::program("hoard_sockets", &[&BYTES.to_string()])?;
    until("the kernel's own memory grows", || Ok(meminfo_bytes("SUnreclaim")? > before + BYTES / 20))?;
    let expected =
        Expected { id: "mem.slab-growth", subject: vec![], culprits: vec![Suspect::Process(program.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
