//! Names of what waits are about: devices, files, futexes, peers.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, Ipv6Addr};

use heldup_hostfs::{Host, SmallFiles, monotonic_ns};
use heldup_model::Text;

use super::record::Object;

/// `enum ledger_object_kind` of `bpf/ledger.h`.
pub(crate) const OBJECT_INODE: u8 = 1;
pub(crate) const OBJECT_DEVICE: u8 = 2;
pub(crate) const OBJECT_FUTEX: u8 = 3;
pub(crate) const OBJECT_TCP4: u8 = 4;
pub(crate) const OBJECT_TCP6: u8 = 5;
pub(crate) const OBJECT_UNIX: u8 = 6;
pub(crate) const OBJECT_WORK: u8 = 7;

/// Open files of one process that are looked at to find the path of an inode.
const MAX_FILES: usize = 256;
/// Length of the name of a thread's work (`LEDGER_WORK_NAME`): one that is as long may have been cut.
const WORK_NAME_BYTES: usize = 20;
/// Paths are believed for so long, over windows that are shorter.
const PATHS_FOR_NS: u64 = 60_000_000_000;
/// Inodes whose path is looked for in that time, or a longer window; each costs a look at a process's files.
const MAX_PATHS: usize = 64;
/// State LISTEN of `/proc/net/tcp` (include/net/tcp_states.h).
const LISTEN: &str = "0A";
/// Read of the list at once: what the kernel gives at once.
const LIST_BYTES: usize = 4096;
/// Readings for which a port that listens is believed to go on so.
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
    /// This program, whose files are not looked through: it opens hundreds for a moment each, so that
    /// the one that it waited for is never among those that are open when that is asked.
    own_pid: u32,
    devices: HashMap<u64, Option<Text>>,
    /// By the name of what a thread of the kernel works for.
    works: HashMap<String, Option<Text>>,
    /// By process, device and inode: a file may be known by several paths.
    paths: HashMap<(u64, u64), Option<Text>>,
    paths_since_ns: u64,
}

impl ObjectNames {
    /// `processes` is asked about processes, `host` about everything else.
    pub(crate) fn new(host: &Host, processes: &Host, own_pid: u32) -> ObjectNames {
        ObjectNames {
            own_pid,
            host: host.clone(),
            processes: processes.clone(),
            devices: HashMap::new(),
            works: HashMap::new(),
            paths: HashMap::new(),
            paths_since_ns: monotonic_ns(),
        }
    }

    /// Forgets paths that are a minute old: inodes are used again, and each minute may look for some.
    pub(crate) fn next_window(&mut self) {
        let now_ns = monotonic_ns();
        if now_ns.saturating_sub(self.paths_since_ns) >= PATHS_FOR_NS {
            self.paths.clear();
            self.paths_since_ns = now_ns;
        }
    }

