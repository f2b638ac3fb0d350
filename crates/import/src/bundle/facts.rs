//! Whose files they are and when they were gathered: what a bundle itself says of its host, of the time zone
//! of its machine, and of the moment at which it was made.

use std::collections::BTreeMap;
use std::io::Read;

use heldup_model::Flaw;
use jiff::tz::{Offset, TimeZone};

use super::beginning::Begun;
use super::unpack::{Place, Taker};
use crate::text::civil::{INSTANTS_MS, zone_offset_s};
use crate::text::clock_line;

/// A file that tells a fact is not larger: zone data has 4 KB.
const LARGEST_BYTES: u64 = 64 << 10;
/// What a file tells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Telling {
    Host,
    Uname,
    Date,
    Timedatectl,
    ZoneName,
    ZoneData,
    Clock,
}

/// Where facts stand, from the folder of a report on. What stands first is believed first.
const TELLING: [(&str, Telling); 29] = [
    ("proc/sys/kernel/hostname", Telling::Host),
    ("sos_commands/host/hostname", Telling::Host),
    ("sos_commands/general/hostname", Telling::Host),
    ("etc/hostname", Telling::Host),
    ("etc/HOSTNAME", Telling::Host),
    ("hostname", Telling::Host),
    ("hostname.txt", Telling::Host),
    ("hostname.out", Telling::Host),
    ("etc/nodename", Telling::Host),
    ("sos_commands/kernel/uname_-a", Telling::Uname),
    ("uname", Telling::Uname),
    ("uname.txt", Telling::Uname),
    ("uname.out", Telling::Uname),
    ("sysconfig/uname-a.out", Telling::Uname),
    ("uname-a.out", Telling::Uname),
    ("uname_-a.out", Telling::Uname),
    ("uname_-a.txt", Telling::Uname),
    ("uname_-a", Telling::Uname),
    ("sos_commands/systemd/timedatectl", Telling::Timedatectl),
    ("timedatectl", Telling::Timedatectl),
    ("timedatectl.txt", Telling::Timedatectl),
    ("etc/timezone", Telling::ZoneName),
    ("etc/sysconfig/clock", Telling::Clock),
    ("etc/localtime", Telling::ZoneData),
    ("sos_commands/date/date", Telling::Date),
    ("sos_commands/general/date", Telling::Date),
    ("date", Telling::Date),
    ("date.txt", Telling::Date),
    ("date.out", Telling::Date),
];

/// What is known of one report.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Name of the host, and how far down the list it was told.
    host: Option<(usize, String)>,
    /// The zone, its name for people, and how far down the list it was told.
    zone: Option<(usize, TimeZone, String)>,
    /// Release of the kernel.
    kernel: Option<String>,
    /// When it was gathered.
    taken_ms: Option<i64>,
}

/// What is known of the reports among the given files, by the folder of each.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    reports: BTreeMap<String, Facts>,
}

/// What is known of one file from the report that it is part of.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Name of the host.
    pub host: Option<String>,
    /// The zone, and its name.
    pub zone: Option<(TimeZone, String)>,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// When the report was gathered, milliseconds since 1970-01-01 UTC.
    pub taken_ms: Option<i64>,
}

impl Surroundings {
    /// What is known of a file.
    pub fn of(&self, label: &str) -> Known {
        let mut known = Known::default();
        // The report that is nearest is asked first.
        let mut folder = Some(label);
        while let Some(above) = folder {
            if let Some(facts) = self.reports.get(above) {
                known.host = known.host.or_else(|| facts.host.as_ref().map(|(_, host)| host.clone()));
                known.zone = known
                    .zone
                    .or_else(|| facts.zone.as_ref().map(|(_, zone, name)| (zone.clone(), name.clone())));
                known.kernel = known.kernel.or_else(|| facts.kernel.clone());
                known.taken_ms = known.taken_ms.or(facts.taken_ms);
            }
            let is_top = above.is_empty();
            folder = (!is_top).then(|| above.rsplit_once('/').map_or("", |(folder, _)| folder));
        }
        known
    }

    fn learn(&mut self, folder: &str, rank: usize, telling: Telling, text: &[u8]) {
        let words = String::from_utf8_lossy(text).into_owned();
        let facts = self.reports.entry(folder.to_owned()).or_default();
        match telling {
            Telling::Host => facts.learn_host(rank, host_name(&words)),
            Telling::Uname => {
                if let Some((host, kernel)) = uname(&words) {
                    facts.learn_host(rank, Some(host));
                    facts.kernel = facts.kernel.take().or(kernel);
                }
            }
            Telling::Timedatectl => facts.learn_zone(rank, timedatectl_zone(&words)),
            Telling::ZoneName => facts.learn_zone(rank, named(words.trim())),
            Telling::Clock => facts.learn_zone(rank, clock_zone(&words)),
            Telling::ZoneData => facts.learn_zone(rank, zone_data(text)),
            Telling::Date => {
                if let Some((ms, zone)) = told_by_date(&words) {
                    facts.taken_ms = facts.taken_ms.or(Some(ms));
                    facts.learn_zone(rank, zone.and_then(|word| fixed(word, word)));
                }
            }
        }
    }
}

