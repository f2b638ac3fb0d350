//! Queueing disciplines and their classes with their statistics, over rtnetlink(7), what `tc -s qdisc`
//! and `tc -s class` list.
//!
//! Only bytes pass this door; what the messages mean is read elsewhere.

use crate::error::HostError;
use crate::files::Host;
use crate::netlink::{HEADER_BYTES, Netlink, NetlinkDump, dump_header};
use crate::recorded_bytes;

/// What stands for the netlink socket in errors.
const PLACE: &str = "rtnetlink qdisc";
/// Header and `struct tcmsg` of linux/rtnetlink.h.
const REQUEST_BYTES: usize = HEADER_BYTES + 20;

impl Host {
    /// Lists the queueing disciplines of every interface of our own network namespace, or of
    /// that of a process: `struct tcmsg` and attributes, until they take more than `max_bytes`.
    /// A recorded tree has them as hexadecimal digits in `/netlink/self/qdisc`, or with the
    /// process id in the place of `self`.
    pub fn qdiscs(&self, namespace_of: Option<i64>, max_bytes: usize) -> Result<NetlinkDump, HostError> {
        if !self.is_live() {
            let messages =
                recorded_bytes::read(self, &recorded_bytes::path("netlink", namespace_of, "qdisc"))?;
            return Ok(NetlinkDump { messages, cut: false });
        }
        Netlink::open(libc::NETLINK_ROUTE, PLACE, namespace_of)?
            .dump(&request(libc::RTM_GETQDISC, 0), max_bytes)
    }

    /// Lists the classes of the disciplines of one interface, by its number, as [`Host::qdiscs`] does.
    /// A recorded tree has them in `/netlink/self/class-N`.
    pub fn traffic_classes(
        &self,
        namespace_of: Option<i64>,
        interface: i32,
        max_bytes: usize,
    ) -> Result<NetlinkDump, HostError> {
        if !self.is_live() {
            let name = format!("class-{interface}");
            let messages = recorded_bytes::read(self, &recorded_bytes::path("netlink", namespace_of, &name))?;
            return Ok(NetlinkDump { messages, cut: false });
        }
        let asked = request(libc::RTM_GETTCLASS, interface);
        Netlink::open(libc::NETLINK_ROUTE, PLACE, namespace_of)?.dump(&asked, max_bytes)
    }
}

/// A question for a list; 0: of every interface.
fn request(kind: u16, interface: i32) -> [u8; REQUEST_BYTES] {
    let mut request = [0u8; REQUEST_BYTES];
    request[..HEADER_BYTES].copy_from_slice(&dump_header(REQUEST_BYTES, kind));
    // `tcm_ifindex`, behind the family and its padding.
    request[HEADER_BYTES + 4..HEADER_BYTES + 8].copy_from_slice(&interface.to_ne_bytes());
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_are_whole_messages() {
        let messages = Host::live().qdiscs(None, 1 << 20).expect("a list").messages;
        let mut rest = &messages[..];
        while !rest.is_empty() {
            let length = u32::from_ne_bytes(rest[..4].try_into().expect("a length")) as usize;
            assert!(length >= REQUEST_BYTES, "{length}");
            rest = &rest[length.next_multiple_of(4)..];
        }
    }

    #[test]
    fn a_recorded_tree_without_a_list_has_none() {
        assert!(Host::recorded("/no-such-tree").qdiscs(None, 1).expect_err("recorded").is_absent());
    }
}
