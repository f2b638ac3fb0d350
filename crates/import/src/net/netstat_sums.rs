//! `netstat -s` of Linux: counters of the protocols since boot, in words, under the names that `nstat` prints.
//!
//! Of a single listing there are only sums since boot; of several it is what came between. What it leaves out is zero: a
//! counter that is there for the first time, in a section that was there before, grew from nothing. Left out:
//! what is no counter (forwarding, connections there are now), and SCTP.

use heldup_model::Record;
use heldup_model::tables::NetProtoRow;

use crate::document::put::{Put, put_row, put_since_boot};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::net::sum_phrases::{ICMP, ICMP_KINDS, ICMP6_KINDS, IP, IP6, Phrase, TCP, TCP_EXT, UDP};
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const NAME: &str = "netstat -s";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// Sections, in the kernel's words.
const SECTIONS: [&str; 16] = [
    "Icmp", "Icmp6", "Icmp6Msg", "IcmpMsg", "Ip", "Ip6", "IpExt", "MPTcpExt", "Sctp", "Tcp", "TcpExt",
    "Tcp6", "Udp", "Udp6", "UdpLite", "UdpLite6",
];

/// Reads `netstat -s`.
#[derive(Default)]
pub struct NetstatSums {
    section: Option<&'static str>,
    /// Kinds of messages that follow were received, or sent.
    direction: &'static str,
    when: Option<When>,
    /// Sections of this listing, and of the one before.
    sections: Vec<&'static str>,
    before: Vec<&'static str>,
    totals: Totals,
    last_line: u64,
}

impl Importer for NetstatSums {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let [word] = line.words else { return Ok(false) };
        let name = word.strip_suffix(':');
        let Some(section) = SECTIONS.iter().find(|section| Some(**section) == name) else { return Ok(false) };
        let is_far = line.number > self.last_line + MOST_GAP;
        if self.when.is_some() && (self.sections.contains(section) || is_far) {
            self.ends(document)?;
        }
        self.section = Some(section);
        self.direction = "In";
        self.last_line = line.number;
        self.sections.push(section);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let is_near = line.number <= self.last_line + MOST_GAP;
        let Some(section) = self.section.filter(|_| is_near) else { return Ok(false) };
        match line.words {
            ["ICMP", "input", "histogram:"] => self.direction = "In",
            ["ICMP", "output", "histogram:"] => self.direction = "Out",
            _ => {
                let Some(counter) = counter(section, self.direction, line.words) else { return Ok(false) };
                self.count(section, counter, document);
            }
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.before = std::mem::take(&mut self.sections);
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl NetstatSums {
    fn count(&mut self, section: &str, (name, total): (String, u64), document: &mut Document) {
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(NAME);
                document.note("netstat -s counts since boot: the first listing has no increases");
                *self.when.insert(self.totals.sample(document.moment(NAME)))
            }
        };
        if name.is_empty() {
            return;
        }
        let was_there = self.before.contains(&section);
        let growth = self.totals.growth(&name, total as f64);
        let growth =
            growth.or_else(|| self.totals.is_new(&name).then_some(total as f64).filter(|_| was_there));
        if growth.is_none() && self.totals.is_new(&name) {
            put_since_boot(document, when, ("net_proto", &name), None, total as f64);
        }
        put_row(document, NetProtoRow::DEF, when, Key::Name(&name), &[("value", Put::Number(growth))]);
    }
}

/// The counter of a line, under the name of `nstat`, and its total; an empty name where it is none.
fn counter(section: &str, direction: &str, words: &[&str]) -> Option<(String, u64)> {
    if let ["Forwarding:", _] | ["Forwarding", "is", _] | ["Default", "TTL", "is", _] = words {
        return Some((String::new(), 0));
    }
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let at = words.iter().position(is_number)?;
    let total = words.get(at)?.parse().ok()?;
    // Counters of IPv6 have the name of their section in their own.
    let full = |name: &str| {
        if section.contains('6') && name.starts_with(section.trim_end_matches("Msg")) {
            name.to_owned()
        } else {
            format!("{section}{name}")
        }
    };
    if let [label, _] = words
        && let Some(name) = label.strip_suffix(':')
    {
        return Some((full(name), total)).filter(|_| !name.is_empty());
    }
    let mut phrase: Vec<&str> = words.to_vec();
    *phrase.get_mut(at)? = "#";
    let phrase = phrase.join(" ");
    let find = |list: &[Phrase]| list.iter().find(|(words, _)| *words == phrase).map(|(_, name)| *name);
    let (own, shared, kinds): (&[Phrase], &[Phrase], &[Phrase]) = match section {
        "Ip" => (IP, &[], &[]),
        "Ip6" => (IP6, IP, &[]),
        "Icmp" => (ICMP, &[], ICMP_KINDS),
        "Icmp6" => (ICMP, &[], ICMP6_KINDS),
        "Tcp" | "Tcp6" => (TCP, &[], &[]),
        "Udp" | "Udp6" | "UdpLite" | "UdpLite6" => (UDP, &[], &[]),
        "TcpExt" => (TCP_EXT, &[], &[]),
        _ => (&[], &[], &[]),
    };
    if let Some(kind) = find(kinds) {
        return Some((format!("{section}{direction}{kind}"), total));
    }
    let name = find(own).or_else(|| find(shared))?;
    Some((if name.is_empty() { String::new() } else { full(name) }, total))
}

#[cfg(test)]
mod tests {
    use super::counter;

    #[test]
    fn words_are_counters_of_nstat() {
        let check = |section: &str, line: &str, expect: Option<(&str, u64)>| {
            let found = counter(section, "Out", &line.split_whitespace().collect::<Vec<_>>());
            assert_eq!(found.as_ref().map(|(name, total)| (name.as_str(), *total)), expect, "{line}");
        };
        check("Tcp", "7 segments retransmited", Some(("TcpRetransSegs", 7)));
        check("Tcp", "12 connections established", Some(("", 12)));
        check("TcpExt", "Quick ack mode was activated 4 times", Some(("TcpExtDelayedACKLost", 4)));
        check("TcpExt", "TCPTimeouts: 2", Some(("TcpExtTCPTimeouts", 2)));
        check("Icmp", "echo requests: 3", Some(("IcmpOutEchos", 3)));
        check("IcmpMsg", "InType3: 1", Some(("IcmpMsgInType3", 1)));
        check("Ip", "Forwarding: 2", Some(("", 0)));
        check("Ip6", "Ip6InNoECTPkts: 9", Some(("Ip6InNoECTPkts", 9)));
        check("Ip6", "5 forwarded", Some(("Ip6OutForwDatagrams", 5)));
        check("Udp6", "5 packets sent", Some(("Udp6OutDatagrams", 5)));
        check("Udp", "5 men in a boat", None);
        check("Tcp", "no number here", None);
    }
}
