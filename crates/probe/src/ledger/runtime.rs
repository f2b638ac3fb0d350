//! Whether a process parks all its waits in user space, as Go programs and Java machines do.
//!
//! Their schedulers put a thread to sleep in the same futex call whether it waits for a lock
//! or has nothing to do. Taking such a park for idleness would hide locks, taking it for a
//! lock would accuse the idle; so it is `unknown`, which is shown and never ranked.
//!
//! A process is looked at once it has parked for a while, a bounded number at each reading.
//! The program's file is opened only where no server has to be asked for it.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::FileExt;

use heldup_hostfs::Host;
use heldup_model::Class;

use super::record::Header;

/// Parks of a thread that are too short to look its process up for.
const LOOKED_UP_FROM_NS: u64 = 5_000_000;
/// Processes that are looked up at one reading: 0.1 ms each, 0.3 ms for a large Java machine.
const LOOKED_UP_AT_MOST: u32 = 32;
/// Bytes of a list of mappings that are read: about 10,000 mappings.
const MAPS_BYTES: u64 = 1 << 20;
/// A process that has not been asked for in so many readings is forgotten: one that parks and does
/// nothing else is asked for once a minute.
const FORGOTTEN_AFTER: u32 = 100;
/// What the kernel gives of it at once.
const MAPS_ROOM: usize = 4096;
/// Bytes of the names of sections that are read; programs have a few hundred.
const NAMES_BYTES: u64 = 64 << 10;
/// File systems without a device that ask no server.
const LOCAL: [&str; 8] = ["bcachefs", "btrfs", "overlay", "ramfs", "rootfs", "squashfs", "tmpfs", "zfs"];
/// What the linker of Go leaves in a program, stripped or not: one of the two can be left out.
const GO_SECTIONS: [&[u8]; 2] = [b".go.buildinfo\0", b".note.go.buildid\0"];
const JAVA_LIBRARY: &[u8] = b"/libjvm.so\n";

/// What is known of the processes that park. Ids are used again and programs are replaced
/// (`exec`): a process goes by its id and its name, and is forgotten when it stops parking.
pub(crate) struct Runtimes {
    host: Host,
    known: HashMap<Process, Known>,
    /// Who was asked for last, in this reading: the threads of a process follow each other.
    last: Option<(Process, Class)>,
    reading: u32,
    looked_up: u32,
    /// The list of mounts, read when it is first wanted.
    mounts: Option<Vec<u8>>,
}

/// Its id and its name.
type Process = (u32, [u8; 16]);

struct Known {
    class: Class,
    reading: u32,
}

impl Runtimes {
    pub(crate) fn new(host: &Host) -> Runtimes {
        Runtimes {
            host: host.clone(),
            known: HashMap::new(),
            last: None,
            reading: 0,
            looked_up: 0,
            mounts: None,
        }
    }

    /// Forgets processes that have not been asked for in a while.
    pub(crate) fn next_reading(&mut self) {
        let now = self.reading;
        self.known.retain(|_, known| now - known.reading < FORGOTTEN_AFTER);
        self.reading += 1;
        self.looked_up = 0;
        self.last = None;
        self.mounts = None;
    }

    /// The class of a task's futex waits that are no known lock, of which it has had `parked_ns`
    /// in all: a task that does something else now keeps its process known.
    pub(crate) fn park_class(&mut self, header: &Header, parked_ns: u64) -> Class {
        if parked_ns < LOOKED_UP_FROM_NS {
            return Class::Park;
        }
        let process = (header.tgid, header.process);
        if let Some((_, class)) = self.last.filter(|(last, _)| *last == process) {
            return class;
        }
        if let Some(known) = self.known.get_mut(&process) {
            known.reading = self.reading;
            self.last = Some((process, known.class));
            return known.class;
        }
        if self.looked_up >= LOOKED_UP_AT_MOST {
            // Its turn comes at a later reading.
            return Class::Unknown;
        }
        self.looked_up += 1;
        let class = if self.parks_everything(header.tgid) { Class::Unknown } else { Class::Park };
        self.known.insert(process, Known { class, reading: self.reading });
        class
    }

