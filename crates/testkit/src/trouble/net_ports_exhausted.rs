//! A program that holds a connection on every local port that there is.

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "net.ports-exhausted", needs: &[Need::Root], make };

/// Fewer than usual: what counts is that none is left.
const PORTS: &str = "42000 42999";

fn make() -> Result<Trouble> {
    let range = KernelSetting::set("/proc/sys/net/ipv4/ip_local_port_range", PORTS)?;
    let mut program = Running::program("hoard_connections", &[])?;
    let said = program.line()?;
    ensure!(said == "no port left", "hoard_connections said {said}");
    let expected = Expected {
        id: "net.ports-exhausted",
        subject: vec!["127.0.0.1:".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(range)]))
}
