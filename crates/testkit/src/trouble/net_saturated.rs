//! A connection over a link that is held to 8 Mbit/s.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "net.saturated",
    needs: &[Need::Root, Need::File("/dev/net/tun"), Need::Tool("nsenter"), Need::Tool("tc")],
    make,
};

fn make() -> Result<Trouble> {
    // A link that loses next to nothing, in a namespace of its own.
    let mut program = Running::program("lossy_link", &[&"1000000000"])?;
    let said = program.line()?;
    ensure!(said == "data flows", "lossy_link said {said}");
    let rate = [
        "tc", "qdisc", "add", "dev", "tun0", "root", "tbf", "rate", "8mbit", "burst", "32k", "latency",
        "200ms",
    ];
    let done = Command::new("nsenter").args(["-n", "-t", &program.pid().to_string()]).args(rate).status()?;
    ensure!(done.success(), "tc: {done}");
    let expected = Expected {
        id: "net.saturated",
        subject: vec!["tun0".to_owned()],
        culprits: vec![Suspect::Process(program.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