    /// Whether the class of a task's parks will stay what it is.
    pub(crate) fn has_looked_at(&self, header: &Header) -> bool {
        self.known.contains_key(&(header.tgid, header.process))
    }

    /// A process that has ended meanwhile is none.
    fn parks_everything(&mut self, pid: u32) -> bool {
        // With too little room the kernel is asked for 32 bytes at first.
        let mut maps = Vec::with_capacity(MAPS_ROOM);
        let Ok(file) = self.host.open(format!("/proc/{pid}/maps")) else { return false };
        if file.take(MAPS_BYTES).read_to_end(&mut maps).is_err() {
            return false;
        }
        if maps.windows(JAVA_LIBRARY.len()).any(|name| name == JAVA_LIBRARY) {
            return true;
        }
        let Ok(program) = self.host.read_link(format!("/proc/{pid}/exe")) else { return false };
        device_of(&maps, program.as_bytes()).is_some_and(|device| self.is_local(pid, &device))
            && self.host.open(format!("/proc/{pid}/exe")).is_ok_and(|file| is_go(&file))
    }

    /// Whether files of a device can be read without asking a server. Asking `statfs` would ask
    /// the server, which may not answer for as long as we live.
    fn is_local(&mut self, pid: u32, device: &str) -> bool {
        // What has no disk has the major number 0.
        if !device.starts_with("0:") {
            return true;
        }
        let host = &self.host;
        let ours = self.mounts.get_or_insert_with(|| host.read("/proc/self/mountinfo").unwrap_or_default());
        let kind = file_system_of(ours, device).or_else(|| {
            let theirs = host.read(format!("/proc/{pid}/mountinfo")).ok()?;
            file_system_of(&theirs, device)
        });
        kind.is_some_and(|kind| LOCAL.contains(&kind.as_str()))
    }
}

/// Device (`major:minor`, decimal) of a mapped file.
fn device_of(maps: &[u8], path: &[u8]) -> Option<String> {
    let line = maps.split(|byte| *byte == b'\n').find(|line| line.ends_with(path))?;
    let device = std::str::from_utf8(line.split(|byte| *byte == b' ').nth(3)?).ok()?;
    let (major, minor) = device.split_once(':')?;
    let number = |hex: &str| u32::from_str_radix(hex, 16).ok();
    Some(format!("{}:{}", number(major)?, number(minor)?))
}

/// Type of the file system of a device, from a list of mounts (proc_pid_mountinfo(5)).
fn file_system_of(mounts: &[u8], device: &str) -> Option<String> {
    let lines = mounts.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let mut found = lines.filter(|line| line.split(' ').nth(2) == Some(device));
    Some(found.next()?.split_once(" - ")?.1.split(' ').next()?.to_owned())
}

