//! How interfaces and their drivers are set (table `net_setting`), in every network
//! namespace: what ethtool(8) shows with -i, -g, -c, -l, -k and without an option.

use heldup_hostfs::{Ethtool, EthtoolQuestion};
use heldup_model::tables::NetSettingRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::ethtool_answer::{self, Feature};
use crate::network_namespaces::{self, Door};
use crate::other_netns::unseen;
use crate::proc_net_dev;
use crate::source::{ReadContext, Reading, Schedule, Source};

/// At most so many interfaces are asked; each costs about 10 µs, with a driver of its own more.
const MAX_INTERFACES: usize = 500;

/// The source.
#[derive(Debug, Default)]
pub struct NetSetting {
    text: Vec<u8>,
    /// Names of features are the kernel's, and the same for every interface.
    feature_names: Vec<String>,
}

impl Source for NetSetting {
    fn name(&self) -> &'static str {
        "net_setting"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NetSettingRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        let (doors, others) = network_namespaces::doors(host, context.namespaces);
        for door in doors {
            let path = format!("{}/dev", door.folder());
            let opened = host.read_into(&path, &mut self.text).and_then(|()| host.ethtool(door.pid));
            let mut ethtool = match opened {
                Ok(ethtool) => ethtool,
                Err(error) if door.pid.is_none() => {
                    reading.lacks("net_setting", &error, "run it on the machine itself");
                    continue;
                }
                Err(_) => continue,
            };
            let names = proc_net_dev::parse(&self.text).value.into_iter().filter_map(|row| row.name);
            for name in names {
                if rows.len() == MAX_INTERFACES {
                    reading.missing.push(Missing {
                        what: "net_setting".to_owned(),
                        why: format!("more than {MAX_INTERFACES} interfaces; the first were read"),
                        how: "check one interface: ethtool NAME".to_owned(),
                    });
                    break;
                }
                rows.extend(self.row(&mut ethtool, door, name));
            }
            if rows.len() == MAX_INTERFACES {
                break;
            }
        }
        reading.missing.extend(unseen(&others, "net_setting.netns"));
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl NetSetting {
    /// Everything that the driver tells; none where it tells nothing.
    fn row(&mut self, ethtool: &mut Ethtool, door: Door, name: Text) -> Option<NetSettingRow> {
        if self.feature_names.is_empty() {
            let names = ethtool.ask(&name, EthtoolQuestion::FeatureNames).map(ethtool_answer::names);
            self.feature_names = names.unwrap_or_default();
        }
        // What a driver does not tell, whatever the error, is not set by it.
        let mut ask = |question| ethtool.ask(&name, question).ok().map(<[u8]>::to_vec);
        let driver = ask(EthtoolQuestion::Driver);
        let features = ask(EthtoolQuestion::Features);
        if driver.is_none() && features.is_none() {
            return None;
        }
        let driver = driver.map(|answer| ethtool_answer::driver(&answer)).unwrap_or_default();
        let link = ask(EthtoolQuestion::Link).map(|answer| ethtool_answer::link(&answer)).unwrap_or_default();
        let rings = ask(EthtoolQuestion::Rings).map(|answer| ethtool_answer::rings(&answer));
        let [rx_ring, tx_ring] = rings.unwrap_or_default();
        let channels = ask(EthtoolQuestion::Channels).map(|answer| ethtool_answer::channels(&answer));
        let [rx, tx, combined] = channels.unwrap_or_default();
        let coalescing = ask(EthtoolQuestion::Coalescing).map(|answer| ethtool_answer::coalescing(&answer));
        let coalescing = coalescing.unwrap_or_default();
        let row = NetSettingRow {
            netns: door.netns,
            name: Some(name.clone()),
            driver: driver.name.map(Into::into),
            driver_version: driver.version.map(Into::into),
            firmware: driver.firmware.map(Into::into),
            bus_address: driver.bus_address.map(Into::into),
            speed_bits_per_s: link.speed_bits_per_s,
            duplex: link.duplex.map(Into::into),
            autonegotiation: link.autonegotiation,
            rx_ring: rx_ring.now,
            rx_ring_max: rx_ring.max,
            tx_ring: tx_ring.now,
            tx_ring_max: tx_ring.max,
            rx_channels: rx.now,
            rx_channels_max: rx.max,
            tx_channels: tx.now,
            tx_channels_max: tx.max,
            combined_channels: combined.now,
            combined_channels_max: combined.max,
            rx_coalesce_s: coalescing.rx.0,
            rx_coalesce_packets: coalescing.rx.1,
            tx_coalesce_s: coalescing.tx.0,
            tx_coalesce_packets: coalescing.tx.1,
            adaptive_rx: coalescing.adaptive_rx,
            adaptive_tx: coalescing.adaptive_tx,
            ..NetSettingRow::default()
        };
        let features = features.map(|answer| ethtool_answer::features(&answer, &self.feature_names));
        Some(match features {
            Some(features) => with_features(row, &features),
            None => row,
        })
    }
}

fn with_features(row: NetSettingRow, features: &[Feature]) -> NetSettingRow {
    let is_on =
        |name: &str| features.iter().find(|feature| feature.name == name).map(|feature| feature.active);
    let makes_checksums = ["tx-checksum-ipv4", "tx-checksum-ipv6", "tx-checksum-ip-generic"].map(is_on);
    let names = |wanted: fn(&&Feature) -> bool| {
        let names: Vec<&str> = features.iter().filter(wanted).map(|feature| feature.name.as_str()).collect();
        Some(names.join(" ").into())
    };
    NetSettingRow {
        rx_checksum: is_on("rx-checksum"),
        tx_checksum: makes_checksums.into_iter().flatten().reduce(|one, other| one | other),
        scatter_gather: is_on("tx-scatter-gather"),
        tso: is_on("tx-tcp-segmentation"),
        gso: is_on("tx-generic-segmentation"),
        gro: is_on("rx-gro"),
        gro_hw: is_on("rx-gro-hw"),
        lro: is_on("rx-lro"),
        rx_hash: is_on("rx-hashing"),
        features_on: names(|feature| feature.active),
        features_off: names(|feature| !feature.active && feature.changeable),
        ..row
    }
}
