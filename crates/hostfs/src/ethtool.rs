//! Driver data of network interfaces: queries of ethtool(8), as `ioctl(SIOCETHTOOL)`.
//!
//! Only bytes pass this door: the kernel's structures (linux/ethtool.h) as it filled them.
//! Asking changes nothing. Each question takes the lock that all of networking shares, and
//! some drivers ask their firmware, so that it is not for every sample. A question has no time
//! limit of its own: a driver that never answers costs its source, which is then left behind,
//! and keeps the thread that asked (`watched`: heldup ends nevertheless).

use std::io::Error;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

use crate::error::HostError;
use crate::files::Host;
use crate::network_namespace::{self, Kind};
use crate::recorded_bytes;

/// What stands for the calls in errors.
const PLACE: &str = "ethtool";
/// `SIOCETHTOOL` of linux/sockios.h.
const SIOCETHTOOL: libc::Ioctl = 0x8946;
/// Room for an answer: 32,767 names of statistics; the largest adapters have some ten thousand.
const ANSWER_BYTES: usize = 1 << 20;
/// What no page is smaller than; the page after the room is out of bounds.
const GUARD_BYTES: usize = 64 << 10;
/// Where `struct ethtool_link_settings` has `link_mode_masks_nwords`.
const LINK_MODES_AT: usize = 15;
/// `IFNAMSIZ` of linux/if.h, with the byte that ends the name.
const NAME_BYTES: usize = 16;

/// A question, with the structure that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EthtoolQuestion {
    /// `struct ethtool_channels`.
    Channels,
    /// `struct ethtool_coalesce`.
    Coalescing,
    /// `struct ethtool_drvinfo`.
    Driver,
    /// `struct ethtool_gstrings` of features.
    FeatureNames,
    /// `struct ethtool_gfeatures`.
    Features,
    /// `struct ethtool_link_settings`, since 4.6.
    Link,
    /// `struct ethtool_ringparam`.
    Rings,
    /// `struct ethtool_gstrings` of statistics.
    StatisticNames,
    /// `struct ethtool_stats`.
    Statistics,
}

impl EthtoolQuestion {
    /// Name of the file in a recorded tree.
    fn name(self) -> &'static str {
        match self {
            EthtoolQuestion::Channels => "channels",
            EthtoolQuestion::Coalescing => "coalescing",
            EthtoolQuestion::Driver => "driver",
            EthtoolQuestion::FeatureNames => "feature_names",
            EthtoolQuestion::Features => "features",
            EthtoolQuestion::Link => "link",
            EthtoolQuestion::Rings => "rings",
            EthtoolQuestion::StatisticNames => "statistic_names",
            EthtoolQuestion::Statistics => "statistics",
        }
    }

    /// The words that the question begins with: `ETHTOOL_G…` of linux/ethtool.h, then the
    /// set of names, or how many blocks of 32 features there is room for.
    fn words(self) -> [u32; 2] {
        match self {
            EthtoolQuestion::Channels => [0x3c, 0],
            EthtoolQuestion::Coalescing => [0x0e, 0],
            EthtoolQuestion::Driver => [0x03, 0],
            EthtoolQuestion::FeatureNames => [0x1b, 4],
            EthtoolQuestion::Features => [0x3a, 32],
            EthtoolQuestion::Link => [0x4c, 0],
            EthtoolQuestion::Rings => [0x10, 0],
            EthtoolQuestion::StatisticNames => [0x1b, 1],
            EthtoolQuestion::Statistics => [0x1d, 0],
        }
    }

    /// Length of an answer that begins with these words; more than there is room for where
    /// they say so.
    fn answer_bytes(self, words: [u32; 3]) -> usize {
        let count = |word: u32| word as usize;
        match self {
            EthtoolQuestion::Channels | EthtoolQuestion::Rings => 9 * 4,
            EthtoolQuestion::Coalescing => 23 * 4,
            EthtoolQuestion::Driver => 196,
            EthtoolQuestion::Link => 48,
            EthtoolQuestion::Features => 8 + count(words[1]).saturating_mul(16),
            EthtoolQuestion::Statistics => 8 + count(words[1]).saturating_mul(8),
            EthtoolQuestion::FeatureNames | EthtoolQuestion::StatisticNames => {
                12 + count(words[2]).saturating_mul(32)
            }
        }
    }
}

/// Interfaces of one network namespace.
#[derive(Debug)]
pub struct Ethtool {
    way: Way,
}

#[derive(Debug)]
enum Way {
    Live { socket: OwnedFd, room: Room },
    Recorded { host: Host, namespace_of: Option<i64>, answer: Vec<u8> },
}

