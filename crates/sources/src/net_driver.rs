//! What drivers count of their interfaces (tables `net_driver` and `net_queue`), and what
//! waits in front of them (table `net_qdisc`), in every network namespace.
//!
//! Read at both ends of the window: each question takes the lock that all of networking
//! shares, and some drivers ask their firmware. What a driver does not tell has no row.

use std::collections::{BTreeSet, HashMap};

use heldup_hostfs::{Ethtool, EthtoolQuestion, Host, HostError};
use heldup_model::tables::{NetDriverRow, NetQdiscRow, NetQueueRow};
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::ethtool_answer;
use crate::network_namespaces::{self, Door};
use crate::other_netns::unseen;
use crate::proc_net_dev;
use crate::queue_statistic::{self, Measure};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};
use crate::sys_net_queues::{self, Queues};
use crate::tc_message;

/// At most so many interfaces are asked; each costs about 5 µs, with a driver of its own more.
const MAX_INTERFACES: usize = 1000;
/// At most so many statistics are kept; adapters with 128 queues have some five thousand.
const MAX_STATISTICS: usize = 20_000;
/// Room for the queueing disciplines of a namespace: about 400 bytes each.
const MAX_QDISC_BYTES: usize = 2 << 20;

/// The source.
#[derive(Debug, Default)]
pub struct NetDriver {
    text: Vec<u8>,
}

/// Rows of all namespaces.
#[derive(Default)]
struct Rows {
    statistics: Vec<NetDriverRow>,
    queues: Vec<NetQueueRow>,
    qdiscs: Vec<NetQdiscRow>,
    interfaces: usize,
    cut: bool,
}

impl Source for NetDriver {
    fn name(&self) -> &'static str {
        "net_driver"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NetDriverRow::DEF, NetQdiscRow::DEF, NetQueueRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // Hundreds of counters for each interface.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Rows::default();
        let (doors, others) = network_namespaces::doors(host, context.namespaces);
        for door in doors {
            self.namespace(host, door, &mut rows, &mut reading);
        }
        reading.missing.extend(unseen(&others, "net_driver.netns"));
        if rows.cut {
            reading.missing.push(Missing {
                what: "net_driver".to_owned(),
                why: format!(
                    "more than {MAX_INTERFACES} interfaces or {MAX_STATISTICS} statistics; the first were read"
                ),
                how: "check one interface: ethtool -S NAME".to_owned(),
            });
        }
        reading.rows.push(RowSet::totals(rows.statistics));
        reading.rows.push(RowSet::totals(rows.qdiscs));
        reading.rows.push(RowSet::totals(rows.queues));
        reading
    }
}

impl NetDriver {
    fn namespace(&mut self, host: &Host, door: Door, rows: &mut Rows, reading: &mut Reading) {
        let path = format!("{}/dev", door.folder());
        if let Err(error) = host.read_into(&path, &mut self.text) {
            if door.pid.is_none() {
                let how = "mount proc on /proc";
                [NetDriverRow::DEF, NetQueueRow::DEF, NetQdiscRow::DEF]
                    .into_iter()
                    .for_each(|def| reading.lacks(def.name, &error, how));
            }
            return;
        }
        // What is wrong with the file the source of `net_if` says.
        let names: Vec<Text> =
            proc_net_dev::parse(&self.text).value.into_iter().filter_map(|row| row.name).collect();
        let mut ethtool = match host.ethtool(door.pid) {
            Ok(ethtool) => Some(ethtool),
            Err(error) => {
                lacks(reading, door, "net_driver", &error);
                None
            }
        };
        for name in &names {
            if rows.interfaces == MAX_INTERFACES {
                rows.cut = true;
                break;
            }
            rows.interfaces += 1;
            let mut queues = Queues::new();
            if door.pid.is_none() {
                queues = sys_net_queues::read(host, name, &mut self.text);
            }
            if let Some(ethtool) = &mut ethtool {
                statistics(ethtool, door, name, rows, &mut queues, reading);
            }
            let keyed = queues.into_iter().map(|((direction, queue_idx), row)| NetQueueRow {
                netns: door.netns,
                name: Some(name.clone()),
                direction: Some(direction.name().into()),
                queue_idx: Some(queue_idx),
                ..row
            });
            rows.queues.extend(keyed);
        }
        qdiscs(host, door, &names, ethtool.as_ref(), rows, reading);
    }
}

