//! Interfaces, protocol counters and connection tracking of network namespaces other than our
//! own (tables `net_if`, `net_proto` and `conntrack`), each read once through a process in it.
//!
//! Read at both ends of the window only: the cost grows with processes and containers, and
//! what overflowed in a container over the window is what a rule needs.

use heldup_model::tables::{ConntrackRow, NetIfRow, NetProtoRow};
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::namespaces;
use crate::network_namespaces::{self, OtherNamespaces};
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::{proc_net_dev, proc_net_snmp, proc_net_stat_nf_conntrack};

/// The source.
#[derive(Debug, Default)]
pub struct OtherNetns {
    text: Vec<u8>,
    /// Of the namespaces that were there at the last reading.
    tracked: proc_net_stat_nf_conntrack::WideCounters,
}

impl Source for OtherNetns {
    fn name(&self) -> &'static str {
        "other_netns"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ConntrackRow::DEF, NetIfRow::DEF, NetProtoRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let others = network_namespaces::others(host, context.namespaces);
        let (mut interfaces, mut counters, mut tracking) = (Vec::new(), Vec::new(), Vec::new());
        for namespace in &others.namespaces {
            let folder = format!("/proc/{}/net", namespace.pid);
            let netns = Some(namespace.inode);
            let path = format!("{folder}/dev");
            // A process that has ended meanwhile takes its namespace with it, as far as we can tell.
            if host.read_into(&path, &mut self.text).is_err() {
                continue;
            }
            let rows = reading.take(&path, proc_net_dev::parse(&self.text));
            interfaces.extend(rows.into_iter().map(|row| NetIfRow { netns, ..row }));
            let text = &mut self.text;
            let read = |path: &str, text: &mut Vec<u8>| host.read_into(path, text);
            let _ = proc_net_snmp::read_namespace(read, &folder, netns, text, &mut reading, &mut counters);
            let path = format!("{folder}/stat/nf_conntrack");
            // Whether connections are tracked at all the source of our own namespace says.
            if host.read_into(&path, text).is_ok() {
                let rows = reading.take(&path, proc_net_stat_nf_conntrack::parse(text));
                tracking.extend(rows.into_iter().map(|row| {
                    let mut row = ConntrackRow { netns, ..row };
                    self.tracked.widen(&mut row);
                    row
                }));
            }
        }
        self.tracked.retain(|netns| others.namespaces.iter().any(|one| Some(one.inode) == netns));
        // Also when empty: a namespace that appears in the window is compared with nothing.
        reading.rows.push(RowSet::totals(interfaces));
        reading.rows.push(RowSet::totals(counters));
        reading.rows.push(RowSet::totals(tracking));
        reading.missing.extend(unseen(&others, "net_proto.netns"));
        reading
    }
}

/// What of the namespaces could not be seen.
pub fn unseen(others: &OtherNamespaces, what: &str) -> Option<Missing> {
    namespaces::unseen(others, "network", what)
}
