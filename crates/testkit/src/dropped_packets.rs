//! Packets that the kernel drops for known reasons, made by the test binary in a process of its
//! own: `IT --drop-packets FILE` in a network namespace of its own sends datagrams to itself
//! and writes what the kernel itself counted as dropped.

use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::host_figures::snmp;

/// First argument that turns the test binary into this program.
pub const ARGUMENT: &str = "--drop-packets";

const DATAGRAM: [u8; 900] = [0; 900];
/// More than the default receive buffer holds: 212,992 bytes with what the kernel adds to each.
const TO_A_FULL_BUFFER: usize = 400;
const TO_NOBODY: usize = 300;
/// More than the queue below lets through.
const THROUGH_A_SLOW_QUEUE: usize = 60;

/// Drops packets and writes a line `REASON PACKETS` for each reason; needs a network namespace
/// of its own, and ends with it.
pub fn run(counted: &Path) -> Result<()> {
    let host = |name: &str| snmp("Udp", name);
    ensure!(host("InDatagrams")? == 0, "not in a network namespace of its own");
    tool("ip", "link set lo up")?;
    let sender = UdpSocket::bind("127.0.0.1:0").context("a socket on the loopback interface")?;
    let nobody = UdpSocket::bind("127.0.0.1:0")?.local_addr()?;
    for _ in 0..TO_NOBODY {
        sender.send_to(&DATAGRAM, nobody)?;
    }
    let deaf = UdpSocket::bind("127.0.0.1:0")?;
    for _ in 0..TO_A_FULL_BUFFER {
        sender.send_to(&DATAGRAM, deaf.local_addr()?)?;
    }
    tool("tc", "qdisc add dev lo root tbf rate 8kbit burst 2kb limit 4kb")?;
    for _ in 0..THROUGH_A_SLOW_QUEUE {
        // The kernel says ENOBUFS for some of what it drops.
        let _ = sender.send_to(&DATAGRAM, deaf.local_addr()?);
    }
    let queue = tool("tc", "-s qdisc show dev lo")?;
    let dropped = queue.split("(dropped ").nth(1).and_then(|rest| rest.split(',').next());
    let dropped = dropped.with_context(|| format!("no drops in: {queue}"))?;
    let (nobody, full) = (host("NoPorts")?, host("RcvbufErrors")?);
    let lines = format!("NO_SOCKET {nobody}\nSOCKET_RCVBUFF {full}\nQDISC_DROP {dropped}\n");
    std::fs::write(counted, lines).with_context(|| format!("write {}", counted.display()))
}

fn tool(name: &str, arguments: &str) -> Result<String> {
    let output =
        Command::new(name).args(arguments.split(' ')).output().with_context(|| format!("run {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} {arguments}: {said}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
