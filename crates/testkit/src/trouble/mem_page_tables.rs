//! Processes that share one segment, and need three hundredths of memory to map it.

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::host_figures::meminfo_bytes;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.page-tables", needs: &[Need::File("/proc/meminfo")], make };

fn make() -> Result<Trouble> {
    let wanted = meminfo_bytes("MemTotal")? * 3 / 100;
    ensure!(meminfo_bytes("MemAvailable")? > 3 * wanted, "too little memory is free");
    let mut program = Running::program("sparse_sharers", &[&wanted.to_string()])?;
    let said = program.line()?;
    ensure!(said == "mapped", "sparse_sharers said {said}");
    ensure!(meminfo_bytes("PageTables")? >= wanted, "the page tables are shared here");
    let expected = Expected {
        id: "mem.page-tables",
        subject: vec![],
        culprits: vec![Suspect::Named(&["sparse_sharers"])],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
