//! A program that reads a hundred datagrams a second, of the thousand that are sent to it.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::snmp;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "net.socket-buffer-drops", needs: &[], make };

fn make() -> Result<Trouble> {
    let mut receiver = Running::program("slow_receiver", &[])?;
    let port = receiver.line()?;
    let before = snmp("Udp", "RcvbufErrors")?;
    let sender = Running::program("send_datagrams", &[&port])?;
    until("its buffer overflows", || Ok(snmp("Udp", "RcvbufErrors")? > before + 100))?;
    let expected = Expected {
        id: "net.socket-buffer-drops",
        subject: vec![port],
        culprits: vec![Suspect::Process(receiver.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(sender), Box::new(receiver)]))
}
