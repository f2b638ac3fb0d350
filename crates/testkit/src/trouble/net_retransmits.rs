//! A TCP connection over a link that loses one packet in ten.

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "net.retransmits", needs: &[Need::Root, Need::File("/dev/net/tun")], make };

fn make() -> Result<Trouble> {
    let mut program = Running::program("lossy_link", &[&"10"])?;
    let said = program.line()?;
    ensure!(said == "data flows", "lossy_link said {said}");
    let expected =
        Expected { id: "net.retransmits", subject: vec![], culprits: vec![Suspect::Process(program.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
