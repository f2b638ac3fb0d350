//! What is left of the tuning of a kernel before 4.12: a line that no kernel of today can follow.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::expect::Expected;
use crate::needs::Need;
use crate::settings_file::SettingsFile;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "config.obsolete", needs: &[Need::Root], make };

fn make() -> Result<Trouble> {
    ensure!(
        !Path::new("/proc/sys/net/ipv4/tcp_tw_recycle").exists(),
        "this kernel has net.ipv4.tcp_tw_recycle"
    );
    let file = SettingsFile::of("# for many connections\nnet.ipv4.tcp_tw_recycle = 1\n")?;
    let expected = Expected {
        id: "config.obsolete",
        subject: vec!["net.ipv4.tcp_tw_recycle".to_owned()],
        culprits: vec![],
    };
    Ok(Trouble::new(expected, vec![Box::new(file)]))
}
