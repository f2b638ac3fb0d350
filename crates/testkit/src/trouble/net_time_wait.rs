//! Short connections, and a table of those in TIME_WAIT that holds few.

use anyhow::Result;

use crate::condition::until;
use crate::expect::{Expected, Suspect};
use crate::host_figures::netstat;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker { name: "net.time-wait", needs: &[Need::Root], make };

fn make() -> Result<Trouble> {
    let table = KernelSetting::set("/proc/sys/net/ipv4/tcp_max_tw_buckets", "200")?;
    let before = netstat("TcpExt", "TCPTimeWaitOverflow")?;
    let program = Running::program("short_connections", &[])?;
    until("the table is full", || Ok(netstat("TcpExt", "TCPTimeWaitOverflow")? > before + 50))?;
    let expected =
        Expected { id: "net.time-wait", subject: vec![], culprits: vec![Suspect::Process(program.pid())] };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(table)]))
}
