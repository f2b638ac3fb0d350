//! Packets that the kernel throws away, by reason and place: rows of `net_drop`.
//!
//! The BPF half (`bpf/netdrop.bpf.c`) counts where the kernel says that it drops, and nowhere
//! else: a packet that was used is freed at another trace point. This half differences the
//! counts and names reasons, functions and protocols; before the first drop it reads no name.

use std::collections::HashMap;

use aya::Pod;
use heldup_hostfs::Host;
use heldup_model::tables::NetDropRow;
use heldup_model::{Form, Record, RowSet, Text};

use crate::counter::{Counter, Totals};
use crate::error::ProbeError;
use crate::kernel_symbols::KernelSymbols;
use crate::loader::Object;
use crate::map_drain::DrainedMap;
use crate::needed_types::{drop_reasons, kernel_types};
use crate::objects;
use crate::overhead::ProgramTime;

/// The constants of bpf/netdrop.h.
const ENTRIES: usize = 1024;
const NO_REASON: u32 = u32::MAX;
const NO_TRANSPORT: u8 = u8::MAX;
/// Bits of a reason above its number: the subsystem that gives it.
const SUBSYSTEM_SHIFT: u32 = 16;
/// What the kernel puts before each reason's name, and leaves out when it prints one.
const REASON_PREFIX: &str = "SKB_DROP_REASON_";

/// Running counts; dropping it detaches the program.
pub(crate) struct NetDrop {
    object: Object,
    drops: DrainedMap<Key, u64>,
    totals: Totals,
    before: HashMap<Key, u64>,
    functions: KernelSymbols,
    /// Names of reasons; none before the first drop.
    reasons: Option<HashMap<u32, Text>>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Key {
    place: u64,
    reason: u32,
    network: u16,
    transport: u8,
    zero: u8,
}

const _: () = assert!(size_of::<Key>() == 16);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Key {}

impl NetDrop {
    /// Loads and attaches the program; counting begins at once.
    pub(crate) fn start(host: &Host) -> Result<NetDrop, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "packet drops" });
        }
        let mut object = Object::open("netdrop.bpf.o", objects::NETDROP, Some(kernel_types()?), &[])?;
        let drops = DrainedMap::new(object.take_map("drops")?, ENTRIES)?;
        let totals = Totals::of(&mut object)?;
        if let Err(error) = object.attach_trace_point("on_drop", "kfree_skb") {
            // A kernel that knows reasons would take the older form too, and report none.
            if drop_reasons().is_some() {
                return Err(error);
            }
            object.attach_trace_point("on_drop_before_5_17", "kfree_skb")?;
        }
        let functions = KernelSymbols::new(host);
        Ok(NetDrop { object, drops, totals, before: HashMap::new(), functions, reasons: None })
    }

    fn reason(&mut self, reason: u32) -> Option<Text> {
        if reason == NO_REASON {
            return None;
        }
        let names = self.reasons.get_or_insert_with(|| reason_names(drop_reasons().unwrap_or_default()));
        Some(names.entry(reason).or_insert_with(|| unnamed(reason)).clone())
    }
}

impl Counter for NetDrop {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut set = RowSet::empty(NetDropRow::DEF, Form::Increases);
        if !self.totals.have_moved() {
            return Ok(set);
        }
        let mut counted: Vec<(Key, u64)> = Vec::new();
        let before = &mut self.before;
        self.drops.read(|key, cpus| {
            let now: u64 = cpus.iter().sum();
            let known = before.insert(*key, now).unwrap_or(0);
            if now > known {
                counted.push((*key, now - known));
            }
        })?;
        let places: Vec<u64> = counted.iter().map(|(key, _)| key.place).collect();
        let functions = self.functions.resolve(&places);
        // A function may drop at several places; a row says the function.
        let mut rows: HashMap<(Text, Key), u64> = HashMap::new();
        for ((key, packets), function) in counted.iter().zip(functions) {
            *rows.entry((function, Key { place: 0, ..*key })).or_default() += packets;
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_unstable_by(|((function, key), packets), ((other, theirs), more)| {
            (more, key.reason, function, key.network, key.transport).cmp(&(
                packets,
                theirs.reason,
                other,
                theirs.network,
                theirs.transport,
            ))
        });
        for ((function, key), packets) in rows {
            NetDropRow {
                reason: self.reason(key.reason),
                place: Some(function),
                network: network_name(key.network),
                transport: transport_name(key.transport),
                packets: Some(packets as i64),
            }
            .push_to(&mut set.cells);
            set.len += 1;
        }
        Ok(set)
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.totals.dropped(), "too many drop locations")
    }

    fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }
}

