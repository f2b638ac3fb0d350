//! A flood of small packets into a network of its own, all of which one CPU receives.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::condition::until;
use crate::expect::Told;
use crate::loop_device::said;
use crate::needs::Need;
use crate::running::Running;
use crate::story::{Held, Scene, Story};

const NEEDS: &[Need] = &[
    Need::Root,
    Need::Cpus(2),
    Need::Tool("ip"),
    Need::Tool("iperf3"),
    Need::Tool("nsenter"),
    Need::Tool("taskset"),
    Need::Tool("unshare"),
];

pub(super) const STORY: Story = Story { name: "packet-flood", needs: &[NEEDS], quick: false, ill, healthy };

/// Two networks that a cable joins; they are gone when those that hold them are.
struct Networks {
    holders: [Running; 2],
}

const ADDRESSES: [&str; 2] = ["198.18.78.1", "198.18.78.2"];

impl Networks {
    fn new() -> Result<Networks> {
        let networks = Networks { holders: [holder()?, holder()?] };
        let [sends, receives] = networks.pids();
        let cable = [
            "link", "add", "story0", "netns", &sends, "type", "veth", "peer", "name", "story1", "netns",
            &receives,
        ];
        said(Command::new("ip").args(cable))?;
        for (at, address) in ADDRESSES.iter().enumerate() {
            let end = format!("story{at}");
            said(&mut networks.command(at, &["ip", "addr", "add", &format!("{address}/30"), "dev", &end]))?;
            said(&mut networks.command(at, &["ip", "link", "set", &end, "up"]))?;
        }
        Ok(networks)
    }

    fn pids(&self) -> [String; 2] {
        self.holders.each_ref().map(|holder| holder.pid().to_string())
    }

    /// A command inside one of them.
    fn command(&self, at: usize, words: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--net", "--target", &self.pids()[at]]).args(words);
        command
    }
}

/// A process in a network of its own.
fn holder() -> Result<Running> {
    let mut command = Command::new("unshare");
    command.args(["--net", "sh", "-c", "echo here; exec sleep 170"]);
    let mut holder = Running::start(command)?;
    let said = holder.line()?;
    ensure!(said == "here", "unshare said {said}");
    Ok(holder)
}

/// A receiver, and a sender at a rate (bits a second as iperf3 says them; 0: as fast as it goes).
fn flood(rate: &str) -> Result<Held> {
    let networks = Networks::new()?;
    let receiver = Running::start(
        networks.command(1, &["taskset", "--cpu-list", "1", "iperf3", "--server", "--logfile", "/dev/null"]),
    )?;
    let address = ADDRESSES[1];
    let mut sender = None;
    // It ends where nobody listens yet.
    until("the receiver listens", || {
        let words = ["taskset", "--cpu-list", "0", "iperf3", "--client", address, "--udp", "--time", "120"];
        let mut command = networks.command(0, &words);
        command.args(["--length", "64", "--bitrate", rate]);
        let mut one = Running::start(command)?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        if one.still_runs().is_ok() {
            sender = Some(one);
        }
        Ok(sender.is_some())
    })?;
    let sender = sender.context("no sender")?;
    Ok(vec![Box::new(sender), Box::new(receiver), Box::new(networks)])
}

fn ill() -> Result<Scene> {
    let held = flood("0")?;
    // Which of them is there depends on how fast who takes the packets is.
    let told = Told::within_three("cpu.interrupt-imbalance", vec![], vec![])
        .or("net.drops")
        .or("net.socket-buffer-drops");
    Ok(Scene::new(vec![told], held))
}

fn healthy() -> Result<Held> {
    flood("1M")
}