/// Whether a 64-bit ELF program has a section that only Go makes; nothing is believed about
/// sizes that the file claims.
fn is_go(program: &impl FileExt) -> bool {
    let word = |at: u64| {
        let mut bytes = [0; 8];
        program.read_exact_at(&mut bytes, at).ok()?;
        Some(u64::from_ne_bytes(bytes))
    };
    let half = |at: u64| word(at).map(|word| word & 0xffff);
    let names = || {
        // e_shoff, e_shentsize and e_shstrndx of the header; sh_offset and sh_size of the section.
        let (table, entry, index) = (word(0x28)?, half(0x3a)?, half(0x3e)?);
        let section = table.checked_add(entry * index)?;
        let (at, size) = (word(section.checked_add(0x18)?)?, word(section.checked_add(0x20)?)?);
        let mut names = vec![0; size.min(NAMES_BYTES) as usize];
        program.read_exact_at(&mut names, at).ok()?;
        Some(names)
    };
    let elf_64 = word(0).is_some_and(|magic| magic.to_ne_bytes().starts_with(b"\x7fELF\x02"));
    let names = if elf_64 { names().unwrap_or_default() } else { Vec::new() };
    GO_SECTIONS.iter().any(|section| names.windows(section.len()).any(|name| name == *section))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &[u8] = b"00400000-00498000 r-xp 00000000 fe:00 1183 /srv/app/server\n\
        7f13c0000000-7f13c0021000 rw-p 00000000 00:00 0 \n\
        7f13c5a00000-7f13c6c00000 r-xp 00200000 00:2a 52 /usr/lib/libc.so.6\n";

    #[test]
    fn devices_of_mapped_files() {
        assert_eq!(device_of(MAPS, b"/srv/app/server").as_deref(), Some("254:0"));
        assert_eq!(device_of(MAPS, b"/usr/lib/libc.so.6").as_deref(), Some("0:42"));
        assert_eq!(device_of(MAPS, b"/srv/app/other"), None);
    }

    #[test]
    fn file_systems_by_device() {
        let mounts = b"24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
            36 24 0:42 / /mnt rw - nfs4 server:/export rw\n";
        assert_eq!(file_system_of(mounts, "0:42").as_deref(), Some("nfs4"));
        assert_eq!(file_system_of(mounts, "254:0").as_deref(), Some("ext4"));
        assert_eq!(file_system_of(mounts, "0:43"), None);
    }

    /// A file that holds what it is given.
    struct Bytes(Vec<u8>);

    impl FileExt for Bytes {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            let read = rest.len().min(buffer.len());
            buffer[..read].copy_from_slice(&rest[..read]);
            Ok(read)
        }

        fn write_at(&self, _: &[u8], _: u64) -> std::io::Result<usize> {
            Err(std::io::Error::other("read only"))
        }
    }

    /// A header, one section, and the names of sections, which claim to have `size` bytes.
    fn elf(names: &[u8], size: u64) -> Bytes {
        let mut bytes = b"\x7fELF\x02".to_vec();
        bytes.resize(0x80, 0);
        bytes[0x28] = 0x40;
        bytes[0x3a] = 0x40;
        bytes[0x58] = 0x80;
        bytes[0x60..0x68].copy_from_slice(&size.to_ne_bytes());
        bytes.extend_from_slice(names);
        Bytes(bytes)
    }

    #[test]
    fn programs_of_go_are_known_by_their_sections() {
        let check = |names: &[u8], go: bool| assert_eq!(is_go(&elf(names, names.len() as u64)), go);
        check(b"\0.text\0.go.buildinfo\0", true);
        check(b"\0.note.go.buildid\0.text\0", true);
        check(b"\0.text\0.data\0", false);
    }

    #[test]
    fn a_file_that_lies_about_itself_is_no_program_of_go() {
        assert!(!is_go(&elf(b"\0.go.buildinfo\0", u64::MAX)));
        assert!(!is_go(&Bytes(b"\x7fELF\x02 and no more".to_vec())));
        assert!(!is_go(&Bytes(Vec::new())));
    }

    #[test]
    fn this_program_is_neither_go_nor_java() {
        let header = Header { tgid: heldup_hostfs::own_pid() as u32, ..Header::default() };
        let mut runtimes = Runtimes::new(&Host::live());
        runtimes.next_reading();
        let parked_ns = 2 * LOOKED_UP_FROM_NS;
        assert_eq!(runtimes.park_class(&header, parked_ns), Class::Park);
        assert_eq!(runtimes.looked_up, 1);
        runtimes.next_reading();
        assert_eq!(
            (runtimes.park_class(&header, parked_ns), runtimes.looked_up),
            (Class::Park, 0),
            "is remembered"
        );
    }

    #[test]
    fn short_parks_are_not_looked_up() {
        let mut runtimes = Runtimes::new(&Host::recorded("/nowhere"));
        let parked_ns = LOOKED_UP_FROM_NS - 1;
        assert_eq!(
            (runtimes.park_class(&Header::default(), parked_ns), runtimes.looked_up),
            (Class::Park, 0)
        );
    }
}
