//! Names of what waits are about: devices, files, futexes, peers.

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, Ipv6Addr};

use heldup_hostfs::Host;
use heldup_model::Text;

use super::record::Object;

/// `enum ledger_object_kind` of `bpf/ledger.h`.
pub(crate) const OBJECT_INODE: u8 = 1;
pub(crate) const OBJECT_DEVICE: u8 = 2;
pub(crate) const OBJECT_FUTEX: u8 = 3;
pub(crate) const OBJECT_TCP4: u8 = 4;
pub(crate) const OBJECT_TCP6: u8 = 5;
pub(crate) const OBJECT_UNIX: u8 = 6;

/// Open files of one process that are looked at to find the path of an inode.
const MAX_FILES: usize = 256;
/// Inodes whose path is looked for in a window; each costs a look at a process's files.
const MAX_PATHS: usize = 64;
/// State LISTEN of `/proc/net/tcp` (include/net/tcp_states.h).
const LISTEN: &str = "0A";
/// Readings for which a list of listening ports is believed.
const LISTENING_READINGS: u32 = 10;

/// An object as rows of `stack` show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectName {
    pub(crate) kind: Option<Text>,
    pub(crate) name: Option<Text>,
    pub(crate) device: Option<Text>,
    pub(crate) inode: Option<i64>,
}

/// Finds names and keeps them.
pub(crate) struct ObjectNames {
    host: Host,
    processes: Host,
    devices: HashMap<u64, Option<Text>>,
    /// By process, device and inode: a file may be known by several paths.
    paths: HashMap<(u64, u64), Option<Text>>,
}

impl ObjectNames {
    /// `processes` is asked about processes, `host` about everything else.
    pub(crate) fn new(host: &Host, processes: &Host) -> ObjectNames {
        ObjectNames {
            host: host.clone(),
            processes: processes.clone(),
            devices: HashMap::new(),
            paths: HashMap::new(),
        }
    }

    /// Looks for the path of an inode while its process lives.
    pub(crate) fn note(&mut self, object: &Object, pid: u32) {
        let key = (object.b, object.a);
        if object.kind != OBJECT_INODE || self.paths.contains_key(&key) || self.paths.len() >= MAX_PATHS {
            return;
        }
        let path = self.path_of(pid, object.a);
        self.paths.insert(key, path);
    }

    /// The object's name; `process_name` names a process.
    pub(crate) fn name(&mut self, object: &Object, process_name: impl Fn(u32) -> Option<Text>) -> ObjectName {
        let of_kind = |kind: &str, name: Option<Text>| ObjectName {
            kind: Some(kind.into()),
            name,
            ..ObjectName::default()
        };
        match object.kind {
            OBJECT_INODE => {
                let device = self.device(object.b);
                let path = self.paths.get(&(object.b, object.a)).cloned().flatten();
                let number = || {
                    let device = device.as_deref().map_or_else(|| device_number(object.b), str::to_owned);
                    format!("{device}:{}", object.a).into()
                };
                let name = path.unwrap_or_else(number);
                ObjectName { device, inode: Some(object.a as i64), ..of_kind("inode", Some(name)) }
            }
            OBJECT_DEVICE => {
                let device = self.device(object.b);
                let name = device.clone().unwrap_or_else(|| device_number(object.b).into());
                ObjectName { device, ..of_kind("device", Some(name)) }
            }
            OBJECT_FUTEX => of_kind("futex", Some(format!("{:#x}", object.a).into())),
            OBJECT_UNIX => {
                let pid = object.a as u32;
                let name = match process_name(pid) {
                    Some(name) => format!("{name} ({pid})"),
                    None => format!("pid {pid}"),
                };
                of_kind("peer", Some(name.into()))
            }
            OBJECT_TCP4 | OBJECT_TCP6 => of_kind("peer", Some(peer_address(object).into())),
            _ => ObjectName::default(),
        }
    }

    /// The kernel's name of a block device; none for file systems without one.
    fn device(&mut self, number: u64) -> Option<Text> {
        let host = &self.host;
        let found = self.devices.entry(number).or_insert_with(|| {
            let link = host.read_link(format!("/sys/dev/block/{}", device_number(number))).ok()?;
            Some(link.rsplit('/').next()?.into())
        });
        found.clone()
    }