/// Names of reasons as the kernel prints them: `SOCKET_RCVBUFF`.
fn reason_names(constants: &[(String, u32)]) -> HashMap<u32, Text> {
    let bare = |name: &str| Text::from(name.strip_prefix(REASON_PREFIX).unwrap_or(name));
    constants.iter().map(|(name, value)| (*value, bare(name))).collect()
}

/// A reason of a subsystem, whose names are its own: `subsystem 2: 7`.
fn unnamed(reason: u32) -> Text {
    let number = reason & ((1 << SUBSYSTEM_SHIFT) - 1);
    match reason >> SUBSYSTEM_SHIFT {
        0 => format!("{number}"),
        subsystem => format!("subsystem {subsystem}: {number}"),
    }
    .into()
}

/// Of `include/uapi/linux/if_ether.h`; others as their number.
fn network_name(network: u16) -> Option<Text> {
    Some(match network {
        // Not set: a packet of a Unix or Netlink socket, or one that is being made.
        0 => return None,
        0x0800 => "IPv4".into(),
        0x0806 => "ARP".into(),
        0x86dd => "IPv6".into(),
        0x8100 | 0x88a8 => "VLAN".into(),
        0x88cc => "LLDP".into(),
        other => format!("{other:#06x}").into(),
    })
}

/// IANA's protocol numbers; others as their number.
fn transport_name(transport: u8) -> Option<Text> {
    Some(match transport {
        NO_TRANSPORT => return None,
        1 => "ICMP".into(),
        2 => "IGMP".into(),
        6 => "TCP".into(),
        17 => "UDP".into(),
        47 => "GRE".into(),
        50 => "ESP".into(),
        58 => "ICMPv6".into(),
        132 => "SCTP".into(),
        other => format!("{other}").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_named_as_the_kernel_prints_them() {
        let constants = [("SKB_CONSUMED".to_owned(), 1), ("SKB_DROP_REASON_NO_SOCKET".to_owned(), 3)];
        let names = reason_names(&constants);
        assert_eq!((names[&1].as_ref(), names[&3].as_ref()), ("SKB_CONSUMED", "NO_SOCKET"));
        assert_eq!((&*unnamed(500), &*unnamed(2 << 16 | 7)), ("500", "subsystem 2: 7"));
    }

    #[test]
    fn protocols_without_a_name_are_numbers() {
        assert_eq!(network_name(0x86dd).as_deref(), Some("IPv6"));
        assert_eq!(network_name(0x88f7).as_deref(), Some("0x88f7"));
        assert_eq!(transport_name(17).as_deref(), Some("UDP"));
        assert_eq!((network_name(0), transport_name(NO_TRANSPORT)), (None, None));
    }

    #[test]
    fn sizes_are_those_of_the_header() {
        let header = include_str!("../../../bpf/netdrop.h");
        assert!(header.contains(&format!("#define NETDROP_ENTRIES {ENTRIES} ")));
        assert!(header.contains(&format!("#define NETDROP_NO_REASON {NO_REASON:#x} ")));
        assert!(header.contains(&format!("#define NETDROP_NO_TRANSPORT {NO_TRANSPORT:#x} ")));
    }

    #[test]
    fn a_recorded_host_drops_nothing() {
        let error = NetDrop::start(&Host::recorded("/nowhere")).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
