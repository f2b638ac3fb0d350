//! An eighth of memory put aside in huge pages that no program maps.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::expect::Expected;
use crate::host_figures::meminfo_bytes;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "mem.hugepages-unused", needs: &[Need::Root, Need::File(POOL)], make };

const POOL: &str = "/proc/sys/vm/nr_hugepages";

fn make() -> Result<Trouble> {
    let wanted = meminfo_bytes("MemTotal")? / 8;
    ensure!(
        meminfo_bytes("MemAvailable")? > 2 * wanted,
        "too little memory is free to put an eighth of it aside"
    );
    let page = meminfo_bytes("Hugepagesize")?;
    let before: u64 = fs::read_to_string(POOL)?.trim().parse().context(POOL)?;
    let pool = KernelSetting::set(POOL, &(before + wanted / page).to_string())?;
    // The kernel takes what it can find and reports no error.
    let unused = meminfo_bytes("HugePages_Free")?;
    ensure!(unused * page >= wanted / 2, "the kernel found only {unused} huge pages");
    let expected = Expected { id: "mem.hugepages-unused", subject: vec![], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(pool)]))
}
