//! Control groups: use, limits and stalls of each (table `cgroup`).
//!
//! One row for each path. Version 1 has a tree for each controller; groups of the same
//! path are one row, and where a version 2 tree stands beside them (hybrid hosts) its
//! figures fill what version 1 does not have.
//!
//! About ten small files a group are read. A host with few groups is read at every sample;
//! with more than [`MAX_GROUPS_EVERY_SAMPLE`] the whole table is read at both ends of the
//! window only, so that looking stays cheap: who was throttled in which second is in the
//! ledger anyway.
//!
//! For a recorder, what somebody sets (limits, weights) is read every ten seconds, and groups are listed
//! then and when their number changes.

use std::collections::{BTreeMap, HashSet};

use heldup_hostfs::{Host, KeptFiles, KeptFolders, monotonic_ns};
use heldup_model::tables::CgroupRow;
use heldup_model::{Missing, Record, RowSet, TableDef, owner_of_cgroup};

use crate::group_files::GroupFiles;
use crate::mountinfo::{self, Mount};
use crate::source::{Cadence, ReadContext, Reading, Schedule, Source};
use crate::{cgroup_v1, cgroup_v2};

/// A group costs about 60 µs: so many keep a sample within two milliseconds.
const MAX_GROUPS_EVERY_SAMPLE: usize = 32;
/// At most so many groups are read, the ones nearest to the root first.
const MAX_GROUPS: usize = 2000;
/// After so many readings it is seen anew which files a group does not have: those of a controller that is
/// handed down to it later. The root has half of them only, and so has a service of systemd that accounts for
/// nothing but tasks and memory; to look for one in vain takes longer than to read one.
const ABSENT_READINGS: u32 = 16;
/// A recorder reads settings of groups, and lists these whatever their number, after this long; a little less than
/// ten readings, which come a little early or late.
const SETTINGS_NS: u64 = 9_500_000_000;
/// How deep trees of groups are followed; the deepest known ones (nested containers under
/// systemd) have about a dozen levels.
const MAX_DEPTH: usize = 32;

/// One mounted tree of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Where it is mounted.
    pub point: String,
    /// Path of the group that the mount shows as its root; empty for the real root.
    pub prefix: String,
    /// Controllers that fill columns.
    pub controllers: Vec<String>,
    /// Version 2.
    pub unified: bool,
}

impl Hierarchy {
    /// The folder of a group.
    pub(crate) fn folder_of(&self, path: &str) -> String {
        let below = path.strip_prefix(self.prefix.as_str()).unwrap_or(path);
        format!("{}{}", self.point, below.trim_end_matches('/'))
    }
}

/// The hierarchies among the mounts, each once, version 1 first.
pub fn hierarchies(mounts: &[Mount]) -> Vec<Hierarchy> {
    let mut found: Vec<Hierarchy> = Vec::new();
    let mut devices: Vec<&str> = Vec::new();
    for mount in mounts.iter().filter(|mount| mount.fs_type == "cgroup" || mount.fs_type == "cgroup2") {
        let unified = mount.fs_type == "cgroup2";
        let options = mount.super_options.split(',').map(str::to_owned);
        let controllers: Vec<String> =
            options.filter(|option| cgroup_v1::CONTROLLERS.contains(&option.as_str())).collect();
        // The same file system may be mounted again elsewhere.
        if devices.contains(&mount.dev_id.as_str()) || (!unified && controllers.is_empty()) {
            continue;
        }
        devices.push(&mount.dev_id);
        // In a namespace of control groups, what lies above its root shows as `/..`.
        let outside = mount.root == "/" || mount.root.starts_with("/..");
        let prefix = if outside { String::new() } else { mount.root.clone() };
        found.push(Hierarchy { point: mount.point.clone(), prefix, controllers, unified });
    }
    found.sort_by_key(|hierarchy| hierarchy.unified);
    found
}

/// A group that was listed.
#[derive(Debug)]
struct Group {
    /// Its names, and what somebody set, with what that counts, as it was read last.
    row: CgroupRow,
    /// Its folder in each hierarchy that has it, by position.
    folders: Vec<(usize, String)>,
    /// Whether it had a file that we know: the root of version 2 has none before 4.20.
    has_files: bool,
}

/// The source.
#[derive(Debug)]
pub struct Cgroup {
    hierarchies: Option<Vec<Hierarchy>>,
    cadence: Cadence,
    ticks_per_s: f64,
    files: KeptFiles,
    /// Files that were not there, and the readings since that was seen first.
    absent: HashSet<String>,
    absent_readings: u32,
    folders: KeptFolders,
    groups: Vec<Group>,
    /// When settings were read last, and how many groups the kernel counted then.
    settings_ns: Option<u64>,
    counts: Vec<u8>,
    text: Vec<u8>,
}