    fn path_of(&self, pid: u32, inode: u64) -> Option<Text> {
        let folder = format!("/proc/{pid}/fd");
        let files = self.processes.list_numbers(&folder).ok()?;
        let found =
            files.into_iter().take(MAX_FILES).find(|file| self.inode_of(pid, *file) == Some(inode))?;
        Some(self.processes.read_link(format!("{folder}/{found}")).ok()?.into())
    }

    /// Inode behind an open file, since 5.14. Never by stat: that asks the file system,
    /// and the server of a remote one may not answer for as long as we live.
    fn inode_of(&self, pid: u32, file: i64) -> Option<u64> {
        let info = self.processes.read_text(format!("/proc/{pid}/fdinfo/{file}")).ok()?;
        info.lines().find_map(|line| line.strip_prefix("ino:"))?.trim().parse().ok()
    }
}

/// `dev_t` as the kernel keeps it (include/linux/kdev_t.h): twenty bits of minor.
fn device_number(number: u64) -> String {
    format!("{}:{}", number >> 20, number & 0xf_ffff)
}

fn peer_address(object: &Object) -> String {
    if object.kind == OBJECT_TCP4 {
        // In network order in memory.
        let address = Ipv4Addr::from((object.a as u32).to_ne_bytes());
        return format!("{address}:{}", object.remote_port);
    }
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&object.a.to_ne_bytes());
    bytes[8..].copy_from_slice(&object.b.to_ne_bytes());
    let address = Ipv6Addr::from(bytes);
    match address.to_ipv4_mapped() {
        Some(address) => format!("{address}:{}", object.remote_port),
        None => format!("[{address}]:{}", object.remote_port),
    }
}

/// Ports on which each network namespace listens.
#[derive(Default)]
pub(crate) struct Listening {
    /// Namespace of each process that was asked about.
    namespaces: HashMap<u32, String>,
    ports: HashMap<String, (u32, HashSet<u16>)>,
    reading: u32,
}

impl Listening {
    pub(crate) fn next_reading(&mut self) {
        self.reading += 1;
    }

    /// Whether the port listens in the network namespace of a process.
    pub(crate) fn listens(&mut self, host: &Host, pid: u32, port: u16) -> bool {
        let namespace = self.namespaces.entry(pid).or_insert_with(|| {
            // A process that has ended is taken for one of the first namespace.
            host.read_link(format!("/proc/{pid}/ns/net")).unwrap_or_default()
        });
        let known = self.ports.get(namespace.as_str());
        if known.is_none_or(|(read, _)| self.reading - read >= LISTENING_READINGS) {
            let process = if namespace.is_empty() { "self".to_owned() } else { pid.to_string() };
            let mut ports = HashSet::new();
            for file in ["tcp", "tcp6"] {
                let text = host.read_text(format!("/proc/{process}/net/{file}")).unwrap_or_default();
                ports.extend(listening_ports(&text));
            }
            self.ports.insert(namespace.clone(), (self.reading, ports));
        }
        self.ports.get(namespace.as_str()).is_some_and(|(_, ports)| ports.contains(&port))
    }
}

/// Local ports of the listening sockets in `/proc/net/tcp`.
fn listening_ports(text: &str) -> impl Iterator<Item = u16> {
    text.lines().skip(1).filter_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, _remote, state) = (fields.next()?, fields.next()?, fields.next()?);
        let port = local.rsplit(':').next().filter(|_| state == LISTEN)?;
        u16::from_str_radix(port, 16).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_devices() {
        // 254:0, as struct super_block has it.
        assert_eq!(device_number(254 << 20), "254:0");
        assert_eq!(device_number(7 << 20 | 12), "7:12");
    }

    #[test]
    fn addresses_of_peers() {
        let four = |bytes: [u8; 4]| u64::from(u32::from_ne_bytes(bytes));
        let tcp =
            Object { kind: OBJECT_TCP4, a: four([10, 0, 0, 7]), remote_port: 6379, ..Object::default() };
        assert_eq!(peer_address(&tcp), "10.0.0.7:6379");
        let mut one = [0; 8];
        one[7] = 1;
        let six =
            Object { kind: OBJECT_TCP6, b: u64::from_ne_bytes(one), remote_port: 80, ..Object::default() };
        assert_eq!(peer_address(&six), "[::1]:80");
    }

    #[test]
    fn only_listening_ports_count() {
        let text = "  sl  local_address rem_address   st tx_queue rx_queue\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n\
            1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0\n";
        assert_eq!(listening_ports(text).collect::<Vec<_>>(), [8080]);
    }
}
