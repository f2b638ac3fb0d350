//! What `sadf -j` and `sadf -x` call the sections of `sar`: data. And what becomes of one group of
//! values, whichever of the two it stands in.
//!
//! Both print a sample in one piece, with the same names. A group's values go the way of a row of
//! `sar`: [`crate::sar_fields`] says what they mean.

use std::borrow::Cow;

use crate::document::Document;
use crate::document::banner::Banner;
use crate::error::ImportError;
use crate::sysstat::sar_fields::{Rows, Section};
use crate::sysstat::sar_rows::{Listing, section};
use crate::table::sheets::{LONGEST_INTERVAL_S, When};
use crate::text::civil::{date, time_of_day, zone_offset_s};
use crate::text::number::{Cell, cell};
use crate::tree::{Member, TakesGroups};

/// Name of the format.
pub const NAME: &str = "sadf";

/// A group's name, and the headings that tell its section.
const GROUPS: [(&str, &[&str]); 35] = [
    ("cpu-load", &["CPU", "%idle"]),
    ("cpu-load-all", &["CPU", "%idle"]),
    ("process-and-context-switch", &["proc/s"]),
    ("processes", &["proc/s"]),
    ("context-switch", &["cswch/s"]),
    ("int-global", &["INTR", "all"]),
    ("interrupts", &["INTR", "all"]),
    ("swap-pages", &["pswpin/s"]),
    ("paging", &["pgpgin/s"]),
    ("memory", &["kbmemfree"]),
    ("kernel", &["file-nr"]),
    ("queue", &["ldavg-1"]),
    ("disk", &["DEV", "tps"]),
    ("net-dev", &["IFACE", "rxpck/s"]),
    ("net-edev", &["IFACE", "rxerr/s"]),
    ("net-ip", &["irec/s", "idel/s"]),
    ("net-eip", &["ihdrerr/s"]),
    ("net-icmp", &["imsg/s"]),
    ("net-eicmp", &["idstunr/s"]),
    ("net-tcp", &["active/s", "iseg/s"]),
    ("net-etcp", &["atmptf/s"]),
    ("net-udp", &["idgm/s"]),
    ("net-ip6", &["irec6/s"]),
    ("net-eip6", &["ihdrer6/s"]),
    ("net-icmp6", &["imsg6/s"]),
    ("net-eicmp6", &["idtunr6/s"]),
    ("net-udp6", &["idgm6/s"]),
    ("softnet", &["CPU", "total/s", "squeezd/s"]),
    ("cpu-frequency", &["CPU", "MHz"]),
    ("filesystems", &["MBfsfree"]),
    ("psi-cpu", &["%scpu-10"]),
    ("psi-io", &["%sio-10"]),
    ("psi-mem", &["%smem-10"]),
    // Before sysstat 10 the names of disks and interfaces stood in the groups' own.
    ("disk-device", &["DEV", "tps"]),
    ("net-device", &["IFACE", "rxpck/s"]),
];

/// Members whose heading does not follow from their name.
const HEADINGS: [(&str, &str); 35] = [
    ("cpu", "CPU"),
    ("number", "CPU"),
    ("intr", "INTR"),
    ("iface", "IFACE"),
    ("disk-device", "DEV"),
    ("dev", "DEV"),
    ("filesystem", "FILESYSTEM"),
    ("fsname", "FILESYSTEM"),
    ("mountpoint", "MOUNTPOINT"),
    ("value", "intr/s"),
    ("frequency", "MHz"),
    ("memory.inactive", "kbinact"),
    ("memory.memused", "kbmemused"),
    ("memory.slab", "kbslab"),
    ("psi-cpu.some_avg10", "%scpu-10"),
    ("psi-cpu.some_avg60", "%scpu-60"),
    ("psi-cpu.some_avg300", "%scpu-300"),
    ("psi-cpu.some_avg", "%scpu"),
    ("psi-io.some_avg10", "%sio-10"),
    ("psi-io.some_avg60", "%sio-60"),
    ("psi-io.some_avg300", "%sio-300"),
    ("psi-io.some_avg", "%sio"),
    ("psi-io.full_avg10", "%fio-10"),
    ("psi-io.full_avg60", "%fio-60"),
    ("psi-io.full_avg300", "%fio-300"),
    ("psi-io.full_avg", "%fio"),
    ("psi-mem.some_avg10", "%smem-10"),
    ("psi-mem.some_avg60", "%smem-60"),
    ("psi-mem.some_avg300", "%smem-300"),
    ("psi-mem.some_avg", "%smem"),
    ("psi-mem.full_avg10", "%fmem-10"),
    ("psi-mem.full_avg60", "%fmem-60"),
    ("psi-mem.full_avg300", "%fmem-300"),
    ("psi-mem.full_avg", "%fmem"),
    ("cswch", "cswch/s"),
];

