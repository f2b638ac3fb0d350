//! A tunnel whose far end takes one packet in twenty.

use anyhow::{Result, ensure};

use crate::expect::Expected;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "net.drops", needs: &[Need::Root, Need::File("/dev/net/tun")], make };

fn make() -> Result<Trouble> {
    let mut program = Running::program("deaf_tunnel", &[])?;
    let said = program.line()?;
    ensure!(said == "packets are dropped", "deaf_tunnel said {said}");
    // Who should take the packets is asked of nobody: the interface is named.
    let expected = Expected { id: "net.drops", subject: vec!["tun0".to_owned()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
