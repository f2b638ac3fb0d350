//! A connection over a link that is held to 8 Mbit/s, by a discipline or by a class of one.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::expect::{Expected, Suspect};
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

const NEEDS: &[Need] = &[Need::Root, Need::File("/dev/net/tun"), Need::Tool("nsenter"), Need::Tool("tc")];

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "net.saturated",
    needs: NEEDS,
    make: || held("net.saturated", &["qdisc add dev tun0 root tbf rate 8mbit burst 32k latency 200ms"]),
};

pub(super) const THROTTLED: TroubleMaker = TroubleMaker {
    name: "net.throttled",
    needs: NEEDS,
    make: || {
        held(
            "net.throttled",
            &[
                "qdisc add dev tun0 root handle 1: htb default 10",
                "class add dev tun0 parent 1: classid 1:10 htb rate 8mbit",
            ],
        )
    },
};

fn held(id: &'static str, rates: &[&str]) -> Result<Trouble> {
    // A link that loses next to nothing, in a namespace of its own.
    let mut program = Running::program("lossy_link", &[&"1000000000"])?;
    let said = program.line()?;
    ensure!(said == "data flows", "lossy_link said {said}");
    for rate in rates {
        let mut command = Command::new("nsenter");
        command.args(["-n", "-t", &program.pid().to_string(), "tc"]).args(rate.split(' '));
        let done = command.status()?;
        ensure!(done.success(), "tc {rate}: {done}");
    }
    let culprits = vec![Suspect::Process(program.pid())];
    let expected = Expected { id, subject: vec!["tun0".to_owned()], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program)]).besides(&["net.saturated", "net.throttled"]))
}