impl Facts {
    fn learn_host(&mut self, rank: usize, told: Option<String>) {
        if let Some(name) = told.filter(|_| self.host.as_ref().is_none_or(|(before, _)| rank < *before)) {
            self.host = Some((rank, name));
        }
    }

    fn learn_zone(&mut self, rank: usize, told: Option<(TimeZone, String)>) {
        if let Some((zone, name)) =
            told.filter(|_| self.zone.as_ref().is_none_or(|(before, _, _)| rank < *before))
        {
            self.zone = Some((rank, zone, name));
        }
    }
}

/// Reads the files that tell facts, and nothing else.
#[derive(Default)]
pub struct FactsTaker {
    /// What was learnt.
    pub surroundings: Surroundings,
}

impl Taker for FactsTaker {
    fn wants(&self, place: &Place) -> bool {
        telling(place).is_some()
    }

    fn file(&mut self, place: &Place, input: Begun<'_>) {
        let Some((folder, rank, telling)) = telling(place) else { return };
        let mut text = Vec::new();
        // What cannot be read is said when everything is read.
        if input.take(LARGEST_BYTES).read_to_end(&mut text).is_ok() {
            self.surroundings.learn(&folder, rank, telling, &text);
        }
    }

    fn link(&mut self, place: &Place, target: &str) {
        if let (Some((folder, rank, Telling::ZoneData)), Some((_, name))) =
            (telling(place), target.split_once("zoneinfo/"))
        {
            self.surroundings.reports.entry(folder).or_default().learn_zone(rank, named(name));
        }
    }

    fn flaw(&mut self, _: Flaw) {}

    fn note(&mut self, _: String) {}
}

/// The folder of a report and what a file of it tells.
fn telling(place: &Place) -> Option<(String, usize, Telling)> {
    if let Some(title) = &place.title {
        let folder = place.file_label().rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut words = title.split_whitespace();
        let command = words.next()?;
        let command = command.rsplit('/').next().unwrap_or(command);
        let telling = match (command, title.strip_prefix('/')) {
            ("date", _) => Telling::Date,
            ("hostname", _) => Telling::Host,
            ("uname", _) if words.next() == Some("-a") => Telling::Uname,
            ("timedatectl", _) => Telling::Timedatectl,
            ("clock", Some("etc/sysconfig/clock")) => Telling::Clock,
            ("HOSTNAME", Some("etc/HOSTNAME")) => Telling::Host,
            _ => return None,
        };
        let rank = TELLING.iter().position(|(_, known)| *known == telling)?;
        return Some((folder.to_owned(), rank, telling));
    }
    TELLING.iter().enumerate().find_map(|(rank, (path, telling))| {
        let folder = place.label.strip_suffix(path)?;
        (folder.is_empty() || folder.ends_with('/'))
            .then(|| (folder.trim_end_matches('/').to_owned(), rank, *telling))
    })
}

/// The only word of a file, where it can be a name.
fn host_name(text: &str) -> Option<String> {
    let mut words = text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    let (name, more) = (words.next()?, words.next());
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
    (more.is_none() && is_name && name.len() <= 255).then(|| name.to_owned())
}

/// Host and release of `Linux db1 5.14.0 …`.
fn uname(text: &str) -> Option<(String, Option<String>)> {
    let mut words = text.split_whitespace();
    let (system, host, release) = (words.next()?, words.next()?, words.next()?);
    // The release of another system's kernel is recognised by its own tools.
    let is_one = matches!(system, "Linux" | "SunOS" | "AIX" | "HP-UX");
    is_one.then(|| (host.to_owned(), (system == "Linux").then(|| release.to_owned())))
}

fn named(name: &str) -> Option<(TimeZone, String)> {
    TimeZone::get(name).ok().map(|zone| (zone, name.to_owned()))
}

/// `Time zone: Europe/Berlin (CET, +0100)`; before systemd 213 `Timezone:`.
fn timedatectl_zone(text: &str) -> Option<(TimeZone, String)> {
    let line = text.lines().find_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("Time zone:").or_else(|| line.strip_prefix("Timezone:"))
    })?;
    let mut words = line.split_whitespace();
    let name = words.next()?;
    // Where this machine does not know the name, the distance from UTC of that day is better than nothing.
    named(name).or_else(|| fixed(words.last()?.trim_end_matches(')'), name))
}

