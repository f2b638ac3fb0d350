//! A flood of small packets into a network of its own, all of which one CPU receives.

use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::Told;
use crate::loop_device::said;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::unique_name;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "packet-flood",
    needs: &[Need::Root, Need::Cpus(2), Need::Tool("ip"), Need::Tool("taskset"), Need::Tool("iperf3")],
    quick: false,
    ill,
    healthy,
};

/// Two networks that a cable joins; gone when dropped.
struct Networks {
    names: [String; 2],
}

const ADDRESSES: [&str; 2] = ["198.18.78.1", "198.18.78.2"];

impl Networks {
    fn new() -> Result<Networks> {
        let networks = Networks { names: [unique_name("sends"), unique_name("receives")] };
        let [sends, receives] = &networks.names;
        for name in [sends, receives] {
            said(Command::new("ip").args(["netns", "add", name]))?;
        }
        let cable = ["link", "add", "story0", "netns", sends, "type", "veth", "peer", "name", "story1", "netns", receives];
        said(Command::new("ip").args(cable))?;
        for (at, name) in networks.names.iter().enumerate() {
            let end = format!("story{at}");
            let address = format!("{}/30", ADDRESSES[at]);
            said(Command::new("ip").args(["-n", name, "addr", "add", &address, "dev", &end]))?;
            said(Command::new("ip").args(["-n", name, "link", "set", &end, "up"]))?;
        }
        Ok(networks)
    }

    /// A command inside one of them.
    fn command(&self, at: usize, words: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[at]]).args(words);
        command
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for name in &self.names {
            if let Err(error) = said(Command::new("ip").args(["netns", "delete", name])) {
                eprintln!("left behind: network namespace {name}: {error:#}");
            }
        }
    }
}

/// A receiver, and a sender at a rate (bits a second as iperf3 says them; 0: as fast as it goes).
fn flood(rate: &str) -> Result<Held> {
    let networks = Networks::new()?;
    let receiver = Running::start(networks.command(1, &["taskset", "--cpu-list", "1", "iperf3", "--server"]))?;
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
