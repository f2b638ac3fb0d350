//! A pair of virtual interfaces, and datagrams through it.

use std::net::UdpSocket;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::loop_device::said;

/// Bytes of a datagram without its headers.
pub const PAYLOAD: usize = 1000;

/// A pair of virtual interfaces; removed when dropped. The other end takes what it is sent for
/// somebody else's.
pub struct InterfacePair {
    name: String,
}

impl InterfacePair {
    /// Makes a pair whose first end has the name and an address.
    pub fn new(name: &str) -> Result<InterfacePair> {
        let peer = format!("{name}p");
        said(Command::new("ip").args(["link", "add", name, "type", "veth", "peer", "name", &peer]))?;
        let pair = InterfacePair { name: name.to_owned() };
        for one in [name, &peer] {
            said(Command::new("ip").args(["link", "set", one, "up"]))?;
        }
        said(Command::new("ip").args(["addr", "add", "198.18.77.1/30", "dev", name]))?;
        let neighbour = [
            "neigh",
            "replace",
            "198.18.77.2",
            "lladdr",
            "02:00:00:00:00:02",
            "dev",
            name,
            "nud",
            "permanent",
        ];
        said(Command::new("ip").args(neighbour))?;
        Ok(pair)
    }

    /// The name of its first end.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends datagrams to the other end.
    pub fn send(&self, datagrams: usize) -> Result<()> {
        let socket = connected()?;
        for _ in 0..datagrams {
            socket.send(&[7; PAYLOAD])?;
        }
        Ok(())
    }

    /// Sends some hundred datagrams a second until the answer is dropped.
    pub fn send_on(&self) -> Result<Sending> {
        let (socket, ended) = (connected()?, Arc::new(AtomicBool::new(false)));
        let asked = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            while !asked.load(Ordering::Relaxed) && socket.send(&[7; PAYLOAD]).is_ok() {
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Ok(Sending { ended, thread: Some(thread) })
    }
}

fn connected() -> Result<UdpSocket> {
    let socket = UdpSocket::bind("198.18.77.1:0")?;
    // Discard.
    socket.connect("198.18.77.2:9").context("the address of the other end")?;
    Ok(socket)
}

impl Drop for InterfacePair {
    fn drop(&mut self) {
        if let Err(error) = said(Command::new("ip").args(["link", "delete", &self.name])) {
            eprintln!("left behind: interface {}: {error}", self.name);
        }
    }
}

/// A thread that sends; it ends when this is dropped.
pub struct Sending {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