/// Members that say the same as another that is there too, in another unit.
const REPEATED: [(&str, &str); 5] = [
    ("rd_sec", "rkB"),
    ("wr_sec", "wkB"),
    ("dc_sec", "dkB"),
    ("avgrq-sz", "areq-sz"),
    ("avgqu-sz", "aqu-sz"),
];

/// Groups that are remembered, each with its members.
const MOST_MET: usize = 512;

/// Attributes that say the unit.
const UNITS: [&str; 2] = ["per", "unit"];

/// Groups that are no section of their own.
const FRAMES: [&str; 12] = [
    "sysstat",
    "hosts",
    "host",
    "statistics",
    "timestamp",
    "network",
    "power-management",
    "psi",
    "boot",
    "restarts",
    "comments",
    "comment",
];

/// Takes the groups of a file one after another.
#[derive(Default)]
pub struct Groups {
    when: Option<When>,
    /// The time is that of the element that is open (XML), and over with it.
    is_element: bool,
    has_rows: bool,
    /// The listings of groups that were met, each with the members that it is of.
    met: Vec<Met>,
    banner: Banner,
}

struct Met {
    group: String,
    members: Vec<String>,
    /// Members that are cells; the others are repeated or say a unit.
    kept: Vec<usize>,
    listing: Listing,
}

impl Groups {
    /// The file begins.
    pub fn of(document: &mut Document) -> Groups {
        document.begin(NAME);
        Groups::default()
    }

    fn take_time(&mut self, members: &[Member], line: u64, document: &mut Document) {
        let value = |name: &str| {
            members.iter().find(|member| member.name == name).map(|member| member.value.as_str())
        };
        let day = value("date").and_then(|text| date(text, document.times.dates.order));
        document.took_date(&[value("date").unwrap_or("")]);
        // sysstat 10.0.3 to 10.1.5 has dashes in it.
        let time = value("time").and_then(|text| time_of_day(&[text.replace('-', ":").as_str()]));
        let (Some(day), Some(time)) = (day, time) else {
            self.when = None;
            document.flaw(line, "sadf: a timestamp without date and time; expected both".to_owned());
            return;
        };
        let is_utc = value("utc") == Some("1");
        let zone = if is_utc { Some(0) } else { value("tz").and_then(zone_offset_s) };
        let interval = value("interval").and_then(|text| text.parse::<f64>().ok());
        if let Some(secs) = interval.filter(|secs| *secs > LONGEST_INTERVAL_S) {
            document.flaw(
                line,
                format!("sadf: an interval of {secs:.0} s; the rates of its sample are not used"),
            );
        }
        self.when = Some(When {
            ms: document.instant_ms(day, time.seconds, zone),
            secs: interval.filter(|secs| *secs > 0.0 && *secs <= LONGEST_INTERVAL_S),
            floats: false,
        });
    }

    fn write(
        &mut self,
        section: &'static Section,
        name: &str,
        members: &[Member],
        when: When,
        document: &mut Document,
    ) {
        let is_it =
            |met: &Met| met.group == name && met.members.iter().eq(members.iter().map(|member| &member.name));
        let at = self.met.iter().position(is_it).unwrap_or_else(|| {
            // A sound file has some forty; one whose groups are all different is searched no longer for it.
            if self.met.len() >= MOST_MET {
                self.met.clear();
            }
            self.met.push(Met::of(section, name, members, document));
            self.met.len() - 1
        });
        let Some(met) = self.met.get(at) else { return };
        let values = || met.kept.iter().filter_map(|at| members.get(*at)).map(|member| member.value.as_str());
        let cells: Vec<Cell> = values().map(cell).collect();
        let thing = met.listing.name_at.and_then(|at| values().nth(at)).unwrap_or("");
        met.listing.write(&cells, thing, when, document);
    }
}

impl TakesGroups for Groups {
    fn begins(&mut self, name: &str, members: &[Member], line: u64, document: &mut Document) {
        if name == "timestamp" {
            self.take_time(members, line, document);
            self.is_element = true;
        }
    }

    /// What the file says of its host.
    fn fact(&mut self, within: &str, name: &str, value: &str, document: &mut Document) {
        if !matches!(within, "hosts" | "host") {
            return;
        }
        match name {
            "nodename" => value.clone_into(&mut self.banner.host),
            "release" => value.clone_into(&mut self.banner.kernel),
            "machine" => self.banner.architecture = Some(value.to_owned()),
            "number-of-cpus" => self.banner.cpus = value.parse().ok(),
            "file-date" | "date" => self.banner.date = date(value, document.times.dates.order),
            _ => return,
        }
        document.facts.banner = Some(self.banner.clone());
    }

