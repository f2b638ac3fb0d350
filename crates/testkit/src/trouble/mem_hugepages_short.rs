//! A program that works all over gigabytes of private memory, in pages of 4 kB.

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::host_figures::meminfo_bytes;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.hugepages-short", needs: &[Need::Root, Need::File(MODE)], make };

/// Who gets transparent huge pages.
const MODE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

fn make() -> Result<Trouble> {
    // Less than gigabytes gain little, whatever share of the machine they are.
    let wanted = (meminfo_bytes("MemTotal")? / 8).max(5 << 29);
    ensure!(meminfo_bytes("MemAvailable")? > 2 * wanted, "too little memory is free");
    let mode = KernelSetting::set(MODE, "madvise")?;
    let mut program = Running::program("walk_memory", &[&wanted.to_string()])?;
    let said = program.line()?;
    ensure!(said == "touched", "walk_memory said {said}");
    let expected = Expected {
        id: "mem.hugepages-short",
        subject: vec!["walk_memory".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(mode)]))
}
