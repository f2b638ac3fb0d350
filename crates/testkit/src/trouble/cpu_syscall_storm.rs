//! A program that writes byte by byte.

use std::fs;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

/// More than any program needs that does something with what it writes.
const CALLS: u64 = 500_000;

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "cpu.syscall-storm", needs: &[Need::Root], make };

fn make() -> Result<Trouble> {
    let program = Running::program("small_writes", &[])?;
    let path = format!("/proc/{}/io", program.pid());
    until("it has written half a million times", || {
        let text = fs::read_to_string(&path)?;
        let calls = text.lines().find_map(|line| line.strip_prefix("syscw: ")?.parse::<u64>().ok());
        Ok(calls.with_context(|| format!("{path}: no syscw"))? >= CALLS)
    })?;
    let expected = Expected {
        id: "cpu.syscall-storm",
        subject: vec!["small_writes".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
