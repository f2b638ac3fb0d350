//! A setting that puts off writing until it comes in bursts; nothing is slow because of it yet.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::expect::Expected;
use crate::needs::Need;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "config.risky", needs: &[Need::Root, Need::File("/proc/sys/vm/laptop_mode")], make };

/// A setting that gets its old value back when dropped.
struct Changed {
    file: PathBuf,
    before: String,
}

impl Changed {
    fn to(file: &str, value: &str) -> Result<Changed> {
        let file = PathBuf::from(file);
        let before = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        fs::write(&file, value).with_context(|| format!("write {value} to {}", file.display()))?;
        Ok(Changed { file, before })
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.file, self.before.trim()) {
            eprintln!("left behind: {}: {error}", self.file.display());
        }
    }
}

fn make() -> Result<Trouble> {
    let changed = Changed::to("/proc/sys/vm/laptop_mode", "5")?;
    ensure!(fs::read_to_string(&changed.file)?.trim() == "5", "laptop_mode did not change");
    let expected =
        Expected { id: "config.risky", subject: vec!["vm.laptop_mode".to_owned()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(changed)]))
}