fn fixed(word: &str, name: &str) -> Option<(TimeZone, String)> {
    let seconds = i32::try_from(zone_offset_s(word)?).ok()?;
    Some((TimeZone::fixed(Offset::from_seconds(seconds).ok()?), name.to_owned()))
}

/// `ZONE="Europe/Berlin"` of Red Hat, `TIMEZONE=` of SUSE.
fn clock_zone(text: &str) -> Option<(TimeZone, String)> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        matches!(key.trim(), "ZONE" | "TIMEZONE").then(|| value.trim().trim_matches('"').to_owned())
    };
    text.lines().find_map(value).and_then(|name| named(&name))
}

fn zone_data(bytes: &[u8]) -> Option<(TimeZone, String)> {
    let zone = TimeZone::tzif("of the bundle", bytes).ok()?;
    Some((zone, "of etc/localtime".to_owned()))
}

/// The instant of the first line of what `date` printed, and its zone where that is a word of it.
fn told_by_date(text: &str) -> Option<(i64, Option<&str>)> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let (ms, zone_s) = clock_line::instant(&words).filter(|(ms, _)| INSTANTS_MS.contains(ms))?;
    Some((ms, words.into_iter().find(|word| zone_offset_s(word) == Some(zone_s))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(label: &str, title: Option<&str>) -> Place {
        Place { label: label.to_owned(), title: title.map(str::to_owned), modified_ms: 0 }
    }

    fn learn(files: &[(&str, Option<&str>, &str)]) -> Surroundings {
        let mut taker = FactsTaker::default();
        for (label, title, text) in files {
            let place = place(label, *title);
            assert!(taker.wants(&place), "{label}");
            taker.file(&place, Begun::of(&mut text.as_bytes()));
        }
        taker.surroundings
    }

    #[test]
    fn a_report_tells_its_host_its_zone_and_when_it_was_made() {
        let known = learn(&[
            ("a.tar/s/date", None, "Thu Mar  3 12:33:44 CET 2022\n"),
            ("a.tar/s/hostname", None, "db1.example.com\n"),
            ("a.tar/s/proc/sys/kernel/hostname", None, "db1\n"),
            (
                "a.tar/s/sos_commands/systemd/timedatectl",
                None,
                "  Local time: x\n   Time zone: Europe/Berlin (CET, +0100)\n",
            ),
        ])
        .of("a.tar/s/sos_commands/sar/sar03");
        assert_eq!(known.host.as_deref(), Some("db1"));
        assert_eq!(known.zone.map(|(_, name)| name).as_deref(), Some("Europe/Berlin"));
        // 11:33:44 UTC.
        assert_eq!(known.taken_ms, Some(1_646_307_224_000));
    }

    #[test]
    fn two_reports_have_each_their_own() {
        let known = learn(&[("x/a/hostname", None, "a\n"), ("x/b/hostname", None, "b\n")]);
        let host = |label: &str| known.of(label).host;
        assert_eq!(
            (host("x/a/vmstat"), host("x/b/deep/vmstat")),
            (Some("a".to_owned()), Some("b".to_owned()))
        );
        assert_eq!((host("x/ab/vmstat"), host("x/vmstat")), (None, None));
    }

    #[test]
    fn sections_tell_it_too() {
        let known = learn(&[
            ("s/basic-environment.txt: /bin/date", Some("/bin/date"), "Thu Mar  3 12:33:44 CET 2022\n"),
            ("s/basic-environment.txt: /bin/uname -a", Some("/bin/uname -a"), "Linux sles1 5.3.18 #1 SMP\n"),
        ])
        .of("s/memory.txt");
        assert_eq!((known.host.as_deref(), known.taken_ms), (Some("sles1"), Some(1_646_307_224_000)));
        assert_eq!(known.zone.map(|(_, name)| name).as_deref(), Some("CET"));
    }

    #[test]
    fn names_are_told_from_other_content() {
        assert_eq!(host_name("# comment\ndb-1\n").as_deref(), Some("db-1"));
        assert_eq!(host_name("two words\n"), None);
        assert_eq!(host_name(""), None);
        assert_eq!(uname("Linux db1 5.14.0-70\n"), Some(("db1".to_owned(), Some("5.14.0-70".to_owned()))));
        assert_eq!(uname("SunOS db1 5.11\n"), Some(("db1".to_owned(), None)));
        assert_eq!(uname("Plan9 db1 4\n"), None);
        assert_eq!(clock_zone("ZONE=\"UTC\"\n").map(|(_, name)| name).as_deref(), Some("UTC"));
        let mut taker = FactsTaker::default();
        taker.link(&place("s/etc/localtime", None), "../usr/share/zoneinfo/UTC");
        assert_eq!(taker.surroundings.of("s/x").zone.map(|(_, name)| name).as_deref(), Some("UTC"));
    }
}
