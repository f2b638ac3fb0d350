//! A setting that puts off writing until it comes in bursts; nothing is slow because of it yet.

use anyhow::{Result, ensure};

use crate::expect::Expected;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "config.risky", needs: &[Need::Root, Need::File("/proc/sys/vm/laptop_mode")], make };

fn make() -> Result<Trouble> {
    let changed = KernelSetting::set("/proc/sys/vm/laptop_mode", "5")?;
    ensure!(changed.value()? == "5", "laptop_mode did not change");
    let expected =
        Expected { id: "config.risky", subject: vec!["vm.laptop_mode".to_owned()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(changed)]))
}
