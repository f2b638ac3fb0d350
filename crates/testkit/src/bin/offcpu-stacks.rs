//! The rival of `cargo xtask bench`: an off-CPU program that takes a kernel and a user stack
//! at every switch, so that what our ledger saves is measured and not claimed.
//!
//! Says `attached`, looks until its input ends (or SIGTERM ends it), and then says in one
//! line how much it saw: WAITS WITH_BOTH_STACKS OFF_CPU_NS. It names no function: what names
//! cost comes after looking. No part of the product.

use std::io::{Read, Write};

use anyhow::{Context, Result};
use aya::maps::{HashMap, MapData};
use aya::programs::BtfTracePoint;
use aya::{Btf, Ebpf};

const OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/programs/bpf/offcpu_stacks.x86_64.bpf.o"
));

/// `struct wait_key` of the object: tgid, tid, user stack, kernel stack; a stack below 0 is none.
type WaitKey = [i32; 4];

fn main() -> Result<()> {
    let types = Btf::from_sys_fs().context("the kernel's types, /sys/kernel/btf/vmlinux")?;
    let mut object = Ebpf::load(OBJECT).context("load offcpu_stacks.bpf.o")?;
    let program: &mut BtfTracePoint =
        object.program_mut("on_switch").context("the object has no program on_switch")?.try_into()?;
    program.load("sched_switch", &types).context("load on_switch")?;
    program.attach().context("attach on_switch to sched_switch")?;
    say("attached")?;
    std::io::stdin().read_to_end(&mut Vec::new()).context("wait for the end of the input")?;
    let waits = object.map("off_ns").context("the object has no map off_ns")?;
    say(&summary(&HashMap::try_from(waits)?)?)
}

fn summary(waits: &HashMap<&MapData, WaitKey, u64>) -> Result<String> {
    let (mut all, mut with_both, mut off_ns) = (0_u64, 0_u64, 0_u64);
    for wait in waits {
        let ([_, _, user, kernel], ns) = wait.context("read off_ns")?;
        all += 1;
        with_both += u64::from(user >= 0 && kernel >= 0);
        off_ns += ns;
    }
    Ok(format!("{all} {with_both} {off_ns}"))
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush().context("write to the output")
}