    /// Looks for the path of an inode while its process lives.
    pub(crate) fn note(&mut self, object: &Object, pid: u32) {
        let key = (object.b, object.a);
        if object.kind != OBJECT_INODE || pid == self.own_pid {
            return;
        }
        if self.paths.contains_key(&key) || self.paths.len() >= MAX_PATHS {
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
            OBJECT_WORK => match self.device_of_work(&work_name(object)) {
                Some(device) => {
                    ObjectName { device: Some(device.clone()), ..of_kind("device", Some(device)) }
                }
                None => ObjectName::default(),
            },
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

    /// The block device that an object is or lies on.
    pub(crate) fn device_of(&mut self, object: &Object) -> Option<Text> {
        match object.kind {
            OBJECT_INODE => self.device(object.b),
            OBJECT_DEVICE => Some(self.device(object.b).unwrap_or_else(|| device_number(object.b).into())),
            OBJECT_WORK => self.device_of_work(&work_name(object)),
            _ => None,
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

    /// The block device that a thread of the kernel works for, by the name of its work or its own.
    fn device_of_work(&mut self, work: &str) -> Option<Text> {
        if let Some(known) = self.works.get(work) {
            return known.clone();
        }
        let found = match number_in(work) {
            Some(number) => self.device(number),
            None => self.device_named_in(work),
        };
        self.works.insert(work.to_owned(), found.clone());
        found
    }

    fn device_named_in(&self, work: &str) -> Option<Text> {
        let names = names_in(work);
        let is_device = |name: &&str| self.host.read_link(format!("/sys/class/block/{name}")).is_ok();
        names.into_iter().find(is_device).map(Into::into)
    }

    fn path_of(&self, pid: u32, inode: u64) -> Option<Text> {
        let folder = format!("/proc/{pid}/fd");
        let files = self.processes.list_numbers(&folder).ok()?;
        let mut about = self.processes.records_in(format!("/proc/{pid}/fdinfo"));
        let found =
            files.into_iter().take(MAX_FILES).find(|file| inode_of(&mut about, *file) == Some(inode))?;
        Some(self.processes.read_link(format!("{folder}/{found}")).ok()?.into())
    }
}

/// Inode behind an open file, since 5.14. Never by stat: that asks the file system,
/// and the server of a remote one may not answer for as long as we live.
fn inode_of(about: &mut SmallFiles, file: i64) -> Option<u64> {
    let info = about.read_text(&file.to_string()).ok()?;
    info.lines().find_map(|line| line.strip_prefix("ino:"))?.trim().parse().ok()
}

/// `dev_t` as the kernel keeps it (include/linux/kdev_t.h): twenty bits of minor.
fn device_number(number: u64) -> String {
    format!("{}:{}", number >> 20, number & 0xf_ffff)
}

/// Name of what a thread of the kernel works for; one that was cut has lost its end.
fn work_name(object: &Object) -> String {
    let ports = [object.local_port.to_ne_bytes(), object.remote_port.to_ne_bytes()].concat();
    let bytes = [object.a.to_ne_bytes().as_slice(), &object.b.to_ne_bytes(), &ports].concat();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The number of a device in a name, as `flush-254:0` and `kcryptd-252:0-1` have it. At the very end of a name
/// that may have been cut it is none.
fn number_in(work: &str) -> Option<u64> {
    let (before, behind) = work.split_once(':')?;
    let major = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let minor = behind.split(|c: char| !c.is_ascii_digit()).next()?;
    if minor.len() == behind.len() && work.len() >= WORK_NAME_BYTES {
        return None;
    }
    Some(major.parse::<u64>().ok()? << 20 | minor.parse::<u64>().ok()?)
}

/// What in a name may be that of a device: `loop0`, `md0_raid1`, `jbd2/dm-0-8`, `xfs-cil/vda1`.
fn names_in(work: &str) -> Vec<&str> {
    let last = work.rsplit('/').next().unwrap_or(work);
    let mut names = vec![last];
    names.extend(last.rsplit_once('-').map(|(name, _)| name));
    names.extend(last.split_once('_').map(|(name, _)| name));
    names.retain(|name| !name.is_empty() && work.len() < WORK_NAME_BYTES);
    names
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
    /// Namespace of each process that was asked about; empty when it had ended.
    namespaces: HashMap<u32, String>,
    ports: HashMap<String, Ports>,
    reading: u32,
}

/// What is known of a namespace's ports.
#[derive(Default)]
struct Ports {
    /// Number of the reading in which the list was read last.
    read: u32,
    listening: HashSet<u16>,
}

impl Listening {
    /// Forgets who was asked about: numbers of processes are used again.
    pub(crate) fn next_window(&mut self) {
        self.namespaces.clear();
    }

    pub(crate) fn next_reading(&mut self) {
        self.reading += 1;
    }

    /// Whether the port listens in the network namespace of a process; nothing when it may have
    /// done so, and the process has ended.
    pub(crate) fn listens(&mut self, host: &Host, pid: u32, port: u16) -> Option<bool> {
        let namespace = self.namespaces.entry(pid).or_insert_with(|| {
            // A process that has ended is taken for one of the first namespace.
            host.read_link(format!("/proc/{pid}/ns/net")).unwrap_or_default()
        });
        let ended = namespace.is_empty();
        let process = if ended { "self".to_owned() } else { pid.to_string() };
        let ports = self.ports.entry(namespace.clone()).or_default();
        // A server that has been started since listens on a port that is not in the list.
        let age = self.reading - ports.read;
        if age >= LISTENING_READINGS || (age > 0 && !ports.listening.contains(&port)) {
            ports.listening = listening_now(host, &process)?;
            ports.read = self.reading;
        }
        let listens = ports.listening.contains(&port);
        (listens || !ended).then_some(listens)
    }
}

/// Ports on which the network namespace of a process listens; nothing when it has ended.
fn listening_now(host: &Host, process: &str) -> Option<HashSet<u16>> {
    let open = |file| host.open(format!("/proc/{process}/net/{file}"));
    let lists: Vec<File> = ["tcp", "tcp6"].into_iter().filter_map(|file| open(file).ok()).collect();
    let lines = |list| BufReader::with_capacity(LIST_BYTES, list).lines().map_while(Result::ok);
    (!lists.is_empty()).then(|| lists.into_iter().flat_map(|list| listening_ports(lines(list))).collect())
}

/// Local ports of the listening sockets in `/proc/net/tcp`. The kernel lists them before all
/// others (net/ipv4/tcp_ipv4.c, `tcp_seek_last_pos`): the connections, maybe a million, are not
/// read.
fn listening_ports(lines: impl Iterator<Item = impl AsRef<str>>) -> impl Iterator<Item = u16> {
    lines.skip(1).map_while(|line| {
        let mut fields = line.as_ref().split_ascii_whitespace().skip(1);
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
    fn works_of_the_kernel_name_their_device() {
        let number = |major: u64, minor: u64| Some(major << 20 | minor);
        assert_eq!(number_in("flush-254:0"), number(254, 0));
        assert_eq!(number_in("kcryptd-252:13-1"), number(252, 13));
        assert_eq!(number_in("kcryptd_io/252:2"), number(252, 2));
        assert_eq!(number_in("kcryptd-io-123456:12"), None, "it may have been cut");
        assert_eq!(number_in("loop0"), None);
        assert_eq!(names_in("loop0"), ["loop0"]);
        assert_eq!(names_in("md0_raid1"), ["md0_raid1", "md0"]);
        assert_eq!(names_in("jbd2/dm-0-8"), ["dm-0-8", "dm-0"]);
        assert_eq!(names_in("xfs-cil/vda1"), ["vda1"]);
        assert!(names_in("xfs-blockgc/nvme0n1").len() == 1 && names_in("xfs-blockgc/nvme10n1").is_empty());
    }

    #[test]
    fn the_device_of_a_work_is_one_that_there_is() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("heldup-works-{}", std::process::id()));
        for folder in ["sys/class/block", "sys/dev/block"] {
            std::fs::create_dir_all(root.join(folder))?;
        }
        std::os::unix::fs::symlink("../../devices/virtual/block/md0", root.join("sys/class/block/md0"))?;
        std::os::unix::fs::symlink("../../devices/virtual/block/loop3", root.join("sys/dev/block/7:3"))?;
        let host = Host::recorded(&root);
        let mut objects = ObjectNames::new(&host, &host, 1);
        let object = |name: &str| {
            let mut bytes = [0; WORK_NAME_BYTES];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            let part = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight"));
            Object { kind: OBJECT_WORK, a: part(0), b: part(8), ..Object::default() }
        };
        let mut device = |name: &str| {
            let found = objects.name(&object(name), |_| None);
            (found.kind.as_deref().map(str::to_owned), found.device.as_deref().map(str::to_owned))
        };
        let is = |name: &str| (Some("device".to_owned()), Some(name.to_owned()));
        assert_eq!(device("md0_raid1"), is("md0"));
        assert_eq!(device("flush-7:3"), is("loop3"));
        assert_eq!(device("events_unbound"), (None, None));
        std::fs::remove_dir_all(&root)
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
        assert_eq!(listening_ports(text.lines()).collect::<Vec<_>>(), [8080]);
    }

    #[test]
    fn a_server_that_starts_later_is_seen() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("heldup-listening-{}", std::process::id()));
        let folder = root.join("proc/7/net");
        std::fs::create_dir_all(&folder)?;
        std::fs::create_dir_all(root.join("proc/7/ns"))?;
        std::os::unix::fs::symlink("net:[1]", root.join("proc/7/ns/net"))?;
        let list = |ports: &[u16]| {
            let line = |port| format!("   0: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000\n");
            let lines: String = ports.iter().map(line).collect();
            std::fs::write(folder.join("tcp"), format!("  sl  local_address\n{lines}"))
        };
        let (host, mut listening) = (Host::recorded(&root), Listening::default());
        list(&[8080])?;
        listening.next_reading();
        assert_eq!(listening.listens(&host, 7, 8080), Some(true));
        assert_eq!(listening.listens(&host, 7, 9090), Some(false));
        list(&[8080, 9090])?;
        listening.next_reading();
        assert_eq!(listening.listens(&host, 7, 9090), Some(true));
        // What was known stays, what was not is unknown.
        std::fs::remove_file(folder.join("tcp"))?;
        listening.next_reading();
        assert_eq!(listening.listens(&host, 7, 9090), Some(true));
        assert_eq!(listening.listens(&host, 7, 7070), None);
        assert_eq!(listening.listens(&host, 8, 8080), None);
        std::fs::remove_dir_all(&root)
    }
}