impl Host {
    /// Opens the interfaces of our own network namespace, or of that of a process, which
    /// takes CAP_SYS_ADMIN. A recorded tree has the answers as hexadecimal digits in
    /// `/ethtool/self/INTERFACE/QUESTION`, or with the process id in the place of `self`.
    pub fn ethtool(&self, namespace_of: Option<i64>) -> Result<Ethtool, HostError> {
        if !self.is_live() {
            if !self.exists(recorded_bytes::path(PLACE, namespace_of, "")) {
                return Err(HostError::NotLive { what: PLACE });
            }
            let way = Way::Recorded { host: self.clone(), namespace_of, answer: Vec::new() };
            return Ok(Ethtool { way });
        }
        let kind = Kind { family: libc::AF_INET, protocol: 0, place: PLACE };
        let socket = network_namespace::socket(kind, namespace_of)?;
        Ok(Ethtool { way: Way::Live { socket, room: Room::new()? } })
    }
}

impl Ethtool {
    /// Number of an interface within its namespace (ifindex).
    pub fn index(&self, interface: &str) -> Result<i64, HostError> {
        let fail = |error| HostError::from_io(format!("{PLACE} {interface} index"), error);
        match &self.way {
            Way::Recorded { host, namespace_of, .. } => {
                let path = recorded_bytes::path(PLACE, *namespace_of, &format!("{interface}/index"));
                let bytes = recorded_bytes::read(host, &path)?;
                let word = bytes.try_into().map_err(|_| fail(Error::other("expected four bytes")))?;
                Ok(i64::from(u32::from_ne_bytes(word)))
            }
            Way::Live { socket, .. } => {
                let mut request = request(interface).map_err(fail)?;
                // SAFETY: `request` names an interface and lives through the call, which writes to it.
                if unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFINDEX as _, &mut request) } != 0 {
                    return Err(fail(Error::last_os_error()));
                }
                // SAFETY: SIOCGIFINDEX has filled this member of the union.
                Ok(i64::from(unsafe { request.ifr_ifru.ifru_ifindex }))
            }
        }
    }

    /// Asks about an interface. What its driver does not tell is absent ([`HostError::is_absent`]).
    pub fn ask(&mut self, interface: &str, question: EthtoolQuestion) -> Result<&[u8], HostError> {
        let fail = |error| HostError::from_io(format!("{PLACE} {interface} {}", question.name()), error);
        match &mut self.way {
            Way::Recorded { host, namespace_of, answer } => {
                let what = format!("{interface}/{}", question.name());
                *answer = recorded_bytes::read(host, &recorded_bytes::path(PLACE, *namespace_of, &what))?;
                Ok(answer)
            }
            Way::Live { socket, room } => {
                room.write(question.words());
                call(socket, interface, room).map_err(fail)?;
                if question == EthtoolQuestion::Link {
                    // The first answer only says, as a negative number, how many words of link
                    // modes the kernel has, and wants to be asked with that number.
                    let modes = room.bytes(LINK_MODES_AT + 1).map_or(0, |bytes| bytes[LINK_MODES_AT] as i8);
                    room.write(question.words());
                    room.write_byte(LINK_MODES_AT, modes.unsigned_abs());
                    call(socket, interface, room).map_err(fail)?;
                }
                let length = question.answer_bytes(room.words());
                room.bytes(length).ok_or_else(|| fail(Error::other("answer too long")))
            }
        }
    }

    /// One change: its structure, with the change's own first word.
    pub(crate) fn call_with(&mut self, interface: &str, structure: &[u8]) -> Result<(), HostError> {
        let Way::Live { socket, room } = &mut self.way else {
            return Err(HostError::NotLive { what: PLACE });
        };
        let fail = |error| HostError::from_io(format!("{PLACE} {interface}"), error);
        room.fill(structure).ok_or_else(|| fail(Error::from_raw_os_error(libc::EINVAL)))?;
        call(socket, interface, room).map_err(fail)
    }
}

/// A request about an interface.
fn request(interface: &str) -> Result<libc::ifreq, Error> {
    if interface.len() >= NAME_BYTES || interface.contains('\0') {
        return Err(Error::from_raw_os_error(libc::ENODEV));
    }
    // SAFETY: ifreq is plain data; zero is a valid value of it.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *place = byte as libc::c_char;
    }
    Ok(request)
}

/// One ioctl on the room's content.
fn call(socket: &OwnedFd, interface: &str, room: &mut Room) -> Result<(), Error> {
    let mut request = request(interface)?;
    request.ifr_ifru.ifru_data = room.start.as_ptr().cast();
    // SAFETY: `request` lives through the call, and the room that it points to is ours alone.
    // For names and statistics the kernel writes as many as the driver has at that moment,
    // whatever room there is: after the room lies memory that may not be written, so that too
    // many end in EFAULT and never in memory of somebody else.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &mut request) };
    // Of features a positive answer says that not all was taken, which reading back tells.
    if done >= 0 { Ok(()) } else { Err(Error::last_os_error()) }
}

/// Memory for an answer, followed by memory that may not be touched.
#[derive(Debug)]
struct Room {
    start: NonNull<u8>,
}