/// Notes what could not be read of our own namespace; a process elsewhere that has ended
/// meanwhile takes its namespace with it, as far as we can tell.
fn lacks(reading: &mut Reading, door: Door, what: &str, error: &HostError) {
    if door.pid.is_none() {
        reading.lacks(what, error, "run it on the machine itself");
    }
}

/// What the driver of an interface counts, as a whole and by queue.
fn statistics(
    ethtool: &mut Ethtool,
    door: Door,
    interface: &Text,
    rows: &mut Rows,
    queues: &mut Queues,
    reading: &mut Reading,
) {
    let names = ethtool.ask(interface, EthtoolQuestion::StatisticNames).map(ethtool_answer::names);
    let values = names.and_then(|names| {
        let values = ethtool_answer::statistics(ethtool.ask(interface, EthtoolQuestion::Statistics)?);
        Ok((names, values))
    });
    let (names, values) = match values {
        Ok(pair) => pair,
        // Gone meanwhile, or without a driver that counts (lo).
        Err(error) if error.is_absent() || is_gone(&error) => return,
        Err(error) => return reading.lacks("net_driver", &error, "a driver with statistics"),
    };
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (name, value) in names.into_iter().zip(values) {
        if name.is_empty() {
            continue;
        }
        if rows.statistics.len() == MAX_STATISTICS {
            rows.cut = true;
            break;
        }
        if let Some(of_queue) = queue_statistic::read(&name) {
            let row = queues.entry((of_queue.direction, of_queue.queue_idx)).or_default();
            let cell = match of_queue.measure {
                Measure::Packets => &mut row.packets,
                Measure::Bytes => &mut row.moved_bytes,
                Measure::Drops => &mut row.drops,
            };
            *cell = value.and_then(|value| cell.unwrap_or(0).checked_add(value));
        }
        let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
        let statistic: Text = if *times == 1 { name.into() } else { format!("{name} #{times}").into() };
        rows.statistics.push(NetDriverRow {
            netns: door.netns,
            name: Some(interface.clone()),
            statistic: Some(statistic),
            value,
        });
    }
}

/// The interface went away between the list and the question.
fn is_gone(error: &HostError) -> bool {
    matches!(error, HostError::Io { source, .. } if source.raw_os_error() == Some(libc::ENODEV))
}

fn qdiscs(
    host: &Host,
    door: Door,
    names: &[Text],
    ethtool: Option<&Ethtool>,
    rows: &mut Rows,
    reading: &mut Reading,
) {
    let dump = match host.qdiscs(door.pid, MAX_QDISC_BYTES) {
        Ok(dump) => dump,
        Err(error) => return lacks(reading, door, "net_qdisc", &error),
    };
    let mut found = reading.take("rtnetlink qdisc", tc_message::parse(&dump.messages));
    if found.is_empty() {
        return;
    }
    // Of htb the classes have the rates.
    let with_classes: BTreeSet<i64> =
        found.iter().filter(|(_, row)| row.kind.as_deref() == Some("htb")).map(|(index, _)| *index).collect();
    for index in with_classes {
        let Ok(number) = i32::try_from(index) else { continue };
        match host.traffic_classes(door.pid, number, MAX_QDISC_BYTES) {
            Ok(dump) => found.extend(reading.take("rtnetlink class", tc_message::parse(&dump.messages))),
            Err(error) => lacks(reading, door, "net_qdisc.rate_bits_per_s", &error),
        }
    }
    let index = |name: &Text| Some((ethtool?.index(name).ok()?, name.clone()));
    let by_index: HashMap<i64, Text> = names.iter().filter_map(index).collect();
    rows.qdiscs.extend(found.into_iter().filter_map(|(index, row)| {
        let name = by_index.get(&index)?.clone();
        Some(NetQdiscRow { netns: door.netns, name: Some(name), ..row })
    }));
}
