//! What a guest is made of.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::guest::{Copied, Disk};
use crate::guest_kernel::Kernel;

/// Modules without which no order reaches the guest and no disk is there.
const ALWAYS: [&str; 5] = ["virtio_pci", "virtio_console", "virtio_blk", "crc32c_generic", "ext4"];

/// What a guest is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its kernel.
    pub kernel: Kernel,
    /// CPUs.
    pub cpus: u32,
    /// NUMA nodes; CPUs and memory are dealt out evenly.
    pub nodes: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// Kernel modules to load, each with its parameters after blanks.
    pub modules: Vec<String>,
    /// Further words for the kernel's command line.
    pub kernel_arguments: Vec<String>,
    /// Disks.
    pub disks: Vec<Disk>,
    /// Programs of the search path that commands there can use, with their libraries.
    /// busybox is always there.
    pub tools: Vec<String>,
    /// Files to be there, with the libraries that they need.
    pub files: Vec<Copied>,
}

impl Options {
    /// Two CPUs on two nodes, and a disk on `/var/tmp`.
    pub fn new(kernel: Kernel) -> Options {
        Options {
            kernel,
            cpus: 2,
            nodes: 2,
            memory_mib: 1536,
            modules: Vec::new(),
            kernel_arguments: Vec::new(),
            disks: vec![Disk { bytes: 4 << 30, mounted_at: Some("/var/tmp"), bytes_per_s: None, kept: None }],
            tools: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Every module to load, with its parameters.
    pub(super) fn all_modules(&self) -> impl Iterator<Item = &str> {
        ALWAYS.into_iter().chain(self.modules.iter().map(String::as_str))
    }

    /// Makes the disks, and says how the emulator is to be called.
    pub(super) fn arguments_of_emulator(
        &self,
        image: &Path,
        console: &Path,
        folder: &Path,
    ) -> Result<Vec<OsString>> {
        let Options { cpus, nodes, memory_mib, .. } = *self;
        ensure!(nodes > 0 && cpus % nodes == 0 && memory_mib % nodes == 0, "CPUs and memory by node");
        // No other acceleration: where the machine is a guest itself, KVM may be there and hang.
        let mut words: Vec<OsString> =
            ["-accel", "tcg,thread=multi", "-cpu", "max"].map(OsString::from).into();
        words
            .extend(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"].map(OsString::from));
        let mut add = |option: &str, value: OsString| words.extend([OsString::from(option), value]);
        add("-smp", format!("{cpus},sockets={nodes},cores={}", cpus / nodes).into());
        add("-m", format!("{memory_mib}M").into());
        for node in 0..nodes {
            let (size, of_node) = (memory_mib / nodes, cpus / nodes);
            let (first, last) = (node * of_node, (node + 1) * of_node - 1);
            add("-object", format!("memory-backend-ram,id=m{node},size={size}M").into());
            add("-numa", format!("node,nodeid={node},cpus={first}-{last},memdev=m{node}").into());
        }
        add("-kernel", self.kernel.image.clone().into());
        add("-initrd", image.into());
        // A kernel that fails ends the emulator: panic=-1 with -no-reboot. One that tries whether
        // its timer ticks gives up after some milliseconds of a machine that is busy.
        let line =
            format!("console=ttyS0 loglevel=5 panic=-1 no_timer_check {}", self.kernel_arguments.join(" "));
        add("-append", line.into());
        add("-serial", with_path("file:", console));
        add("-chardev", "stdio,id=port,signal=off".into());
        add("-device", "virtio-serial".into());
        add("-device", "virtserialport,chardev=port".into());
        for (number, disk) in self.disks.iter().enumerate() {
            let file = disk.make(folder, number)?;
            // What a test wrote is not kept: no need to wait for the disk under it.
            let speed =
                disk.bytes_per_s.map_or_else(String::new, |bytes| format!("throttling.bps-total={bytes},"));
            let drive = format!("if=none,id=d{number},format=raw,cache=unsafe,discard=unmap,{speed}file=");
            add("-drive", with_path(&drive, &file));
            add("-device", format!("virtio-blk-pci,drive=d{number}").into());
        }
        Ok(words)
    }
}

fn with_path(before: &str, path: &Path) -> OsString {
    let mut word = OsString::from(before);
    word.push(path);
    word
}
