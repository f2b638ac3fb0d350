//! A listener that never accepts, and clients that go on connecting to it.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::netstat;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "net.listen-overflow", needs: &[], make };

fn make() -> Result<Trouble> {
    let mut listener = Running::program("deaf_listener", &[])?;
    let port = listener.line()?;
    let before = netstat("TcpExt", "ListenOverflows")?;
    let clients = Running::program("knock", &[&port])?;
    until("the accept queue overflows", || Ok(netstat("TcpExt", "ListenOverflows")? > before + 10))?;
    let expected = Expected {
        id: "net.listen-overflow",
        subject: vec![port],
        culprits: vec![Suspect::Process(listener.pid())],
    };
    Ok(Trouble::new(expected, vec![Box::new(clients), Box::new(listener)]))
}