    fn group(&mut self, name: &str, within: &str, members: &[Member], line: u64, document: &mut Document) {
        if name == "timestamp" && !self.is_element {
            self.take_time(members, line, document);
            return;
        }
        if name == "boot" {
            document.note_text("the machine was rebooted during the recording".to_owned());
        }
        if FRAMES.contains(&name) || members.iter().all(|member| UNITS.contains(&member.name.as_str())) {
            return;
        }
        let Some(section) = section_of(name).or_else(|| section_of(within)) else {
            document.leave_out(NAME, &[format!("the group \"{name}\"")]);
            return;
        };
        let Some(when) = self.when else {
            document.flaw(
                line,
                format!("sadf: the group {name:?} without a time; expected a timestamp before it"),
            );
            return;
        };
        self.has_rows = true;
        let members = on_one_cpu(members);
        self.write(section, name, &members, when, document);
    }

    fn ends(&mut self, name: &str, document: &mut Document) -> Result<(), ImportError> {
        let is_over = name == "statistics" || (name == "timestamp" && self.is_element);
        if is_over && self.when.take().is_some() {
            self.is_element = false;
            if std::mem::take(&mut self.has_rows) {
                return document.end_sample(NAME);
            }
        }
        Ok(())
    }
}

impl Met {
    fn of(section: &'static Section, name: &str, members: &[Member], document: &mut Document) -> Met {
        let is_there = |wanted: &str| members.iter().any(|member| member.name == wanted);
        let is_repeated = |name: &str| REPEATED.iter().any(|(other, kept)| *other == name && is_there(kept));
        let is_kept = |name: &str| !UNITS.contains(&name) && !is_repeated(name);
        let kept: Vec<usize> = (0..members.len()).filter(|at| is_kept(&members[*at].name)).collect();
        let headings: Vec<Cow<'_, str>> =
            kept.iter().map(|at| heading(section, name, &members[*at].name)).collect();
        let words: Vec<&str> = headings.iter().map(|heading| &**heading).collect();
        Met {
            group: name.to_owned(),
            members: members.iter().map(|member| member.name.clone()).collect(),
            listing: Listing::in_section(Some(section), &words, NAME, document),
            kept,
        }
    }
}

/// The section that a group is.
fn section_of(group: &str) -> Option<&'static Section> {
    let (_, told_by) = GROUPS.iter().find(|(name, _)| *name == group)?;
    section(told_by)
}

/// What `sar` prints above a member of a group.
fn heading<'m>(section: &Section, group: &str, member: &'m str) -> Cow<'m, str> {
    let is_named = |name: &str| name == member || name.split_once('.') == Some((group, member));
    if let Some((_, heading)) = HEADINGS.iter().find(|(name, _)| is_named(name)) {
        return Cow::Borrowed(heading);
    }
    if let Some(share) = member.strip_suffix("-percent") {
        return Cow::Owned(format!("%{share}"));
    }
    if has(section, member) {
        return Cow::Borrowed(member);
    }
    // Shares that follow from kilobytes have a name of their own, above.
    let forms = [format!("{member}/s"), format!("kb{member}"), format!("%{member}")];
    forms.into_iter().find(|form| has(section, form)).map_or(Cow::Borrowed(member), Cow::Owned)
}

/// Whether a section reads a heading.
fn has(section: &Section, heading: &str) -> bool {
    let is_field =
        section.told_by.contains(&heading) || section.fields.iter().any(|field| field.heading == heading);
    is_field
        || match section.rows {
            Rows::Protocol(names) | Rows::Limit(names) => names.iter().any(|(name, _)| *name == heading),
            _ => false,
        }
}

/// An interrupt of which XML tells one CPU after another: under the heading of that CPU.
fn on_one_cpu(members: &[Member]) -> Cow<'_, [Member]> {
    let [intr, cpu, value] = members else { return Cow::Borrowed(members) };
    if intr.name != "intr" || cpu.name != "cpu" || value.name != "value" {
        return Cow::Borrowed(members);
    }
    let name = if cpu.value == "all" { "all".to_owned() } else { format!("CPU{}", cpu.value) };
    Cow::Owned(vec![intr.clone(), Member { name, value: value.value.clone() }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_a_section_that_is_read() {
        for (name, _) in GROUPS {
            assert!(section_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn headings_follow_from_names() {
        for (group, member, expect) in [
            ("cpu-load", "usr", "%usr"),
            ("cpu-load", "number", "CPU"),
            ("paging", "pgpgin", "pgpgin/s"),
            ("paging", "vmeff-percent", "%vmeff"),
            ("memory", "swpused-percent", "%swpused"),
            ("memory", "memfree", "kbmemfree"),
            ("memory", "commit", "kbcommit"),
            ("memory", "inactive", "kbinact"),
            ("disk", "rkB", "rkB/s"),
            ("disk", "aqu-sz", "aqu-sz"),
            ("disk", "util-percent", "%util"),
            ("net-ip", "irec", "irec/s"),
            ("queue", "ldavg-15", "ldavg-15"),
            ("psi-io", "full_avg10", "%fio-10"),
        ] {
            let section = section_of(group).unwrap();
            assert_eq!(heading(section, group, member), expect, "{group} {member}");
        }
    }
}