impl Room {
    fn new() -> Result<Room, HostError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at a place that the kernel chooses touches nothing that exists.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), ANSWER_BYTES + GUARD_BYTES, libc::PROT_NONE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(HostError::from_io(PLACE, Error::last_os_error()));
        }
        let start = NonNull::new(start.cast()).ok_or(HostError::NotLive { what: PLACE })?;
        let room = Room { start };
        // SAFETY: the range is the first part of the mapping that was just made.
        let opened = unsafe {
            libc::mprotect(start.as_ptr().cast(), ANSWER_BYTES, libc::PROT_READ | libc::PROT_WRITE)
        };
        if opened == 0 { Ok(room) } else { Err(HostError::from_io(PLACE, Error::last_os_error())) }
    }

    /// A question: its two words, and zeros in the 48 bytes that a question can have.
    fn write(&mut self, words: [u32; 2]) {
        let mut question = [0u8; 48];
        question[..4].copy_from_slice(&words[0].to_ne_bytes());
        question[4..8].copy_from_slice(&words[1].to_ne_bytes());
        // SAFETY: the room has ANSWER_BYTES that may be written and is borrowed by us alone.
        unsafe { std::ptr::copy_nonoverlapping(question.as_ptr(), self.start.as_ptr(), question.len()) };
    }

    /// A whole structure; none where it is longer than the room.
    fn fill(&mut self, structure: &[u8]) -> Option<()> {
        if structure.len() > ANSWER_BYTES {
            return None;
        }
        // SAFETY: the room has ANSWER_BYTES that may be written and is borrowed by us alone.
        unsafe { std::ptr::copy_nonoverlapping(structure.as_ptr(), self.start.as_ptr(), structure.len()) };
        Some(())
    }

    fn write_byte(&mut self, at: usize, byte: u8) {
        if at < ANSWER_BYTES {
            // SAFETY: within the room, which is borrowed by us alone.
            unsafe { self.start.as_ptr().add(at).write(byte) };
        }
    }

    /// The first three words of the answer.
    fn words(&self) -> [u32; 3] {
        let mut words = [0; 3];
        let bytes = self.bytes(12).unwrap_or_default();
        for (word, four) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_ne_bytes(*four);
        }
        words
    }

    fn bytes(&self, length: usize) -> Option<&[u8]> {
        // SAFETY: the bytes lie within the room, were zero or written, and nobody writes to
        // them while the room is borrowed.
        (length <= ANSWER_BYTES).then(|| unsafe { std::slice::from_raw_parts(self.start.as_ptr(), length) })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, of this length, and no slice of it outlives the room.
        unsafe { libc::munmap(self.start.as_ptr().cast(), ANSWER_BYTES + GUARD_BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_has_features_and_names_for_each() {
        let mut ethtool = Host::live().ethtool(None).expect("a socket");
        let names = ethtool.ask("lo", EthtoolQuestion::FeatureNames).expect("names").to_vec();
        let count = u32::from_ne_bytes(names[8..12].try_into().expect("a count")) as usize;
        assert_eq!(names.len(), 12 + 32 * count);
        assert!(ethtool.index("lo").expect("its number") > 0);
        assert!(names.windows(6).any(|part| part == b"rx-gro"));
        let features = ethtool.ask("lo", EthtoolQuestion::Features).expect("features");
        assert_eq!((features.len() - 8) / 16, count.div_ceil(32));
    }

    #[test]
    fn what_a_driver_does_not_tell_is_absent() {
        let mut ethtool = Host::live().ethtool(None).expect("a socket");
        assert!(ethtool.ask("lo", EthtoolQuestion::Rings).expect_err("no rings").is_absent());
        assert!(ethtool.ask("a-name-that-is-too-long", EthtoolQuestion::Rings).is_err());
        assert!(ethtool.ask("no-such-if", EthtoolQuestion::Rings).is_err());
    }

    /// The kernel refuses to write behind the room: as with a driver of too many statistics.
    #[test]
    fn behind_the_room_nothing_can_be_written() {
        let room = Room::new().expect("a room");
        let mut pipe = [0; 2];
        // SAFETY: `pipe` is a valid place for two descriptors.
        assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
        // SAFETY: read and write check the range that they are given; nothing else uses it.
        let got = unsafe {
            libc::write(pipe[1], b"12345678".as_ptr().cast(), 8);
            libc::read(pipe[0], room.start.as_ptr().add(ANSWER_BYTES).cast(), 8)
        };
        assert_eq!((got, Error::last_os_error().raw_os_error()), (-1, Some(libc::EFAULT)));
        // SAFETY: the descriptors were opened above and belong to nobody else.
        let closed = unsafe { [libc::close(pipe[0]), libc::close(pipe[1])] };
        assert_eq!(closed, [0, 0]);
    }

    #[test]
    fn a_recorded_tree_without_answers_is_not_live() {
        assert!(Host::recorded("/no-such-tree").ethtool(None).expect_err("recorded").is_absent());
    }
}