impl Default for Cgroup {
    fn default() -> Cgroup {
        Cgroup {
            hierarchies: None,
            cadence: Cadence::EverySample,
            ticks_per_s: 0.0,
            files: KeptFiles::default(),
            absent: HashSet::new(),
            absent_readings: 0,
            folders: KeptFolders::default(),
            groups: Vec::new(),
            settings_ns: None,
            counts: Vec::new(),
            text: Vec::new(),
        }
    }
}

impl Source for Cgroup {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CgroupRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::new(self.cadence)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let Some(hierarchies) = self.hierarchies(host, &mut reading) else { return reading };
        self.files.next_round();
        self.absent_readings += 1;
        if self.absent_readings > ABSENT_READINGS {
            self.absent.clear();
            self.absent_readings = 0;
        }
        let with_settings = self.list(host, &hierarchies, context.continuous);
        if self.groups.len() >= MAX_GROUPS {
            reading.missing.push(Missing {
                what: "cgroup".to_owned(),
                why: format!("more than {MAX_GROUPS} control groups; the ones nearest to the root were read"),
                how: "examine one group: --focus cgroup:PATH".to_owned(),
            });
        }
        let mut groups = std::mem::take(&mut self.groups);
        let rows: Vec<CgroupRow> = groups
            .iter_mut()
            .filter_map(|group| self.row(host, &hierarchies, group, with_settings, &mut reading))
            .collect();
        // One that has gone: another may be there in its place.
        if rows.len() < groups.len() {
            self.settings_ns = None;
        }
        self.groups = groups;
        // Decided at the first reading, so that each reading has one before it to compare with.
        if self.hierarchies.is_none() && rows.len() > MAX_GROUPS_EVERY_SAMPLE {
            self.cadence = Cadence::Ends;
        }
        self.hierarchies = Some(hierarchies);
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl Cgroup {
    fn hierarchies(&mut self, host: &Host, reading: &mut Reading) -> Option<Vec<Hierarchy>> {
        if let Some(known) = &self.hierarchies {
            return Some(known.clone());
        }
        self.ticks_per_s = host.units().ticks_per_s as f64;
        // What is wrong with the file as such is told by the source `filesystem`.
        let mounts = match host.mount_table() {
            Ok(text) => mountinfo::parse(&text).value,
            Err(error) => {
                reading.lacks("cgroup", &error, "mount proc on /proc");
                return None;
            }
        };
        let mut found = hierarchies(&mounts);
        if found.is_empty() {
            reading.missing.push(Missing {
                what: "cgroup".to_owned(),
                why: "no tree of control groups is mounted here".to_owned(),
                how: "mount -t cgroup2 none /sys/fs/cgroup, or run outside the container".to_owned(),
            });
            return None;
        }
        for tree in found.iter_mut().filter(|tree| tree.unified) {
            let names = host.read_text(format!("{}/cgroup.controllers", tree.point)).unwrap_or_default();
            tree.controllers = names.split_ascii_whitespace().map(str::to_owned).collect();
        }
        Some(found)
    }

    /// Lists the groups where that is due, and whether their settings are to be read.
    ///
    /// One that was made while another went leaves their number as it was: it is found after
    /// [`SETTINGS_NS`].
    fn list(&mut self, host: &Host, hierarchies: &[Hierarchy], continuous: bool) -> bool {
        let now_ns = monotonic_ns();
        let is_due =
            !continuous || self.settings_ns.is_none_or(|last| now_ns.saturating_sub(last) >= SETTINGS_NS);
        let counts = if continuous { self.counts(host, hierarchies) } else { Vec::new() };
        if !is_due && !counts.is_empty() && counts == self.counts {
            return false;
        }
        self.settings_ns = Some(now_ns);
        self.counts = counts;
        let group = |(path, found_in): (String, Vec<usize>)| {
            let owner = owner_of_cgroup(&path);
            let folders = found_in.into_iter().map(|at| (at, hierarchies[at].folder_of(&path))).collect();
            let row = CgroupRow {
                path: Some(path.into()),
                unit: owner.unit,
                container: owner.container,
                ..CgroupRow::default()
            };
            Group { row, folders, has_files: false }
        };
        self.groups = groups(host, hierarchies, &mut self.folders).into_iter().map(group).collect();
        true
    }

    /// How many groups the kernel counts: the same as long as none is made, none is removed, and of
    /// version 1 no more memory of one that was is given back. Nothing where it does not say.
    fn counts(&mut self, host: &Host, hierarchies: &[Hierarchy]) -> Vec<u8> {
        let unified = hierarchies.iter().filter(|tree| tree.unified);
        let mut paths: Vec<String> = unified.map(|tree| format!("{}/cgroup.stat", tree.point)).collect();
        if paths.len() < hierarchies.len() {
            paths.push("/proc/cgroups".to_owned());
        }
        let mut counts = Vec::new();
        for path in paths {
            if self.files.read_record_into(host, &path, &mut self.text).is_err() {
                return Vec::new();
            }
            counts.extend_from_slice(&self.text);
        }
        counts
    }

    /// The row of a group; none where it has gone.
    fn row(
        &mut self,
        host: &Host,
        hierarchies: &[Hierarchy],
        group: &mut Group,
        with_settings: bool,
        reading: &mut Reading,
    ) -> Option<CgroupRow> {
        let mut row = group.row.clone();
        let mut found = 0;
        for (at, folder) in &group.folders {
            let tree = &hierarchies[*at];
            let (kept, text) = (&mut self.files, &mut self.text);
            let (absent, ticks_per_s) = (&mut self.absent, self.ticks_per_s);
            let mut files = GroupFiles {
                host,
                kept,
                absent,
                reading,
                text,
                folder,
                with_settings,
                found: 0,
                ticks_per_s,
            };
            if tree.unified {
                cgroup_v2::fill(&tree.controllers, &mut files, &mut row);
            }
            for controller in tree.controllers.iter().filter(|_| !tree.unified) {
                cgroup_v1::fill(controller, &mut files, &mut row);
            }
            found += files.found;
            let version = if tree.unified { "v2" } else { "v1" };
            row.version.get_or_insert_with(|| version.into());
        }
        if with_settings {
            keep_settings(&row, &mut group.row);
            group.has_files = found > 0;
        }
        (found > 0 || !group.has_files).then_some(row)
    }
}

/// What somebody sets, from a row that was read with it, and what stays where nothing is set.
fn keep_settings(from: &CgroupRow, to: &mut CgroupRow) {
    to.cpu_weight = from.cpu_weight;
    to.cpu_quota = from.cpu_quota;
    to.cpu_period_s = from.cpu_period_s;
    to.memory_limit_bytes = from.memory_limit_bytes;
    to.memory_high_bytes = from.memory_high_bytes;
    to.processes_max = from.processes_max;
    to.periods = from.periods;
    to.throttled_periods = from.throttled_periods;
    to.throttled_s = from.throttled_s;
    to.memory_limit_hits = from.memory_limit_hits;
}

/// Paths of all groups and the hierarchies (by position) that have them, level by level, so
/// that the limit cuts off the deepest ones.
pub(crate) fn groups(
    host: &Host,
    hierarchies: &[Hierarchy],
    folders: &mut KeptFolders,
) -> BTreeMap<String, Vec<usize>> {
    let (found, gone) = groups_by(host, hierarchies, folders);
    if !gone {
        return found;
    }
    // Another may be there in its place.
    folders.forget();
    groups_by(host, hierarchies, folders).0
}

/// The groups by the lists that are known, and whether one in them has gone.
fn groups_by(
    host: &Host,
    hierarchies: &[Hierarchy],
    folders: &mut KeptFolders,
) -> (BTreeMap<String, Vec<usize>>, bool) {
    let mut gone = false;
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut level: Vec<(usize, String)> =
        hierarchies.iter().enumerate().map(|(at, tree)| (at, tree.prefix.clone())).collect();
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for (at, path) in level {
            let shown = if path.is_empty() { "/" } else { path.as_str() };
            if found.len() >= MAX_GROUPS && !found.contains_key(shown) {
                continue;
            }
            found.entry(shown.to_owned()).or_default().push(at);
            let below = path.strip_prefix(hierarchies[at].prefix.as_str()).unwrap_or(&path);
            match folders.folders(host, &format!("{}{below}", hierarchies[at].point)) {
                Ok(names) => next.extend(names.iter().map(|name| (at, format!("{path}/{name}")))),
                Err(error) => gone |= error.is_absent(),
            }
        }
        level = next;
    }
    (found, gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Namespaces;

    fn points(text: &str) -> Vec<String> {
        let mounts = mountinfo::parse(text.as_bytes()).value;
        let shown = |tree: Hierarchy| format!("{} {}{}", tree.point, tree.controllers.join(","), tree.prefix);
        hierarchies(&mounts).into_iter().map(shown).collect()
    }

    /// A folder that stands for a tree of version 2 with one controller.
    fn tree_of_pids(point: &std::path::Path) -> Hierarchy {
        Hierarchy {
            point: point.to_str().expect("a name").to_owned(),
            prefix: String::new(),
            controllers: vec!["pids".to_owned()],
            unified: true,
        }
    }

    #[test]
    fn a_recorder_reads_settings_when_groups_are_listed() {
        let point = std::env::temp_dir().join(format!("heldup-cgroup-follow-{}", std::process::id()));
        std::fs::create_dir_all(point.join("a")).expect("a folder");
        let write = |file: &str, text: &str| std::fs::write(point.join(file), text).expect("written");
        write("cgroup.stat", "nr_descendants 1\n");
        write("a/pids.current", "7\n");
        write("a/pids.max", "10\n");
        let (host, mut source) =
            (Host::live(), Cgroup { hierarchies: Some(vec![tree_of_pids(&point)]), ..Cgroup::default() });
        let namespaces = Namespaces::default();
        let read = |source: &mut Cgroup| {
            let context = ReadContext { continuous: true, ..ReadContext::new(&host, &namespaces) };
            let rows = source.read(&context).rows.remove(0);
            let paths: Vec<String> =
                rows.texts("path").iter().flatten().map(|path| path.to_string()).collect();
            let at = paths.iter().position(|path| path == "/a");
            (
                paths.join(" "),
                at.and_then(|at| rows.ints("processes")[at])
                    .zip(at.and_then(|at| rows.ints("processes_max")[at])),
            )
        };
        assert_eq!(read(&mut source), ("/ /a".to_owned(), Some((7, 10))));
        write("a/pids.current", "8\n");
        write("a/pids.max", "20\n");
        std::fs::create_dir_all(point.join("b")).expect("a folder");
        assert_eq!(
            read(&mut source),
            ("/ /a".to_owned(), Some((8, 10))),
            "a limit and a folder are looked at later"
        );
        write("cgroup.stat", "nr_descendants 2\n");
        write("b/pids.current", "1\n");
        assert_eq!(read(&mut source), ("/ /a /b".to_owned(), Some((8, 20))), "the kernel counts one more");
        std::fs::remove_dir_all(point.join("a")).expect("removed");
        // An open file of a control group that has gone says so; one of a disk does not.
        source.files = KeptFiles::default();
        std::fs::create_dir_all(point.join("c")).expect("a folder");
        assert_eq!(read(&mut source).0, "/ /b", "what has gone is not told");
        assert_eq!(read(&mut source).0, "/ /b /c", "and another is looked for in its place");
        std::fs::remove_dir_all(&point).expect("removed");
    }

    #[test]
    fn what_a_group_does_not_have_is_looked_for_again() {
        let folder = std::env::temp_dir().join(format!("heldup-cgroup-{}", std::process::id()));
        let point = folder.join("group");
        std::fs::create_dir_all(&point).expect("a folder");
        let (host, mut source) =
            (Host::live(), Cgroup { hierarchies: Some(vec![tree_of_pids(&point)]), ..Cgroup::default() });
        let namespaces = Namespaces::default();
        let mut current =
            || source.read(&ReadContext::new(&host, &namespaces)).rows.remove(0).ints("processes")[0];
        assert_eq!(current(), None);
        std::fs::write(point.join("pids.current"), "7\n").expect("written");
        let seen: Vec<Option<i64>> = (0..=ABSENT_READINGS).map(|_| current()).collect();
        assert_eq!((seen[0], seen.last().copied().flatten()), (None, Some(7)), "{seen:?}");
        std::fs::write(point.join("pids.current"), "8\n").expect("written");
        assert_eq!(current(), Some(8), "what is there is read each time");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn hierarchies_among_the_mounts() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
            41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
            32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
            33 31 0:29 / /mnt/again rw - cgroup cgroup rw,cpu,cpuacct\n\
            36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n\
            35 31 0:32 /docker/a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        assert_eq!(
            points(hybrid),
            [
                "/sys/fs/cgroup/cpu,cpuacct cpu,cpuacct",
                "/sys/fs/cgroup/memory memory/docker/a",
                "/sys/fs/cgroup/unified "
            ]
        );
        assert_eq!(points("1 1 0:9 / /proc rw - proc proc rw\n"), [""; 0]);
    }
}
